//! Short singly linked lists of `u32` in one preallocated pool, with a free list: what changes between
//! two rebuilds goes here.
//!
//! ```text
//! heads [ ∅ | 2 | ∅ | 0 | …        a list an index
//! nodes [ (item, next) | (item, next) | …   the free ones are a list, too
//! ```

use super::NONE;
use crate::{alloc, error::Result};

#[derive(Clone, Copy, Debug)]
struct Node {
    item: u32,
    next: u32,
}

/// Lists that share a pool of nodes.
#[derive(Debug)]
pub(super) struct Chains {
    heads: Vec<u32>,
    nodes: Vec<Node>,
    free: u32,
    /// Items in all lists.
    len: usize,
}

impl Chains {
    /// So many empty lists, with room for `nodes` items before the pool grows.
    pub(super) fn new(lists: usize, nodes: usize) -> Result<Self> {
        Ok(Self {
            heads: alloc::filled(lists, NONE, "the heads of the edit chains")?,
            nodes: alloc::with_capacity(nodes, "the nodes of the edit chains")?,
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

    /// Puts an item in front of a list.
    pub(super) fn push(&mut self, list: usize, item: u32) {
        let node = Node { item, next: self.heads[list] };
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

    /// Takes an item out of a list; false if it isn't there.
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

    /// Calls `visit` for each item of a list.
    pub(super) fn visit(&self, list: usize, mut visit: impl FnMut(u32)) {
        if self.len == 0 {
            return;
        }
        let mut place = self.heads[list];
        while place != NONE {
            let node = self.nodes[place as usize];
            visit(node.item);
            place = node.next;
        }
    }

    /// True if a list has no item.
    pub(super) fn is_empty(&self, list: usize) -> bool {
        self.heads[list] == NONE
    }

    /// Makes sure that there are at least so many lists.
    pub(super) fn reach(&mut self, lists: usize) {
        if self.heads.len() < lists {
            self.heads.resize(lists, NONE);
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.heads.capacity() * 4 + self.nodes.capacity() * size_of::<Node>()
    }
}
