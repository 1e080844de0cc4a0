//! Square cells over the world, numbered row by row from the lower left: the arithmetic that the
//! textbook grids share.
//!
//! A column is a monotone function of x, however it is rounded, and what lies outside the world
//! belongs to the border. So the cells under two boxes that meet have one in common, wherever the
//! two are.

use glam::Vec2;

use crate::geometry::Rect;

/// Columns and rows of squares.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Squares {
    origin: Vec2,
    pub(crate) side: f32,
    pub(crate) cols: u32,
    pub(crate) rows: u32,
}

/// A block of cells, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) col: [u32; 2],
    pub(crate) row: [u32; 2],
    stride: u32,
}

impl Squares {
    /// Squares of that side over the world; the last column and row may stand over its border.
    pub(crate) fn new(world: &Rect, side: f32) -> Self {
        let count = (world.size() / side).ceil().max(Vec2::ONE);
        Self { origin: world.min, side, cols: count.x as u32, rows: count.y as u32 }
    }

    pub(crate) fn count(&self) -> usize {
        self.cols as usize * self.rows as usize
    }

    /// Column and row of a point; the cast saturates, so that what lies outside goes to the border.
    #[inline]
    pub(crate) fn at(&self, point: Vec2) -> [u32; 2] {
        let place = (point - self.origin) / self.side;
        [(place.x as u32).min(self.cols - 1), (place.y as u32).min(self.rows - 1)]
    }

    /// The cells under a rectangle.
    #[inline]
    pub(crate) fn under(&self, rect: &Rect) -> Block {
        let ([left, bottom], [right, top]) = (self.at(rect.min), self.at(rect.max));
        Block { col: [left, right], row: [bottom, top], stride: self.cols }
    }
}

impl Block {
    /// How many cells it has.
    pub(crate) fn cells(self) -> usize {
        let [cols, rows] = [self.col, self.row].map(|[first, last]| (last - first) as usize + 1);
        cols * rows
    }

    /// The numbers of its cells, row by row.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = u32> {
        (self.row[0]..=self.row[1]).flat_map(move |row| {
            (self.col[0]..=self.col[1]).map(move |col| row * self.stride + col)
        })
    }
}
