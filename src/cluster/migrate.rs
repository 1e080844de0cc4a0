//! Migration: before all agents are sorted, each goes to the rank that owns its next home cell, and a
//! copy to the rank below if that is in the first row of a slab.
//!
//! Ranks own ascending slots, so a rank that puts arrivals in the order of the ranks that they come from,
//! and then of their slots there, has its agents in the order of one process.

use super::{
    Link,
    border::{AGENT_WORDS, agent_of, columns, push_agent},
    slab::Slabs,
};
use crate::{agents::Agents, geometry::Elements, grid::Grid, step::regrid::Ahead};

/// The row of the next home cell of the agent in a slot.
fn next_row(ahead: &Ahead<'_>, grid: &Grid, slot: usize) -> u32 {
    grid.home_row(ahead.shape(slot).center)
}

/// The number of agents in some slots whose next home cells are in each band.
pub(super) fn count(agents: &Agents, own: usize, seconds: f32, grid: &Grid) -> Vec<u32> {
    let ahead = Ahead::new(agents, seconds, grid);
    let rows: Vec<_> = grid.bands().collect();
    let mut counts = vec![0; rows.len()];
    for slot in 0..own {
        counts[(next_row(&ahead, grid, slot) / rows[0].end) as usize] += 1;
    }
    counts
}

/// The ranks that get the agent in a slot: its owner, and the rank below if that has it as a ghost.
fn receivers(slabs: &Slabs, heights: u32, row: u32) -> (usize, Option<usize>) {
    let owner = slabs.owner((row / heights) as usize);
    let is_first = row == slabs.bands(owner).start as u32 * heights;
    (owner, owner.checked_sub(1).filter(|_| is_first))
}

/// Keeps those agents that a rank gets.
pub(super) fn keep(
    agents: &Agents,
    rank: usize,
    slabs: &Slabs,
    seconds: f32,
    grid: &Grid,
) -> Agents {
    let ahead = Ahead::new(agents, seconds, grid);
    let height = grid.bands().next().map_or(1, |rows| rows.end);
    let gets = |slot: &usize| {
        let (owner, below) = receivers(slabs, height, next_row(&ahead, grid, *slot));
        owner == rank || below == Some(rank)
    };
    columns((0..agents.len()).filter(gets).map(|slot| agents.get(slot)))
}

/// Sends the first `own` agents to the ranks that get them; `agents` becomes those that this rank gets.
pub(super) fn migrate(
    link: &mut impl Link,
    agents: &mut Agents,
    own: usize,
    slabs: &Slabs,
    seconds: f32,
    grid: &Grid,
) {
    let height = grid.bands().next().map_or(1, |rows| rows.end);
    let mut words = vec![Vec::new(); link.ranks()];
    let ahead = Ahead::new(agents, seconds, grid);
    for slot in 0..own {
        let (owner, below) = receivers(slabs, height, next_row(&ahead, grid, slot));
        push_agent(&mut words[owner], agents, slot);
        if let Some(below) = below {
            push_agent(&mut words[below], agents, slot);
        }
    }
    let received = link.all_to_all(words);
    let Agents { x, y, vx, vy, radius, id, .. } = agents;
    [x, y, vx, vy, radius].into_iter().for_each(Vec::clear);
    id.clear();
    for words in received {
        words.chunks_exact(AGENT_WORDS).for_each(|words| agents.push(agent_of(words)));
    }
}
