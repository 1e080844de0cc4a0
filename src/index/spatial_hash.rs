//! The spatial hash grid, with a list per cell.
//!
//! # The idea
//!
//! From *Beginning Android Games* by Mario Zechner (2011), chapter 8, "Broad Phase Collision
//! Detection". The world is cut into square cells, numbered from the lower left. The number of a
//! cell is the hash of the objects in it. An object is in the list of *each* cell that its box
//! touches: one, two or four, and more if it is larger than a cell. Everything that it may collide
//! with is in one of those lists. Objects that move are inserted again every frame.
//!
//! ```text
//! 8 ┌────┬────┬────┬────┐ 11   heads   [ ∅ | 2 | ∅ | 0 | …         one list per cell
//!   │    │    │  ■ │    │      chunks  [ next, count, 14 ids | …   64 bytes each; only the
//! 4 ├────┼────┼────┼────┤ 7                                        first of a list has room
//!   │    │ ·  │   ▄▄▄   │      visited [ 7 | 7 | 6 | …             per object, the last search
//! 0 ├────┼────┼──▀▀▀────┤ 3                                        that visited it
//! ```
//!
//! # Differences from the original
//!
//! - The original has a second list per cell for static objects. Every disc of a [`SpatialIndex`]
//!   may move, so that one list is enough.
//! - An object in two cells would be found twice. The original looks through its results, and calls
//!   that the first candidate for optimization. Here each object carries the number of the search
//!   that visited it last.
//! - The original ignores corners outside the world: *make sure all our objects stay inside*. Here
//!   what lies outside the world belongs to the cells at its border, so that every disc is found.
//! - A list is a chain of chunks in one pool instead of an array list of ten per cell. Both keep
//!   their memory when they are emptied.
//!
//! # Cost
//!
//! A step writes an entry for each cell that each disc touches, 1.4 of them in `gas`. A search
//! reads all lists under a box. Cells are five times as large as the largest object, as the text
//! recommends, so that a search in a dense world reads forty objects. A single giant makes the
//! cells useless for all others. The cells of the world take four bytes each, empty or not, and an
//! entry takes about five.

use super::{
    discs::DiscsById,
    spatial_index::{IndexConfig, IndexKind, PairVisitor, SpatialIndex},
    visit_marks::VisitMarks,
};
use crate::{alloc, error::Result, geometry::cells::CellLayout};

/// Side of a cell, in diameters of the largest object.
const CELL_IN_OBJECTS: f32 = 5.0;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// Ids per chunk: as many as fill a cache line.
const IDS: usize = 14;

/// Ids of a list.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    next: u32,
    count: u32,
    ids: [u32; IDS],
}

/// The spatial hash grid; see the [module](self).
#[derive(Debug)]
pub(super) struct SpatialHash {
    cells: CellLayout,
    heads: Vec<u32>,
    chunks: Vec<Chunk>,
    visited: VisitMarks,
    growths: u64,
}

impl SpatialHash {
    pub(super) const KIND: IndexKind = IndexKind {
        name: "spatial-hash",
        summary: "cells with a list each; an object is in each cell that it touches",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    fn new(config: &IndexConfig) -> Result<Self> {
        let cells = config.cells(CELL_IN_OBJECTS * 2.0 * config.radius[1]);
        // Two of five objects touch a border of cells five times as large.
        let entries = config.grid.capacity * 3 / 2;
        let chunks = cells.len().min(entries) + entries / IDS;
        Ok(Self {
            heads: alloc::filled(cells.len(), NONE, "the cells' lists")?,
            chunks: alloc::with_capacity(chunks, "the entries of the cells' lists")?,
            visited: VisitMarks::new(config.grid.capacity)?,
            growths: 0,
            cells,
        })
    }

    /// Adds an id to the list of a cell.
    fn push(&mut self, cell: usize, id: u32) -> Result<()> {
        let head = self.heads[cell];
        if let Some(chunk) = self.chunks.get_mut(head as usize)
            && (chunk.count as usize) < IDS
        {
            chunk.ids[chunk.count as usize] = id;
            chunk.count += 1;
            return Ok(());
        }
        let mut chunk = Chunk { next: head, count: 1, ids: [NONE; IDS] };
        chunk.ids[0] = id;
        self.heads[cell] = self.chunks.len() as u32;
        let room = self.chunks.capacity();
        alloc::push(&mut self.chunks, chunk, "the entries of the cells' lists")?;
        self.growths += u64::from(self.chunks.capacity() > room);
        Ok(())
    }
}

impl SpatialIndex for SpatialHash {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.heads.fill(NONE);
        self.chunks.clear();
        for id in discs.living() {
            for cell in self.cells.block(&discs.bounds(id)).iter() {
                self.push(self.cells.index(cell), id)?;
            }
        }
        Ok(())
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        let Self { cells, heads, chunks, visited, .. } = self;
        for a in discs.living() {
            visited.begin();
            for cell in cells.block(&discs.bounds(a)).iter() {
                let mut place = heads[cells.index(cell)];
                while let Some(chunk) = chunks.get(place as usize) {
                    for &b in &chunk.ids[..chunk.count as usize] {
                        if visited.visit(b) && a < b && discs.overlap(a, b) {
                            visit(a, b);
                        }
                    }
                    place = chunk.next;
                }
            }
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        self.heads.capacity() * size_of::<u32>()
            + self.chunks.capacity() * size_of::<Chunk>()
            + self.visited.memory()
    }

    fn growths(&self) -> u64 {
        self.growths
    }
}

const _: () = assert!(size_of::<Chunk>() == 64, "a chunk is a cache line");
