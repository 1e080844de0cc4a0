//! Friction: impulses along the tangents of contacts and against rolling, and the spin that they
//! give.
//!
//! A run with friction has a column of angular velocities, `spin`. In the solver they are speeds of
//! rims, for which no radius is needed:
//!
//! ```text
//! rims      [ w | w | …        by slot: spin · radius, counterclockwise
//! reference [ w | w | …        w at the start of a round, without the impulses of the round before
//! rubs      [ tangent×8 roll×8 | …    impulses by block, as those along the normals
//! ```
//!
//! As along the normals, an impulse is the change in one round, and the next round begins with it.
//! The tangents of a block follow its normals in the passes that relax. Those of walls and statics
//! also come before bodies move: what rests on them does not creep.

use super::{
    coulomb::{Roughness, RubBlock, TURN, rub_fixed, turns},
    fixed::FixedContact,
    pairs::PART,
};
use crate::{
    agents::Agents,
    alloc,
    error::Result,
    limits::SPEED_MAX,
    parallel,
    simd::{
        SimdLevel,
        pairs::{LANES, PairBlock},
        vectors::{LaneKernel, LaneMask, Numbers, Vectors},
    },
};

/// Slots per task.
const PIECE: usize = 8_192;

/// The arrays of friction; empty in runs without.
#[derive(Clone, Debug, Default)]
pub(super) struct Friction {
    pub(super) is_on: bool,
    rims: Vec<f32>,
    reference: Vec<f32>,
    rubs: Vec<RubBlock>,
}

impl Friction {
    /// Creates the arrays of at most `capacity` agents, without blocks.
    pub(super) fn new(is_on: bool, capacity: usize) -> Result<Self> {
        let column = || alloc::with_capacity(if is_on { capacity } else { 0 }, PART);
        Ok(Self { is_on, rims: column()?, reference: column()?, rubs: Vec::new() })
    }

    /// Ensures room for a number of blocks.
    pub(super) fn reserve(&mut self, blocks: usize) -> Result<()> {
        let blocks = if self.is_on { blocks } else { 0 };
        alloc::grow_to(&mut self.rubs, blocks, RubBlock::default(), PART)
    }

    /// Sets the number of agents.
    pub(super) fn resize(&mut self, agents: usize) {
        let agents = if self.is_on { agents } else { 0 };
        alloc::resize(&mut self.rims, agents, 0.0);
        alloc::resize(&mut self.reference, agents, 0.0);
    }

    /// Moves the impulses of some blocks.
    pub(super) fn move_blocks(&mut self, from: usize, count: usize, to: usize) {
        if self.is_on {
            self.rubs.copy_within(from..from + count, to);
        }
    }

    /// Bytes for at most `capacity` agents and some blocks.
    pub(super) fn memory_for(capacity: usize, blocks: usize) -> usize {
        capacity * (2 * size_of::<f32>()) + blocks * size_of::<RubBlock>()
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        (self.rims.capacity() + self.reference.capacity()) * size_of::<f32>()
            + self.rubs.capacity() * size_of::<RubBlock>()
    }

    /// The impulses of some blocks, in runs with friction.
    pub(super) fn rubs(&self, first: usize, count: usize) -> &[RubBlock] {
        if self.is_on { &self.rubs[first..first + count] } else { &[] }
    }

    /// The speeds of all rims, in runs with friction.
    pub(super) fn rims_mut(&mut self) -> Option<&mut [f32]> {
        self.is_on.then_some(&mut self.rims)
    }

    /// The speeds of the rims as a column, which is empty in runs without friction.
    pub(super) fn motion(&mut self) -> (&mut [f32], usize) {
        (&mut self.rims, self.is_on.into())
    }

    /// The same of their references.
    pub(super) fn references(&mut self) -> (&mut [f32], usize) {
        (&mut self.reference, self.is_on.into())
    }

    /// Sets the spins of the agents from the speeds of their rims.
    pub(super) fn take_over(&self, agents: &mut Agents) {
        let Some((spins, radii)) = agents.spins_mut().filter(|_| self.is_on) else { return };
        let take_over = |_, (spins, (radii, rims)): (&mut [f32], (&[f32], &[f32]))| {
            for (spin, (radius, &rim)) in spins.iter_mut().zip(radii.iter().zip(rims)) {
                // What nothing has touched keeps its bits.
                if rim != *spin * radius {
                    *spin = rim / radius;
                }
            }
        };
        parallel::pieces((spins, (radii, &self.rims[..])), PIECE, &take_over, &|(), ()| ());
    }

    pub(super) fn view(&mut self) -> FrictionView<'_> {
        let Self { is_on, rims, reference, rubs } = self;
        FrictionView { is_on: *is_on, rims, reference, rubs }
    }
}

/// The part of the arrays that belongs to some bands.
pub(super) struct FrictionView<'a> {
    pub(super) is_on: bool,
    pub(super) rims: &'a mut [f32],
    pub(super) reference: &'a mut [f32],
    pub(super) rubs: &'a mut [RubBlock],
}

impl FrictionView<'_> {
    /// Splits behind some slots and some blocks.
    pub(super) fn split(self, slots: usize, blocks: usize) -> (Self, Self) {
        let Self { is_on, rims, reference, rubs } = self;
        let (slots, blocks) = if is_on { (slots, blocks) } else { (0, 0) };
        let (rims, rims2) = rims.split_at_mut(slots);
        let (reference, reference2) = reference.split_at_mut(slots);
        let (rubs, rubs2) = rubs.split_at_mut(blocks);
        let upper = Self { is_on, rims: rims2, reference: reference2, rubs: rubs2 };
        (Self { is_on, rims, reference, rubs }, upper)
    }

    /// Sets the speeds of the rims of a band from the spins of its agents.
    pub(super) fn place(&mut self, spins: &[f32], radii: &[f32]) {
        let rims = self.rims.iter_mut().zip(&mut *self.reference);
        for ((rim, reference), (spin, radius)) in rims.zip(spins.iter().zip(radii)) {
            *rim = (spin * radius).clamp(-SPEED_MAX, SPEED_MAX);
            *reference = *rim;
        }
    }

    /// The impulses of the first blocks, in runs with friction.
    pub(super) fn rubs_of(&mut self, blocks: usize) -> &mut [RubBlock] {
        let blocks = if self.is_on { blocks } else { 0 };
        &mut self.rubs[..blocks]
    }

    /// Begins a substep with the blocks of a band: takes the impulses out of the references, so
    /// that the first round adds them.
    pub(super) fn begin(
        &mut self,
        blocks: &[PairBlock],
        reference: &mut [[f32; 2]],
        simd: SimdLevel,
    ) {
        simd.run_lanes(TakeOut {
            blocks,
            rubs: self.rubs,
            velocities: reference,
            rims: self.reference,
        });
    }

    /// The same for contacts with walls and statics.
    pub(super) fn begin_fixed(&mut self, contacts: &[FixedContact], reference: &mut [[f32; 2]]) {
        if !self.is_on {
            return;
        }
        for &FixedContact { slot, normal: [nx, ny], rub: [tangent, roll], .. } in contacts {
            let [x, y] = &mut reference[slot as usize];
            (*x, *y) = (*x + tangent * ny, *y - tangent * nx);
            self.reference[slot as usize] += TURN * (tangent - roll);
        }
    }

    /// Adds the impulses of the round before to the rims of a number of bodies.
    pub(super) fn carry(&mut self, bodies: usize) {
        let rims = self.rims.iter_mut().zip(&mut *self.reference);
        for (rim, reference) in rims.take(bodies) {
            let impulses = *rim - *reference;
            *reference = *rim;
            *rim += impulses;
        }
    }

    /// Stops the rims of a number of held bodies.
    pub(super) fn hold(&mut self, bodies: usize) {
        self.rims.iter_mut().take(bodies).for_each(|rim| *rim = 0.0);
    }

    /// Stops what slides and rolls along walls and statics.
    pub(super) fn fixed(
        &mut self,
        contacts: &mut [FixedContact],
        bodies: &mut [[f32; 4]],
        roughness: Roughness,
    ) {
        if !self.is_on {
            return;
        }
        for contact in contacts {
            let (body, rim) = (contact.slot as usize, &mut self.rims[contact.slot as usize]);
            let FixedContact { normal, impulse, rub, .. } = contact;
            rub_fixed(*normal, rub, *impulse, roughness, &mut bodies[body], rim);
        }
    }
}

/// Takes the impulses of blocks out of the references of their bodies.
struct TakeOut<'a> {
    blocks: &'a [PairBlock],
    rubs: &'a [RubBlock],
    velocities: &'a mut [[f32; 2]],
    rims: &'a mut [f32],
}

impl LaneKernel for TakeOut<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { blocks, rubs, velocities, rims } = self;
        let [zero, minus, turn] = [0.0, -1.0, TURN].map(|number| vectors.splat(number));
        for (block, [tangents, rolls]) in blocks.iter().zip(rubs) {
            let [tangent, roll] = [tangents, rolls].map(|impulses| vectors.load(impulses));
            let (slides, turns_too) = (tangent.differs(zero).bits(), roll.differs(zero).bits());
            if slides | turns_too == 0 {
                continue;
            }
            let share = vectors.load(&block.share);
            let first = share * tangent;
            let other = tangent - first;
            let mut changes = [[0.0; LANES]; 4];
            let [nx, ny] = [&block.nx, &block.ny].map(|normal| vectors.load(normal));
            let (tx, ty) = (ny * minus, nx);
            let [to_ix, to_iy, to_jx, to_jy] = &mut changes;
            (first * tx).store(to_ix);
            (first * ty).store(to_iy);
            (other * tx).store(to_jx);
            (other * ty).store(to_jy);
            // Without a branch per lane: none could predict which contacts slide.
            for (lane, (&i, &j)) in block.i.iter().zip(&block.j).enumerate() {
                let [x, y] = &mut velocities[i as usize];
                (*x, *y) = (*x + changes[0][lane], *y + changes[1][lane]);
                let [x, y] = &mut velocities[j as usize];
                (*x, *y) = (*x - changes[2][lane], *y - changes[3][lane]);
            }
            let slots = [&block.i, &block.j];
            let [mut a, mut b] = vectors.gather(rims, slots);
            (a, b) = (a + turn * first, b + turn * other);
            if turns_too != 0 {
                let [one, other] = turns(vectors, share);
                (a, b) = (a - one * roll, b + other * roll);
            }
            vectors.scatter(rims, slots, [a, b]);
        }
    }
}
