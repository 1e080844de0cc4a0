//! Which indexes there are, by name, and what they are made from.

use std::fmt;

use super::{
    DoubleGrid, HashIndex, LinkedDoubleGrid, LooseQuadtree, Naive, Quadtree, SpatialIndex,
    UnitIndex,
};
use crate::{
    error::{Error, NameKind, Result},
    grid::GridConfig,
};

/// What an index may know before it sees a disc. Each takes from it what its author would have asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexConfig {
    /// The world, the capacity, and the cells that suit a double grid, in `gas` for three discs each.
    pub grid: GridConfig,
    /// Smallest and largest radius at the start, world units. Larger ones may come, and cost time.
    pub radius: [f32; 2],
}

/// A kind of index: its name, and how it is made.
#[derive(Clone, Copy)]
pub struct IndexKind {
    /// As `--index` takes it.
    pub name: &'static str,
    /// What it is, in one line without a full stop.
    pub summary: &'static str,
    /// An empty one; all memory is claimed here. Refuses in a sentence what it is not made for.
    pub build: fn(&IndexConfig) -> Result<Box<dyn SpatialIndex>>,
}

impl IndexKind {
    /// Every index of our own.
    const OWN: [Self; 7] = [
        DoubleGrid::KIND,
        LinkedDoubleGrid::KIND,
        LooseQuadtree::KIND,
        Quadtree::KIND,
        UnitIndex::KIND,
        HashIndex::KIND,
        Naive::KIND,
    ];

    /// Every index that was built in, the hero first.
    pub fn all() -> impl Iterator<Item = Self> {
        #[cfg(feature = "peers")]
        let peers = super::peers::KINDS;
        #[cfg(not(feature = "peers"))]
        let peers = [];
        Self::OWN.into_iter().chain(peers)
    }

    /// The index of that name.
    ///
    /// # Errors
    /// If there is none; the message names those that there are.
    pub fn find(name: &str) -> Result<Self> {
        let wanted = name.trim().to_lowercase();
        if let Some(kind) = Self::all().find(|kind| kind.name == wanted) {
            return Ok(kind);
        }
        let known = Self::all().map(|kind| kind.name).collect();
        Err(Error::UnknownName { kind: NameKind::Index, name: name.to_owned(), known })
    }

    /// An empty index of this kind.
    ///
    /// # Errors
    /// If it is not made for such discs, or there is not enough memory.
    pub fn build(&self, config: &IndexConfig) -> Result<Box<dyn SpatialIndex>> {
        (self.build)(config)
    }
}

/// The name says it all.
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
