//! Peers: well-kept libraries of others behind the same trait, each used in the way that its own
//! documentation says is fastest when everything moves, on one thread.
//!
//! | index | structure | an update | the pairs |
//! |---|---|---|---|
//! | [`ParryIndex`] | bounding volume hierarchy | leaves written, refit, a twentieth rebuilt | the tree against itself |
//! | [`BroccoliIndex`] | k-d tree with sweep and prune | built anew | the tree against itself |
//! | [`RstarIndex`] | R-tree | loaded anew in bulk | the tree against itself |
//! | [`KiddoIndex`] | k-d tree of points | built anew | a search around each disc for smaller ones |
//! | [`SortedGrid`] | uniform grid | sorted anew by cell | nine cells around each disc |
//!
//! The last one is no library but what every textbook teaches; it is there because it is what most people
//! would write. It needs no crate, but it is a yardstick like the others.
//!
//! Boxes are those of [`DiscsById::bounds`](super::DiscsById::bounds), and who overlaps is decided by
//! [`DiscsById::overlap`](super::DiscsById::overlap), so that all find the same pairs. What that costs is small
//! beside finding candidates. Those that can't change follow an insertion or a removal by being built anew,
//! each time. They claim memory at every update, and say so in `growths`.

mod broccoli;
mod kiddo;
mod parry;
mod rstar;
mod sorted_grid;

pub use self::{
    broccoli::BroccoliIndex, kiddo::KiddoIndex, parry::ParryIndex, rstar::RstarIndex,
    sorted_grid::SortedGrid,
};
use super::IndexKind;

/// All of them.
pub const KINDS: [IndexKind; 5] =
    [ParryIndex::KIND, BroccoliIndex::KIND, RstarIndex::KIND, KiddoIndex::KIND, SortedGrid::KIND];
