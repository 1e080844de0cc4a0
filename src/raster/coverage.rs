//! How much of a pixel a disc covers: exactly for the sprites, closely for the outlines of larger discs.

use std::f64::consts::FRAC_PI_2;

/// Area of the square from `(x, y)` to `(x + 1, y + 1)` that lies in the disc around the origin, 0 to 1.
///
/// Exact but for rounding: the areas left of and below its four corners, added and subtracted.
pub(crate) fn exact(x: f64, y: f64, radius: f64) -> f64 {
    let area =
        corner(x + 1.0, y + 1.0, radius) - corner(x, y + 1.0, radius) - corner(x + 1.0, y, radius)
            + corner(x, y, radius);
    area.clamp(0.0, 1.0)
}

/// Area of the part of the disc around the origin that lies left of `x` and below `y`.
fn corner(x: f64, y: f64, radius: f64) -> f64 {
    let (x, y) = (x.clamp(-radius, radius), y.clamp(-radius, radius));
    // Half of the disc's height over `t`, integrated from its left end.
    let half = |t: f64| {
        let rise = (radius * radius - t * t).max(0.0).sqrt();
        0.5 * (t * rise + radius * radius * ((t / radius).asin() + FRAC_PI_2))
    };
    // The line at height y cuts the disc between -cut and +cut.
    let cut = (radius * radius - y * y).max(0.0).sqrt();
    let within = x.clamp(-cut, cut);
    let box_area = y * (within + cut);
    if y < 0.0 {
        half(within) - half(-cut) + box_area
    } else {
        let beyond = if x > cut { half(x) - half(cut) } else { 0.0 };
        half(x) + half(x.min(-cut)) + beyond + box_area
    }
}

/// Farther than this inside of the edge, a pixel's centre means a pixel that is covered whole; as far
/// outside, one that isn't touched. Half of a pixel's diagonal, rounded up.
pub(crate) const REACH: f32 = 0.7072;

/// Coverage of the pixel whose centre is at `(dx, dy)` from the centre of a disc, 0 to 1.
///
/// Exact for a straight edge at the same distance and angle, which is moved outward by the mean height
/// of the arc over its tangent within a pixel, 1/24 of the curvature. Two divisions and a root, no
/// branch. For radii of a pixel and a half and more it is off by 2/255 at most.
#[inline]
pub(crate) fn outline(dx: f32, dy: f32, radius: f32) -> f32 {
    const FLAT: f32 = 1e-3;
    let distance = (dx * dx + dy * dy).sqrt().max(1e-6);
    let inside = radius - distance - 1.0 / (24.0 * radius);
    let across = 1.0 / distance;
    // A unit square seen along the normal is a trapezoid: the sum of two boxes of these widths. Its
    // area up to the edge is a second difference of squares. An axis-parallel edge would divide by 0.
    let wide = (dx.abs() * across).max(FLAT);
    let slim = (dy.abs() * across).max(FLAT);
    let square = |t: f32| {
        let t = t.max(0.0);
        t * t
    };
    let t = inside + 0.5 * (wide + slim);
    let area = square(t) - square(t - wide) - square(t - slim) + square(t - wide - slim);
    (area / (2.0 * wide * slim)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coverage by counting 64 × 64 samples.
    fn sampled(x: f64, y: f64, radius: f64) -> f64 {
        let mut inside = 0_u32;
        for i in 0..64 {
            for j in 0..64 {
                let (sx, sy) = (x + (f64::from(i) + 0.5) / 64.0, y + (f64::from(j) + 0.5) / 64.0);
                inside += u32::from(sx * sx + sy * sy <= radius * radius);
            }
        }
        f64::from(inside) / 4096.0
    }

    #[test]
    fn exact_coverage_agrees_with_samples() {
        let mut rng = crate::rng::Rng::new(1);
        for _ in 0..300 {
            let radius = f64::from(rng.between(0.1, 4.0));
            let x = f64::from(rng.between(-5.0, 4.0));
            let y = f64::from(rng.between(-5.0, 4.0));
            let (exact, sampled) = (exact(x, y, radius), sampled(x, y, radius));
            assert!((exact - sampled).abs() < 0.01, "{x} {y} {radius}: {exact} {sampled}");
        }
    }

    #[test]
    fn exact_coverage_adds_up_to_the_disc() {
        for radius in [0.2, 0.5, 1.0, 3.7] {
            let total: f64 = (-6..6)
                .flat_map(|i| (-6..6).map(move |j| (f64::from(i) + 0.3, f64::from(j) - 0.1)))
                .map(|(x, y)| exact(x, y, radius))
                .sum();
            assert!((total - std::f64::consts::PI * radius * radius).abs() < 1e-9);
        }
    }

    #[test]
    fn outlines_are_within_two_of_255_of_exact() {
        let mut worst: f64 = 0.0;
        let mut rng = crate::rng::Rng::new(2);
        for _ in 0..2_000 {
            let radius = 1.5 * 1.0_f32.max(rng.unit() * 60.0);
            let angle = rng.direction();
            let distance = radius + rng.between(-1.0, 1.0);
            let (dx, dy) = (angle.x * distance, angle.y * distance);
            let ours = f64::from(outline(dx, dy, radius));
            let exact = exact(f64::from(dx) - 0.5, f64::from(dy) - 0.5, f64::from(radius));
            worst = worst.max((ours - exact).abs());
        }
        assert!(worst <= 2.0 / 255.0, "{}", worst * 255.0);
    }
}
