//! Singly linked lists of `u32` in one preallocated pool with a free list, for the short lists that
//! change between two rebuilds.
//!
//! ```text
//! heads [ ∅ | 2 | ∅ | 0 | …                 one list per index
//! nodes [ (item, next) | (item, next) | …   free nodes form a list, too
//! ```

use super::home::NONE;
use crate::{alloc, error::Result};

#[derive(Clone, Copy, Debug)]
struct PoolNode {
    item: u32,
    next: u32,
}

/// Lists that share a pool of nodes.
#[derive(Clone, Debug)]
pub(super) struct LinkedPool {
    heads: Vec<u32>,
    nodes: Vec<PoolNode>,
    free: u32,
    /// Items in all lists.
    len: usize,
}

impl LinkedPool {
    /// `lists` empty lists, with room for `nodes` items before the pool grows.
    pub(super) fn new(lists: usize, nodes: usize) -> Result<Self> {
        Ok(Self {
            heads: alloc::filled(lists, NONE, "the heads of the edit lists")?,
            nodes: alloc::with_capacity(nodes, "the nodes of the edit lists")?,
            free: NONE,
            len: 0,
        })
    }

    /// Empties all lists.
    pub(super) fn clear(&mut self) {
        if self.nodes.is_empty() {
            return;
        }
        self.heads.fill(NONE);
        self.nodes.clear();
        self.free = NONE;
        self.len = 0;
    }

    /// Puts an item at the front of a list. O(1), amortized if the pool grows.
    pub(super) fn push(&mut self, list: usize, item: u32) {
        let node = PoolNode { item, next: self.heads[list] };
        let place = self.free;
        if place == NONE {
            self.heads[list] = self.nodes.len() as u32;
            self.nodes.push(node);
        } else {
            self.free = self.nodes[place as usize].next;
            self.nodes[place as usize] = node;
            self.heads[list] = place;
        }
        self.len += 1;
    }

    /// Removes an item from a list, in time proportional to the list's length; false if the list
    /// does not have it.
    pub(super) fn remove(&mut self, list: usize, item: u32) -> bool {
        let (mut before, mut place) = (NONE, self.heads.get(list).copied().unwrap_or(NONE));
        while place != NONE {
            let node = self.nodes[place as usize];
            if node.item == item {
                if before == NONE {
                    self.heads[list] = node.next;
                } else {
                    self.nodes[before as usize].next = node.next;
                }
                self.nodes[place as usize].next = self.free;
                self.free = place;
                self.len -= 1;
                return true;
            }
            (before, place) = (place, node.next);
        }
        false
    }

    /// The items of a list.
    #[inline]
    pub(super) fn iter(&self, list: usize) -> impl Iterator<Item = u32> {
        let mut place = if self.len == 0 { NONE } else { self.heads[list] };
        std::iter::from_fn(move || {
            // No node has the index `NONE`, the end of a list.
            let node = self.nodes.get(place as usize)?;
            place = node.next;
            Some(node.item)
        })
    }

    /// Ensures that there are at least `lists` lists.
    pub(super) fn reserve_lists(&mut self, lists: usize) {
        if self.heads.len() < lists {
            self.heads.resize(lists, NONE);
        }
    }

    /// The number of bytes held.
    pub(super) fn memory(&self) -> usize {
        self.heads.capacity() * 4 + self.nodes.capacity() * size_of::<PoolNode>()
    }

    /// The value of [`Self::memory`] for a number of lists and nodes.
    pub(super) fn memory_for(lists: usize, nodes: usize) -> usize {
        lists * 4 + nodes * size_of::<PoolNode>()
    }
}
