//! The solver's bands: the bands of the contact list, and the parts of the solver's arrays that
//! each of them owns.

use std::ops::Range;

use super::{
    color::{CHUNK, COLORS},
    coulomb::Rub,
    fixed::FixedContact,
    friction::{Friction, FrictionView},
    late::{BodyPart, NumberColumn},
    pairs::{HeldAgents, NOWHERE, PART, impulses_at, pair_at},
    ranks::ContactRanks,
};
use crate::{
    alloc,
    contacts::{PARITIES, Pair},
    error::Result,
    parallel::{self, Split},
    simd::pairs::{LANES, PairBlock},
};

/// Blocks of a band, in addition to those for the pairs that it has room for: colors leave blocks
/// open.
pub(super) const BLOCKS_MIN: usize = COLORS * CHUNK + 1;

/// Contacts with walls and statics per agent are counted in these parts.
pub(super) const SHARES: usize = 16;

/// Contacts with walls and statics of a band, in addition to the contacts per agent.
pub(super) const FIXED_MIN: usize = 18;

/// One band.
#[derive(Clone, Debug, Default)]
pub(super) struct SolverBand {
    /// Its slots.
    pub(super) slots: Range<usize>,
    /// End of the slots that its pairs may contain.
    pub(super) slots_end: usize,
    /// Its near pairs in the contact list.
    pub(super) pairs: Range<usize>,
    /// Its part of the contact list.
    pub(super) storage: Range<usize>,
    /// Its blocks: those allocated, the number in use, and how many of these are solved. The others
    /// have the impulses of pairs whose agents are both held.
    pub(super) blocks: Range<usize>,
    pub(super) block_count: usize,
    pub(super) solved_count: usize,
    /// Its contacts with walls and statics, likewise.
    pub(super) fixed: Range<usize>,
    pub(super) fixed_count: usize,
    /// Number of pairs that met fast.
    pub(super) collisions: u64,
    pub(super) state: BandState,
    pub(super) rest: Rest,
    /// True if the next band is held.
    pub(super) next_held: bool,
    pub(super) keep: Keeping,
}

/// What a substep does with a band.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BandState {
    /// Its pairs are searched, and their blocks built.
    #[default]
    Searched,
    /// The blocks of the substep before are solved.
    Kept,
    /// Its agents are held where they are.
    Held,
    /// It is held between held bands, so that nothing in it has to be computed.
    Asleep,
}

/// State that decides whether a band keeps its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Keeping {
    /// True if its blocks alone have the impulses of the last substep.
    pub(super) live: bool,
    /// The farthest that an agent of this band or the next may have moved since the blocks were
    /// built, world units.
    pub(super) drift: f32,
    /// Identifies the outliers among its agents in this substep; on a rank, of its own bands alone.
    pub(super) outliers: u64,
    /// The largest speed of its agents, squared.
    pub(super) fastest_square: f32,
    /// The largest displacement of its agents in the last substep, squared.
    pub(super) farthest_square: f32,
    /// True if one of its agents is not slow, or has come since.
    pub(super) moves: bool,
    /// True if its outliers are others than in the substep before.
    pub(super) others_stand_out: bool,
}

/// State that decides whether a band moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rest {
    /// Substeps for which all its agents have been slow.
    pub(super) calm: u32,
    /// True if an agent that moves is next to one of its held agents, or of the next band.
    pub(super) wakes: [bool; 2],
}

/// The solver's arrays, laid out along the slots.
#[derive(Clone, Debug)]
pub(super) struct SolverArrays {
    /// Velocity, and displacement since the substep began; its center while blocks are built.
    pub(super) bodies: Vec<[f32; 4]>,
    /// The velocity at the start of a round, without the impulses of the round before.
    pub(super) reference: Vec<[f32; 2]>,
    /// Colors that the blocks of a band use for each slot.
    pub(super) colors: Vec<u16>,
    pub(super) blocks: Vec<PairBlock>,
    /// Where each pair of the contact list lies in the blocks.
    pub(super) places: Vec<u32>,
    pub(super) fixed: Vec<FixedContact>,
    pub(super) friction: Friction,
}

impl SolverArrays {
    /// Creates the arrays of at most `capacity` agents, without pairs.
    pub(super) fn new(capacity: usize, friction: bool) -> Result<Self> {
        Ok(Self {
            bodies: alloc::with_capacity(capacity, PART)?,
            reference: alloc::with_capacity(capacity, PART)?,
            colors: alloc::with_capacity(capacity, PART)?,
            blocks: Vec::new(),
            places: Vec::new(),
            fixed: Vec::new(),
            friction: Friction::new(friction, capacity)?,
        })
    }

    /// Ensures room for a contact list of that length, and for blocks and contacts with walls and
    /// statics.
    pub(super) fn reserve(&mut self, pairs: usize, blocks: usize, fixed: usize) -> Result<()> {
        alloc::grow_to(&mut self.blocks, blocks, PairBlock::EMPTY, PART)?;
        self.friction.reserve(blocks)?;
        alloc::grow_to(&mut self.places, pairs, NOWHERE, PART)?;
        alloc::grow_to(&mut self.fixed, fixed, FixedContact::default(), PART)
    }

    /// Removes all agents.
    pub(super) fn clear(&mut self) {
        self.resize(0);
    }

    /// Sets the number of agents.
    pub(super) fn resize(&mut self, agents: usize) {
        alloc::resize(&mut self.bodies, agents, [0.0; 4]);
        alloc::resize(&mut self.reference, agents, [0.0; 2]);
        alloc::resize(&mut self.colors, agents, 0);
        self.friction.resize(agents);
    }

    /// Bytes for at most `capacity` agents and these lists.
    pub(super) fn memory_for(capacity: usize, pairs: usize, blocks: usize, fixed: usize) -> usize {
        capacity * (size_of::<[f32; 4]>() + size_of::<[f32; 2]>() + size_of::<u16>())
            + pairs * size_of::<u32>()
            + blocks * size_of::<PairBlock>()
            + fixed * size_of::<FixedContact>()
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.bodies.capacity() * size_of::<[f32; 4]>()
            + self.reference.capacity() * size_of::<[f32; 2]>()
            + self.colors.capacity() * size_of::<u16>()
            + self.blocks.capacity() * size_of::<PairBlock>()
            + self.places.capacity() * size_of::<u32>()
            + self.fixed.capacity() * size_of::<FixedContact>()
            + self.friction.memory()
    }

    /// The columns that pairs change.
    #[inline(always)]
    pub(super) fn columns(&mut self, part: BodyPart) -> [NumberColumn<'_>; 2] {
        let Self { bodies, reference, friction, .. } = self;
        match part {
            BodyPart::Motion => [(bodies.as_flattened_mut(), 4), friction.motion()],
            BodyPart::Reference => [(reference.as_flattened_mut(), 2), friction.references()],
        }
    }

    fn view(&mut self) -> SolverView<'_> {
        let Self { bodies, reference, colors, blocks, places, fixed, friction } = self;
        let friction = friction.view();
        SolverView { bodies, reference, colors, blocks, places, fixed, friction }
    }
}

/// The part of the arrays that belongs to some bands.
pub(super) struct SolverView<'a> {
    pub(super) bodies: &'a mut [[f32; 4]],
    pub(super) reference: &'a mut [[f32; 2]],
    pub(super) colors: &'a mut [u16],
    pub(super) blocks: &'a mut [PairBlock],
    pub(super) places: &'a mut [u32],
    pub(super) fixed: &'a mut [FixedContact],
    pub(super) friction: FrictionView<'a>,
}

impl Keeping {
    /// What other ranks of a cluster need of a band.
    pub(super) fn words(&self) -> [u32; 3] {
        let flags = u32::from(self.moves) | u32::from(self.others_stand_out) << 1;
        [self.fastest_square.to_bits(), self.farthest_square.to_bits(), flags]
    }

    /// Takes it over from the rank that owns the band.
    pub(super) fn set(&mut self, [fastest, farthest, flags]: [u32; 3]) {
        self.fastest_square = f32::from_bits(fastest);
        self.farthest_square = f32::from_bits(farthest);
        (self.moves, self.others_stand_out) = (flags & 1 != 0, flags & 2 != 0);
    }
}

impl SolverBand {
    /// Blocks for the pairs that it has room for.
    pub(super) fn blocks_of_slots(&self) -> usize {
        self.storage.len() / LANES + BLOCKS_MIN
    }

    /// Contacts with walls and statics that its slots bring room for.
    pub(super) fn fixed_of_slots(&self, share: usize) -> usize {
        self.slots.len() * share / SHARES + FIXED_MIN
    }

    /// Its pairs in blocks, with their impulses along the normal and of friction; as the contact
    /// list orders them.
    pub(super) fn pairs_in<'a>(
        &self,
        blocks: &'a [PairBlock],
        places: &'a [u32],
        friction: &'a Friction,
    ) -> impl Iterator<Item = (Pair, (f32, Rub))> + use<'a> {
        let first = self.slots.start as u32;
        let blocks = &blocks[self.blocks.start..self.blocks.start + self.block_count];
        let rubs = friction.rubs(self.blocks.start, self.block_count);
        let places = places[self.pairs.clone()].iter().filter(|&&place| place != NOWHERE);
        places.map(move |&place| {
            let pair = pair_at(blocks, place).map(|slot| first + slot);
            (pair, impulses_at(blocks, rubs, place))
        })
    }

    /// The number of its near pairs, if these are not searched in this substep.
    pub(super) fn kept_pairs(&self) -> Option<usize> {
        self.is_skipped().then_some(self.pairs.len())
    }

    /// True if its agents are held.
    pub(super) fn is_held(&self) -> bool {
        matches!(self.state, BandState::Held | BandState::Asleep)
    }

    /// True if nothing in it has to be computed.
    pub(super) fn is_asleep(&self) -> bool {
        self.state == BandState::Asleep
    }

    /// True if its blocks are not built in this substep.
    pub(super) fn is_skipped(&self) -> bool {
        matches!(self.state, BandState::Kept | BandState::Asleep)
    }

    /// Wakes its agents.
    pub(super) fn wake(&mut self) {
        self.rest = Rest::default();
        if self.is_held() {
            self.state = BandState::Searched;
        }
    }

    /// Which agents of its pairs are held.
    pub(super) fn held(&self) -> HeldAgents {
        HeldAgents { end: self.slots.end as u32, own: self.is_held(), next: self.next_held }
    }
}

impl SolverView<'_> {
    /// Splits where a band begins; the view begins with another.
    fn split(self, lower: &SolverBand, upper: &SolverBand) -> (Self, Self) {
        let Self { bodies, reference, colors, blocks, places, fixed, friction } = self;
        let slots = upper.slots.start - lower.slots.start;
        let (friction, friction2) = friction.split(slots, upper.blocks.start - lower.blocks.start);
        let ((bodies, reference, colors), by_slot) = (bodies, reference, colors).split_at(slots);
        let (blocks, blocks2) = blocks.split_at_mut(upper.blocks.start - lower.blocks.start);
        let (places, places2) = places.split_at_mut(upper.storage.start - lower.storage.start);
        let (fixed, fixed2) = fixed.split_at_mut(upper.fixed.start - lower.fixed.start);
        let lower = Self { bodies, reference, colors, blocks, places, fixed, friction };
        let (bodies, reference, colors) = by_slot;
        let (blocks, places, fixed, friction) = (blocks2, places2, fixed2, friction2);
        (lower, Self { bodies, reference, colors, blocks, places, fixed, friction })
    }
}

/// Calls `work` with the even bands, then with the odd ones, on all threads of the pool. The view
/// begins with the band, and reaches at least to the end of the slots that its pairs contain. `work` changes
/// this part of bodies, which goes to other ranks.
pub(super) fn even_then_odd<F>(
    bands: &mut [SolverBand],
    arrays: &mut SolverArrays,
    (others, part): (&mut impl ContactRanks, BodyPart),
    work: &F,
) where
    F: Fn(&mut SolverBand, SolverView<'_>) + Sync,
{
    for parity in PARITIES {
        others.before(parity, |band| bands[band].is_asleep(), arrays.columns(part));
        parallel::every_second(bands, parity, arrays.view(), &SolverView::split, work);
        others.after(parity, |band| bands[band].is_asleep(), arrays.columns(part));
    }
}

/// Calls `work` with each band, on all threads of the pool. The view begins with the band.
pub(super) fn each<F>(bands: &mut [SolverBand], arrays: &mut SolverArrays, work: &F)
where
    F: Fn(&mut SolverBand, SolverView<'_>) + Sync,
{
    parallel::parts(bands, arrays.view(), &SolverView::split, work);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_all_that_other_ranks_need_of_a_band() {
        for (moves, others_stand_out) in
            [(false, false), (false, true), (true, false), (true, true)]
        {
            let of_owner = Keeping {
                fastest_square: 0.5,
                farthest_square: 3.0,
                moves,
                others_stand_out,
                ..Keeping::default()
            };
            let mut of_other = Keeping::default();
            of_other.set(of_owner.words());
            assert_eq!(of_other, of_owner);
        }
    }
}
