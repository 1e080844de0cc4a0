//! Home cells as one word each, and the distance by which an element reaches out of its home cell.

use glam::Vec2;

use crate::geometry::{Rect, cells::CellLayout};

/// The value for no cell and no element.
pub(super) const NONE: u32 = u32::MAX;

/// Marks the home of an element that was inserted since the last rebuild: the lower bits are its
/// index among the outlier cells. In an outlier cell, it marks a cell of one such element: the
/// lower bits are the index of the element.
pub(super) const INSERTED: u32 = 1 << 31;

/// The column and the row of a home cell.
#[inline(always)]
pub(super) fn split(home: u32) -> [u32; 2] {
    [home & 0xffff, home >> 16]
}

impl CellLayout {
    /// The home cell of an element with that center: its row in the upper half of the word, its
    /// column in the lower half.
    #[inline(always)]
    pub(super) fn home(&self, center: Vec2) -> u32 {
        self.row(center.y) << 16 | self.col(center.x)
    }

    /// The distance of a center outside a home cell, on the side where it is largest; negative if
    /// it lies inside. A center outside the world counts as if it were at the border, if there is
    /// one.
    #[inline(always)]
    pub(super) fn overhang(&self, home: u32, center: Vec2) -> f32 {
        let Rect { min, max } = *self.extent();
        let [col, row] = split(home).map(|at| at.cast_signed() as f32);
        let clamped = Vec2::new(within(center.x, min.x, max.x), within(center.y, min.y, max.y));
        let Vec2 { x, y } = self.relative(clamped);
        // The distance from the middle of the cell, less the part that is still inside.
        let x = ((x - col - 0.5).abs() - 0.5) * self.size().x;
        let y = ((y - row - 0.5).abs() - 0.5) * self.size().y;
        if x > y { x } else { y }
    }

    /// True if an element with that center and extent stands out of its home cell by more than
    /// `limit` on any side.
    #[inline(always)]
    pub(super) fn stands_out(&self, home: u32, center: Vec2, extent: f32, limit: f32) -> bool {
        self.overhang(home, center) + extent > limit
    }

    /// The first and the last column of the home cells of elements that reach out of them by at
    /// most `reach` and have a point between `x0` and `x1`.
    #[inline(always)]
    pub(super) fn cols_near(&self, x0: f32, x1: f32, reach: f32) -> [u32; 2] {
        let Rect { min, max } = *self.bounds();
        [self.col(within(x0, min.x, max.x) - reach), self.col(within(x1, min.x, max.x) + reach)]
    }

    /// The first and the last row of the home cells of elements that reach out of them by at most
    /// `reach` and have a point between `y0` and `y1`.
    #[inline(always)]
    pub(super) fn rows_near(&self, y0: f32, y1: f32, reach: f32) -> [u32; 2] {
        let Rect { min, max } = *self.bounds();
        [self.row(within(y0, min.y, max.y) - reach), self.row(within(y1, min.y, max.y) + reach)]
    }

    /// The range of y of elements of a row that reach out of their cells by at most `reach`. A
    /// border row has no end, because elements outside the world belong to it.
    pub(super) fn row_extent(&self, row: u32, reach: f32) -> (f32, f32) {
        let Rect { min, max } = *self.bounds();
        let edge = |row: u32| min.y + row as f32 * self.size().y;
        let (low, high) = (edge(row) - reach, edge(row + 1) + reach);
        let low = if low <= min.y { f32::NEG_INFINITY } else { low };
        let high = if high >= max.y { f32::INFINITY } else { high };
        (low, high)
    }
}

/// `value` clamped to a range; NaN stays NaN.
#[inline(always)]
fn within(value: f32, low: f32, high: f32) -> f32 {
    let value = if value < low { low } else { value };
    if value > high { high } else { value }
}
