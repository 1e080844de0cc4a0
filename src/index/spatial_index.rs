//! The trait of all indexes, the configuration of an index, and the names of the kinds of indexes.

use std::fmt;

use glam::Vec2;

use super::discs::DiscsById;
use crate::{error::Result, geometry::cells::CellLayout, grid::GridConfig};

/// Cells per disc, at most. In a huge and nearly empty world cells are larger than an index asks
/// for; otherwise an index with a list per cell would consist of little but cells.
const CELLS_PER_DISC_MAX: f64 = 64.0;

/// A spatial index of moving discs; the [module](crate::index) states the contract.
///
/// Methods take `&mut self` so that an index may mark the elements that a search has visited. Pairs
/// go to a visitor instead of a list, so that nothing has to be allocated.
pub trait SpatialIndex: Send + Sync {
    /// Makes the index hold exactly the living discs, at their current positions.
    ///
    /// # Errors
    /// If it must grow and there is not enough memory.
    ///
    /// # Panics
    /// If there are more ids than the capacity, ids that are not alive included.
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()>;

    /// Calls `visit` once with the two ids of each pair that overlaps, in any order.
    ///
    /// `discs` are the discs of the last update, unchanged.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()>;

    /// Bytes that the index holds, without the discs that it borrows.
    fn memory(&self) -> usize;

    /// Number of allocations since construction; 0 by default.
    #[doc(hidden)]
    fn growths(&self) -> u64 {
        0
    }
}

/// A function that takes the two ids of each pair found.
pub(crate) type PairVisitor<'a> = dyn FnMut(u32, u32) + 'a;

impl fmt::Debug for dyn SpatialIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpatialIndex").field("memory", &self.memory()).finish_non_exhaustive()
    }
}

/// The configuration of an index. Each index derives its cells from it as its author recommends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexConfig {
    /// The world, the capacity, and cells that suit a double grid: 1.7 discs each in `gas`.
    pub grid: GridConfig,
    /// Smallest and largest radius at the start, world units. Larger discs are found as well, more
    /// slowly.
    pub radius: [f32; 2],
}

impl IndexConfig {
    /// Square cells over the world: of this side, or larger ones if these would be too many for the
    /// capacity.
    pub(super) fn cells(&self, side: f32) -> CellLayout {
        let size = self.grid.bounds.size();
        let most = CELLS_PER_DISC_MAX * (self.grid.capacity as f64 + 64.0);
        let most = most.min(f64::from(i32::MAX));
        let least = (f64::from(size.x) * f64::from(size.y) / most).sqrt() as f32;
        // A long and thin world has a single row of cells, however large they are.
        let least = least.max((f64::from(size.max_element()) / most) as f32);
        CellLayout::new(&self.grid.bounds, Vec2::splat(side.max(least)))
    }
}

/// A kind of index: its name, and how to build it.
#[derive(Clone, Copy)]
pub struct IndexKind {
    /// The name.
    pub name: &'static str,
    /// A description in one line, without a full stop.
    pub summary: &'static str,
    pub(crate) build: fn(&IndexConfig) -> Result<Box<dyn SpatialIndex>>,
}

impl IndexKind {
    /// Builds an empty index and allocates its memory.
    ///
    /// # Errors
    /// If the index does not support such discs, or there is not enough memory.
    pub fn build(&self, config: &IndexConfig) -> Result<Box<dyn SpatialIndex>> {
        (self.build)(config)
    }
}

/// Compares the names, which are unique.
impl PartialEq for IndexKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for IndexKind {}

impl fmt::Debug for IndexKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
