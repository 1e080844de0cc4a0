//! What the rule of a scene works on: the parts of a run, and what the ranks of a cluster tell each other.

use std::ops::Range;

use bytemuck::Pod;

use super::setup::Setup;
use crate::{
    agents::Agents,
    geometry::{Disc, Rect},
    grid::Grid,
    statics::Statics,
    step::motion::Motion,
};

/// The parts of a run that a rule reads and changes.
#[derive(Debug)]
pub(crate) struct RuleContext<'a> {
    pub setup: &'a Setup,
    pub motion: &'a Motion,
    /// Steps completed.
    pub steps: u64,
    /// The id of the next agent to be added.
    pub next_id: u32,
    pub agents: &'a mut Agents,
    pub statics: &'a mut Statics,
    pub grid: &'a Grid,
}

/// The other ranks.
pub(crate) trait SceneRanks {
    /// The slots of the agents that this rank owns, among those that it has.
    fn own(&self, agents: usize) -> Range<usize> {
        0..agents
    }

    /// The bands that this rank owns.
    fn own_bands(&self, bands: usize) -> Range<usize> {
        0..bands
    }

    /// The number of agents of all ranks.
    fn all(&self, agents: usize) -> usize {
        agents
    }

    /// Replaces a list by the lists of all ranks, in the order of the ranks. Its items are whole words.
    fn join<T: Pod>(&mut self, _list: &mut Vec<T>) {}

    /// The agents of other ranks in an area.
    fn others_in(&mut self, _area: &Rect, _agents: &Agents, _grid: &Grid) -> Vec<Disc> {
        Vec::new()
    }

    /// Takes the slots of agents of other ranks out of a list, and appends the slots of own agents that other
    /// ranks have in theirs.
    fn hand_over(&mut self, _slots: &mut Vec<u32>) {}
}

/// None: the run is that of one process.
impl SceneRanks for () {}
