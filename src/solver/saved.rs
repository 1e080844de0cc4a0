//! The solver in a snapshot: the impulses, and the state that decides which bands sleep and which
//! keep their blocks.
//!
//! ```text
//! solver          lines    how often lists have grown, and the slots
//! ….room          by band  how far they have grown
//! band.…          by band  calm substeps, sleep, drift, pairs, blocks, the farthest displacement
//! block.…                  blocks that the next substep may solve again: bodies and impulses
//! memory.…        by slot  the impulses of all other pairs; far.…: of pairs with outliers
//! fixed.…                  the impulses of walls and statics
//! origin          by slot  the slot at the end of the last substep, if agents were sorted since
//! ```
//!
//! A substep computes everything else before it reads it. Blocks are not taken as they are: their
//! pairs are sorted and colored again, which gives the same blocks, and no body is twice in one. A
//! wrong index is refused here; a wrong impulse does no more harm than a wrong speed.

use std::ops::Range;

use super::{
    ContactSolver,
    bands::{self, BandState, SolverArrays, SolverBand},
    coulomb::Rub,
    late::BodyPart,
    memory::Memory,
    pairs::{self, BlockPairs, PART, PairImpulses},
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{ContactList, Rooms, list_max},
    error::Result,
    parallel,
    simd::pairs::LANES,
    snapshot::{Lines, Snapshot, Writer, require, write_line},
};

/// Bits of `band.state`: the agents are held, nothing is computed, and the band's blocks alone have
/// its impulses.
const HELD: u8 = 1;
const ASLEEP: u8 = 2;
const LIVE: u8 = 4;

/// Bytes of a lane of a block.
const KEPT: usize = 12;

/// The sections with the rooms of bands for blocks, and for contacts with walls and statics.
const ROOMS: [&str; 2] = ["block.room", "fixed.room"];

/// The single values of the solver.
struct SolverLines {
    growths: u64,
    slots: usize,
    moved: bool,
}

impl SolverLines {
    fn load(from: &Snapshot) -> Result<Self> {
        let mut lines = Lines::new("solver", from.text("solver")?)?;
        // Earlier versions wrote rooms that all bands had in common.
        for key in ["spread", "fixed_share", "storage"] {
            lines.ignore(key);
        }
        let (growths, slots) = (lines.take("growths")?, lines.take("slots")?);
        let read = Self { growths, slots, moved: lines.take("moved")? };
        lines.end()?;
        Ok(read)
    }
}

impl ContactSolver {
    /// Writes the solver; if it is not in use, only how far lists have grown.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn save(&self, in_use: bool, to: &mut Writer) -> Result<()> {
        let moved = self.memory.has_moved();
        let slots = self.arrays.bodies.len();
        let mut text = String::new();
        write_line(&mut text, "growths", self.growths);
        write_line(&mut text, "slots", slots);
        write_line(&mut text, "moved", moved);
        to.text("solver", &text)?;
        self.block_rooms.save(ROOMS[0], to)?;
        self.fixed_rooms.save(ROOMS[1], to)?;
        if !in_use {
            return Ok(());
        }
        let bands = || self.bands.iter();
        to.values("band.calm", bands().map(|band| band.rest.calm))?;
        to.values("band.state", bands().map(state))?;
        to.values("band.drift", bands().map(|band| band.keep.drift))?;
        to.values("band.outliers", bands().map(|band| band.keep.outliers))?;
        // After a sort, the bodies lie in other slots, and so do the pairs.
        let unmoved = |count: usize| if moved { 0 } else { count as u32 };
        to.values("band.pairs", bands().map(|band| unmoved(band.pairs.len())))?;
        to.values("band.farthest", bands().map(|band| band.keep.farthest_square))?;
        let SolverArrays { blocks, friction, .. } = &self.arrays;
        let live = || bands().filter(|band| band.keep.live);
        let kept = || live().map(|band| &blocks[band.blocks.start..][..band.block_count]);
        let count = |band: &SolverBand| if band.keep.live { band.block_count as u32 } else { 0 };
        to.values("band.blocks", bands().map(count))?;
        to.fields("block.i", kept(), |block| block.i)?;
        to.fields("block.j", kept(), |block| block.j)?;
        to.fields("block.impulse", kept(), |block| block.impulse)?;
        if friction.is_on {
            let rubs = live().map(|band| friction.rubs(band.blocks.start, band.block_count));
            to.fields("block.rub", rubs, |[tangents, rolls]| -> [f32; 2 * LANES] {
                std::array::from_fn(|at| *tangents.get(at).unwrap_or(&rolls[at % LANES]))
            })?;
        }
        self.memory.save(slots, to)?;
        self.fixed_memory.save(self.arrays.friction.is_on, to)
    }

    /// About how many bytes [`Self::save`] appends.
    pub(crate) fn saved_bytes(&self) -> usize {
        let rub = if self.arrays.friction.is_on { size_of::<Rub>() } else { 0 };
        let of_band = |band: &SolverBand| {
            if band.keep.live {
                band.block_count * LANES * (KEPT + rub)
            } else {
                band.pairs.len() * (Memory::SAVED + rub)
            }
        };
        let bands: usize = self.bands.iter().map(of_band).sum();
        let slots = self.arrays.bodies.len() * if self.memory.has_moved() { 5 } else { 1 };
        bands + slots + self.memory.saved_outliers() + self.fixed_memory.saved()
    }

    /// True if a snapshot has a solver, in use or not.
    pub(crate) fn is_saved(from: &Snapshot) -> bool {
        from.has("solver")
    }

    /// True if this is a solver for `capacity` agents in the bands of this list.
    pub(crate) fn is_for(&self, capacity: usize, contacts: &ContactList, friction: bool) -> bool {
        self.memory.slots() == capacity
            && self.bands.len() == contacts.bands().len()
            && self.arrays.friction.is_on == friction
    }

    /// Reads the solver of a run with at most `capacity` agents, of which there are these. This
    /// solver may have the state of another step.
    ///
    /// # Errors
    /// If it was not written so, its lists would be longer than any run's, or there is not enough
    /// memory.
    pub(crate) fn load(
        &mut self,
        from: &Snapshot,
        agents: &Agents,
        capacity: usize,
        contacts: &ContactList,
        in_use: bool,
    ) -> Result<()> {
        let SolverLines { growths, slots, moved } = SolverLines::load(from)?;
        self.bands.fill(SolverBand::default());
        self.outliers.clear();
        self.growths = growths;
        [self.block_rooms, self.fixed_rooms] = saved_rooms(from, capacity, self.bands.len())?;
        self.arrays.clear();
        self.forget(agents.len());
        self.reserve(contacts.storage())?;
        if !in_use {
            return Ok(());
        }
        let fits = slots <= capacity && (moved || slots == agents.len());
        require(fits, "solver", "has another number of slots")?;
        self.arrays.resize(slots);
        self.fixed_memory.load(from, slots, self.arrays.friction.is_on)?;
        self.load_bands(from, contacts, moved)?;
        self.load_kept(from, agents, contacts)?;
        let whole = [(0..slots, 0..contacts.storage())];
        let regions =
            contacts.bands().iter().map(|band| (band.slots.clone(), band.storage.clone()));
        if moved {
            self.memory.load(from, slots, agents.len(), moved, whole.into_iter())?;
        } else {
            self.memory.load(from, slots, agents.len(), moved, regions)?;
        }
        let Self { bands, arrays, fixed_memory, .. } = self;
        for band in bands.iter().filter(|band| band.is_held()) {
            fixed_memory.recall(&band.slots, &mut arrays.fixed[band.fixed.clone()]);
        }
        Ok(())
    }

    /// Bytes that [`Self::load`] allocates for a contact list of `pairs` entries in `bands` bands.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub(crate) fn memory_to_load(
        from: &Snapshot,
        capacity: usize,
        pairs: usize,
        bands: usize,
        friction: bool,
    ) -> Result<usize> {
        if !from.has("solver") {
            return Ok(0);
        }
        let rooms = saved_rooms(from, capacity, bands)?.map(|rooms| rooms.sum());
        // Blocks are read, and their pairs sorted, before they are built again.
        let blocks: Vec<u32> =
            if from.has("band.blocks") { from.list("band.blocks")? } else { Vec::new() };
        let lanes = blocks.iter().map(|&count| count as usize * LANES).sum::<usize>();
        let reading = lanes.min(from.as_bytes().len()) * (size_of::<PairImpulses>() + KEPT);
        Ok(Self::memory_with(capacity, pairs, bands, [true, friction], rooms) + reading)
    }

    fn load_bands(&mut self, from: &Snapshot, contacts: &ContactList, moved: bool) -> Result<()> {
        let count = self.bands.len();
        let calm: Vec<u32> = from.array("band.calm", count, 0)?;
        let states: Vec<u8> = from.array("band.state", count, 0)?;
        let drifts = from.numbers("band.drift", count, 0)?;
        let outliers: Vec<u64> = from.array("band.outliers", count, 0)?;
        let pairs: Vec<u32> = from.array("band.pairs", count, 0)?;
        let farthest = if from.has("band.way") {
            // Earlier versions wrote a displacement.
            let ways = from.numbers("band.way", 2 * count, 0)?;
            ways.as_chunks().0.iter().map(|[dx, dy]| dx * dx + dy * dy).collect()
        } else {
            from.numbers("band.farthest", count, 0)?
        };
        for (index, (band, own)) in self.bands.iter_mut().zip(contacts.bands()).enumerate() {
            (band.slots, band.slots_end) = (own.slots.clone(), own.slots_end);
            let state = states[index];
            band.rest.calm = calm[index];
            band.state = match state {
                _ if state & ASLEEP != 0 => BandState::Asleep,
                _ if state & HELD != 0 => BandState::Held,
                _ => BandState::Searched,
            };
            band.keep.live = state & LIVE != 0;
            band.keep.drift = drifts[index];
            band.keep.outliers = outliers[index];
            band.keep.farthest_square = farthest[index];
            let pairs = pairs[index] as usize;
            let fits = pairs <= own.storage.len();
            require(fits, "band.pairs", "is higher than there is room for")?;
            band.pairs = own.storage.start..own.storage.start + pairs;
            let placed = !moved || (pairs, band.keep.live) == (0, false);
            require(placed, "band.state", "does not belong to agents that have moved")?;
            // A held band may sleep from the next substep on, and then does not search its contacts
            // with walls and statics.
            band.fixed_count =
                if band.is_held() { self.fixed_memory.of(&band.slots).len() } else { 0 };
        }
        Ok(())
    }

    /// Reads the pairs of the blocks that bands may keep, and builds these again.
    fn load_kept(
        &mut self,
        from: &Snapshot,
        agents: &Agents,
        contacts: &ContactList,
    ) -> Result<()> {
        let kept = self.kept_in(from)?;
        let live = |band: &&SolverBand| band.keep.live;
        let mut count = 0;
        for band in self.bands.iter().filter(live) {
            let own = pairs_of(&kept, &band.slots);
            let fits = own.len() <= band.pairs.len();
            require(fits, "band.pairs", "is lower than the pairs are many")?;
            let exist = own.iter().all(|&([i, j], _)| {
                i != j && (band.slots.start..band.slots_end).contains(&(j as usize))
            });
            require(exist, "block.i", "has slots that there are not")?;
            count += own.len();
        }
        let is_sorted = kept.is_sorted_by_key(|([i, _], _)| *i);
        require(is_sorted && count == kept.len(), "block.i", "has pairs of other bands")?;
        self.rebuild_kept(&kept, agents, contacts)
    }

    /// Gives the bands their parts of the arrays, and builds the blocks of those that may keep them again. The
    /// pairs are in order.
    pub(super) fn rebuild_kept(
        &mut self,
        kept: &[PairImpulses],
        agents: &Agents,
        contacts: &ContactList,
    ) -> Result<()> {
        let of = |slots: &Range<usize>| pairs_of(kept, slots);
        let any = self.bands.iter().any(|band| band.keep.live);
        let mut listed = alloc::with_capacity(self.bands.len(), PART)?;
        listed.extend(self.bands.iter().map(|band| band.pairs.clone()));
        loop {
            self.assign(contacts)?;
            for (band, listed) in self.bands.iter_mut().zip(&listed) {
                band.pairs.clone_from(listed);
            }
            // After a sort there are none, and the bodies lie in other slots.
            let bands = if any { &mut self.bands[..] } else { &mut [] };
            let alone = (&mut (), BodyPart::Reference);
            bands::even_then_odd(bands, &mut self.arrays, alone, &|band, mut view| {
                if !band.keep.live {
                    return;
                }
                let slots = band.slots.start..band.slots_end;
                let colors = &mut view.colors[..slots.len()];
                colors.fill(0);
                band.block_count = pairs::rebuild(BlockPairs {
                    pairs: of(&band.slots),
                    listed: band.pairs.len(),
                    radii: &agents.radius[slots],
                    first: band.slots.start as u32,
                    places: &mut view.places[..band.pairs.len()],
                    blocks: &mut view.blocks[..band.blocks.len()],
                    rubs: view.friction.rubs_of(band.blocks.len()),
                    colors,
                });
                band.solved_count = band.block_count;
            });
            if !self.lacks_room() {
                return Ok(());
            }
        }
    }

    /// The pairs in the blocks of a snapshot, with their impulses, as the contact list orders them.
    fn kept_in(&self, from: &Snapshot) -> Result<Vec<PairImpulses>> {
        let blocks: Vec<u32> = from.array("band.blocks", self.bands.len(), 0)?;
        let lanes = blocks.iter().map(|&count| count as usize * LANES).sum();
        let read = |tag| from.array(tag, lanes, 0);
        let (i, j): (Vec<u32>, Vec<u32>) = (read("block.i")?, read("block.j")?);
        let impulses = from.numbers("block.impulse", lanes, 0)?;
        let rubs = if self.arrays.friction.is_on {
            from.numbers("block.rub", 2 * lanes, 0)?
        } else {
            Vec::new()
        };
        let mut kept: Vec<PairImpulses> = alloc::with_capacity(lanes, PART)?;
        let mut ends = alloc::with_capacity(blocks.len(), PART)?;
        let mut first_block = 0;
        for (band, &count) in self.bands.iter().zip(&blocks) {
            let first = band.slots.start as u32;
            for at in first_block * LANES..(first_block + count as usize) * LANES {
                // A lane without a pair has one body twice, or repeats the first lane.
                let begin = at - at % LANES;
                if i[at] == j[at] || (at > begin && [i[at], j[at]] == [i[begin], j[begin]]) {
                    continue;
                }
                let pair = [i[at], j[at]].map(|body| first.saturating_add(body));
                let rub = [0, LANES].map(|of| rubs.get(begin + at + of).copied().unwrap_or(0.0));
                kept.push((pair, (impulses[at], rub)));
            }
            first_block += count as usize;
            ends.push(kept.len());
        }
        let mut parts: Vec<&mut [PairImpulses]> = alloc::with_capacity(ends.len(), PART)?;
        let (mut others, mut start) = (&mut kept[..], 0);
        for end in ends {
            parts.extend(others.split_off_mut(..end - start));
            start = end;
        }
        let sort = |_, parts: &mut [&mut [PairImpulses]]| {
            let key = |([i, j], _): &PairImpulses| u64::from(*i) << 32 | u64::from(*j);
            for part in parts {
                part.sort_unstable_by_key(key);
            }
        };
        parallel::pieces(&mut parts[..], 1, &sort, &|(), ()| ());
        Ok(kept)
    }
}

/// The pairs that begin with these slots.
pub(super) fn pairs_of<'a>(pairs: &'a [PairImpulses], slots: &Range<usize>) -> &'a [PairImpulses] {
    let [start, end] = [slots.start, slots.end]
        .map(|slot| pairs.partition_point(|([i, _], _)| (*i as usize) < slot));
    &pairs[start..end]
}

/// The rooms of bands for blocks, and for contacts with walls and statics.
fn saved_rooms(from: &Snapshot, capacity: usize, bands: usize) -> Result<[Rooms; 2]> {
    let [blocks, fixed] = ROOMS.map(|tag| Rooms::load(from, tag, bands, list_max(capacity)));
    Ok([blocks?, fixed?])
}

/// The bits of `band.state`.
fn state(band: &SolverBand) -> u8 {
    [(band.is_held(), HELD), (band.is_asleep(), ASLEEP), (band.keep.live, LIVE)]
        .into_iter()
        .map(|(is, bit)| if is { bit } else { 0 })
        .sum()
}
