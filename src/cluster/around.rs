//! The agents of other ranks around the own ones, for rules that look at neighbors.
//!
//! ```text
//! ask       each rank tells all ranks which rows its agents may have neighbors in
//! tell      the agents of these rows and all outliers come, with their home cells:
//!           [ lower ranks | own | higher ranks ], as the slots of one process ascend
//! ```
//!
//! Sums have the order of slots, so that they have the bits of one process.

use std::ops::Range;

use super::{
    Link,
    link::MeteredLink,
    words::{agent_words, agents_of, push_words},
};
use crate::{
    agents::Agents,
    error::Result,
    grid::{Grid, GridConfig},
};

/// The own agents among those of other ranks that may be near.
#[derive(Debug)]
pub(super) struct Around {
    pub(super) agents: Agents,
    /// The home cells of these agents, and a grid of them.
    homes: Vec<u32>,
    pub(super) grid: Grid,
    pub(super) slots: SlotsAround,
}

/// The owners of the slots around.
#[derive(Debug, Default)]
pub(super) struct SlotsAround {
    /// The first slot of each rank, and the number of slots.
    first: Vec<usize>,
    pub(super) own: Range<usize>,
    /// The slots of the own agents that each other rank has around its own, in their order there.
    pub(super) told: Vec<Vec<usize>>,
}

impl SlotsAround {
    /// The rank that owns the agent in a slot, and which of the agents that this rank was told of it is.
    pub(super) fn owner(&self, slot: usize) -> (usize, usize) {
        let rank = self.first.partition_point(|&first| first <= slot) - 1;
        (rank, slot - self.first[rank])
    }
}

impl Around {
    /// None yet, of agents with the columns of `agents`.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(agents: &Agents, config: GridConfig) -> Result<Self> {
        let grid = Grid::new(config)?;
        let (agents, slots) = (agents.none_alike(), SlotsAround::default());
        Ok(Self { agents, homes: Vec::new(), grid, slots })
    }

    /// Collects the own agents and those of other ranks that are in these rows, or outliers.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn collect(
        &mut self,
        link: &mut MeteredLink<impl Link>,
        (agents, own): (&Agents, usize),
        grid: &Grid,
        rows: Vec<[u32; 2]>,
    ) -> Result<()> {
        let rows: Vec<_> = rows.into_iter().flatten().collect();
        let asked = link.all_gather(&rows);
        let Self { agents: around, homes, grid: grid_around, slots } = self;
        let SlotsAround { first, own: own_slots, told } = slots;
        let rank = link.rank();
        told.resize(link.ranks(), Vec::new());
        let mut words = vec![Vec::new(); link.ranks()];
        let others = told.iter_mut().zip(&asked).zip(&mut words).enumerate();
        for (_, ((slots, asked), words)) in others.filter(|(other, _)| *other != rank) {
            let rows = asked.chunks_exact(2).flat_map(|rows| rows[0]..=rows[1]);
            slots.clear();
            slots.extend(rows.flat_map(|row| grid.row_slots(row)).filter(|slot| *slot < own));
            slots.extend(grid.outliers_in(0..own).map(|slot| slot as usize));
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
        first.clear();
        let length = agent_words(agents) + 1;
        for (from, words) in received.iter().enumerate() {
            first.push(homes.len());
            if from == rank {
                *own_slots = homes.len()..homes.len() + own;
                around.splice(homes.len()..homes.len(), (agents, 0..own));
                homes.extend_from_slice(&grid.homes()[..own]);
            }
            let others = agents_of(agents, words, length);
            around.splice(homes.len()..homes.len(), (&others, 0..others.len()));
            homes.extend(words.chunks_exact(length).map(|words| words[length - 1]));
        }
        first.push(homes.len());
        grid_around.set_homes(around, homes)
    }
}

/// The rows that something of the own agents reaches into. Their near discs are within `reach` of the cells of the
/// own bands, and those of outliers where `outlier` says. `rows` are the rows of an interval of heights.
pub(super) fn rows_around(
    grid: &Grid,
    (bands, own): (Range<usize>, usize),
    reach: f32,
    outlier: impl Fn(usize) -> [f32; 2],
    rows: impl Fn([f32; 2]) -> Vec<[u32; 2]>,
) -> Vec<[u32; 2]> {
    let row = |band: usize| grid.bands().nth(band).expect("a rank has bands");
    let [low, high] =
        [row(bands.start).start, row(bands.end - 1).end - 1].map(|row| grid.loose_bounds([0, row]));
    let near = [low.min.y - reach, high.max.y + reach];
    // Outliers may be anywhere.
    let outliers = grid.outliers_in(0..own).map(|slot| outlier(slot as usize));
    let mut rows: Vec<_> = std::iter::once(near).chain(outliers).flat_map(rows).collect();
    rows.sort_unstable();
    rows.dedup_by(|next, before| {
        let joins = next[0] <= before[1] + 1;
        before[1] = if joins { before[1].max(next[1]) } else { before[1] };
        joins
    });
    rows
}
