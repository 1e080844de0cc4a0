//! Discs in singly linked lists, one list per cell or leaf.
//!
//! ```text
//! heads  [ 2 | ∅ | 0 | …                         held by the cells
//! discs  [ (next, cell, x, y, radius) | …        20 bytes each, by id
//! ```

use glam::Vec2;

use crate::{
    alloc,
    error::Result,
    geometry::{Disc, Rect},
};

/// The end of a list, and the cell of a disc that is in none.
pub(super) const NONE: u32 = u32::MAX;

/// A disc and its links in a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedDisc {
    /// The next disc of the same list, or [`NONE`].
    pub(super) next: u32,
    /// [`NONE`] if the disc is in no list.
    pub(super) cell: u32,
    pub(super) disc: Disc,
}

/// Discs by id, each in at most one list.
#[derive(Debug)]
pub(super) struct DiscLists {
    discs: Vec<ListedDisc>,
}

impl DiscLists {
    /// Room for `capacity` discs, none of them in a list.
    pub(super) fn new(capacity: usize) -> Result<Self> {
        let absent = ListedDisc { next: NONE, cell: NONE, disc: Disc::new(Vec2::ZERO, 0.0) };
        Ok(Self { discs: alloc::filled(capacity, absent, "the elements of the lists")? })
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> &ListedDisc {
        &self.discs[id as usize]
    }

    /// Sets position and size of a disc; its list stays.
    #[inline]
    pub(super) fn set(&mut self, id: u32, disc: Disc) {
        self.discs[id as usize].disc = disc;
    }

    /// Puts a disc in front of the list of a cell.
    pub(super) fn push(&mut self, head: &mut u32, id: u32, cell: u32) {
        let disc = &mut self.discs[id as usize];
        (disc.next, disc.cell) = (std::mem::replace(head, id), cell);
    }

    /// Removes a disc from the list that it is in. O(length of the list).
    pub(super) fn remove(&mut self, head: &mut u32, id: u32) {
        self.discs[id as usize].cell = NONE;
        let next = self.discs[id as usize].next;
        if *head == id {
            *head = next;
            return;
        }
        let mut before = *head;
        while self.discs[before as usize].next != id {
            before = self.discs[before as usize].next;
        }
        self.discs[before as usize].next = next;
    }

    /// The discs of a list, with their ids.
    #[inline]
    pub(super) fn iter(&self, head: u32) -> impl Iterator<Item = (u32, &Disc)> {
        let mut next = head;
        std::iter::from_fn(move || {
            let listed = self.discs.get(next as usize)?;
            Some((std::mem::replace(&mut next, listed.next), &listed.disc))
        })
    }

    /// The smallest box around the padded boxes of a list.
    pub(super) fn bounds(&self, head: u32) -> Rect {
        self.iter(head).fold(Rect::EMPTY, |aabb, (_, disc)| aabb.union(&disc.padded()))
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.discs.capacity() * size_of::<ListedDisc>()
    }
}

const _: () = assert!(size_of::<ListedDisc>() == 20, "see the diagram");
