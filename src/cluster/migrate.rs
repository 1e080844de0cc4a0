//! Migration: before all agents are sorted, each goes to the rank that owns its next home cell. If this
//! cell is in the first row of a slab, a copy goes to the rank below, as a ghost.
//!
//! Ranks own ascending slots, so a rank that puts arrivals in the order of the ranks that they come from,
//! and then of their slots there, has its agents in the order of one process.

use super::{
    Link,
    slab::Slabs,
    words::{agent_words, agents_of, push_words},
};
use crate::{
    agents::Agents,
    geometry::Elements,
    grid::Grid,
    solver::{FixedImpulse, ImpulseOfIds, RememberedImpulses},
    step::regrid::Ahead,
};

/// The row of the next home cell of the agent in a slot.
fn next_row(ahead: &Ahead<'_>, grid: &Grid, slot: usize) -> u32 {
    grid.home_row(ahead.shape(slot).center)
}

/// Counts the first `own` agents, those alive, by the bands of their next home cells.
pub(super) fn count(agents: &Agents, own: usize, seconds: f32, grid: &Grid) -> Vec<u32> {
    let ahead = Ahead::new(agents, seconds, grid);
    let mut counts = vec![0; grid.bands().count()];
    for slot in (0..own).filter(|&slot| agents.id[slot] != Agents::GONE) {
        counts[band_of(grid, next_row(&ahead, grid, slot))] += 1;
    }
    counts
}

/// The ranks that get an agent with that row: the owner, and the rank below if it has the row as ghosts.
fn receivers(slabs: &Slabs, row: u32, grid: &Grid) -> (usize, Option<usize>) {
    let band = band_of(grid, row);
    let owner = slabs.owner(band);
    let is_first = band == slabs.bands(owner).start && row.is_multiple_of(height(grid));
    (owner, owner.checked_sub(1).filter(|_| is_first))
}

/// Rows per band; the last band may have fewer.
fn height(grid: &Grid) -> u32 {
    grid.bands().next().expect("a grid has a band").end
}

pub(super) fn band_of(grid: &Grid, row: u32) -> usize {
    (row / height(grid)) as usize
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
    let gets = |slot: &usize| {
        let (owner, below) = receivers(slabs, next_row(&ahead, grid, *slot), grid);
        owner == rank || below == Some(rank)
    };
    let mut words = Vec::new();
    (0..agents.len()).filter(gets).for_each(|slot| push_words(&mut words, agents, slot));
    agents_of(agents, &words, agent_words(agents))
}

/// Sends the first `own` agents, those alive, to the ranks that get them; `agents` becomes those that this rank
/// gets.
pub(super) fn migrate(
    link: &mut impl Link,
    agents: &mut Agents,
    own: usize,
    slabs: &Slabs,
    seconds: f32,
    grid: &Grid,
) {
    let rank = link.rank();
    let mut words = vec![Vec::new(); link.ranks()];
    let mut stay = Vec::with_capacity(own);
    let ahead = Ahead::new(agents, seconds, grid);
    for slot in 0..own {
        if agents.id[slot] == Agents::GONE {
            stay.push(false);
            continue;
        }
        let (owner, below) = receivers(slabs, next_row(&ahead, grid, slot), grid);
        for to in [Some(owner), below].into_iter().flatten().filter(|&to| to != rank) {
            push_words(&mut words[to], agents, slot);
        }
        stay.push(owner == rank || below == Some(rank));
    }
    let received = link.all_to_all(&words);
    agents.keep_first(&stay);
    let length = agent_words(agents);
    let lower = agents_of(agents, &received[..rank].concat(), length);
    agents.splice(0..0, (&lower, 0..lower.len()));
    let higher = agents_of(agents, &received[rank + 1..].concat(), length);
    agents.splice(agents.len()..agents.len(), (&higher, 0..higher.len()));
}

/// Impulses that come with agents to a rank.
#[derive(Debug, Default)]
pub(super) struct CarriedImpulses {
    pub(super) pairs: Vec<ImpulseOfIds>,
    /// Of pairs of which no rank gets both agents: all ranks know them.
    pub(super) orphans: Vec<ImpulseOfIds>,
    pub(super) fixed: Vec<FixedImpulse>,
    /// The ids of agents that have come since impulses were remembered.
    pub(super) newcomers: Vec<u32>,
}

/// Sends impulses to the ranks that get their agents, before the agents go.
pub(super) fn carry(
    link: &mut impl Link,
    agents: &Agents,
    impulses: &RememberedImpulses,
    slabs: &Slabs,
    seconds: f32,
    grid: &Grid,
) -> CarriedImpulses {
    let ahead = Ahead::new(agents, seconds, grid);
    let receivers = |slot: u32| {
        let (owner, below) = receivers(slabs, next_row(&ahead, grid, slot as usize), grid);
        [Some(owner), below]
    };
    // Pairs, orphans, newcomers, and impulses of walls and statics, for each rank.
    let mut words: Vec<[Vec<u32>; 4]> = vec![Default::default(); link.ranks()];
    for (pair, impulse) in &impulses.pairs {
        if pair.iter().any(|&slot| agents.id[slot as usize] == Agents::GONE) {
            continue;
        }
        let [one, other] = pair.map(receivers);
        let mut is_orphan = true;
        for to in one.into_iter().flatten().filter(|&to| other.contains(&Some(to))) {
            words[to][0].extend(impulse.words());
            is_orphan = false;
        }
        if is_orphan {
            for words in &mut words {
                words[1].extend(impulse.words());
            }
        }
    }
    let is_alive = |slot: &u32| agents.id[*slot as usize] != Agents::GONE;
    for (slot, impulse) in impulses.fixed.iter().filter(|(slot, _)| is_alive(slot)) {
        for to in receivers(*slot).into_iter().flatten() {
            words[to][3].extend(impulse.words());
        }
    }
    for &slot in impulses.newcomers.iter().filter(|slot| is_alive(slot)) {
        for to in receivers(slot).into_iter().flatten() {
            words[to][2].push(agents.id[slot as usize]);
        }
    }
    let words: Vec<_> = words
        .iter()
        .map(|[pairs, orphans, newcomers, fixed]| {
            let lengths = [pairs, orphans, newcomers].map(|words| words.len() as u32);
            [&lengths, &pairs[..], orphans, newcomers, fixed].concat()
        })
        .collect();
    let mut carried = CarriedImpulses::default();
    for words in link.all_to_all(&words) {
        let (pairs, others) = words[3..].split_at(words[0] as usize);
        let (orphans, others) = others.split_at(words[1] as usize);
        let (newcomers, fixed) = others.split_at(words[2] as usize);
        carried.newcomers.extend_from_slice(newcomers);
        let of_ids = |words: &[u32]| ImpulseOfIds::from_words(words);
        carried.pairs.extend(pairs.chunks_exact(ImpulseOfIds::WORDS).map(of_ids));
        carried.orphans.extend(orphans.chunks_exact(ImpulseOfIds::WORDS).map(of_ids));
        let fixed = fixed.chunks_exact(FixedImpulse::WORDS);
        carried.fixed.extend(fixed.map(FixedImpulse::from_words));
    }
    carried
}

/// Sends newborn agents to the ranks that get them, and appends those that this rank gets.
pub(super) fn add(
    link: &mut impl Link,
    agents: &mut Agents,
    mut newborn: Agents,
    slabs: &Slabs,
    seconds: f32,
    grid: &Grid,
) {
    let count = newborn.len();
    migrate(link, &mut newborn, count, slabs, seconds, grid);
    agents.splice(agents.len()..agents.len(), (&newborn, 0..newborn.len()));
}
