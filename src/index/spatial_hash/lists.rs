//! A list a cell, all in one flat pool of cache lines.
//!
//! ```text
//! heads  [ ∅ | 2 | ∅ | 0 | …                       a list a cell
//! chunks [ next, how many, 14 ids | next, … | …    64 bytes each; only the first of a list has room
//! ```
//!
//! The original has an array list of ten a cell. Emptied, those keep their room; so does the pool.

use crate::{alloc, error::Result};

const NONE: u32 = u32::MAX;
/// Ids a chunk: as many as fill a cache line.
const IDS: usize = 14;

#[derive(Clone, Copy, Debug)]
struct Chunk {
    next: u32,
    len: u32,
    ids: [u32; IDS],
}

/// Lists of ids.
#[derive(Debug)]
pub(super) struct Lists {
    heads: Vec<u32>,
    chunks: Vec<Chunk>,
    free: u32,
    pub(super) growths: u64,
}

impl Lists {
    /// So many empty lists, with room for `ids` entries spread as badly as can be expected.
    pub(super) fn new(lists: usize, ids: usize) -> Result<Self> {
        let chunks = lists.min(ids) + ids / IDS;
        Ok(Self {
            heads: alloc::filled(lists, NONE, "the cells' lists")?,
            chunks: alloc::with_capacity(chunks, "the entries of the cells' lists")?,
            free: NONE,
            growths: 0,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Empties all lists.
    pub(super) fn clear(&mut self) {
        self.heads.fill(NONE);
        self.chunks.clear();
        self.free = NONE;
    }

    /// Puts an id on a list.
    pub(super) fn push(&mut self, list: u32, id: u32) -> Result<()> {
        let head = self.heads[list as usize];
        if let Some(chunk) = self.chunks.get_mut(head as usize)
            && (chunk.len as usize) < IDS
        {
            chunk.ids[chunk.len as usize] = id;
            chunk.len += 1;
            return Ok(());
        }
        let mut chunk = Chunk { next: head, len: 1, ids: [NONE; IDS] };
        chunk.ids[0] = id;
        self.heads[list as usize] = self.place(chunk)?;
        Ok(())
    }

    /// Takes an id off a list, if it is on it; the last of the first chunk takes its place.
    pub(super) fn remove(&mut self, list: u32, id: u32) -> bool {
        let head = self.heads[list as usize];
        let mut place = head;
        while place != NONE {
            let chunk = self.chunks[place as usize];
            if let Some(found) = chunk.ids[..chunk.len as usize].iter().position(|&one| one == id) {
                let first = &mut self.chunks[head as usize];
                first.len -= 1;
                let last = first.ids[first.len as usize];
                self.chunks[place as usize].ids[found] = last;
                let Chunk { next, len, .. } = self.chunks[head as usize];
                if len == 0 {
                    self.heads[list as usize] = next;
                    self.chunks[head as usize].next = self.free;
                    self.free = head;
                }
                return true;
            }
            place = chunk.next;
        }
        false
    }

    /// Calls `visit` with each id of a list.
    #[inline]
    pub(super) fn visit(&self, list: u32, mut visit: impl FnMut(u32)) {
        let mut place = self.heads[list as usize];
        while place != NONE {
            let chunk = &self.chunks[place as usize];
            chunk.ids[..chunk.len as usize].iter().for_each(|&id| visit(id));
            place = chunk.next;
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.heads.capacity() * 4 + self.chunks.capacity() * size_of::<Chunk>()
    }

    fn place(&mut self, chunk: Chunk) -> Result<u32> {
        if self.free != NONE {
            let place = self.free;
            self.free = self.chunks[place as usize].next;
            self.chunks[place as usize] = chunk;
            return Ok(place);
        }
        let room = self.chunks.capacity();
        alloc::push(&mut self.chunks, chunk, "the entries of the cells' lists")?;
        self.growths += u64::from(self.chunks.capacity() > room);
        Ok(self.chunks.len() as u32 - 1)
    }
}

const _: () = assert!(size_of::<Chunk>() == 64, "a chunk is a cache line");
