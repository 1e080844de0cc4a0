//! The solver's bands: those of the contact list, and what each owns of the solver's arrays.

use std::ops::Range;

use super::{fixed::FixedContact, pairs::HeldAgents};
use crate::{parallel, simd::pairs::PairBlock};

/// One band.
#[derive(Clone, Debug, Default)]
pub(super) struct SolverBand {
    /// Its slots.
    pub(super) slots: Range<usize>,
    /// End of the slots that its pairs may contain.
    pub(super) slots_end: usize,
    /// Its near pairs in the contact list.
    pub(super) pairs: Range<usize>,
    /// Start of its part of the contact list.
    pub(super) storage: usize,
    /// Its blocks: those allocated, and the number in use.
    pub(super) blocks: Range<usize>,
    pub(super) block_count: usize,
    /// Its contacts with walls and statics, likewise.
    pub(super) fixed: Range<usize>,
    pub(super) fixed_count: usize,
    /// Pairs that met fast.
    pub(super) collisions: u64,
    pub(super) rest: Rest,
    /// True if the next band is held.
    pub(super) next_held: bool,
}

/// Whether a band moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rest {
    /// Substeps for which all its agents have been slow.
    pub(super) calm: u32,
    /// True if its agents are held where they are.
    pub(super) held: bool,
    /// True if it is held between held bands, so that nothing in it has to be computed.
    pub(super) asleep: bool,
    /// True if an agent that moves is next to one of its held agents, or of the next band.
    pub(super) wakes: [bool; 2],
}

/// The part of the solver's arrays that belongs to some bands.
pub(super) struct SolverView<'a> {
    /// The slot of the first body.
    pub(super) slot: usize,
    pub(super) bodies: &'a mut [[f32; 4]],
    pub(super) reference: &'a mut [[f32; 2]],
    pub(super) colors: &'a mut [u32],
    /// The first block.
    pub(super) block: usize,
    pub(super) blocks: &'a mut [PairBlock],
    /// The first entry of the contact list.
    pub(super) pair: usize,
    pub(super) places: &'a mut [u32],
    /// The first contact with a wall or static.
    pub(super) first_fixed: usize,
    pub(super) fixed: &'a mut [FixedContact],
}

impl SolverBand {
    /// Which agents of its pairs are held.
    pub(super) fn held(&self) -> HeldAgents {
        HeldAgents { end: self.slots.end as u32, own: self.rest.held, next: self.next_held }
    }
}

impl SolverView<'_> {
    /// The same view for a shorter time.
    pub(super) fn reborrow(&mut self) -> SolverView<'_> {
        let Self {
            slot,
            bodies,
            reference,
            colors,
            block,
            blocks,
            pair,
            places,
            first_fixed,
            fixed,
        } = self;
        SolverView {
            slot: *slot,
            bodies,
            reference,
            colors,
            block: *block,
            blocks,
            pair: *pair,
            places,
            first_fixed: *first_fixed,
            fixed,
        }
    }

    /// Splits where a band begins.
    pub(super) fn split(self, upper: &SolverBand) -> (Self, Self) {
        let (bodies, bodies2) = self.bodies.split_at_mut(upper.slots.start - self.slot);
        let (reference, reference2) = self.reference.split_at_mut(upper.slots.start - self.slot);
        let (colors, colors2) = self.colors.split_at_mut(upper.slots.start - self.slot);
        let (blocks, blocks2) = self.blocks.split_at_mut(upper.blocks.start - self.block);
        let (places, places2) = self.places.split_at_mut(upper.storage - self.pair);
        let (fixed, fixed2) = self.fixed.split_at_mut(upper.fixed.start - self.first_fixed);
        (
            Self {
                slot: self.slot,
                bodies,
                reference,
                colors,
                block: self.block,
                blocks,
                pair: self.pair,
                places,
                first_fixed: self.first_fixed,
                fixed,
            },
            Self {
                slot: upper.slots.start,
                bodies: bodies2,
                reference: reference2,
                colors: colors2,
                block: upper.blocks.start,
                blocks: blocks2,
                pair: upper.storage,
                places: places2,
                first_fixed: upper.fixed.start,
                fixed: fixed2,
            },
        )
    }
}

/// Calls `work` with every second band, beginning with the first, on all threads of the pool. The
/// view begins with the band, and reaches at least to the end of the slots that its pairs contain.
pub(super) fn every_second<F>(bands: &mut [SolverBand], view: SolverView<'_>, work: &F)
where
    F: Fn(&mut SolverBand, SolverView<'_>) + Sync,
{
    if bands.len() <= 2 {
        if let Some(band) = bands.first_mut() {
            let (_, own) = view.split(band);
            work(band, own);
        }
        return;
    }
    let middle = (bands.len() / 2).next_multiple_of(2);
    let (lower, upper) = bands.split_at_mut(middle);
    let (below, above) = view.split(&upper[0]);
    parallel::join(|| every_second(lower, below, work), || every_second(upper, above, work));
}

/// Calls `work` with each band, on all threads of the pool. The view is the band's own.
pub(super) fn each<F>(bands: &mut [SolverBand], view: SolverView<'_>, work: &F)
where
    F: Fn(&mut SolverBand, SolverView<'_>) + Sync,
{
    parallel::parts(bands, view, &|view: SolverView<'_>, _, upper| view.split(upper), work);
}
