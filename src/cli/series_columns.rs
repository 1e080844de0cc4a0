//! The columns of `--series` that `--series-columns` adds: curves, a column for each of their points.

use std::fmt::Write;

use crate::{
    Sim,
    observe::{Axis, ProfileBin, RadialDistribution, profile},
};

/// Bins of g per mean diameter, and of all.
const BINS_PER_DIAMETER: f32 = 10.0;
const RADIAL_BINS: usize = 50;

/// Strips of a profile.
const STRIPS: usize = 20;

/// A curve that has columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeriesCurve {
    /// The radial distribution.
    Radial,
    /// The density along an axis.
    Density(Axis),
    /// The stream along an axis.
    Velocity(Axis),
}

impl SeriesCurve {
    /// The names of all curves.
    pub(super) const NAMED: [(&str, Self); 5] = [
        ("g", Self::Radial),
        ("density_x", Self::Density(Axis::X)),
        ("density_y", Self::Density(Axis::Y)),
        ("velocity_x", Self::Velocity(Axis::X)),
        ("velocity_y", Self::Velocity(Axis::Y)),
    ];
}

/// The curves of a table.
#[derive(Clone, Debug)]
pub(super) struct SeriesCurves {
    curves: Vec<SeriesCurve>,
    /// Width of a bin of g, world units.
    bin: f32,
}

impl SeriesCurves {
    /// The curves, each once, of a run that begins: distances are in the mean diameter that it has
    /// now.
    pub(super) fn new(curves: &[SeriesCurve], sim: &Sim) -> Self {
        let mut once: Vec<SeriesCurve> = Vec::new();
        for curve in curves {
            if !once.contains(curve) {
                once.push(*curve);
            }
        }
        let radii = &sim.agents().radius;
        let sum: f64 = radii.iter().map(|&radius| f64::from(radius)).sum();
        let diameter = 2.0 * sum / radii.len().max(1) as f64;
        Self { curves: once, bin: diameter as f32 / BINS_PER_DIAMETER }
    }

    /// Appends the names of the columns, a comma before each.
    pub(super) fn write_names(&self, to: &mut String) {
        for curve in &self.curves {
            let (prefixes, bins, width): (&[&str], _, _) = match curve {
                SeriesCurve::Radial => (&["g"], RADIAL_BINS, 1.0 / f64::from(BINS_PER_DIAMETER)),
                SeriesCurve::Density(Axis::X) => (&["density_x"], STRIPS, 1.0 / STRIPS as f64),
                SeriesCurve::Density(Axis::Y) => (&["density_y"], STRIPS, 1.0 / STRIPS as f64),
                SeriesCurve::Velocity(Axis::X) => (&["vx_x", "vy_x"], STRIPS, 1.0 / STRIPS as f64),
                SeriesCurve::Velocity(Axis::Y) => (&["vx_y", "vy_y"], STRIPS, 1.0 / STRIPS as f64),
            };
            for prefix in prefixes {
                for bin in 0..bins {
                    let middle = (bin as f64 + 0.5) * width;
                    // Writing to a string does not fail.
                    let _ = write!(to, ",{prefix}_{middle:.3}");
                    // Two digits where two are exact.
                    if to.ends_with('0') {
                        to.pop();
                    }
                }
            }
        }
    }

    /// Appends the values of a moment, a comma before each; nothing where there is no value.
    pub(super) fn write_values(&self, sim: &Sim, to: &mut String) {
        let profiles = [Axis::X, Axis::Y].map(|axis| {
            let any = self.curves.iter().any(|curve| {
                [SeriesCurve::Density(axis), SeriesCurve::Velocity(axis)].contains(curve)
            });
            if any { profile(sim, axis, STRIPS) } else { Vec::new() }
        });
        for curve in &self.curves {
            match *curve {
                SeriesCurve::Radial => {
                    let mut radial = RadialDistribution::new(self.bin, RADIAL_BINS);
                    radial.add(sim);
                    radial.curve().for_each(|[_, g]| value(to, g));
                }
                SeriesCurve::Density(axis) => {
                    profiles[axis as usize].iter().for_each(|strip| value(to, strip.density));
                }
                SeriesCurve::Velocity(axis) => {
                    for component in 0..2 {
                        let stream = |strip: &ProfileBin| {
                            if strip.density > 0.0 { strip.velocity[component] } else { f64::NAN }
                        };
                        profiles[axis as usize].iter().for_each(|strip| value(to, stream(strip)));
                    }
                }
            }
        }
    }
}

/// Appends a comma, and a value if there is one.
pub(super) fn value(to: &mut String, value: f64) {
    to.push(',');
    if value.is_finite() {
        // Writing to a string does not fail.
        let _ = write!(to, "{value}");
    }
}
