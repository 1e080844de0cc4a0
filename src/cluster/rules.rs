//! Rules on several ranks: each rank runs them for its own agents, among copies of all agents of other ranks
//! that may be within range.
//!
//! ```text
//! ask       each rank tells all ranks which rows its agents may have neighbors in
//! around    the agents of these rows and all outliers come, with their home cells:
//!           [ lower ranks | own | higher ranks ], as the slots of one process ascend
//! run       for the own agents, on a grid of all of these; what they become is taken over
//! ghosts    the first row of the next slab comes anew
//! ```
//!
//! Sums have the order of slots, so that they have the bits of one process.

use glam::Vec2;

use super::{
    Link, Rank, border,
    words::{agent_words, append, clear, push_agent, push_words, splice},
};
use crate::{
    agents::Agents,
    error::{Error, Field, Limit, Result, Value},
    geometry::{Rect, Space},
    grid::{Grid, GridConfig},
    rules::{ActiveRules, RuleMoment, Rules},
    sim::RunState,
    step::{Phase, Probe},
};

/// The rules of a run, and what they are run on.
#[derive(Debug)]
pub(super) struct SharedRules {
    pub(super) active: ActiveRules,
    /// The own agents among those of other ranks.
    around: Agents,
    homes: Vec<u32>,
    /// The number of agents of lower ranks among them.
    below: usize,
    grid: Grid,
}

impl SharedRules {
    /// The rules of a run, whose agents have the columns of `agents`.
    ///
    /// # Errors
    /// As [`check_rules`] and [`ActiveRules::new`], and if there is not enough memory.
    pub(super) fn new(
        rules: &Rules,
        agents: &Agents,
        config: GridConfig,
        space: &Space,
    ) -> Result<Self> {
        check_rules(rules)?;
        let grid = Grid::new(config)?;
        let active = ActiveRules::new(rules.clone(), agents, &grid, space, config.capacity)?;
        Ok(Self { active, around: agents.none_alike(), homes: Vec::new(), below: 0, grid })
    }
}

/// Refuses rules that several ranks can't have.
///
/// # Errors
/// If agents come or go by them, or pick others.
pub fn check_rules(rules: &Rules) -> Result<()> {
    let name = Value::Name("with births, deaths or picks");
    let refused = Error::invalid(Field::Rules, name, Limit::OneRank);
    if rules.changes_agents() { Err(refused) } else { Ok(()) }
}

impl<L: Link> Rank<L> {
    /// False if agents pass through each other.
    pub(super) fn collides(&self) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.active.collide())
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
        let Self { state, own, motion, rules, swept, simd, .. } = self;
        let RunState { agents, setup, steps, .. } = state;
        let Some(SharedRules { active, around, homes, below, grid }) = rules.as_deref_mut() else {
            return Ok(());
        };
        grid.set_homes(around, homes)?;
        let ruled = *below..*below + *own;
        let moment = RuleMoment::new(*steps, 1.0 / setup.hz, setup.seed);
        let space = &motion.space;
        active.run((around, &ruled), grid, space, motion.radius_min, moment, *simd);
        let mut changed = agents.none_alike();
        append(&mut changed, around, ruled);
        splice(agents, 0..*own, &changed);
        if let Some(swept) = swept {
            swept.forget_ahead();
        }
        let borders = self.borders();
        border::renew_ghosts(&mut self.link, &borders, &mut self.state.agents);
        Ok(())
    }

    /// Collects the own agents and those of other ranks that may be near.
    fn bring_around(&mut self) {
        let asked: Vec<_> = self.rows_around().into_iter().flatten().collect();
        let asked = self.link.all_gather(&asked);
        let Self { link, state: RunState { agents, .. }, own, grid, rules, .. } = self;
        let Some(SharedRules { around, homes, below, .. }) = rules.as_deref_mut() else { return };
        let rank = link.rank();
        let words: Vec<_> = (0..link.ranks())
            .map(|other| {
                let mut words = Vec::new();
                if other == rank {
                    return words;
                }
                let rows = asked[other].chunks_exact(2).flat_map(|rows| rows[0]..=rows[1]);
                let mut slots: Vec<_> = rows.flat_map(|row| grid.row_slots(row)).collect();
                slots.retain(|slot| slot < own);
                slots.extend(grid.outliers_in(0..*own).map(|slot| slot as usize));
                slots.sort_unstable();
                slots.dedup();
                for slot in slots {
                    push_words(&mut words, agents, slot);
                    words.push(grid.homes()[slot]);
                }
                words
            })
            .collect();
        let received = link.all_to_all(&words);
        clear(around);
        homes.clear();
        let length = agent_words(agents) + 1;
        for (from, words) in received.iter().enumerate() {
            if from == rank {
                *below = homes.len();
                append(around, agents, 0..*own);
                homes.extend_from_slice(&grid.homes()[..*own]);
            }
            for words in words.chunks_exact(length) {
                push_agent(around, words);
                homes.push(words[length - 1]);
            }
        }
    }

    /// The rows that neighbors of own agents may have their home cells in, beside outliers.
    fn rows_around(&self) -> Vec<[u32; 2]> {
        let Self { state, own, grid, motion, rules, .. } = self;
        let Some(range) = rules.as_ref().and_then(|rules| rules.active.range()) else {
            return Vec::new();
        };
        let (space, world) = (&motion.space, motion.space.world());
        let heights = state.agents.y[..*own].iter();
        let (low, high) = heights
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &y| (low.min(y), high.max(y)));
        if low > high {
            return Vec::new();
        }
        let area = Rect::new(Vec2::new(world.min.x, low), Vec2::new(world.max.x, high));
        let reach = grid.near_center_reach(motion.radius_min);
        let copies = if space.repeats()[1] { -1..=1 } else { 0..=0_i8 };
        let shifts = copies.map(|copy| Vec2::new(0.0, f32::from(copy) * world.size().y));
        shifts
            .map(|shift| grid.homes_of_centers(&area.expanded(range).shifted(shift), reach).row)
            .collect()
    }
}
