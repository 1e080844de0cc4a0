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
//! `discs` has the columns that an index borrows, `spatial_index` has the trait, and `registry`
//! lists the indexes by name. Then comes one file or folder per structure: `naive`, `quadtree`,
//! `linked_double_grid`, `double_grid`, `sorted_grid`, [`teaching`] with the structures of two
//! textbooks, and `peers`, which are libraries by other authors. Several of them share `block_pool`,
//! `disc_lists` and `visit_marks`.

mod block_pool;
mod disc_lists;
mod discs;
mod double_grid;
mod linked_double_grid;
mod naive;
#[cfg(feature = "peers")]
mod peers;
mod quadtree;
mod registry;
#[cfg(feature = "peers")]
mod sorted_grid;
mod spatial_index;
pub mod teaching;
mod visit_marks;

pub(crate) use self::double_grid::DoubleGrid;
#[cfg(any(test, feature = "window"))]
pub(crate) use self::naive::Naive;
pub use self::{
    discs::DiscsById,
    spatial_index::{IndexConfig, IndexKind, SpatialIndex},
};
