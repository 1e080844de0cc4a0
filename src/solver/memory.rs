//! The memory of impulses: each substep begins with the impulses that the one before ended with.
//!
//! ```text
//! spans   [ 0,2 | 2,0 | 2,3 | …        by slot: its pairs with an impulse
//! entries [ j λ | j λ | j λ | …        band by band, as in the contact list
//! origin  [ 0 | 1 | 2 | …              the slot that an agent had at that time
//! ```
//!
//! Sorting moves agents to other slots. It takes `origin` along, and so the pair of an agent is
//! found wherever the two have gone.

use std::ops::Range;

use super::coulomb::Rub;
use crate::{
    alloc,
    contacts::Pair,
    error::Result,
    parallel::Split,
    snapshot::{PART, Snapshot, Writer, require},
};

/// The slot of an agent that came since.
const NEW: u32 = u32::MAX;

/// Pairs with an impulse that are remembered per slot.
const PER_SLOT: usize = 255;

/// Entries that are compared at once.
const AT_ONCE: usize = 4;

/// The impulses of the last substep.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) first: Vec<u32>,
    pub(super) count: Vec<u8>,
    pub(super) entries: Vec<ImpulseEntry>,
    /// The impulses of friction by entry, in runs with friction.
    pub(super) rubs: Vec<Rub>,
    has_rubs: bool,
    /// Pairs with outliers, sorted.
    pub(super) outliers: Vec<OutlierEntry>,
    /// By slot.
    pub(super) origin: Vec<u32>,
    /// True if an agent may have another slot than its origin.
    moved: bool,
}

/// Pairs with outliers that are allocated for a number of agents.
const fn far(agents: usize) -> usize {
    agents / 8 + 256
}

/// The upper slot of a pair, and its impulse.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImpulseEntry {
    pub(super) upper: u32,
    pub(super) impulse: f32,
}

/// A pair with an outlier, and its impulses along the normal and of friction.
pub(super) type OutlierEntry = ([u32; 2], (f32, Rub));

impl Memory {
    pub(super) fn new(capacity: usize, friction: bool) -> Result<Self> {
        let part = "the memory of impulses";
        Ok(Self {
            first: alloc::filled(capacity, 0, part)?,
            count: alloc::filled(capacity, 0, part)?,
            origin: alloc::with_capacity(capacity, part)?,
            outliers: alloc::with_capacity(far(capacity), part)?,
            has_rubs: friction,
            ..Self::default()
        })
    }

    /// Ensures entries for a contact list of that length.
    pub(super) fn reserve(&mut self, pairs: usize) -> Result<()> {
        if self.has_rubs {
            let rubs = &mut self.rubs;
            alloc::grow_to(rubs, pairs + AT_ONCE, Rub::default(), "the memory of impulses")?;
        }
        alloc::grow_to(
            &mut self.entries,
            pairs + AT_ONCE,
            ImpulseEntry::default(),
            "the memory of impulses",
        )
    }

    /// The most slots.
    pub(super) fn slots(&self) -> usize {
        self.first.len()
    }

    /// Bytes for at most `capacity` agents and `pairs` entries of the contact list.
    pub(super) fn memory_for(capacity: usize, pairs: usize, friction: bool) -> usize {
        let rubs = if friction { (pairs + AT_ONCE) * size_of::<Rub>() } else { 0 };
        rubs + capacity * 9
            + (pairs + AT_ONCE) * size_of::<ImpulseEntry>()
            + far(capacity) * size_of::<OutlierEntry>()
    }

    pub(super) fn memory(&self) -> usize {
        self.first.capacity() * 4
            + self.count.capacity()
            + self.origin.capacity() * 4
            + self.entries.capacity() * size_of::<ImpulseEntry>()
            + self.rubs.capacity() * size_of::<Rub>()
            + self.outliers.capacity() * size_of::<OutlierEntry>()
    }

    /// The slots that agents had, to be sorted with them.
    pub(super) fn origin_mut(&mut self, agents: usize) -> &mut Vec<u32> {
        self.origin.resize(agents, NEW);
        self.moved = true;
        &mut self.origin
    }

    /// Forgets the impulses of one agent, as if it had come since.
    pub(super) fn forget_agent(&mut self, slot: usize, agents: usize) {
        self.origin_mut(agents)[slot] = NEW;
    }

    /// True if an agent may have another slot than its origin.
    pub(super) fn has_moved(&self) -> bool {
        self.moved
    }

    /// True if the agent in a slot has come since.
    pub(super) fn is_new(&self, slot: usize) -> bool {
        self.moved && self.origin[slot] == NEW
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self, agents: usize) {
        // Entries of another state may have been more.
        self.first.fill(0);
        self.count.fill(0);
        self.outliers.clear();
        self.origin.clear();
        self.origin.resize(agents, NEW);
        self.moved = true;
    }

    /// The slots that a pair had; none if one of the two has come since.
    #[inline(always)]
    fn former(&self, pair: [u32; 2]) -> Option<[u32; 2]> {
        if !self.moved {
            return Some(pair);
        }
        let [i, j] = pair.map(|slot| self.origin[slot as usize]);
        (i != NEW && j != NEW).then(|| [i.min(j), i.max(j)])
    }

    /// The impulses of friction of a pair of slots.
    pub(super) fn rub(&self, pair: [u32; 2]) -> Rub {
        let Some([i, j]) = self.former(pair) else { return Rub::default() };
        let first = self.first[i as usize] as usize;
        let own = &self.entries[first..][..usize::from(self.count[i as usize])];
        let found = own.iter().position(|entry| entry.upper == j);
        let [tangent, roll] = match found {
            Some(entry) => self.rubs[first + entry],
            None => self.outlier([i, j]).1,
        };
        // A slide is the same from whichever of the two it is seen, and rolling the opposite.
        let turned = self.moved && self.origin[pair[0] as usize] > self.origin[pair[1] as usize];
        [tangent, if turned { -roll } else { roll }]
    }

    /// The impulse of a pair of slots at the end of the last substep.
    #[inline(always)]
    pub(super) fn impulse(&self, [i, j]: [u32; 2]) -> f32 {
        let Some([i, j]) = self.former([i, j]) else { return 0.0 };
        let first = self.first[i as usize] as usize;
        let count = usize::from(self.count[i as usize]);
        // Four at once, without a branch: none could predict which of them it is.
        let mut bits = 0;
        let mut chunks = self.entries[first..].chunks_exact(AT_ONCE);
        for at in (0..count).step_by(AT_ONCE) {
            let Some(chunk) = chunks.next() else { break };
            for (lane, entry) in chunk.iter().enumerate() {
                let is_it = (entry.upper == j) & (at + lane < count);
                bits |= entry.impulse.to_bits() & u32::from(is_it).wrapping_neg();
            }
        }
        let impulse = f32::from_bits(bits);
        if self.outliers.is_empty() | (impulse > 0.0) { impulse } else { self.outlier([i, j]).0 }
    }

    /// Moves the entries of a band, in these slots, to where its part of the contact list begins
    /// now.
    pub(super) fn move_band(&mut self, slots: &Range<usize>, from: usize, to: usize) {
        let mut end = from;
        for slot in slots.clone() {
            self.first[slot] = (to + end - from) as u32;
            end += usize::from(self.count[slot]);
        }
        self.entries.copy_within(from..end, to);
        if self.has_rubs {
            self.rubs.copy_within(from..end, to);
        }
    }

    /// Calls `visit` with the near pairs of some slots, and their impulses.
    pub(super) fn visit_near(&self, slots: Range<usize>, mut visit: impl FnMut(Pair, (f32, Rub))) {
        for slot in slots {
            let first = self.first[slot] as usize;
            for entry in first..first + usize::from(self.count[slot]) {
                let ImpulseEntry { upper, impulse } = self.entries[entry];
                let rub = self.rubs.get(entry).copied().unwrap_or_default();
                visit([slot as u32, upper], (impulse, rub));
            }
        }
    }

    /// Calls `visit` with the pairs with outliers, and their impulses.
    pub(super) fn visit_far(&self, mut visit: impl FnMut(Pair, (f32, Rub))) {
        self.outliers.iter().for_each(|&(pair, impulses)| visit(pair, impulses));
    }

    /// The impulses of a pair with an outlier.
    #[cold]
    fn outlier(&self, pair: [u32; 2]) -> (f32, Rub) {
        let found = self.outliers.binary_search_by_key(&pair, |&(pair, _)| pair);
        found.map_or_else(|_| Default::default(), |index| self.outliers[index].1)
    }

    /// The slot that an agent had when its impulses were remembered.
    #[inline(always)]
    pub(super) fn origin(&self, slot: u32) -> u32 {
        if self.moved { self.origin[slot as usize] } else { slot }
    }

    /// Remembers pairs with outliers.
    pub(super) fn remember_outliers(
        &mut self,
        pairs: impl Iterator<Item = OutlierEntry>,
    ) -> Result<()> {
        self.outliers.clear();
        for entry in pairs.filter(|&(_, (impulse, _))| impulse > 0.0) {
            alloc::push(&mut self.outliers, entry, "the memory of impulses")?;
        }
        self.outliers.sort_unstable_by_key(|&(pair, _)| pair);
        Ok(())
    }

    /// Makes the slot of each agent its origin.
    pub(super) fn take_slots(&mut self, agents: usize) {
        if self.moved || self.origin.len() != agents {
            self.origin.clear();
            self.origin.extend(0..agents as u32);
            self.moved = false;
        }
    }

    /// Bytes that [`Self::save`] writes per pair, and those for pairs with outliers.
    pub(super) const SAVED: usize = 8;

    pub(super) fn saved_outliers(&self) -> usize {
        self.outliers.len() * if self.has_rubs { 20 } else { 12 }
    }

    /// Writes the impulses of `slots` slots.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn save(&self, slots: usize, to: &mut Writer) -> Result<()> {
        let counts = &self.count[..slots];
        // The spans of a band's slots follow each other: few runs hold all of them.
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (&first, &count) in self.first[..slots].iter().zip(counts) {
            let span = first as usize..first as usize + usize::from(count);
            match runs.last_mut() {
                _ if span.is_empty() => {}
                Some(run) if run.end == span.start => run.end = span.end,
                _ => alloc::push(&mut runs, span, PART)?,
            }
        }
        let entries = || runs.iter().map(|run| &self.entries[run.clone()]);
        to.array("memory.count", counts)?;
        to.fields("memory.upper", entries(), |entry| [entry.upper])?;
        to.fields("memory.impulse", entries(), |entry| [entry.impulse])?;
        if self.has_rubs {
            to.fields("memory.rub", runs.iter().map(|run| &self.rubs[run.clone()]), |&rub| rub)?;
        }
        to.values("far.slots", self.outliers.iter().flat_map(|&(pair, _)| pair))?;
        to.values("far.impulse", self.outliers.iter().map(|&(_, (impulse, _))| impulse))?;
        if self.has_rubs {
            to.values("far.rub", self.outliers.iter().flat_map(|&(_, (_, rub))| rub))?;
        }
        if self.moved { to.array("origin", &self.origin) } else { Ok(()) }
    }

    /// Reads the impulses of `slots` slots; `moved` if they are not the slots of the `agents` now.
    /// The regions say of which slots the entries lie where.
    ///
    /// # Errors
    /// If they were not written so, or there is not enough memory.
    pub(super) fn load(
        &mut self,
        from: &Snapshot,
        slots: usize,
        agents: usize,
        moved: bool,
        regions: impl Iterator<Item = (Range<usize>, Range<usize>)>,
    ) -> Result<()> {
        let counts: Vec<u8> = from.list("memory.count")?;
        require(counts.len() == slots, "memory.count", "has another number of slots")?;
        let total = counts.iter().map(|&count| usize::from(count)).sum();
        let upper: Vec<u32> = from.array("memory.upper", total, 0)?;
        let exist = |list: &[u32]| list.iter().all(|&slot| (slot as usize) < slots);
        require(exist(&upper), "memory.upper", "has slots that there are not")?;
        let impulses = from.numbers("memory.impulse", total, 0)?;
        let rubs =
            if self.has_rubs { from.numbers("memory.rub", 2 * total, 0)? } else { Vec::new() };
        let (mut stored, mut rubs) = (upper.into_iter().zip(impulses), rubs.as_chunks().0.iter());
        for (slots, entries) in regions {
            let own: usize = counts[slots.clone()].iter().map(|&count| usize::from(count)).sum();
            require(own <= entries.len(), "memory.count", "is higher than the pairs are many")?;
            let mut next = entries.start;
            for slot in slots {
                (self.first[slot], self.count[slot]) = (next as u32, counts[slot]);
                let end = next + usize::from(counts[slot]);
                for (entry, (upper, impulse)) in self.entries[next..end].iter_mut().zip(&mut stored)
                {
                    *entry = ImpulseEntry { upper, impulse };
                }
                for (to, from) in self.rubs.iter_mut().take(end).skip(next).zip(&mut rubs) {
                    *to = *from;
                }
                next = end;
            }
        }
        let pairs: Vec<u32> = from.list("far.slots")?;
        require(exist(&pairs), "far.slots", "has slots that there are not")?;
        let (pairs, _) = pairs.as_chunks();
        let impulses = from.numbers("far.impulse", pairs.len(), 0)?;
        let rubs = if from.has("far.rub") {
            from.numbers("far.rub", 2 * pairs.len(), 0)?
        } else {
            alloc::filled(2 * pairs.len(), 0.0, PART)?
        };
        let rubs = rubs.as_chunks().0.iter().copied();
        self.remember_outliers(pairs.iter().copied().zip(impulses.into_iter().zip(rubs)))?;
        self.moved = moved;
        self.origin.clear();
        if moved {
            let origin: Vec<u32> = from.array("origin", agents, 0)?;
            let exist = origin.iter().all(|&slot| slot == NEW || (slot as usize) < slots);
            require(exist, "origin", "has slots that there are not")?;
            self.origin.extend_from_slice(&origin);
        } else {
            self.origin.extend(0..agents as u32);
        }
        Ok(())
    }

    /// The parts that the bands fill.
    pub(super) fn view(&mut self, agents: usize) -> MemoryView<'_> {
        let (first, count) = (&mut self.first[..agents], &mut self.count[..agents]);
        MemoryView { first, count, entries: &mut self.entries, rubs: &mut self.rubs }
    }
}

/// The part of the memory that belongs to some bands.
pub(super) struct MemoryView<'a> {
    first: &'a mut [u32],
    count: &'a mut [u8],
    entries: &'a mut [ImpulseEntry],
    rubs: &'a mut [Rub],
}

impl MemoryView<'_> {
    /// Splits behind some slots, which own some entries.
    pub(super) fn split(self, slots: usize, entries: usize) -> (Self, Self) {
        let ((first, count), (first2, count2)) = (self.first, self.count).split_at(slots);
        let (rubs, rubs2) = self.rubs.split_at_mut(entries.min(self.rubs.len()));
        let (entries, entries2) = self.entries.split_at_mut(entries);
        let upper = Self { first: first2, count: count2, entries: entries2, rubs: rubs2 };
        (Self { first, count, entries, rubs }, upper)
    }

    /// Forgets the pairs of a band of `slots` slots.
    pub(super) fn clear(self, slots: usize) {
        self.count[..slots].fill(0);
    }

    /// Remembers the pairs of a band, which come in the order of their lower slots. The slots of
    /// the band and its first entry are given.
    pub(super) fn remember(
        self,
        slots: &Range<usize>,
        first: usize,
        pairs: impl Iterator<Item = ([u32; 2], (f32, Rub))>,
    ) {
        self.count[..slots.len()].fill(0);
        let mut next = 0;
        for ([i, j], (impulse, rub)) in pairs {
            if impulse > 0.0 {
                let slot = i as usize - slots.start;
                let count = &mut self.count[slot];
                if usize::from(*count) < PER_SLOT {
                    if *count == 0 {
                        self.first[slot] = (first + next) as u32;
                    }
                    *count += 1;
                    self.entries[next] = ImpulseEntry { upper: j, impulse };
                    if let Some(stored) = self.rubs.get_mut(next) {
                        *stored = rub;
                    }
                    next += 1;
                }
            }
        }
    }
}
