//! The contact list: all pairs that overlap, in canonical order.
//!
//! ```text
//! pairs [ band 0: capacity K · its agents     | band 1: capacity K · its agents   | …
//!         near (i,j) … outlier (i,j) …  · · ·   near (i,j) … outlier (i,j) … · · ·
//! ```
//!
//! The list is laid out along the slots: a band of n agents owns a capacity of K·n pairs, wherever
//! the agents have moved, so that nothing is allocated as they do. If a band needs more, the whole
//! list grows and is filled again before anything is resolved. A pair is never dropped.
//!
//! In a near pair, slot i is in one of the band's rows, and slot j behind it in the same row or in
//! the next. A pair with an outlier may reach anywhere; these pairs come after the near ones and
//! are resolved last.

use super::{
    bands::{self, Band, Pair},
    search::search,
};
use crate::{
    agents::{Agents, AgentsMut},
    alloc,
    error::Result,
    geometry::DiscColumns,
    grid::Grid,
    parallel,
    simd::SimdLevel,
};

/// Capacity of a band beside that of its agents, in pairs.
const CAPACITY_MIN: usize = 16;

/// Capacity per agent is counted in sixteenths of a pair.
const PARTS: usize = 16;

/// The pairs that overlap.
#[derive(Clone, Debug)]
pub(crate) struct Contacts {
    /// The grid's rows, with the slots and the number of pairs of each band.
    bands: Vec<Band>,
    pairs: Vec<Pair>,
    /// Maximum number of agents.
    capacity: usize,
    /// Capacity for pairs, in [`PARTS`] per agent.
    per_agent: usize,
    /// Approach speed of each entry of `pairs`, as of the last [`Self::read_speeds`].
    speeds: Vec<f32>,
    growths: u64,
}

impl Contacts {
    /// Creates the list of `capacity` agents with `per_agent` pairs each, in a grid's bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, per_agent: f32, grid: &Grid) -> Result<Self> {
        let bands = bands::bands(grid);
        let per_agent = (per_agent * PARTS as f32) as usize;
        let length = length(capacity, per_agent, bands.len());
        Ok(Self {
            pairs: alloc::filled(length, [0; 2], "the contact lists")?,
            bands,
            capacity,
            per_agent,
            speeds: Vec::new(),
            growths: 0,
        })
    }

    /// Bytes that [`Self::new`] allocates for `bands` bands; with `speeds`, also what
    /// [`Self::read_speeds`] adds.
    pub(crate) fn bytes_for(capacity: usize, per_agent: f32, bands: usize, speeds: bool) -> usize {
        let pair = size_of::<Pair>() + if speeds { size_of::<f32>() } else { 0 };
        length(capacity, (per_agent * PARTS as f32) as usize, bands) * pair
            + bands * size_of::<Band>()
    }

    /// Finds all pairs of discs that overlap. The discs lie in the grid's cell order.
    ///
    /// # Errors
    /// If the list must grow and there is not enough memory.
    pub(crate) fn find(
        &mut self,
        discs: DiscColumns<'_>,
        grid: &Grid,
        simd: SimdLevel,
    ) -> Result<()> {
        self.fill(grid, |bands, pairs| {
            parallel::parts(bands, pairs, &split_storage, &|band, storage| {
                let storage = &mut storage[..band.storage.len()];
                band.found = search(discs, grid, band.slots.clone(), storage, simd);
            });
        })
    }

    /// Fills the list by `put`, which stores as many pairs of each band as its storage holds, in
    /// canonical order, and counts all of them. If a band's storage is too small, the list grows
    /// and `put` is called again.
    ///
    /// # Errors
    /// If the list must grow and there is not enough memory.
    pub(crate) fn fill(
        &mut self,
        grid: &Grid,
        put: impl Fn(&mut [Band], &mut [Pair]),
    ) -> Result<()> {
        bands::assign(&mut self.bands, grid);
        loop {
            self.divide_storage();
            put(&mut self.bands, &mut self.pairs);
            let Some(needed) = self.bands.iter().filter_map(lacking).max() else { return Ok(()) };
            let per_agent = needed + needed / 4 + 1;
            let length = length(self.capacity, per_agent, self.bands.len());
            alloc::grow_to(&mut self.pairs, length, [0; 2], "the contact lists")?;
            self.per_agent = per_agent;
            self.growths += 1;
        }
    }

    /// All pairs in canonical order: the near ones band by band, then those with an outlier band by
    /// band.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Pair> {
        let near = self.bands.iter().flat_map(|band| &self.pairs[band.near()]);
        near.chain(self.bands.iter().flat_map(|band| &self.pairs[band.outliers()])).copied()
    }

    /// Number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.bands.iter().map(|band| band.found[0] + band.found[1]).sum()
    }

    /// Number of times that the list has grown.
    pub(crate) fn growths(&self) -> u64 {
        self.growths
    }

    /// Counts growths of a list that pairs pass through on their way into this one.
    pub(crate) fn add_growths(&mut self, growths: u64) {
        self.growths += growths;
    }

    /// Stores the current approach speed of each pair, for [`Self::resolve`].
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn read_speeds(&mut self, agents: &Agents) -> Result<()> {
        alloc::grow_to(&mut self.speeds, self.pairs.len(), 0.0, "the contacts' speeds")?;
        let pairs = &self.pairs;
        parallel::parts(&mut self.bands, &mut self.speeds[..], &split_storage, &|band, speeds| {
            let own = band.near().start..band.outliers().end;
            for (speed, &pair) in speeds.iter_mut().zip(&pairs[own]) {
                *speed = approach_speed(agents, pair);
            }
        });
        Ok(())
    }

    /// Calls `work` with each pair in canonical order, and with its approach speed if
    /// [`Self::read_speeds`] stored it: the near pairs of even bands on all threads of the pool,
    /// then those of odd bands, then the pairs with an outlier on the calling thread. Returns how
    /// often `work` returned true.
    pub(crate) fn resolve(
        &mut self,
        agents: &mut Agents,
        work: &(impl Fn(&mut AgentsMut<'_>, Pair, f32) -> bool + Sync),
    ) -> u64 {
        let Self { bands, pairs, speeds, .. } = self;
        let resolve = |agents: &mut AgentsMut<'_>, entries: std::ops::Range<usize>| -> u64 {
            let speed = |entry: usize| speeds.get(entry).copied().unwrap_or(0.0);
            entries.map(|entry| u64::from(work(agents, pairs[entry], speed(entry)))).sum()
        };
        for first in 0..bands.len().min(2) {
            bands::every_second(&mut bands[first..], agents.view_mut(), &|band, agents| {
                band.collisions = resolve(agents, band.near());
            });
        }
        let mut agents = agents.view_mut();
        bands.iter().map(|band| band.collisions + resolve(&mut agents, band.outliers())).sum()
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
            + self.speeds.capacity() * size_of::<f32>()
            + self.bands.capacity() * size_of::<Band>()
    }

    fn divide_storage(&mut self) {
        for (index, band) in self.bands.iter_mut().enumerate() {
            let start =
                |slot: usize, index| slot * self.per_agent / PARTS + index * (CAPACITY_MIN + 1);
            band.storage = start(band.slots.start, index)..start(band.slots.end, index + 1);
        }
    }
}

fn length(agents: usize, per_agent: usize, bands: usize) -> usize {
    agents * per_agent / PARTS + bands * (CAPACITY_MIN + 1)
}

/// The capacity per agent that a band's pairs need, if they did not fit its storage.
fn lacking(band: &Band) -> Option<usize> {
    let found = band.found.iter().sum::<usize>();
    let lacks = found > band.storage.len();
    lacks.then(|| ((found - CAPACITY_MIN) * PARTS).div_ceil(band.slots.len()))
}

/// Splits an array that is laid out as the pairs are, between two bands.
fn split_storage<'a, T>(
    array: &'a mut [T],
    lower: &Band,
    upper: &Band,
) -> (&'a mut [T], &'a mut [T]) {
    array.split_at_mut(upper.storage.start - lower.storage.start)
}

/// Speed at which two agents approach along the line of their centers; 0 if the centers coincide.
///
/// Inlined, and reads only the four columns that it needs: gathering whole agents took a third of a
/// step of `pile`.
#[inline]
fn approach_speed(Agents { x, y, vx, vy, .. }: &Agents, [i, j]: Pair) -> f32 {
    let (i, j) = (i as usize, j as usize);
    let (dx, dy) = (x[j] - x[i], y[j] - y[i]);
    let distance = (dx * dx + dy * dy).sqrt();
    if distance > 0.0 { -(dx * (vx[j] - vx[i]) + dy * (vy[j] - vy[i])) / distance } else { 0.0 }
}
