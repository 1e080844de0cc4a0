//! Sorted pairs: all pairs of discs that overlap, for callers that keep their discs in a grid's
//! cell order.
//!
//! [`ClosePairs`](super::ClosePairs) copies and sorts the discs of its callers; here nothing is
//! copied, and pairs are pairs of slots.

use super::list::ContactList;
use crate::{
    error::Result,
    geometry::{DiscColumns, Elements},
    grid::Grid,
    simd::SimdLevel,
};

/// The pairs of slots whose discs overlap.
#[derive(Clone, Debug)]
pub struct SortedPairs {
    contacts: ContactList,
}

impl SortedPairs {
    /// Creates an empty list of the pairs in a grid, with memory for this number of pairs. More pairs
    /// grow the list.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(grid: &Grid, expected: usize) -> Result<Self> {
        let capacity = grid.config().capacity.max(1);
        let contacts = ContactList::new(capacity, expected as f32 / capacity as f32, grid)?;
        Ok(Self { contacts })
    }

    /// Finds all pairs of discs that overlap. O(n) where they are spread evenly; it uses all threads
    /// of the rayon pool that the caller is in.
    ///
    /// The grid is the one of construction, and has these discs, in its cell order and unmoved since
    /// [`Grid::set_sorted`] or [`Grid::update`].
    ///
    /// # Errors
    /// If there is not enough memory for the pairs.
    ///
    /// # Panics
    /// If the number of discs differs from the number in the grid, or they do not lie in cell order.
    pub fn find(&mut self, discs: DiscColumns<'_>, grid: &Grid) -> Result<()> {
        assert_eq!(discs.len(), grid.len(), "the grid has the discs");
        self.contacts.find(discs.into(), grid, SimdLevel::best())
    }

    /// The pairs, the lower slot first, in parts whose order and number depend on the discs and the
    /// grid alone.
    pub fn parts(&self) -> impl Iterator<Item = &[[u32; 2]]> {
        let pairs = self.contacts.pairs();
        let parts = self.contacts.bands().iter().flat_map(|band| [band.near(), band.outliers()]);
        parts.map(move |range| &pairs[range])
    }

    /// The number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.contacts.memory()
    }
}
