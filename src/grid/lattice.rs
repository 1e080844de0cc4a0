//! The arithmetic of cells: which column and row a point lies in. The loose and the tight grid each
//! have a lattice of their own, with their own cell size.

use glam::Vec2;

use crate::rect::Rect;

/// Columns and rows of equal cells over a rectangle.
///
/// The row stride of anything indexed by it is `cols`, and positions are made relative to the origin
/// in one place: here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    origin: Vec2,
    size: Vec2,
    inverse: Vec2,
    pub(super) cols: u32,
    pub(super) rows: u32,
}

/// A block of cells, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cells {
    pub(super) col: [u32; 2],
    pub(super) row: [u32; 2],
}

impl Lattice {
    /// Cells of `size` over `bounds`; the last column and row may stand over its border.
    pub(super) fn new(bounds: &Rect, size: Vec2) -> Self {
        let count = (bounds.size() / size).ceil().max(Vec2::ONE);
        Self {
            origin: bounds.min,
            size,
            inverse: 1.0 / size,
            cols: count.x as u32,
            rows: count.y as u32,
        }
    }

    /// The column of `x`; what lies outside goes to the border column, and so does a NaN.
    #[inline(always)]
    pub(super) fn col(&self, x: f32) -> u32 {
        // The cast saturates: negative numbers become 0.
        (((x - self.origin.x) * self.inverse.x) as u32).min(self.cols - 1)
    }

    /// The row of `y`; what lies outside goes to the border row, and so does a NaN.
    #[inline(always)]
    pub(super) fn row(&self, y: f32) -> u32 {
        (((y - self.origin.y) * self.inverse.y) as u32).min(self.rows - 1)
    }

    /// The block of cells under a rectangle.
    pub(super) fn under(&self, rect: &Rect) -> Cells {
        Cells {
            col: [self.col(rect.min.x), self.col(rect.max.x)],
            row: [self.row(rect.min.y), self.row(rect.max.y)],
        }
    }

    /// The part of y whose points go to `row`: border rows take what lies outside, too.
    pub(super) fn row_extent(&self, row: u32) -> (f32, f32) {
        let edge = |row: u32| self.origin.y + row as f32 * self.size.y;
        let low = if row == 0 { f32::NEG_INFINITY } else { edge(row) };
        let high = if row + 1 == self.rows { f32::INFINITY } else { edge(row + 1) };
        (low, high)
    }

    /// How many cells there are.
    pub(super) fn cells(&self) -> usize {
        self.cols as usize * self.rows as usize
    }
}

impl Cells {
    /// All of them, row by row.
    pub(super) fn iter(self) -> impl Iterator<Item = (u32, u32)> {
        (self.row[0]..=self.row[1])
            .flat_map(move |row| (self.col[0]..=self.col[1]).map(move |col| (col, row)))
    }

    /// True if `(col, row)` is one of them.
    pub(super) fn contains(self, col: u32, row: u32) -> bool {
        (self.col[0]..=self.col[1]).contains(&col) && (self.row[0]..=self.row[1]).contains(&row)
    }

    /// The first cell that two blocks share, in row order: where a thing that is listed in all of one
    /// is met first by who walks all of the other, and so the one place where it counts.
    pub(super) fn first_shared(self, other: Self) -> (u32, u32) {
        (self.col[0].max(other.col[0]), self.row[0].max(other.row[0]))
    }

    /// How many they are.
    pub(super) fn count(self) -> u64 {
        u64::from(self.col[1] - self.col[0] + 1) * u64::from(self.row[1] - self.row[0] + 1)
    }
}
