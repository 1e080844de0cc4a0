//! Outliers: elements that reach out of their home cells too far to be found by arithmetic, because
//! they are large or have moved away since the last rebuild. Their cells are *outlier cells*.
//!
//! ```text
//! outliers [ 0 0 0 1 0 0 … | 0 1 0 … | …      one bit per element, 64 in a word
//! ```

use std::ops::Range;

use glam::Vec2;

use super::home::INSERTED;
use crate::{alloc, error::Result, geometry::cells::CellLayout, parallel::Split};

/// One bit per element.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    pub(super) words: Vec<u64>,
    /// The number of bits that are set.
    pub(super) count: usize,
}

impl Bits {
    /// `capacity` bits, none of them set.
    pub(super) fn new(capacity: usize) -> Result<Self> {
        let words = alloc::filled(capacity.div_ceil(64), 0, "the elements' bits")?;
        Ok(Self { words, count: 0 })
    }

    /// Ensures that there are at least `capacity` bits.
    pub(super) fn reserve(&mut self, capacity: usize) -> Result<()> {
        let words = capacity.div_ceil(64).max(self.words.len());
        alloc::grow_to(&mut self.words, words, 0, "the elements' bits")
    }

    #[inline(always)]
    pub(super) fn is_set(&self, element: u32) -> bool {
        self.words[element as usize / 64] >> (element % 64) & 1 != 0
    }

    pub(super) fn unset(&mut self, element: u32) {
        if self.is_set(element) {
            self.words[element as usize / 64] &= !(1 << (element % 64));
            self.count -= 1;
        }
    }

    /// The bits of a range that are set, ascending.
    pub(super) fn within(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        let range = if self.count == 0 { 0..0 } else { range };
        let words = range.start / 64..range.end.div_ceil(64);
        let bits = set_bits(words.start, &self.words[words]);
        bits.filter(move |bit| range.contains(bit)).map(|bit| bit as u32)
    }

    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// The value of [`Self::memory`] for a capacity.
    pub(super) fn bytes_for(capacity: usize) -> usize {
        capacity.div_ceil(64) * size_of::<u64>()
    }
}

/// The bits of some words that are set, ascending. The index of the first word is given.
pub(crate) fn set_bits(first: usize, words: &[u64]) -> impl Iterator<Item = usize> {
    (first..).zip(words).filter(|(_, word)| **word != 0).flat_map(|(index, &word)| {
        std::iter::successors(Some(word), |word| Some(word & (word - 1)).filter(|&word| word != 0))
            .map(move |word| index * 64 + word.trailing_zeros() as usize)
    })
}

/// Records which elements have left their home cells while a caller moves them: 64 at a time, while
/// they are in registers or cache. It can be split into pieces of whole words.
#[derive(Debug)]
pub(crate) struct OutlierScan<'a> {
    pub(super) layout: &'a CellLayout,
    pub(super) near_limit: f32,
    pub(super) homes: &'a [u32],
    pub(super) words: &'a mut [u64],
}

impl OutlierScan<'_> {
    /// Elements in a word.
    pub(crate) const WORD: usize = 64;

    /// Records which elements of a word are outliers now, from the centers and extents of all of
    /// them; returns their number.
    #[inline(always)]
    pub(crate) fn record<I: Iterator<Item = (Vec2, f32)>>(
        &mut self,
        word: usize,
        extents: impl Fn() -> I,
    ) -> usize {
        let (layout, near_limit) = (self.layout, self.near_limit);
        let homes = &self.homes[word * Self::WORD..self.homes.len().min((word + 1) * Self::WORD)];
        let is_outlier = |home: u32, (center, extent)| {
            layout.stands_out(home, center, extent, near_limit) & (home < INSERTED)
        };
        // Most words have no outliers, and this loop vectorizes.
        let mut any = false;
        for (&home, extent) in homes.iter().zip(extents()) {
            any |= is_outlier(home, extent);
        }
        let mut bits = 0_u64;
        if any {
            for (bit, (&home, extent)) in homes.iter().zip(extents()).enumerate() {
                bits |= u64::from(is_outlier(home, extent)) << bit;
            }
        }
        self.words[word] = bits;
        bits.count_ones() as usize
    }
}

impl Split for OutlierScan<'_> {
    fn len(&self) -> usize {
        self.homes.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        assert!(at.is_multiple_of(Self::WORD), "a word belongs to one piece");
        let Self { layout, near_limit, homes, words } = self;
        let (homes, other_homes) = homes.split_at(at);
        let (words, other_words) = words.split_at_mut(at / Self::WORD);
        let other = Self { layout, near_limit, homes: other_homes, words: other_words };
        (Self { layout, near_limit, homes, words }, other)
    }
}
