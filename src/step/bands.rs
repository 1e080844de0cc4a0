//! Bands: the grid's rows cut into pieces that can be worked on at the same time.
//!
//! Slots are in row order, so a band owns a range of slots, and of anything that is laid out along the
//! slots: splitting the arrays between two bands gives each its part with no lock and nothing unsafe.

use std::ops::Range;

use crate::{agents::Agents, grid::Grid, parallel};

/// Some rows of the grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Band {
    /// Rows of loose cells.
    pub rows: Range<u32>,
    /// The slots of its rows.
    pub slots: Range<usize>,
    /// Where the slots of the next band's first row end: as far as its pairs reach.
    pub reach: usize,
    /// Where the contact list has room for its pairs.
    pub room: Range<usize>,
    /// How many pairs of near agents were found in it, and how many with far ones.
    pub found: [usize; 2],
    /// Impulses in the last resolve.
    pub collisions: u64,
}

impl Band {
    /// The places of its pairs of near agents.
    pub(super) fn near(&self) -> Range<usize> {
        self.room.start..self.room.start + self.found[0]
    }

    /// The places of its pairs with far agents.
    pub(super) fn far(&self) -> Range<usize> {
        let start = self.near().end;
        start..start + self.found[1]
    }
}

/// A grid's bands; their slots are not known yet.
pub(crate) fn of(grid: &Grid) -> Vec<Band> {
    grid.bands().map(|rows| Band { rows, ..Band::default() }).collect()
}

/// Looks up which slots belong to each band now.
pub(crate) fn assign(bands: &mut [Band], grid: &Grid) {
    let rows = grid.loose_cells()[1];
    for band in bands {
        let end = grid.row_slots(band.rows.end - 1).end;
        band.slots = grid.row_slots(band.rows.start).start..end;
        band.reach = if band.rows.end < rows { grid.row_slots(band.rows.end).end } else { end };
    }
}

/// A range of slots of the agents' arrays, positions and velocities to be changed.
#[derive(Debug)]
pub(crate) struct Slots<'a> {
    /// The slot of the first entry.
    pub first: usize,
    /// World units.
    pub x: &'a mut [f32],
    /// World units.
    pub y: &'a mut [f32],
    /// World units a second.
    pub vx: &'a mut [f32],
    /// World units a second.
    pub vy: &'a mut [f32],
    /// World units.
    pub radius: &'a [f32],
    /// Stable names.
    pub id: &'a [u32],
}

impl<'a> Slots<'a> {
    /// All slots.
    pub(crate) fn all(agents: &'a mut Agents) -> Self {
        Self {
            first: 0,
            x: &mut agents.x,
            y: &mut agents.y,
            vx: &mut agents.vx,
            vy: &mut agents.vy,
            radius: &agents.radius,
            id: &agents.id,
        }
    }

    /// Those before a slot, and the others.
    pub(crate) fn split_at(self, slot: usize) -> (Self, Self) {
        let at = slot - self.first;
        let (x, x2) = self.x.split_at_mut(at);
        let (y, y2) = self.y.split_at_mut(at);
        let (vx, vx2) = self.vx.split_at_mut(at);
        let (vy, vy2) = self.vy.split_at_mut(at);
        let (radius, radius2) = self.radius.split_at(at);
        let (id, id2) = self.id.split_at(at);
        (
            Self { first: self.first, x, y, vx, vy, radius, id },
            Self { first: slot, x: x2, y: y2, vx: vx2, vy: vy2, radius: radius2, id: id2 },
        )
    }
}

/// Calls `work` with every second band, the first one included, and the slots that its pairs reach, on
/// all threads of the pool.
pub(crate) fn every_second<F>(bands: &mut [Band], slots: Slots<'_>, work: &F)
where
    F: Fn(&mut Band, &mut Slots<'_>) + Sync,
{
    if bands.len() <= 2 {
        if let Some(band) = bands.first_mut() {
            let (_, rest) = slots.split_at(band.slots.start);
            let (mut reached, _) = rest.split_at(band.reach);
            work(band, &mut reached);
        }
        return;
    }
    let middle = (bands.len() / 2).next_multiple_of(2);
    let (lower, upper) = bands.split_at_mut(middle);
    let (below, above) = slots.split_at(upper[0].slots.start);
    parallel::join(|| every_second(lower, below, work), || every_second(upper, above, work));
}
