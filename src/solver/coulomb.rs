//! The laws of friction at one contact: Coulomb's law along the tangent, and rolling resistance.
//!
//! With the tangent t, a quarter turn on from the normal, the rims of two discs slide past each other
//! at (vb − va)·t − (wa + wb), where w is the speed of a rim. The inertia of a disc is ½·m·r². So an
//! impulse that changes the velocities of the centers by c changes the speed of the slide by 3·c, and
//! −⅓ of that speed stops it. It is at most the coefficient of friction times the normal impulse.
//!
//! A torque resists the difference of the spins: at most the coefficient of rolling resistance times
//! the normal impulse and the reduced radius ra·rb/(ra + rb), which is the radius at a wall (type A of
//! J. Ai et al., Powder Technol. 206, 269 (2011)).

use crate::simd::pairs::{LANES, PairBlock, load, store};

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

/// Stops what slides and rolls in the pairs of a block, which normal impulses press together.
#[inline(always)]
pub(super) fn rub(
    block: &PairBlock,
    [tangents, rolls]: &mut RubBlock,
    impulses: &[f32; LANES],
    Roughness { friction, rolling }: Roughness,
    bodies: &mut [[f32; 4]],
    rims: &mut [f32],
) {
    let [mut ax, mut ay, ..] = load(bodies, &block.i);
    let [mut bx, mut by, ..] = load(bodies, &block.j);
    let [mut aw, mut bw] = [&block.i, &block.j].map(|slots| slots.map(|slot| rims[slot as usize]));
    for lane in 0..LANES {
        let (tx, ty) = (-block.ny[lane], block.nx[lane]);
        let slide =
            ((bx[lane] - ax[lane]) * tx + (by[lane] - ay[lane]) * ty) - (aw[lane] + bw[lane]);
        let after = within(tangents[lane] - slide * STOP, friction * impulses[lane]);
        let change = after - tangents[lane];
        tangents[lane] = after;
        let one = block.share[lane] * change;
        let other = change - one;
        ax[lane] -= one * tx;
        ay[lane] -= one * ty;
        bx[lane] += other * tx;
        by[lane] += other * ty;
        aw[lane] -= TURN * one;
        bw[lane] -= TURN * other;
    }
    // Where rolling was resisted before, there is an impulse to be taken back.
    if rolling > 0.0 || rolls.iter().any(|&roll| roll != 0.0) {
        for lane in 0..LANES {
            let [one, other] = turns(block.share[lane]);
            let [arm, other_arm] = arms(block.share[lane]);
            let roll = aw[lane] * arm - bw[lane] * other_arm;
            let stop = 1.0 / (one * arm + other * other_arm);
            let after = within(rolls[lane] - roll * stop, rolling * impulses[lane]);
            let change = after - rolls[lane];
            rolls[lane] = after;
            aw[lane] += one * change;
            bw[lane] -= other * change;
        }
    }
    store(bodies, &block.i, [ax, ay]);
    store(bodies, &block.j, [bx, by]);
    for lane in (0..LANES).rev() {
        rims[block.i[lane] as usize] = aw[lane];
        rims[block.j[lane] as usize] = bw[lane];
    }
}

/// The reduced radius as shares of the radii of two bodies, of which the first has the share `share`
/// in a change of their relative velocity: it is the square of the second radius over the sum of both
/// squares.
#[inline(always)]
fn arms(share: f32) -> [f32; 2] {
    let [one, other] = [share.sqrt(), (1.0 - share).sqrt()];
    let arm = one / (one + other);
    [arm, 1.0 - arm]
}

/// The changes of the speeds of two rims for an impulse of 1 against rolling.
#[inline(always)]
pub(super) fn turns(share: f32) -> [f32; 2] {
    let [arm, other_arm] = arms(share);
    [TURN * share * arm, TURN * (1.0 - share) * other_arm]
}

/// A number cut to a size. `clamp` would panic if the size is not a number.
#[inline(always)]
fn within(number: f32, most: f32) -> f32 {
    let number = if number > most { most } else { number };
    if number < -most { -most } else { number }
}
