//! The contact solver: holds up what touches for long, as in piles, hoppers and crowds.
//!
//! Contacts are found once per substep, with a margin, and solved in [`ROUNDS`] rounds on that
//! fixed list: "Soft Step" (E. Catto, `Box2D` 3) with the small steps of "Small Steps in Physics
//! Simulation" (Macklin et al., 2019).
//!
//! ```text
//! enlarge   each disc by the distance that it may move       bodies
//! plan      which bands sleep, and which keep their blocks   sleep, keep
//! build     pairs → blocks of 8 disjoint ones, with the      pairs, memory
//!           impulses of the substep before
//! 4 ×       accelerate; push pairs, then walls; move;        soft, fixed
//!           relax pairs, then walls; stop what slides        friction
//! restitute pairs, then walls, where discs met fast          soft, fixed
//! ```
//!
//! The solver works on bodies of its own, velocity and displacement together in 16 bytes:
//!
//! ```text
//! bodies [ vx vy dx dy | vx vy dx dy | …     by slot; the columns of the agents keep the start, and
//!                                            until the first round d is the center
//! blocks [ i×8 j×8 normal×8 gap×8 share×8 impulse×8 … | …     no body is twice in a block
//! fixed  [ slot, normal, gap, impulse | …    walls and statics, band by band
//! ```
//!
//! `saved` writes the solver to a snapshot and reads it.
//!
//! A normal holds for the whole substep, so that a round takes no square root. It is the one of the
//! moment in which free paths lead to contact, or closest to it: what passes by lies beyond it. The
//! rounds before and after that moment share an impulse so that its couple is 0. Restitution comes
//! at the end: with friction, it acts along the normal of then, which keeps the angular momentum.
//!
//! A round is solved in a fixed order: blocks of even bands, of odd bands, those with outliers,
//! then walls and statics.
//! Bands and blocks depend on the grid alone. So the bits are the same for any number of threads
//! and any SIMD level.

mod bands;
mod bodies;
mod build;
mod carry;
mod color;
pub(crate) mod coulomb;
mod fixed;
mod friction;
mod ids;
mod keep;
mod late;
mod memory;
mod pairs;
mod parts;
mod physics;
mod presses;
mod ranks;
mod recall;
mod saved;
mod sleep;
mod soft;

use std::ops::Range;

use self::{
    bands::{BLOCKS_MIN, FIXED_MIN, Keeping, SHARES, SolverArrays, SolverBand, SolverView},
    bodies::{Accelerate, Largest, Move, hold},
    coulomb::{Roughness, RubBlock},
    fixed::FixedMemory,
    friction::{Friction, FrictionView},
    memory::Memory,
    pairs::PART,
    soft::{Restitute, Rough, SoftPass},
};
pub(crate) use self::{
    carry::{FixedImpulse, RememberedImpulses},
    ids::ImpulseOfIds,
    late::{BodyPart, KEY_WORDS, LateContact, LateContacts, NumberColumn},
    parts::SolverParts,
    physics::{Physics, ROUNDS},
    ranks::ContactRanks,
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{ContactList, Rooms},
    error::Result,
    geometry::DiscColumns,
    simd::{
        SimdLevel,
        pairs::{LANES, PairBlock},
    },
};

/// Contacts with walls and statics per agent that bands have room for, in [`SHARES`].
const fn fixed_share(statics: bool) -> usize {
    if statics { 12 } else { 3 }
}

/// Blocks of pairs with outliers that are allocated for a number of agents.
const fn far(agents: usize) -> usize {
    agents / 64 + 64
}

/// Blocks, and contacts with walls and statics, that a number of agents, pairs and bands take,
/// besides the rooms that bands have of their own.
const fn lengths(agents: usize, share: usize, pairs: usize, bands: usize) -> [usize; 2] {
    [pairs / LANES + bands * BLOCKS_MIN, agents * share / SHARES + bands * FIXED_MIN]
}

/// The solver and its memory.
#[derive(Clone, Debug)]
pub(crate) struct ContactSolver {
    bands: Vec<SolverBand>,
    /// Radii with margins.
    enlarged: Vec<f32>,
    arrays: SolverArrays,
    /// Pairs with outliers, which are solved on one thread.
    outliers: Vec<PairBlock>,
    /// How many of these are solved; the others have impulses of held agents.
    outliers_solved: usize,
    outlier_rubs: Vec<RubBlock>,
    memory: Memory,
    fixed_memory: FixedMemory,
    /// The rooms of bands for blocks, and for contacts with walls and statics.
    block_rooms: Rooms,
    fixed_rooms: Rooms,
    /// Contacts with walls and statics per agent that all bands have room for, in [`SHARES`].
    fixed_share: usize,
    growths: u64,
}

impl ContactSolver {
    /// Creates the solver of at most `capacity` agents, in a world with or without statics, with or
    /// without friction.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(
        capacity: usize,
        contacts: &ContactList,
        [statics, friction]: [bool; 2],
    ) -> Result<Self> {
        let bands = contacts.bands().len();
        let mut solver = Self {
            bands: alloc::filled(bands, SolverBand::default(), PART)?,
            enlarged: alloc::with_capacity(capacity, PART)?,
            arrays: SolverArrays::new(capacity, friction)?,
            outliers: alloc::with_capacity(far(capacity), PART)?,
            outliers_solved: 0,
            outlier_rubs: alloc::with_capacity(if friction { far(capacity) } else { 0 }, PART)?,
            memory: Memory::new(capacity, friction)?,
            fixed_memory: FixedMemory::default(),
            block_rooms: Rooms::new(bands)?,
            fixed_rooms: Rooms::new(bands)?,
            fixed_share: fixed_share(statics),
            growths: 0,
        };
        solver.reserve(contacts.storage())?;
        Ok(solver)
    }

    /// Ensures room for a contact list of that length.
    fn reserve(&mut self, pairs: usize) -> Result<()> {
        let Self { bands, memory, fixed_share, .. } = self;
        let [blocks, fixed] = lengths(memory.slots(), *fixed_share, pairs, bands.len());
        let (blocks, fixed) = (blocks + self.block_rooms.sum(), fixed + self.fixed_rooms.sum());
        self.fixed_memory.reserve(fixed)?;
        self.arrays.reserve(pairs, blocks, fixed)?;
        self.memory.reserve(pairs)
    }

    /// Forgets all impulses: after the agents moved without the solver.
    pub(crate) fn forget(&mut self, agents: usize) {
        self.memory.clear(agents);
        self.fixed_memory.clear();
        self.bands.iter_mut().for_each(|band| band.keep = Keeping::default());
    }

    /// The slots that agents had, to be sorted with them. Agents that came since have none.
    pub(crate) fn origin_mut(&mut self, agents: usize) -> &mut Vec<u32> {
        self.keep_none();
        self.memory.origin_mut(agents)
    }

    /// Forgets the impulses of one agent: it was moved to another place.
    pub(crate) fn forget_agent(&mut self, slot: usize, agents: usize) {
        self.keep_none();
        self.memory.forget_agent(slot, agents);
    }

    /// Bytes that [`Self::new`] allocates for at most `capacity` agents with `pairs` entries of the
    /// contact list in `bands` bands.
    pub(crate) fn memory_for(capacity: usize, pairs: usize, bands: usize, has: [bool; 2]) -> usize {
        Self::memory_with(capacity, pairs, bands, has, [0; 2])
    }

    /// The same for bands that have rooms of their own for blocks, and for contacts with walls and
    /// statics.
    fn memory_with(
        capacity: usize,
        pairs: usize,
        bands: usize,
        [statics, friction]: [bool; 2],
        own: [usize; 2],
    ) -> usize {
        let [blocks, fixed] = lengths(capacity, fixed_share(statics), pairs, bands);
        let (blocks, fixed) = (blocks + own[0], fixed + own[1]);
        capacity * size_of::<f32>()
            + SolverArrays::memory_for(capacity, pairs, blocks, fixed)
            + far(capacity) * size_of::<PairBlock>()
            + fixed * FixedMemory::BYTES
            + Memory::memory_for(capacity, pairs, friction)
            + bands * size_of::<SolverBand>()
            + if friction { Friction::memory_for(capacity, blocks + far(capacity)) } else { 0 }
    }

    /// Number of times that a list has grown.
    pub(crate) fn growths(&self) -> u64 {
        self.growths
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.bands.capacity() * size_of::<SolverBand>()
            + self.enlarged.capacity() * 4
            + self.arrays.memory()
            + self.outliers.capacity() * size_of::<PairBlock>()
            + self.outlier_rubs.capacity() * size_of::<RubBlock>()
            + self.memory.memory()
            + self.fixed_memory.memory()
    }

    /// The bodies after [`Self::solve`]: velocity, and displacement in the substep.
    pub(crate) fn bodies(&self) -> &[[f32; 4]] {
        &self.arrays.bodies
    }

    /// Sets the spins of the agents after [`Self::solve`].
    pub(crate) fn take_over_spins(&self, agents: &mut Agents) {
        self.arrays.friction.take_over(agents);
    }

    /// Enlarges the discs by the distance that they may move in a substep.
    pub(crate) fn enlarge<'a>(
        &'a mut self,
        agents: &'a Agents,
        physics: &Physics,
        simd: SimdLevel,
    ) -> DiscColumns<'a> {
        self.enlarged.resize(agents.len(), 0.0);
        bodies::enlarge(agents, &mut self.enlarged, physics, simd);
        self.discs(agents)
    }

    /// The discs as [`Self::enlarge`] left them.
    pub(crate) fn discs<'a>(&'a self, agents: &'a Agents) -> DiscColumns<'a> {
        DiscColumns { x: &agents.x, y: &agents.y, radius: &self.enlarged }
    }

    /// Solves the contacts, which are all pairs of enlarged discs that overlap. Returns the number
    /// of pairs that met fast.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    pub(crate) fn solve(
        &mut self,
        agents: &Agents,
        contacts: &ContactList,
        physics: &Physics,
        simd: SimdLevel,
        others: &mut impl ContactRanks,
    ) -> Result<u64> {
        let round = physics.round();
        let touch = physics.touch();
        let push = soft::push(round);
        let far = !self.outliers.is_empty() | others.has_late();
        let rubs = self.arrays.friction.is_on;
        let own = others.own_bands();
        others.touch(|| own.map_or_else(Vec::new, |own| self.touched_behind(own)));
        for index in 0..ROUNDS {
            #[cfg(feature = "cli")]
            let _round = crate::trace::round();
            let first = index == 0;
            self.each(&|band, mut view| {
                let bodies = &mut view.bodies[..band.slots.len()];
                if first {
                    for [_, _, dx, dy] in bodies.iter_mut() {
                        (*dx, *dy) = (0.0, 0.0);
                    }
                }
                if band.is_held() {
                    return hold(band, bodies, far);
                }
                let reference = &mut view.reference[..band.slots.len()];
                if !first {
                    // Walls end the relaxation of the round before.
                    let contacts = &mut view.fixed[..band.fixed_count];
                    fixed::relax(contacts, bodies, round, f32::INFINITY);
                    view.friction.fixed(contacts, bodies, physics.roughness);
                }
                simd.run(Accelerate { bodies, reference, change: -physics.gravity * round });
                view.friction.carry(bodies.len());
            });
            self.pairs(push, None, simd, others);
            self.each(&|band, mut view| {
                let bodies = &mut view.bodies[..band.slots.len()];
                if band.is_held() {
                    view.friction.hold(bodies.len());
                    return hold(band, bodies, far);
                }
                let contacts = &mut view.fixed[..band.fixed_count];
                fixed::push(contacts, bodies, round);
                view.friction.fixed(contacts, bodies, physics.roughness);
                simd.run(Move { bodies, round });
            });
            // The last one looks beyond the substep, and must not brake what is still to bounce.
            let last = (index + 1 == ROUNDS).then_some(touch);
            let roughness = rubs.then_some(physics.roughness);
            self.pairs(soft::relax(round, last), roughness, simd, others);
        }
        let collisions = self.restitute(agents, physics, simd, others);
        self.remember(contacts, others)?;
        Ok(collisions)
    }

    /// Gives pairs, and bodies at walls and statics, that met fast their share of the speed back. Returns the
    /// number of these pairs.
    fn restitute(
        &mut self,
        agents: &Agents,
        physics: &Physics,
        simd: SimdLevel,
        others: &mut impl ContactRanks,
    ) -> u64 {
        let (round, touch) = (physics.round(), physics.touch());
        let far = !self.outliers.is_empty() | others.has_late();
        let (restitution, roughness) = (physics.restitution, physics.roughness);
        self.each(&|band, mut view| {
            if !band.is_held() {
                let bodies = &mut view.bodies[..band.slots.len()];
                let contacts = &mut view.fixed[..band.fixed_count];
                fixed::relax(contacts, bodies, round, touch.gap_of_fast);
                view.friction.fixed(contacts, bodies, physics.roughness);
            }
        });
        self.even_then_odd(others, &|band, view| {
            let blocks = &mut view.blocks[..band.solved_count];
            let bodies = view.bodies;
            band.collisions = 0;
            if band.is_asleep() {
                return;
            }
            soft::move_apart(blocks, bodies);
            let FrictionView { rubs, rims, is_on, .. } = view.friction;
            let rough = is_on.then_some(Rough { rubs, rims, roughness });
            let centers = [&agents.x, &agents.y].map(|column| &column[band.slots.start..]);
            let restitute = Restitute { blocks, bodies, centers, restitution, touch, rough };
            band.collisions = simd.run_lanes(restitute);
        });
        let blocks = &mut self.outliers[..self.outliers_solved];
        let SolverArrays { bodies, friction, .. } = &mut self.arrays;
        let rubs = &mut self.outlier_rubs[..];
        soft::move_apart(blocks, bodies);
        let rough = friction.rims_mut().map(|rims| Rough { rubs, rims, roughness });
        let centers = [&agents.x[..], &agents.y];
        let restitute = Restitute { blocks, bodies, centers, restitution, touch, rough };
        let mut collisions = simd.run_lanes(restitute);
        let columns = self.arrays.columns(BodyPart::Motion);
        collisions +=
            others.with_tied(BodyPart::Motion, columns, |tied| tied.restitute(physics, simd));
        self.each(&|band, mut view| {
            let bodies = &mut view.bodies[..band.slots.len()];
            if band.is_held() {
                band.keep.farthest_square = 0.0;
                view.friction.hold(bodies.len());
                return hold(band, bodies, far);
            }
            let contacts = &view.fixed[..band.fixed_count];
            let (first, rims, touch) = (band.slots.start, view.friction.rims, touch.gap_of_fast);
            fixed::restitute(contacts, bodies, agents, first, physics, touch, rims);
            let ways = bodies.iter().map(|&[_, _, dx, dy]| [dx, dy]);
            band.keep.farthest_square = simd.run(Largest(ways));
        });
        let Self { bands, arrays, .. } = self;
        others.settle(|band| bands[band].is_asleep(), arrays.columns(BodyPart::Motion));
        collisions + self.bands.iter().map(|band| band.collisions).sum::<u64>()
    }

    /// One pass over all pairs.
    #[inline(never)]
    fn pairs(
        &mut self,
        pass: SoftPass,
        roughness: Option<Roughness>,
        simd: SimdLevel,
        others: &mut impl ContactRanks,
    ) {
        self.even_then_odd(others, &|band, view| {
            if band.is_asleep() {
                return;
            }
            let blocks = &mut view.blocks[..band.solved_count];
            let FrictionView { rubs, rims, .. } = view.friction;
            let rough = roughness.map(|roughness| Rough { rubs, rims, roughness });
            soft::solve(blocks, view.bodies, pass, rough, simd);
        });
        let Self { outliers, outliers_solved, outlier_rubs: rubs, arrays, .. } = self;
        let FrictionView { rims, .. } = arrays.friction.view();
        let rough = roughness.map(|roughness| Rough { rubs, rims, roughness });
        let outliers = &mut outliers[..*outliers_solved];
        soft::solve(outliers, &mut arrays.bodies, pass, rough, simd);
        others.with_tied(BodyPart::Motion, arrays.columns(BodyPart::Motion), |tied| {
            tied.solve(pass, roughness, simd);
            0
        });
    }

    /// The agents behind a range of bands that pairs of these bands, walls or statics touch, counted from the
    /// first one on.
    fn touched_behind(&self, own: Range<usize>) -> Vec<u32> {
        let Self { bands, arrays: SolverArrays { blocks, fixed, .. }, .. } = self;
        let (last, behind) = (&bands[own.end - 1], bands.get(own.end));
        let blocks = &blocks[last.blocks.start..][..last.solved_count];
        let of_pairs = blocks.iter().flat_map(|block| block.j);
        let of_pairs = of_pairs.filter_map(|slot| slot.checked_sub(last.slots.len() as u32));
        let fixed = behind.map_or(&[][..], |it| &fixed[it.fixed.start..][..it.fixed_count]);
        of_pairs.chain(fixed.iter().map(|contact| contact.slot)).collect()
    }

    /// Calls `work` with the even bands, then with the odd ones.
    fn even_then_odd(
        &mut self,
        others: &mut impl ContactRanks,
        work: &(impl Fn(&mut SolverBand, SolverView<'_>) + Sync),
    ) {
        bands::even_then_odd(&mut self.bands, &mut self.arrays, (others, BodyPart::Motion), work);
    }

    /// Calls `work` with all bands.
    fn each(&mut self, work: &(impl Fn(&mut SolverBand, SolverView<'_>) + Sync)) {
        bands::each(&mut self.bands, &mut self.arrays, work);
    }
}
