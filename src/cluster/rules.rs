//! Rules of a caller's own or of a world file on several ranks: they run for the own agents, among copies of
//! all agents of other ranks that may be within range.
//!
//! ```text
//! run       on a grid of the agents around; what they pick is told, and what they become is taken over   around
//! ghosts    the first row of the next slab is sent again                                                 border
//! renew     agents that are born go to the ranks that own their home cells; agents that died, which      regrid
//!           ghosts show by their ids, are dropped by a merge or a sort
//! ```

use std::ops::Range;

use glam::Vec2;

use super::{
    Link, Rank,
    around::{Around, SlotsAround, rows_around},
    border,
    link::{MeteredLink, number_of, words_of},
};
use crate::{
    agents::Agents,
    error::Result,
    geometry::Rect,
    rules::{ActiveRules, OtherRanks, RuleCounts, RuleMoment, Rules},
    sim::RunState,
    step::{Phase, Probe},
};

impl<L: Link> Rank<L> {
    /// False if agents pass through each other.
    pub(super) fn collides(&self) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.collide())
    }

    /// True if agents have rules to follow.
    pub(super) fn is_ruled(&self) -> bool {
        self.rules.as_ref().is_some_and(|rules| !rules.rules().is_idle())
    }

    /// Goes on with the rules of a whole run, and what it has counted.
    ///
    /// # Errors
    /// As [`ActiveRules::new`], and if there is not enough memory.
    pub(super) fn set_rules(&mut self, rules: &Rules, counts: RuleCounts) -> Result<()> {
        let Self { state: RunState { agents, .. }, grid, motion, around, .. } = self;
        let (config, space) = (*grid.config(), &motion.space);
        let around = around.insert(Box::new(Around::new(agents, config)?));
        let capacity = config.capacity;
        let mut active = ActiveRules::new(rules.clone(), agents, &around.grid, space, capacity)?;
        // Ranks add up their counts, so that only one goes on from these.
        if self.link.rank() == 0 {
            active.set_counts(counts);
        }
        self.rules = Some(Box::new(active));
        Ok(())
    }

    /// Runs the rules, if there are any. The grid is exact.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn run_rules(&mut self, probe: &mut impl Probe) -> Result<()> {
        if !self.is_ruled() {
            return Ok(());
        }
        probe.begin(Phase::Forces);
        self.bring_around(self.rows_in_range())?;
        let Self { link, state, own, motion, rules, around, swept, all, simd, .. } = self;
        let RunState { agents, setup, statics, steps, next_id, .. } = state;
        let (Some(active), Some(around)) = (rules.as_deref_mut(), around.as_deref_mut()) else {
            return Ok(());
        };
        let Around { agents: around, grid, slots, .. } = around;
        let (ruled, here) = (slots.own.clone(), around.len());
        let moment = RuleMoment::new(*steps, 1.0 / setup.hz, setup.seed);
        let space = &motion.space;
        let mut ranks = RuleLink { link, slots };
        let found_in = (&*grid, space, motion.radius_min);
        active.run((around, &ruled), found_in, moment, &mut ranks, *simd);
        let mut changes = [0; 2];
        if active.come_and_go() {
            let (counts, placed_in) = ([*all as u32, *next_id], (space, &*statics));
            let born = active.bear(around, counts, placed_in, moment, &mut ranks, *simd).born;
            changes = [born.into(), active.dead().count() as u64];
            ranks.sum(&mut changes[1..]);
        }
        agents.splice(0..*own, (around, ruled.clone()));
        active.dead().for_each(|slot| agents.id[slot - ruled.start] = Agents::GONE);
        let newborn = around.copied(here..around.len());
        if let Some(swept) = swept {
            swept.forget_ahead();
        }
        let borders = self.borders();
        border::renew_ghosts(&mut self.link, &borders, &mut self.state.agents);
        if changes == [0; 2] {
            return Ok(());
        }
        probe.begin(Phase::Regrid);
        self.renew(newborn, changes)
    }

    /// Collects the own agents and those of other ranks that are in these rows, or outliers.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn bring_around(&mut self, rows: Vec<[u32; 2]>) -> Result<()> {
        let Self { link, state: RunState { agents, .. }, own, grid, around, .. } = self;
        let Some(around) = around else { return Ok(()) };
        around.collect(link, (agents, *own), grid, rows)
    }

    /// The own bands, and the number of own agents.
    pub(super) fn own_part(&self) -> (Range<usize>, usize) {
        (self.slabs.bands(self.link.rank()), self.own)
    }

    /// The rows that neighbors of own agents may have their home cells in, beside outliers.
    fn rows_in_range(&self) -> Vec<[u32; 2]> {
        let Self { state, grid, motion, rules, .. } = self;
        let Some(range) = rules.as_ref().and_then(|rules| rules.range()) else {
            return Vec::new();
        };
        let (space, world) = (&motion.space, motion.space.world());
        let reach = grid.near_center_reach(motion.radius_min);
        let copies = if space.repeats()[1] { -1..=1 } else { 0..=0_i8 };
        let shifts: Vec<_> = copies.map(|copy| f32::from(copy) * world.size().y).collect();
        let rows = |heights: [f32; 2]| {
            let rows = shifts.iter().map(|shift| {
                let [low, high] = heights.map(|y| y + shift);
                let [left, right] = [world.min.x, world.max.x];
                let area = Rect::new(Vec2::new(left, low), Vec2::new(right, high));
                grid.homes_of_centers(&area.expanded(range), reach).row
            });
            rows.collect()
        };
        rows_around(grid, self.own_part(), reach, |slot| [state.agents.y[slot]; 2], rows)
    }
}

/// The link of a rank to the others while it runs rules.
struct RuleLink<'a, L> {
    link: &'a mut MeteredLink<L>,
    slots: &'a SlotsAround,
}

impl<L: Link> OtherRanks for RuleLink<'_, L> {
    fn exchange_picks(&mut self, picked: &mut [u32]) {
        let Self { link, slots: SlotsAround { own: ruled, told, .. } } = self;
        let (below, rest) = picked.split_at_mut(ruled.start);
        let (own, above) = rest.split_at_mut(ruled.len());
        let words: Vec<Vec<u32>> =
            told.iter().map(|slots| slots.iter().map(|&slot| own[slot]).collect()).collect();
        // Those of lower ranks, and then those of higher ones; none of its own.
        let received = link.all_to_all(&words).concat();
        let (lower, higher) = received.split_at(below.len());
        below.copy_from_slice(lower);
        above.copy_from_slice(higher);
    }

    fn sum(&mut self, counts: &mut [u64]) {
        let words: Vec<_> = counts.iter().copied().flat_map(words_of).collect();
        counts.fill(0);
        for words in self.link.all_gather(&words) {
            for (count, words) in counts.iter_mut().zip(words.chunks_exact(2)) {
                *count += number_of(words);
            }
        }
    }

    fn sum_and_below(&mut self, count: u64) -> [u64; 2] {
        let (rank, of_ranks) = (self.link.rank(), self.link.all_gather(&words_of(count)));
        let sum = |ranks: &[Vec<u32>]| ranks.iter().map(|words| number_of(words)).sum();
        [sum(&of_ranks), sum(&of_ranks[..rank])]
    }
}
