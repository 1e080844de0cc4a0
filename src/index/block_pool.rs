//! Blocks of items in one flat array, with a free list that runs through the released blocks.
//!
//! ```text
//! items [ a0 a1 a2 a3 | · 5 · · | c0 c1 c2 c3 | …     blocks of four: nodes of a quadtree
//!                         └─ number of the next free block
//! ```

use crate::{alloc, error::Result};

const NONE: u32 = u32::MAX;

/// An item that can be in a [`BlockPool`].
pub(super) trait Pooled: Copy {
    /// The field that holds the number of the next free block while the item is not in use.
    fn next_free(&mut self) -> &mut u32;
}

/// Blocks of `N` items each. A block is named by the index of its first item.
#[derive(Debug)]
pub(super) struct BlockPool<T, const N: usize> {
    items: Vec<T>,
    free: u32,
    what: &'static str,
    pub(super) growths: u64,
}

impl<T: Pooled, const N: usize> BlockPool<T, N> {
    /// An empty pool with room for `capacity` items; `what` names them in an error.
    pub(super) fn new(capacity: usize, what: &'static str) -> Result<Self> {
        Ok(Self { items: alloc::with_capacity(capacity, what)?, free: NONE, what, growths: 0 })
    }

    /// Stores a block and returns the index of its first item.
    pub(super) fn insert(&mut self, block: [T; N]) -> Result<u32> {
        if self.free != NONE {
            let first = self.free;
            self.free = *self.items[first as usize].next_free();
            self.items[first as usize..][..N].copy_from_slice(&block);
            return Ok(first);
        }
        let (first, room) = (self.items.len() as u32, self.items.capacity());
        for item in block {
            alloc::push(&mut self.items, item, self.what)?;
        }
        self.growths += u64::from(self.items.capacity() > room);
        Ok(first)
    }

    /// Releases a block.
    pub(super) fn remove(&mut self, first: u32) {
        *self.items[first as usize].next_free() = self.free;
        self.free = first;
    }

    /// The item with an index, or `None` if there is none, as for the end of a list.
    #[inline]
    pub(super) fn get_mut(&mut self, item: u32) -> Option<&mut T> {
        self.items.get_mut(item as usize)
    }

    /// Releases all blocks.
    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.free = NONE;
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.items.capacity() * size_of::<T>()
    }
}

impl<T, const N: usize> std::ops::Index<u32> for BlockPool<T, N> {
    type Output = T;
    #[inline]
    fn index(&self, item: u32) -> &T {
        &self.items[item as usize]
    }
}

impl<T, const N: usize> std::ops::IndexMut<u32> for BlockPool<T, N> {
    #[inline]
    fn index_mut(&mut self, item: u32) -> &mut T {
        &mut self.items[item as usize]
    }
}
