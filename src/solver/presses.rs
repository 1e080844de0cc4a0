//! Which pairs pressed on each other in the last substep, and how much.

use super::{
    ContactSolver,
    physics::{Physics, ROUNDS},
};
use crate::{
    contacts::Pair,
    simd::pairs::{LANES, PairBlock},
};

impl ContactSolver {
    /// Calls `visit` with the pairs of slots that pressed on each other or met fast in the last
    /// substep, and with the change of their relative velocity along the normal, which pushed them
    /// apart. A pair may come twice; its changes add up. Agents must not have been sorted since.
    ///
    /// Blocks keep the impulse of the last round alone. A lasting contact has about the same in each
    /// round. Two agents that met fast exchanged all in one round, whichever it was, and their
    /// speeds tell how much.
    pub(crate) fn visit_presses(&self, physics: &Physics, mut visit: impl FnMut(Pair, f32)) {
        if self.memory.has_moved() {
            return;
        }
        let rounds = ROUNDS as f32;
        let bodies = &self.arrays.bodies;
        for band in &self.bands {
            let first = band.slots.start;
            if band.keep.live {
                let blocks = &self.arrays.blocks[band.blocks.start..][..band.block_count];
                for (block, lane) in lanes(blocks) {
                    let hit = hit(block, lane, &bodies[first..], physics);
                    let change = hit.unwrap_or(rounds * block.impulse[lane]);
                    if change > 0.0 {
                        visit(pair(block, lane).map(|slot| first as u32 + slot), change);
                    }
                }
            } else {
                let own = band.slots.clone();
                self.memory.visit_near(own, |pair, (impulse, _)| visit(pair, rounds * impulse));
            }
        }
        self.memory.visit_far(|pair, (impulse, _)| visit(pair, rounds * impulse));
        for (block, lane) in lanes(&self.outliers) {
            if let Some(change) = hit(block, lane, bodies, physics) {
                visit(pair(block, lane), change - rounds * block.impulse[lane]);
            }
        }
    }
}

fn pair(block: &PairBlock, lane: usize) -> Pair {
    [block.i[lane], block.j[lane]]
}

/// The lanes of some blocks that have a pair of their own.
fn lanes(blocks: &[PairBlock]) -> impl Iterator<Item = (&PairBlock, usize)> {
    let lanes = blocks.iter().flat_map(|block| (0..LANES).map(move |lane| (block, lane)));
    lanes.filter(|&(block, lane)| block.share[lane] > 0.0)
}

/// The change of the relative velocity of a pair, if the two met fast and touched.
fn hit(block: &PairBlock, lane: usize, bodies: &[[f32; 4]], physics: &Physics) -> Option<f32> {
    let approach = block.approach[lane];
    if approach <= physics.rest_speed {
        return None;
    }
    let [[.., ax, ay], [.., bx, by]] = pair(block, lane).map(|slot| bodies[slot as usize]);
    let gap = block.gap[lane] + (bx - ax) * block.nx[lane] + (by - ay) * block.ny[lane];
    (gap < physics.touch().largest(block.gap[lane], approach))
        .then_some((1.0 + physics.restitution) * approach)
}
