//! The arithmetic of cells: which column and row a point lies in, and how far something stands out of
//! its cell. The loose and the tight grid each have a lattice of their own, with their own cell size.

use glam::Vec2;

use crate::geometry::Rect;

/// Columns and rows of equal cells over a rectangle.
///
/// The row stride of anything indexed by it is `cols`, and positions are made relative to the origin
/// in one place: here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    bounds: Rect,
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
            bounds: *bounds,
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
        floor((x - self.origin.x) * self.inverse.x, self.cols)
    }

    /// The row of `y`; what lies outside goes to the border row, and so does a NaN.
    #[inline(always)]
    pub(super) fn row(&self, y: f32) -> u32 {
        floor((y - self.origin.y) * self.inverse.y, self.rows)
    }

    /// The home of what has its centre there: its row in the upper half of the word, its column in the lower.
    #[inline(always)]
    pub(super) fn home(&self, center: Vec2) -> u32 {
        self.row(center.y) << 16 | self.col(center.x)
    }

    /// How far a centre is out of a home, to the side where it is farthest; below 0 if it is in it. What lies
    /// outside the world counts as if it were at its border.
    #[inline(always)]
    pub(super) fn overhang(&self, home: u32, center: Vec2) -> f32 {
        let Self { bounds, origin, size, inverse, .. } = self;
        let [col, row] = split(home).map(|at| at.cast_signed() as f32);
        let x = (within(center.x, bounds.min.x, bounds.max.x) - origin.x) * inverse.x - col;
        let y = (within(center.y, bounds.min.y, bounds.max.y) - origin.y) * inverse.y - row;
        // How far it is from the middle of the cell, less what is still inside.
        let x = ((x - 0.5).abs() - 0.5) * size.x;
        let y = ((y - 0.5).abs() - 0.5) * size.y;
        if x > y { x } else { y }
    }

    /// True if something with that centre and reach stands out of its home by more than `limit`, to any
    /// side.
    #[inline(always)]
    pub(super) fn stands_out(&self, home: u32, center: Vec2, reach: f32, limit: f32) -> bool {
        self.overhang(home, center) + reach > limit
    }

    /// The block of cells under a rectangle.
    pub(super) fn under(&self, rect: &Rect) -> Cells {
        Cells {
            col: [self.col(rect.min.x), self.col(rect.max.x)],
            row: [self.row(rect.min.y), self.row(rect.max.y)],
        }
    }

    /// The columns, both included, in which something may live that stands out by `reach` at the most and
    /// has a point between `x0` and `x1`.
    #[inline(always)]
    pub(super) fn cols_near(&self, x0: f32, x1: f32, reach: f32) -> [u32; 2] {
        let Rect { min, max } = self.bounds;
        [self.col(within(x0, min.x, max.x) - reach), self.col(within(x1, min.x, max.x) + reach)]
    }

    /// The rows, both included, in which something may live that stands out by `reach` at the most and has a
    /// point between `y0` and `y1`.
    #[inline(always)]
    pub(super) fn rows_near(&self, y0: f32, y1: f32, reach: f32) -> [u32; 2] {
        let Rect { min, max } = self.bounds;
        [self.row(within(y0, min.y, max.y) - reach), self.row(within(y1, min.y, max.y) + reach)]
    }

    /// The part of y where something of a row may be that stands out by `reach` at the most; what is beyond
    /// the world counts as if it were at its border.
    pub(super) fn row_extent(&self, row: u32, reach: f32) -> (f32, f32) {
        let edge = |row: u32| self.origin.y + row as f32 * self.size.y;
        let (low, high) = (edge(row) - reach, edge(row + 1) + reach);
        let low = if low <= self.bounds.min.y { f32::NEG_INFINITY } else { low };
        let high = if high >= self.bounds.max.y { f32::INFINITY } else { high };
        (low, high)
    }

    /// How many cells there are.
    pub(super) fn cells(&self) -> usize {
        self.cols as usize * self.rows as usize
    }
}

/// The largest integer that is not above `value`, no lower than 0 and below `count`; 0 for a NaN. A cast
/// does the same one by one; this is done for many at once.
#[inline(always)]
fn floor(value: f32, count: u32) -> u32 {
    /// At this size, f32 has no fraction: adding it rounds to the nearest integer and leaves that in
    /// the lowest bits.
    const WHOLE: f32 = (1 << 23) as f32;
    let last = (count - 1) as f32;
    let value = if value > 0.0 { value } else { 0.0 };
    let value = if value < last { value } else { last };
    let sum = value + WHOLE;
    (sum.to_bits() & 0x7f_ffff) - u32::from(sum - WHOLE > value)
}

/// The column and the row of a home.
#[inline(always)]
pub(super) fn split(home: u32) -> [u32; 2] {
    [home & 0xffff, home >> 16]
}

/// `value`, or the limit that it is beyond. A NaN stays one.
#[inline(always)]
fn within(value: f32, low: f32, high: f32) -> f32 {
    let value = if value < low { low } else { value };
    if value > high { high } else { value }
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

    /// The smallest block around both.
    pub(super) fn union(self, other: Self) -> Self {
        Self {
            col: [self.col[0].min(other.col[0]), self.col[1].max(other.col[1])],
            row: [self.row[0].min(other.row[0]), self.row[1].max(other.row[1])],
        }
    }

    /// How many they are.
    pub(super) fn count(self) -> u64 {
        u64::from(self.col[1] - self.col[0] + 1) * u64::from(self.row[1] - self.row[0] + 1)
    }
}
