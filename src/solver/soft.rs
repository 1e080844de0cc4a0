//! Soft constraints: how the passes of a round change overlaps, and restitution.
//!
//! A pair with a gap may close the gap in a round, and no more. A pair that overlaps is an
//! overdamped spring, solved implicitly; with a higher frequency a pile boils. A second pass
//! without springs removes the speed that the springs gave.
//!
//! The second pass can't take back all speed in a crowd: the speeds of a row add up. So springs push
//! gently, unless the two press on each other. The rest of a deep overlap, which a user made and not
//! the run, is moved apart in place of being pushed, which leaves no speed.

use super::{
    coulomb::{Roughness, RubBlock, rub, slides},
    physics::{Physics, Touch},
};
use crate::simd::{
    SimdLevel,
    pairs::{Depths, LANES, PairBlock},
    vectors::{LaneKernel, LaneMask, Numbers, Vectors},
};

/// Frequency of the springs, as a share of the rounds per second.
const FREQUENCY: f32 = 0.25;

/// Damping ratio of the springs.
const DAMPING: f32 = 10.0;

/// How much faster than two approach each other springs may push them apart.
const FIRMNESS: f32 = 30.0;

/// How often a substep moves apart the overlap beyond springs, in turns for all pairs of a band, and the
/// share of what is left that it moves each time.
const MOVES: u32 = 4;
pub(super) const MOVED: f32 = 0.3;

/// How a pass treats overlaps.
///
/// A pair with a gap may approach by no more than the gap in a round. A pair that overlaps is a
/// spring and damper, solved implicitly: its frequency is a quarter of the rounds' own, above which
/// a pile boils, and it is overdamped.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoftPass {
    /// Rounds per second.
    rate: f32,
    /// The springs of overlaps, if the pass has them.
    spring: Spring,
    /// Which pairs the pass leaves for the next substep, if it is the last one: fast ones that
    /// would not have met by now, and do not touch.
    last: Option<Touch>,
    kind: u8,
}

/// A spring and damper; the default is none.
#[derive(Clone, Copy, Debug, Default)]
struct Spring {
    /// Speed at which an overlap of one world unit is removed, per second.
    bias: f32,
    /// Factor of the change that the pass would make without softness.
    mass: f32,
    /// Share of the impulse that softness takes back.
    impulse: f32,
}

// The kinds of passes.
const PUSH: u8 = 0;
const RELAX: u8 = 1;
const RELAX_LAST: u8 = 2;

/// The springs that push overlapping pairs apart.
fn spring(round: f32) -> Spring {
    let step = std::f32::consts::TAU * FREQUENCY;
    let one = 2.0 * DAMPING + step;
    let two = step * one;
    let three = 1.0 / (1.0 + two);
    Spring { bias: step / one / round, mass: two * three, impulse: three }
}

/// Pushes overlapping pairs apart.
pub(super) fn push(round: f32) -> SoftPass {
    SoftPass { rate: 1.0 / round, spring: spring(round), last: None, kind: PUSH }
}

/// How deep overlaps are for springs: so deep that springs push no faster than the rates of the
/// physics.
pub(super) fn depths(physics: &Physics) -> Depths {
    let Spring { bias, mass, .. } = spring(physics.round());
    depths_at(physics, 1.0 / (bias * mass))
}

/// The same for walls and statics, which push out all of an overlap in a round.
pub(super) fn depths_of_fixed(physics: &Physics) -> Depths {
    depths_at(physics, physics.round())
}

/// Given the depth that is pushed out at a speed of 1.
fn depths_at(physics: &Physics, depth: f32) -> Depths {
    Depths {
        gentle: physics.gentle_rate() * depth,
        firm: FIRMNESS * depth,
        deepest: physics.push_rate() * depth,
        hidden: physics.move_rate() * physics.dt,
        fast: physics.rest_speed,
    }
}

/// Removes the speed that pushing left. The last pass also gives back what brakes pairs that are
/// still to bounce.
pub(super) fn relax(round: f32, last: Option<Touch>) -> SoftPass {
    let kind = if last.is_some() { RELAX_LAST } else { RELAX };
    SoftPass { rate: 1.0 / round, spring: Spring::default(), last, kind }
}

/// The impulses of friction of some blocks, and the speeds of the rims of their bodies.
pub(super) struct Rough<'a> {
    pub(super) rubs: &'a mut [RubBlock],
    pub(super) rims: &'a mut [f32],
    pub(super) roughness: Roughness,
}

/// A pass over some blocks.
struct Solve<'a, const PASS: u8, const ROUGH: bool> {
    blocks: &'a mut [PairBlock],
    bodies: &'a mut [[f32; 4]],
    pass: SoftPass,
    rough: Rough<'a>,
}

impl<const PASS: u8, const ROUGH: bool> LaneKernel for Solve<'_, PASS, ROUGH> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { blocks, bodies, pass, rough: Rough { rubs, rims, roughness } } = self;
        let mut rubs = rubs.iter_mut();
        let (zero, one) = (vectors.splat(0.0), vectors.splat(1.0));
        let Spring { bias, mass, impulse } = pass.spring;
        let [rate, bias, mass, impulse] =
            [pass.rate, bias, mass, impulse].map(|value| vectors.splat(value));
        let last = pass.last.map(|Touch { gap_of_fast, fast, dt, .. }| {
            [gap_of_fast, fast, dt].map(|value| vectors.splat(value))
        });
        for block in blocks {
            let slots = [&block.i, &block.j];
            let before = if ROUGH { vectors.gather(rims, slots) } else { [zero; 2] };
            let mut turned = before;
            vectors.update_bodies(bodies, slots, |[[ax, ay, adx, ady], [bx, by, bdx, bdy]]| {
                let (nx, ny) = (vectors.load(&block.nx), vectors.load(&block.ny));
                let start = vectors.load(&block.gap);
                let gap = start + ((bdx - adx) * nx + (bdy - ady) * ny);
                let speed = (bx - ax) * nx + (by - ay) * ny;
                let open = gap.above(zero);
                let former = vectors.load(&block.impulse);
                let after = if PASS == PUSH {
                    // Both products, of which one is selected: the comparison takes as long.
                    let bias = open.select(gap * rate, gap * bias);
                    let mass = open.select(one, mass);
                    let soft = open.select(zero, impulse);
                    former - mass * (speed + bias) - soft * former
                } else {
                    former - (speed + open.select(gap * rate, zero))
                };
                let mut after = after.max(zero);
                if PASS == RELAX_LAST
                    && let Some([largest, fast, dt]) = last
                {
                    let approach = vectors.load(&block.approach);
                    let comes = approach.above(fast) & start.above(approach * dt);
                    after = (comes & gap.above(largest)).select(zero, after);
                }
                after.store(&mut block.impulse);
                let change = after - former;
                let share = vectors.load(&block.share);
                let first = share * change;
                let other = change - first;
                let velocities =
                    [[ax - first * nx, ay - first * ny], [bx + other * nx, by + other * ny]];
                if ROUGH && let Some(rubs) = rubs.next() {
                    let normal = [nx, ny];
                    let slide = slides(normal, ([[ax, ay], [bx, by]], before));
                    let (pressed, motion) = ((slide, after), (velocities, before));
                    let rubbed = rub(vectors, normal, share, rubs, pressed, roughness, motion);
                    turned = rubbed.1;
                    return rubbed.0;
                }
                velocities
            });
            if ROUGH {
                vectors.scatter(rims, slots, turned);
            }
        }
    }
}

/// Runs a pass over some blocks.
///
/// # Panics
/// If a block contains a body that is not there.
pub(super) fn solve(
    blocks: &mut [PairBlock],
    bodies: &mut [[f32; 4]],
    pass: SoftPass,
    rough: Option<Rough<'_>>,
    simd: SimdLevel,
) {
    let is_rough = rough.is_some();
    let smooth = Rough { rubs: &mut [], rims: &mut [], roughness: Roughness::default() };
    let rough = rough.unwrap_or(smooth);
    match (pass.kind, is_rough) {
        (RELAX, false) => simd.run_lanes(Solve::<RELAX, false> { blocks, bodies, pass, rough }),
        (RELAX, true) => simd.run_lanes(Solve::<RELAX, true> { blocks, bodies, pass, rough }),
        (RELAX_LAST, false) => {
            simd.run_lanes(Solve::<RELAX_LAST, false> { blocks, bodies, pass, rough });
        }
        (RELAX_LAST, true) => {
            simd.run_lanes(Solve::<RELAX_LAST, true> { blocks, bodies, pass, rough });
        }
        // What slides is stopped in the passes that relax.
        _ => simd.run_lanes(Solve::<PUSH, false> { blocks, bodies, pass, rough }),
    }
}

/// Moves apart what springs do not see of overlaps; velocities stay.
pub(super) fn move_apart(blocks: &[PairBlock], bodies: &mut [[f32; 4]]) {
    for block in (0..MOVES).flat_map(|_| blocks) {
        if !block.approach.iter().fold(false, |is_deep, &approach| is_deep | (approach < 0.0)) {
            continue;
        }
        for lane in 0..LANES {
            let [i, j] = [block.i[lane], block.j[lane]].map(|slot| slot as usize);
            let ([_, _, ax, ay], [_, _, bx, by]) = (bodies[i], bodies[j]);
            let (nx, ny) = (block.nx[lane], block.ny[lane]);
            let left = -block.approach[lane] - ((bx - ax) * nx + (by - ay) * ny);
            if block.approach[lane] < 0.0 && left > 0.0 {
                let one = block.share[lane] * left * MOVED;
                let other = left * MOVED - one;
                (bodies[i][2], bodies[i][3]) = (ax - one * nx, ay - one * ny);
                (bodies[j][2], bodies[j][3]) = (bx + other * nx, by + other * ny);
            }
        }
    }
}

/// Restitution: pairs that met fast and touched get their share of the approach speed back.
pub(super) struct Restitute<'a> {
    pub(super) blocks: &'a mut [PairBlock],
    pub(super) bodies: &'a mut [[f32; 4]],
    /// The centers of the bodies at the start of the substep, x and y.
    pub(super) centers: [&'a [f32]; 2],
    pub(super) restitution: f32,
    pub(super) touch: Touch,
    /// In runs with friction.
    pub(super) rough: Option<Rough<'a>>,
}

impl LaneKernel for Restitute<'_> {
    /// Pairs that met fast.
    type Output = u64;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> u64 {
        let Self { blocks, bodies, centers, restitution, touch, mut rough } = self;
        let Touch { gap, gap_of_fast, fast, dt } = touch;
        let [zero, touch_gap, gap_of_fast, fast, dt, restitution] =
            [0.0, gap, gap_of_fast, fast, dt, restitution].map(|number| vectors.splat(number));
        let mut collisions = 0;
        for (index, block) in blocks.iter_mut().enumerate() {
            if vectors.load(&block.approach).above(fast).bits() == 0 {
                continue;
            }
            let slots = [&block.i, &block.j];
            let before = rough.as_ref().map(|Rough { rims, .. }| {
                let centers = centers.map(|column| vectors.gather(column, slots));
                (vectors.gather(rims, slots), centers)
            });
            let mut rims_after = None;
            vectors.update_bodies(bodies, slots, |[[ax, ay, adx, ady], [bx, by, bdx, bdy]]| {
                let (nx, ny) = (vectors.load(&block.nx), vectors.load(&block.ny));
                let (start, approach) = (vectors.load(&block.gap), vectors.load(&block.approach));
                let (dx, dy) = (bdx - adx, bdy - ady);
                let gap = start + (dx * nx + dy * ny);
                let comes = approach.above(fast) & start.above(approach * dt);
                let met = approach.above(fast) & comes.select(gap_of_fast, touch_gap).above(gap);
                collisions += u64::from(met.bits().count_ones());
                let [nx, ny] = before.map_or([nx, ny], |(_, [[xa, xb], [ya, yb]])| {
                    unit([(xb - xa) + dx, (yb - ya) + dy], [nx, ny], zero)
                });
                let speed = (bx - ax) * nx + (by - ay) * ny;
                let wanted = restitution * approach - speed;
                let bounces = met & wanted.above(zero);
                let change = bounces.select(wanted, zero);
                let share = vectors.load(&block.share);
                let one = share * change;
                let other = change - one;
                let velocities =
                    [[ax - one * nx, ay - one * ny], [bx + other * nx, by + other * ny]];
                let (Some((rims, _)), Some(Rough { rubs, roughness, .. })) = (before, &mut rough)
                else {
                    return velocities;
                };
                // What bounces parts: the next substep must not begin with its friction.
                for impulses in &mut rubs[index] {
                    bounces.select(zero, vectors.load(impulses)).store(impulses);
                }
                let (normal, rubs) = ([nx, ny], &mut RubBlock::default());
                let slide = slides(normal, ([[ax, ay], [bx, by]], rims));
                let (pressed, motion) = ((slide, change), (velocities, rims));
                let rubbed = rub(vectors, normal, share, rubs, pressed, *roughness, motion);
                rims_after = Some(rubbed.1);
                rubbed.0
            });
            if let (Some(Rough { rims, .. }), Some(after)) = (&mut rough, rims_after) {
                vectors.scatter(rims, slots, after);
            }
        }
        collisions
    }
}

/// Vectors of length 1, or the other ones where a length is 0.
#[inline(always)]
fn unit<N: Numbers>([x, y]: [N; 2], [other_x, other_y]: [N; 2], zero: N) -> [N; 2] {
    let length = (x * x + y * y).sqrt();
    let is_long = length.above(zero);
    [is_long.select(x / length, other_x), is_long.select(y / length, other_y)]
}
