//! The contact list: all pairs that overlap, in canonical order.
//!
//! ```text
//! pairs [ band 0: capacity K · its agents     | band 1: capacity K · its agents   | …
//!         near (i,j) … outlier (i,j) …  · · ·   near (i,j) … outlier (i,j) … · · ·
//! ```
//!
//! The list is laid out along the slots: a band of n agents owns a capacity of K·n pairs, wherever
//! the agents have moved, so that nothing is allocated as they do. If a band needs more, K grows to
//! what agents need on average and the band gets [its own room](Rooms); the list is filled again
//! before anything is resolved. No pair is dropped for lack of room. Swept collisions drop pairs that
//! do not collide, and pairs that have collided.
//!
//! In a near pair, slot i is in one of the band's rows, and slot j behind it in the same row or in
//! the next. A pair with an outlier may reach anywhere; these pairs come after the near ones in
//! canonical order, and pairs across the seam after them.

use super::{
    bands::{self, Band, ListPart, Pair},
    narrow::{KeptPairs, Narrowing, Sought},
    rooms::Rooms,
    seam::Seam,
    search::{Near, search},
};
use crate::{
    alloc,
    error::{Adjust, Result},
    geometry::Space,
    grid::Grid,
    parallel::{self, Split},
    simd::SimdLevel,
    snapshot::{Lines, Snapshot, Writer, require, write_line},
};

/// Capacity of a band in addition to the capacity for its agents, in pairs.
const CAPACITY_MIN: usize = 18;

/// Purpose of the memory, for errors.
const PAIRS: &str = "the contact lists";

/// The section with the rooms of the bands.
const ROOMS: &str = "contacts.room";

/// Even and odd bands, in canonical order.
pub(crate) const PARITIES: [usize; 2] = [0, 1];

/// Capacity per agent is counted in sixteenths of a pair.
const PARTS: usize = 16;

/// The pairs that overlap.
#[derive(Clone, Debug)]
pub(crate) struct ContactList {
    /// The grid's rows, with the slots and the number of pairs of each band.
    bands: Vec<Band>,
    pairs: Vec<Pair>,
    /// Maximum number of agents.
    capacity: usize,
    /// Capacity for pairs, in [`PARTS`] per agent.
    per_agent: usize,
    rooms: Rooms,
    growths: u64,
    /// None in a world with walls.
    seam: Option<Seam>,
    /// The bands before this one are searched: all of them, or those up to the last own band of a rank,
    /// which has no agents in the bands below its own.
    end: usize,
}

impl ContactList {
    /// Creates the list of `capacity` agents with `per_agent` pairs each, in a grid's bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, per_agent: f32, grid: &Grid) -> Result<Self> {
        let rooms = Rooms::new(grid.bands().count())?;
        Self::with_rooms(capacity, (per_agent * PARTS as f32) as usize, rooms, grid)
    }

    fn with_rooms(capacity: usize, per_agent: usize, rooms: Rooms, grid: &Grid) -> Result<Self> {
        let bands = bands::bands(grid);
        let length = length(capacity, per_agent, bands.len()) + rooms.sum();
        let pairs = alloc::zeroed(length, PAIRS)?;
        let end = bands.len();
        Ok(Self { bands, pairs, capacity, per_agent, rooms, growths: 0, seam: None, end })
    }

    /// Creates an empty list as long as this one, without a seam.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn like(&self, grid: &Grid) -> Result<Self> {
        Self::with_rooms(self.capacity, self.per_agent, self.rooms.clone(), grid)
    }

    /// This list with the pairs across the seam of a space, if it has one.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn with_seam(self, space: Space) -> Result<Self> {
        let seam = space.is_periodic().then(|| Seam::new(space, self.capacity)).transpose()?;
        Ok(Self { seam, ..self })
    }

    /// Leaves out the bands from this one on, which other ranks own.
    pub(crate) fn end_before(&mut self, band: usize) {
        self.end = band;
    }

    /// Bytes that [`Self::with_seam`] allocates.
    pub(crate) fn memory_for_seam(capacity: usize, is_periodic: bool) -> usize {
        if is_periodic { Seam::memory_for(capacity) } else { 0 }
    }

    /// Writes how far the list has grown, and the numbers of pairs. The filter of a search changes
    /// none of its pairs, so [`Band::dense`] is left out.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn save(&self, to: &mut Writer) -> Result<()> {
        let mut text = String::new();
        write_line(&mut text, "per_agent", self.per_agent);
        write_line(&mut text, "growths", self.growths);
        to.text("contacts", &text)?;
        self.rooms.save(ROOMS, to)?;
        to.values("contacts.found", self.bands.iter().flat_map(|band| band.found.map(|n| n as u32)))
    }

    /// Reads the list of a run of `capacity` agents on a grid.
    ///
    /// # Errors
    /// If it was not written so, would be longer than any run's, or there is not enough memory.
    pub(crate) fn load(from: &Snapshot, capacity: usize, grid: &Grid) -> Result<Self> {
        let bands = grid.bands().count();
        let (per_agent, growths, rooms) = Self::saved_rooms(from, capacity, bands)?;
        let found: Vec<u32> = from.array("contacts.found", 2 * bands, 0)?;
        let all = found.iter().map(|&count| u64::from(count)).sum::<u64>();
        require(all <= list_max(capacity), "contacts.found", "is more than any run has")?;
        let mut contacts = Self::with_rooms(capacity, per_agent, rooms, grid)?;
        contacts.growths = growths;
        contacts.assign(grid);
        contacts.divide_storage();
        // Agents may have changed bands since, and the pairs are those of the next search: only
        // their number is known.
        let (found, _) = found.as_chunks();
        for (band, found) in contacts.bands.iter_mut().zip(found) {
            band.found = found.map(|count: u32| count as usize);
        }
        Ok(contacts)
    }

    /// The capacity in parts of a pair per agent, how often it has grown, and the rooms of at most
    /// `bands` bands.
    fn saved_rooms(from: &Snapshot, capacity: usize, bands: usize) -> Result<(usize, u64, Rooms)> {
        let mut lines = Lines::new("contacts", from.text("contacts")?)?;
        let (per_agent, growths) = (lines.take::<u32>("per_agent")?, lines.take("growths")?);
        lines.end()?;
        let (pairs, most) = (capacity as u64 * u64::from(per_agent), list_max(capacity));
        require(pairs / PARTS as u64 <= most, "contacts", "are more than any run has")?;
        Ok((per_agent as usize, growths, Rooms::load(from, ROOMS, bands, most)?))
    }

    /// Length of the list that [`Self::load`] allocates for at most `bands` bands.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub(crate) fn saved_length(from: &Snapshot, capacity: usize, bands: usize) -> Result<usize> {
        let (per_agent, _, rooms) = Self::saved_rooms(from, capacity, bands)?;
        Ok(length(capacity, per_agent, bands) + rooms.sum())
    }

    /// Length of the list that [`Self::new`] allocates for `bands` bands.
    pub(crate) fn length_for(capacity: usize, per_agent: f32, bands: usize) -> usize {
        length(capacity, (per_agent * PARTS as f32) as usize, bands)
    }

    /// Bytes that [`Self::new`] allocates for `bands` bands.
    pub(crate) fn memory_for(capacity: usize, per_agent: f32, bands: usize) -> usize {
        Self::memory_of(Self::length_for(capacity, per_agent, bands), bands)
    }

    /// Bytes of a list of that length in `bands` bands.
    pub(crate) fn memory_of(length: usize, bands: usize) -> usize {
        length * size_of::<Pair>() + bands * size_of::<Band>()
    }

    /// Finds all pairs of discs that overlap, except the pairs that are dropped at once.
    ///
    /// # Errors
    /// If the list must grow and there is not enough memory.
    pub(crate) fn find(&mut self, sought: Sought<'_>, grid: &Grid, simd: SimdLevel) -> Result<()> {
        let Sought { discs, mut narrowing, kept } = sought;
        self.fill(grid, kept, |bands, pairs| {
            let (by, column) = match &mut narrowing {
                Some(narrowing) => (Some(narrowing.by), narrowing.column(pairs.len())?),
                None => (None, &mut [][..]),
            };
            let list = ListPart { pairs, column };
            parallel::parts(bands, list, &ListPart::split, &|band, part| {
                let storage = &mut part.pairs[..band.storage.len()];
                // Where most slots had pairs in the last search, no filter pays.
                let dense = band.dense | (2 * band.found[0] > band.slots.len());
                band.dense = false;
                let kind = match (band.kept, dense) {
                    (Some(pairs), _) => Near::Kept(pairs),
                    (None, true) => Near::Dense,
                    (None, false) => Near::Sparse,
                };
                band.found = search(discs, grid, band.slots.clone(), storage, (kind, by), simd);
                if let Some(by) = by {
                    band.narrow(part, by);
                }
            });
            Ok(())
        })?;
        self.seam.as_mut().map_or(Ok(()), |seam| seam.find(discs, grid))
    }

    /// Drops pairs at once of a list that was filled by an index.
    ///
    /// # Errors
    /// If the column must grow and there is not enough memory.
    pub(crate) fn narrow(&mut self, mut narrowing: Narrowing<'_>) -> Result<()> {
        let (pairs, by) = (&mut self.pairs[..], narrowing.by);
        let list = ListPart { column: narrowing.column(pairs.len())?, pairs };
        parallel::parts(&mut self.bands, list, &ListPart::split, &|band, part| {
            band.narrow(part, by);
        });
        Ok(())
    }

    /// Fills the list by `put`, which stores the pairs of each band in canonical order until its
    /// storage is full, and counts all of them. If a band's storage is too small, the list grows
    /// and `put` is called again. `put` leaves the near pairs of kept bands as they are.
    ///
    /// # Errors
    /// If the list must grow and there is not enough memory.
    pub(crate) fn fill(
        &mut self,
        grid: &Grid,
        kept: &KeptPairs<'_>,
        mut put: impl FnMut(&mut [Band], &mut [Pair]) -> Result<()>,
    ) -> Result<()> {
        self.assign(grid);
        for band in &mut self.bands {
            band.kept = kept(band.index);
        }
        loop {
            self.divide_storage();
            put(&mut self.bands, &mut self.pairs)?;
            if !self.bands.iter().any(|band| found(band) > band.storage.len()) {
                return Ok(());
            }
            let all: usize = self.bands.iter().map(found).sum();
            let mean = (all + all / 4) * PARTS / self.capacity + 1;
            self.per_agent = self.per_agent.max(mean);
            let Self { bands, pairs, capacity, per_agent, rooms, growths, .. } = self;
            rooms.grow(bands.iter().map(|band| (base(band, *per_agent), found(band))));
            let length = length(*capacity, *per_agent, bands.len()) + rooms.sum();
            let length = alloc::list_length(length as u64, PAIRS, &[Adjust::SpreadAgents])?;
            alloc::grow_to(pairs, length, [0; 2], PAIRS)?;
            *growths += 1;
        }
    }

    /// Makes room for these numbers of near pairs, one for each band, which were found before.
    ///
    /// # Errors
    /// If the list must grow and there is not enough memory.
    pub(crate) fn make_room(
        &mut self,
        grid: &Grid,
        near: impl Iterator<Item = usize>,
    ) -> Result<()> {
        let near: Vec<_> = near.collect();
        self.fill(grid, &|_| None, |bands, _| {
            bands.iter_mut().zip(&near).for_each(|(band, &near)| band.found = [near, 0]);
            Ok(())
        })
    }

    /// All pairs in canonical order: the near ones band by band, then those with an outlier band by
    /// band, then those across the seam.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Pair> {
        self.near().chain(self.others())
    }

    /// The pairs across the seam, in canonical order; none in a world with walls.
    pub(crate) fn across_seam(&self) -> &[Pair] {
        self.seam.as_ref().map_or(&[], Seam::pairs)
    }

    /// The seam of a world that repeats.
    pub(crate) fn seam_mut(&mut self) -> Option<&mut Seam> {
        self.seam.as_mut()
    }

    /// The bands, with the ranges of their pairs.
    pub(crate) fn bands(&self) -> &[Band] {
        &self.bands
    }

    /// Sets the slots of the bands, for cells that have changed.
    pub(crate) fn assign(&mut self, grid: &Grid) {
        bands::assign(&mut self.bands, grid);
        // Behind its own slots, a rank has the first row of the next rank.
        let end = grid.len();
        for band in &mut self.bands[self.end..] {
            (band.slots, band.slots_end) = (end..end, end);
        }
    }

    /// The whole list, in which bands have their ranges.
    pub(crate) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Length of the whole list.
    pub(crate) fn storage(&self) -> usize {
        self.pairs.len()
    }

    /// Number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.bands.iter().map(found).sum::<usize>() + self.across_seam().len()
    }

    /// Number of times that the list has grown.
    pub(crate) fn growths(&self) -> u64 {
        self.growths + self.seam.as_ref().map_or(0, Seam::growths)
    }

    /// Counts growths of a list that pairs pass through on their way into this one.
    pub(crate) fn add_growths(&mut self, growths: u64) {
        self.growths += growths;
    }

    /// Calls `work` with the near pairs of each band of one parity, in canonical order, on all
    /// threads of the pool. It gets the data of the slots around them, the entries beside the pairs
    /// of a column that is laid out as the list is, or is empty, and the entry of the band. The
    /// band keeps the first of its pairs, whose number `work` returns: it has moved them to the
    /// front.
    #[inline(always)]
    pub(crate) fn retain_near<S: Split, B: Send>(
        &mut self,
        parity: usize,
        by_slot: S,
        column: &mut [f32],
        by_band: &mut [B],
        work: &(impl Fn(&mut S, &mut [Pair], &mut [f32], &mut B) -> usize + Sync),
    ) {
        let list = ListPart { pairs: &mut self.pairs, column };
        parallel::every_second(
            &mut self.bands,
            parity,
            (by_slot, list, by_band),
            &|(by_slot, list, by_band), lower, upper| {
                let (by_slot, by_slot2) = by_slot.split_at(upper.slots.start - lower.slots.start);
                let (list, list2) = list.split(lower, upper);
                let (by_band, by_band2) = by_band.split_at_mut(upper.index - lower.index);
                ((by_slot, list, by_band), (by_slot2, list2, by_band2))
            },
            &|band, (mut by_slot, ListPart { pairs, column }, by_band)| {
                let near = &mut pairs[..band.found[0]];
                let kept = work(&mut by_slot, near, &mut *column, &mut by_band[0]);
                band.keep_near(ListPart { pairs, column }, kept);
            },
        );
    }

    /// Calls `work` with each band that has pairs with an outlier, these, and the entries beside them of a
    /// column that is laid out as the list is, in canonical order. The band keeps the first of
    /// them, whose number `work` returns: it has moved them to the front.
    pub(crate) fn retain_outliers(
        &mut self,
        column: &mut [f32],
        mut work: impl FnMut(usize, &mut [Pair], &mut [f32]) -> usize,
    ) {
        for band in &mut self.bands {
            let range = band.outliers();
            if !range.is_empty() {
                let pairs = &mut self.pairs[range.clone()];
                band.found[1] = work(band.index, pairs, &mut column[range]);
            }
        }
    }

    /// Calls `keep` with the pairs across the seam, in canonical order, and drops those for which
    /// it returns false.
    pub(crate) fn retain_across_seam(&mut self, keep: impl FnMut(Pair) -> bool) {
        if let Some(seam) = &mut self.seam {
            seam.retain(keep);
        }
    }

    /// The near pairs, in canonical order.
    pub(crate) fn near(&self) -> impl Iterator<Item = Pair> {
        self.bands.iter().flat_map(|band| &self.pairs[band.near()]).copied()
    }

    /// The pairs with an outlier, in canonical order.
    pub(crate) fn outliers(&self) -> impl DoubleEndedIterator<Item = &Pair> {
        self.bands.iter().flat_map(|band| &self.pairs[band.outliers()])
    }

    /// The pairs with an outlier and those across the seam, in canonical order.
    pub(crate) fn others(&self) -> impl Iterator<Item = Pair> {
        self.outliers().chain(self.across_seam()).copied()
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
            + self.bands.capacity() * size_of::<Band>()
            + self.seam.as_ref().map_or(0, Seam::memory)
    }

    fn divide_storage(&mut self) {
        let Self { bands, per_agent, rooms, .. } = self;
        rooms.divide(bands, |band| base(band, *per_agent), |band| &mut band.storage);
    }
}

/// Maximum number of entries of a list in a snapshot: agents in one place all touch each other, and
/// lists have room to spare. Positions in a list are `u32`.
pub(crate) fn list_max(agents: usize) -> u64 {
    let agents = agents as u64;
    (64 * (agents + 64) + 4 * agents.saturating_mul(agents)).min(u32::MAX.into())
}

/// The number of pairs with room for all bands, wherever `agents` agents are in them.
fn length(agents: usize, per_agent: usize, bands: usize) -> usize {
    agents * per_agent / PARTS + bands * CAPACITY_MIN
}

/// The number of pairs that the slots of a band bring room for.
fn base(band: &Band, per_agent: usize) -> usize {
    band.slots.len() * per_agent / PARTS + CAPACITY_MIN
}

/// The number of pairs of a band.
fn found(band: &Band) -> usize {
    band.found.iter().sum()
}
