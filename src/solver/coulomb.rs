//! The laws of friction at one contact: Coulomb's law along the tangent, and rolling resistance.
//!
//! With the tangent t, a quarter turn on from the normal, the rims of two discs slide past each
//! other at (vb − va)·t − (wa + wb), where w is the speed of a rim. The inertia of a disc is
//! ½·m·r². So an impulse that changes the velocities of the centers by c changes the speed of the
//! slide by 3·c,
//! and −⅓ of that speed stops it. It is at most the coefficient of friction times the normal
//! impulse.
//!
//! A torque resists the difference of the spins: at most the coefficient of rolling resistance
//! times the normal impulse and the reduced radius ra·rb/(ra + rb), which is the radius at a wall
//! (type A of J. Ai et al., Powder Technol. 206, 269 (2011)).

use crate::simd::{
    pairs::LANES,
    vectors::{LaneMask, Numbers, Vectors},
};

/// Share of the speed of a slide that an impulse must take to stop it.
const STOP: f32 = 1.0 / 3.0;

/// Change of a rim's speed for a change of the velocity of its center.
pub(crate) const TURN: f32 = 2.0;

/// How much contacts resist motion along them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Roughness {
    /// Coefficient of friction; 0 without friction.
    pub(crate) friction: f32,
    /// Coefficient of rolling resistance.
    pub(crate) rolling: f32,
}

/// The impulses of friction at a contact: along the tangent, and against rolling.
pub(crate) type Rub = [f32; 2];

/// The same at the contacts of a block.
pub(super) type RubBlock = [[f32; LANES]; 2];

/// Stops a body that slides and rolls along a wall or static, which presses it with an impulse.
#[inline(always)]
pub(crate) fn rub_fixed(
    [nx, ny]: [f32; 2],
    [tangent, roll]: &mut Rub,
    impulse: f32,
    Roughness { friction, rolling }: Roughness,
    [vx, vy, ..]: &mut [f32; 4],
    rim: &mut f32,
) {
    let [tx, ty] = [-ny, nx];
    let slide = (*vx * tx + *vy * ty) - *rim;
    let after = within(*tangent - slide * STOP, friction * impulse);
    let change = after - *tangent;
    *tangent = after;
    *vx += change * tx;
    *vy += change * ty;
    *rim -= TURN * change;
    let after = within(*roll - *rim / TURN, rolling * impulse);
    let change = after - *roll;
    *roll = after;
    *rim += TURN * change;
}

/// The velocities of the bodies of a block, and the speeds of their rims.
type RubbedMotion<V> = ([[<V as Vectors>::Numbers; 2]; 2], [<V as Vectors>::Numbers; 2]);

/// The speeds at which the rims of the pairs of a block slide past each other. An impulse along the
/// normals does not change them, so they need not wait for it.
#[inline(always)]
pub(super) fn slides<N: Numbers>(
    [nx, ny]: [N; 2],
    ([[ax, ay], [bx, by]], [aw, bw]): ([[N; 2]; 2], [N; 2]),
) -> N {
    ((by - ay) * nx - (bx - ax) * ny) - (aw + bw)
}

/// Stops what slides and rolls in the pairs of a block, which normal impulses press together:
/// changes the velocities of their bodies and the speeds of their rims.
#[inline(always)]
pub(super) fn rub<V: Vectors>(
    vectors: V,
    [nx, ny]: [V::Numbers; 2],
    share: V::Numbers,
    [tangents, rolls]: &mut RubBlock,
    (slide, impulses): (V::Numbers, V::Numbers),
    Roughness { friction, rolling }: Roughness,
    ([[ax, ay], [bx, by]], [aw, bw]): RubbedMotion<V>,
) -> RubbedMotion<V> {
    let [zero, minus, turn, stop] = [0.0, -1.0, TURN, STOP].map(|number| vectors.splat(number));
    let (tx, ty) = (ny * minus, nx);
    let before = vectors.load(tangents);
    let after = within_all(before - slide * stop, vectors.splat(friction) * impulses, minus);
    after.store(tangents);
    let change = after - before;
    let one = share * change;
    let other = change - one;
    let velocities = [[ax - one * tx, ay - one * ty], [bx + other * tx, by + other * ty]];
    let (mut aw, mut bw) = (aw - turn * one, bw - turn * other);
    // Where rolling was resisted before, there is an impulse to be taken back.
    let before = vectors.load(rolls);
    if rolling > 0.0 || before.differs(zero).bits() != 0 {
        let [arm, other_arm] = arms(vectors, share);
        let [one, other] = turns(vectors, share);
        let roll = aw * arm - bw * other_arm;
        let stop = vectors.splat(1.0) / (one * arm + other * other_arm);
        let after = within_all(before - roll * stop, vectors.splat(rolling) * impulses, minus);
        after.store(rolls);
        let change = after - before;
        (aw, bw) = (aw + one * change, bw - other * change);
    }
    (velocities, [aw, bw])
}

/// The reduced radius as shares of the radii of two bodies, of which the first has the share
/// `share` in a change of their relative velocity: it is the square of the second radius over the
/// sum of both squares.
#[inline(always)]
fn arms<V: Vectors>(vectors: V, share: V::Numbers) -> [V::Numbers; 2] {
    let one = vectors.splat(1.0);
    let (first, second) = (share.sqrt(), (one - share).sqrt());
    let arm = first / (first + second);
    [arm, one - arm]
}

/// The changes of the speeds of two rims for an impulse of 1 against rolling.
#[inline(always)]
pub(super) fn turns<V: Vectors>(vectors: V, share: V::Numbers) -> [V::Numbers; 2] {
    let (turn, one) = (vectors.splat(TURN), vectors.splat(1.0));
    let [arm, other_arm] = arms(vectors, share);
    [turn * share * arm, turn * (one - share) * other_arm]
}

/// Numbers cut to sizes.
#[inline(always)]
fn within_all<N: Numbers>(numbers: N, most: N, minus: N) -> N {
    (most * minus).max(most.min(numbers))
}

/// A number cut to a size. `clamp` would panic if the size is not a number.
#[inline(always)]
fn within(number: f32, most: f32) -> f32 {
    let number = if number > most { most } else { number };
    if number < -most { -most } else { number }
}
