//! Structures as textbooks teach them, with the operations that their authors describe.
//!
//! As a [`SpatialIndex`](super::SpatialIndex), both are listed among the indexes and compared with
//! them. Beyond that they are here to be read and tried out, one against its chapter: a game is
//! better served by the [`Grid`](crate::Grid).

mod spatial_hash;
mod unit_grid;

pub use self::{spatial_hash::SpatialHash, unit_grid::UnitGrid};
