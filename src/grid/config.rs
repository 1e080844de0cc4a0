//! The shape of a grid, and the memory that it reserves.

use glam::Vec2;

use super::home::INSERTED;
use crate::{
    error::{Adjust, Error, Field, Limit, Remedy, Result, Value},
    geometry::Rect,
    limits::{CELL_SIDE_MIN, CELLS_PER_SIDE_MAX, COORDINATE_MAX},
};

/// The rectangle in which worlds and elements may lie, so that squares of coordinates stay finite.
pub(super) const EVERYWHERE: Rect =
    Rect::new(Vec2::splat(-COORDINATE_MAX), Vec2::splat(COORDINATE_MAX));

/// The shape of a grid, and the memory that it reserves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GridConfig {
    /// The world, with coordinates of at most 1e18. An element with its center
    /// outside belongs to the border cell nearest to it: it is found as any other, but border cells
    /// fill up.
    pub bounds: Rect,
    /// Width and height of a loose cell, world units, at least 1e-18. Searches are
    /// fastest with 2 to 4 elements per cell, and cells of about 2.5 times the radius of most
    /// elements or more.
    pub loose_size: Vec2,
    /// Width and height of a tight cell, world units. 8 to 32 loose cells per side are usual; any
    /// size is correct, smaller than a loose cell too.
    pub tight_size: Vec2,
    /// The number of elements that the grid has room for; their indices are below it.
    /// [`Grid::reserve`](super::Grid::reserve) raises it.
    pub capacity: usize,
    /// The number of loose cells to reserve memory for, at most the cells of the world. A rebuild
    /// that needs more grows the grid.
    pub cells: usize,
    /// The number of edits to reserve memory for: elements that are inserted or relocated between
    /// two rebuilds. More edits grow the grid. Searches test all edited elements in the tight cells
    /// that they visit, so that a rebuild pays off after many edits.
    pub edits: usize,
    /// Axes along which the world repeats. Along these, the distance of an element beyond the world
    /// from its home cell is its true distance. Along other axes, it counts as if it were at the
    /// border.
    pub(crate) repeats: [bool; 2],
}

impl GridConfig {
    /// Square loose cells of side `loose` (world units), tight cells of 16 × 16 loose cells, and
    /// memory for `capacity` elements, `2 * capacity` cells and `capacity / 8` edits.
    #[must_use]
    pub fn new(bounds: Rect, loose: f32, capacity: usize) -> Self {
        Self {
            bounds,
            loose_size: Vec2::splat(loose),
            tight_size: Vec2::splat(loose * 16.0),
            capacity,
            cells: capacity.saturating_mul(2),
            edits: capacity / 8,
            repeats: [false; 2],
        }
    }

    /// Changes width and height of a loose cell; see [`Self::loose_size`].
    #[must_use]
    pub const fn with_loose_size(self, loose_size: Vec2) -> Self {
        Self { loose_size, ..self }
    }

    /// Changes width and height of a tight cell; see [`Self::tight_size`].
    #[must_use]
    pub const fn with_tight_size(self, tight_size: Vec2) -> Self {
        Self { tight_size, ..self }
    }

    /// Changes the number of cells to reserve memory for; see [`Self::cells`].
    #[must_use]
    pub const fn with_cells(self, cells: usize) -> Self {
        Self { cells, ..self }
    }

    /// Changes the number of edits to reserve memory for; see [`Self::edits`].
    #[must_use]
    pub const fn with_edits(self, edits: usize) -> Self {
        Self { edits, ..self }
    }

    /// Checks sizes, counts and limits.
    pub(crate) fn check(&self) -> Result<()> {
        let bounds = self.bounds.size();
        for (field, size) in [
            (Field::Bounds, bounds),
            (Field::LooseSize, self.loose_size),
            (Field::TightSize, self.tight_size),
        ] {
            if !(size.is_finite() && size.min_element() > 0.0) {
                return Err(Error::invalid(field, Value::Size(size), Limit::Extent));
            }
        }
        let Rect { min, max } = self.bounds;
        if !EVERYWHERE.contains_rect(&self.bounds) {
            let limit = Limit::Inside([EVERYWHERE.min, EVERYWHERE.max]);
            return Err(Error::invalid(Field::Bounds, Value::Rect([min, max]), limit));
        }
        for (field, size) in
            [(Field::LooseSize, self.loose_size), (Field::TightSize, self.tight_size)]
        {
            if size.min_element() < CELL_SIDE_MIN {
                let limit = Limit::Numbers(CELL_SIDE_MIN..=f32::MAX);
                return Err(Error::invalid(field, Value::Size(size), limit));
            }
            if (bounds / size).ceil().max_element() > CELLS_PER_SIDE_MAX as f32 {
                let limit = Limit::Cells { world: bounds, max: CELLS_PER_SIDE_MAX };
                let remedy = Remedy::Adjust(const { &[Adjust::Raise(Field::LooseSize)] });
                return Err(Error::invalid(field, Value::Size(size), limit).with_remedy(remedy));
            }
        }
        check_count(Field::Capacity, self.capacity)?;
        check_count(Field::Edits, self.edits)
    }
}

/// Checks that numbers of elements leave a bit for tags.
pub(super) fn check_count(field: Field, count: usize) -> Result<()> {
    let (count, max) = (count as u64, u64::from(INSERTED - 1));
    if count > max {
        return Err(Error::invalid(field, Value::Count(count), Limit::Counts(0..=max)));
    }
    Ok(())
}
