//! The search for elements by their centers, whatever their size, in cell order.
//!
//! ```text
//! area ─► expanded by the farthest that a center lies outside its home cell ─► block of home cells
//!      ─► one range of slots per row of the block, ascending
//! ```
//!
//! A search for shapes goes farther, by the size of what it finds. The elements must lie in cell
//! order ([`Grid::set_sorted`]), so that items are slots.

use std::ops::Range;

use super::Grid;
use crate::geometry::{Rect, cells::CellBlock};

impl Grid {
    /// The farthest that the center of a near element lies outside its home cell, world units, where
    /// no element is smaller than `extent_min`, and a margin for rounding.
    pub(crate) fn near_center_reach(&self, extent_min: f32) -> f32 {
        let margin = 2.0 * self.margin(&self.config.bounds);
        (self.loose.near_limit - extent_min).max(0.0) + margin
    }

    /// The same for all elements, outliers included.
    pub(crate) fn center_reach(&self, extent_min: f32) -> f32 {
        let margin = 2.0 * self.margin(&self.config.bounds);
        self.near_center_reach(extent_min).max(self.max_drift() + margin)
    }

    /// The home cells of all elements with a center in an area and at most `reach` outside their
    /// home cell.
    #[inline(always)]
    pub(crate) fn homes_of_centers(&self, area: &Rect, reach: f32) -> CellBlock {
        self.loose.layout.block(&area.expanded(reach))
    }

    /// The slots of the home cells of a row between two columns, both included.
    #[inline(always)]
    pub(crate) fn slots_between(&self, row: u32, cols: [u32; 2]) -> Range<usize> {
        self.loose.items_between(row, cols[0], cols[1])
    }

    /// Calls `visit` with the slots of each row of cells that hold all elements with a center in an
    /// area, and others. The elements must lie where they were sorted.
    ///
    /// A center outside of the world belongs to the border cell nearest to it, as the part of an area
    /// outside does.
    // Public for the Python package, whose points never move between two rebuilds.
    #[doc(hidden)]
    #[inline]
    pub fn visit_center_slots(&self, area: &Rect, mut visit: impl FnMut(Range<usize>)) {
        let CellBlock { col: [from, to], row: [low, high] } = self.loose.layout.block(area);
        for row in low..=high {
            visit(self.loose.items_between(row, from, to));
        }
    }
}
