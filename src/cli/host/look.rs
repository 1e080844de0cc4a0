//! What may be wrong with a run so far: the notes that `jostle run` prints at its end, each kind once.

use crate::{Result, Sim, cli::notes, scene::Solver};

/// Steps from one search for deep overlaps to the next, which takes about as long as a step.
const OVERLAP_EVERY: u64 = 32;

/// What a run has shown since it began.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunLook {
    /// Steps and moves that were too long, before.
    steps: u64,
    tunnelled: u64,
    /// The longest move of an agent in a substep, world units.
    fastest: f32,
    /// From which step on overlaps are measured again.
    overlaps_from: u64,
    /// The kinds that were noted.
    has_long_moves: bool,
    has_deep_overlap: bool,
    has_unwritten: bool,
}

impl RunLook {
    /// Nothing yet of a run that begins.
    pub(super) fn begin(sim: &Sim) -> Self {
        Self {
            steps: sim.steps(),
            tunnelled: sim.counters().tunnelled,
            fastest: 0.0,
            overlaps_from: 0,
            has_long_moves: false,
            has_deep_overlap: false,
            has_unwritten: false,
        }
    }

    /// Sees a step.
    pub(super) fn step(&mut self, sim: &Sim) {
        self.fastest = self.fastest.max(sim.largest_displacement());
    }

    /// Notes what was not noted before.
    ///
    /// # Errors
    /// If there is not enough memory for the contacts.
    pub(super) fn note(&mut self, sim: &Sim) -> Result<()> {
        let (steps, setup) = (sim.steps(), sim.setup());
        let presses = sim.collides() && setup.solver_in_use() == Solver::Contact;
        if sim.collides() && !self.has_long_moves {
            let tunnelled = sim.counters().tunnelled - self.tunnelled;
            self.has_long_moves =
                notes::long_moves(setup, steps - self.steps, tunnelled, self.fastest);
        }
        if presses && !self.has_deep_overlap && steps >= self.overlaps_from {
            self.overlaps_from = steps + OVERLAP_EVERY;
            let overlaps = sim.contacts()?.map(|pair| sim.overlap(pair));
            self.has_deep_overlap = notes::deep_overlap(setup, overlaps.fold(0.0, f32::max));
        }
        self.has_unwritten = self.has_unwritten || notes::unwritten(sim);
        Ok(())
    }
}
