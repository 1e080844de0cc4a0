//! Which elements stand out of their homes too far to be found by arithmetic: too big, or moved away since
//! they were homed. They make their cells *wide*.
//!
//! ```text
//! far [ 0 0 0 1 0 0 … | 0 1 0 … | …      a bit an element, 64 in a word
//! ```

use std::ops::Range;

use glam::Vec2;

use super::{Elements, Grid, OVERFLOW, Shape};
use crate::{
    error::Result,
    geometry::{Rect, cells::CellLayout},
    parallel::{self, Split},
    simd::Kernel,
};

/// Elements that are looked at together.
const PIECE: usize = 4_096;

/// One bit for each element.
#[derive(Debug)]
pub(super) struct Bits {
    words: Vec<u64>,
    /// How many are set.
    count: usize,
}

impl Bits {
    /// So many bits, none of them set.
    pub(super) fn new(capacity: usize) -> Result<Self> {
        let words = capacity.div_ceil(64);
        Ok(Self { words: crate::alloc::filled(words, 0, "the elements' bits")?, count: 0 })
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

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Those of a range that are set, ascending.
    pub(super) fn within(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        let range = if self.count == 0 { 0..0 } else { range };
        let words = range.start / 64..range.end.div_ceil(64);
        let words = words.clone().zip(&self.words[words]).filter(|(_, word)| **word != 0);
        let bits = words.flat_map(|(index, &word)| {
            std::iter::successors(Some(word), |word| {
                Some(word & (word - 1)).filter(|&word| word != 0)
            })
            .map(move |word| index as u32 * 64 + word.trailing_zeros())
        });
        bits.filter(move |&bit| range.contains(&(bit as usize)))
    }

    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

/// Watches who moves away from home, for who moves elements: 64 at a time, while they are at hand. It can be
/// cut into pieces of whole words.
#[derive(Debug)]
pub struct Watch<'a> {
    layout: &'a CellLayout,
    reach: f32,
    homes: &'a [u32],
    words: &'a mut [u64],
}

impl Watch<'_> {
    /// Elements of a word.
    pub const WORD: usize = 64;

    /// Takes down which elements of a word are far now, given the centres and reaches of all of them;
    /// returns how many are.
    #[inline(always)]
    pub fn look<I: Iterator<Item = (Vec2, f32)>>(
        &mut self,
        word: usize,
        extents: impl Fn() -> I,
    ) -> usize {
        let (layout, reach) = (self.layout, self.reach);
        let homes = &self.homes[word * Self::WORD..self.homes.len().min((word + 1) * Self::WORD)];
        let is_far = |home: u32, (center, extent)| {
            layout.stands_out(home, center, extent, reach) & (home < OVERFLOW)
        };
        // Most of the time, nobody is: that is known for many at once.
        let mut any = false;
        for (&home, extent) in homes.iter().zip(extents()) {
            any |= is_far(home, extent);
        }
        let mut bits = 0_u64;
        if any {
            for (bit, (&home, extent)) in homes.iter().zip(extents()).enumerate() {
                bits |= u64::from(is_far(home, extent)) << bit;
            }
        }
        self.words[word] = bits;
        bits.count_ones() as usize
    }
}

impl Split for Watch<'_> {
    fn len(&self) -> usize {
        self.homes.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        assert!(at.is_multiple_of(Self::WORD), "a word belongs to one piece");
        let Self { layout, reach, homes, words } = self;
        let (homes, others) = homes.split_at(at);
        let (words, other_words) = words.split_at_mut(at / Self::WORD);
        let other = Self { layout, reach, homes: others, words: other_words };
        (Self { layout, reach, homes, words }, other)
    }
}

impl Grid {
    /// Makes the grid exact again after elements have moved, however far: homes stay as they are, and
    /// cells that elements stand out of too far become wide. Much quicker than a rebuild while these are
    /// few: [`Self::far`] says how many elements make searches slower.
    ///
    /// # Errors
    /// If there is no memory for the lists of wide cells.
    ///
    /// # Panics
    /// If elements were inserted, removed or relocated since the last rebuild: fold them in first.
    pub fn refit<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        let simd = self.simd;
        let far = parallel::pieces(
            self.watch(elements.len()),
            PIECE,
            &|first, watch| simd.run(Style { watch, elements, first }),
            &|one, other| one + other,
        );
        self.list_far(elements, far)
    }

    /// The first half of a refit, for who moves the elements: the watch looks at all words of them, and
    /// [`Self::list_far`] is told how many are far.
    ///
    /// # Panics
    /// If elements were inserted, removed or relocated since the last rebuild: fold them in first.
    pub fn watch(&mut self, count: usize) -> Watch<'_> {
        assert!(!self.edited, "edits are folded in before a refit");
        let words = count.div_ceil(Watch::WORD);
        let (words, others) = self.far.words.split_at_mut(words);
        others.fill(0);
        Watch { layout: &self.loose, reach: self.reach, homes: &self.home[..count], words }
    }

    /// The second half: lists the cells that far elements make wide.
    ///
    /// # Errors
    /// If there is no memory for the lists of wide cells.
    pub fn list_far<E: Elements + ?Sized>(&mut self, elements: &E, far: usize) -> Result<()> {
        self.far.count = far;
        self.tight.clear();
        (self.astray, self.widest) = (0.0, 0.0);
        for element in self.far.within(0..elements.len()) {
            let (home, shape) = (self.home[element as usize], elements.shape(element as usize));
            self.tight.push(home, shape.bounds())?;
            self.astray = self.astray.max(self.loose.overhang(home, shape.center()));
            if shape.extent() > self.reach {
                self.widest = self.widest.max(shape.extent());
            }
        }
        // Whose elements lie in cell order comes by cells that ascend.
        self.tight.build(self.adopted)
    }

    /// How many elements stand out of their homes too far to be found by arithmetic, be it for their size
    /// or for how far they have moved since the last rebuild. Those inserted since then are left out.
    pub fn far(&self) -> usize {
        self.far.count()
    }

    /// True if an element of the last rebuild stands out of its home too far to be found by arithmetic.
    #[inline(always)]
    pub fn is_far(&self, element: u32) -> bool {
        self.far.is_set(element)
    }

    /// How far the centre of a far element is out of its home, at most, world units: elements are homed anew only
    /// now and then. As of the last refit: those removed since may still count, and those inserted don't.
    pub fn astray(&self) -> f32 {
        self.astray
    }

    /// How far the largest of those that are far for their size extends from its centre, world units; 0 if there is
    /// none. As of the last refit, as [`Self::astray`].
    pub fn widest(&self) -> f32 {
        self.widest
    }

    /// The elements of a range that [`Self::is_far`] is true for, ascending.
    ///
    /// # Panics
    /// If the range ends behind the grid's capacity.
    pub fn far_elements(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        self.far.within(range)
    }

    /// Calls `visit` with each far element whose bounds may meet the square around a disc.
    pub fn visit_far(&self, center: Vec2, radius: f32, mut visit: impl FnMut(u32)) {
        let bounds = Rect::around(center, radius);
        let bounds = bounds.expanded(self.margin(&bounds));
        self.tight.visit(self.tight.layout.block(&bounds), |wide| {
            if wide.aabb.intersects(&bounds) {
                self.for_each_far(wide.home, &mut visit);
            }
        });
    }
}

/// Looks at some elements; returns how many are far.
struct Style<'a, E: ?Sized> {
    watch: Watch<'a>,
    elements: &'a E,
    first: usize,
}

impl<E: Elements + ?Sized> Kernel for Style<'_, E> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { mut watch, elements, first } = self;
        let mut far = 0;
        for (word, start) in (0..watch.len()).step_by(Watch::WORD).enumerate() {
            let range = first + start..first + watch.len().min(start + Watch::WORD);
            far += watch.look(word, || elements.extents(range.clone()));
        }
        far
    }
}
