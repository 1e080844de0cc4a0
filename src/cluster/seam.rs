//! Pairs across the seam of a world that repeats. They are resolved last, one after another, and the first
//! and the last slab are neighbors here. So all ranks know all of these pairs, and each resolves all of them.
//!
//! ```text
//! find      each rank tells all ranks the copies of its agents beside the opposite border, and pairs
//!           the copies that it is told with its own agents; then all ranks tell their pairs
//! resolve   all ranks tell the states of their agents in these pairs
//! ```

use glam::Vec2;

use super::{
    Link,
    border::{AGENT_WORDS, agent_of, columns, push_agent},
    late::{RankSlot, slot_here, take_states, visit_own},
};
use crate::{
    agents::Agents,
    contacts::Seam,
    error::Result,
    geometry::{Disc, Elements, Rect, Space},
    grid::Grid,
    step::{
        impulse::{self, Direction},
        motion::Motion,
        pair_contact::Exchange,
    },
};

/// Words of a copy: the slot, the disc, whether it is an outlier, and the disc that is copied.
const COPY_WORDS: usize = 8;

/// The pairs across the seam that all ranks know.
#[derive(Debug)]
pub(super) struct SharedSeam {
    space: Space,
    /// The copies of the agents of this rank.
    seam: Seam,
    /// In order, the lower agent first.
    pairs: Vec<[RankSlot; 2]>,
}

impl SharedSeam {
    /// The seam of a space, if it has one, with room for the copies of `agents` agents.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(space: Space, agents: usize) -> Result<Option<Self>> {
        let new = || Ok(Self { space, seam: Seam::new(space, agents)?, pairs: Vec::new() });
        space.is_periodic().then(new).transpose()
    }

    /// Finds all pairs.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    pub(super) fn find(
        &mut self,
        link: &mut impl Link,
        agents: &Agents,
        own: usize,
        grid: &Grid,
    ) -> Result<()> {
        let Self { space, seam, pairs } = self;
        // Which copies touch something depends on the outliers of all ranks.
        let Rect { min, max } = seam.reached(agents.discs(), grid);
        let reached = link.all_gather(&[min.x, min.y, max.x, max.y].map(f32::to_bits));
        let rect = |words: &Vec<u32>| {
            let [left, bottom, right, top] =
                [0, 1, 2, 3].map(|at: usize| f32::from_bits(words[at]));
            Rect::new(Vec2::new(left, bottom), Vec2::new(right, top))
        };
        let all = reached.iter().map(rect).reduce(|all, of_rank| all.union(&of_rank));
        seam.refresh_within(agents.discs(), grid, all.expect("there is a rank"))?;
        let halo = seam.halo();
        let copies = (0..halo.len()).filter(|&copy| (halo.slots()[copy] as usize) < own);
        let words: Vec<u32> = copies
            .flat_map(|copy| {
                let slot = halo.slots()[copy];
                let [copy, disc] = [halo.discs().shape(copy), agents.discs().shape(slot as usize)];
                let numbers = [copy, disc].map(|it| [it.center.x, it.center.y, it.radius]);
                let [[x, y, radius], [x0, y0, r0]] = numbers.map(|it| it.map(f32::to_bits));
                [slot, x, y, radius, grid.is_outlier(slot).into(), x0, y0, r0]
            })
            .collect();
        let rank = link.rank() as u32;
        let mut found = Vec::new();
        for (from, words) in (0..).zip(link.all_gather(&words)) {
            for words in words.chunks_exact(COPY_WORDS) {
                let disc = |first: usize| {
                    let [x, y, radius] = [0, 1, 2].map(|at| f32::from_bits(words[first + at]));
                    Disc::new(Vec2::new(x, y), radius)
                };
                let (other, copy, is_outlier) = ((from, words[0]), disc(1), words[4] != 0);
                visit_own(agents, own, grid, copy, |slot, finds| {
                    let place = (rank, slot);
                    // Each copy of an outlier meets everything; two outliers meet by the copies of both.
                    let counts = !finds || (is_outlier && place < other);
                    let [one, two] = [agents.discs().shape(slot as usize), disc(5)];
                    let apart = space.minimum_image(two.center - one.center);
                    let reach = one.radius + two.radius;
                    let overlap = apart.x * apart.x + apart.y * apart.y < reach * reach;
                    if counts && overlap {
                        let [low, high] = [place.min(other), place.max(other)];
                        found.extend([low.0, low.1, high.0, high.1]);
                    }
                });
            }
        }
        pairs.clear();
        for words in link.all_gather(&found) {
            let pair = |it: &[u32]| [(it[0], it[1]), (it[2], it[3])];
            pairs.extend(words.chunks_exact(4).map(pair));
        }
        pairs.sort_unstable();
        Ok(())
    }

    /// Resolves all pairs in a direction; returns their impulses in the order in which they were resolved.
    pub(super) fn resolve(
        &mut self,
        link: &mut impl Link,
        agents: &mut Agents,
        own: usize,
        direction: Direction,
        motion: &Motion,
    ) -> Vec<Exchange> {
        let Self { pairs, .. } = self;
        if pairs.is_empty() {
            return Vec::new();
        }
        let rank = link.rank() as u32;
        let mut places: Vec<_> = pairs.iter().flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        let mut words = Vec::new();
        for &(_, slot) in places.iter().filter(|(of, _)| *of == rank) {
            push_agent(&mut words, agents, slot as usize);
        }
        // Ranks and slots ascend, and so do the agents that are told.
        let told = link.all_gather(&words).concat();
        let mut table = columns(told.chunks_exact(AGENT_WORDS).map(agent_of));
        let entry = |place| places.binary_search(&place).expect("all agents are told") as u32;
        let mut exchanges = Vec::with_capacity(pairs.len());
        let mut view = table.view_mut();
        direction.each(pairs.iter(), |pair| {
            let pair = pair.map(entry);
            exchanges.push(impulse::resolve_across_seam(&mut view, pair, motion));
        });
        let count = agents.len();
        let slots = places.iter().map(|&place| slot_here(place, rank, own, count));
        take_states(agents, slots, &table);
        exchanges
    }
}
