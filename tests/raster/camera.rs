//! The mapping between world and frame, and the motion of a camera.

use jostle::{Rect, Vec2, raster::Camera};

const WORLD: Rect = Rect::new(Vec2::new(-50.0, 20.0), Vec2::new(150.0, 120.0));

fn close(a: Vec2, b: Vec2) -> bool {
    (a - b).abs().max_element() < 1e-3
}

#[test]
fn fit_shows_the_world_with_a_margin_and_flips_y() {
    let camera = Camera::fit(&WORLD, 640, 480);
    let (low, high) = (camera.to_pixel(WORLD.min), camera.to_pixel(WORLD.max));
    assert!(low.x > 0.0 && high.x < 640.0 && high.x - low.x > 600.0);
    assert!(low.y > high.y, "the bottom of the world is lower in the frame");
    assert!(close(camera.to_pixel(WORLD.center()), Vec2::new(320.0, 240.0)));
    assert!(camera.visible().contains_rect(&WORLD));
}

#[test]
fn a_tall_world_leaves_the_sides_free() {
    let camera = Camera::fit(&Rect::from_size(10.0, 1000.0), 640, 480);
    assert!(camera.to_pixel(Vec2::ZERO).x > 300.0);
    assert!(camera.to_pixel(Vec2::new(10.0, 0.0)).x < 340.0);
}

#[test]
fn to_pixel_and_to_world_are_inverse() {
    let camera = Camera::new(Vec2::new(3.0, 70.0), 12.5, 801, 333);
    for pixel in [Vec2::ZERO, Vec2::new(801.0, 333.0), Vec2::new(17.25, 300.5)] {
        assert!(close(camera.to_pixel(camera.to_world(pixel)), pixel));
    }
    assert!((camera.visible().width() - 12.5).abs() < 1e-4);
    assert!(close(camera.visible().center(), Vec2::new(3.0, 70.0)));
}

#[test]
fn zoom_keeps_the_point_at_the_cursor() {
    let mut camera = Camera::fit(&WORLD, 640, 480);
    let cursor = Vec2::new(400.0, 200.0);
    let under = camera.to_world(cursor);
    for factor in [1.25, 1.25, 3.0, 0.8] {
        camera.zoom_at(cursor, factor, &WORLD);
        assert!(close(camera.to_pixel(under), cursor));
    }
}

#[test]
fn zoom_stays_within_the_scale_limits() {
    let mut camera = Camera::fit(&WORLD, 640, 480);
    let [least, most] = camera.scale_limits(&WORLD);
    assert!(least < camera.scale && camera.scale < most);
    for _ in 0..200 {
        camera.zoom_at(Vec2::ZERO, 2.0, &WORLD);
    }
    assert_eq!(camera.scale, most);
    for _ in 0..200 {
        camera.zoom_at(Vec2::ZERO, 0.5, &WORLD);
    }
    assert_eq!(camera.scale, least);
    assert!(WORLD.contains(camera.center));
    let before = camera;
    camera.zoom_at(Vec2::ZERO, f32::NAN, &WORLD);
    camera.zoom_at(Vec2::ZERO, 0.0, &WORLD);
    assert_eq!(camera, before);
}

#[test]
fn pan_moves_the_content_and_stays_in_the_world() {
    let mut camera = Camera::fit(&WORLD, 640, 480);
    let grabbed = camera.to_world(Vec2::new(100.0, 100.0));
    camera.pan(Vec2::new(30.0, -20.0), &WORLD);
    assert!(close(camera.to_pixel(grabbed), Vec2::new(130.0, 80.0)));
    camera.pan(Vec2::splat(1e9), &WORLD);
    assert!(WORLD.contains(camera.center));
}

#[test]
fn resize_keeps_the_middle_and_ignores_a_minimized_window() {
    let mut camera = Camera::fit(&WORLD, 640, 480);
    let before = camera;
    camera.resize(0, 0);
    assert_eq!(camera, before);
    camera.resize(1280, 960);
    assert_eq!(camera.scale, before.scale * 2.0);
    assert!(close(camera.to_world(Vec2::new(640.0, 480.0)), before.center));
}

#[test]
fn fit_is_finite_for_degenerate_frames_and_worlds() {
    for (width, height) in [(0, 0), (1, 1), (16_384, 1)] {
        for world in [WORLD, Rect::new(Vec2::ONE, Vec2::ONE)] {
            let camera = Camera::fit(&world, width, height);
            assert!(camera.scale.is_finite() && camera.scale > 0.0);
        }
    }
}
