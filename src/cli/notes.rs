//! The warnings of the command line. Each is a line that names the flags that mend the run.

use crate::{
    Setup, Sim,
    limits::SUBSTEPS_MAX,
    observe::{DEEP, Warning},
    world::WorldFault,
};

use super::{
    args::names::SimdArg,
    format::{four_digits, grouped},
    report::Report,
    say,
};

/// Prints the warnings that are known before a run.
pub(super) fn print(setup: &Setup, threads: usize, simd: SimdArg) {
    simd.note();
    crowd(threads);
    if Warning::lost_energy(setup).is_some() {
        say(
            "agents lose energy in collisions of the contact solver, also with --restitution 1; try \
             --solver impulse",
        );
    }
    if let Some(Warning::ShortMoves { moves, finest, factor }) = Warning::short_moves(setup) {
        let hz = four_digits(0.99 * setup.hz * setup.substeps_per_step() as f32 / factor);
        say(&format!(
            "agents move {} world units per step, and positions are rounded to {}, which changes \
             their speed; try --hz {hz} or a smaller world",
            four_digits(moves),
            four_digits(finest)
        ));
    }
}

/// Prints a line if threads share cores.
pub(super) fn crowd(threads: usize) {
    if let Some(Warning::CrowdedThreads { threads, cores }) = Warning::crowded_threads(threads) {
        say(&format!(
            "{threads} threads share {cores} cores and are slower; try --threads {cores}"
        ));
    }
}

/// Prints the warnings about a run that has ended.
pub(super) fn print_end(sim: &Sim, report: &Report) {
    if sim.collides() {
        long_moves(sim.setup(), report.steps, report.tunnelled, report.fastest.unwrap_or(0.0));
        deep_overlap(sim.setup(), report.max_overlap);
    }
    unwritten(sim);
}

/// Prints a line for each formula whose values were not written; false if there is none.
pub(super) fn unwritten(sim: &Sim) -> bool {
    let (Some(source), formulas) = (sim.rule_source(), sim.unwritten_formulas()) else {
        return false;
    };
    for &(at, count) in &formulas {
        let place = WorldFault::at(&source.text, at, String::new());
        say(&format!(
            "the formula in line {}, column {} of the world file had {} values that are not finite or \
             too large; they were not written",
            place.line,
            place.column,
            grouped(count)
        ));
    }
    !formulas.is_empty()
}

/// Prints a line if agents lie on each other; false if they don't.
pub(super) fn deep_overlap(setup: &Setup, largest: f32) -> bool {
    let Some(Warning::DeepOverlap(share)) = Warning::deep_overlap(setup, largest) else {
        return false;
    };
    // What a pile is pressed by goes with the square of the step.
    let times = (share / DEEP).sqrt();
    let enough = (times * setup.substeps_per_step() as f32).ceil() as u32;
    let remedy = match enough {
        ..=SUBSTEPS_MAX => format!("try --substeps {enough}"),
        _ => "try a lower --gravity".to_owned(),
    };
    let share = four_digits(100.0 * share);
    say(&format!("agents overlap by up to {share} % of the smaller radius at the end; {remedy}"));
    true
}

/// Prints a line if agents may have passed through others in so many steps, of which `tunnelled` moves
/// were too long and the longest is `fastest`; false if they didn't.
pub(super) fn long_moves(setup: &Setup, steps: u64, tunnelled: u64, fastest: f32) -> bool {
    let agents = setup.agents as usize;
    let warning = Warning::long_moves(setup, agents, steps, tunnelled);
    let Some(Warning::LongMoves { count, share, limit, meaning }) = warning else {
        return false;
    };
    // The number of substeps with which no move is too long.
    let times = fastest / limit;
    let substeps = setup.substeps_per_step();
    let enough = ((times * substeps as f32).floor() as u32).saturating_add(1);
    let remedy = match enough.max(substeps + 1) {
        enough if enough <= SUBSTEPS_MAX => format!("try --substeps {enough}"),
        _ => format!("--substeps {SUBSTEPS_MAX}, the limit, is too few; try slower agents"),
    };
    let (share, count) = (four_digits((100.0 * share) as f32), grouped(count));
    say(&format!("{share} % of all moves ({count}) were longer than {meaning}; {remedy}"));
    true
}
