//! Notes: what to know of a run before it begins.

use std::thread;

use crate::{Setup, scene::coordinate_step};

use super::{args::names::SimdArg, format::four_digits, say};

/// Threads per core from which on they hinder each other more than they help.
const CROWD: usize = 8;

/// The least mean displacement in a step, in steps of the coordinates, with which rounding changes
/// the speed of agents by less than a hundredth.
const LEAST: f32 = 64.0;

/// Prints what can't be had or will disappoint, a line each.
pub(super) fn print(setup: &Setup, threads: usize, simd: SimdArg) {
    simd.note();
    crowd(threads);
    if let Some(note) = slowness(setup) {
        say(&note);
    }
}

/// Prints a line if threads share cores.
pub(super) fn crowd(threads: usize) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if threads > CROWD * cores {
        say(&format!(
            "{threads} threads share {cores} cores and are slower; try --threads {cores}"
        ));
    }
}

/// A sentence if steps are so short that positions round them away.
fn slowness(setup: &Setup) -> Option<String> {
    let moves = setup.speed / (setup.hz * setup.substeps_per_step() as f32);
    let finest = coordinate_step(&setup.world());
    let enough = setup.speed == 0.0 || setup.gravity != 0.0 || moves >= LEAST * finest;
    (!enough).then(|| {
        let hz = four_digits(0.99 * setup.speed / (LEAST * finest));
        format!(
            "agents move {} world units per step, and positions are rounded to {}, which changes \
             their speed; try --hz {hz} or a smaller world",
            four_digits(moves),
            four_digits(finest)
        )
    })
}
