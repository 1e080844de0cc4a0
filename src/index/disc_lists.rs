//! Discs in singly linked lists, one list per cell or leaf.
//!
//! ```text
//! heads  [ 2 | ∅ | 0 | …                         held by the cells
//! discs  [ (next, cell, x, y, radius) | …        20 bytes each, by id
//! ```

use glam::Vec2;

use super::discs::DiscsById;
use crate::{
    alloc,
    error::Result,
    geometry::{Disc, Rect, discs_overlap, padded},
};

/// The end of a list, and the cell of a disc that is in none.
pub(super) const NONE: u32 = u32::MAX;

/// A disc and its place in a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedDisc {
    next: u32,
    /// [`NONE`] if the disc is in no list.
    pub(super) cell: u32,
    pub(super) center: Vec2,
    radius: f32,
}

/// Discs by id, each in at most one list.
#[derive(Debug)]
pub(super) struct DiscLists {
    discs: Vec<ListedDisc>,
}

impl ListedDisc {
    /// The padded box around the disc.
    #[inline]
    pub(super) fn bounds(&self) -> Rect {
        padded(self.center, self.radius)
    }

    /// The next disc of the same list, or [`NONE`].
    #[inline]
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// True if two discs overlap, by the same definition as in a step.
    #[inline]
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let disc = |disc: &Self| [disc.center.x, disc.center.y, disc.radius];
        discs_overlap(disc(self), disc(other))
    }
}

impl DiscLists {
    /// Room for `capacity` discs, none of them in a list.
    pub(super) fn new(capacity: usize) -> Result<Self> {
        let absent = ListedDisc { next: NONE, cell: NONE, center: Vec2::ZERO, radius: 0.0 };
        Ok(Self { discs: alloc::filled(capacity, absent, "the elements of the lists")? })
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> &ListedDisc {
        &self.discs[id as usize]
    }

    /// Sets position and size of a disc; its list stays.
    #[inline]
    pub(super) fn set(&mut self, id: u32, Disc { center, radius }: Disc) {
        let disc = &mut self.discs[id as usize];
        (disc.center, disc.radius) = (center, radius);
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

    /// The discs of a list, with their ids. A disc may be pushed to another list once the iterator
    /// has passed it.
    #[inline]
    pub(super) fn iter(&self, head: u32) -> impl Iterator<Item = (u32, &ListedDisc)> {
        let mut next = head;
        std::iter::from_fn(move || {
            let disc = self.discs.get(next as usize)?;
            Some((std::mem::replace(&mut next, disc.next), disc))
        })
    }

    /// The smallest box around the padded boxes of a list.
    pub(super) fn bounds(&self, head: u32) -> Rect {
        self.iter(head).fold(Rect::EMPTY, |aabb, (_, disc)| aabb.union(&disc.bounds()))
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.discs.capacity() * size_of::<ListedDisc>()
    }

    /// Checks that exactly the living discs are listed, once each, with their position and size.
    pub(super) fn validate(
        &self,
        heads: impl Iterator<Item = (u32, u32)>,
        discs: &DiscsById<'_>,
    ) -> std::result::Result<(), String> {
        let mut listed = vec![0; discs.len()];
        for (cell, head) in heads {
            for (id, disc) in self.iter(head) {
                listed[id as usize] += 1;
                if disc.cell != cell {
                    return Err(format!("disc {id} is in the list of {cell}: {disc:?}"));
                }
            }
        }
        for (id, &alive) in (0..).zip(discs.alive) {
            let ListedDisc { cell, center, radius, .. } = *self.get(id);
            let times = listed[id as usize];
            if (times, cell != NONE) != (u32::from(alive), alive) {
                return Err(format!("disc {id} is listed {times} times, its cell is {cell}"));
            }
            if alive && (Disc { center, radius }) != discs.disc(id) {
                return Err(format!("disc {id} is held at {center} with the radius {radius}"));
            }
        }
        Ok(())
    }
}

const _: () = assert!(size_of::<ListedDisc>() == 20, "see the diagram");
