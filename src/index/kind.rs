//! The indexes by name, and what they are built from.

use std::fmt;

use super::{
    DoubleGrid, LinkedDoubleGrid, LooseQuadtree, Naive, Quadtree, SpatialHash, SpatialIndex,
    UnitGrid,
};
use crate::{
    error::{Error, NameKind, Result},
    grid::GridConfig,
};

/// What an index is built from. Each index takes what its author would have asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexConfig {
    /// The world, the capacity, and cells that suit a double grid: about three discs each in `gas`.
    pub grid: GridConfig,
    /// Smallest and largest radius at the start, world units. Larger discs are found as well, more
    /// slowly.
    pub radius: [f32; 2],
}

/// A kind of index: its name, and how to build it.
#[derive(Clone, Copy)]
pub struct IndexKind {
    /// The name that `--index` takes.
    pub name: &'static str,
    /// A description in one line, without a full stop.
    pub summary: &'static str,
    pub(crate) build: fn(&IndexConfig) -> Result<Box<dyn SpatialIndex>>,
}

impl IndexKind {
    /// The indexes of this crate, the double grid first. None of them allocates without counting it in
    /// [`SpatialIndex::growths`].
    pub const OWN: [Self; 7] = [
        DoubleGrid::KIND,
        LinkedDoubleGrid::KIND,
        LooseQuadtree::KIND,
        Quadtree::KIND,
        UnitGrid::KIND,
        SpatialHash::KIND,
        Naive::KIND,
    ];

    /// Libraries by other authors, and the sorted grid of the textbooks: yardsticks for the benchmarks.
    #[cfg(feature = "peers")]
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
    /// If there is none. The message lists the names.
    pub fn find(name: &str) -> Result<Self> {
        let wanted = name.trim().to_lowercase();
        if let Some(kind) = Self::all().find(|kind| kind.name == wanted) {
            return Ok(kind);
        }
        let known = Self::all().map(|kind| kind.name).collect();
        Err(Error::UnknownName { kind: NameKind::Index, name: name.to_owned(), known })
    }

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
