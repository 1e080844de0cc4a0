//! Blocks of pairs: eight pairs without a common body, to be solved side by side.
//!
//! The near pairs of a band go into blocks by color, and those with outliers into the first block that
//! has neither body.

use super::{
    color::{Coloring, set},
    coulomb::{Rub, RubBlock},
    memory::Memory,
    physics::{MARGIN, Physics},
    soft,
};
use crate::{
    agents::Agents,
    alloc,
    contacts::Pair,
    error::Result,
    geometry::coincident_normal,
    simd::{
        Kernel, SimdLevel,
        pairs::{self as blocks, LANES, PairBlock},
    },
};

/// Blocks of pairs with outliers that are open at once.
const OPEN: usize = 32;

/// Purpose of the memory, for errors.
pub(super) const PART: &str = "the contact solver";

/// The place of a pair that is not solved.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The place of a pair whose agents are both held, until it gets a lane behind the blocks that are
/// solved.
pub(super) const HELD: u32 = u32::MAX - 1;

/// The impulses of a pair along the normal and, in runs with friction, those of friction.
#[inline(always)]
pub(super) fn impulses_at(blocks: &[PairBlock], rubs: &[RubBlock], place: u32) -> (f32, Rub) {
    let (block, lane) = (place as usize / LANES, place as usize % LANES);
    let impulse = blocks.get(block).map_or(0.0, |block| block.impulse[lane]);
    (impulse, rubs.get(block).map_or_else(Rub::default, |rubs| rubs.map(|of| of[lane])))
}

/// Sets the impulses of friction in a place, if there is one for them.
#[inline(always)]
pub(super) fn set_rub(rubs: &mut [RubBlock], place: u32, rub: impl FnOnce() -> Rub) {
    let lane = place as usize % LANES;
    if let Some([tangents, rolls]) = rubs.get_mut(place as usize / LANES) {
        [tangents[lane], rolls[lane]] = rub();
    }
}

/// The pair in a place, counted from the first slot of the band.
#[inline(always)]
pub(super) fn pair_at(blocks: &[PairBlock], place: u32) -> Pair {
    let (block, lane) = (&blocks[place as usize / LANES], place as usize % LANES);
    [block.i[lane], block.j[lane]]
}

/// The share of the first of two bodies with these radii in a change of their relative velocity.
#[inline(always)]
pub(super) fn share([ra, rb]: [f32; 2]) -> f32 {
    let (ma, mb) = (ra * ra, rb * rb);
    mb / (ma + mb)
}

/// Which agents are held: the agents of a band, and the agents of the band behind it.
#[derive(Clone, Copy)]
pub(super) struct HeldAgents {
    /// The end of the band's slots.
    pub(super) end: u32,
    pub(super) own: bool,
    pub(super) next: bool,
}

impl HeldAgents {
    /// For each agent of a pair, true if it is held. The first agent is in the band.
    #[inline(always)]
    pub(super) fn pair(self, [_, j]: Pair) -> [bool; 2] {
        [self.own, if j < self.end { self.own } else { self.next }]
    }
}

/// The data that pairs are built from.
#[derive(Clone, Copy)]
pub(super) struct Build<'a> {
    agents: &'a Agents,
    memory: &'a Memory,
    /// Seconds per substep, squared.
    dt_square: f32,
    /// An agent that is faster wakes held ones next to it; squared.
    slow_square: f32,
    is_rough: bool,
}

impl<'a> Build<'a> {
    pub(super) fn new(agents: &'a Agents, memory: &'a Memory, physics: &Physics) -> Self {
        let (dt_square, slow_square) = (physics.dt * physics.dt, physics.slow_square());
        Self { agents, memory, dt_square, slow_square, is_rough: physics.roughness.friction > 0.0 }
    }

    /// The share of the first body in a change of their relative velocity, if the two may touch
    /// within the substep. The bodies begin with the slot `first`.
    #[inline(always)]
    fn share(&self, bodies: &[[f32; 4]], first: u32, [i, j]: Pair) -> Option<f32> {
        let [va, vb] = [i, j].map(|slot| bodies[(slot - first) as usize]);
        let (dx, dy) = (vb[2] - va[2], vb[3] - va[3]);
        let (ux, uy) = (vb[0] - va[0], vb[1] - va[1]);
        let [ra, rb] = [i, j].map(|slot| self.agents.radius[slot as usize]);
        let (near, square) = ((ra + rb) * (1.0 + MARGIN), dx * dx + dy * dy);
        if square > near * near {
            let near = near + ((ux * ux + uy * uy) * self.dt_square).sqrt();
            if square > near * near {
                return None;
            }
        }
        Some(share([ra, rb]))
    }

    /// True if the agent of a pair that is not held moves.
    #[cold]
    fn disturbs(&self, pair: Pair, held: [bool; 2]) -> bool {
        let Agents { vx, vy, .. } = self.agents;
        let free = pair[usize::from(held[0])] as usize;
        let spins = self.agents.spins().filter(|_| self.is_rough);
        let rim = spins.map_or(0.0, |spins| spins[free] * self.agents.radius[free]);
        vx[free] * vx[free] + vy[free] * vy[free] + rim * rim > self.slow_square
    }

    /// Puts the impulses of pairs whose agents are both held into lanes from `lane` on, behind the
    /// blocks that are solved. The bodies begin with the slot `first`. Returns the lane behind them.
    #[inline(never)]
    pub(super) fn put_held<'p>(
        &self,
        pairs: impl Iterator<Item = (&'p mut u32, &'p Pair)>,
        first: u32,
        mut lane: usize,
        blocks: &mut [PairBlock],
        rubs: &mut [RubBlock],
    ) -> usize {
        for (place, &pair) in pairs.filter(|(place, _)| **place == HELD) {
            if let Some(block) = blocks.get_mut(lane / LANES) {
                if lane.is_multiple_of(LANES) {
                    *block = PairBlock::EMPTY;
                }
                set(block, lane, pair.map(|slot| slot - first), 0.0, self.memory.impulse(pair));
            }
            *place = lane as u32;
            set_rub(rubs, *place, || self.memory.rub(pair));
            lane += 1;
        }
        lane
    }

    /// Appends the pairs with outliers of a band, each with its place.
    ///
    /// # Errors
    /// If there is not enough memory for the blocks.
    pub(super) fn outliers<'p>(
        &self,
        pairs: impl Iterator<Item = (&'p mut u32, &'p Pair)>,
        bodies: &[[f32; 4]],
        is_held: impl Fn(u32) -> bool,
        mut wake: impl FnMut(u32),
        to: &mut OutlierBlocks<'_>,
    ) -> Result<()> {
        for (place, &pair) in pairs {
            let held = || pair.map(&is_held);
            *place = match self.treat(bodies, pair, held, |which| wake(pair[which])) {
                LateTreatment::Apart => NOWHERE,
                LateTreatment::Held => HELD,
                LateTreatment::Solved(share) => to.push(pair, share, self.memory.impulse(pair))?,
            };
        }
        Ok(())
    }

    /// Decides how a pair with an outlier is solved; `wake` gets the one of the two that is held, if the
    /// other one moves.
    #[inline(always)]
    pub(super) fn treat(
        &self,
        bodies: &[[f32; 4]],
        pair: Pair,
        held: impl FnOnce() -> [bool; 2],
        wake: impl FnOnce(usize),
    ) -> LateTreatment {
        let Some(share) = self.share(bodies, 0, pair) else {
            return LateTreatment::Apart;
        };
        match held() {
            [false, false] => {}
            [true, true] => return LateTreatment::Held,
            held if self.disturbs(pair, held) => wake(usize::from(held[1])),
            _ => {}
        }
        LateTreatment::Solved(share)
    }
}

/// How a pair with an outlier is solved.
pub(super) enum LateTreatment {
    /// The two can't touch within the substep.
    Apart,
    /// Both are held.
    Held,
    /// With the share of the first in a change of their relative velocity.
    Solved(f32),
}

/// Blocks of pairs with outliers, which have no colors: an outlier may have any number of contacts.
/// A pair goes into the first of the last [`OPEN`] blocks that has a lane left and neither of its
/// bodies.
pub(super) struct OutlierBlocks<'a> {
    blocks: &'a mut Vec<PairBlock>,
    /// The pairs in the last blocks, block `b` in the entry `b % OPEN`.
    counts: [usize; OPEN],
}

impl<'a> OutlierBlocks<'a> {
    /// Begins anew.
    pub(super) fn new(blocks: &'a mut Vec<PairBlock>) -> Self {
        blocks.clear();
        Self { blocks, counts: [0; OPEN] }
    }

    /// Adds a pair. Returns its place.
    pub(super) fn push(&mut self, pair: Pair, share: f32, impulse: f32) -> Result<u32> {
        let Self { blocks, counts } = self;
        let open = blocks.len().saturating_sub(OPEN);
        let fits = |&block: &usize| {
            let (block, count) = (&blocks[block], counts[block % OPEN]);
            let has = |body| block.i[..count].contains(body) || block.j[..count].contains(body);
            count < LANES && !pair.iter().any(has)
        };
        let found = (open..blocks.len()).find(fits);
        let block = if let Some(block) = found {
            block
        } else {
            if blocks.len() >= OPEN {
                self.close(open);
            }
            alloc::push(self.blocks, PairBlock::EMPTY, PART)?;
            self.blocks.len() - 1
        };
        let lane = &mut self.counts[block % OPEN];
        let place = block * LANES + *lane;
        set(&mut self.blocks[block], *lane, pair, share, impulse);
        *lane += 1;
        Ok(place as u32)
    }

    /// Ends all blocks.
    pub(super) fn finish(mut self) {
        let open = self.blocks.len().saturating_sub(OPEN);
        (open..self.blocks.len()).for_each(|block| self.close(block));
    }

    /// Fills the lanes of a block that are left, and leaves its count to the next block.
    fn close(&mut self, block: usize) {
        let count = std::mem::take(&mut self.counts[block % OPEN]);
        self.blocks[block].pad(count);
    }
}

/// Aims the pairs of some blocks; their bodies begin with the slot `first`: see [`blocks::aim`].
pub(super) fn aim(
    blocks: &mut [PairBlock],
    (first, bodies): (usize, &[[f32; 4]]),
    agents: &Agents,
    reference: &mut [[f32; 2]],
    physics: &Physics,
    simd: SimdLevel,
) {
    let own = first..first + bodies.len();
    let (radius, depths) = (&agents.radius[own.clone()], soft::depths(physics));
    if blocks::aim(blocks, bodies, radius, reference, depths, physics.dt, simd) {
        separate(blocks, bodies, &agents.id[own], reference, physics.rest_speed);
    }
}

/// Gives pairs with the same center a normal.
#[cold]
fn separate(
    blocks: &mut [PairBlock],
    bodies: &[[f32; 4]],
    ids: &[u32],
    reference: &mut [[f32; 2]],
    fast: f32,
) {
    for block in blocks {
        for lane in 0..LANES {
            if block.share[lane] == 0.0 || [block.nx[lane], block.ny[lane]] != [0.0; 2] {
                continue;
            }
            let [i, j] = [block.i[lane], block.j[lane]].map(|slot| slot as usize);
            let [nx, ny] = coincident_normal(ids[i], ids[j]).to_array();
            let approach = (bodies[i][0] - bodies[j][0]) * nx + (bodies[i][1] - bodies[j][1]) * ny;
            (block.nx[lane], block.ny[lane]) = (nx, ny);
            if approach > fast {
                block.approach[lane] = approach;
            }
            let one = block.share[lane] * block.impulse[lane];
            let other = block.impulse[lane] - one;
            reference[i] = [reference[i][0] + one * nx, reference[i][1] + one * ny];
            reference[j] = [reference[j][0] - other * nx, reference[j][1] - other * ny];
        }
    }
}

/// Builds the blocks of a band's near pairs. The output is the number of blocks that are solved, and
/// of all. Blocks that do not fit are counted, but not stored.
pub(super) struct BuildBand<'a> {
    pub(super) build: Build<'a>,
    pub(super) pairs: &'a [Pair],
    pub(super) first: u32,
    pub(super) held: HeldAgents,
    pub(super) wakes: &'a mut [bool; 2],
    pub(super) places: &'a mut [u32],
    pub(super) blocks: &'a mut [PairBlock],
    /// By block, in runs with friction.
    pub(super) rubs: &'a mut [RubBlock],
    pub(super) colors: &'a mut [u16],
    pub(super) bodies: &'a [[f32; 4]],
}

impl Kernel for BuildBand<'_> {
    type Output = [usize; 2];

    #[inline(always)]
    fn run(self) -> [usize; 2] {
        let Self { build, pairs, first, held, wakes, places, blocks, rubs, colors, bodies } = self;
        rubs.fill(RubBlock::default());
        let any_held = held.own | held.next;
        let mut coloring = Coloring::new(pairs.len());
        for (place, &pair) in places.iter_mut().zip(pairs) {
            let Some(share) = build.share(bodies, first, pair) else {
                *place = NOWHERE;
                continue;
            };
            if any_held {
                match held.pair(pair) {
                    [false, false] => {}
                    [true, true] => {
                        *place = HELD;
                        continue;
                    }
                    which => wakes[usize::from(!held.own)] |= build.disturbs(pair, which),
                }
            }
            let impulse = build.memory.impulse(pair);
            let pair = pair.map(|slot| slot - first);
            let put = coloring.put(pair, share, impulse, colors, blocks);
            let Some(at) = put else { continue };
            *place = at;
            if impulse > 0.0 {
                set_rub(rubs, at, || build.memory.rub(pair.map(|slot| slot + first)));
            }
        }
        let solved = coloring.finish(blocks);
        let mut lanes = solved * LANES;
        if any_held {
            lanes = build.put_held(places.iter_mut().zip(pairs), first, lanes, blocks, rubs);
        }
        [solved, lanes.div_ceil(LANES)]
    }
}

/// A pair, and its impulses along the normal and of friction.
pub(super) type PairImpulses = (Pair, (f32, Rub));

/// The pairs in the blocks of a band, of which the same blocks are built again.
pub(super) struct BlockPairs<'a> {
    pub(super) pairs: &'a [PairImpulses],
    /// The number of pairs that the contact list had.
    pub(super) listed: usize,
    /// The radii of the agents from the slot `first` on.
    pub(super) radii: &'a [f32],
    pub(super) first: u32,
    pub(super) places: &'a mut [u32],
    pub(super) blocks: &'a mut [PairBlock],
    pub(super) rubs: &'a mut [RubBlock],
    pub(super) colors: &'a mut [u16],
}

/// Builds blocks again. Returns their number. Blocks that do not fit are counted, but not stored.
pub(super) fn rebuild(from: BlockPairs<'_>) -> usize {
    let BlockPairs { pairs, listed, radii, first, places, blocks, rubs, colors } = from;
    rubs.fill(RubBlock::default());
    places.fill(NOWHERE);
    let mut coloring = Coloring::new(listed);
    for (place, &(pair, (impulse, rub))) in places.iter_mut().zip(pairs) {
        let pair = pair.map(|slot| slot - first);
        let share = share(pair.map(|slot| radii[slot as usize]));
        let put = coloring.put(pair, share, impulse, colors, blocks);
        let Some(at) = put else { continue };
        *place = at;
        set_rub(rubs, at, || rub);
    }
    coloring.finish(blocks)
}
