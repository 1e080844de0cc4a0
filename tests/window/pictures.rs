//! The README's pictures of the window: `cargo test --test window -- --ignored pictures`.

use std::{fs::File, io::BufWriter, path::Path as FilePath};

use crate::{
    Path,
    desk::{Desk, keysym, wait_for},
    program::{Program, command_on},
};

#[test]
#[ignore = "writes into docs/images, which is asked for by name"]
fn pictures_of_the_window() {
    // Half a million discs are smaller than a pixel: by their place at the start, they show more.
    for (agents, colour) in [("2k", "speed"), ("50k", "speed"), ("500k", "start")] {
        let desk = Desk::new();
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = command_on(&desk, folder.path(), Path::Pixels);
        let mut program =
            Program::start(command.args(["watch", "--agents", agents, "--color-by", colour]));
        let window = desk.window();
        desk.focus(window);
        program.wait_past(120);
        desk.key(keysym::SPACE);
        program.wait_line("paused");
        let frame = program.wait_frame();
        let pixels = wait_for("the pixels", || desk.pixels(window, frame.size));
        save(&format!("window-{agents}.png"), frame.size, &pixels);
        desk.key(keysym::Q);
        program.end();
    }
}

#[test]
#[ignore = "writes into docs/images, which is asked for by name"]
fn pictures_of_the_panel() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), Path::Pixels);
    let mut program = Program::start(command.args(["watch", "--agents", "5k"]));
    let window = desk.window();
    desk.focus(window);
    desk.key(keysym::TAB);
    program.wait_line("panel on");
    program.wait_past(600);
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    let frame = program.wait_frame();
    let mut before = Vec::new();
    let pixels = wait_for("pixels that stay", || {
        let pixels = desk.pixels(window, frame.size)?;
        (std::mem::replace(&mut before, pixels.clone()) == pixels).then_some(pixels)
    });
    save("panel.png", frame.size, &pixels);
}

fn save(name: &str, size: [u32; 2], pixels: &[[u8; 3]]) {
    let images = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("docs/images");
    std::fs::create_dir_all(&images).expect("a folder");
    let file = File::create(images.join(name)).expect("a file");
    let mut encoder = png::Encoder::new(BufWriter::new(file), size[0], size[1]);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().expect("a PNG");
    writer.write_image_data(pixels.as_flattened()).expect("a PNG");
}
