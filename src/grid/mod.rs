//! The loose/tight double grid: half a million things that move, found in constant time.
//!
//! # The idea
//!
//! Two grids over one world. An element lives in exactly one cell of the **loose** grid, its *home*:
//! the cell that its centre lies in. The cell carries the AABB of what is in it, which grows and shrinks
//! with its elements and may stick out of the cell. The **tight** grid is coarser and finds the loose
//! cells that stick out far. A search looks up a block of cells by arithmetic, takes those whose AABB it
//! meets, and tests the elements in them:
//!
//! ```text
//!   loose cells, one home for each           tight cells, coarser: which far-reaching
//!   element; AABBs fit what is there         loose cells concern this part of the world
//!   ┌─────┬─────┬─────┬─────┐                ┌───────────┬───────────┐
//!   │ ┌──┐│     │ · · │     │                │           │           │
//!   │ └──┼┼─┐   │  ·  │  ·  │                │  {A}      │  {A}      │
//!   ├────┼┼─┼───┼─────┼─────┤                │           │           │
//!   │    └┴─┘   │   ╭───────────╮            ├───────────┼───────────┤
//!   │  ·  │  ·  │   │ A │     │ │            │           │           │
//!   └─────┴─────┴───╰───────────╯            └───────────┴───────────┘
//! ```
//!
//! It was described by the user "Dragon Energy" on Stack Overflow in 2018 ("Loose/Tight Double-Grid With
//! 500k Agents"). There, both grids are made of linked lists. Here everything is packed in flat arrays:
//! *counts → offsets → items*, by counting sort.
//!
//! ```text
//! starts [ 0 | 0 | 3 | 5 | 5 | …      a loose cell after the other, row by row  4 bytes a cell
//! aabbs  [ ∅ | □ | □ | ∅ | □ | …      fits the elements exactly                16 bytes a cell
//! order  [ 17 . 4 . 90 | 2 . 55 | …   elements of cell 1, of cell 2, …          4 bytes an element
//! home   [ 2 | 9 | 2 | 1 | …          the other way round: element → cell       4 bytes an element
//! ```
//!
//! Two things make it small and quick:
//! - **Narrow cells need no list.** An element that reaches at most 0.48 of a cell from its centre can
//!   only concern its own cell and the eight around it. Only a cell that holds a bigger element is
//!   *wide*, and only wide cells stand in the tight grid's lists. Dust and giants can be mixed.
//! - **Memory goes with occupied space.** The world is cut into pages of 8 × 8 loose cells; only
//!   pages that hold somebody are stored. A huge, nearly empty world costs two bits a page.
//!
//! # Using it
//!
//! The grid never owns your data; you lend it as [`Elements`]. A bulk [`rebuild`](LooseTightGrid::rebuild)
//! each frame is the quickest way if most elements move; [`insert`](LooseTightGrid::insert),
//! [`remove`](LooseTightGrid::remove) and [`relocate`](LooseTightGrid::relocate) change one element in
//! constant time in between.
//!
//! ```
//! use jostle::{GridConfig, LooseTightGrid, Rect, Vec2, grid::Disc};
//!
//! let discs = [(1.0, 1.0), (1.5, 1.0), (8.0, 3.0)]
//!     .map(|(x, y)| Disc { center: Vec2::new(x, y), radius: 0.5 });
//! let mut grid = LooseTightGrid::new(GridConfig::new(Rect::from_size(16.0, 9.0), 2.0, discs.len()))?;
//! grid.rebuild(&discs[..])?;
//!
//! let mut pairs = Vec::new();
//! grid.visit_pairs(&discs[..], 0.0, |a, b| pairs.push((a, b)));
//! assert_eq!(pairs, [(0, 1)]);
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! Who keeps their elements in cell order, as the simulation does, sorts them by
//! [`sort`](LooseTightGrid::sort) and says so by [`adopt`](LooseTightGrid::adopt): items are then the
//! slots themselves, and neighbours in the world are neighbours in memory.
//!
//! # Invariants
//!
//! - Every element is in exactly one loose cell.
//! - Every loose cell that holds somebody is found exactly once by a search that its AABB meets: a
//!   narrow one by arithmetic, a wide one through any tight cell under its AABB. An empty one is found
//!   nowhere.
//! - An AABB contains its elements and is no larger than they are.
//!
//! [`LooseTightGrid::validate`] checks all of it.

mod build;
mod chain;
mod edit;
mod lattice;
mod overflow;
mod pages;
mod query;
mod shape;
mod sweep;
mod tight;
mod validate;

use glam::Vec2;

use self::{lattice::Lattice, overflow::Overflow, pages::Pages, tight::TightGrid};
pub use self::{
    query::Neighbour,
    shape::{Disc, Discs, Elements, Shape},
    sweep::Windows,
};
use crate::{
    claim,
    error::{Error, Result},
    limits::{CELLS_A_SIDE_MAX, NARROW},
    rect::Rect,
    simd::Usable,
};

/// No cell, no element.
const NONE: u32 = u32::MAX;
/// In a home: the number behind it is that of an overflow cell.
const OVERFLOW: u32 = 1 << 31;

/// The shape of a grid, and what it claims memory for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridConfig {
    /// The world. An element whose centre lies outside belongs to the nearest border cell.
    pub bounds: Rect,
    /// Width and height of a loose cell, world units; 2 to 4 elements a cell are quickest.
    pub loose_size: Vec2,
    /// Width and height of a tight cell, world units; 8 to 32 loose cells a side are usual, but any size
    /// will do, smaller than a loose cell too.
    pub tight_size: Vec2,
    /// Elements that there is room for; their indices stay below it.
    pub capacity: usize,
    /// Loose cells that room is claimed for; [`LooseTightGrid::new`] claims no more than the world has.
    /// If a rebuild needs more, the grid grows.
    pub cells: usize,
    /// Elements inserted or relocated between two rebuilds that room is claimed for; more make it grow.
    pub edits: usize,
    /// How far elements may move between being homed and [`LooseTightGrid::refit`], world units.
    pub slack: f32,
}

impl GridConfig {
    /// Square loose cells of side `loose`, tight cells of 16 × 16 of them, room for `capacity` elements,
    /// twice as many cells, and an eighth as many edits; no slack.
    pub fn new(bounds: Rect, loose: f32, capacity: usize) -> Self {
        Self {
            bounds,
            loose_size: Vec2::splat(loose),
            tight_size: Vec2::splat(loose * 16.0),
            capacity,
            cells: 2 * capacity,
            edits: capacity / 8,
            slack: 0.0,
        }
    }
}

/// The loose/tight double grid; see the [module](self).
#[derive(Debug)]
pub struct LooseTightGrid {
    config: GridConfig,
    loose: Lattice,
    pages: Pages,
    /// True if every page is stored, always: worlds that are full need no bits.
    dense: bool,
    /// First item of each stored cell; two entries more than there are cells.
    starts: Vec<u32>,
    /// Around the elements of each narrow cell. A wide cell is found through the tight grid only, so its
    /// AABB stands there, and here it reads [`Rect::NOTHING`], as that of an empty cell does.
    aabbs: Vec<Rect>,
    /// Elements in cell order, as of the last rebuild.
    order: Vec<u32>,
    /// The cell of each element: a stored cell, [`OVERFLOW`] with the number of an overflow cell, or
    /// [`NONE`] for an element that is not in the grid.
    home: Vec<u32>,
    /// True if the caller's elements lie in cell order, so that item = element.
    adopted: bool,
    /// True if elements were inserted, removed or relocated since the last rebuild.
    edited: bool,
    tight: TightGrid,
    overflow: Overflow,
    len: usize,
    simd: Usable,
}

impl LooseTightGrid {
    /// An empty grid; all memory is claimed here.
    ///
    /// # Errors
    /// If a size is not above 0 and finite, if there would be more than [`CELLS_A_SIDE_MAX`] columns or
    /// rows of either grid, if the slack leaves no room for any element to be narrow, or if there is not
    /// enough memory.
    pub fn new(config: GridConfig) -> Result<Self> {
        check(&config)?;
        let loose = Lattice::new(&config.bounds, config.loose_size);
        let all = Pages::cells_at_most(loose.cols, loose.rows);
        let cells = (config.cells as u64).min(all) as usize;
        let mut pages = Pages::new(loose.cols, loose.rows)?;
        // A bit a page is worth it only where many pages are empty.
        let dense = all <= cells.min(2 * config.capacity) as u64;
        if dense {
            pages.mark_all();
        }
        pages.lay_out()?;
        let tight = Lattice::new(&config.bounds, config.tight_size);
        let mut grid = Self {
            loose,
            pages,
            dense,
            starts: claim::room(cells + 2, "the loose cells' offsets")?,
            aabbs: claim::room(cells, "the loose cells' AABBs")?,
            order: claim::room(config.capacity, "the order of the elements")?,
            home: claim::filled(config.capacity, NONE, "the homes of the elements")?,
            adopted: false,
            edited: false,
            tight: TightGrid::new(tight, config.edits)?,
            overflow: Overflow::new(config.edits)?,
            len: 0,
            simd: Usable::best(),
            config,
        };
        grid.resize_cells()?;
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
    pub fn set_simd(&mut self, simd: Usable) {
        self.simd = simd;
    }

    /// The shape that it was asked for.
    pub fn config(&self) -> &GridConfig {
        &self.config
    }

    /// Columns and rows of loose cells in the world, stored or not.
    pub fn loose_cells(&self) -> [u32; 2] {
        [self.loose.cols, self.loose.rows]
    }

    /// Columns and rows of tight cells.
    pub fn tight_cells(&self) -> [u32; 2] {
        [self.tight.lattice.cols, self.tight.lattice.rows]
    }

    /// Bytes that it holds.
    pub fn memory(&self) -> usize {
        (self.starts.capacity() + self.order.capacity() + self.home.capacity()) * 4
            + self.aabbs.capacity() * size_of::<Rect>()
            + self.pages.memory()
            + self.tight.memory()
            + self.overflow.memory()
    }

    /// How far a narrow element reaches from its centre, at most, world units.
    pub fn narrow_reach(&self) -> f32 {
        self.reach() - self.config.slack
    }

    /// How far a narrow element reaches from where it was homed: less than half a cell.
    fn reach(&self) -> f32 {
        self.config.loose_size.min_element() * NARROW
    }

    /// The element of an item.
    #[inline]
    fn element(&self, item: usize) -> u32 {
        if self.adopted { item as u32 } else { self.order[item] }
    }

    /// The items of a stored cell.
    #[inline]
    fn items(&self, cell: u32) -> std::ops::Range<usize> {
        self.starts[cell as usize] as usize..self.starts[cell as usize + 1] as usize
    }
}

fn check(config: &GridConfig) -> Result<()> {
    let bounds = config.bounds.size();
    for (name, size) in
        [("world", bounds), ("loose cell", config.loose_size), ("tight cell", config.tight_size)]
    {
        if !(size.is_finite() && size.min_element() > 0.0) {
            return Err(Error::invalid(format!(
                "a {name} of {} x {} can't be: both sides must be above 0 and finite",
                size.x, size.y
            )));
        }
    }
    for (name, size) in [("loose", config.loose_size), ("tight", config.tight_size)] {
        let count = (bounds / size).ceil();
        if count.max_element() > CELLS_A_SIDE_MAX as f32 {
            return Err(Error::invalid(format!(
                "{name} cells of {} x {} make {} x {} of them in this world, and {CELLS_A_SIDE_MAX} a \
                 side are the most; larger cells or a smaller world would do",
                size.x, size.y, count.x, count.y
            )));
        }
    }
    let reach = config.loose_size.min_element() * NARROW;
    if !(0.0..reach).contains(&config.slack) {
        return Err(Error::invalid(format!(
            "a slack of {} does not fit loose cells of {} x {}: at least 0 and below {reach} would do",
            config.slack, config.loose_size.x, config.loose_size.y
        )));
    }
    if config.capacity > (OVERFLOW - 1) as usize {
        return Err(Error::invalid(format!(
            "a capacity of {} is too many; {} elements are the most",
            config.capacity,
            OVERFLOW - 1
        )));
    }
    Ok(())
}
