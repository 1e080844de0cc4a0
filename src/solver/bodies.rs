//! Bodies: the agents as the solver moves them.
//!
//! A disc is enlarged by the distance that it may move in a substep, so that two discs that may
//! touch are found before they do.

use super::{
    bands::SolverBand,
    physics::{MARGIN, MOTION_MAX, Physics},
};
use crate::{
    agents::Agents,
    parallel,
    simd::{Kernel, SimdLevel},
};

/// Slots per task.
const PIECE: usize = 8_192;

/// Enlarges all discs.
pub(super) fn enlarge(agents: &Agents, enlarged: &mut [f32], physics: &Physics, simd: SimdLevel) {
    parallel::pieces(
        enlarged,
        PIECE,
        &|first, enlarged: &mut [f32]| simd.run(Enlarge { agents, first, enlarged, physics }),
        &|(), ()| (),
    );
}

struct Enlarge<'a> {
    agents: &'a Agents,
    first: usize,
    enlarged: &'a mut [f32],
    physics: &'a Physics,
}

impl Kernel for Enlarge<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { agents, first, enlarged, physics } = self;
        let range = first..first + enlarged.len();
        let (vx, vy) = (&agents.vx[range.clone()], &agents.vy[range.clone()]);
        let radius = &agents.radius[range];
        let dt = physics.dt;
        let falls = physics.gravity.abs() * dt * dt;
        for (((enlarged, &vx), &vy), &radius) in enlarged.iter_mut().zip(vx).zip(vy).zip(radius) {
            let motion = (vx * vx + vy * vy).sqrt() * dt + falls;
            let most = MOTION_MAX * radius;
            let motion = if motion < most { motion } else { most };
            *enlarged = radius + (MARGIN * radius + motion);
        }
    }
}

/// Takes out the speed that a pass has given to held bodies: they are pushed as if they were free,
/// so that the forces stay what they were, but do not move.
pub(super) fn hold(band: &SolverBand, bodies: &mut [[f32; 4]], outliers: bool) {
    if outliers | !band.is_asleep() {
        bodies.fill([0.0; 4]);
    }
}

/// Adds gravity, and the impulses of the round before.
pub(super) struct Accelerate<'a> {
    pub(super) bodies: &'a mut [[f32; 4]],
    pub(super) reference: &'a mut [[f32; 2]],
    /// Change of the velocity along y.
    pub(super) change: f32,
}

impl Kernel for Accelerate<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { bodies, reference, change } = self;
        for ([vx, vy, ..], [rx, ry]) in bodies.iter_mut().zip(reference) {
            let impulses = [*vx - *rx, *vy - *ry];
            (*rx, *ry) = (*vx, *vy + change);
            (*vx, *vy) = (*rx + impulses[0], *ry + impulses[1]);
        }
    }
}

/// Moves bodies for a round.
pub(super) struct Move<'a> {
    pub(super) bodies: &'a mut [[f32; 4]],
    pub(super) round: f32,
}

impl Kernel for Move<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for [vx, vy, dx, dy] in self.bodies {
            *dx += *vx * self.round;
            *dy += *vy * self.round;
        }
    }
}

/// The length of the largest of some vectors, squared.
pub(super) struct Largest<I>(pub(super) I);

impl<I: Iterator<Item = [f32; 2]>> Kernel for Largest<I> {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        // Squares are compared as bits: an order that needs no order of operations.
        f32::from_bits(self.0.map(|[x, y]| (x * x + y * y).to_bits()).fold(0, u32::max))
    }
}
