//! Places in other files: walls from drawings in SVG, and agents in the dark pixels of pictures.

use std::{fs, path::Path};

use tempfile::tempdir;

use crate::{refused, report, run};

/// Every command of path data and every shape; what is not shown is no wall.
const DRAWING: &str = r#"<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">
  <defs><path id="no" d="M0 0L200 100"/></defs>
  <g transform="translate(20 10) scale(2)">
    <path d="m0 0 h10 v10 l-5 5 -5 -5 z M2 2 C 3 1 5 1 6 2 S 8 3 9 2 Q 9 5 7 5 T 4 6 A 1 2 30 0 1 2 6"/>
    <g display="none"><path d="M0 0L900 900"/></g>
  </g>
  <rect x="60" y="10" width="30" height="20" rx="4"/>
  <rect x="60" y="40" width="30" height="20"/>
  <circle cx="120" cy="30" r="15"/>
  <ellipse cx="120" cy="70" rx="15" ry="10" transform="rotate(30 120 70)"/>
  <line x1="150" y1="10" x2="190" y2="10"/>
  <polyline points="150,20 170,25 190,20"/>
  <polygon points="150,40 170,45 190,40 170,60"/>
  <path d="M5 5"/>
  <text x="5" y="5">no wall</text>
</svg>
"#;

/// A PNG of gray pixels.
fn picture(path: &Path, width: u32, height: u32, gray: impl Fn(u32, u32) -> u8) {
    let file = fs::File::create(path).expect("a file");
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    let pixels: Vec<u8> = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .map(|(x, y)| gray(x, y))
        .collect();
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&pixels).expect("pixels");
}

/// The places of the agents at the end of a run.
fn places(name: &str, steps: &str, more: &[&str]) -> Vec<[f32; 2]> {
    let table = [&["run", "--scene", name, "--steps", steps, "--export", "-"], more].concat();
    let output = run(&table);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let place = |line: &str| {
        let mut numbers = line.split(',').skip(1).map(|number| number.parse().expect("a number"));
        [0; 2].map(|_| numbers.next().expect("a number"))
    };
    text.lines().skip(1).map(place).collect()
}

#[test]
fn a_drawing_has_all_that_an_svg_draws() {
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join("walls.svg"), DRAWING).expect("a drawing");
    let path = folder.path().join("world.toml");
    let name = path.to_str().expect("a name");
    let text = "world = { size = [400, 200], agents = 300, radius = 0.5, speed = 9 }\n\
                [[static]]\nfrom = \"walls.svg\"\nthickness = 1\n";
    fs::write(&path, text).expect("a file");
    let output = run(&["check", "world", name]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("walls.svg: not used: text"), "{errors}");
    let first = report(&["run", "--scene", name, "--steps", "30", "--json", "--threads", "1"]);
    let other = ["run", "--scene", name, "--steps", "30", "--json", "--threads", "2"];
    assert_eq!(first, report(&[&other[..], &["--simd", "scalar"]].concat()));
    let saved = folder.path().join("saved.jostle");
    let saved = saved.to_str().expect("a name");
    report(&["run", "--scene", name, "--steps", "10", "--json", "--save", saved]);
    assert_eq!(first, report(&["run", "--load", saved, "--steps", "20", "--json"]));
    // An edge of each: the drawing is twice as large in the world, less half the thickness at the border.
    let gone = DRAWING.replace("M0 0L200 100", "M0 0L1 1").replace("M0 0L900 900", "M0 0L1 1");
    fs::write(folder.path().join("walls.svg"), gone).expect("a drawing");
    let again = report(&["run", "--scene", name, "--steps", "30", "--json"]);
    assert_eq!(first, again, "what is not shown is a wall");
}

/// What is inside closed lines stays there, and what is outside comes not in; a drawing stands upright.
#[test]
fn agents_stay_within_drawn_walls() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("world.toml");
    let name = path.to_str().expect("a name");
    // In the upper left quarter of the drawing.
    for shape in [
        "<circle cx='25' cy='25' r='20'/>",
        "<ellipse cx='0' cy='0' rx='20' ry='20' transform='translate(25,25)'/>",
        "<path d='M5 25A20 20 0 0 1 45 25 20 20 0 0 1 5 25z'/>",
        "<path d='M5 25a20 20 0 1 1 40 0a20 20 0 1 1 -40 0z'/>",
        "<rect x='5' y='5' width='40' height='40' rx='20'/>",
        "<path d='M5 25C5 13.95 13.95 5 25 5S45 13.95 45 25 36.05 45 25 45 5 36.05 5 25Z'/>",
        "<g transform='matrix(1 0 0 1 25 25)'><path d='M-20 0Q-20-20 0-20T20 0 0 20-20 0'/></g>",
    ] {
        let svg = format!("<svg width='100px' height='100'>{shape}</svg>");
        fs::write(folder.path().join("ring.svg"), svg).expect("a drawing");
        let text = "world = { size = [200, 100], radius = 0.4, speed = 30 }\n\
                    [[static]]\nfrom = \"ring.svg\"\nthickness = 1\nrectangle = [100, 0, 200, 100]\n\
                    [[group]]\nagents = 40\ndisc = [125, 75, 10]\n\
                    [[group]]\nagents = 40\nrectangle = [1, 1, 90, 99]\n";
        fs::write(&path, text).expect("a file");
        let places = places(name, "400", &[]);
        let far = |[x, y]: &[f32; 2]| (x - 125.0).hypot(y - 75.0);
        let inside = places.iter().filter(|place| far(place) < 20.0).count();
        assert_eq!(inside, 40, "{shape}");
        let near = places.iter().filter(|place| far(place) < 19.2).count();
        assert_eq!(near, 40, "{shape}");
    }
}

/// The example of the documentation, as it stands there.
#[test]
fn the_example_runs_as_it_is_written() {
    const DOCUMENTATION: &str = include_str!("../../docs/worlds.md");
    let folder = tempdir().expect("a folder");
    let blocks = DOCUMENTATION.split("```toml\n").filter_map(|rest| rest.split("```").next());
    let text = blocks.filter(|block| block.contains("maze.svg")).last().expect("an example");
    let path = folder.path().join("world.toml");
    fs::write(&path, text).expect("a file");
    let maze = "<svg viewBox='0 0 160 100'><path d='M10 10H150V90H10V30M40 30V60H120V40'/></svg>";
    fs::write(folder.path().join("maze.svg"), maze).expect("a drawing");
    picture(&folder.path().join("crowd.png"), 80, 50, |x, y| u8::from(x + y > 60) * 255);
    let name = path.to_str().expect("a name");
    let agents = places(name, "20", &[]);
    assert_eq!(agents.len(), 2_000);
}

#[test]
fn agents_lie_in_the_dark_pixels_of_a_picture() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("world.toml");
    let name = path.to_str().expect("a name");
    // Dark above on the left, and a column on the right.
    picture(&folder.path().join("spots.png"), 40, 20, |x, y| {
        if (x < 10 && y < 10) || x == 39 { 20 } else { 200 }
    });
    let world = "world = { size = [400, 200], radius = 0.1, collisions = false }\n";
    let group = "[[group]]\nfrom = \"spots.png\"\nagents = 600\n";
    for (more, left, width) in
        [("", 0.0, 400.0), ("rectangle = [100, 20, 300, 180]\n", 100.0, 200.0)]
    {
        fs::write(&path, format!("{world}{group}{more}")).expect("a file");
        let places = places(name, "0", &[]);
        let scale = width / 40.0;
        let bottom = 100.0 - 10.0 * scale;
        let in_pixels = places.iter().map(|[x, y]| [(x - left) / scale, (y - bottom) / scale]);
        let (mut corner, mut column) = (0, 0);
        for [x, y] in in_pixels {
            assert!((-0.01..=20.01).contains(&y), "{x} {y}");
            if x < 10.01 && y > 9.99 {
                corner += 1;
            } else {
                assert!(x > 38.99, "{x} {y}");
                column += 1;
            }
        }
        // As dark areas: 100 and 20 pixels.
        assert_eq!((corner, column), (500, 100));
    }
    let first = report(&["run", "--scene", name, "--steps", "9", "--json", "--threads", "1"]);
    assert_eq!(
        first,
        report(&["run", "--scene", name, "--steps", "9", "--json", "--threads", "2"])
    );
}

#[test]
fn drawings_and_pictures_that_can_not_be_used_are_refused() {
    let folder = tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    let world = "world = { size = [200, 100], agents = 9, radius = 0.4 }\n";
    let wall = "[[static]]\nfrom = \"a.svg\"\nthickness = 1\n";
    let svg = |inner: &str| format!("<svg viewBox='0 0 100 100'>\n{inner}</svg>");
    let many = "0 0 1 1 ".repeat(20_000);
    for (text, expected) in [
        ("", "it is no SVG"),
        ("<html/>", "it is no SVG, but begins with <html>"),
        ("<svg><path d='M0 0L1 1'/></svg>", "it states no size; add viewBox"),
        ("<svg viewBox='0 0 0 9'/>", "it states no size; add viewBox"),
        ("<svg width='9cm' height='9cm'/>", "it states no size; add viewBox"),
        ("<svg viewBox='0 0 9 1e99'/>", "it states no size; add viewBox"),
        (&svg(""), "it has no lines"),
        (&svg("<path d='M5 5'/>"), "it has no lines"),
        (&svg("<path d='M1 1L2 x'/>"), "a.svg:2:1: <path>: "),
        (&svg("<path d='M1 1L1e99 2'/>"), "a.svg:2:1: <path>: a number is too large"),
        (
            &svg("<path d='M1 1A1e300 1e300 0 0 1 9 9'/>"),
            "a.svg:2:1: <path>: a number is too large",
        ),
        (&svg("<path d='M1 1A nan 1 0 0 1 9 9'/>"), "a.svg:2:1: <path>: "),
        (&svg("<circle cx='9' cy='9' r='5mm'/>"), "<circle>: r \"5mm\" can't be used"),
        (&svg("<circle cx='9' cy='9' r='inf'/>"), "<circle>: r \"inf\" can't be used"),
        (&svg("<g transform='turn(9)'/>"), "a.svg:2:1: transform: "),
        (&svg("<g transform='scale(1e200)'><line x2='9'/></g>"), "a point lies too far away"),
        (&svg(&format!("<polyline points='{many}'/>")), "has more than 20000 points"),
        (&svg("<line x1='-150' x2='50' y2='50'/>"), "point 1 of a.svg, [-98, 99.5], can't be used"),
    ] {
        write("a.svg", text);
        let found = refused(&folder, &format!("{world}{wall}"), &[]);
        let shown: String = text.chars().take(80).collect();
        assert!(found.contains(expected) && found.lines().count() == 1, "{shown}: {found}");
        assert!(found.contains("world.toml:3:"), "{shown}: {found}");
    }
    write("a.svg", &svg("<line x1='9' x2='50' y2='50'/>"));
    let line = "[[static]]\npolyline = [[5, 5], [9, 9]]\nthickness = 1\n";
    let group = "world = { size = [200, 100], radius = 0.4 }\n[[group]]\n";
    let half = folder.path().join("half.png");
    picture(&half, 4, 4, |x, _| if x < 2 { 0 } else { 255 });
    picture(&folder.path().join("white.png"), 4, 4, |_, _| 255);
    picture(&folder.path().join("huge.png"), 4096, 2048, |_, _| 0);
    write("text.png", "no picture");
    let bytes = fs::read(&half).expect("a picture");
    fs::write(folder.path().join("cut.png"), &bytes[..bytes.len() / 2]).expect("a file");
    for (text, expected) in [
        (format!("{world}{wall}rectangle = [0, 0, 300, 9]\n"), "world.toml:5:13: rectangle"),
        (format!("{world}{wall}rectangle = [9, 0, 9, 9]\n"), "world.toml:5:13: rectangle"),
        (
            format!("{world}{line}rectangle = [0, 0, 9, 9]\n"),
            "5:1: `rectangle` belongs to drawings",
        ),
        (
            format!("{world}{}", wall.replace("a.svg", "half.png")),
            "3:8: from \"half.png\" can't be",
        ),
        (
            format!("{group}agents = 9\nfrom = \"a.svg\"\n"),
            "4:1: a drawing has lines, and no agents",
        ),
        (format!("{group}from = \"half.png\"\n"), "a group has no number of agents"),
        (
            format!("{group}agents = 9\nfrom = \"half.png\"\ndisc = [9, 9, 2]\n"),
            "4:1: a picture lies in a `rectangle`",
        ),
        (format!("{group}agents = 9\nfrom = \"white.png\"\n"), "it has no dark pixel"),
        (
            format!("{group}agents = 9\nfrom = \"huge.png\"\n"),
            "it has 4096 x 2048 pixels: expected",
        ),
        (format!("{group}agents = 9\nfrom = \"text.png\"\n"), "it is no PNG"),
        (format!("{group}agents = 9\nfrom = \"cut.png\"\n"), "it is no PNG"),
        (format!("{group}agents = 9\nfrom = \"none.png\"\n"), "there is no such file"),
        (format!("{group}agents = 9\nfrom = 3\n"), "4:8: from 3 can't be used"),
    ] {
        let found = refused(&folder, &text, &[]);
        assert!(found.contains(expected) && found.lines().count() == 1, "{text}: {found}");
    }
}
