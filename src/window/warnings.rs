//! Warnings: what is wrong with the run in the window, and which controls of the panel mend it.
//!
//! They are those of `jostle run`, for the steps of the last moments instead of a whole run.

use crate::{
    format::{four_digits, grouped},
    parallel::hindered_cores,
    scene::Solver,
    sim::Sim,
};

/// Updates without a move that was too long until a warning of such moves ends.
const QUIET: u32 = 4;

/// Speed of the fastest agent in multiples of the mean speed, if it is not faster already: in a gas
/// of a million agents in equilibrium one is that fast, while none is at the start.
const FASTEST: f32 = 4.5;

/// The panel rounds to hundredths.
const TYPED: f32 = 100.0;

/// Share of the smallest radius that the fastest agent may move.
const SAFE: f32 = 0.9;

/// Overlap, as a share of the smaller radius, from which on agents that should press on each other
/// seem to lie on each other.
const DEEP: f32 = 0.25;

/// The warnings of a run, and what they are found from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Warnings {
    /// A sentence for each.
    sentences: Vec<String>,
    /// Moves that were too long: the sentence, and the updates since the last of them.
    long_moves: Option<(String, u32)>,
    /// Largest displacement in a substep since the last update.
    fastest: f32,
    /// Steps and moves that were too long, as of the last update.
    steps: u64,
    tunnelled: u64,
}

impl Warnings {
    /// The sentences.
    pub(super) fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// No warnings, for a run that goes on with other speeds.
    pub(super) fn new(sim: &Sim) -> Self {
        Self { steps: sim.steps(), tunnelled: sim.counters().tunnelled, ..Self::default() }
    }

    /// Sees how fast agents are.
    pub(super) fn observe(&mut self, sim: &Sim) {
        if sim.steps() > self.steps {
            self.fastest = self.fastest.max(sim.fastest());
        }
    }

    /// Finds the warnings that hold now; `overlap` is the largest one, if it was measured. True if
    /// they are others than before.
    pub(super) fn update(&mut self, sim: &Sim, threads: usize, overlap: Option<f32>) -> bool {
        self.update_long_moves(sim);
        let long_moves = self.long_moves.as_ref().map(|(sentence, _)| sentence.clone());
        let overlap = overlap.and_then(|overlap| deep_overlap(sim, overlap));
        let all = [long_moves, overlap, short_moves(sim), crowd(threads)];
        let before = std::mem::replace(&mut self.sentences, all.into_iter().flatten().collect());
        before != self.sentences
    }

    fn update_long_moves(&mut self, sim: &Sim) {
        let (setup, counters) = (sim.setup(), sim.counters());
        let steps = sim.steps() - self.steps;
        let long = counters.tunnelled - self.tunnelled;
        if !setup.is_hurried() {
            self.long_moves = None;
        } else if long > 0 {
            let substeps = f64::from(setup.substeps_per_step());
            let moves = sim.agents().len().max(1) as f64 * steps as f64 * substeps;
            let sentence = format!(
                "{} % of all moves are longer than {}; {}",
                four_digits((long as f64 / moves * 100.0) as f32),
                setup.long_moves(),
                slower(sim, self.fastest)
            );
            self.long_moves = Some((sentence, 0));
        } else if steps > 0 {
            let later = self.long_moves.take().map(|(sentence, quiet)| (sentence, quiet + 1));
            self.long_moves = later.filter(|(_, quiet)| *quiet < QUIET);
        }
        (self.steps, self.tunnelled) = (sim.steps(), counters.tunnelled);
        if steps > 0 {
            self.fastest = 0.0;
        }
    }
}

/// What makes moves short enough.
fn slower(sim: &Sim, fastest: f32) -> String {
    let setup = sim.setup();
    if setup.gravity != 0.0 || setup.speed <= 0.0 {
        return "lower gravity or all speeds in the panel (Tab)".to_owned();
    }
    let mean = setup.speed / (setup.hz * setup.substeps_per_step() as f32);
    let moves = fastest.max(FASTEST * mean);
    let speed = setup.speed * SAFE * setup.radius[0] / moves;
    let speed = four_digits((speed * TYPED).floor() / TYPED);
    format!("set all speeds to {speed} or less in the panel (Tab)")
}

/// A sentence if positions round displacements away.
fn short_moves(sim: &Sim) -> Option<String> {
    let setup = sim.setup();
    let rounded = setup.rounded_moves()?;
    let speed = four_digits((1.01 * setup.speed * rounded.factor * TYPED).ceil() / TYPED);
    Some(format!(
        "agents move {} world units per step, and positions are rounded to {}, which changes their \
         speed; set all speeds to {speed} or more in the panel (Tab)",
        four_digits(rounded.moves),
        four_digits(rounded.finest)
    ))
}

/// A sentence if agents that should press on each other lie on each other. Impulses let agents
/// overlap for a step.
fn deep_overlap(sim: &Sim, overlap: f32) -> Option<String> {
    let presses = sim.setup().solver_in_use() == Solver::Contact;
    (presses && overlap > DEEP).then(|| {
        format!(
            "agents overlap by up to {} % of the smaller radius; lower gravity or all speeds in the \
             panel (Tab)",
            four_digits(100.0 * overlap)
        )
    })
}

/// A sentence if threads hinder each other.
fn crowd(threads: usize) -> Option<String> {
    let cores = hindered_cores(threads)?;
    Some(format!(
        "{} threads share {cores} cores and are slower; set {cores} threads in the panel (Tab)",
        grouped(threads as u64)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, Setup};

    /// The warnings of a run after some steps.
    fn of(sim: &mut Sim) -> Vec<String> {
        let mut warnings = Warnings::default();
        for _ in 0..10 {
            sim.step().unwrap();
            warnings.observe(sim);
        }
        warnings.update(sim, 1, None);
        warnings.sentences().to_vec()
    }

    #[test]
    fn the_value_that_a_warning_names_ends_it() {
        for speed in [0.0003, 150.0] {
            let setup = Setup { agents: 2_000, speed, ..Setup::new(Scene::Gas) };
            let mut sim = Sim::new(&setup).unwrap();
            let before = of(&mut sim);
            let [sentence] = &before[..] else { panic!("{before:#?}") };
            let (_, remedy) = sentence.split_once("set all speeds to ").expect(sentence);
            let remedy: f32 = remedy.split(' ').next().unwrap().parse().unwrap();
            sim.scale_speeds(remedy / speed).unwrap();
            let mut warnings = Warnings::new(&sim);
            (0..300).for_each(|_| sim.step().unwrap());
            assert!(!warnings.update(&sim, 1, None), "{sentence}: {warnings:?}");
        }
    }

    #[test]
    fn a_warning_of_long_moves_stays_for_a_while() {
        let setup = Setup { agents: 500, speed: 150.0, ..Setup::new(Scene::Gas) };
        let mut sim = Sim::new(&setup).unwrap();
        let mut warnings = Warnings::default();
        sim.step().unwrap();
        warnings.observe(&sim);
        assert!(warnings.update(&sim, 1, None));
        sim.scale_speeds(0.001).unwrap();
        for update in 1..=QUIET {
            sim.step().unwrap();
            assert_eq!(warnings.update(&sim, 1, None), update == QUIET);
        }
    }

    #[test]
    fn scenes_as_they_are_give_no_warning() {
        for scene in Scene::ALL {
            let mut sim = Sim::new(&Setup::with_agents(scene, 2_000)).unwrap();
            assert_eq!(of(&mut sim), [""; 0], "{}", scene.name());
        }
    }

    #[test]
    fn threads_and_deep_overlaps_are_warned_of() {
        let sim = Sim::new(&Setup::with_agents(Scene::Pile, 2_000)).unwrap();
        let mut warnings = Warnings::default();
        assert!(warnings.update(&sim, 1_000_000, Some(0.3)));
        let [overlap, threads] = warnings.sentences() else { panic!("{warnings:?}") };
        assert!(overlap.contains("up to 30 % of the smaller radius"), "{overlap}");
        assert!(threads.starts_with("1,000,000 threads share "), "{threads}");
        assert!(warnings.update(&sim, 1, Some(0.2)) && warnings.sentences().is_empty());
    }
}
