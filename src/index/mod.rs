//! Spatial indexes behind one trait, each built the way its author describes it.
//!
//! # The idea
//!
//! A [`SpatialIndex`] keeps track of discs that move. Once per step its caller passes the current
//! positions and asks which discs overlap.
//!
//! An index works with **ids**. It never owns the discs: every call borrows them as [`DiscsById`],
//! columns in the order of the ids. The agents of a simulation lie in cell order instead. Bringing
//! them into the order of their ids, and the pairs of an index into canonical order, is the
//! caller's work and is timed apart from the index. The caller also decides whether neighboring ids
//! are neighbors in the world, and has to state it with every measurement.
//!
//! ```text
//! id        0    1    2    3    4   …           the same for every index
//! x      [ .. | .. | .. | .. | .. | …  f32      world units
//! y      [ .. | .. | .. | .. | .. | …  f32
//! radius [ .. | .. | .. | .. | .. | …  f32
//! alive  [ ✓  | ✓  | ·  | ✓  | ✓  | …  bool     an id that is not alive is in no index
//! ```
//!
//! # The contract
//!
//! 1. [`update`](SpatialIndex::update) makes the index hold exactly the living discs, at their
//!    current positions. It also fills an empty index. Between two updates, any disc may have
//!    moved, died, come to life or changed its size. The number of ids never exceeds the capacity.
//! 2. The discs do not change between an update and the search for pairs that follows it.
//! 3. Overlap has one definition: `dx·dx + dy·dy < (ri + rj)²` in f32, in that order of operations,
//!    strict. How an index finds candidates is its own choice. Boxes of candidates are padded for
//!    rounding, so that two discs that overlap have boxes that intersect.
//! 4. Each pair is reported once, in any order.
//! 5. A disc outside the world is found like any other. A disc may be larger than any cell.
//! 6. Memory is allocated at construction, for a capacity. Later growth is counted.
//!
//! The conformance suite in `tests/index` checks every index against a search of every pair.
//!
//! # Reading order
//!
//! `discs` is what an index borrows, `kind` lists the indexes by name. Then one file or folder per
//! structure: `naive`, `unit_grid`, `spatial_hash`, `quadtree`, `linked_double_grid`,
//! `double_grid`, and `peers`, which are libraries by other authors. `block_pool`, `disc_lists` and
//! `visit_marks` are the parts that several of them share.

mod block_pool;
mod disc_lists;
mod discs;
mod double_grid;
mod kind;
mod linked_double_grid;
mod naive;
#[cfg(feature = "peers")]
mod peers;
mod quadtree;
mod spatial_hash;
pub(crate) mod squares;
mod unit_grid;
mod visit_marks;

use std::fmt;

pub use self::{
    discs::DiscsById,
    kind::{IndexConfig, IndexKind},
    linked_double_grid::LinkedDoubleGrid,
    quadtree::{LooseQuadtree, Quadtree},
    spatial_hash::{CellIds, SpatialHash},
    unit_grid::UnitGrid,
};
pub(crate) use self::{double_grid::DoubleGrid, naive::Naive};
use crate::error::Result;

/// A spatial index of moving discs; the [module](self) states the contract.
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
    /// `discs` are those of the last update.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut dyn FnMut(u32, u32))
    -> Result<()>;

    /// Bytes that the index holds, without the discs that it borrows.
    fn memory(&self) -> usize;

    /// Number of allocations since construction.
    fn growths(&self) -> u64;

    /// Checks every invariant of the structure against the discs of the last update. Intended for
    /// tests: it may take time quadratic in the number of discs. By default it checks nothing.
    ///
    /// # Errors
    /// A description of the first invariant that does not hold.
    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let _ = discs;
        Ok(())
    }
}

impl fmt::Debug for dyn SpatialIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpatialIndex").field("memory", &self.memory()).finish_non_exhaustive()
    }
}
