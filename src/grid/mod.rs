//! The loose/tight double grid: finds nearby elements among many that move.
//!
//! # The idea
//!
//! There are two grids over one world. An element has exactly one **home cell**, the cell of the
//! **loose** grid that held its center, or was expected to, at the last rebuild. It may reach out of
//! the cell, because of its size or because it has moved since. If it reaches out by less than half
//! a cell, the element is *near*: a search finds it by arithmetic, in the cells next to the searched
//! area. An element that reaches out farther is an **outlier**. Its cell is an **outlier cell**, with an
//! AABB around its outliers, and every cell of the coarser **tight** grid that the AABB overlaps
//! lists the cell.
//!
//! ```text
//!   loose cells, one home for each           tight cells, coarser: the outlier cells
//!   element, which may stand out of it       that reach into this part of the world
//!   ┌─────┬─────┬─────┬─────┐                ┌───────────┬───────────┐
//!   │  ·  │     │ · · │     │                │           │           │
//!   │     │·    │  ·  │  ·  │                │  {A}      │  {A}      │
//!   ├─────┼─────┼─────┼─────┤                │           │           │
//!   │     │     │   ╭───────────╮            ├───────────┼───────────┤
//!   │  ·  │  ·  │   │ A │     │ │            │           │           │
//!   └─────┴─────┴───╰───────────╯            └───────────┴───────────┘
//! ```
//!
//! The user "Dragon Energy" described the structure on Stack Overflow in 2018 ("Loose/Tight
//! Double-Grid With 500k Agents"), with linked lists in both grids. Here everything is packed in
//! flat arrays, *counts → offsets → items*, by a counting sort:
//!
//! ```text
//! starts   [ 0 | 0 | 3 | 5 | 5 | …      one loose cell after the other    4 bytes per cell
//! items    [ 17 . 4 . 90 | 2 . 55 | …   elements of cell 1, of cell 2, …  4 bytes per element
//!    or    [ ▫ | ▫ | ▫ | …              candidates, of data in cell order
//! home     [ 2 | 9 | 2 | 1 | …          the inverse: element → home cell  4 bytes per element
//! outliers [ 0 0 1 0 0 0 0 1 …          elements that stand out too far   1 bit per element
//! ```
//!
//! Three properties make it small and fast:
//! - **Near elements need no list and no AABB.** Two near elements that touch are in adjacent cells.
//!   Sizes can be mixed: only large elements are listed.
//! - **Homes last.** Elements that move a little stay near their homes for some frames. An
//!   [`update`](Grid::update) finds the elements that have moved too far. Only when these are many,
//!   all elements get new homes.
//! - **Memory is proportional to occupied space.** The world is cut into pages of 8 × 8 loose
//!   cells, and only pages with elements are stored. A huge, nearly empty world costs two bits per
//!   page.
//!
//! # Use
//!
//! The grid never owns the data. Every call borrows it as [`Elements`]: a slice, array or `Vec` of
//! values that implement [`HasShape`], or a slice with a closure ([`Mapped`]). Results are indices.
//!
//! ```
//! use jostle::{Disc, Grid, GridConfig, Rect, Vec2, grid::HasShape};
//!
//! struct Unit { position: Vec2, velocity: Vec2, team: u8 }
//!
//! impl HasShape for Unit {
//!     type Shape = Disc;
//!     fn shape(&self) -> Disc {
//!         Disc::new(self.position, 0.5)
//!     }
//! }
//!
//! let at = |x, y, team| Unit { position: Vec2::new(x, y), velocity: Vec2::X, team };
//! let mut units = vec![at(1.0, 1.0, 0), at(1.5, 1.0, 1), at(8.0, 3.0, 1)];
//! let world = Rect::from_size(16.0, 9.0);
//! let mut grid = Grid::new(GridConfig::new(world, 2.0, units.len()))?;
//! grid.rebuild(&units)?;
//!
//! // Each frame: move, update, query.
//! for unit in &mut units {
//!     unit.position += unit.velocity * 0.1;
//! }
//! grid.update(&units)?;
//!
//! let mut pairs = Vec::new();
//! grid.visit_pairs(&units, 0.0, |a, b| pairs.push((a, b)));
//! assert_eq!(pairs, [(0, 1)]);
//!
//! let me = &units[0];
//! let enemy = grid.nearest(&units, me.position, |i| units[i as usize].team != me.team);
//! assert_eq!(enemy.map(|enemy| enemy.element), Some(1));
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! | operation | time |
//! |---|---|
//! | [`rebuild`](Grid::rebuild) | O(n + stored cells), in parallel inside a rayon pool |
//! | [`update`](Grid::update) | O(n), several times as fast while few elements left their cells |
//! | [`insert`](Grid::insert), [`remove`](Grid::remove), [`relocate`](Grid::relocate) | O(1) for most elements, else O(elements in the cell, or inserted near it) |
//! | [`visit_rect`](Grid::visit_rect), [`in_disc`](Grid::in_disc), … | the elements in the cells under the area |
//! | [`nearest`](Grid::nearest), [`raycast`](Grid::raycast) | the elements within about twice the distance found |
//! | [`visit_pairs`](Grid::visit_pairs) | O(n) where elements are spread evenly |
//!
//! **Elements must not move between the last rebuild or update and a query**, unless the caller
//! [relocates](Grid::relocate) each element that has moved. Otherwise a query may miss them.
//!
//! # Invariants
//!
//! - Every element in the grid is in exactly one loose cell.
//! - A search that an element intersects finds it exactly once: a near element by arithmetic, an
//!   outlier through any tight cell under its cell's AABB. No tight cell lists a cell without
//!   outliers.
//! - An AABB contains the outliers of its cell and is no larger than they are.
//!
//! [`Grid::validate`] checks all of them.
//!
//! # Files
//!
//! Read `double_grid` (the parts of a grid), then the parts: `loose` (home cells, stored by
//! `pages`, and `windows` for loops over all slots), `sort` (elements into cells), `stretch` (a part of
//! them), `merge` (elements that come and go), `outliers`, `tight` (with `linked_pool`). `rebuild` and `edit` change a grid, `search` and `query` read it,
//! and `check` validates it and the elements.

mod centers;
mod check;
mod config;
mod double_grid;
mod edit;
mod flow;
mod home;
mod linked_pool;
mod loose;
mod merge;
mod outliers;
mod pages;
mod query;
mod rebuild;
mod replace;
mod search;
mod sort;
mod stretch;
mod tight;
mod windows;

pub(crate) use self::{
    check::Members,
    merge::Merge,
    outliers::{OutlierScan, set_bits},
    stretch::Stretch,
    windows::{PackedWindows, Windows},
};
pub use self::{
    config::GridConfig,
    double_grid::Grid,
    flow::Flow,
    query::{Neighbor, RayHit},
};
pub use crate::geometry::{Disc, DiscColumns, Elements, HasShape, Mapped, Ray, RayEntry, Shape};
