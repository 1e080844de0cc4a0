//! Slides: the passes of friction over all pairs, and the spins that agents take over.

use super::{
    ContactSolver,
    coulomb::{Roughness, RubBlock, rub},
    physics::Physics,
};
use crate::{
    agents::Agents,
    parallel,
    simd::{Kernel, SimdLevel, pairs::PairBlock},
};

/// Slots per task.
const PIECE: usize = 8_192;

/// Stops what slides and rolls in the pairs of some blocks.
struct Pairs<'a> {
    blocks: &'a [PairBlock],
    rubs: &'a mut [RubBlock],
    bodies: &'a mut [[f32; 4]],
    rims: &'a mut [f32],
    roughness: Roughness,
}

impl Kernel for Pairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { blocks, rubs, bodies, rims, roughness } = self;
        for (block, rubs) in blocks.iter().zip(rubs) {
            let acts = block.impulse.iter().chain(rubs.as_flattened());
            if acts.fold(0, |bits, impulse| bits | impulse.to_bits()) << 1 == 0 {
                continue;
            }
            rub(block, rubs, &block.impulse, roughness, bodies, rims);
        }
    }
}

impl ContactSolver {
    /// Stops what slides and rolls in all pairs.
    #[inline(never)]
    pub(super) fn rub(&mut self, physics: &Physics, simd: SimdLevel) {
        let roughness = physics.roughness;
        self.even_then_odd(&|band, view| {
            if band.rest.asleep {
                return;
            }
            let (blocks, bodies) = (&view.blocks[..band.block_count], view.bodies);
            let (rubs, rims) = (view.friction.rubs, view.friction.rims);
            simd.run(Pairs { blocks, rubs, bodies, rims, roughness });
        });
        let Self { outliers: blocks, outlier_rubs: rubs, arrays, .. } = self;
        let (bodies, rims) = (&mut arrays.bodies, arrays.friction.view().rims);
        simd.run(Pairs { blocks, rubs, bodies, rims, roughness });
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
