//! Slides: the passes of friction over all pairs, and the spins that agents take over.

use super::{ContactSolver, coulomb::rub, physics::Physics};
use crate::{
    agents::Agents,
    parallel,
    simd::{
        Kernel, SimdLevel,
        pairs::{LANES, PairBlock},
    },
};

/// Slots per task.
const PIECE: usize = 8_192;

/// Stops what slides in the pairs of some blocks.
struct Pairs<'a> {
    blocks: &'a [PairBlock],
    tangents: &'a mut [[f32; LANES]],
    bodies: &'a mut [[f32; 4]],
    rims: &'a mut [f32],
    coefficient: f32,
}

impl Kernel for Pairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { blocks, tangents, bodies, rims, coefficient } = self;
        for (block, tangents) in blocks.iter().zip(tangents) {
            let acts = block.impulse.iter().zip(&*tangents);
            if acts.fold(0, |bits, (normal, tangent)| bits | normal.to_bits() | tangent.to_bits())
                << 1
                == 0
            {
                continue;
            }
            let most = block.impulse.map(|impulse| coefficient * impulse);
            rub(block, tangents, most, bodies, rims);
        }
    }
}

impl ContactSolver {
    /// Stops what slides in all pairs.
    #[inline(never)]
    pub(super) fn rub(&mut self, physics: &Physics, simd: SimdLevel) {
        let coefficient = physics.friction;
        self.even_then_odd(&|band, view| {
            if band.rest.asleep {
                return;
            }
            let (blocks, bodies) = (&view.blocks[..band.block_count], view.bodies);
            let (tangents, rims) = (view.friction.tangents, view.friction.rims);
            simd.run(Pairs { blocks, tangents, bodies, rims, coefficient });
        });
        let Self { outliers: blocks, outlier_tangents: tangents, arrays, .. } = self;
        let (bodies, rims) = (&mut arrays.bodies, arrays.friction.view().rims);
        simd.run(Pairs { blocks, tangents, bodies, rims, coefficient });
    }

    /// Sets the spins of the agents after [`Self::solve`].
    pub(crate) fn take_over_spins(&self, agents: &mut Agents) {
        if !self.arrays.friction.is_on {
            return;
        }
        let rims = self.arrays.friction.rims();
        let Some((spins, radii)) = agents.spins_mut() else { return };
        let take_over = |_, (spins, (radii, rims)): (&mut [f32], (&[f32], &[f32]))| {
            for (spin, (radius, &rim)) in spins.iter_mut().zip(radii.iter().zip(rims)) {
                // What nothing has touched keeps its bits.
                if rim != *spin * radius {
                    *spin = rim / radius;
                }
            }
        };
        parallel::pieces((spins, (radii, rims)), PIECE, &take_over, &|(), ()| ());
    }
}
