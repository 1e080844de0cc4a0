//! Narrowing: pairs that are dropped as soon as they are found, band by band, while the data of
//! their discs are in the cache.

use std::ops::Range;

use super::bands::{Band, ListPart, Pair};
use crate::{
    alloc,
    error::Result,
    geometry::DiscColumns,
    simd::{self, CACHE_LINE},
};

/// Decides which pairs stay.
pub(crate) trait Narrow: Sync {
    /// The columns of the discs that it reads, by slot. A search prefetches them.
    fn columns(&self) -> &[&[f32]];

    /// Moves the pairs that stay to the front, and stores a number for each in a column. Returns
    /// the number of these pairs.
    fn keep(&self, pairs: &mut [Pair], column: &mut [f32]) -> usize;
}

/// A filter of pairs, and the column that it fills, which is laid out as the contact list is.
pub(crate) struct Narrowing<'a> {
    pub(crate) by: &'a dyn Narrow,
    pub(crate) column: &'a mut Vec<f32>,
    /// Purpose of the memory of the column, for errors.
    pub(crate) purpose: &'static str,
}

/// Discs to be searched for pairs, in the grid's cell order.
pub(crate) struct Sought<'a> {
    pub(crate) discs: DiscColumns<'a>,
    pub(crate) narrowing: Option<Narrowing<'a>>,
    /// The number of near pairs of a band, given by its index, if these are not searched: their
    /// entries stay as they are. Each search is told this, since a list may pass from one solver to
    /// the other between two searches.
    pub(crate) kept: &'a KeptPairs<'a>,
}

/// The number of near pairs that a band keeps, if it keeps them.
pub(crate) type KeptPairs<'a> = dyn Fn(usize) -> Option<usize> + 'a;

/// All bands are searched, and all pairs of the discs stay.
impl<'a> From<DiscColumns<'a>> for Sought<'a> {
    fn from(discs: DiscColumns<'a>) -> Self {
        Self { discs, narrowing: None, kept: &|_| None }
    }
}

impl Narrowing<'_> {
    /// The column beside a list of that length.
    ///
    /// # Errors
    /// If it must grow and there is not enough memory.
    pub(super) fn column(&mut self, length: usize) -> Result<&mut [f32]> {
        alloc::grow_to(self.column, length, 0.0, self.purpose)?;
        Ok(&mut self.column[..length])
    }
}

impl Band {
    /// Drops some of its pairs. Its part of the list is given.
    pub(super) fn narrow(&mut self, mut part: ListPart<'_>, by: &dyn Narrow) {
        let [near, outliers] = self.found;
        let all = near + outliers;
        // Where the storage is too small, all are searched again.
        if all <= self.storage.len() {
            prefetch(by, self.slots.end..self.slots_end);
            let ListPart { pairs, column } = &mut part;
            self.found[1] = by.keep(&mut pairs[near..all], &mut column[near..all]);
            let kept = by.keep(&mut pairs[..near], &mut column[..near]);
            self.keep_near(part, kept);
        }
    }

    /// Keeps the first `kept` of its near pairs. Its part of the list is given.
    pub(super) fn keep_near(&mut self, ListPart { pairs, column }: ListPart<'_>, kept: usize) {
        let [near, outliers] = self.found;
        if kept < near {
            self.dense |= 2 * near > self.slots.len();
            pairs.copy_within(near..near + outliers, kept);
            if !column.is_empty() {
                column.copy_within(near..near + outliers, kept);
            }
            self.found = [kept, outliers];
        }
    }
}

/// Prefetches the columns that are read of the discs in some slots.
#[inline(always)]
pub(super) fn prefetch(by: &dyn Narrow, slots: Range<usize>) {
    for column in by.columns() {
        for slot in slots.clone().step_by(CACHE_LINE / size_of::<f32>()) {
            simd::prefetch_later(column, slot);
        }
    }
}
