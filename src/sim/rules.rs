//! The rules of a caller's own in a run.

use super::Sim;
use crate::{
    agents::Agents,
    error::{Error, Fault, Result},
    limits::COUNTS_MAX,
    rules::{ActiveRules, RuleMoment, Rules},
    scene::{Setup, Solver},
    snapshot::{Snapshot, Writer, unreadable, write_line},
    step::{Phase, Probe},
};
#[cfg(feature = "cli")]
use crate::{
    rules::{Observed, RuleSource},
    world::WorldPlan,
};

/// The sections with the world file that the rules come from, and the params that were set beside it;
/// only where there are such rules.
const WORLD: &str = "world.text";
const SETTINGS: &str = "world.set";

/// The section with the number of births for which there was no room, where there are such.
const REFUSED: &str = "world.refused";

impl Sim {
    /// Sets the [rules](crate::rules) that run once per step from now on, in place of others, and
    /// allocates the memory for their sums: four bytes per agent and sum.
    ///
    /// Rules are a choice of the caller, as [`Self::set_index`] is, but they decide the bits of the
    /// run: a clone has them, a snapshot does not, unless they come from a world file of the program.
    /// Set the same rules on a restored run, and it continues bit for bit. With rules, agents of the
    /// contact solver do not sleep. Without [collisions](Rules::without_collisions), the run takes the
    /// impulse solver, and keeps it.
    ///
    /// On an error, the run continues as it was.
    ///
    /// # Errors
    /// If a range is not above 0, or more than a quarter of a world that repeats; if a rule reads a
    /// column that the agents lack; if there is not enough memory.
    pub fn set_rules(&mut self, rules: Rules) -> Result<()> {
        let capacity = self.grid.config().capacity;
        let active =
            ActiveRules::new(rules, &self.agents, &self.grid, &self.motion.space, capacity)?;
        self.wake();
        self.forget_ahead();
        if !active.collide() && self.setup.solver != Solver::Impulse {
            // The substeps stay as many, since the motion goes on with their length.
            self.setup = Setup {
                solver: Solver::Impulse,
                substeps: Some(self.setup.substeps_per_step()),
                ..self.setup.clone()
            };
            self.solver = None;
            self.update_radius_min();
        }
        self.rules = Some(Box::new(active));
        Ok(())
    }

    /// Ends the rules: agents collide, and nothing else.
    pub fn remove_rules(&mut self) {
        self.rules = None;
        self.forget_ahead();
    }

    /// The sums of the agent in a slot, as the pair rule of that number left them in the last step;
    /// none if there is no such rule. Agents that came or moved to another slot since then have
    /// others' sums.
    ///
    /// # Panics
    /// If there is no such slot.
    #[must_use]
    pub fn rule_sums(&self, rule: usize, slot: usize) -> Option<&[f32]> {
        self.rules.as_ref()?.sums(rule, slot)
    }

    /// Velocities and own numbers that rules left infinite, not a number, or too fast, and that were
    /// therefore not written, since the rules were set.
    #[must_use]
    pub fn unwritten(&self) -> u64 {
        self.rules.as_ref().map_or(0, |rules| rules.unwritten())
    }

    /// Births for which there was no room, since the rules were set. Agents are born as long as there are
    /// fewer than at the start and [`Setup::spare_agents`] together; a world file may say less. Which of
    /// several births are refused is random.
    #[must_use]
    pub fn refused_births(&self) -> u64 {
        self.rules.as_ref().map_or(0, |rules| rules.refused())
    }

    /// The world file that the rules come from.
    #[cfg(feature = "cli")]
    pub(crate) fn rule_source(&self) -> Option<&RuleSource> {
        self.rules.as_ref()?.rules().source()
    }

    /// The names of the quantities that the rules observe.
    #[cfg(feature = "cli")]
    pub(crate) fn observed_names(&self) -> impl Iterator<Item = &str> {
        let observed = self.rules.as_ref().and_then(|rules| rules.rules().observed());
        observed.into_iter().flat_map(Observed::names)
    }

    /// The value of a quantity that the rules observe; not a number where it is not available.
    #[cfg(feature = "cli")]
    pub(crate) fn observe(&self, which: usize) -> f64 {
        let moment = RuleMoment::new(self.steps, 1.0 / self.setup.hz, self.setup.seed);
        let Self { rules, agents, motion, simd, .. } = self;
        let value =
            |rules: &ActiveRules| rules.observe(which, agents, &motion.space, moment, *simd);
        rules.as_deref().map_or(f64::NAN, value)
    }

    /// False if agents pass through each other.
    pub(crate) fn collides(&self) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.collide())
    }

    /// Runs the rules. The grid is exact.
    #[inline(never)]
    pub(super) fn run_rules(&mut self, probe: &mut impl Probe) -> Result<()> {
        probe.begin(Phase::Forces);
        self.forget_ahead();
        let moment = RuleMoment::new(self.steps, 1.0 / self.setup.hz, self.setup.seed);
        let Self { rules, agents, grid, motion, simd, next_id, counters, .. } = self;
        let Some(rules) = rules else { return Ok(()) };
        rules.run(agents, grid, &motion.space, motion.radius_min, moment, *simd);
        let capacity = (grid.config().capacity as u32).min(rules.rules().births_max());
        let room = capacity.saturating_sub(agents.len() as u32).min(Agents::GONE - *next_id);
        let born = rules.bear(agents, [room, *next_id], &motion.space, moment, *simd).born;
        *next_id += born;
        counters.spawned += u64::from(born);
        let mut dead = 0;
        for slot in rules.dead() {
            agents.id[slot] = Agents::GONE;
            dead += 1;
        }
        counters.removed += dead;
        if dead == 0 && born == 0 {
            return Ok(());
        }
        probe.begin(Phase::Regrid);
        self.sort_edited()
    }

    /// Where the formulas are whose values were not written, bytes of their text, and how many these
    /// were. A clone counts together with its original.
    #[doc(hidden)]
    #[must_use]
    pub fn unwritten_formulas(&self) -> Vec<(usize, u64)> {
        self.rules.as_ref().map_or_else(Vec::new, |rules| rules.rules().unwritten())
    }

    /// Writes the text that the rules come from, if they come from one.
    pub(super) fn save_rules(&self, to: &mut Writer) -> Result<()> {
        let Some(source) = self.rules.as_ref().and_then(|rules| rules.rules().source()) else {
            return Ok(());
        };
        to.text(WORLD, &source.text)?;
        let mut text = String::new();
        source.settings.iter().for_each(|(name, value)| write_line(&mut text, name, value));
        to.text(SETTINGS, &text)?;
        match self.refused_births() {
            0 => Ok(()),
            refused => to.text(REFUSED, &refused.to_string()),
        }
    }

    /// Sets the rules of a snapshot, if there are any.
    ///
    /// # Errors
    /// If they can't be read.
    pub(super) fn load_rules(&mut self, from: &Snapshot) -> Result<()> {
        let Some(rules) = saved_rules(from, &self.setup)? else { return Ok(()) };
        self.set_rules(rules)?;
        let refused = saved_refusals(from)?;
        if let Some(rules) = &mut self.rules {
            rules.set_refused(refused);
        }
        Ok(())
    }

    /// The rules for a clone.
    pub(super) fn cloned_rules(&self) -> Result<Option<Box<ActiveRules>>> {
        let clone = |rules: &ActiveRules| {
            let Self { agents, grid, motion, .. } = self;
            rules.try_clone(agents, grid, &motion.space).map(Box::new)
        };
        self.rules.as_deref().map(clone).transpose()
    }
}

/// The rules of a snapshot, if they come from a world file. The library alone reads none.
///
/// # Errors
/// If the world file is wrong, or can't be read by this build.
#[cfg(not(feature = "cli"))]
fn saved_rules(from: &Snapshot, _: &Setup) -> Result<Option<Rules>> {
    if from.has(WORLD) {
        let reason = "is a world file, which a build without the feature `cli` does not read";
        return Err(Error::Snapshot(Fault::Content { part: WORLD.to_owned(), reason }));
    }
    Ok(None)
}

/// The rules of a snapshot, if they come from a world file.
///
/// # Errors
/// If the world file is wrong.
#[cfg(feature = "cli")]
fn saved_rules(from: &Snapshot, setup: &Setup) -> Result<Option<Rules>> {
    let Some(RuleSource { text, settings }) = RuleSource::saved(from)? else { return Ok(None) };
    let plan = WorldPlan::read(&text, &settings, None).map_err(|_| {
        let reason = "is a world file that this version does not understand";
        Error::Snapshot(Fault::Content { part: WORLD.to_owned(), reason })
    });
    Ok(Some(plan?.rules_for(setup.agents)))
}

/// The number of births in a snapshot for which there was no room.
///
/// # Errors
/// If it is no number.
fn saved_refusals(from: &Snapshot) -> Result<u64> {
    if !from.has(REFUSED) {
        return Ok(0);
    }
    let text = from.text(REFUSED)?;
    let refused = text.parse().ok().filter(|&refused: &u64| refused <= COUNTS_MAX);
    refused.ok_or_else(|| unreadable(REFUSED, text))
}

#[cfg(feature = "cli")]
impl RuleSource {
    /// The world file of a snapshot, if its rules come from one.
    ///
    /// # Errors
    /// If the snapshot does not have its text as it was written.
    pub(crate) fn saved(from: &Snapshot) -> Result<Option<Self>> {
        if !from.has(WORLD) {
            return Ok(None);
        }
        let line = |line| {
            let (name, value) =
                str::split_once(line, " = ").ok_or_else(|| unreadable(SETTINGS, line))?;
            let value = value.parse().map_err(|_| unreadable(SETTINGS, line))?;
            Ok((name.to_owned(), value))
        };
        let settings: Result<_> = from.text(SETTINGS)?.lines().map(line).collect();
        Ok(Some(Self { text: from.text(WORLD)?.to_owned(), settings: settings? }))
    }
}
