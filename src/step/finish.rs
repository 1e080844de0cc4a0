//! The end of a substep of the contact solver: agents take over velocities and displacements, and
//! what is left of their overlap with walls and statics is removed, while the outliers of the grid
//! are recorded.

use glam::Vec2;

use super::{
    motion::{Motion, Moved},
    static_contacts::StaticContacts,
};
use crate::{
    agents::{Agents, AgentsMut},
    grid::{Grid, OutlierScan},
    parallel,
    simd::{Kernel, SimdLevel},
    solver::ROUNDS,
};

/// Slots per task.
const PIECE: usize = 8_192;

/// Moves all agents as the solver moved its bodies: velocity, and displacement in the substep.
pub(crate) fn finish(
    agents: &mut Agents,
    bodies: &[[f32; 4]],
    grid: &mut Grid,
    motion: &Motion,
    statics: impl StaticContacts,
    simd: SimdLevel,
) -> Moved {
    // Restitution is the solver's: what is left only stops.
    let motion = Motion { restitution: 0.0, ..*motion };
    let scan = grid.outlier_scan(agents.len());
    parallel::pieces(
        (agents.view_mut(), bodies, scan),
        PIECE,
        &|_, (agents, bodies, scan)| {
            simd.run(Finish { agents, bodies, scan, motion: &motion, statics })
        },
        &Moved::merge,
    )
}

/// The end of the substep for some agents.
struct Finish<'a, S> {
    agents: AgentsMut<'a>,
    bodies: &'a [[f32; 4]],
    scan: OutlierScan<'a>,
    motion: &'a Motion,
    statics: S,
}

impl<S: StaticContacts> Kernel for Finish<'_, S> {
    type Output = Moved;

    #[inline(always)]
    fn run(self) -> Moved {
        let Self { agents, bodies, mut scan, motion, statics } = self;
        let AgentsMut { x, y, vx, vy, radius, .. } = agents;
        let Motion { world, radius_min, .. } = *motion;
        // A round moves a share of the substep.
        let limit = radius_min * radius_min * (ROUNDS * ROUNDS) as f32;
        let mut moved = Moved::default();
        for (word, start) in (0..radius.len()).step_by(OutlierScan::WORD).enumerate() {
            let range = start..radius.len().min(start + OutlierScan::WORD);
            let (x, y) = (&mut x[range.clone()], &mut y[range.clone()]);
            let (vx, vy) = (&mut vx[range.clone()], &mut vy[range.clone()]);
            let (radius, bodies) = (&radius[range.clone()], &bodies[range]);
            let (mut farthest_bits, mut tunnelled) = (0, 0_u32);
            let rows = x.iter_mut().zip(&mut *y).zip(vx.iter_mut().zip(&mut *vy));
            for ((((x, y), (vx, vy)), &radius), body) in rows.zip(radius).zip(bodies) {
                let [speed_x, speed_y, dx, dy] = *body;
                (*vx, *vy) = (speed_x, speed_y);
                *x = (*x + dx).min(world.max.x - radius).max(world.min.x + radius);
                *y = (*y + dy).min(world.max.y - radius).max(world.min.y + radius);
                let square = dx * dx + dy * dy;
                farthest_bits = farthest_bits.max(square.to_bits());
                tunnelled += u32::from(square > limit);
            }
            moved.farthest_square = moved.farthest_square.max(f32::from_bits(farthest_bits));
            moved.tunnelled += u64::from(tunnelled);
            statics.bounce(motion, [x, y], [vx, vy], radius);
            let centers = || x.iter().zip(&*y).map(|(&x, &y)| Vec2::new(x, y));
            moved.outliers += scan.record(word, || centers().zip(radius.iter().copied()));
        }
        moved
    }
}
