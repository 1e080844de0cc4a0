//! Spatial indexes, side by side: each as its author meant it, behind one trait.
//!
//! # The idea
//!
//! A [`SpatialIndex`] knows where discs are that move. The step asks it once a step: *these are the
//! positions now; which discs overlap?* Everything else (rectangles, discs, insertion, removal) is there so
//! that an index can serve a game between two steps.
//!
//! An index speaks **ids**. It never owns the discs: it is lent [`DiscsById`], arrays in the order of the ids,
//! each time it is called. Agents in a simulation lie in cell order instead, so that bringing them to the
//! order of their ids, and an index's pairs to canonical order, is the caller's work and is timed apart:
//! nothing of it is charged to the index. Whether neighbours among the ids are neighbours in the world is
//! the caller's to decide, and to say beside every figure.
//!
//! ```text
//! id        0    1    2    3    4   …           the same for every index
//! x      [ .. | .. | .. | .. | .. | …  f32      world units
//! y      [ .. | .. | .. | .. | .. | …  f32
//! radius [ .. | .. | .. | .. | .. | …  f32
//! alive  [ ✓  | ✓  | ·  | ✓  | ✓  | …  bool     who is not alive is in no index
//! ```
//!
//! # The contract
//!
//! 1. [`update`](SpatialIndex::update) makes the index that of exactly the living, where they are now. It
//!    is how an index is filled, too. Anybody may have moved, died, come to life or changed its size; there
//!    may be more ids than before, and never fewer.
//! 2. Between two updates nothing moves. [`insert`](SpatialIndex::insert) and
//!    [`remove`](SpatialIndex::remove) follow one disc that came to life or died in between.
//! 3. Overlap has one definition, [`DiscsById::overlap`]: `dx·dx + dy·dy < (ri + rj)²` in f32, in that order,
//!    strict. An index may look for candidates as it likes; they are boxes of [`DiscsById::bounds`], which
//!    leave room for rounding, so that who overlaps has boxes that meet. Searches use
//!    [`DiscsById::intersects_rect`] and [`DiscsById::intersects_disc`].
//! 4. Pairs come once each, in any order; so do the ids that a search finds.
//! 5. A disc outside the world is found like any other. A disc may be larger than any cell.
//! 6. Memory is claimed at construction, for a capacity. What grows all the same is counted.
//!
//! One conformance suite (`tests/index`) holds every index to that, with [`Naive`] as the oracle.

mod discs;
pub mod double_grid;
mod kind;
pub mod linked_double_grid;
pub mod naive;
#[cfg(feature = "peers")]
pub mod peers;
pub mod quadtree;
pub mod spatial_hash;
pub(crate) mod squares;
mod stamps;
pub mod unit_grid;

use std::fmt::Debug;

pub use self::{
    discs::{DiscsById, padded},
    double_grid::DoubleGrid,
    kind::{IndexConfig, IndexKind},
    linked_double_grid::LinkedDoubleGrid,
    naive::Naive,
    quadtree::{LooseQuadtree, Quadtree},
    spatial_hash::{HashIndex, SpatialHash},
    unit_grid::{UnitGrid, UnitIndex},
};
use crate::{error::Result, geometry::Rect, grid::Disc};

/// A spatial index of discs that move; see the [module](self) for the contract.
///
/// Methods take `&mut self`, so that an index may mark what it has met. They take visitors and no lists,
/// so that nobody allocates.
pub trait SpatialIndex: Debug + Send + Sync {
    /// Makes it the index of exactly the living, where they are now.
    ///
    /// # Errors
    /// If it must grow and there is not enough memory.
    ///
    /// # Panics
    /// If there are more discs, dead ones included, than the capacity.
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()>;

    /// Puts in a disc that has come to life since the update.
    ///
    /// # Errors
    /// If it must grow and there is not enough memory.
    fn insert(&mut self, discs: &DiscsById<'_>, id: u32) -> Result<()>;

    /// Takes out a disc that has died since the update. Its position and radius are still those of then.
    fn remove(&mut self, discs: &DiscsById<'_>, id: u32);

    /// Calls `visit` once with the two ids of each pair that overlaps, in any order.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut dyn FnMut(u32, u32))
    -> Result<()>;

    /// Calls `visit` once with each disc that shares a point with the rectangle, in any order.
    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32));

    /// Calls `visit` once with each disc that has a point in common with `area`, in any order.
    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32));

    /// Bytes held, without the discs that it is lent.
    fn memory(&self) -> usize;

    /// Times that it claimed memory after construction.
    fn growths(&self) -> u64;

    /// Checks every invariant. For tests: as slow as it likes.
    ///
    /// # Errors
    /// The first invariant that is broken, as a sentence.
    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String>;
}
