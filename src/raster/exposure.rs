//! Exposure: a factor by which discs below half a pixel are drawn larger or smaller than they are,
//! so that a thin crowd is not dark and a dense crowd is no flat patch. The batch applies it.
//! Automatic exposure also chooses the kernel: in a dense crowd all small discs are density, and in
//! a thin crowd none is.
//!
//! The automatic magnification gives a typical agent the weight at which the crowd around it covers
//! each pixel [`DEPTH`] times on average. It is a smooth function of the agents and the camera and
//! has no memory: the same state gives the same picture, and a film does not flicker.

use std::f32::consts::PI;

use crate::{
    limits::EXPOSURE_STOPS_MAX,
    parallel,
    raster::{
        camera::Camera,
        context::{DensityBy, SmallDiscs},
        field::{Fields, Lattice},
        kernel::density::DENSITY_RADIUS_MAX,
        style::{Exposure, Style},
        view::View,
    },
    simd::{Kernel, SimdLevel},
};

/// The mean number of discs around a typical agent that cover a pixel.
const DEPTH: f32 = 1.0;

/// Agents per pixel around a typical agent. From the first number on, small discs look more and
/// more like density; from the second on, they are density. At the first number, automatic
/// magnification draws discs with a radius of half a pixel.
const CROWD_OF_DENSITY: [f32; 2] = [1.0 / (PI * 0.25), 2.0];

/// Range of the automatic magnification.
const MAGNIFICATION: [f32; 2] = [1.0 / 64.0, 1024.0];

/// Radii per task.
const PIECE: usize = 16_384;

/// From this number of agents on, one in four (or more) chunks of [`LANES`] radii is a sample.
const SAMPLED_FROM: usize = 65_536;

/// The most radii in a sample.
const SAMPLE_MAX: usize = 131_072;

/// Radii that are added up at once.
const LANES: usize = 16;

/// Radii of typical agents between which haze fades away, pixels: larger discs are seen one by one.
const HAZE_FADE: [f32; 2] = [0.6, 2.0];

/// Computes how small discs are drawn.
pub(crate) fn small_discs(
    style: &Style,
    fields: &mut Fields,
    lattice: &Lattice,
    camera: &Camera,
    view: &View<'_>,
    simd: SimdLevel,
) -> SmallDiscs {
    let radius = typical_radius(view, camera.scale, simd);
    let (magnification, density) = match style.exposure {
        Exposure::Stops(stops) if stops.is_nan() => (1.0, DensityBy::Radius),
        // A stop is a factor of two in area.
        Exposure::Stops(stops) => {
            let stops = stops.clamp(-EXPOSURE_STOPS_MAX, EXPOSURE_STOPS_MAX);
            ((0.5 * stops).exp2(), DensityBy::Radius)
        }
        Exposure::Auto => {
            let per_pixel = fields.crowd(lattice, view, style.color_by) / lattice.pixels();
            let wanted = radius_of(DEPTH / per_pixel);
            let [least, most] = MAGNIFICATION;
            // Without agents in view it is not a number.
            let magnification = wanted / radius;
            let magnification = if magnification > least { magnification.min(most) } else { least };
            (magnification, density_of(per_pixel))
        }
    };
    let [full, none] = HAZE_FADE;
    let fade = ((none - radius) / (none - full)).clamp(0.0, 1.0);
    SmallDiscs { magnification, haze: fade * weight_of(magnification * radius), density }
}

/// Which small discs are density in a crowd of `per_pixel` agents per pixel.
fn density_of(per_pixel: f32) -> DensityBy {
    let [first, last] = CROWD_OF_DENSITY;
    let share = (per_pixel - first) / (last - first);
    // Without agents in view it is not a number.
    if share >= 1.0 { DensityBy::DenseCrowd } else { DensityBy::ThinCrowd(share.max(0.0)) }
}

/// The weight of a disc in a crowd, pixels: its area, or its weight as density.
fn weight_of(radius: f32) -> f32 {
    PI * radius * radius.max(DENSITY_RADIUS_MAX)
}

/// The radius of a disc of that weight, pixels.
fn radius_of(weight: f32) -> f32 {
    let per_radius = PI * DENSITY_RADIUS_MAX;
    let small = weight < per_radius * DENSITY_RADIUS_MAX;
    if small { weight / per_radius } else { (weight / PI).sqrt() }
}

/// The root of the mean square of all radii, pixels. Giants count as if they were small.
fn typical_radius(view: &View<'_>, scale: f32, simd: SimdLevel) -> f32 {
    let radii = &view.agents.radius[..];
    let most = HAZE_FADE[1] / scale;
    let step = if radii.len() > SAMPLED_FROM { (radii.len() / SAMPLE_MAX).max(4) } else { 1 };
    let sum = |_, radii: &[f32]| simd.run(SumSquares { radii, most, step });
    let add = |one: [f64; 2], other: [f64; 2]| [one[0] + other[0], one[1] + other[1]];
    let [squares, count] = parallel::pieces(radii, PIECE, &sum, &add);
    (squares / count.max(1.0)).sqrt() as f32 * scale
}

/// The sum of the squares of radii up to a largest one, and their number.
struct SumSquares<'a> {
    radii: &'a [f32],
    most: f32,
    /// One of `step` chunks of [`LANES`] radii counts.
    step: usize,
}

impl Kernel for SumSquares<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run(self) -> [f64; 2] {
        let mut lanes = [0.0; LANES];
        let (chunks, rest) = self.radii.as_chunks::<LANES>();
        let square = |radius: f32| {
            let radius = if radius < self.most { radius } else { self.most };
            radius * radius
        };
        for chunk in chunks.iter().step_by(self.step) {
            for (sum, &radius) in lanes.iter_mut().zip(chunk) {
                *sum += square(radius);
            }
        }
        let count = chunks.len().div_ceil(self.step) * LANES + rest.len();
        let rest = rest.iter().map(|&radius| f64::from(square(radius))).sum::<f64>();
        [lanes.iter().map(|&lane| f64::from(lane)).sum::<f64>() + rest, count as f64]
    }
}
