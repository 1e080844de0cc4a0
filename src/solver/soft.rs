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
    Kernel,
    pairs::{LANES, PairBlock, SoftPass, Touch, load, store},
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

impl Kernel for Restitute<'_> {
    /// Pairs that met fast.
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Self { blocks, bodies, restitution, touch, mut rough } = self;
        let mut collisions = 0;
        for block in blocks {
            let mut any = false;
            for approach in block.approach {
                any |= approach > touch.fast;
            }
            if !any {
                continue;
            }
            let [mut ax, mut ay, adx, ady] = load(bodies, &block.i);
            let [mut bx, mut by, bdx, bdy] = load(bodies, &block.j);
            let mut changes = [0.0; LANES];
            for lane in 0..LANES {
                let (nx, ny) = (block.nx[lane], block.ny[lane]);
                let gap =
                    block.gap[lane] + ((bdx[lane] - adx[lane]) * nx + (bdy[lane] - ady[lane]) * ny);
                let speed = (bx[lane] - ax[lane]) * nx + (by[lane] - ay[lane]) * ny;
                let largest = touch.largest(block.gap[lane], block.approach[lane]);
                let met = (block.approach[lane] > touch.fast) & (gap < largest);
                let wanted = restitution * block.approach[lane] - speed;
                let change = if met & (wanted > 0.0) { wanted } else { 0.0 };
                changes[lane] = change;
                collisions += u64::from(met);
                let one = block.share[lane] * change;
                let other = change - one;
                ax[lane] -= one * nx;
                ay[lane] -= one * ny;
                bx[lane] += other * nx;
                by[lane] += other * ny;
            }
            store(bodies, &block.i, [ax, ay]);
            store(bodies, &block.j, [bx, by]);
            if let Some((rims, roughness)) = &mut rough {
                rub(block, &mut RubBlock::default(), &changes, *roughness, bodies, rims);
            }
        }
        collisions
    }
}
