//! The solver in a snapshot: the impulses, and the state that decides which bands sleep and which
//! keep their blocks.
//!
//! ```text
//! solver          lines    how often lists have grown, and the slots
//! ….room          by band  how far they have grown
//! band.…          by band  calm substeps, sleep, drift, pairs, blocks, the farthest displacement
//! block.…, place           blocks of bands that keep their impulses there: bodies and impulses
//! memory.…        by slot  the impulses of all other pairs; far.…: of pairs with outliers
//! fixed.…                  the impulses of walls and statics
//! origin          by slot  the slot at the end of the last substep, if agents were sorted since
//! ```
//!
//! A substep computes everything else before it reads it. A wrong index is refused here; a wrong
//! impulse does no more harm than a wrong speed.

use super::{
    ContactSolver,
    bands::{Rest, SolverBand},
    coulomb::Rub,
    memory::Memory,
    pairs::{self, NOWHERE},
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{ContactList, Rooms, list_max},
    error::Result,
    parallel,
    simd::pairs::{LANES, PairBlock},
    snapshot::{Lines, Snapshot, Writer, require, write_line},
};

/// Bits of `band.state`: [`Rest::held`], [`Rest::asleep`], and whether the band's blocks alone have
/// its impulses.
const HELD: u8 = 1;
const ASLEEP: u8 = 2;
const LIVE: u8 = 4;

/// The section with the impulses of friction of blocks, in runs with friction.
const RUBS: &str = "block.rub";

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
        let live = || bands().filter(|band| band.keep.live);
        let blocks =
            || live().map(|band| &self.arrays.blocks[band.blocks.start..][..band.block_count]);
        let count = |band: &SolverBand| if band.keep.live { band.block_count as u32 } else { 0 };
        to.values("band.blocks", bands().map(count))?;
        to.fields("block.i", blocks(), |block| block.i)?;
        to.fields("block.j", blocks(), |block| block.j)?;
        to.fields("block.impulse", blocks(), |block| block.impulse)?;
        if self.arrays.friction.is_on {
            let rubs =
                live().map(|band| self.arrays.friction.rubs(band.blocks.start, band.block_count));
            to.fields(RUBS, rubs, |[tangents, rolls]| -> [f32; 2 * LANES] {
                std::array::from_fn(|at| *tangents.get(at).unwrap_or(&rolls[at % LANES]))
            })?;
        }
        let places = live().map(|band| &self.arrays.places[band.pairs.clone()]);
        to.arrays("place", places)?;
        self.memory.save(slots, to)?;
        self.fixed_memory.save(self.arrays.friction.is_on, to)
    }

    /// About how many bytes [`Self::save`] appends.
    pub(crate) fn saved_bytes(&self) -> usize {
        let rub = if self.arrays.friction.is_on { size_of::<Rub>() } else { 0 };
        let of_band = |band: &SolverBand| {
            if band.keep.live {
                band.block_count * ((12 + rub) * LANES) + band.pairs.len() * 4
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
        self.load_blocks(from, agents)?;
        let whole = [(0..slots, 0..contacts.storage())];
        let regions =
            contacts.bands().iter().map(|band| (band.slots.clone(), band.storage.clone()));
        if moved {
            self.memory.load(from, slots, agents.len(), moved, whole.into_iter())?;
        } else {
            self.memory.load(from, slots, agents.len(), moved, regions)?;
        }
        let Self { bands, arrays, fixed_memory, .. } = self;
        for band in bands.iter().filter(|band| band.rest.held) {
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
        let rooms = saved_rooms(from, capacity, bands)?;
        Ok(Self::memory_with(
            capacity,
            pairs,
            bands,
            [true, friction],
            rooms.map(|rooms| rooms.sum()),
        ))
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
        let blocks: Vec<u32> = from.array("band.blocks", count, 0)?;
        let lanes = blocks.iter().map(|&count| count as usize * LANES).sum::<usize>();
        require(
            lanes <= from.as_bytes().len(),
            "band.blocks",
            "is higher than the blocks are many",
        )?;
        for (index, (band, own)) in self.bands.iter_mut().zip(contacts.bands()).enumerate() {
            (band.slots, band.slots_end) = (own.slots.clone(), own.slots_end);
            let state = states[index];
            let (held, asleep) = (state & HELD != 0, state & ASLEEP != 0);
            band.rest = Rest { calm: calm[index], held, asleep, ..Rest::default() };
            band.keep.live = state & LIVE != 0;
            band.keep.drift = drifts[index];
            band.keep.outliers = outliers[index];
            band.keep.farthest_square = farthest[index];
            let fits = pairs[index] as usize <= own.storage.len();
            require(fits, "band.pairs", "is higher than there is room for")?;
            let placed = !moved || (pairs[index], blocks[index], band.keep.live) == (0, 0, false);
            require(placed, "band.state", "does not belong to agents that have moved")?;
            band.block_count = blocks[index] as usize;
            // A held band may sleep from the next substep on, and then does not search its contacts
            // with walls and statics.
            band.fixed_count = if held { self.fixed_memory.of(&band.slots).len() } else { 0 };
        }
        self.assign(contacts)?;
        while self.lacks_room() {
            self.assign(contacts)?;
        }
        for (band, pairs) in self.bands.iter_mut().zip(pairs) {
            band.pairs = band.storage.start..band.storage.start + pairs as usize;
        }
        Ok(())
    }

    fn load_blocks(&mut self, from: &Snapshot, agents: &Agents) -> Result<()> {
        let Self { bands, arrays, .. } = self;
        let live = || bands.iter().filter(|band| band.keep.live);
        let lanes = live().map(|band| band.block_count).sum::<usize>() * LANES;
        let pairs = live().map(|band| band.pairs.len()).sum();
        let ((i, j), (impulses, places)) = parallel::join(
            || {
                parallel::join(
                    || from.array("block.i", lanes, 0),
                    || from.array("block.j", lanes, 0),
                )
            },
            || {
                parallel::join(
                    || from.numbers("block.impulse", lanes, 0),
                    || from.array("place", pairs, 0),
                )
            },
        );
        let (i, j, impulses, places): (Vec<u32>, Vec<u32>, _, Vec<u32>) =
            (i?, j?, impulses?, places?);
        if arrays.friction.is_on {
            let rubs = from.numbers(RUBS, 2 * lanes, 0)?;
            let mut rubs = rubs.as_chunks().0.as_chunks().0.iter();
            for band in live() {
                let own = &mut arrays.friction.rubs_mut()[band.blocks.start..];
                let own = own.iter_mut().take(band.block_count);
                own.zip(&mut rubs).for_each(|(to, from)| *to = *from);
            }
        }
        let lists = [&i, &j].map(|list| list.as_chunks().0);
        let (mut lists, mut impulses, mut stored) = (lists, impulses.as_chunks().0, &places[..]);
        let (mut blocks, mut places) = (&mut arrays.blocks[..], &mut arrays.places[..]);
        let (mut block, mut pair) = (0, 0);
        let mut loads = alloc::with_capacity(bands.len(), "the contact solver")?;
        for band in live() {
            let (count, pairs) = (band.block_count, band.pairs.len());
            // Entries between the bands belong to no band.
            let (at_block, at_pair) = (band.blocks.start - block, band.pairs.start - pair);
            (block, pair) = (band.blocks.start + count, band.pairs.end);
            let own = blocks.split_off_mut(..at_block + count);
            let own_places = places.split_off_mut(..at_pair + pairs);
            loads.push(BandLoad {
                own: band.slots.len() as u32,
                reach: (band.slots_end - band.slots.start) as u32,
                radii: &agents.radius[band.slots.start..band.slots_end],
                bodies: lists.each_mut().map(|list| list.split_off(..count).unwrap_or_default()),
                impulses: impulses.split_off(..count).unwrap_or_default(),
                saved: stored.split_off(..pairs).unwrap_or_default(),
                blocks: &mut own.unwrap_or_default()[at_block..],
                places: &mut own_places.unwrap_or_default()[at_pair..],
            });
        }
        let load = |_, loads: &mut [BandLoad]| loads.iter_mut().try_for_each(BandLoad::load);
        parallel::pieces(&mut loads[..], 1, &load, &Result::and)
    }
}

/// The rooms of bands for blocks, and for contacts with walls and statics.
fn saved_rooms(from: &Snapshot, capacity: usize, bands: usize) -> Result<[Rooms; 2]> {
    let [blocks, fixed] = ROOMS.map(|tag| Rooms::load(from, tag, bands, list_max(capacity)));
    Ok([blocks?, fixed?])
}

/// A band, while its blocks are read.
struct BandLoad<'a> {
    /// The number of its slots, and of the slots that its pairs may contain, with their radii.
    own: u32,
    reach: u32,
    radii: &'a [f32],
    /// Bodies and impulses of the blocks, and the places of the pairs, as they were saved.
    bodies: [&'a [[u32; LANES]]; 2],
    impulses: &'a [[f32; LANES]],
    saved: &'a [u32],
    blocks: &'a mut [PairBlock],
    places: &'a mut [u32],
}

impl BandLoad<'_> {
    fn load(&mut self) -> Result<()> {
        let Self { own, reach, radii, bodies: [i, j], impulses, saved, blocks, places } = self;
        let stored = i.iter().zip(*j).zip(*impulses);
        for (block, ((&i, &j), &impulse)) in blocks.iter_mut().zip(stored) {
            let exist = i.iter().all(|body| body < own) && j.iter().all(|body| body < reach);
            require(exist, "block.i", "has bodies that there are not")?;
            *block = PairBlock { i, j, impulse, ..PairBlock::EMPTY };
            for lane in 0..LANES {
                // A lane without a pair repeats the bodies of the first.
                let repeats = lane > 0 && [i[lane], j[lane]] == [i[0], j[0]];
                if !repeats && i[lane] != j[lane] {
                    let bodies = [i[lane], j[lane]];
                    block.share[lane] = pairs::share(bodies.map(|body| radii[body as usize]));
                }
            }
        }
        let end = (blocks.len() * LANES) as u32;
        let exist = saved.iter().all(|&place| place == NOWHERE || place < end);
        require(exist, "place", "has places that there are not")?;
        places.copy_from_slice(saved);
        Ok(())
    }
}

/// The bits of `band.state`.
fn state(band: &SolverBand) -> u8 {
    let SolverBand { rest, keep, .. } = band;
    [(rest.held, HELD), (rest.asleep, ASLEEP), (keep.live, LIVE)]
        .into_iter()
        .map(|(is, bit)| if is { bit } else { 0 })
        .sum()
}
