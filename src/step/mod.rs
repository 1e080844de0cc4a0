//! The step: find contacts on the grid → resolve them → integrate and bounce off walls → regrid.

/// The parts of a step, in the order in which they happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Which agents overlap.
    Contacts,
    /// Bringing the pairs of another index into canonical order.
    Order,
    /// Impulses and separation.
    Resolve,
    /// Motion, gravity and walls.
    Integrate,
    /// The grid made exact for the new positions.
    Regrid,
}

/// Told when a phase of a step begins and ends: the library reads no clock, its caller may.
pub trait Probe {
    /// `phase` begins; whichever ran before it has ended.
    fn begin(&mut self, phase: Phase);
    /// The step has ended.
    fn end(&mut self);
}

/// Nobody measures.
impl Probe for () {
    fn begin(&mut self, _: Phase) {}
    fn end(&mut self) {}
}
