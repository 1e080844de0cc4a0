//! The rule of the scene on several ranks.
//!
//! ```text
//! piston    moves the wall and the agents at it, own agents and ghosts alike
//! cannon    all ranks agree which balls are fired, where they are free, and which targets are hit
//! melee     own units strike among copies of those around; strikes on others go to the ranks that     around
//!           own these
//! sort      agents that come go to the ranks that own their home cells; those that leave are dropped  regrid
//! ```

use std::ops::Range;

use bytemuck::Pod;
use glam::Vec2;

use super::{
    Link, Rank,
    around::{Around, SlotsAround, rows_around},
    border,
    link::MeteredLink,
};
use crate::{
    agents::{Agents, Spawn},
    error::Result,
    geometry::{Disc, Elements, Rect},
    grid::Grid,
    scene::{
        context::{RuleContext, SceneRanks},
        rule::{Moment, RuleEdits},
    },
    sim::{self, RunState},
    step::{Phase, Probe, regrid::SUBSTEPS_AHEAD},
};

impl<L: Link> Rank<L> {
    /// Runs the rule of the scene, if it acts at this moment, and applies its edits.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn apply_rule(&mut self, moment: Moment, probe: &mut impl Probe) -> Result<()> {
        if !self.rule.acts(moment) {
            return Ok(());
        }
        probe.begin(Phase::Resolve);
        if let Some(swept) = &mut self.swept {
            swept.forget_ahead();
        }
        let reach = self.rule.reach();
        if let Some(reach) = reach {
            self.bring_around(self.rows_in_reach(reach))?;
        }
        // Taken out meanwhile, since its edits borrow from it.
        let mut rule = std::mem::take(&mut self.rule);
        let bands = self.slabs.bands(self.link.rank());
        let Self { link, state, own, motion, grid, around, all, .. } = self;
        let RunState { setup, agents, statics, steps, next_id, .. } = state;
        let (agents, grid, slots) = match around.as_deref_mut().filter(|_| reach.is_some()) {
            Some(Around { agents, grid, slots, .. }) => (agents, &*grid, Some(&*slots)),
            None => (agents, &*grid, None),
        };
        let own = slots.map_or(0..*own, |slots| slots.own.clone());
        let mut others = SceneLink { link, own, bands, slots, all: *all };
        let (steps, next_id) = (*steps, *next_id);
        let context = RuleContext { setup, motion, steps, next_id, agents, statics, grid };
        let edited = rule.run(moment, context, &mut others).and_then(|edits| {
            if reach.is_some() {
                self.take_over_around();
            }
            self.apply_edits(edits, probe)
        });
        self.rule = rule;
        edited
    }

    /// Takes over what the own agents have become among those around.
    fn take_over_around(&mut self) {
        let borders = self.borders();
        let Self { link, state: RunState { agents, .. }, own, around, .. } = self;
        if let Some(around) = around {
            agents.splice(0..*own, (&around.agents, around.slots.own.clone()));
            border::renew_ghosts(link, &borders, agents);
        }
    }

    fn apply_edits(&mut self, edits: RuleEdits<'_>, probe: &mut impl Probe) -> Result<()> {
        match edits {
            RuleEdits::None => Ok(()),
            RuleEdits::Wake(area) => {
                self.wake_near(&[area]);
                Ok(())
            }
            RuleEdits::Replace(removed, added) => {
                probe.begin(Phase::Regrid);
                self.replace(removed, added)
            }
            RuleEdits::Drop(dead) => {
                let dead = self.link.sum(dead as u64);
                if dead == 0 {
                    return Ok(());
                }
                probe.begin(Phase::Regrid);
                self.count_changes([0, dead]);
                self.sort_edited((None, 0))
            }
        }
    }

    /// Removes agents by their ids, and adds others: all ranks know both.
    fn replace(&mut self, removed: &[u32], added: &[Spawn]) -> Result<()> {
        let Self { state: RunState { agents, next_id, .. }, motion, regrid, .. } = self;
        let ids = sim::check_added(added, &motion.space, *next_id)?;
        regrid.mark_gone(agents, removed)?;
        self.count_changes([0, removed.len() as u64]);
        self.sort_edited((None, 0))?;
        let mut newborn = self.state.agents.none_alike();
        // One rank sends them to those that own their home cells.
        for (id, spawn) in ids.zip(added).filter(|_| self.link.rank() == 0) {
            newborn.push_spawn(spawn, id);
        }
        self.count_changes([added.len() as u64, 0]);
        self.sort_edited((Some(newborn), added.len() as u32))
    }

    /// Sorts all agents after some were marked as gone, and newborn ones given.
    pub(super) fn sort_edited(&mut self, newborn: (Option<Agents>, u32)) -> Result<()> {
        self.wake_near_gone();
        self.sort(newborn, SUBSTEPS_AHEAD * self.motion.dt)?;
        self.update_radii();
        Ok(())
    }

    /// Wakes the agents near those of any rank that are marked as gone.
    fn wake_near_gone(&mut self) {
        if self.solver.is_none() {
            return;
        }
        let RunState { agents, .. } = &self.state;
        let gone = (0..self.own).filter(|&slot| agents.id[slot] == Agents::GONE);
        let mut areas: Vec<[Vec2; 2]> = gone
            .map(|slot| {
                let Rect { min, max } = agents.discs().shape(slot).bounds();
                [min, max]
            })
            .collect();
        join(&mut self.link, &mut areas);
        let area = |[min, max]: [Vec2; 2]| Rect::new(min, max);
        self.wake_near(&areas.into_iter().map(area).collect::<Vec<_>>());
    }

    /// Wakes the agents near areas that change, of which all ranks know.
    fn wake_near(&mut self, areas: &[Rect]) {
        let Self { link, own, grid, contacts, solver, .. } = self;
        if let Some(of_rank) = solver.as_deref_mut().filter(|_| !areas.is_empty()) {
            let outliers = link.sum(grid.outliers_in(0..*own).count() as u64) as usize;
            for area in areas {
                of_rank.solver.wake_near(area, (outliers, grid), contacts);
            }
        }
    }

    /// The rows of agents that have a point within reach of an own agent, beside outliers.
    fn rows_in_reach(&self, reach: f32) -> Vec<[u32; 2]> {
        let Self { state: RunState { agents, .. }, grid, .. } = self;
        let outlier = |slot: usize| {
            let Rect { min, max } = agents.discs().shape(slot).bounds();
            [min.y, max.y]
        };
        let rows = |[low, high]: [f32; 2]| {
            let rows = grid.rows_reaching(low - reach, high + reach);
            vec![[rows.start, rows.end - 1]]
        };
        rows_around(grid, self.own_part(), grid.near_center_reach(0.0), outlier, rows)
    }
}

/// The link of a rank to the others while the rule of the scene runs.
struct SceneLink<'a, L> {
    link: &'a mut MeteredLink<L>,
    /// The slots of the own agents, among those that the rule runs on.
    own: Range<usize>,
    bands: Range<usize>,
    /// Of the agents around, if the rule runs on these.
    slots: Option<&'a SlotsAround>,
    /// The number of agents of all ranks.
    all: usize,
}

impl<L: Link> SceneRanks for SceneLink<'_, L> {
    fn own(&self, _: usize) -> Range<usize> {
        self.own.clone()
    }

    fn own_bands(&self, _: usize) -> Range<usize> {
        self.bands.clone()
    }

    fn all(&self, _: usize) -> usize {
        self.all
    }

    fn join<T: Pod>(&mut self, list: &mut Vec<T>) {
        join(self.link, list);
    }

    fn others_in(&mut self, area: &Rect, agents: &Agents, grid: &Grid) -> Vec<Disc> {
        let mut found = Vec::new();
        grid.visit_rect(agents, area, |slot| {
            let Disc { center, radius } = agents.discs().shape(slot as usize);
            found.push([center.x, center.y, radius]);
        });
        self.join(&mut found);
        found.into_iter().map(|[x, y, radius]| Disc::new(Vec2::new(x, y), radius)).collect()
    }

    fn hand_over(&mut self, list: &mut Vec<u32>) {
        let Self { link, own, slots: Some(slots), .. } = self else { return };
        let mut words = vec![Vec::new(); link.ranks()];
        list.retain(|&slot| {
            let is_own = own.contains(&(slot as usize));
            if !is_own {
                let (rank, told) = slots.owner(slot as usize);
                words[rank].push(told as u32);
            }
            is_own
        });
        for (told, words) in slots.told.iter().zip(link.all_to_all(&words)) {
            list.extend(words.iter().map(|&at| (own.start + told[at as usize]) as u32));
        }
    }
}

/// As [`SceneRanks::join`].
fn join<T: Pod>(link: &mut impl Link, list: &mut Vec<T>) {
    let words = link.all_gather(bytemuck::cast_slice(list)).concat();
    *list = bytemuck::pod_collect_to_vec(&words);
}
