//! The README's pictures of the window: `cargo test --test window -- --ignored pictures`.

use std::{fs::File, io::BufWriter, path::Path as FilePath};

use color_quant::NeuQuant;
use jostle::{
    Scene, Setup, Sim, Vec2,
    raster::{Camera, Frame, Overlay, Renderer, Style, View},
};
use x11rb::protocol::xproto::Window;

use crate::{
    Path,
    desk::{Desk, keysym, wait_for},
    program::{Program, command_on},
    timeline::rows,
};

#[test]
#[ignore = "writes into docs/images, which is asked for by name"]
fn pictures_of_the_window() {
    // Half a million discs are smaller than a pixel: by their place at the start, they show more.
    for (agents, color) in [("2k", "speed"), ("50k", "speed"), ("500k", "start")] {
        let desk = Desk::new();
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = command_on(&desk, folder.path(), Path::Gpu);
        let mut program = Program::start(command.args(["--agents", agents, "--color-by", color]));
        let window = desk.window();
        desk.focus(window);
        program.wait_past(120);
        desk.key(keysym::SPACE);
        program.wait_line("paused");
        let frame = program.wait_frame();
        let pixels = steady(&desk, window, frame.size);
        save_small(&format!("window-{agents}.png"), frame.size, &pixels);
        desk.ctrl_key(keysym::Q);
        program.end();
    }
}

#[test]
#[ignore = "writes into docs/images, which is asked for by name"]
fn pictures_of_the_panel() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), Path::Gpu);
    let mut program = Program::start(command.args(["--agents", "2k"]));
    let window = desk.window();
    desk.focus(window);
    desk.key(keysym::TAB);
    program.wait_line("panel on");
    program.wait_past(600);
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    let frame = program.wait_frame();
    let pixels = steady(&desk, window, frame.size);
    save("panel.png", frame.size, &pixels);
}

/// A gas of equal discs, with some of the plots that the panel has.
#[test]
#[ignore = "writes into docs/images, which is asked for by name"]
fn pictures_of_the_plots() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    let flags = "--agents 5k --radius 0.5 --collisions swept --boundary periodic --size 900x860";
    let mut program = Program::start(command.args(flags.split(' ')));
    let window = desk.window();
    desk.focus(window);
    desk.key(keysym::TAB);
    program.wait_line("panel on");
    let wheel = |notches: u32| {
        desk.point([150, 700]);
        for _ in 0..notches {
            desk.press(5);
            desk.release(5);
        }
    };
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    wheel(60);
    desk.wait_served();
    program.wait_asleep(&desk);
    // From the last row up, since a chosen plot moves only the rows below it.
    for name in ["density x", "autocorrelation", "g(r)", "free path", "pressure"] {
        desk.click(program.text(name));
        program.wait("a plot", |line| {
            let names = line.strip_prefix("plots ")?;
            names.split(", ").any(|shown| shown == name).then_some(())
        });
    }
    wheel(60);
    desk.wait_served();
    program.wait_asleep(&desk);
    // No hint is in the way.
    desk.point([700, 100]);
    desk.key(keysym::SPACE);
    program.wait_line("running");
    let frame = program.wait_frame();
    program.wait_past(frame.steps + 240);
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    let frame = program.wait_frame();
    let pixels = steady(&desk, window, frame.size);
    save_small("panel-plots.png", frame.size, &pixels);
}

/// The pixels of a paused window, once the last frame has arrived.
fn steady(desk: &Desk, window: Window, size: [u32; 2]) -> Vec<[u8; 3]> {
    let mut before = Vec::new();
    wait_for("pixels that stay", || {
        let pixels = desk.pixels(window, size)?;
        (std::mem::replace(&mut before, pixels.clone()) == pixels).then_some(pixels)
    })
}

/// Each overlay, where it has something to show: the library's own pictures.
#[test]
#[ignore = "writes into docs/images, which is asked for by name"]
fn pictures_of_the_overlays() {
    let size = [640, 360];
    let near = |center: Vec2, across| Camera::new(center, across, size[0], size[1]);
    for (overlay, scene, agents, steps, across) in [
        (Overlay::Loose, Scene::Mixed, 20_000, 120, 120.0),
        (Overlay::Tight, Scene::Mixed, 20_000, 120, 260.0),
        (Overlay::Contacts, Scene::Pile, 4_000, 500, 60.0),
        (Overlay::Velocities, Scene::Burst, 4_000, 240, 200.0),
        (Overlay::Density, Scene::Giants, 100_000, 300, f32::INFINITY),
    ] {
        let setup = Setup { agents, ..Setup::new(scene) };
        let mut sim = Sim::new(&setup).expect("a simulation");
        (0..steps).for_each(|_| sim.step().expect("a step"));
        let world = sim.world();
        let camera = if across < world.width() {
            // A pile lies low.
            let height = if scene == Scene::Pile { 0.25 } else { 0.5 };
            near(world.min + world.size() * Vec2::new(0.5, height), across)
        } else {
            Camera::fit(&world, size[0], size[1])
        };
        let mut frame = Frame::new(size[0], size[1]).unwrap();
        let mut renderer =
            Renderer::new(size[0], size[1], Style { overlay, ..Style::from_setup(&setup) })
                .unwrap();
        renderer.draw(&mut frame, &camera, &View::from_sim(&sim));
        let pixels: Vec<[u8; 3]> = frame.pixels.iter().map(|&[r, g, b, _]| [r, g, b]).collect();
        save_small(&format!("overlay-{}.png", overlay.name()), size, &pixels);
    }
}

/// An inspected agent; a wall, and agents that are poked away.
#[test]
#[ignore = "writes into docs/images, which is asked for by name"]
fn pictures_of_the_tools() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    let mut program = Program::start(command.args(["--agents", "2k", "--density", "0.55"]));
    let window = desk.window();
    desk.focus(window);
    program.wait_past(100);
    desk.resize(window, [800, 500]);
    program.wait_line("resized 800x500");
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    desk.key(keysym::N);
    desk.click([420, 260]);
    program.wait("an inspected agent", |line| {
        line.strip_prefix("inspect ").filter(|id| *id != "nothing").map(drop)
    });
    desk.point([520, 420]);
    let frame = program.wait_frame();
    let pixels = steady(&desk, window, frame.size);
    save_small("window-inspect.png", frame.size, &pixels);

    desk.key(keysym::F);
    program.wait_line("fitted");
    desk.key(keysym::W);
    desk.point([150, 330]);
    desk.press(1);
    desk.point([400, 330]);
    desk.release(1);
    desk.key(keysym::K);
    desk.point([560, 200]);
    desk.key(keysym::SPACE);
    program.wait_line("running");
    let frame = program.wait_frame();
    desk.press(1);
    program.wait_past(frame.steps + 25);
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    let frame = program.wait_frame();
    let pixels = steady(&desk, window, frame.size);
    save_small("window-tools.png", frame.size, &pixels);
    desk.ctrl_key(keysym::Q);
    program.end();
}

/// Both futures of a run, some time after a poke.
#[test]
#[ignore = "writes into docs/images, which is asked for by name"]
fn pictures_of_both_futures() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    let mut program = Program::start(command.args(["--agents", "5k", "--size", "1000x420"]));
    let window = desk.window();
    desk.focus(window);
    program.wait_past(60);
    desk.key(keysym::B);
    program.wait_line("split on");
    desk.key(keysym::K);
    desk.point([700, 200]);
    desk.press(1);
    let frame = program.wait_frame();
    program.wait_past(frame.steps + 20);
    desk.release(1);
    desk.key(keysym::M);
    program.wait_past(frame.steps + 80);
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    let frame = program.wait_frame();
    let pixels = steady(&desk, window, frame.size);
    save_small("window-split.png", frame.size, &pixels);
    desk.ctrl_key(keysym::Q);
    program.end();
}

/// A run with three branches, one of them under the pointer.
#[test]
#[ignore = "writes into docs/images, which is asked for by name"]
fn picture_of_the_branches() {
    let (desk, folder) = (Desk::new(), tempfile::tempdir().expect("a folder"));
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    let mut program = Program::start(command.args(["--agents", "5k", "--size", "1000x420"]));
    let window = desk.window();
    desk.focus(window);
    let mut last = 240;
    for (place, from) in [([300, 150], 400), ([500, 200], 550), ([700, 250], 700)] {
        program.wait_past(last);
        desk.key(keysym::SPACE);
        program.wait_line("paused");
        let frame = program.wait_frame();
        desk.click([from, frame.size[1] as i16 - 10]);
        let step =
            program.wait("a step", |line| line.strip_prefix("at step ")?.parse::<u64>().ok());
        desk.key(keysym::E);
        program.wait_line("tool erase");
        desk.click(place);
        program.wait("erase", |line| line.starts_with("erase: ").then_some(()));
        desk.key(keysym::M);
        desk.key(keysym::SPACE);
        program.wait_line("running");
        last = step + 100;
    }
    program.wait_past(last);
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    let frame = program.wait_frame();
    let [top, _] = rows(&frame);
    desk.point([620, top + 3]);
    program.wait("a name", |line| line.contains("; branch ").then_some(()));
    let pixels = steady(&desk, window, frame.size);
    save_small("window-branches.png", frame.size, &pixels);
    desk.ctrl_key(keysym::Q);
    program.end();
}

/// The same in 256 colors, to keep the files of a page small.
fn save_small(name: &str, size: [u32; 2], pixels: &[[u8; 3]]) {
    let rgba: Vec<u8> = pixels.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
    let colors = NeuQuant::new(3, 256, &rgba);
    let indexed: Vec<u8> = rgba.chunks(4).map(|pixel| colors.index_of(pixel) as u8).collect();
    let mut encoder = png_of(name, size);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(colors.color_map_rgb());
    let mut writer = encoder.write_header().expect("a PNG");
    writer.write_image_data(&indexed).expect("a PNG");
}

fn save(name: &str, size: [u32; 2], pixels: &[[u8; 3]]) {
    let mut encoder = png_of(name, size);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("a PNG");
    writer.write_image_data(pixels.as_flattened()).expect("a PNG");
}

fn png_of(name: &str, [width, height]: [u32; 2]) -> png::Encoder<'static, BufWriter<File>> {
    let images = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("docs/images");
    std::fs::create_dir_all(&images).expect("a folder");
    let file = File::create(images.join(name)).expect("a file");
    let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
    encoder.set_compression(png::Compression::High);
    encoder
}
