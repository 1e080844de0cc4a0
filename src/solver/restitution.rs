//! Restitution: what met fast and touched separates with its share of the speed of its approach.
//!
//! The conditions of all such pairs, walls and statics hold together: impulses only push, and what the
//! push of a neighbor makes unnecessary is taken back. This is a linear complementarity problem, and
//! passes over all contacts solve it (projected Gauss-Seidel). The work that all impulses of a substep do
//! on a pair is their sum times the mean of its speeds before and after, so a solution gains no energy:
//! the speed after is at most that of the approach. Few passes come close to one. Newton's law itself gains
//! energy where one contact turns a body into another, from which it first moved away.
//!
//! The impulses that it gives are kept apart from those that hold contacts up, which the next substep begins
//! with.

use super::{
    ContactSolver,
    bodies::{Largest, hold},
    coulomb::{Roughness, RubBlock, rub, slides},
    fixed,
    physics::{Physics, SETTLED, Touch},
};
use crate::{
    agents::Agents,
    simd::{
        SimdLevel,
        pairs::{LANES, PairBlock},
        vectors::{LaneKernel, LaneMask, Numbers, Vectors},
    },
};

/// Most passes. Discs that meet one other are done after the first.
const PASSES: u32 = 4;

impl ContactSolver {
    /// Gives back the share of the speed. Returns the number of pairs that met fast.
    pub(super) fn restitute(&mut self, agents: &Agents, physics: &Physics, simd: SimdLevel) -> u64 {
        let is_rough = self.arrays.friction.is_on;
        let (restitution, roughness, touch) =
            (physics.restitution, physics.roughness, physics.touch());
        let outliers = self.outliers_solved;
        let mut collisions = 0;
        for pass in 0..PASSES {
            let is_first = pass == 0;
            self.even_then_odd(&|band, view| {
                if is_first {
                    (band.collisions, band.bounces) = (0, !band.is_asleep());
                }
                band.is_moved = false;
                if !band.bounces {
                    return;
                }
                let blocks = &mut view.blocks[..band.solved_count];
                let (bodies, rims) = (view.bodies, view.friction.rims);
                let rough = is_rough.then_some((rims, roughness));
                let bounces = &mut view.bounces[..band.solved_count];
                let pass =
                    Restitute { blocks, bounces, bodies, restitution, touch, is_first, rough };
                let [met, moved] = simd.run_lanes(pass);
                band.is_moved = moved > 0;
                if is_first {
                    band.collisions = met;
                }
            });
            let blocks = &mut self.outliers[..outliers];
            let bodies = &mut self.arrays.bodies;
            let rough = self.arrays.friction.rims_mut().map(|rims| (rims, roughness));
            let bounces = &mut self.outlier_bounces[..outliers];
            let pass = Restitute { blocks, bounces, bodies, restitution, touch, is_first, rough };
            let [met, far_moved] = simd.run_lanes(pass);
            self.each(&|band, mut view| {
                let bodies = &mut view.bodies[..band.slots.len()];
                if band.is_held() {
                    view.friction.hold(bodies.len());
                    hold(band, bodies, outliers > 0);
                } else if band.bounces {
                    let contacts = &mut view.fixed[..band.fixed_count];
                    let (first, rims) = (band.slots.start, view.friction.rims);
                    band.is_moved |=
                        fixed::restitute(contacts, bodies, agents, first, physics, is_first, rims);
                }
            });
            if is_first {
                collisions += met + self.bands.iter().map(|band| band.collisions).sum::<u64>();
            }
            if !self.bounce_again(far_moved > 0) {
                break;
            }
        }
        self.each(&|band, view| {
            if band.is_held() {
                band.keep.farthest_square = 0.0;
                return;
            }
            let ways = view.bodies[..band.slots.len()].iter().map(|&[_, _, dx, dy]| [dx, dy]);
            band.keep.farthest_square = simd.run(Largest(ways));
        });
        collisions
    }

    /// Decides which bands take part in the next pass: those whose bodies have changed in this one,
    /// and their neighbors. Returns true if there are any.
    fn bounce_again(&mut self, far_moved: bool) -> bool {
        let mut before = false;
        let mut any = false;
        for index in 0..self.bands.len() {
            let after = self.bands.get(index + 1).is_some_and(|band| band.is_moved);
            let band = &mut self.bands[index];
            band.bounces = (before | band.is_moved | after | far_moved) & !band.is_asleep();
            before = band.is_moved;
            any |= band.bounces;
        }
        any
    }
}

/// A pass over the pairs of some blocks that met fast and touched.
struct Restitute<'a> {
    blocks: &'a [PairBlock],
    bounces: &'a mut [[f32; LANES]],
    bodies: &'a mut [[f32; 4]],
    restitution: f32,
    touch: Touch,
    is_first: bool,
    /// The speeds of the rims, in runs with friction.
    rough: Option<(&'a mut [f32], Roughness)>,
}

impl LaneKernel for Restitute<'_> {
    /// Pairs that met fast, and how many of these the pass has changed.
    type Output = [u64; 2];

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> [u64; 2] {
        let Self { blocks, bounces, bodies, restitution, touch, is_first, rough } = self;
        let (mut rough, roughness) = rough.unzip();
        let roughness = roughness.unwrap_or_default();
        let Touch { gap, gap_of_fast, fast, dt } = touch;
        let [zero, touch_gap, gap_of_fast, fast, dt, restitution, settled] =
            [0.0, gap, gap_of_fast, fast, dt, restitution, SETTLED]
                .map(|number| vectors.splat(number));
        let mut counts = [0, 0];
        for (block, bounces) in blocks.iter().zip(bounces) {
            if vectors.load(&block.approach).above(fast).bits() == 0 {
                continue;
            }
            let slots = [&block.i, &block.j];
            // Passes after the first correct, and friction bounded by each push would add up.
            let rough = rough.as_deref_mut().filter(|_| is_first);
            let rims_before = rough.as_deref().map(|rims| vectors.gather(rims, slots));
            let mut rims_after = rims_before;
            vectors.update_bodies(bodies, slots, |[[ax, ay, adx, ady], [bx, by, bdx, bdy]]| {
                let (nx, ny) = (vectors.load(&block.nx), vectors.load(&block.ny));
                let (start, approach) = (vectors.load(&block.gap), vectors.load(&block.approach));
                let gap = start + ((bdx - adx) * nx + (bdy - ady) * ny);
                let speed = (bx - ax) * nx + (by - ay) * ny;
                let comes = approach.above(fast) & start.above(approach * dt);
                let met = approach.above(fast) & comes.select(gap_of_fast, touch_gap).above(gap);
                let former = if is_first { zero } else { vectors.load(bounces) };
                let after = (former + (restitution * approach - speed)).max(zero);
                let change = met.select(after - former, zero);
                met.select(after, zero).store(bounces);
                let moved = change.max(zero - change).above(settled * approach);
                for (count, lanes) in counts.iter_mut().zip([met, moved]) {
                    *count += u64::from(lanes.bits().count_ones());
                }
                let share = vectors.load(&block.share);
                let one = share * change;
                let other = change - one;
                let velocities =
                    [[ax - one * nx, ay - one * ny], [bx + other * nx, by + other * ny]];
                let Some(rims) = rims_before else { return velocities };
                let (normal, rubs) = ([nx, ny], &mut RubBlock::default());
                let slide = slides(normal, ([[ax, ay], [bx, by]], rims));
                let (pressed, motion) = ((slide, change), (velocities, rims));
                let rubbed = rub(vectors, normal, share, rubs, pressed, roughness, motion);
                rims_after = Some(rubbed.1);
                rubbed.0
            });
            if let (Some(rims), Some(after)) = (rough, rims_after) {
                vectors.scatter(rims, slots, after);
            }
        }
        counts
    }
}
