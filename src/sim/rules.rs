//! The rules of a caller's own in a run.

use super::Sim;
#[cfg(feature = "cli")]
use crate::rules::Observed;
use crate::{
    agents::Agents,
    error::Result,
    rules::{ActiveRules, RuleCounts, RuleMoment, Rules},
    scene::{Setup, Solver},
    step::{
        Phase, Probe,
        regrid::{Regrid, SUBSTEPS_AHEAD},
    },
};

impl Sim {
    /// Sets the [rules](crate::rules) that run once per step from now on, in place of others, and
    /// allocates the memory for their sums: four bytes per agent and sum.
    ///
    /// Rules are a choice of the caller, as [`Self::set_index`] is, but they decide the bits of the
    /// run: a clone has them, a snapshot does not, unless they come from a world file of the
    /// program. Set the same rules on a restored run, and it continues bit for bit. With rules,
    /// agents of the contact solver do not sleep. Without [collisions](Rules::without_collisions),
    /// the run takes
    /// the impulse solver, and keeps it.
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
            self.swept = None;
            self.update_radius_min();
        }
        self.pack_windows();
        self.rules = Some(Box::new(active));
        Ok(())
    }

    /// Ends the rules: agents collide, and nothing else.
    pub fn remove_rules(&mut self) {
        self.pack_windows();
        self.rules = None;
        self.forget_ahead();
    }

    /// Computes the windows of the grid, which are left out while agents pass through each other.
    fn pack_windows(&mut self) {
        if !self.collides() {
            self.grid.pack_windows();
        }
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

    /// Velocities and own numbers that rules left infinite, not a number, or too fast, and that
    /// were therefore not written, since the rules were set.
    #[must_use]
    pub fn unwritten(&self) -> u64 {
        self.rules.as_ref().map_or(0, |rules| rules.unwritten())
    }

    /// Births for which there was no room, since the rules were set. Agents are born as long as
    /// there are fewer than at the start and [`Setup::spare_agents`] together; a world file may say
    /// less. Which of several births are refused is random.
    #[must_use]
    pub fn refused_births(&self) -> u64 {
        self.rules.as_ref().map_or(0, |rules| rules.refused())
    }

    /// Sets the number of births for which there was no room: rules were read again.
    #[cfg(feature = "cli")]
    pub(super) fn set_refused_births(&mut self, refused: u64) {
        if let Some(rules) = &mut self.rules {
            rules.set_refused(refused);
        }
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

    /// The rules, and what they have counted.
    pub(crate) fn rules(&self) -> Option<(&Rules, RuleCounts)> {
        self.rules.as_ref().map(|rules| (rules.rules(), rules.counts()))
    }

    /// Sets what the rules have counted, on all ranks.
    pub(crate) fn set_counts(&mut self, counts: RuleCounts) {
        if let Some(rules) = &mut self.rules {
            rules.set_counts(counts);
        }
    }

    /// False if agents pass through each other.
    pub(crate) fn collides(&self) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.collide())
    }

    /// True if agents have rules to follow.
    pub(super) fn is_ruled(&self) -> bool {
        self.rules.as_ref().is_some_and(|rules| !rules.rules().is_idle())
    }

    /// Runs the rules. The grid is exact.
    #[inline(never)]
    pub(super) fn run_rules(&mut self, probe: &mut impl Probe) -> Result<()> {
        probe.begin(Phase::Forces);
        self.forget_ahead();
        let moment = RuleMoment::new(self.steps, 1.0 / self.setup.hz, self.setup.seed);
        let Self { rules, agents, grid, motion, statics, simd, next_id, counters, .. } = self;
        let Some(rules) = rules else { return Ok(()) };
        let all = 0..agents.len();
        let found_in = (&*grid, &motion.space, motion.radius_min);
        rules.run((agents, &all), found_in, moment, &mut (), *simd);
        let (counts, placed_in) = ([all.end as u32, *next_id], (&motion.space, &*statics));
        let born = rules.bear(agents, counts, placed_in, moment, &mut (), *simd).born;
        *next_id += born;
        counters.spawned += u64::from(born);
        let dead = rules.dead().count();
        counters.removed += dead as u64;
        if dead == 0 && born == 0 {
            return Ok(());
        }
        probe.begin(Phase::Regrid);
        self.renew(dead + born as usize)
    }

    /// Makes everything exact after agents were appended, and others marked as dead by the rules.
    fn renew(&mut self, changes: usize) -> Result<()> {
        let Self { rules, agents, grid, motion, regrid, simd, solver, .. } = self;
        let Some(rules) = rules else { return Ok(()) };
        if !Regrid::can_merge(grid, grid.len(), changes) {
            rules.dead().for_each(|slot| agents.id[slot] = Agents::GONE);
            return self.sort_edited();
        }
        let origin = solver.as_mut().map(|solver| solver.origin_mut(agents.len()));
        let gone = (rules.dead(), rules.collide());
        let large = regrid.merge(agents, origin, grid, gone, SUBSTEPS_AHEAD * motion.dt, *simd)?;
        regrid.change_large(large);
        self.update_radius_min();
        self.finder.rebuild(&self.agents)
    }

    /// Where the formulas are whose values were not written, bytes of their text, and how many
    /// these were. A clone counts together with its original.
    #[doc(hidden)]
    #[must_use]
    pub fn unwritten_formulas(&self) -> Vec<(usize, u64)> {
        self.rules.as_ref().map_or_else(Vec::new, |rules| rules.unwritten_formulas())
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
