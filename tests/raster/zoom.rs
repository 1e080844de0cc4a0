//! Zooming: what covers the world must not jump where discs change from one kernel to the next.

use jostle::{
    Rect, Vec2,
    raster::{Camera, Frame, Renderer},
    rng::Rng,
};

use crate::canvas::{Canvas, discs, measuring};

const STEPS: u16 = 200;

/// Radii in pixels from the first to the last step: density, sprites and analytic discs.
const RADII: [f32; 2] = [0.1, 9.0];

/// 200 steps from density to analytic discs. In each step, the covered area of the world changes by
/// at most 3 %, although the zoom is the same for all discs. (Density covers more than its area.)
#[test]
fn covered_area_changes_smoothly_with_the_zoom() {
    let world = Rect::from_size(128.0, 128.0);
    let mut rng = Rng::new(17);
    // Apart from each other, at all phases of a pixel, and not all of one radius.
    let list: Vec<_> = (0..256_u16)
        .map(|n| {
            let mut place = |cell: u16| 4.0 + 8.0 * f32::from(cell) + rng.between(-2.0, 2.0);
            let center = (place(n % 16), place(n / 16));
            (center.0, center.1, rng.between(0.85, 1.15))
        })
        .collect();
    let canvas = Canvas::new(world, 4.0, &discs(&list));
    let per_step = (RADII[1] / RADII[0]).powf(1.0 / f32::from(STEPS));
    let (mut scale, mut before) = (RADII[0], None);
    for step in 0..=STEPS {
        // An even number of pixels keeps the center of the world at a corner of pixels.
        let side = (64.0 * scale).ceil() * 2.0 + 4.0;
        let camera = Camera { center: world.center(), scale, size: Vec2::splat(side) };
        let mut frame = Frame::new(side as u32, side as u32).unwrap();
        let mut renderer = Renderer::new(frame.width, frame.height, measuring()).unwrap();
        renderer.draw(&mut frame, &camera, &canvas.view());
        let sum: f64 = frame.pixels.iter().map(|pixel| f64::from(pixel[1])).sum();
        let area = sum / 255.0 / f64::from(scale * scale);
        if let Some(before) = before {
            let change: f64 = area / before - 1.0;
            assert!(change.abs() < 0.03, "step {step}, scale {scale}: {before} to {area}");
        }
        before = Some(area);
        scale *= per_step;
    }
    let exact: f64 = list.iter().map(|disc| f64::from(disc.2 * disc.2)).sum();
    let last = before.unwrap() / (exact * std::f64::consts::PI);
    assert!((last - 1.0).abs() < 2e-3, "{last}");
}
