//! Spare columns: where a sort gathers the columns of the agents, one after another.
//!
//! One spare column per size of an entry is enough: to a sort, numbers and ids are words. A column
//! that is sorted as a whole is swapped with the spare one; of a column that is sorted in stretches,
//! the stretches are copied back while they are in cache.

use crate::{
    agents::{Agents, OwnColumns, Units},
    alloc,
    error::Result,
    grid::{Merge, Stretch},
    parallel::{self, Split},
    simd::{Kernel, SimdLevel},
};

/// Slots per task.
const PIECE: usize = 16_384;

/// A spare column per size of an entry.
#[derive(Debug)]
pub(super) struct SpareColumns {
    pub(super) words: Vec<u32>,
    /// Without capacity if the agents have no columns of bytes.
    bytes: Vec<u8>,
}

/// Where the entries of a column come from.
pub(super) enum Order<'a> {
    /// The entry in each slot, of all that are kept.
    Whole(&'a [u32]),
    /// The entry in each slot of these stretches, counted from the first slot of the stretch.
    Stretches(&'a [u32], &'a mut [Stretch]),
    /// The entries that move together.
    Merged(&'a Merge),
}

impl SpareColumns {
    /// Creates the spare columns of `capacity` agents, with or without one for bytes.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(capacity: usize, bytes: bool) -> Result<Self> {
        let bytes = if bytes { capacity } else { 0 };
        Ok(Self {
            words: alloc::with_capacity(capacity, "the column for sorting")?,
            bytes: alloc::with_capacity(bytes, "the column for sorting")?,
        })
    }

    /// Bytes that [`Self::new`] allocates.
    pub(super) fn memory_for(capacity: usize, bytes: bool) -> usize {
        capacity * (size_of::<u32>() + usize::from(bytes))
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u32>() + self.bytes.capacity()
    }

    /// Gathers all columns of the agents, and a column of the caller.
    pub(super) fn gather(
        &mut self,
        agents: &mut Agents,
        column: Option<&mut Vec<u32>>,
        mut order: Order<'_>,
        simd: SimdLevel,
    ) {
        let Self { words, bytes } = self;
        let Agents { x, y, vx, vy, radius, id, units, own } = agents;
        for column in [x, y, vx, vy, radius] {
            order.gather_numbers(column, words, simd);
        }
        for column in [Some(id), column].into_iter().flatten() {
            order.gather(column, words, simd);
        }
        if let Some(Units { faction, health }) = units {
            order.gather(faction, bytes, simd);
            order.gather(health, bytes, simd);
        }
        if let Some(OwnColumns { species, numbers }) = own.as_deref_mut() {
            if let Some(species) = species {
                order.gather(species, bytes, simd);
            }
            for column in numbers {
                order.gather_numbers(&mut column.values, words, simd);
            }
        }
    }
}

impl Order<'_> {
    /// Gathers a column of numbers, whose bits are words.
    fn gather_numbers(&mut self, column: &mut Vec<f32>, spare: &mut Vec<u32>, simd: SimdLevel) {
        let mut words: Vec<u32> = bytemuck::cast_vec(std::mem::take(column));
        self.gather(&mut words, spare, simd);
        *column = bytemuck::cast_vec(words);
    }

    /// Gathers a column, on all threads of the pool.
    fn gather<T: Copy + Default + Send + Sync>(
        &mut self,
        column: &mut Vec<T>,
        spare: &mut Vec<T>,
        simd: SimdLevel,
    ) {
        match self {
            Self::Whole(order) => {
                spare.resize(order.len(), T::default());
                parallel::pieces(
                    (&mut spare[..], *order),
                    PIECE,
                    &|_, (spare, order): (&mut [T], &[u32])| {
                        simd.run(Gather { column, spare, order });
                    },
                    &|(), ()| (),
                );
                std::mem::swap(column, spare);
            }
            Self::Merged(merge) => {
                spare.resize(merge.len(), T::default());
                parallel::pieces(
                    &mut spare[..],
                    PIECE,
                    &|first, spare: &mut [T]| merge.gather(first, column, spare),
                    &|(), ()| (),
                );
                std::mem::swap(column, spare);
            }
            Self::Stretches(order, stretches) => {
                spare.resize(column.len(), T::default());
                let Some(first) = stretches.first().map(|stretch| stretch.slots.start) else {
                    return;
                };
                parallel::parts(
                    stretches,
                    (&mut column[first..], &mut spare[first..], &order[first..]),
                    &|parts, lower, upper| {
                        Split::split_at(parts, upper.slots.start - lower.slots.start)
                    },
                    &|Stretch { slots, .. },
                      (column, spare, order): (&mut [T], &mut [T], &[u32])| {
                        let (column, spare) =
                            (&mut column[..slots.len()], &mut spare[..slots.len()]);
                        simd.run(Gather { column, spare, order });
                        column.copy_from_slice(spare);
                    },
                );
            }
        }
    }
}

/// A part of a column to be gathered.
struct Gather<'a, T> {
    column: &'a [T],
    spare: &'a mut [T],
    order: &'a [u32],
}

impl<T: Copy> Kernel for Gather<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { column, spare, order } = self;
        let Some(last) = (column.len() as u32).checked_sub(1) else { return };
        for (to, &from) in spare.iter_mut().zip(order) {
            // The order has only slots that exist; the visible bound saves a branch.
            *to = column[from.min(last) as usize];
        }
    }
}
