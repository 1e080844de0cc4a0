//! Worlds that repeat: agents that reach over the seam are drawn on both sides, and nothing is
//! drawn outside.

use jostle::{
    Agents, Boundary, Rect, Scene, Setup, Sim, Space, Vec2,
    raster::{Camera, ColorBy, Frame, Overlay, Renderer, Style, View},
};

use crate::canvas::{Canvas, discs};

const WORLD: Rect = Rect::from_size(64.0, 48.0);

/// Discs at the borders and corners, which overlap nothing, not even across the seam.
const AT_BORDERS: [(f32, f32, f32); 8] = [
    (0.5, 20.0, 3.0),
    (63.75, 30.25, 2.0),
    (30.0, 47.5, 5.0),
    (0.25, 0.5, 4.0),
    (20.0, 0.125, 0.2),
    (63.5, 10.0, 0.7),
    (45.0, 46.0, 6.5),
    (33.0, 20.0, 7.0),
];

fn periodic(agents: &Agents) -> Canvas {
    Canvas::new(WORLD, 9.0, agents)
}

fn picture(view: &View<'_>, camera: &Camera, style: Style) -> Frame {
    let mut frame = Frame::new(camera.size.x as u32, camera.size.y as u32).unwrap();
    let mut renderer = Renderer::new(frame.width, frame.height, style).unwrap();
    renderer.record_starts(view);
    renderer.draw(&mut frame, camera, view);
    frame
}

/// A camera that shows this part of the world.
fn camera(part: Rect, scale: f32) -> Camera {
    Camera { center: part.center(), scale, size: part.size() * scale }
}

/// The oracle: all copies of all discs as discs of their own.
#[test]
fn discs_at_the_seam_are_drawn_on_both_sides() {
    let mut all = Vec::new();
    for (x, y, radius) in AT_BORDERS {
        for (col, row) in (0..9).map(|n| (n % 3 - 1, n / 3 - 1)) {
            all.push((x + col as f32 * 64.0, y + row as f32 * 48.0, radius));
        }
    }
    let around = Rect::new(Vec2::new(-64.0, -48.0), Vec2::new(128.0, 96.0));
    // Discs that turn have marks.
    let angles: Vec<f32> = (0..all.len()).map(|n| (n / 9) as f32).collect();
    let expected = Canvas::new(around, 9.0, &discs(&all)).with_numbers("angle", &angles);
    let angles: Vec<f32> = (0..AT_BORDERS.len()).map(|n| n as f32).collect();
    let canvas = periodic(&discs(&AT_BORDERS)).with_numbers("angle", &angles);
    for (part, scale) in [
        (WORLD, 1.0),
        (WORLD, 8.0),
        (Rect::new(Vec2::new(50.0, 36.0), Vec2::new(64.0, 48.0)), 32.0),
    ] {
        let camera = camera(part, scale);
        let style = Style { color_by: ColorBy::Size, ..Style::default() };
        for boundary in Boundary::ALL {
            let space = Space::new(WORLD, boundary);
            let view = View { space, ..View::new(&canvas.agents, &canvas.grid, WORLD) };
            let oracle = View::new(&expected.agents, &expected.grid, WORLD);
            let same = picture(&view, &camera, style.clone()).pixels
                == picture(&oracle, &camera, style.clone()).pixels;
            assert_eq!(same, boundary == Boundary::Periodic, "{} at {scale}", boundary.name());
        }
    }
}

/// Between two sorts, coordinates go on beyond the border.
#[test]
fn an_agent_beyond_the_border_is_drawn_where_it_is_in_the_world() {
    let beyond = [(65.0, 10.0, 2.0), (-3.0, 30.0, 2.0), (66.0, 50.0, 3.0), (20.0, -7.0, 0.125)];
    let inside = [(1.0, 10.0, 2.0), (61.0, 30.0, 2.0), (2.0, 2.0, 3.0), (20.0, 41.0, 0.125)];
    // The world does not fill this frame.
    let camera = camera(WORLD.expanded(8.0), 4.0);
    for style in [ColorBy::Size, ColorBy::Contacts, ColorBy::Start, ColorBy::Cell] {
        let [one, other] = [beyond, inside].map(|list| {
            let canvas = periodic(&discs(&list));
            let space = Space::new(WORLD, Boundary::Periodic);
            let view = View { space, ..View::new(&canvas.agents, &canvas.grid, WORLD) };
            picture(&view, &camera, Style { color_by: style, ..Style::default() })
        });
        assert!(one.pixels == other.pixels, "{style:?}");
    }
}

#[test]
fn nothing_is_drawn_outside_and_no_pixel_depends_on_bands() {
    let setup = Setup { boundary: Boundary::Periodic, ..Setup::with_agents(Scene::Mixed, 3_000) };
    let mut sim = Sim::new(&setup).expect("it can be placed");
    (0..40).for_each(|_| sim.step().expect("there is memory"));
    let view = View::from_sim(&sim);
    let camera = Camera::fit(&sim.world(), 400, 300);
    for overlay in [Overlay::None, Overlay::Contacts] {
        let style = Style { overlay, ..Style::from_setup(&setup) };
        let expected = picture(&view, &camera, style.clone());
        for rows in [1, 7, 64] {
            let mut frame = Frame::new(400, 300).unwrap();
            let mut renderer = Renderer::new(400, 300, style.clone()).unwrap();
            renderer.set_band_rows(rows);
            renderer.draw(&mut frame, &camera, &view);
            assert!(frame.pixels == expected.pixels, "bands of {rows} rows");
        }
    }
    let frame = picture(&view, &camera, Style::from_setup(&setup));
    let outside = Style::from_setup(&setup).outside;
    let world = [sim.world().min, sim.world().max].map(|corner| camera.to_pixel(corner));
    let (left, right) = (world[0].x - 3.0, world[1].x + 3.0);
    let (top, bottom) = (world[1].y - 3.0, world[0].y + 3.0);
    for (index, pixel) in frame.pixels.iter().enumerate() {
        let (x, y) = ((index % 400) as f32, (index / 400) as f32);
        if x < left || x > right || y < top || y > bottom {
            assert_eq!(pixel[..3], outside, "({x}, {y})");
        }
    }
}
