//! One list of ids per cell, all lists in one flat pool of cache lines.
//!
//! ```text
//! heads  [ ∅ | 2 | ∅ | 0 | …                      one list per cell
//! chunks [ next, count, 14 ids | next, … | …      64 bytes each; only the first of a list has room
//! ```
//!
//! The original has an array list of ten entries per cell. Its lists keep their memory when they
//! are emptied, and so does the pool.

use crate::{
    alloc,
    error::Result,
    index::block_pool::{BlockPool, Pooled},
};

const NONE: u32 = u32::MAX;
/// Ids per chunk: a chunk fills a cache line.
const IDS: usize = 14;

#[derive(Clone, Copy, Debug)]
struct Chunk {
    next: u32,
    count: u32,
    ids: [u32; IDS],
}

/// Lists of ids.
#[derive(Debug)]
pub(super) struct CellLists {
    heads: Vec<u32>,
    chunks: BlockPool<Chunk, 1>,
}

impl CellLists {
    /// Empty lists, with capacity for `ids` entries in the worst distribution over the lists.
    pub(super) fn new(lists: usize, ids: usize) -> Result<Self> {
        let chunks = lists.min(ids) + ids / IDS;
        Ok(Self {
            heads: alloc::filled(lists, NONE, "the cells' lists")?,
            chunks: BlockPool::new(chunks, "the entries of the cells' lists")?,
        })
    }

    /// Number of allocations since construction.
    pub(super) fn growths(&self) -> u64 {
        self.chunks.growths
    }

    /// Empties all lists.
    pub(super) fn clear(&mut self) {
        self.heads.fill(NONE);
        self.chunks.clear();
    }

    /// Adds an id to a list.
    pub(super) fn push(&mut self, list: u32, id: u32) -> Result<()> {
        let head = self.heads[list as usize];
        if let Some(chunk) = self.chunks.get_mut(head)
            && (chunk.count as usize) < IDS
        {
            chunk.ids[chunk.count as usize] = id;
            chunk.count += 1;
            return Ok(());
        }
        let mut chunk = Chunk { next: head, count: 1, ids: [NONE; IDS] };
        chunk.ids[0] = id;
        self.heads[list as usize] = self.chunks.insert([chunk])?;
        Ok(())
    }

    /// Removes an id from a list if it is there. The last id of the first chunk takes its place.
    pub(super) fn remove(&mut self, list: u32, id: u32) {
        let head = self.heads[list as usize];
        let mut place = head;
        while place != NONE {
            let chunk = self.chunks[place];
            let ids = &chunk.ids[..chunk.count as usize];
            if let Some(found) = ids.iter().position(|&one| one == id) {
                let first = &mut self.chunks[head];
                first.count -= 1;
                let Chunk { next, count, ids } = *first;
                self.chunks[place].ids[found] = ids[count as usize];
                if count == 0 {
                    self.heads[list as usize] = next;
                    self.chunks.remove(head);
                }
                return;
            }
            place = chunk.next;
        }
    }

    /// Calls `visit` with each id of a list.
    #[inline]
    pub(super) fn visit(&self, list: u32, mut visit: impl FnMut(u32)) {
        let mut place = self.heads[list as usize];
        while place != NONE {
            let chunk = &self.chunks[place];
            chunk.ids[..chunk.count as usize].iter().for_each(|&id| visit(id));
            place = chunk.next;
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.heads.capacity() * size_of::<u32>() + self.chunks.memory()
    }
}

impl Pooled for Chunk {
    fn next_free(&mut self) -> &mut u32 {
        &mut self.next
    }
}

const _: () = assert!(size_of::<Chunk>() == 64, "a chunk is a cache line");
