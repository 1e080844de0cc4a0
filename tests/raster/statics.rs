//! Statics: exact coverage, clipped to frame and bands, beneath the agents.

use jostle::{
    Rect, Static, Vec2,
    raster::{Camera, Frame, Renderer, Style},
};

use crate::canvas::{Canvas, discs, measuring, pixelwise};

const WORLD: Rect = Rect::new(Vec2::ZERO, Vec2::new(24.0, 16.0));

/// White statics on black.
fn white() -> Style {
    Style { statics: [255; 3], ..measuring() }
}

fn rect(left: f32, bottom: f32, right: f32, top: f32) -> Static {
    Static::Box(Rect::new(Vec2::new(left, bottom), Vec2::new(right, top)))
}

fn share(pixel: [f32; 2], interval: [f32; 2]) -> f32 {
    (pixel[1].min(interval[1]) - pixel[0].max(interval[0])).max(0.0)
}

#[test]
fn a_box_has_exact_coverage() {
    for [left, bottom, right, top] in [
        [2.25, 3.5, 9.5, 7.25],
        [2.25, 3.5, 2.75, 15.0],
        [2.75, 3.5, 3.25, 3.75],
        [5.0, 5.0, 6.0, 6.0],
        [0.0, 0.0, 24.0, 16.0],
    ] {
        let canvas = Canvas::new(WORLD, 4.0, &discs(&[])).with(&[rect(left, bottom, right, top)]);
        let frame = canvas.draw(&pixelwise(24, 16), white());
        for (at, pixel) in frame.pixels.iter().enumerate() {
            let (x, y) = ((at % 24) as f32, 15.0 - (at / 24) as f32);
            let covered = share([x, x + 1.0], [left, right]) * share([y, y + 1.0], [bottom, top]);
            let off = (f32::from(pixel[1]) - 255.0 * covered).abs();
            assert!(off <= 2.0, "{left} {bottom} {right} {top} at {x} {y}: {pixel:?}");
        }
    }
}

#[test]
fn a_disc_covers_its_area_at_any_size() {
    for (radius, within) in [(0.2, 0.02), (0.7, 0.04), (1.4, 0.04), (3.0, 0.02), (7.5, 0.02)] {
        let peg = Static::disc(Vec2::new(11.3, 8.1), radius);
        let frame =
            Canvas::new(WORLD, 4.0, &discs(&[])).with(&[peg]).draw(&pixelwise(24, 16), white());
        let covered: f32 = frame.pixels.iter().map(|pixel| f32::from(pixel[1]) / 255.0).sum();
        let area = std::f32::consts::PI * radius * radius;
        assert!((covered / area - 1.0).abs() < within * 2.0, "{radius}: {covered}, {area}");
    }
}

#[test]
fn agents_hide_statics() {
    let middle = Vec2::new(12.0, 8.0);
    let canvas = Canvas::new(WORLD, 4.0, &discs(&[(12.0, 8.0, 4.0)]));
    let alone = canvas.draw(&pixelwise(24, 16), white());
    let canvas = canvas.with(&[Static::disc(middle, 2.5), rect(10.5, 6.5, 13.5, 9.5)]);
    assert!(canvas.draw(&pixelwise(24, 16), white()) == alone);
}

#[test]
fn cameras_and_bands_clip_statics_without_a_seam() {
    let statics = [
        rect(1.0, 1.0, 23.0, 2.2),
        rect(20.5, 0.5, 21.0, 15.5),
        Static::disc(Vec2::new(8.0, 8.0), 5.0),
        Static::disc(Vec2::new(15.0, 9.0), 0.3),
        Static::disc(Vec2::new(17.0, 12.0), 1.1),
    ];
    let canvas = Canvas::new(WORLD, 4.0, &discs(&[])).with(&statics);
    for (center, across) in [(WORLD.center(), 30.0), (Vec2::new(8.0, 4.0), 6.0)] {
        let whole = in_any_bands(&canvas, &Camera::new(center, across, 320, 180));
        assert!(whole.contains(&[84, 94, 122, 255]), "no static is in view");
    }
}

/// Draws 320 × 180 pixels as one band and in bands of several heights, which must be equal.
fn in_any_bands(canvas: &Canvas, camera: &Camera) -> Vec<[u8; 4]> {
    let draw = |rows| {
        let mut frame = Frame::new(320, 180).unwrap();
        let mut renderer = Renderer::new(320, 180, Style::default()).unwrap();
        renderer.set_band_rows(rows);
        renderer.draw(&mut frame, camera, &canvas.view());
        frame.pixels
    };
    let whole = draw(180);
    for rows in [3, 7, 17, 45, 90] {
        assert!(draw(rows) == whole, "{rows} rows per band, {camera:?}");
    }
    whole
}

/// Where borders cross, a pixel is mixed twice, and the result depends on the order.
#[test]
fn overlapping_statics_look_the_same_in_any_bands() {
    let statics: Vec<_> = (0..150)
        .map(|number| {
            let along = number as f32;
            let (x, y) = (1.5 + 0.137 * along, 8.0 + 5.0 * (along * 0.11).sin());
            Static::disc(Vec2::new(x, y), 0.9 + 0.3 * (along * 1.7).sin())
        })
        .collect();
    let canvas = Canvas::new(WORLD, 4.0, &discs(&[])).with(&statics);
    for (center, across) in [(WORLD.center(), 26.0), (Vec2::new(6.0, 11.0), 9.0)] {
        in_any_bands(&canvas, &Camera::new(center, across, 320, 180));
    }
}
