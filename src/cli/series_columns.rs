//! The columns of `--series` that `--series-columns` adds: curves, a column for each of their points.

use std::fmt::Write;

use crate::{
    Sim,
    observe::{Observable, RadialDistribution, Source, mean_diameter, profile},
};

/// Bins of g per mean diameter, and of all.
const BINS_PER_DIAMETER: f32 = 10.0;
const RADIAL_BINS: usize = 50;

/// Strips of a profile.
const STRIPS: usize = 20;

/// The curves of a table.
#[derive(Clone, Debug)]
pub(super) struct SeriesCurves {
    curves: Vec<Observable>,
    /// Width of a bin of g, world units.
    bin: f32,
}

impl SeriesCurves {
    /// The curves, each once, of a run that begins: distances are in the mean diameter that it has
    /// now.
    pub(super) fn new(curves: &[Observable], sim: &Sim) -> Self {
        let mut once: Vec<Observable> = Vec::new();
        for curve in curves {
            if !once.contains(curve) {
                once.push(*curve);
            }
        }
        Self { curves: once, bin: mean_diameter(sim) as f32 / BINS_PER_DIAMETER }
    }

    /// Appends the names of the columns, a comma before each.
    pub(super) fn write_names(&self, to: &mut String) {
        for curve in &self.curves {
            let (prefixes, bins, width): (&[&str], _, _) = match curve.source {
                Source::Profile(_, columns, _) => (columns, STRIPS, 1.0 / STRIPS as f64),
                _ => (&[curve.column], RADIAL_BINS, 1.0 / f64::from(BINS_PER_DIAMETER)),
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
        let mut profiles = [None, None];
        for curve in &self.curves {
            if let Source::Profile(axis, columns, [values, _]) = curve.source {
                let strips =
                    profiles[axis as usize].get_or_insert_with(|| profile(sim, axis, STRIPS));
                for column in 0..columns.len() {
                    strips.iter().for_each(|strip| value(to, values(strip)[column]));
                }
            } else {
                let mut radial = RadialDistribution::new(self.bin, RADIAL_BINS);
                radial.add(sim);
                radial.curve().for_each(|[_, g]| value(to, g));
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
