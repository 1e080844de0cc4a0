//! Cameras that nobody would choose: pictures are the same in any bands, and nothing panics.

use std::sync::LazyLock;

use jostle::{
    Rect, Static, Vec2,
    raster::{Camera, ColorBy, Frame, Interpolation, Overlay, Renderer, Style},
};
use proptest::{
    array::{uniform2, uniform3, uniform4},
    num,
    prelude::*,
    sample::select,
};

use crate::canvas::{Canvas, crowd};

const WORLD: Rect = Rect::new(Vec2::new(-30.0, 10.0), Vec2::new(31.0, 60.0));

/// Agents of all sizes, some of which have left their cells but none the world, among statics.
static CANVAS: LazyLock<Canvas> = LazyLock::new(|| {
    let bar = Rect::new(Vec2::new(10.0, 15.0), Vec2::new(14.0, 15.5));
    let statics = [Static::disc(Vec2::new(0.0, 20.0), 1.5), Static::Box(bar)];
    let agents = crowd(&WORLD.expanded(-9.0), 60, [0.02, 5.0], 31);
    Canvas::new(WORLD, 3.5, &agents).with(&statics).later(0.3)
});

/// Numbers of either sign whose logarithms are spread evenly.
fn of_any_size() -> impl Strategy<Value = f32> {
    (select(&[-1.0_f32, 1.0]), -40.0_f32..38.5).prop_map(|(sign, power)| sign * 10_f32.powf(power))
}

/// Centres that are in the world along both axes, along one, or nowhere near; scales of sense, or of none.
fn cameras() -> impl Strategy<Value = Camera> {
    let x = prop_oneof![WORLD.min.x..WORLD.max.x, of_any_size()];
    let y = prop_oneof![WORLD.min.y..WORLD.max.y, of_any_size()];
    let scale = prop_oneof![0.05_f32..50.0, of_any_size().prop_map(f32::abs)];
    (x, y, scale, 1_u8..40, 1_u8..100).prop_map(|(x, y, scale, width, height)| {
        let size = Vec2::new(f32::from(width), f32::from(height));
        Camera { center: Vec2::new(x, y), scale, size }
    })
}

/// Numbers, and what is none.
fn whatever() -> impl Strategy<Value = f32> {
    prop_oneof![num::f32::ANY, select(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY])]
}

fn looks() -> impl Strategy<Value = Style> {
    (select(&Overlay::ALL), select(&ColorBy::ALL)).prop_map(|(overlay, color_by)| Style {
        overlay,
        color_by,
        ..Style::default()
    })
}

/// A frame of it in bands of the usual height, and in bands of 7 rows.
fn drawn(camera: &Camera, look: Style, seconds: f32) -> [Frame; 2] {
    let [width, height] = camera.size.to_array().map(|side| side as u32);
    let mut renderer = Renderer::new(width, height, look);
    renderer.set_interpolation(Interpolation { seconds, farthest: 2.0 });
    let mut frames = [Frame::new(width, height), Frame::new(width, height)];
    renderer.draw(&mut frames[0], camera, &CANVAS.picture());
    renderer.set_band_rows(7);
    renderer.draw(&mut frames[1], camera, &CANVAS.picture());
    frames
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn pictures_are_the_same_in_any_bands(
        camera in cameras(),
        look in looks(),
        seconds in select(&[0.0_f32, 0.2]),
    ) {
        let [usual, narrow] = drawn(&camera, look, seconds);
        prop_assert!(usual == narrow);
    }

    #[test]
    fn a_camera_that_makes_no_sense_does_no_harm(
        [x, y, scale] in uniform3(whatever()),
        look in looks(),
        [width, height] in uniform2(whatever()),
        point in uniform2(whatever()),
        factor in 0.1_f32..10.0,
        [left, bottom, right, top] in uniform4(whatever()),
    ) {
        let mut camera = Camera { center: Vec2::new(x, y), scale, size: Vec2::new(30.0, 50.0) };
        drawn(&camera, look, 0.2);
        let world = Rect::new(Vec2::new(left, bottom), Vec2::new(right, top));
        camera.size = Vec2::new(width, height);
        camera.zoom_at(point.into(), factor, &world);
        camera.pan(point.into(), &world);
        camera.resize(50, 30);
    }
}
