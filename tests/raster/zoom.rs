//! Zooming: the covered share of the world must not jump where discs change from one kernel to the
//! next.

use jostle::{
    Rect, Vec2,
    raster::{Camera, Exposure, Frame, Renderer, Style},
    rng::Rng,
};

use crate::canvas::{Canvas, crowd, discs, measuring};

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

/// 200 steps from a crowd of 2.7 agents per pixel, which is density by automatic exposure, to one
/// of 1.1, which is sprites. Frame and brightness never change by much more than from step to step
/// elsewhere.
#[test]
fn crowds_become_density_without_a_jump() {
    let world = Rect::from_size(160.0, 160.0);
    let canvas = Canvas::new(world, 2.0, &crowd(&world, 25_600, [0.2, 0.4], 23));
    let style = Style { exposure: Exposure::Auto, ..Style::default() };
    let scales = [0.61_f32, 0.95];
    let mut renderer = Renderer::new(64, 64, style).unwrap();
    let mut frames = [Frame::new(64, 64).unwrap(), Frame::new(64, 64).unwrap()];
    let (mut changes, mut means) = (Vec::new(), Vec::new());
    for step in 0..=STEPS {
        let share = f32::from(step) / f32::from(STEPS);
        let scale = scales[0] * (scales[1] / scales[0]).powf(share);
        let camera = Camera { center: world.center(), scale, size: Vec2::splat(64.0) };
        frames.swap(0, 1);
        renderer.draw(&mut frames[0], &camera, &canvas.view());
        let [bytes, before] = [&frames[0], &frames[1]].map(Frame::bytes);
        let sum: u64 = bytes.iter().map(|&byte| u64::from(byte)).sum();
        means.push(sum as f64 / bytes.len() as f64);
        let change = bytes.iter().zip(before).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
        changes.push(change as f64 / bytes.len() as f64);
    }
    // The frame before the first is empty.
    changes.remove(0);
    let largest = changes.iter().copied().fold(0.0, f64::max);
    changes.sort_by(f64::total_cmp);
    let typical = changes[changes.len() / 2];
    assert!(largest < 2.0 * typical, "a step changes {largest}, typically {typical}");
    for pair in means.windows(2) {
        assert!((pair[1] / pair[0] - 1.0).abs() < 0.02, "brightness {pair:?}");
    }
}
