//! Notes: what to know of a run before it begins.

use crate::{Setup, parallel::hindered_cores};

use super::{args::names::SimdArg, format::four_digits, say};

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
    if let Some(cores) = hindered_cores(threads) {
        say(&format!(
            "{threads} threads share {cores} cores and are slower; try --threads {cores}"
        ));
    }
}

/// A sentence if steps are so short that positions round them away.
fn slowness(setup: &Setup) -> Option<String> {
    setup.rounded_moves().map(|rounded| {
        let hz = four_digits(0.99 * setup.hz * setup.substeps_per_step() as f32 / rounded.factor);
        format!(
            "agents move {} world units per step, and positions are rounded to {}, which changes \
             their speed; try --hz {hz} or a smaller world",
            four_digits(rounded.moves),
            four_digits(rounded.finest)
        )
    })
}
