//! The rules of a run: checked against its agents, with memory for their sums.

use std::{ops::Range, sync::Arc};

use super::{
    agent::{AgentTask, BirthCount, Births, Marks, RuleMoment, marked},
    any::{PairTask, column_values},
    pair::RuleColumn,
    ranks::OtherRanks,
    set::Rules,
    sums::{PairSums, SumsMut},
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{self, Band},
    error::{Error, Field, Limit, Result, Value},
    geometry::Space,
    grid::Grid,
    simd::SimdLevel,
    statics::Statics,
};

/// Purpose of the memory, for errors.
const SUMS: &str = "the sums of rules";

/// Rules, and what they have added up.
#[derive(Debug)]
pub(crate) struct ActiveRules {
    rules: Rules,
    bands: Vec<Band>,
    sums: Vec<PairSums>,
    /// A 1 for each slot whose agent leaves the run; empty if the rules let none leave.
    dead: Vec<u8>,
    /// The marks of births of each slot; empty if the rules let none be born.
    born: Vec<u8>,
    capacity: usize,
    /// The number of agents in the last step; marks behind these are older.
    marked: usize,
    counts: RuleCounts,
}

/// What rules have counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleCounts {
    /// Values that were not written, for they were not finite.
    pub(crate) unwritten: u64,
    /// Births for which there was no room.
    pub(crate) refused: u64,
    /// Where formulas are, bytes of their text, and how many of their values were not written before the rules were
    /// read again, or on other ranks. These are among the unwritten values; formulas count the others themselves.
    pub(crate) former: Vec<(usize, u64)>,
}

impl ActiveRules {
    /// Checks rules against a run, and allocates the memory for their sums.
    ///
    /// # Errors
    /// If a range is out of its limits, a rule reads a column that the agents lack, or there is not
    /// enough memory.
    pub(crate) fn new(
        rules: Rules,
        agents: &Agents,
        grid: &Grid,
        space: &Space,
        capacity: usize,
    ) -> Result<Self> {
        let sides = space.world().size().to_array();
        let periods = sides.into_iter().zip(space.repeats()).filter(|(_, repeats)| *repeats);
        let most = periods.fold(f32::MAX, |most, (period, _)| most.min(0.25 * period));
        let mut sums = Vec::new();
        for rule in &rules.pairs {
            let range = rule.range();
            if !(range > 0.0 && range <= most && (range * range).is_normal()) {
                let limit = Limit::Above0(most.min(f32::MAX.sqrt()));
                return Err(Error::invalid(Field::RuleRange, Value::Number(range), limit));
            }
            let lacks = |column: &&RuleColumn| column_values(agents, &sums, column).is_none();
            if let Some(column) = rule.reads().iter().find(lacks) {
                let name = match column {
                    RuleColumn::Species => "species",
                    RuleColumn::Picked(_) => "pick of an earlier rule",
                    _ => "own column",
                };
                return Err(Error::invalid(Field::Column(name), Value::Missing, Limit::RuleColumn));
            }
            let numbers = alloc::filled(rule.width() * capacity, 0.0, SUMS)?;
            let picked = if rule.picks() { capacity } else { 0 };
            let picked = alloc::filled(picked, Agents::GONE, SUMS)?;
            sums.push(PairSums { width: rule.width(), numbers, picked });
        }
        if let Some(name) = rules.agents.as_ref().and_then(|rule| rule.lacking(agents)) {
            return Err(Error::invalid(Field::Column(name), Value::Missing, Limit::RuleColumn));
        }
        let kills = rules.agents.as_ref().is_some_and(|rule| rule.kills());
        let dead = alloc::filled(if kills { capacity } else { 0 }, 0, SUMS)?;
        let births = rules.agents.as_ref().map_or(0, |rule| rule.births());
        let born = alloc::filled(births * capacity, 0, SUMS)?;
        let bands = contacts::bands(grid);
        Ok(Self {
            rules,
            bands,
            sums,
            dead,
            born,
            capacity,
            marked: 0,
            counts: RuleCounts::default(),
        })
    }

    /// The rules for a clone of the run, on its grid.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn try_clone(&self, agents: &Agents, grid: &Grid, space: &Space) -> Result<Self> {
        let rules = Self::new(self.rules.clone(), agents, grid, space, self.capacity)?;
        Ok(Self { counts: self.counts.clone(), ..rules })
    }

    /// False if agents pass through each other.
    pub(crate) fn collide(&self) -> bool {
        self.rules.collisions
    }

    /// The rules.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The slots whose agents leave the run, of the last step.
    pub(crate) fn dead(&self) -> impl Iterator<Item = usize> + Clone {
        marked(&self.dead[..self.marked.min(self.dead.len())])
    }

    /// The largest range of a rule for pairs, world units; none without such rules.
    pub(crate) fn range(&self) -> Option<f32> {
        self.rules.pairs.iter().map(|rule| rule.range()).reduce(f32::max)
    }

    /// Values that were not written, for they were not finite.
    pub(crate) fn unwritten(&self) -> u64 {
        self.counts.unwritten
    }

    /// True if agents come or go by the rules.
    pub(crate) fn come_and_go(&self) -> bool {
        self.rules.agents.as_ref().is_some_and(|rule| rule.kills() || rule.births() > 0)
    }

    /// Runs all rules once, for the agents in some slots. The grid is exact for all agents, none of which
    /// is smaller than `radius_min`.
    pub(crate) fn run(
        &mut self,
        (agents, ruled): (&mut Agents, &Range<usize>),
        (grid, space, radius_min): (&Grid, &Space, f32),
        moment: RuleMoment,
        ranks: &mut impl OtherRanks,
        simd: SimdLevel,
    ) {
        let Self { rules, bands, sums, dead, born, marked, counts, .. } = self;
        *marked = agents.len();
        contacts::assign(bands, grid);
        let is_ruled = |band: &Band| band.slots.start < ruled.end && ruled.start < band.slots.end;
        let first = bands.iter().position(is_ruled).unwrap_or(0);
        let count = bands[first..].iter().take_while(|band| is_ruled(band)).count();
        let bands = &mut bands[first..first + count];
        let slots = match (bands.first(), bands.last()) {
            (Some(first), Some(last)) => first.slots.start..last.slots.end,
            _ => 0..0,
        };
        for (number, rule) in rules.pairs.iter().enumerate() {
            let (before, rest) = sums.split_at_mut(number);
            let Some(PairSums { width, numbers, picked }) = rest.first_mut() else { break };
            let task = PairTask { agents, grid, space, radius_min, moment, simd, before };
            let numbers = &mut numbers[*width * slots.start..*width * slots.end];
            let picked_here = picked.get_mut(slots.clone()).unwrap_or_default();
            rule.gather(task, bands, SumsMut { numbers, picked: picked_here });
            if rule.picks() {
                ranks.exchange_picks(&mut picked[..agents.len()]);
            }
        }
        if let Some(rule) = &rules.agents {
            let of_agents = agents.len().min(dead.len());
            let of_births = agents.len() * rule.births();
            let marks = Marks { dead: &mut dead[..of_agents], born: &mut born[..of_births] };
            marks.dead.fill(0);
            marks.born.fill(0);
            let task = AgentTask { sums, space, moment, simd, ruled };
            counts.unwritten += Arc::as_ref(rule).run(agents, marks, task);
        }
    }

    /// Appends the agents that are born here in this step, with ids from `next_id` on, of which the first go to
    /// those on lower ranks. `alive` agents are in the run.
    pub(crate) fn bear(
        &mut self,
        agents: &mut Agents,
        [alive, next_id]: [u32; 2],
        (space, statics): (&Space, &Statics),
        moment: RuleMoment,
        ranks: &mut impl OtherRanks,
        simd: SimdLevel,
    ) -> BirthCount {
        let Self { rules, sums, born, capacity, counts, .. } = self;
        let most = (*capacity as u32).min(rules.births_max());
        let room = u64::from(most.saturating_sub(alive).min(Agents::GONE - next_id));
        let Some(rule) = rules.agents.as_ref().filter(|rule| rule.births() > 0) else {
            return BirthCount::default();
        };
        let born = &born[..agents.len() * rule.births()];
        let births = Births { born, room, next_id, statics };
        let task = AgentTask { sums, space, moment, simd, ruled: &(0..agents.len()) };
        let count = Arc::as_ref(rule).bear(agents, &births, task, ranks);
        counts.unwritten += count.unwritten;
        counts.refused += count.refused;
        count
    }

    /// Births for which there was no room.
    pub(crate) fn refused(&self) -> u64 {
        self.counts.refused
    }

    /// Where the formulas are whose values were not written, and how many these were.
    pub(crate) fn unwritten_formulas(&self) -> Vec<(usize, u64)> {
        let counted = self.rules.unwritten();
        self.counts.former.iter().fold(counted, |mut all, &(at, count)| {
            match all.iter_mut().find(|(other, _)| *other == at) {
                Some((_, sum)) => *sum += count,
                None => all.push((at, count)),
            }
            all
        })
    }

    /// What was counted.
    pub(crate) fn counts(&self) -> RuleCounts {
        self.counts.clone()
    }

    /// Counts on from that.
    pub(crate) fn set_counts(&mut self, counts: RuleCounts) {
        self.counts = counts;
    }

    /// Sets the number of births for which there was no room.
    #[cfg(feature = "cli")]
    pub(crate) fn set_refused(&mut self, refused: u64) {
        self.counts.refused = refused;
    }

    /// The value of an observed quantity; not a number where it is not available.
    #[cfg(feature = "cli")]
    pub(crate) fn observe(
        &self,
        which: usize,
        agents: &Agents,
        space: &Space,
        moment: RuleMoment,
        simd: SimdLevel,
    ) -> f64 {
        let ruled = &(0..agents.len());
        let task = AgentTask { sums: &[], space, moment, simd, ruled };
        self.rules.observed().map_or(f64::NAN, |observed| observed.value(which, agents, task))
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        let room = |sums: &PairSums| sums.numbers.capacity() + sums.picked.capacity();
        let numbers: usize = self.sums.iter().map(room).sum();
        numbers * size_of::<f32>()
            + self.dead.capacity()
            + self.born.capacity()
            + self.bands.capacity() * size_of::<Band>()
    }

    /// The sums of a pair rule for the agent in a slot, of the last step.
    pub(crate) fn sums(&self, rule: usize, slot: usize) -> Option<&[f32]> {
        self.sums.get(rule).map(|sums| sums.of(slot))
    }
}
