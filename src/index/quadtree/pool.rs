//! Items in one flat array, taken in blocks and given back to a free list that runs through the array.

use super::NONE;
use crate::{alloc, error::Result};

/// What can be in a pool: it has a place for the number of the next free block.
pub(super) trait Pooled: Copy {
    fn next_free(&self) -> u32;
    fn set_next_free(&mut self, next: u32);
}

/// Blocks of `N` items.
#[derive(Debug)]
pub(super) struct Pool<T, const N: usize> {
    items: Vec<T>,
    free: u32,
    what: &'static str,
    pub(super) growths: u64,
}

impl<T: Pooled, const N: usize> Pool<T, N> {
    /// Room for so many items.
    pub(super) fn new(capacity: usize, what: &'static str) -> Result<Self> {
        Ok(Self { items: alloc::with_capacity(capacity, what)?, free: NONE, what, growths: 0 })
    }

    /// Takes a block and returns the number of its first item.
    pub(super) fn take(&mut self, block: [T; N]) -> Result<u32> {
        if self.free != NONE {
            let first = self.free;
            self.free = self.items[first as usize].next_free();
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

    /// Gives a block back.
    pub(super) fn give_back(&mut self, first: u32) {
        self.items[first as usize].set_next_free(self.free);
        self.free = first;
    }

    pub(super) fn memory(&self) -> usize {
        self.items.capacity() * size_of::<T>()
    }
}

impl<T, const N: usize> std::ops::Index<u32> for Pool<T, N> {
    type Output = T;
    #[inline]
    fn index(&self, item: u32) -> &T {
        &self.items[item as usize]
    }
}

impl<T, const N: usize> std::ops::IndexMut<u32> for Pool<T, N> {
    #[inline]
    fn index_mut(&mut self, item: u32) -> &mut T {
        &mut self.items[item as usize]
    }
}
