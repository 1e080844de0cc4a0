//! Order: the pairs that another index found, brought into canonical order.
//!
//! An index speaks ids and finds pairs in an order of its own. Resolving takes slots, in the order in which
//! the step's own search puts them down. Each pair becomes a key whose numerical order is that one:
//!
//! ```text
//! bit 63      62        32 31      30         0
//! [  0  │ lower slot      │  0   │ upper slot ]    both near: by slot i, then by slot j
//! [  1  │ finder's slot   │ far? │ partner's  ]    with a far one: by finder, near partners, then far ones
//! ```
//!
//! The finder is the far one of a pair, and the lower one if both are far. Bands own ascending slots, so that
//! the keys of a band are two ranges.

use std::ops::Range;

use super::{bands::Band, contacts::Pair};
use crate::{alloc, error::Result, grid::Grid};

/// Marks a pair with a far agent, and a partner that is far.
const FAR: u32 = 1 << 31;

/// Pairs under way from an index to the contact lists.
#[derive(Debug)]
pub(crate) struct Ordered {
    /// Ids as they are found, then keys.
    keys: Vec<u64>,
    /// How many of the keys, the first ones, are of near agents.
    near: usize,
    /// Times that there was no room for a pair.
    pub growths: u64,
}

impl Ordered {
    /// Room for so many pairs.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(pairs: usize) -> Result<Self> {
        Ok(Self {
            keys: alloc::with_capacity(pairs, "the pairs to be ordered")?,
            near: 0,
            growths: 0,
        })
    }

    /// No pair.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.near = 0;
    }

    /// One pair more, by ids.
    ///
    /// # Errors
    /// If there is not enough memory.
    #[inline]
    pub(crate) fn push(&mut self, a: u32, b: u32) -> Result<()> {
        self.growths += u64::from(self.keys.len() == self.keys.capacity());
        alloc::push(&mut self.keys, key([a, b]), "the pairs to be ordered")
    }

    /// Brings all pairs into canonical order, for agents in the grid's cell order.
    ///
    /// # Panics
    /// If `slot_of` has no slot for an id.
    pub(crate) fn sort(&mut self, slot_of: &[u32], grid: &Grid) {
        let any_far = grid.outlier_count() > 0;
        for found in &mut self.keys {
            let [i, j] = pair(*found).map(|id| slot_of[id as usize]);
            let [i, j] = [i.min(j), i.max(j)];
            let far = [i, j].map(|slot| any_far && grid.is_outlier(slot));
            *found = key(match far {
                [false, false] => [i, j],
                [true, far] => [i | FAR, if far { j | FAR } else { j }],
                [false, true] => [j | FAR, i],
            });
        }
        self.keys.sort_unstable();
        self.near = self.keys.partition_point(|&key| pair(key)[0] & FAR == 0);
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.keys.capacity() * size_of::<u64>()
    }

    /// Puts the pairs into the bands' rooms, as a search does: as long as there is room, and counted in any case.
    pub(super) fn put(&self, bands: &mut [Band], pairs: &mut [Pair]) {
        let (near, far) = self.keys.split_at(self.near);
        for band in bands {
            let near = &near[within(near, &band.slots, 0)];
            let far = &far[within(far, &band.slots, FAR)];
            band.found = [near.len(), far.len()];
            let room = &mut pairs[band.room.clone()];
            for (place, &key) in room.iter_mut().zip(near.iter().chain(far)) {
                let [i, j] = pair(key).map(|slot| slot & !FAR);
                *place = [i.min(j), i.max(j)];
            }
        }
    }
}

/// The keys whose finders are in some slots.
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
