//! Extreme cameras: frames are the same in any bands, and nothing panics.

use std::sync::LazyLock;

use jostle::{
    Rect, Static, Vec2,
    raster::{Camera, ColorBy, Exposure, Frame, Interpolation, Overlay, Renderer, Style},
};
use proptest::{
    array::{uniform2, uniform3, uniform4},
    num,
    prelude::*,
    sample::select,
};

use crate::canvas::{Canvas, crowd};

const WORLD: Rect = Rect::new(Vec2::new(-30.0, 10.0), Vec2::new(31.0, 60.0));

/// Agents of all sizes among statics. Some have left their cells, none the world.
static CANVAS: LazyLock<Canvas> = LazyLock::new(|| {
    let bar = Rect::new(Vec2::new(10.0, 15.0), Vec2::new(14.0, 15.5));
    let statics = [Static::disc(Vec2::new(0.0, 20.0), 1.5), Static::Box(bar)];
    let agents = crowd(&WORLD.expanded(-9.0), 60, [0.02, 5.0], 31);
    Canvas::new(WORLD, 3.5, &agents).with(&statics).later(0.3)
});

/// Numbers of either sign, with evenly spread logarithms.
fn any_magnitude() -> impl Strategy<Value = f32> {
    (select(&[-1.0_f32, 1.0]), -40.0_f32..38.5).prop_map(|(sign, power)| sign * 10_f32.powf(power))
}

/// Centers inside the world along both axes, along one, or far away; scales sensible or not.
fn cameras() -> impl Strategy<Value = Camera> {
    let x = prop_oneof![WORLD.min.x..WORLD.max.x, any_magnitude()];
    let y = prop_oneof![WORLD.min.y..WORLD.max.y, any_magnitude()];
    let scale = prop_oneof![0.05_f32..50.0, any_magnitude().prop_map(f32::abs)];
    (x, y, scale, 1_u8..40, 1_u8..100).prop_map(|(x, y, scale, width, height)| {
        let size = Vec2::new(f32::from(width), f32::from(height));
        Camera { center: Vec2::new(x, y), scale, size }
    })
}

/// Any float, with NaN and infinities often.
fn any_float() -> impl Strategy<Value = f32> {
    prop_oneof![num::f32::ANY, select(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY])]
}

fn styles() -> impl Strategy<Value = Style> {
    let exposures = [Exposure::Auto, Exposure::Stops(0.0), Exposure::Stops(f32::NAN)];
    (select(&Overlay::ALL), select(&ColorBy::ALL), select(exposures.to_vec())).prop_map(
        |(overlay, color_by, exposure)| Style { overlay, color_by, exposure, ..Style::default() },
    )
}

/// A frame in bands of the default height, and one in bands of 7 rows.
fn drawn(camera: &Camera, style: Style, seconds: f32) -> [Frame; 2] {
    let [width, height] = camera.size.to_array().map(|side| side as u32);
    let mut renderer = Renderer::new(width, height, style).unwrap();
    renderer.set_interpolation(Interpolation { seconds, farthest: 2.0 });
    let mut frames = [Frame::new(width, height).unwrap(), Frame::new(width, height).unwrap()];
    renderer.draw(&mut frames[0], camera, &CANVAS.view());
    renderer.set_band_rows(7);
    renderer.draw(&mut frames[1], camera, &CANVAS.view());
    frames
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn frames_are_the_same_in_any_bands(
        camera in cameras(),
        style in styles(),
        seconds in select(&[0.0_f32, 0.2]),
    ) {
        let [usual, narrow] = drawn(&camera, style, seconds);
        prop_assert!(usual == narrow);
    }

    #[test]
    fn invalid_cameras_do_not_panic(
        [x, y, scale] in uniform3(any_float()),
        style in styles(),
        [width, height] in uniform2(any_float()),
        point in uniform2(any_float()),
        factor in 0.1_f32..10.0,
        [left, bottom, right, top] in uniform4(any_float()),
    ) {
        let mut camera = Camera { center: Vec2::new(x, y), scale, size: Vec2::new(30.0, 50.0) };
        drawn(&camera, style, 0.2);
        let world = Rect::new(Vec2::new(left, bottom), Vec2::new(right, top));
        camera.size = Vec2::new(width, height);
        camera.zoom_at(point.into(), factor, &world);
        camera.pan(point.into(), &world);
        camera.resize(50, 30);
    }
}
