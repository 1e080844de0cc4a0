//! Soft constraints: how the passes of a round change overlaps, and restitution.
//!
//! A pair with a gap may close the gap in a round, and no more. A pair that overlaps is an
//! overdamped spring, solved implicitly; with a higher frequency a pile boils. A second pass
//! without springs removes the speed that the springs gave.
//!
//! Of a deep overlap, which a user made and not the run, the springs see only so much that they push
//! gently: the second pass can't take back all speed in a crowd.

use super::{
    coulomb::{Roughness, RubBlock, rub},
    physics::Physics,
};
use crate::simd::{
    pairs::{PairBlock, SoftPass, Touch},
    vectors::{LaneKernel, LaneMask, Numbers, Vectors},
};

/// Frequency of the springs, as a share of the rounds per second.
const FREQUENCY: f32 = 0.25;

/// Damping ratio of the springs.
const DAMPING: f32 = 10.0;

/// Pushes overlapping pairs apart.
pub(super) fn push(round: f32) -> SoftPass {
    let step = std::f32::consts::TAU * FREQUENCY;
    let one = 2.0 * DAMPING + step;
    let two = step * one;
    let three = 1.0 / (1.0 + two);
    let (rate, bias) = (1.0 / round, step / one / round);
    SoftPass { rate, bias, mass: two * three, impulse: three, last: None }
}

/// The overlap at which pairs are pushed apart as fast as they may be, as a share of the smaller
/// radius.
pub(super) fn deepest(physics: &Physics) -> f32 {
    let SoftPass { bias, mass, .. } = push(physics.round());
    physics.push_rate() / (bias * mass)
}

/// Removes the speed that pushing left. The last pass also gives back what brakes pairs that are
/// still to bounce.
pub(super) fn relax(round: f32, last: Option<Touch>) -> SoftPass {
    SoftPass { rate: 1.0 / round, bias: 0.0, mass: 1.0, impulse: 0.0, last }
}

/// Restitution: pairs that met fast and touched get their share of the approach speed back.
pub(super) struct Restitute<'a> {
    pub(super) blocks: &'a mut [PairBlock],
    pub(super) bodies: &'a mut [[f32; 4]],
    pub(super) restitution: f32,
    pub(super) touch: Touch,
    /// The speeds of the rims, in runs with friction.
    pub(super) rough: Option<(&'a mut [f32], Roughness)>,
}

impl LaneKernel for Restitute<'_> {
    /// Pairs that met fast.
    type Output = u64;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> u64 {
        let Self { blocks, bodies, restitution, touch, rough } = self;
        let (mut rough, roughness) = rough.unzip();
        let roughness = roughness.unwrap_or_default();
        let Touch { gap, gap_of_fast, fast, dt } = touch;
        let [zero, touch_gap, gap_of_fast, fast, dt, restitution] =
            [0.0, gap, gap_of_fast, fast, dt, restitution].map(|number| vectors.splat(number));
        let mut collisions = 0;
        for block in blocks {
            if vectors.load(&block.approach).above(fast).bits() == 0 {
                continue;
            }
            let slots = [&block.i, &block.j];
            let rims_before = rough.as_deref().map(|rims| vectors.gather(rims, slots));
            let mut rims_after = rims_before;
            vectors.update_bodies(bodies, slots, |[[ax, ay, adx, ady], [bx, by, bdx, bdy]]| {
                let (nx, ny) = (vectors.load(&block.nx), vectors.load(&block.ny));
                let (start, approach) = (vectors.load(&block.gap), vectors.load(&block.approach));
                let gap = start + ((bdx - adx) * nx + (bdy - ady) * ny);
                let speed = (bx - ax) * nx + (by - ay) * ny;
                let comes = approach.above(fast) & start.above(approach * dt);
                let met = approach.above(fast) & comes.select(gap_of_fast, touch_gap).above(gap);
                collisions += u64::from(met.bits().count_ones());
                let wanted = restitution * approach - speed;
                let change = (met & wanted.above(zero)).select(wanted, zero);
                let one = vectors.load(&block.share) * change;
                let other = change - one;
                let velocities =
                    [[ax - one * nx, ay - one * ny], [bx + other * nx, by + other * ny]];
                let Some(rims) = rims_before else { return velocities };
                let rubs = &mut RubBlock::default();
                let rubbed = rub(vectors, block, rubs, change, roughness, velocities, rims);
                rims_after = Some(rubbed.1);
                rubbed.0
            });
            if let (Some(rims), Some(after)) = (&mut rough, rims_after) {
                vectors.scatter(rims, slots, after);
            }
        }
        collisions
    }
}
