//! The warnings of the window, with the controls of the panel that mend the run. They are about the
//! steps of the last moments instead of a whole run.

use crate::{
    format::{four_digits, grouped},
    observe::Warning,
    scene::Setup,
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

/// The place of the controls.
const PANEL: &str = "in the panel (Tab)";

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
            self.fastest = self.fastest.max(sim.largest_displacement());
        }
    }

    /// Finds the warnings that hold now; `overlap` is the largest one, if it was measured. True if
    /// they are others than before.
    pub(super) fn update(&mut self, sim: &Sim, threads: usize, overlap: Option<f32>) -> bool {
        self.update_long_moves(sim);
        let setup = sim.setup();
        let found = [
            overlap.and_then(|overlap| Warning::deep_overlap(setup, overlap)),
            Warning::lost_energy(setup),
            Warning::short_moves(setup),
            Warning::crowded_threads(threads),
        ];
        let long_moves = self.long_moves.as_ref().map(|(sentence, _)| sentence.clone());
        let others = found.into_iter().flatten().map(|warning| self.sentence(setup, warning));
        let sentences = long_moves.into_iter().chain(others).collect();
        let before = std::mem::replace(&mut self.sentences, sentences);
        before != self.sentences
    }

    fn update_long_moves(&mut self, sim: &Sim) {
        let (setup, counters) = (sim.setup(), sim.counters());
        let (steps, long) = (sim.steps() - self.steps, counters.tunnelled - self.tunnelled);
        let warning = Warning::long_moves(setup, sim.agents().len(), steps, long);
        if let Some(warning) = warning.filter(|_| sim.collides()) {
            self.long_moves = Some((self.sentence(setup, warning), 0));
        } else if !Warning::minds_long_moves(setup) {
            self.long_moves = None;
        } else if steps > 0 {
            let later = self.long_moves.take().map(|(sentence, quiet)| (sentence, quiet + 1));
            self.long_moves = later.filter(|(_, quiet)| *quiet < QUIET);
        }
        (self.steps, self.tunnelled) = (sim.steps(), counters.tunnelled);
        if steps > 0 {
            self.fastest = 0.0;
        }
    }

    /// A warning as a sentence, with the control of the panel that ends it.
    fn sentence(&self, setup: &Setup, warning: Warning) -> String {
        const CALM: &str = "lower gravity or all speeds";
        match warning {
            Warning::LongMoves { share, meaning, .. } => {
                let share = four_digits((100.0 * share) as f32);
                let remedy = if setup.gravity != 0.0 || setup.speed <= 0.0 {
                    CALM.to_owned()
                } else {
                    let mean = setup.speed / (setup.hz * setup.substeps_per_step() as f32);
                    let moves = self.fastest.max(FASTEST * mean);
                    let speed = setup.speed * SAFE * setup.radius[0] / moves;
                    let speed = four_digits((speed * TYPED).floor() / TYPED);
                    format!("set all speeds to {speed} or less")
                };
                format!("{share} % of all moves are longer than {meaning}; {remedy} {PANEL}")
            }
            Warning::ShortMoves { moves, finest, factor } => {
                let speed = four_digits((1.01 * setup.speed * factor * TYPED).ceil() / TYPED);
                let (moves, finest) = (four_digits(moves), four_digits(finest));
                format!(
                    "agents move {moves} world units per step, and positions are rounded to \
                     {finest}, which changes their speed; set all speeds to {speed} or more {PANEL}"
                )
            }
            Warning::LostEnergy => format!(
                "agents lose energy in collisions of the contact solver, also with restitution 1; \
                 start with the solver auto {PANEL}"
            ),
            Warning::DeepOverlap(share) => {
                let share = four_digits(100.0 * share);
                format!("agents overlap by up to {share} % of the smaller radius; {CALM} {PANEL}")
            }
            Warning::CrowdedThreads { threads, cores } => {
                let threads = grouped(threads as u64);
                format!(
                    "{threads} threads share {cores} cores and are slower; set {cores} threads {PANEL}"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

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
