//! Contacts: which agents overlap, in canonical order.
//!
//! ```text
//! pairs [ band 0: room for K · its agents   | band 1: room for K · its agents | …
//!         near (i,j) … far (i,j) …  · · · ·   near (i,j) … far (i,j) … · · ·
//! ```
//!
//! The list is laid out along the slots: a band that owns n agents owns room for K·n pairs, wherever the
//! agents have moved, so that nothing is allocated as they do. If a band needs more, the whole list grows
//! before anything is resolved. A pair is never dropped.
//!
//! Of the pairs of near agents, slot i is in one of the band's rows, and slot j behind it in the same row or
//! in the next. Pairs with a far agent may reach anywhere; they stand behind, and are resolved last.

use crate::{
    agents::Agents,
    alloc,
    error::Result,
    grid::Grid,
    parallel,
    simd::SimdLevel,
    step::{
        bands::{self, Band},
        order::Ordered,
        search::{Columns, search},
    },
};

/// Two slots, the lower first.
pub(crate) type Pair = [u32; 2];

/// Room for a band's pairs whatever its number of agents.
const ROOM_MIN: usize = 16;
/// Room is counted in parts of an agent.
const PARTS: usize = 16;

/// The pairs that overlap.
#[derive(Debug)]
pub(crate) struct Contacts {
    /// The grid's rows, with the slots and the number of pairs found in each.
    pub bands: Vec<Band>,
    pairs: Vec<Pair>,
    /// Agents that there may be.
    capacity: usize,
    /// Room for pairs, in parts an agent.
    room: usize,
    /// For each place in `pairs`: how fast the two approached when it was read.
    speeds: Vec<f32>,
    /// Times that the lists had to grow.
    pub growths: u64,
    /// The instructions that the search runs with.
    pub simd: SimdLevel,
}

impl Contacts {
    /// Lists for `capacity` agents with `per_agent` pairs each, in a grid's bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, per_agent: f32, grid: &Grid) -> Result<Self> {
        let bands = bands::of(grid);
        let room = (per_agent * PARTS as f32) as usize;
        let length = length(capacity, room, bands.len());
        Ok(Self {
            pairs: alloc::filled(length, [0; 2], "the contact lists")?,
            bands,
            capacity,
            room,
            speeds: Vec::new(),
            growths: 0,
            simd: SimdLevel::best(),
        })
    }

    /// Finds all pairs that overlap now. The agents lie in the grid's cell order.
    ///
    /// # Errors
    /// If the lists must grow and there is not enough memory.
    pub(crate) fn find(&mut self, agents: &Agents, grid: &Grid) -> Result<()> {
        let simd = self.simd;
        self.fill(grid, |bands, pairs| find_in(bands, pairs, agents, grid, simd))
    }

    /// Takes the pairs that were found and ordered elsewhere, of agents in the grid's cell order.
    ///
    /// # Errors
    /// If the lists must grow and there is not enough memory.
    pub(crate) fn take(&mut self, ordered: &Ordered, grid: &Grid) -> Result<()> {
        self.fill(grid, |bands, pairs| ordered.put(bands, pairs))
    }

    /// Fills the lists by `put`, again with more room if there was too little.
    fn fill(&mut self, grid: &Grid, put: impl Fn(&mut [Band], &mut [Pair])) -> Result<()> {
        bands::assign(&mut self.bands, grid);
        loop {
            self.share_room();
            put(&mut self.bands, &mut self.pairs);
            let Some(needed) = self.bands.iter().filter_map(lacking).max() else { return Ok(()) };
            let room = needed + needed / 4 + 1;
            let length = length(self.capacity, room, self.bands.len());
            alloc::grow_to(&mut self.pairs, length, [0; 2], "the contact lists")?;
            self.room = room;
            self.growths += 1;
        }
    }

    /// All pairs in canonical order: band after band, then the far ones.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Pair> {
        let near = self.bands.iter().flat_map(|band| &self.pairs[band.near()]);
        near.chain(self.bands.iter().flat_map(|band| &self.pairs[band.far()])).copied()
    }

    /// How many pairs there are.
    pub(crate) fn len(&self) -> usize {
        self.bands.iter().map(|band| band.found[0] + band.found[1]).sum()
    }

    /// Reads how fast the two of each pair approach now.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn read_speeds(&mut self, agents: &Agents) -> Result<()> {
        alloc::grow_to(&mut self.speeds, self.pairs.len(), 0.0, "the contacts' speeds")?;
        let pairs = &self.pairs;
        parallel::parts(&mut self.bands, &mut self.speeds[..], &cut_room, &|band, speeds| {
            for (speed, &pair) in speeds.iter_mut().zip(&pairs[band.near().start..band.far().end]) {
                *speed = approach_speed(agents, pair);
            }
        });
        Ok(())
    }

    /// The lists, to be worked through.
    pub(super) fn lists(&mut self) -> Lists<'_> {
        let Self { bands, pairs, speeds, .. } = self;
        Lists { bands, pairs, speeds }
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
            + self.speeds.capacity() * size_of::<f32>()
            + self.bands.capacity() * size_of::<Band>()
    }

    fn share_room(&mut self) {
        for (index, band) in self.bands.iter_mut().enumerate() {
            let start = |slot: usize, index| slot * self.room / PARTS + index * (ROOM_MIN + 1);
            band.room = start(band.slots.start, index)..start(band.slots.end, index + 1);
        }
    }
}

/// The contact lists, lent to who works through them: the bands to be written to, the rest as it is.
#[derive(Debug)]
pub(super) struct Lists<'a> {
    pub(super) bands: &'a mut [Band],
    pub(super) pairs: &'a [Pair],
    pub(super) speeds: &'a [f32],
}

fn length(agents: usize, room: usize, bands: usize) -> usize {
    agents * room / PARTS + bands * (ROOM_MIN + 1)
}

/// If the band found more pairs than it has room for: the room that would have done.
fn lacking(band: &Band) -> Option<usize> {
    let found = band.found.iter().sum::<usize>();
    let lacks = found > band.room.len();
    lacks.then(|| ((found - ROOM_MIN) * PARTS).div_ceil(band.slots.len()))
}

/// Fills the bands' rooms, on all threads of the pool.
fn find_in(bands: &mut [Band], pairs: &mut [Pair], agents: &Agents, grid: &Grid, simd: SimdLevel) {
    let columns = Columns::of(agents);
    parallel::parts(bands, pairs, &cut_room, &|band, room| {
        let room = &mut room[..band.room.len()];
        band.found = search(columns, grid, band.slots.clone(), room, simd);
    });
}

/// Cuts what is laid out as the pairs are.
fn cut_room<'a, T>(
    laid_out: &'a mut [T],
    lower: &Band,
    upper: &Band,
) -> (&'a mut [T], &'a mut [T]) {
    laid_out.split_at_mut(upper.room.start - lower.room.start)
}

/// How fast two agents approach along the line of their centres; 0 if these coincide.
///
/// Inlined, and of the four columns that it needs alone: gathering whole agents took a third of a step of
/// `pile`.
#[inline]
fn approach_speed(Agents { x, y, vx, vy, .. }: &Agents, [i, j]: Pair) -> f32 {
    let (i, j) = (i as usize, j as usize);
    let (dx, dy) = (x[j] - x[i], y[j] - y[i]);
    let distance = (dx * dx + dy * dy).sqrt();
    if distance > 0.0 { -(dx * (vx[j] - vx[i]) + dy * (vy[j] - vy[i])) / distance } else { 0.0 }
}
