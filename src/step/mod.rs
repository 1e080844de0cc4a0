//! The step: find contacts → resolve them → integrate → regrid.
//!
//! [`Sim::step`](crate::Sim::step) runs these phases, each on all threads of the pool that it is
//! called in. A step ends with the grid exact for the positions that it leaves, so that drawing,
//! picking and queries between two steps read the same index and never a stale one.
//!
//! ```text
//! forces       rules of a caller's own, if there are any                  crate::rules
//! contacts     the pairs that overlap, in all bands of the grid at once     finder, crate::contacts
//! resolve      the pairs in canonical order, or in its reverse, in turns    impulse (pair_contact, rub)
//! integrate    all agents at once: motion, walls, statics                   integrate, motion, travel
//! regrid       the grid lists outliers, and sorts the bands that are due    regrid, due_bands
//! ```
//!
//! This is the step of the impulse solver. `swept` lets pairs collide at the moment of contact, and
//! `crate::solver` holds up agents that press on each other. `sim/substep.rs` puts the phases of all
//! three together, and has a table of them.
//!
//! The canonical order is (parity of the band, band, slot i, slot j). The bands depend on the grid
//! and never on the number of threads, so the bits are the same for any number of threads.

pub(crate) mod band_sums;
pub(crate) mod due_bands;
pub(crate) mod finder;
pub(crate) mod id_map;
pub(crate) mod impulse;
pub(crate) mod integrate;
pub(crate) mod motion;
mod order;
pub(crate) mod pair_contact;
pub(crate) mod regrid;
mod rub;
mod slot_table;
mod spare_columns;
mod static_contacts;
pub(crate) mod swept;
pub(crate) mod travel;

/// A phase of a step, as a [`Probe`] is told. A phase may begin several times in a step.
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
    /// Rules of a caller's own.
    Forces,
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
