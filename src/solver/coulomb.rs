//! Coulomb's law at one contact: the impulse along the tangent that stops a slide, as far as it may.
//!
//! With the tangent t, a quarter turn on from the normal, the rims of two discs slide past each other
//! at (vb − va)·t − (wa + wb), where w is the speed of a rim. The inertia of a disc is ½·m·r². So an
//! impulse that changes the velocities of the centers by c changes the speed of the slide by 3·c, and
//! −⅓ of that speed stops it. It is at most the coefficient of friction times the normal impulse.

use crate::simd::pairs::{LANES, PairBlock, load, store};

/// Share of the speed of a slide that an impulse must take to stop it.
const STOP: f32 = 1.0 / 3.0;

/// Change of a rim's speed for a change of the velocity of its center.
pub(crate) const TURN: f32 = 2.0;

/// Stops a body that slides along a wall or static, by a tangent of at most the size `most`.
#[inline(always)]
pub(crate) fn rub_fixed(
    [nx, ny]: [f32; 2],
    tangent: &mut f32,
    most: f32,
    [vx, vy, ..]: &mut [f32; 4],
    rim: &mut f32,
) {
    let [tx, ty] = [-ny, nx];
    let slide = (*vx * tx + *vy * ty) - *rim;
    let after = within(*tangent - slide * STOP, most);
    let change = after - *tangent;
    *tangent = after;
    *vx += change * tx;
    *vy += change * ty;
    *rim -= TURN * change;
}

/// Stops what slides in the pairs of a block, by tangents of at most the size `most`.
#[inline(always)]
pub(super) fn rub(
    block: &PairBlock,
    tangents: &mut [f32; LANES],
    most: [f32; LANES],
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
        let after = within(tangents[lane] - slide * STOP, most[lane]);
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
    store(bodies, &block.i, [ax, ay]);
    store(bodies, &block.j, [bx, by]);
    for lane in (0..LANES).rev() {
        rims[block.i[lane] as usize] = aw[lane];
        rims[block.j[lane] as usize] = bw[lane];
    }
}

/// A number cut to a size. `clamp` would panic if the size is not a number.
#[inline(always)]
fn within(number: f32, most: f32) -> f32 {
    let number = if number > most { most } else { number };
    if number < -most { -most } else { number }
}
