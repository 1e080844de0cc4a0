//! The contact list: all pairs that overlap, in canonical order.
//!
//! ```text
//! pairs [ band 0: capacity K · its agents     | band 1: capacity K · its agents   | …
//!         near (i,j) … outlier (i,j) …  · · ·   near (i,j) … outlier (i,j) … · · ·
//! ```
//!
//! The list is laid out along the slots: a band of n agents owns a capacity of K·n pairs, wherever
//! the agents have moved, so that nothing is allocated as they do. If a band needs more, the whole
//! list grows and is filled again before anything is resolved. No pair is dropped for lack of
//! room. Swept collisions drop pairs that do not collide, and pairs that have collided.
//!
//! In a near pair, slot i is in one of the band's rows, and slot j behind it in the same row or in
//! the next. A pair with an outlier may reach anywhere; these pairs come after the near ones in
//! canonical order, and pairs across the seam after them.

use super::{
    bands::{self, Band, ListPart, Pair},
    narrow::{KeptPairs, Narrowing, Sought},
    seam::Seam,
    search::{Near, search},
};
use crate::{
    alloc,
    error::Result,
    geometry::Space,
    grid::Grid,
    parallel::{self, Split},
    simd::SimdLevel,
    snapshot::{Lines, Snapshot, Writer, require, write_line},
};

/// Capacity of a band in addition to the capacity for its agents, in pairs.
const CAPACITY_MIN: usize = 16;

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
    growths: u64,
    /// None in a world with walls.
    seam: Option<Seam>,
}

impl ContactList {
    /// Creates the list of `capacity` agents with `per_agent` pairs each, in a grid's bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, per_agent: f32, grid: &Grid) -> Result<Self> {
        Self::with_parts(capacity, (per_agent * PARTS as f32) as usize, grid)
    }

    /// Creates the list with capacity for `per_agent` parts of a pair per agent.
    fn with_parts(capacity: usize, per_agent: usize, grid: &Grid) -> Result<Self> {
        let bands = bands::bands(grid);
        let length = length(capacity, per_agent, bands.len());
        Ok(Self {
            pairs: alloc::zeroed(length, "the contact lists")?,
            bands,
            capacity,
            per_agent,
            growths: 0,
            seam: None,
        })
    }

    /// Creates an empty list as long as this one, without a seam.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn like(&self, grid: &Grid) -> Result<Self> {
        Self::with_parts(self.capacity, self.per_agent, grid)
    }

    /// This list with the pairs across the seam of a space, if it has one.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn with_seam(self, space: Space) -> Result<Self> {
        let seam = space.is_periodic().then(|| Seam::new(space, self.capacity)).transpose()?;
        Ok(Self { seam, ..self })
    }

    /// Bytes that [`Self::with_seam`] allocates.
    pub(crate) fn bytes_for_seam(capacity: usize, is_periodic: bool) -> usize {
        if is_periodic { Seam::bytes_for(capacity) } else { 0 }
    }

    /// Writes the state that the next search does not restore: the capacity decides when the list
    /// grows next, and the contact solver starts again whenever it grows. The filter of a search
    /// changes none of its pairs, so [`Band::dense`] is left out.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn save(&self, to: &mut Writer) -> Result<()> {
        let mut text = String::new();
        write_line(&mut text, "per_agent", self.per_agent);
        write_line(&mut text, "growths", self.growths);
        to.text("contacts", &text)?;
        to.values("contacts.found", self.bands.iter().flat_map(|band| band.found.map(|n| n as u32)))
    }

    /// Reads the list of a run of `capacity` agents on a grid.
    ///
    /// # Errors
    /// If it was not written so, would be longer than any run's, or there is not enough memory.
    pub(crate) fn load(from: &Snapshot, capacity: usize, grid: &Grid) -> Result<Self> {
        let (per_agent, growths) = Self::saved_lines(from, capacity)?;
        let bands = grid.bands().count();
        let found: Vec<u32> = from.array("contacts.found", 2 * bands, 0)?;
        let mut contacts = Self::with_parts(capacity, per_agent, grid)?;
        contacts.growths = growths;
        contacts.assign(grid);
        contacts.divide_storage();
        // Agents may have changed bands since: nothing reads the pairs before the next search.
        let (found, _) = found.as_chunks();
        for (band, found) in contacts.bands.iter_mut().zip(found) {
            band.found = found.map(|count: u32| count as usize);
        }
        Ok(contacts)
    }

    /// The capacity in parts of a pair per agent, and how often it has grown.
    fn saved_lines(from: &Snapshot, capacity: usize) -> Result<(usize, u64)> {
        let mut lines = Lines::new("contacts", from.text("contacts")?)?;
        let (per_agent, growths) = (lines.take::<u32>("per_agent")?, lines.take("growths")?);
        lines.end()?;
        let pairs = capacity as u64 * u64::from(per_agent) / PARTS as u64;
        require(pairs <= list_max(capacity), "contacts", "are more than any run has")?;
        Ok((per_agent as usize, growths))
    }

    /// Length of the list that [`Self::load`] allocates for `bands` bands.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub(crate) fn saved_length(from: &Snapshot, capacity: usize, bands: usize) -> Result<usize> {
        let (per_agent, _) = Self::saved_lines(from, capacity)?;
        Ok(length(capacity, per_agent, bands))
    }

    /// Length of the list that [`Self::new`] allocates for `bands` bands.
    pub(crate) fn length_for(capacity: usize, per_agent: f32, bands: usize) -> usize {
        length(capacity, (per_agent * PARTS as f32) as usize, bands)
    }

    /// Bytes that [`Self::new`] allocates for `bands` bands.
    pub(crate) fn bytes_for(capacity: usize, per_agent: f32, bands: usize) -> usize {
        Self::bytes_of(Self::length_for(capacity, per_agent, bands), bands)
    }

    /// Bytes of a list of that length in `bands` bands.
    pub(crate) fn bytes_of(length: usize, bands: usize) -> usize {
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
        bands::assign(&mut self.bands, grid);
        for band in &mut self.bands {
            band.kept = kept(band.index);
        }
        loop {
            self.divide_storage();
            put(&mut self.bands, &mut self.pairs)?;
            let Some(needed) = self.bands.iter().filter_map(lacking).max() else { return Ok(()) };
            let per_agent = needed + needed / 4 + 1;
            let length = length(self.capacity, per_agent, self.bands.len());
            alloc::grow_to(&mut self.pairs, length, [0; 2], "the contact lists")?;
            self.per_agent = per_agent;
            self.growths += 1;
        }
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
        let inside: usize = self.bands.iter().map(|band| band.found[0] + band.found[1]).sum();
        inside + self.across_seam().len()
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

    /// Calls `work` with the pairs with an outlier of each band, and the entries beside them of a
    /// column that is laid out as the list is, in canonical order. The band keeps the first of
    /// them, whose number `work` returns: it has moved them to the front.
    pub(crate) fn retain_outliers(
        &mut self,
        column: &mut [f32],
        mut work: impl FnMut(&mut [Pair], &mut [f32]) -> usize,
    ) {
        for band in &mut self.bands {
            let range = band.outliers();
            if !range.is_empty() {
                band.found[1] = work(&mut self.pairs[range.clone()], &mut column[range]);
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
        for (index, band) in self.bands.iter_mut().enumerate() {
            let start =
                |slot: usize, index| slot * self.per_agent / PARTS + index * (CAPACITY_MIN + 1);
            band.storage = start(band.slots.start, index)..start(band.slots.end, index + 1);
        }
    }
}

/// Maximum number of entries of a list in a snapshot: many times the number of discs that can
/// touch, and more for runs of few agents, in which one agent may touch all others.
pub(crate) fn list_max(agents: usize) -> u64 {
    let agents = agents as u64;
    agents * 64 + (2 * agents * agents).min(1 << 20)
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
