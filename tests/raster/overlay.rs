//! Overlays: golden pictures, and properties that hold for every view.

use jostle::{
    Agent, Agents, Rect, Vec2,
    raster::{Camera, Frame, Interpolation, Overlay, Renderer, Style},
};

use crate::{
    canvas::{Canvas, crowd, discs, measuring, pixelwise},
    golden::check,
};

/// Agents of many sizes, some of which reach far out of their cells.
fn medley() -> Canvas {
    let world = Rect::new(Vec2::new(-20.0, 10.0), Vec2::new(140.0, 100.0));
    Canvas::new(world, 5.0, &crowd(&world, 1_200, [0.3, 7.0], 21))
}

fn drawn(canvas: &Canvas, overlay: Overlay, camera: &Camera) -> Frame {
    canvas.draw(camera, Style { overlay, ..Style::default() })
}

#[test]
fn overlays_match_their_golden_pictures() {
    let canvas = medley();
    let near = Camera::new(Vec2::new(60.0, 60.0), 40.0, 200, 120);
    let far = Camera::fit(&canvas.world, 100, 56);
    for overlay in &Overlay::ALL[1..] {
        let name = overlay.name();
        check(&format!("overlay-{name}"), &drawn(&canvas, *overlay, &near));
        check(&format!("overlay-{name}-far"), &drawn(&canvas, *overlay, &far));
    }
}

#[test]
fn every_overlay_but_none_changes_pixels() {
    let canvas = medley();
    let camera = Camera::new(Vec2::new(60.0, 60.0), 40.0, 200, 120);
    let plain = canvas.draw(&camera, Style::default());
    for overlay in Overlay::ALL {
        let same = drawn(&canvas, overlay, &camera) == plain;
        assert_eq!(same, overlay == Overlay::None, "{}", overlay.name());
    }
}

/// A disc is darker along its angle, large as it may be for its cell, and however the frame is cut.
#[test]
fn marks_show_the_angles_of_large_discs() {
    let list = [(20.5, 20.5, 10.0), (70.5, 40.5, 30.0), (20.5, 60.5, 2.9)];
    let plain = || Canvas::new(Rect::from_size(110.0, 80.0), 22.0, &discs(&list));
    let camera = pixelwise(110, 80);
    let without = plain().draw(&camera, measuring());
    for (spin, seconds) in [(0.0, 0.0), (0.0, 0.1), (3.0, 0.1)] {
        for angle in [0.0, 0.7, 2.0, -3.0] {
            let canvas =
                plain().with_numbers("spin", &[spin; 3]).with_numbers("angle", &[angle; 3]);
            let mut renderer = Renderer::new(110, 80, measuring()).unwrap();
            renderer.set_interpolation(Interpolation { seconds, farthest: 0.0 });
            let [frame, cut] = [80, 7].map(|rows| {
                renderer.set_band_rows(rows);
                let mut frame = Frame::new(110, 80).unwrap();
                renderer.draw(&mut frame, &camera, &canvas.view());
                frame
            });
            assert!(frame == cut);
            let along = Vec2::from_angle(angle - spin * seconds);
            for (x, y, radius) in list {
                let green = |frame: &Frame, share: f32| {
                    let at = camera.to_pixel(Vec2::new(x, y) + along * share * radius);
                    frame.pixels[at.y as usize * 110 + at.x as usize][1]
                };
                for share in [-0.5, 0.5] {
                    let marked = green(&frame, share) < green(&without, share) / 2;
                    assert_eq!(marked, share > 0.0 && radius > 3.0, "{angle} {spin} {radius}");
                }
            }
        }
    }
}

#[test]
fn a_camera_far_from_the_world_shows_no_overlay() {
    let canvas = medley();
    for center in [Vec2::new(1e12, 0.0), Vec2::new(0.0, 1e12), Vec2::splat(-1e12)] {
        let camera = Camera::new(center, 1e6, 160, 90);
        let plain = drawn(&canvas, Overlay::None, &camera);
        for overlay in Overlay::ALL {
            assert!(drawn(&canvas, overlay, &camera) == plain, "{} at {center}", overlay.name());
        }
    }
}

/// At every zoom, most pixels beneath stay visible.
#[test]
fn overlays_of_lines_thin_out_when_zooming_out() {
    let canvas = medley();
    let mut across = 20.0;
    while across < 4_000.0 {
        let camera = Camera::new(canvas.world.center(), across, 160, 90);
        let plain = canvas.draw(&camera, Style::default());
        for overlay in [Overlay::Loose, Overlay::Velocities] {
            let over = drawn(&canvas, overlay, &camera);
            let far = |a: [u8; 4], b: [u8; 4]| (0..3).any(|c| a[c].abs_diff(b[c]) > 60);
            let pairs = plain.pixels.iter().zip(&over.pixels);
            let changed = pairs.filter(|(a, b)| far(**a, **b)).count();
            let share = changed as f64 / plain.pixels.len() as f64;
            assert!(share < 0.35, "{}: {share} of the pixels at {across}", overlay.name());
        }
        across *= 1.5;
    }
}

#[test]
fn contact_lines_join_overlapping_agents_only() {
    let world = Rect::from_size(60.0, 20.0);
    let canvas = Canvas::new(
        world,
        9.0,
        &discs(&[(10.5, 10.5, 4.0), (16.5, 10.5, 4.0), (40.5, 10.5, 4.0), (49.5, 10.5, 4.0)]),
    );
    let camera = Camera { center: world.center(), scale: 4.0, size: Vec2::new(240.0, 80.0) };
    let plain = canvas.draw(&camera, Style::default());
    let over = drawn(&canvas, Overlay::Contacts, &camera);
    let changed = |x: f32| {
        let at = camera.to_pixel(Vec2::new(x, 10.5));
        let index = at.y as usize * 240 + at.x as usize;
        plain.pixels[index] != over.pixels[index]
    };
    assert_eq!([11.0, 13.5, 16.0].map(changed), [true; 3]);
    assert_eq!([41.0, 45.0, 49.0].map(changed), [false; 3]);
}

#[test]
fn velocity_lines_point_along_the_velocity() {
    let world = Rect::from_size(60.0, 60.0);
    let mut agents = Agents::default();
    let still = Agent { position: Vec2::new(30.5, 30.5), velocity: Vec2::ZERO, radius: 1.0, id: 0 };
    agents.push(Agent { velocity: Vec2::new(6.0, 0.0), ..still });
    let canvas = Canvas::new(world, 8.0, &agents);
    let camera = Camera { center: world.center(), scale: 4.0, size: Vec2::new(240.0, 240.0) };
    let plain = canvas.draw(&camera, Style::default());
    let over = drawn(&canvas, Overlay::Velocities, &camera);
    let changed = |offset: Vec2| {
        let at = camera.to_pixel(still.position + offset);
        let index = at.y as usize * 240 + at.x as usize;
        plain.pixels[index] != over.pixels[index]
    };
    assert!(changed(Vec2::new(3.0, 0.0)));
    assert!(!changed(Vec2::new(-3.0, 0.0)) && !changed(Vec2::new(0.0, 3.0)));
    // It is an arrow: wide near its tip, on both sides, and nowhere else.
    let beside = |x: u32| [1.0, -1.0].map(|side| changed(Vec2::new(x as f32 / 4.0, 0.5 * side)));
    let wide: Vec<u32> = (0..60).filter(|&x| beside(x) == [true; 2]).collect();
    let tip = (0..60).rev().find(|&x| changed(Vec2::new(x as f32 / 4.0, 0.0))).unwrap();
    let [first, .., last] = wide[..] else { panic!("a head: {wide:?}") };
    assert!(first + 8 >= tip && last < tip, "{wide:?} of {tip}");
}
