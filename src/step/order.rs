//! Canonical order for the pairs that another index found.
//!
//! An index finds pairs of ids in an order of its own. Resolution takes pairs of slots, in the
//! order in which the search on the double grid stores them. Each pair becomes a key, and the
//! numerical order of keys is that one:
//!
//! ```text
//! bit 63      62        32 31      30         0
//! [  0  │ lower slot      │  0   │ upper slot ]      near pair: by slot i, then by slot j
//! [  1  │ finder's slot   │ outl.│ partner's  ]      with an outlier: by finder; outliers last
//! ```
//!
//! The finder is the outlier of a pair, and the lower one if both are outliers. Bands own ascending
//! slots, so that the keys of a band are two ranges.

use std::ops::Range;

use crate::{
    alloc,
    contacts::{Band, Pair},
    error::Result,
    grid::Grid,
};

/// Marks a pair with an outlier, and a partner that is an outlier.
const OUTLIER: u32 = 1 << 31;

/// Pairs on their way from an index to the contact list.
#[derive(Debug)]
pub(super) struct PairOrder {
    /// Pairs of ids as they are found, then keys.
    keys: Vec<u64>,
    /// Number of keys of near pairs, which come first.
    near: usize,
    growths: u64,
}

impl PairOrder {
    /// Creates a list with capacity for `pairs` pairs.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(pairs: usize) -> Result<Self> {
        let keys = alloc::with_capacity(pairs, "the pairs to be ordered")?;
        Ok(Self { keys, near: 0, growths: 0 })
    }

    /// Removes all pairs.
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.near = 0;
    }

    /// Appends a pair of ids.
    ///
    /// # Errors
    /// If there is not enough memory.
    #[inline]
    pub(super) fn push(&mut self, a: u32, b: u32) -> Result<()> {
        self.growths += u64::from(self.keys.len() == self.keys.capacity());
        alloc::push(&mut self.keys, key([a, b]), "the pairs to be ordered")
    }

    /// Replaces ids by slots and sorts the pairs into canonical order. The agents lie in the grid's
    /// cell order.
    ///
    /// # Panics
    /// If `slot_of` has no slot of an id.
    pub(super) fn sort(&mut self, slot_of: impl Fn(u32) -> u32, grid: &Grid) {
        let any_outlier = grid.outlier_count() > 0;
        for found in &mut self.keys {
            let [i, j] = pair(*found).map(&slot_of);
            let [i, j] = [i.min(j), i.max(j)];
            let outlier = [i, j].map(|slot| any_outlier && grid.is_outlier(slot));
            *found = key(match outlier {
                [false, false] => [i, j],
                [true, both] => [i | OUTLIER, if both { j | OUTLIER } else { j }],
                [false, true] => [j | OUTLIER, i],
            });
        }
        self.keys.sort_unstable();
        self.near = self.keys.partition_point(|&key| pair(key)[0] & OUTLIER == 0);
    }

    /// Stores the pairs in the bands' storage as a search does: the pairs that fit, counting all.
    pub(super) fn store(&self, bands: &mut [Band], pairs: &mut [Pair]) {
        let (near, outliers) = self.keys.split_at(self.near);
        for band in bands {
            let near = &near[within(near, &band.slots, 0)];
            let near = if band.kept.is_some() { &[] } else { near };
            let outliers = &outliers[within(outliers, &band.slots, OUTLIER)];
            band.found = [band.kept.unwrap_or(near.len()), outliers.len()];
            let storage = &mut pairs[band.storage.clone()][band.kept.unwrap_or(0)..];
            for (entry, &key) in storage.iter_mut().zip(near.iter().chain(outliers)) {
                let [i, j] = pair(key).map(|slot| slot & !OUTLIER);
                *entry = [i.min(j), i.max(j)];
            }
        }
    }

    /// Counts a growth of what the pairs come from.
    pub(super) fn count_growth(&mut self) {
        self.growths += 1;
    }

    /// Returns the number of times that the list has grown since the last call.
    pub(super) fn take_growths(&mut self) -> u64 {
        std::mem::take(&mut self.growths)
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.keys.capacity() * size_of::<u64>()
    }
}

/// The range of the keys with a finder in some slots.
fn within(keys: &[u64], slots: &Range<usize>, mark: u32) -> Range<usize> {
    let before = |slot: usize| keys.partition_point(|&key| ((pair(key)[0] ^ mark) as usize) < slot);
    before(slots.start)..before(slots.end)
}

fn key([first, second]: [u32; 2]) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

fn pair(key: u64) -> [u32; 2] {
    [(key >> 32) as u32, key as u32]
}
