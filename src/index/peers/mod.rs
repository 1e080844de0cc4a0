//! Peers: well-kept libraries by other authors behind the same trait. Each is used in the way that
//! its own documentation calls fastest when everything moves, on one thread.
//!
//! | index | structure | update | pairs |
//! |---|---|---|---|
//! | [`ParryIndex`] | bounding volume hierarchy | leaves written, refit, a twentieth rebuilt | the tree against itself |
//! | [`BroccoliIndex`] | k-d tree with sweep and prune | rebuilt | the tree against itself |
//! | [`RstarIndex`] | R-tree | loaded again in bulk | the tree against itself |
//! | [`KiddoIndex`] | k-d tree of points | rebuilt | a search around each disc for smaller ones |
//! | [`SortedGrid`] | uniform grid | sorted again by cell | half of the nine cells around each disc |
//!
//! The last one is not a library: it is the grid of the textbooks, which is what most people would
//! write. It needs no crate, but it is a yardstick like the others.
//!
//! Boxes are those of [`DiscsById::bounds`](super::discs::DiscsById::bounds), and
//! [`DiscsById::overlap`](super::discs::DiscsById::overlap) decides which discs overlap, so that
//! all indexes find the same pairs. That costs little compared with finding candidates. The
//! libraries allocate at every update and count it in `growths`.

mod broccoli;
mod kiddo;
mod parry;
mod rstar;
mod sorted_grid;

use self::{
    broccoli::BroccoliIndex, kiddo::KiddoIndex, parry::ParryIndex, rstar::RstarIndex,
    sorted_grid::SortedGrid,
};
use super::spatial_index::IndexKind;

/// All peers.
pub(super) const KINDS: [IndexKind; 5] =
    [ParryIndex::KIND, BroccoliIndex::KIND, RstarIndex::KIND, KiddoIndex::KIND, SortedGrid::KIND];
