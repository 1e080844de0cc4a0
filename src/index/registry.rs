//! The indexes of this build, by name.

use super::{
    double_grid::DoubleGrid,
    linked_double_grid::LinkedDoubleGrid,
    naive::Naive,
    quadtree::{LooseQuadtree, Quadtree},
    spatial_index::IndexKind,
    teaching::{SpatialHash, UnitGrid},
};
use crate::error::{Error, Result};

impl IndexKind {
    /// The indexes of this crate, the double grid first. None of them allocates without counting it
    /// in [`SpatialIndex::growths`](super::SpatialIndex::growths).
    #[doc(hidden)]
    pub const OWN: [Self; 7] = [
        DoubleGrid::KIND,
        LinkedDoubleGrid::KIND,
        LooseQuadtree::KIND,
        Quadtree::KIND,
        UnitGrid::KIND,
        SpatialHash::KIND,
        Naive::KIND,
    ];

    /// Libraries by other authors, and the sorted grid of the textbooks: yardsticks for the
    /// benchmarks.
    #[cfg(feature = "peers")]
    #[doc(hidden)]
    pub const PEERS: [Self; 5] = super::peers::KINDS;

    /// Every index of this build, the double grid first.
    pub fn all() -> impl Iterator<Item = Self> {
        #[cfg(feature = "peers")]
        let peers = Self::PEERS;
        #[cfg(not(feature = "peers"))]
        let peers = [];
        Self::OWN.into_iter().chain(peers)
    }

    /// The index with a name, in any case.
    ///
    /// # Errors
    /// [`Error::UnknownIndex`] if there is none.
    #[doc(hidden)]
    pub fn find(name: &str) -> Result<Self> {
        let wanted = name.trim().to_lowercase();
        if let Some(kind) = Self::all().find(|kind| kind.name == wanted) {
            return Ok(kind);
        }
        let known = Self::all().map(|kind| kind.name).collect();
        Err(Error::UnknownIndex { name: name.to_owned(), known })
    }
}
