//! Blocks of pairs: eight pairs without a common body, to be solved side by side.
//!
//! Each pair of a band takes the first color that neither of its bodies has yet, and goes into the
//! open block of that color:
//!
//! ```text
//! pairs   (0,1) (0,2) (1,2) (3,4) …           canonical order
//! colors    0     1     2     0
//! blocks  [ (0,1) (3,4) … ] [ (0,2) … ] [ (1,2) … ]
//! ```
//!
//! The lanes that are left in the last block of a color repeat the bodies of its first lane, with a
//! gap and without an impulse. Bodies are stored from the last lane to the first, so that such a
//! lane changes nothing.

use super::{memory::Memory, physics::MARGIN};
use crate::{
    agents::Agents,
    contacts::Pair,
    simd::{
        Kernel,
        pairs::{LANES, PairBlock},
    },
};

/// Colors of a band. A pair for which none is left gets a block of its own.
pub(super) const COLORS: usize = 32;

/// Blocks of one color in a row: independent of each other, so that the processor overlaps them.
pub(super) const CHUNK: usize = 4;

/// Where a pair lies that is not solved.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Marks the impulse of a pair of held agents, which is kept in the place of its place.
const KEPT: u32 = 1 << 31;

/// The impulse of a pair, by its place.
#[inline(always)]
pub(super) fn impulse_at(blocks: &[PairBlock], place: u32) -> f32 {
    if place == NOWHERE {
        0.0
    } else if place & KEPT != 0 {
        f32::from_bits(place & !KEPT)
    } else {
        let place = place as usize;
        blocks[place / LANES].impulse[place % LANES]
    }
}

/// Which agents are held: those of a band, and those behind it.
#[derive(Clone, Copy)]
pub(super) struct HeldAgents {
    /// The end of the band's slots.
    pub(super) end: u32,
    pub(super) own: bool,
    pub(super) next: bool,
}

impl HeldAgents {
    /// Whether the agents of a pair are held, of which the first is in the band.
    #[inline(always)]
    pub(super) fn pair(self, [_, j]: Pair) -> [bool; 2] {
        [self.own, if j < self.end { self.own } else { self.next }]
    }
}

/// A pair at the start of a substep.
struct PairStart {
    i: u32,
    j: u32,
    normal: [f32; 2],
    gap: f32,
    share: f32,
    approach: f32,
}

/// Puts a pair into a lane of a block.
#[inline(always)]
fn set(block: &mut PairBlock, lane: usize, pair: &PairStart, first: u32, impulse: f32) {
    let lane = lane % LANES;
    block.i[lane] = pair.i - first;
    block.j[lane] = pair.j - first;
    block.nx[lane] = pair.normal[0];
    block.ny[lane] = pair.normal[1];
    block.gap[lane] = pair.gap;
    block.share[lane] = pair.share;
    block.impulse[lane] = impulse;
    block.approach[lane] = pair.approach;
}

/// What pairs are built from.
#[derive(Clone, Copy)]
pub(super) struct Build<'a> {
    pub(super) agents: &'a Agents,
    pub(super) memory: &'a Memory,
    /// Seconds per substep, squared.
    pub(super) dt_square: f32,
    /// An agent that is faster wakes held ones next to it; squared.
    pub(super) slow_square: f32,
}

impl Build<'_> {
    /// The pair, if the two may touch within the substep. The bodies begin with the slot `first`.
    #[inline(always)]
    fn start(&self, bodies: &[[f32; 4]], first: u32, [i, j]: Pair) -> Option<PairStart> {
        let [va, vb] = [i, j].map(|slot| bodies[(slot - first) as usize]);
        let (dx, dy) = (vb[2] - va[2], vb[3] - va[3]);
        let (ux, uy) = (vb[0] - va[0], vb[1] - va[1]);
        let (a, b) = (i as usize, j as usize);
        let (ra, rb) = (self.agents.radius[a], self.agents.radius[b]);
        let reach = ra + rb;
        let distance = (dx * dx + dy * dy).sqrt();
        let gap = distance - reach;
        let beyond = gap - MARGIN * reach;
        if (beyond > 0.0) & (beyond * beyond > (ux * ux + uy * uy) * self.dt_square) {
            return None;
        }
        let normal = if distance > 0.0 {
            let inverse = 1.0 / distance;
            [dx * inverse, dy * inverse]
        } else {
            coincident_normal(self.agents.id[a], self.agents.id[b])
        };
        let (ma, mb) = (ra * ra, rb * rb);
        let approach = -(ux * normal[0] + uy * normal[1]);
        Some(PairStart {
            i,
            j,
            normal,
            gap,
            share: mb / (ma + mb),
            approach: if approach > 0.0 { approach } else { 0.0 },
        })
    }

    /// True if the agent of a pair that is not held moves.
    #[cold]
    fn disturbs(&self, pair: Pair, held: [bool; 2]) -> bool {
        let Agents { vx, vy, .. } = self.agents;
        let free = pair[usize::from(held[0])] as usize;
        vx[free] * vx[free] + vy[free] * vy[free] > self.slow_square
    }

    /// Builds the blocks of a band's near pairs, and takes the impulses out of the references.
    /// Returns the number of blocks, and stores as many as there is room for.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "each is an array of the solver")]
    pub(super) fn band(
        &self,
        pairs: &[Pair],
        first: u32,
        held: HeldAgents,
        wakes: &mut [bool; 2],
        places: &mut [u32],
        blocks: &mut [PairBlock],
        colors: &mut [u32],
        bodies: &[[f32; 4]],
        reference: &mut [[f32; 2]],
    ) -> usize {
        let any_held = held.own | held.next;
        let mut used = 0;
        // The open block of each color, the number of its pairs, and that of blocks behind it.
        let mut open = [(0_usize, LANES, 0_usize); COLORS];
        let chunk = if pairs.len() > 1024 { CHUNK } else { 1 };
        for (place, &pair) in places.iter_mut().zip(pairs) {
            let Some(start) = self.start(bodies, first, pair) else {
                *place = NOWHERE;
                continue;
            };
            let impulse = self.memory.impulse(pair);
            if any_held {
                match held.pair(pair) {
                    [false, false] => {}
                    [true, true] => {
                        *place = impulse.to_bits() | KEPT;
                        continue;
                    }
                    which => wakes[usize::from(!held.own)] |= self.disturbs(pair, which),
                }
            }
            let (i, j) = ((start.i - first) as usize, (start.j - first) as usize);
            let color = (colors[i] | colors[j]).trailing_ones() as usize;
            let (block, lane) = if let Some((block, count, more)) = open.get_mut(color) {
                colors[i] |= 1 << color;
                colors[j] |= 1 << color;
                if *count == LANES {
                    if *more == 0 {
                        (*block, *count, *more) = (used, 0, chunk - 1);
                        used += chunk;
                    } else {
                        (*block, *count, *more) = (*block + 1, 0, *more - 1);
                    }
                }
                *count += 1;
                (*block, *count - 1)
            } else {
                used += 1;
                (used - 1, 0)
            };
            let Some(entry) = blocks.get_mut(block) else { continue };
            set(entry, lane, &start, first, impulse);
            *place = (block * LANES + lane) as u32;
            if color >= COLORS {
                entry.pad(1);
            }
            take_out([i, j], &start, impulse, reference);
        }
        for (block, count, more) in open {
            if count < LANES
                && let Some(block) = blocks.get_mut(block)
            {
                block.pad(count);
            }
            for block in block + 1..block + 1 + more {
                if let Some(block) = blocks.get_mut(block) {
                    *block = PairBlock::EMPTY;
                }
            }
        }
        used
    }

    /// Appends the pairs with outliers of a band: to the last block, as long as no two of its pairs
    /// have a common body.
    #[expect(clippy::too_many_arguments, reason = "each is an array of the solver")]
    pub(super) fn outliers(
        &self,
        pairs: &[Pair],
        is_held: impl Fn(u32) -> bool,
        mut wake: impl FnMut(u32),
        places: &mut [u32],
        blocks: &mut Vec<PairBlock>,
        fill: &mut usize,
        bodies: &[[f32; 4]],
        reference: &mut [[f32; 2]],
    ) {
        for (place, &pair) in places.iter_mut().zip(pairs) {
            let Some(start) = self.start(bodies, 0, pair) else {
                *place = NOWHERE;
                continue;
            };
            let impulse = self.memory.impulse(pair);
            match pair.map(&is_held) {
                [false, false] => {}
                [true, true] => {
                    *place = impulse.to_bits() | KEPT;
                    continue;
                }
                held if self.disturbs(pair, held) => wake(pair[usize::from(held[1])]),
                _ => {}
            }
            let shares = blocks.last().is_none_or(|block| {
                (0..*fill).any(|lane| {
                    let (i, j) = (block.i[lane], block.j[lane]);
                    i == start.i || i == start.j || j == start.i || j == start.j
                })
            });
            if shares || *fill == LANES {
                if let Some(block) = blocks.last_mut() {
                    block.pad(*fill);
                }
                blocks.push(PairBlock::EMPTY);
                *fill = 0;
            }
            let block = blocks.len() - 1;
            set(&mut blocks[block], *fill, &start, 0, impulse);
            *place = (block * LANES + *fill) as u32;
            *fill += 1;
            if impulse > 0.0 {
                take_out([start.i as usize, start.j as usize], &start, impulse, reference);
            }
        }
    }
}

/// Takes an impulse out of the references of two bodies, so that the first round adds it.
#[inline(always)]
fn take_out([i, j]: [usize; 2], pair: &PairStart, impulse: f32, reference: &mut [[f32; 2]]) {
    let [nx, ny] = pair.normal;
    let one = pair.share * impulse;
    let other = (1.0 - pair.share) * impulse;
    reference[i][0] += one * nx;
    reference[i][1] += one * ny;
    reference[j][0] -= other * nx;
    reference[j][1] -= other * ny;
}

/// The normal of two agents with the same center. It follows from the ids, so that it is the same
/// in every run, and reverses if the two are exchanged.
#[cold]
fn coincident_normal(id_i: u32, id_j: u32) -> [f32; 2] {
    const DIRECTIONS: [[f32; 2]; 4] = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-0.6, 0.8]];
    let [x, y] = DIRECTIONS[((id_i ^ id_j).wrapping_mul(0x9e37_79b9) >> 30) as usize];
    if id_i < id_j { [x, y] } else { [-x, -y] }
}

/// The blocks of a band.
pub(super) struct BuildBand<'a> {
    pub(super) build: Build<'a>,
    pub(super) pairs: &'a [Pair],
    pub(super) first: u32,
    pub(super) held: HeldAgents,
    pub(super) wakes: &'a mut [bool; 2],
    pub(super) places: &'a mut [u32],
    pub(super) blocks: &'a mut [PairBlock],
    pub(super) colors: &'a mut [u32],
    pub(super) bodies: &'a [[f32; 4]],
    pub(super) reference: &'a mut [[f32; 2]],
}

impl Kernel for BuildBand<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { build, pairs, first, held, wakes, places, blocks, colors, bodies, reference } =
            self;
        build.band(pairs, first, held, wakes, places, blocks, colors, bodies, reference)
    }
}
