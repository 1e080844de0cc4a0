//! Rules on several ranks. That of the scene changes own agents and ghosts alike. Rules of a caller's own run
//! for the own agents, among copies of all agents of other ranks that may be within range.
//!
//! ```text
//! ask       each rank tells all ranks which rows its agents may have neighbors in
//! around    the agents of these rows and all outliers come, with their home cells:
//!           [ lower ranks | own | higher ranks ], as the slots of one process ascend
//! run       for the own agents, on a grid of all of these; what they pick is told, and what they become
//!           is taken over
//! ghosts    the first row of the next slab is sent again
//! renew     agents that are born go to the ranks that own their home cells; agents that died, which
//!           ghosts show by their ids, are dropped by a merge or a sort
//! ```
//!
//! Sums have the order of slots, so that they have the bits of one process.

use glam::Vec2;

use super::{
    Link, Rank, border,
    rules::{RuleLink, SharedRules},
    words::{agent_words, agents_of, push_words},
};
use crate::{
    agents::Agents,
    error::Result,
    geometry::Rect,
    rules::{OtherRanks, RuleMoment},
    scene::rule::{Moment, RuleContext, RuleEdits},
    sim::RunState,
    step::{Phase, Probe},
};

impl<L: Link> Rank<L> {
    /// False if agents pass through each other.
    pub(super) fn collides(&self) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.active.collide())
    }

    /// Runs the rule of the scene, if it acts at this moment. Ghosts change as the agents that they copy.
    pub(super) fn apply_rule(&mut self, moment: Moment, probe: &mut impl Probe) -> Result<()> {
        if !self.rule.acts(moment) {
            return Ok(());
        }
        probe.begin(Phase::Resolve);
        let Self { link, state, own, motion, grid, rule, swept, solver, contacts, .. } = self;
        let RunState { setup, agents, statics, steps, next_id, .. } = state;
        if let Some(swept) = swept {
            swept.forget_ahead();
        }
        let (steps, next_id) = (*steps, *next_id);
        let context = RuleContext { setup, motion, steps, next_id, agents, statics, grid };
        if let (RuleEdits::Wake(area), Some(solver)) = (rule.run(moment, context)?, solver) {
            let outliers = link.sum(grid.outliers_in(0..*own).count() as u64);
            solver.solver.wake_near(&area, (outliers as usize, grid), contacts);
        }
        Ok(())
    }

    /// Runs the rules, if there are any. The grid is exact.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn run_rules(&mut self, probe: &mut impl Probe) -> Result<()> {
        if self.rules.as_ref().is_none_or(|rules| rules.active.rules().is_idle()) {
            return Ok(());
        }
        probe.begin(Phase::Forces);
        self.bring_around();
        let Self { link, state, own, motion, rules, swept, all, simd, .. } = self;
        let RunState { agents, setup, statics, steps, next_id, .. } = state;
        let Some(SharedRules { active, around, homes, below, told, grid }) = rules.as_deref_mut()
        else {
            return Ok(());
        };
        grid.set_homes(around, homes)?;
        let ruled = *below..*below + *own;
        let moment = RuleMoment::new(*steps, 1.0 / setup.hz, setup.seed);
        let space = &motion.space;
        let mut ranks = RuleLink { link, told, ruled: &ruled };
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
        let newborn = around.copied(homes.len()..around.len());
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

    /// Collects the own agents and those of other ranks that may be near.
    fn bring_around(&mut self) {
        let asked: Vec<_> = self.rows_around().into_iter().flatten().collect();
        let asked = self.link.all_gather(&asked);
        let Self { link, state: RunState { agents, .. }, own, grid, rules, .. } = self;
        let Some(SharedRules { around, homes, below, told, .. }) = rules.as_deref_mut() else {
            return;
        };
        let rank = link.rank();
        told.resize(link.ranks(), Vec::new());
        let mut words = vec![Vec::new(); link.ranks()];
        let others = told.iter_mut().zip(&asked).zip(&mut words).enumerate();
        for (_, ((slots, asked), words)) in others.filter(|(other, _)| *other != rank) {
            let rows = asked.chunks_exact(2).flat_map(|rows| rows[0]..=rows[1]);
            slots.clear();
            slots.extend(rows.flat_map(|row| grid.row_slots(row)).filter(|slot| slot < own));
            slots.extend(grid.outliers_in(0..*own).map(|slot| slot as usize));
            slots.sort_unstable();
            slots.dedup();
            for &slot in &*slots {
                push_words(words, agents, slot);
                words.push(grid.homes()[slot]);
            }
        }
        let received = link.all_to_all(&words);
        around.clear();
        homes.clear();
        let length = agent_words(agents) + 1;
        for (from, words) in received.iter().enumerate() {
            if from == rank {
                *below = homes.len();
                around.splice(homes.len()..homes.len(), (agents, 0..*own));
                homes.extend_from_slice(&grid.homes()[..*own]);
            }
            let others = agents_of(agents, words, length);
            around.splice(homes.len()..homes.len(), (&others, 0..others.len()));
            homes.extend(words.chunks_exact(length).map(|words| words[length - 1]));
        }
    }

    /// The rows that neighbors of own agents may have their home cells in, beside outliers.
    fn rows_around(&self) -> Vec<[u32; 2]> {
        let Self { state, own, grid, motion, rules, .. } = self;
        let Some(range) = rules.as_ref().and_then(|rules| rules.active.range()) else {
            return Vec::new();
        };
        let (space, world) = (&motion.space, motion.space.world());
        let reach = grid.near_center_reach(motion.radius_min);
        let bands = self.slabs.bands(self.link.rank());
        let row = |band: usize| grid.bands().nth(band).expect("a rank has bands");
        let [low, high] = [row(bands.start).start, row(bands.end - 1).end - 1]
            .map(|row| grid.loose_bounds([0, row]));
        let near = [low.min.y - reach, high.max.y + reach];
        // Outliers may be anywhere.
        let outliers = grid.outliers_in(0..*own).map(|slot| [state.agents.y[slot as usize]; 2]);
        let copies = if space.repeats()[1] { -1..=1 } else { 0..=0_i8 };
        let shifts: Vec<_> = copies.map(|copy| f32::from(copy) * world.size().y).collect();
        let mut rows: Vec<_> = std::iter::once(near)
            .chain(outliers)
            .flat_map(|heights| shifts.iter().map(move |shift| heights.map(|y| y + shift)))
            .map(|[low, high]| {
                let [left, right] = [world.min.x, world.max.x];
                let area = Rect::new(Vec2::new(left, low), Vec2::new(right, high));
                grid.homes_of_centers(&area.expanded(range), reach).row
            })
            .collect();
        rows.sort_unstable();
        rows.dedup_by(|next, before| {
            let joins = next[0] <= before[1] + 1;
            before[1] = if joins { before[1].max(next[1]) } else { before[1] };
            joins
        });
        rows
    }
}
