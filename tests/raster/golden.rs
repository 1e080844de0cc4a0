//! Golden pictures, which were checked by eye and must stay as they are.
//!
//! Coverage uses the arc sine of the platform and is rounded to eight bits, so that the bytes of
//! another machine may differ by one. On one machine they are the same for any number of threads and
//! any SIMD level, which other tests compare exactly.
//!
//! `JOSTLE_BLESS=1 cargo test --test raster` redraws the pictures; check them before committing.

use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

use jostle::{
    Rect, Static, Vec2,
    raster::{Camera, ColorBy, Frame, Palette, Style},
};

use crate::canvas::{Canvas, crowd};

/// The most by which a byte may differ from its golden one.
const ROUNDING: u8 = 1;

pub(crate) fn check(name: &str, frame: &Frame) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let path = folder.join(format!("{name}.png"));
    if std::env::var_os("JOSTLE_BLESS").is_some() {
        save(&path, frame);
    }
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
    let mut golden = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut golden).unwrap();
    assert_eq!((info.width, info.height), (frame.width, frame.height));
    let pairs = golden.iter().zip(frame.bytes());
    let different = pairs.filter(|(a, b)| a.abs_diff(**b) > ROUNDING).count();
    if different > 0 {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        save(&path, frame);
        panic!("{different} bytes differ from tests/golden/{name}.png; see {}", path.display());
    }
}

fn save(path: &Path, frame: &Frame) {
    let mut encoder = png::Encoder::new(File::create(path).unwrap(), frame.width, frame.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_compression(png::Compression::High);
    encoder.write_header().unwrap().write_image_data(frame.bytes()).unwrap();
}

#[test]
fn all_sizes_by_speed() {
    let world = Rect::new(Vec2::new(-10.0, 5.0), Vec2::new(70.0, 50.0));
    let canvas = Canvas::new(world, 30.0, &crowd(&world, 260, [0.05, 6.0], 11));
    check("speed", &canvas.draw(&Camera::fit(&world, 160, 90), Style::default()));
}

#[test]
fn large_discs_by_size() {
    let world = Rect::from_size(40.0, 30.0);
    let canvas = Canvas::new(world, 8.0, &crowd(&world, 90, [0.5, 2.5], 12));
    let style = Style {
        color_by: ColorBy::Size,
        palette: Palette::Viridis,
        radius: [0.5, 2.5],
        ..Style::default()
    };
    check("size", &canvas.draw(&Camera::new(Vec2::new(12.0, 24.0), 16.0, 160, 90), style));
}

#[test]
fn density_by_start() {
    let world = Rect::from_size(160.0, 90.0);
    let canvas = Canvas::new(world, 3.0, &crowd(&world, 9_000, [0.05, 1.0], 13));
    let style = Style { color_by: ColorBy::Start, palette: Palette::Plasma, ..Style::default() };
    check("start", &canvas.draw(&Camera::fit(&world, 120, 68), style));
}

#[test]
fn statics_among_agents() {
    let world = Rect::new(Vec2::new(-10.0, 5.0), Vec2::new(70.0, 50.0));
    let peg = |n: u16| {
        let (col, row) = (n % 9, n / 9);
        let shift = if row % 2 == 0 { 0.0 } else { 4.0 };
        let center = Vec2::new(f32::from(col) * 8.0 - 4.0 + shift, 20.0 + f32::from(row) * 6.9);
        Static::disc(center, 0.5 + 0.25 * f32::from(row))
    };
    let bin = |n: u16| {
        let left = f32::from(n) * 8.0 - 2.0;
        Static::Box(Rect::new(Vec2::new(left, 5.0), Vec2::new(left + 0.6, 15.0)))
    };
    let statics: Vec<_> = (0..36).map(peg).chain((0..9).map(bin)).collect();
    let agents = crowd(&world, 120, [0.3, 2.0], 14);
    let canvas = Canvas::new(world, 8.0, &agents).with(&statics);
    check("statics", &canvas.draw(&Camera::fit(&world, 320, 180), Style::default()));
}
