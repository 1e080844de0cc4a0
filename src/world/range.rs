//! The longest range of a pair: agents farther apart are no neighbors, or there are none.

use std::fmt;

use crate::geometry::{Boundary, Rect};

/// The longest range in a world.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeMax {
    /// World units.
    pub(super) value: f32,
    /// What it is of the world.
    name: &'static str,
}

impl RangeMax {
    /// Where a side repeats, an agent and all of its copies are no neighbors of one.
    pub(super) fn of(world: Rect, boundary: Boundary) -> Self {
        let sides = world.size().to_array().into_iter().zip(boundary.repeats());
        let periods = sides.filter(|(_, repeats)| *repeats).map(|(side, _)| 0.25 * side);
        let diagonal = world.size().as_dvec2().length() as f32;
        match periods.reduce(f32::min) {
            Some(value) => Self { value, name: "a quarter of a side that repeats" },
            None => Self { value: diagonal.min(f32::MAX), name: "the diagonal of the world" },
        }
    }
}

impl fmt::Display for RangeMax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, name } = self;
        write!(f, "more than 0, at most {value}, {name}")
    }
}
