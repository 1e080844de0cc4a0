//! Blocks of pairs, and the loop that aims them at the start of a substep.
//!
//! A normal is that of the moment in which the paths of the two lead them into contact, or closest
//! to each other. The half plane behind it then has all of a path that passes by.

use super::{
    SimdLevel,
    vectors::{LaneKernel, LaneMask, Numbers, Vectors},
};

/// Pairs per block.
pub(crate) const LANES: usize = super::vectors::LANES;

/// Eight pairs without a common body.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct PairBlock {
    /// Bodies, counted from the first slot of the band.
    pub(crate) i: [u32; LANES],
    pub(crate) j: [u32; LANES],
    /// Unit vector from i to j.
    pub(crate) nx: [f32; LANES],
    pub(crate) ny: [f32; LANES],
    /// Distance from rim to rim along the normal at the start of the substep, world units; negative
    /// if they overlap. Springs see no deeper overlap than [`Depths`] says.
    pub(crate) gap: [f32; LANES],
    /// Share of a change of the relative velocity that i takes; 0 in a lane without a pair.
    pub(crate) share: [f32; LANES],
    /// The sum of the changes in a round.
    pub(crate) impulse: [f32; LANES],
    /// Speed of approach along the normal at the start of the substep, if it is fast; else 0, or minus
    /// the overlap that springs do not see, which is moved apart.
    pub(crate) approach: [f32; LANES],
}

impl PairBlock {
    pub(crate) const EMPTY: Self = Self {
        i: [0; LANES],
        j: [0; LANES],
        nx: [0.0; LANES],
        ny: [0.0; LANES],
        gap: [1.0; LANES],
        share: [0.0; LANES],
        impulse: [0.0; LANES],
        approach: [0.0; LANES],
    };

    /// Fills the lanes from `from` on with the bodies of the first lane.
    pub(crate) fn pad(&mut self, from: usize) {
        for lane in from..LANES {
            self.i[lane] = self.i[0];
            self.j[lane] = self.j[0];
            self.nx[lane] = 0.0;
            self.ny[lane] = 0.0;
            self.gap[lane] = 1.0;
            self.share[lane] = 0.0;
            self.impulse[lane] = 0.0;
            self.approach[lane] = 0.0;
        }
    }
}

/// Aims the pairs of some blocks: sets normals, gaps and speeds of approach from the bodies, which
/// have their centers in the place of displacements, and takes the impulses out of the references,
/// so that the first round adds them.
struct AimBlocks<'a> {
    blocks: &'a mut [PairBlock],
    bodies: &'a [[f32; 4]],
    radius: &'a [f32],
    reference: &'a mut [[f32; 2]],
    depths: Depths,
    /// Seconds per substep.
    dt: f32,
}

/// How deep an overlap is for the springs that push it out, and which part of it is moved apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depths {
    /// The depth that springs see where two do not approach each other, in smaller radii.
    pub(crate) gentle: f32,
    /// What they see beyond that per speed of approach, seconds.
    pub(crate) firm: f32,
    /// The most that they see, in smaller radii.
    pub(crate) deepest: f32,
    /// The most of the rest that counts, in smaller radii.
    pub(crate) hidden: f32,
    /// A faster approach bounces, world units per second.
    pub(crate) fast: f32,
}

impl Depths {
    /// Splits the gap of a body of that radius to something that does not move: what pushing sees, and
    /// the rest of an overlap, which is moved out; it is negative or 0.
    #[inline(always)]
    pub(crate) fn of_fixed(&self, gap: f32, radius: f32, approach: f32) -> [f32; 2] {
        let Self { gentle, firm, deepest, hidden, fast } = *self;
        let seen = (gentle * radius + firm * approach.max(0.0)).min(deepest * radius);
        let rest = if approach > fast { 0.0 } else { (gap + seen).min(0.0).max(-hidden * radius) };
        [gap.max(-seen), rest]
    }
}

impl LaneKernel for AimBlocks<'_> {
    /// True if the bodies of a pair have the same center. It has no normal then.
    type Output = bool;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> bool {
        let Self { blocks, bodies, radius, reference, depths, dt } = self;
        let Depths { gentle, firm, deepest, hidden, fast } = depths;
        let [gentle, firm, deepest, hidden, fast] =
            [gentle, firm, deepest, hidden, fast].map(|number| vectors.splat(number));
        let (zero, one, dt) = (vectors.splat(0.0), vectors.splat(1.0), vectors.splat(dt));
        let mut coincide = zero.above(zero);
        for block in blocks {
            let [a, b] = vectors.read_bodies(bodies, radius, [&block.i, &block.j]);
            let ([avx, avy, ax, ay], ra) = a;
            let ([bvx, bvy, bx, by], rb) = b;
            let real = vectors.load(&block.share).differs(zero);
            let (dx, dy, reach) = (bx - ax, by - ay, ra + rb);
            let (ux, uy) = (bvx - avx, bvy - avy);
            let closing = zero - (dx * ux + dy * uy);
            let open = dx * dx + dy * dy - reach * reach;
            let ahead = open.above(zero) & closing.above(zero);
            let mut time = zero;
            if ahead.bits() != 0 {
                let speed = ux * ux + uy * uy;
                let square = closing * closing - speed * open;
                // The first root, in the form that cancels nothing, or else the nearest point.
                let meets = square.above(zero);
                let root = square.sqrt();
                time = meets.select(open, closing) / meets.select(root + closing, speed);
                time = ahead.select(dt.min(time), zero);
            }
            let (tx, ty) = (dx + ux * time, dy + uy * time);
            let distance = (tx * tx + ty * ty).sqrt();
            let apart = distance.above(zero);
            coincide = coincide | (real & !apart);
            let inverse = one / distance;
            let aimed = real & apart;
            let (nx, ny) = (aimed.select(tx * inverse, zero), aimed.select(ty * inverse, zero));
            let approach = zero - (ux * nx + uy * ny);
            nx.store(&mut block.nx);
            ny.store(&mut block.ny);
            let (gap, radius) = (dx * nx + dy * ny - reach, rb.min(ra));
            let seen = (gentle * radius + firm * approach.max(zero)).min(deepest * radius);
            let rest = (gap + seen).min(zero).max(zero - hidden * radius);
            real.select(gap.max(zero - seen), one).store(&mut block.gap);
            let comes = approach.above(fast);
            real.select(comes.select(approach, rest), zero).store(&mut block.approach);
            if vectors.load(&block.impulse).differs(zero).bits() != 0 {
                take_out(block, reference);
            }
        }
        coincide.bits() != 0
    }
}

/// Takes the impulses of a block out of the references of its bodies.
#[inline(always)]
fn take_out(block: &PairBlock, reference: &mut [[f32; 2]]) {
    let shares: [f32; LANES] = std::array::from_fn(|lane| block.share[lane] * block.impulse[lane]);
    let mut add = |slot: u32, lane: usize, size: f32| {
        let [x, y] = &mut reference[slot as usize];
        (*x, *y) = (*x + size * block.nx[lane], *y + size * block.ny[lane]);
    };
    for (lane, &slot) in block.i.iter().enumerate() {
        add(slot, lane, shares[lane]);
    }
    for (lane, &slot) in block.j.iter().enumerate() {
        add(slot, lane, shares[lane] - block.impulse[lane]);
    }
}

/// Aims the pairs of some blocks at the start of a substep; see [`AimBlocks`].
///
/// # Panics
/// If a block contains a body that is not there.
pub(crate) fn aim(
    blocks: &mut [PairBlock],
    bodies: &[[f32; 4]],
    radius: &[f32],
    reference: &mut [[f32; 2]],
    depths: Depths,
    dt: f32,
    simd: SimdLevel,
) -> bool {
    simd.run_lanes(AimBlocks { blocks, bodies, radius, reference, depths, dt })
}
