//! The step: find contacts on the grid → resolve them → integrate and bounce off walls → regrid.
//!
//! A step ends with the grid exact for the positions that it leaves, so that drawing, picking and
//! queries between steps all read one index and never a stale one.
//!
//! ```text
//! rows of the grid   band 0   band 1   band 2   band 3   …      contacts: all bands at once
//! slots            [........|........|........|........|…      resolve: 0, 2, 4, … then 1, 3, 5, …
//!                    └───────┴┘        └───────┴┘              a band's pairs touch its own rows
//!                                                              and the first row of the next
//! ```
//!
//! How many bands there are depends on the grid and never on the number of threads, and pairs are
//! resolved in (band, slot i, slot j) order: the same bits for any number of threads.

pub(crate) mod bands;
pub mod battle;
pub(crate) mod contacts;
pub(crate) mod integrate;
pub(crate) mod obstacles;
pub(crate) mod order;
pub(crate) mod regrid;
pub(crate) mod resolve;
pub(crate) mod resting;
pub(crate) mod search;

/// A phase of a step, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Finding the pairs that overlap.
    Contacts,
    /// Bringing the pairs of another index into canonical order.
    Order,
    /// Impulses and separation.
    Resolve,
    /// Motion, gravity and walls.
    Integrate,
    /// Updating the grid to the new positions.
    Regrid,
}

/// Receives the phases of a step as they begin and end. The library reads no clock; a probe may.
pub trait Probe {
    /// `phase` begins; the phase before it has ended.
    fn begin(&mut self, phase: Phase);
    /// The step has ended.
    fn end(&mut self);
}

/// Ignores all phases.
impl Probe for () {
    fn begin(&mut self, _: Phase) {}
    fn end(&mut self) {}
}
