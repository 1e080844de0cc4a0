//! The share of a pixel that a disc or an interval covers: exact for sprites, approximate for the
//! outlines of large discs.

use std::f64::consts::FRAC_PI_2;

/// Area of the square from `(x, y)` to `(x + 1, y + 1)` that lies in the disc around the origin, 0
/// to 1.
///
/// Exact except for rounding: the areas left of and below the four corners, added and subtracted.
pub(crate) fn exact(x: f64, y: f64, radius: f64) -> f64 {
    let area =
        corner(x + 1.0, y + 1.0, radius) - corner(x, y + 1.0, radius) - corner(x + 1.0, y, radius)
            + corner(x, y, radius);
    area.clamp(0.0, 1.0)
}

/// Area of the part of the disc around the origin that lies left of `x` and below `y`.
fn corner(x: f64, y: f64, radius: f64) -> f64 {
    let (x, depth) = (x.clamp(-radius, radius), y.abs().min(radius));
    // The upper half of the disc, integrated from its left end.
    let half = |t: f64| {
        let rise = (radius * radius - t * t).max(0.0).sqrt();
        0.5 * (t * rise + radius * radius * ((t / radius).asin() + FRAC_PI_2))
    };
    // The line at that height cuts the disc between -cut and +cut, and cuts off `off`.
    let cut = (radius * radius - depth * depth).max(0.0).sqrt();
    let within = x.clamp(-cut, cut);
    let off = half(within) - half(-cut) - depth * (within + cut);
    if y < 0.0 { off } else { 2.0 * half(x) - off }
}

/// Half the diagonal of a pixel, rounded up. A pixel is fully covered if its center lies farther
/// than this inside the edge, and untouched if its center lies farther than this outside.
pub(crate) const HALF_DIAGONAL: f32 = 0.7072;

/// Coverage of the pixel with its center at `(dx, dy)` from the center of a disc, 0 to 1.
///
/// ```text
///      ┌────────┐   The tangent at the point nearest to the center of the pixel cuts the pixel
///      │   `╲   │   between t1 and t2. The area behind it is a second difference of squares. The arc
///      │     `╲ │   deviates from its tangent by t²/2r, so the area between the two is
///      └───────╲┘   (t2³ - t1³)/6r.
/// ```
///
/// Two divisions, one root and no branch. Larger discs differ from the exact area by less than 2/255.
#[inline(always)]
pub(crate) fn outline(dx: f32, dy: f32, radius: f32) -> f32 {
    // Avoids a division by zero at an edge that is parallel to an axis.
    const FLAT: f32 = 1e-3;
    let distance = (dx * dx + dy * dy).sqrt().max(1e-6);
    let inside = radius - distance;
    let across = 1.0 / distance;
    // The normal; by symmetry, one quadrant is enough. A unit square seen along the normal is a
    // trapezoid, the convolution of two boxes of these widths.
    let (nx, ny) = ((dx.abs() * across).max(FLAT), (dy.abs() * across).max(FLAT));
    let inverse = 1.0 / (nx * ny);
    let square = |t: f32| t.max(0.0) * t.max(0.0);
    let t = inside + 0.5 * (nx + ny);
    let behind = square(t) - square(t - nx) - square(t - ny) + square(t - nx - ny);
    // Where the tangent enters and leaves the square.
    let (per_nx, per_ny) = (ny * inverse, nx * inverse);
    let t1 = ((inside * nx - 0.5) * per_ny).max((-0.5 - inside * ny) * per_nx);
    let t2 = ((inside * nx + 0.5) * per_ny).min((0.5 - inside * ny) * per_nx).max(t1);
    let between = (t2 * t2 * t2 - t1 * t1 * t1) * (1.0 / 6.0);
    (behind * 0.5 * inverse - between / radius).clamp(0.0, 1.0)
}

/// The share of the pixel from `pixel` to `pixel + 1` that lies in an interval, along one axis.
pub(crate) fn interval(pixel: f32, [from, to]: [f32; 2]) -> f32 {
    ((pixel + 1.0).min(to) - pixel.max(from)).clamp(0.0, 1.0)
}
