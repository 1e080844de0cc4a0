//! Slides: the passes of friction over all pairs, and the spins that agents take over.

use super::{
    ContactSolver,
    coulomb::{Roughness, RubBlock, rub},
    physics::Physics,
};
use crate::{
    agents::Agents,
    parallel,
    simd::{
        SimdLevel,
        pairs::PairBlock,
        vectors::{LaneKernel, LaneMask, Numbers, Vectors},
    },
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

impl LaneKernel for Pairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { blocks, rubs, bodies, rims, roughness } = self;
        let zero = vectors.splat(0.0);
        for (block, rubs) in blocks.iter().zip(rubs) {
            let [presses, tangents, rolls] = [&block.impulse, &rubs[0], &rubs[1]]
                .map(|impulses| vectors.load(impulses).differs(zero));
            if (presses | tangents | rolls).bits() == 0 {
                continue;
            }
            let slots = [&block.i, &block.j];
            let impulses = vectors.load(&block.impulse);
            let before = vectors.gather(rims, slots);
            let mut after = before;
            vectors.update_bodies(bodies, slots, |[[ax, ay, ..], [bx, by, ..]]| {
                let velocities = [[ax, ay], [bx, by]];
                let rubbed = rub(vectors, block, rubs, impulses, roughness, velocities, before);
                after = rubbed.1;
                rubbed.0
            });
            vectors.scatter(rims, slots, after);
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
            simd.run_lanes(Pairs { blocks, rubs, bodies, rims, roughness });
        });
        let Self { outliers: blocks, outlier_rubs: rubs, arrays, .. } = self;
        let (bodies, rims) = (&mut arrays.bodies, arrays.friction.view().rims);
        simd.run_lanes(Pairs { blocks, rubs, bodies, rims, roughness });
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
