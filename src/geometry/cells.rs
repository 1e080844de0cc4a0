//! The layout of equal cells over a rectangle: which column and row a point lies in.
//!
//! ```text
//! row 2   ┌────┬────┬────┬──┄      cells of one width and height from the lower left corner on;
//! row 1   ├────┼────┼────┼──┄      the last column and row may reach over the border
//! row 0   └────┴────┴────┴──┄      index = row · cols + col
//!         col 0    1    2
//! ```
//!
//! A column is a monotone function of x, however it is rounded, and a point outside the rectangle
//! belongs to the border cell nearest to it. So the blocks of cells under two rectangles that
//! intersect have a cell in common, wherever the rectangles are.
//!
//! Every grid of equal cells in the crate uses this layout: the loose and the tight grid, the cells
//! of the statics, and the textbook indexes.

use glam::Vec2;

use super::rect::Rect;

/// Columns or rows, at most: [`floor`] counts no farther.
const SIDE_MAX: f32 = (1 << 22) as f32;

/// Columns and rows of equal cells over a rectangle.
///
/// The row stride of anything indexed by it is [`Self::cols`]. Positions are made relative to the
/// origin here and nowhere else. The default layout has no cells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellLayout {
    bounds: Rect,
    size: Vec2,
    inverse: Vec2,
    cols: u32,
    rows: u32,
    /// See [`Self::extent`].
    extent: Rect,
}

/// A block of cells; the first and the last column and row belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellBlock {
    /// The first and the last column.
    pub(crate) col: [u32; 2],
    /// The first and the last row.
    pub(crate) row: [u32; 2],
}

impl CellLayout {
    /// Cells of `size` over `bounds`, at least one. Both must be above 0 and finite. Cells are
    /// larger than `size` where there would be more than 2²² columns or rows.
    pub(crate) fn new(bounds: &Rect, size: Vec2) -> Self {
        let size = size.max(bounds.size() / SIDE_MAX);
        let count = (bounds.size() / size).ceil().clamp(Vec2::ONE, Vec2::splat(SIDE_MAX));
        Self {
            bounds: *bounds,
            size,
            inverse: 1.0 / size,
            cols: count.x as u32,
            rows: count.y as u32,
            extent: *bounds,
        }
    }

    /// The same cells over a rectangle without an end along some axes; see [`Self::extent`].
    pub(crate) fn open(self, [x, y]: [bool; 2]) -> Self {
        let far = |open| if open { f32::INFINITY } else { 0.0 };
        let far = Vec2::new(far(x), far(y));
        Self { extent: Rect::new(self.bounds.min - far, self.bounds.max + far), ..self }
    }

    /// The number of columns.
    #[inline(always)]
    pub(crate) fn cols(&self) -> u32 {
        self.cols
    }

    /// The number of rows.
    #[inline(always)]
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    /// The number of cells.
    pub(crate) fn len(&self) -> usize {
        self.cols as usize * self.rows as usize
    }

    /// The rectangle that the cells cover.
    #[inline(always)]
    pub(crate) fn bounds(&self) -> &Rect {
        &self.bounds
    }

    /// The rectangle to which points are clamped before their distance from a cell is measured. It
    /// is the rectangle of the cells, but without an end along axes along which the world repeats.
    #[inline(always)]
    pub(crate) fn extent(&self) -> &Rect {
        &self.extent
    }

    /// Width and height of a cell, world units.
    #[inline(always)]
    pub(crate) fn size(&self) -> Vec2 {
        self.size
    }

    /// A point in cells from the lower left corner of the rectangle, not clamped.
    #[inline(always)]
    pub(crate) fn relative(&self, point: Vec2) -> Vec2 {
        (point - self.bounds.min) * self.inverse
    }

    /// The column of `x`. A value outside belongs to the border column, NaN to the first one.
    #[inline(always)]
    pub(crate) fn col(&self, x: f32) -> u32 {
        floor((x - self.bounds.min.x) * self.inverse.x, self.cols)
    }

    /// The row of `y`. A value outside belongs to the border row, NaN to the first one.
    #[inline(always)]
    pub(crate) fn row(&self, y: f32) -> u32 {
        floor((y - self.bounds.min.y) * self.inverse.y, self.rows)
    }

    /// The column and the row of a point.
    #[inline(always)]
    pub(crate) fn cell(&self, point: Vec2) -> [u32; 2] {
        [self.col(point.x), self.row(point.y)]
    }

    /// The index of a cell: row by row from the lower left.
    #[inline(always)]
    pub(crate) fn index(&self, [col, row]: [u32; 2]) -> usize {
        row as usize * self.cols as usize + col as usize
    }

    /// The block of cells under a rectangle.
    #[inline(always)]
    pub(crate) fn block(&self, rect: &Rect) -> CellBlock {
        CellBlock {
            col: [self.col(rect.min.x), self.col(rect.max.x)],
            row: [self.row(rect.min.y), self.row(rect.max.y)],
        }
    }

    /// The rectangle that a cell covers.
    pub(crate) fn cell_bounds(&self, [col, row]: [u32; 2]) -> Rect {
        let corner =
            |col: u32, row: u32| self.bounds.min + Vec2::new(col as f32, row as f32) * self.size;
        Rect::new(corner(col, row), corner(col + 1, row + 1))
    }
}

/// The largest integer not above `value`, clamped to `0..count`; 0 for NaN. A cast yields the same,
/// but this vectorizes.
#[inline(always)]
fn floor(value: f32, count: u32) -> u32 {
    /// At this size `f32` has no fraction: adding it rounds to the nearest integer and leaves that
    /// in the lowest bits.
    const WHOLE: f32 = (1 << 23) as f32;
    let last = (count - 1) as f32;
    let value = if value > 0.0 { value } else { 0.0 };
    let value = if value < last { value } else { last };
    let sum = value + WHOLE;
    (sum.to_bits() & 0x7f_ffff) - u32::from(sum - WHOLE > value)
}

impl CellBlock {
    /// All cells, row by row.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = [u32; 2]> {
        (self.row[0]..=self.row[1])
            .flat_map(move |row| (self.col[0]..=self.col[1]).map(move |col| [col, row]))
    }

    /// The first cell that two overlapping blocks share, in row order. If an element is listed in
    /// all cells of one block, and a search walks all cells of the other, the search counts the
    /// element in this cell only. So it visits each element once and marks nothing.
    #[inline(always)]
    pub(crate) fn first_shared(self, other: Self) -> [u32; 2] {
        [self.col[0].max(other.col[0]), self.row[0].max(other.row[0])]
    }

    /// The smallest block around both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            col: [self.col[0].min(other.col[0]), self.col[1].max(other.col[1])],
            row: [self.row[0].min(other.row[0]), self.row[1].max(other.row[1])],
        }
    }

    /// The number of cells.
    pub(crate) fn len(self) -> u64 {
        u64::from(self.col[1] - self.col[0] + 1) * u64::from(self.row[1] - self.row[0] + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamps_points_outside_to_the_border() {
        let bounds = Rect::new(Vec2::new(-10.0, 100.0), Vec2::new(20.0, 115.0));
        let layout = CellLayout::new(&bounds, Vec2::new(4.0, 5.0));
        assert_eq!((layout.cols(), layout.rows(), layout.len()), (8, 3, 24));
        for (point, cell) in [
            ([-10.0, 100.0], [0, 0]),
            ([-6.0, 104.9], [1, 0]),
            ([19.9, 105.0], [7, 1]),
            ([-1e30, 1e30], [0, 2]),
            ([f32::INFINITY, f32::NAN], [7, 0]),
        ] {
            assert_eq!(layout.cell(point.into()), cell, "{point:?}");
        }
        assert_eq!(layout.index([7, 2]), 23);
        let last = Rect::new(Vec2::new(18.0, 110.0), Vec2::new(22.0, 115.0));
        assert_eq!(layout.cell_bounds([7, 2]), last, "reaches over the border");
    }

    #[test]
    fn floors_like_a_cast() {
        for value in [0.0, 0.49, 0.5, 0.999_999_94, 1.0, 1.5, 2.5, 3.5, 1e6, 4_194_302.5, 4e9] {
            for count in [1, 3, 1 << 22] {
                assert_eq!(
                    floor(value, count),
                    (value as u32).min(count - 1),
                    "{value} of {count}"
                );
            }
        }
    }

    #[test]
    fn enlarges_cells_that_are_too_many() {
        let layout = CellLayout::new(&Rect::from_size(1e9, 1.0), Vec2::ONE);
        assert!(layout.cols() <= 1 << 22 && layout.rows() == 1);
        assert_eq!(layout.col(1e9), layout.cols() - 1);
    }
}
