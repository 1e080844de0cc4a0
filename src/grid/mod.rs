//! The loose/tight double grid: half a million things that move, found in constant time.
//!
//! # The idea
//!
//! Two grids over one world. An element lives in exactly one cell of the **loose** grid, its *home*:
//! the cell that its centre lay in when it was last homed. It may stand out of the cell, for its size or
//! because it has moved since. While that is less than half a cell, it is *near*: arithmetic finds it in the
//! cells next to where one searches. One that stands out farther is *far*, and makes its cell *wide*: the
//! cell gets an AABB around those, and the **tight** grid, which is coarser, lists it wherever that reaches.
//!
//! ```text
//!   loose cells, one home for each           tight cells, coarser: which wide
//!   element, that it may stand out of        cells concern this part of the world
//!   ┌─────┬─────┬─────┬─────┐                ┌───────────┬───────────┐
//!   │  ·  │     │ · · │     │                │           │           │
//!   │     │·    │  ·  │  ·  │                │  {A}      │  {A}      │
//!   ├─────┼─────┼─────┼─────┤                │           │           │
//!   │     │     │   ╭───────────╮            ├───────────┼───────────┤
//!   │  ·  │  ·  │   │ A │     │ │            │           │           │
//!   └─────┴─────┴───╰───────────╯            └───────────┴───────────┘
//! ```
//!
//! It was described by the user "Dragon Energy" on Stack Overflow in 2018 ("Loose/Tight Double-Grid With
//! 500k Agents"). There, both grids are made of linked lists. Here everything is packed in flat arrays:
//! *counts → offsets → items*, by counting sort.
//!
//! ```text
//! starts  [ 0 | 0 | 3 | 5 | 5 | …      a loose cell after the other, row by row   4 bytes a cell
//! order   [ 17 . 4 . 90 | 2 . 55 | …   elements of cell 1, of cell 2, …           4 bytes an element
//! home    [ 2 | 9 | 2 | 1 | …          the other way round: element → cell        4 bytes an element
//! far     [ 0 0 1 0 0 0 0 1 …          who stands out too far                     a bit an element
//! windows [ ▫ | ▫ | ▫ | …              whom to meet, if elements lie in cell order 4 bytes an element
//! ```
//!
//! Three things make it small and quick:
//! - **Near elements need no list and no AABB.** Two of them that touch are in adjacent cells. Dust and
//!   giants can be mixed: only giants are listed.
//! - **Homes last.** Elements that move a little stay near their homes for some steps. A
//!   [`refit`](Grid::refit) finds who has gone too far; only when they are many, all are homed anew.
//! - **Memory goes with occupied space.** The world is cut into pages of 8 × 8 loose cells; only
//!   pages that hold somebody are stored. A huge, nearly empty world costs two bits a page.
//!
//! # Using it
//!
//! The grid never owns your data; you lend it as [`Elements`]. A bulk [`rebuild`](Grid::rebuild)
//! each frame is the quickest way if most elements move; [`insert`](Grid::insert),
//! [`remove`](Grid::remove) and [`relocate`](Grid::relocate) change one element in
//! constant time in between.
//!
//! ```
//! use jostle::{GridConfig, Grid, Rect, Vec2, grid::Disc};
//!
//! let discs = [(1.0, 1.0), (1.5, 1.0), (8.0, 3.0)]
//!     .map(|(x, y)| Disc { center: Vec2::new(x, y), radius: 0.5 });
//! let mut grid = Grid::new(GridConfig::new(Rect::from_size(16.0, 9.0), 2.0, discs.len()))?;
//! grid.rebuild(&discs[..])?;
//!
//! let mut pairs = Vec::new();
//! grid.visit_pairs(&discs[..], 0.0, |a, b| pairs.push((a, b)));
//! assert_eq!(pairs, [(0, 1)]);
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! Who keeps their elements in cell order, as the simulation does, sorts them by
//! [`sort`](Grid::sort) and says so by [`adopt`](Grid::adopt): items are then the
//! slots themselves, and neighbours in the world are neighbours in memory.
//!
//! # Invariants
//!
//! - Every element is in exactly one loose cell.
//! - Every element is found exactly once by a search that it meets: a near one by arithmetic, a far one through
//!   any tight cell under its cell's AABB. An empty cell is listed nowhere.
//! - An AABB contains the far elements of its cell and is no larger than they are.
//!
//! [`Grid::validate`] checks all of it.

mod area;
mod build;
mod chain;
mod edit;
mod home;
mod inspect;
mod occupancy;
mod overflow;
mod pages;
mod query;
mod refit;
mod sweep;
mod tight;
mod validate;

use glam::Vec2;

use self::{build::Sorter, overflow::Overflow, pages::Pages, refit::Bits, tight::TightGrid};
pub use self::{
    query::{Neighbour, Trace},
    refit::Watch,
    sweep::{Packed, Windows},
};
pub use crate::geometry::{Disc, DiscColumns, Elements, HasShape, Mapped, Ray, RayEntry, Shape};
use crate::{
    alloc,
    error::{Adjust, Error, Field, Limit, Remedy, Result, Value},
    geometry::{Rect, cells::CellLayout},
    limits::{BANDS_MAX, CELL_SIDE_MIN, CELLS_PER_SIDE_MAX, COORDINATE_MAX, NEAR},
    simd::SimdLevel,
};

/// No cell, no element.
const NONE: u32 = u32::MAX;
/// In a home: the number behind it is that of an overflow cell.
const OVERFLOW: u32 = 1 << 31;

/// The shape of a grid, and what it claims memory for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridConfig {
    /// The world; its coordinates are at most [`COORDINATE_MAX`]. An element whose centre lies outside belongs to
    /// the nearest border cell.
    pub bounds: Rect,
    /// Width and height of a loose cell, world units, at least [`CELL_SIDE_MIN`]; 2 to 4 elements a cell are
    /// quickest.
    pub loose_size: Vec2,
    /// Width and height of a tight cell, world units; 8 to 32 loose cells a side are usual, but any size
    /// will do, smaller than a loose cell too.
    pub tight_size: Vec2,
    /// Elements that there is room for; their indices stay below it.
    pub capacity: usize,
    /// Loose cells that room is claimed for; [`Grid::new`] claims no more than the world has.
    /// If a rebuild needs more, the grid grows.
    pub cells: usize,
    /// Elements inserted or relocated between two rebuilds that room is claimed for; more make it grow.
    pub edits: usize,
}

impl GridConfig {
    /// Square loose cells of side `loose`, tight cells of 16 × 16 of them, room for `capacity` elements,
    /// twice as many cells, and an eighth as many edits.
    pub fn new(bounds: Rect, loose: f32, capacity: usize) -> Self {
        Self {
            bounds,
            loose_size: Vec2::splat(loose),
            tight_size: Vec2::splat(loose * 16.0),
            capacity,
            cells: 2 * capacity,
            edits: capacity / 8,
        }
    }
}

/// The loose/tight double grid; see the [module](self).
#[derive(Debug)]
pub struct Grid {
    config: GridConfig,
    loose: CellLayout,
    pages: Pages,
    /// True if every page is stored, always: worlds that are full need no bits.
    dense: bool,
    /// How far a near element stands out of its home, at most, world units.
    reach: f32,
    /// First item of each stored cell, and [`Self::ENDS`].
    starts: Vec<u32>,
    /// Elements in cell order, as of the last rebuild.
    order: Vec<u32>,
    /// The cell of each element: row and column, [`OVERFLOW`] with the number of an overflow cell, or
    /// [`NONE`] for an element that is not in the grid.
    home: Vec<u32>,
    /// Which elements are far.
    far: Bits,
    /// How far the centre of one of them is out of its home, at most, world units.
    astray: f32,
    /// The reach of the largest that is far for its size, world units.
    widest: f32,
    /// The windows of each slot, if elements lie in cell order.
    windows: Vec<Packed>,
    sorter: Sorter,
    /// True if the caller's elements lie in cell order, so that item = element.
    adopted: bool,
    /// True if elements were inserted, removed or relocated since the last rebuild.
    edited: bool,
    tight: TightGrid,
    overflow: Overflow,
    len: usize,
    simd: SimdLevel,
}

impl Grid {
    /// Offsets behind the last cell's: where it ends, and windows that run over it.
    const ENDS: usize = 3;

    /// An empty grid; all memory is claimed here.
    ///
    /// # Errors
    /// If a size is not above 0 and finite, if there would be more than [`CELLS_PER_SIDE_MAX`] columns or
    /// rows of either grid, or if there is not enough memory.
    pub fn new(config: GridConfig) -> Result<Self> {
        check(&config)?;
        let loose = CellLayout::new(&config.bounds, config.loose_size);
        let all = Pages::cells_at_most(loose.cols(), loose.rows());
        let cells = (config.cells as u64).min(all) as usize;
        let mut pages = Pages::new(loose.cols(), loose.rows())?;
        // A bit a page is worth it only where many pages are empty.
        let dense = all <= cells.min(2 * config.capacity) as u64;
        if dense {
            pages.mark_all();
        }
        pages.lay_out()?;
        let tight = CellLayout::new(&config.bounds, config.tight_size);
        let band = loose.rows().div_ceil(BANDS_MAX).next_multiple_of(Pages::ROWS);
        let mut grid = Self {
            reach: NEAR * config.loose_size.min_element(),
            starts: alloc::with_capacity(cells + Self::ENDS, "the loose cells' offsets")?,
            order: alloc::with_capacity(config.capacity, "the order of the elements")?,
            home: alloc::filled(config.capacity, NONE, "the homes of the elements")?,
            far: Bits::new(config.capacity)?,
            astray: 0.0,
            widest: 0.0,
            windows: Vec::new(),
            sorter: Sorter::new(config.capacity, loose.rows(), band)?,
            loose,
            pages,
            dense,
            adopted: false,
            edited: false,
            tight: TightGrid::new(tight, config.capacity, config.edits)?,
            overflow: Overflow::new(config.edits)?,
            len: 0,
            simd: SimdLevel::best(),
            config,
        };
        let offsets = grid.pages.cells() + Self::ENDS;
        alloc::grow_to(&mut grid.starts, offsets, 0, "the loose cells' offsets")?;
        Ok(grid)
    }

    /// How many elements are in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if no element is in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// True if the element is in it.
    pub fn contains(&self, element: u32) -> bool {
        self.home.get(element as usize).is_some_and(|&home| home != NONE)
    }

    /// Chooses the instructions that it is rebuilt with: the best of the machine unless told otherwise.
    pub fn set_simd(&mut self, simd: SimdLevel) {
        self.simd = simd;
    }

    /// The shape that it was asked for.
    pub fn config(&self) -> &GridConfig {
        &self.config
    }

    /// Columns and rows of loose cells in the world, stored or not.
    pub fn loose_cells(&self) -> [u32; 2] {
        [self.loose.cols(), self.loose.rows()]
    }

    /// Columns and rows of tight cells.
    pub fn tight_cells(&self) -> [u32; 2] {
        [self.tight.layout.cols(), self.tight.layout.rows()]
    }

    /// Bytes that it holds.
    pub fn memory(&self) -> usize {
        let words = [&self.starts, &self.order, &self.home].map(Vec::capacity);
        (words.iter().sum::<usize>() + self.windows.capacity()) * 4
            + self.far.memory()
            + self.sorter.memory()
            + self.pages.memory()
            + self.tight.memory()
            + self.overflow.memory()
    }

    /// How far a near element may stand out of its home, world units: less than half a cell. One with a
    /// larger radius is far wherever it is.
    pub fn reach(&self) -> f32 {
        self.reach
    }

    /// How far to look beyond an area for the homes of near elements that meet it.
    #[inline(always)]
    fn search_reach(&self) -> f32 {
        self.reach + self.margin(&self.config.bounds)
    }

    /// How far off a box may be, or the cell that a point lies in: distances round differently, by a few
    /// units in the last place of the largest coordinate.
    #[inline(always)]
    fn margin(&self, search: &Rect) -> f32 {
        let largest = |rect: &Rect| rect.min.abs().max(rect.max.abs()).max_element();
        8.0 * f32::EPSILON * (largest(search) + largest(&self.config.bounds))
    }

    /// The element of an item.
    #[inline]
    fn element(&self, item: usize) -> u32 {
        if self.adopted { item as u32 } else { self.order[item] }
    }

    /// The items of the cell of a home.
    #[inline]
    fn items(&self, home: u32) -> std::ops::Range<usize> {
        let [col, row] = home::split(home);
        let cell = self.pages.stored(col, row) as usize;
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }
}

fn check(config: &GridConfig) -> Result<()> {
    let bounds = config.bounds.size();
    for (field, size) in [
        (Field::Bounds, bounds),
        (Field::LooseSize, config.loose_size),
        (Field::TightSize, config.tight_size),
    ] {
        if !(size.is_finite() && size.min_element() > 0.0) {
            return Err(Error::invalid(field, Value::Size(size), Limit::Extent));
        }
    }
    let Rect { min, max } = config.bounds;
    let farthest = min.abs().max(max.abs()).max_element();
    if farthest > COORDINATE_MAX {
        let [low, high] = [-COORDINATE_MAX, COORDINATE_MAX].map(Vec2::splat);
        let limit = Limit::Inside { min: low, max: high };
        return Err(Error::invalid(Field::Bounds, Value::Rect { min, max }, limit));
    }
    for (field, size) in
        [(Field::LooseSize, config.loose_size), (Field::TightSize, config.tight_size)]
    {
        if size.min_element() < CELL_SIDE_MIN {
            let limit = Limit::Numbers { min: CELL_SIDE_MIN, max: f32::MAX };
            return Err(Error::invalid(field, Value::Size(size), limit));
        }
        if (bounds / size).ceil().max_element() > CELLS_PER_SIDE_MAX as f32 {
            let limit = Limit::Cells { world: bounds, max: CELLS_PER_SIDE_MAX };
            return Err(Error::invalid(field, Value::Size(size), limit)
                .with_remedy(Remedy::Adjust(const { &[Adjust::Raise(Field::LooseSize)] })));
        }
    }
    if config.capacity > (OVERFLOW - 1) as usize {
        let limit = Limit::Counts { min: 0, max: u64::from(OVERFLOW - 1) };
        return Err(Error::invalid(Field::Capacity, Value::Count(config.capacity as u64), limit));
    }
    Ok(())
}
