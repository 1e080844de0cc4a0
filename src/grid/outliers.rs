//! Outliers: elements that reach out of their home cells too far to be found by arithmetic, because
//! they are large or have moved away since the last rebuild. Their cells are *outlier cells*.
//!
//! ```text
//! outliers [ 0 0 0 1 0 0 … | 0 1 0 … | …      one bit per element, 64 in a word
//! ```

use std::ops::Range;

use glam::Vec2;

use super::{Elements, Shape, home::INSERTED, loose::LooseGrid, tight::TightGrid};
use crate::{alloc, error::Result, geometry::cells::CellLayout, parallel::Split};

/// The outliers among all elements.
#[derive(Clone, Debug)]
pub(super) struct Outliers {
    words: Vec<u64>,
    /// The number of bits that are set.
    count: usize,
    /// The number of outliers right after the last rebuild: large elements, which have not drifted.
    at_rebuild: usize,
    /// The farthest that the center of an outlier lies outside its home cell, world units.
    max_drift: f32,
    /// The largest extent of an outlier that is one because of its size, world units.
    max_extent: f32,
}

impl Outliers {
    /// None among `capacity` elements.
    pub(super) fn new(capacity: usize) -> Result<Self> {
        let words = alloc::filled(capacity.div_ceil(64), 0, "the elements' bits")?;
        Ok(Self { words, count: 0, at_rebuild: 0, max_drift: 0.0, max_extent: 0.0 })
    }

    /// Ensures that there is a bit for each of `capacity` elements.
    pub(super) fn reserve(&mut self, capacity: usize) -> Result<()> {
        let words = capacity.div_ceil(64).max(self.words.len());
        alloc::grow_to(&mut self.words, words, 0, "the elements' bits")
    }

    /// The number of outliers.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of outliers that have drifted since the last rebuild.
    pub(super) fn drifted(&self) -> usize {
        self.count.saturating_sub(self.at_rebuild)
    }

    /// Takes the outliers right after a rebuild for the large ones.
    pub(super) fn end_rebuild(&mut self) {
        self.at_rebuild = self.count;
    }

    /// The farthest that the center of an outlier lies outside its home cell, world units.
    pub(super) fn max_drift(&self) -> f32 {
        self.max_drift
    }

    /// The largest extent of an outlier that is one because of its size, world units.
    pub(super) fn max_extent(&self) -> f32 {
        self.max_extent
    }

    #[inline(always)]
    pub(super) fn contains(&self, element: u32) -> bool {
        self.words[element as usize / 64] >> (element % 64) & 1 != 0
    }

    pub(super) fn remove(&mut self, element: u32) {
        if self.contains(element) {
            self.words[element as usize / 64] &= !(1 << (element % 64));
            self.count -= 1;
        }
    }

    /// The outliers in a range of elements, ascending.
    pub(super) fn within(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        self.recorded(if self.count == 0 { 0..0 } else { range })
    }

    /// The outliers in a range of elements that a scan has recorded, ascending.
    pub(super) fn recorded(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        let words = range.start / 64..range.end.div_ceil(64);
        let bits = set_bits(words.start, &self.words[words]);
        bits.filter(move |bit| range.contains(bit)).map(|bit| bit as u32)
    }

    /// A scan of the first `count` elements, which are all that there are.
    pub(super) fn scan<'a>(&'a mut self, loose: &'a LooseGrid, count: usize) -> OutlierScan<'a> {
        let (words, others) = self.words.split_at_mut(count.div_ceil(OutlierScan::WORD));
        others.fill(0);
        let LooseGrid { layout, near_limit, home, .. } = loose;
        OutlierScan { layout, near_limit: *near_limit, homes: &home[..count], words }
    }

    /// The number of outliers among the first `count` elements, after a scan of some of them.
    pub(super) fn recount(&self, count: usize) -> usize {
        let words = &self.words[..count.div_ceil(OutlierScan::WORD)];
        words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Moves the bits of the elements behind some that are replaced by others. The bits of these others are not
    /// set.
    pub(super) fn shift(&mut self, [old, new]: [&Range<usize>; 2]) {
        if old.len() == new.len() {
            return;
        }
        let behind: Vec<_> = self.recorded(old.end..self.words.len() * 64).collect();
        let set = |words: &mut [u64], element: usize| words[element / 64] |= 1 << (element % 64);
        let (first, bits) = (old.start / 64, (1 << (old.start % 64)) - 1);
        if let Some(word) = self.words.get_mut(first) {
            *word &= bits;
            self.words[first + 1..].fill(0);
        }
        for element in behind {
            set(&mut self.words, element as usize - old.end + new.end);
        }
    }

    /// Sets the words that a scan has kept.
    pub(super) fn set_words(&mut self, kept: &[u64]) {
        let (words, others) = self.words.split_at_mut(kept.len());
        words.copy_from_slice(kept);
        others.fill(0);
    }

    /// Lists the cells of the outliers, of which a scan has found `count`.
    ///
    /// # Errors
    /// If there is no memory for the lists of outlier cells.
    pub(super) fn list<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        count: usize,
        loose: &LooseGrid,
        tight: &mut TightGrid,
    ) -> Result<()> {
        self.count = count;
        tight.clear();
        let (mut drift, mut largest) = (0.0_f32, 0.0_f32);
        for element in self.within(0..elements.len()) {
            let (home, shape) = (loose.home[element as usize], elements.shape(element as usize));
            tight.push(home, shape.bounds())?;
            drift = drift.max(loose.layout.overhang(home, shape.center()));
            if shape.extent() > loose.near_limit {
                largest = largest.max(shape.extent());
            }
        }
        (self.max_drift, self.max_extent) = (drift, largest);
        tight.build()
    }

    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// The number of bytes that [`Self::memory`] returns for that capacity.
    pub(super) fn memory_for(capacity: usize) -> usize {
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
    layout: &'a CellLayout,
    near_limit: f32,
    homes: &'a [u32],
    words: &'a mut [u64],
}

impl<'a> OutlierScan<'a> {
    /// Elements in a word.
    pub(crate) const WORD: usize = 64;

    /// This scan, and another one of the same elements that writes other words.
    pub(super) fn twice(self, other: &'a mut [u64]) -> [Self; 2] {
        let Self { layout, near_limit, homes, words } = self;
        [words, other].map(|words| Self { layout, near_limit, homes, words })
    }

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
        // The last word may have fewer elements.
        let (homes, other_homes) = homes.split_at(at.min(homes.len()));
        let (words, other_words) = words.split_at_mut((at / Self::WORD).min(words.len()));
        let other = Self { layout, near_limit, homes: other_homes, words: other_words };
        (Self { layout, near_limit, homes, words }, other)
    }
}
