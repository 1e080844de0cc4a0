//! Integration: moves all agents, bounces them off walls and statics, and records which of them the
//! grid has to list as outliers, while their positions are in registers.

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
};

/// Slots per task.
const PIECE: usize = 8_192;

/// Moves all agents, on all threads of the pool.
pub(crate) fn integrate(
    agents: &mut Agents,
    grid: &mut Grid,
    motion: &Motion,
    statics: impl StaticContacts,
    simd: SimdLevel,
) -> Moved {
    let scan = grid.outlier_scan(agents.len());
    parallel::pieces(
        (agents.view_mut(), scan),
        PIECE,
        &|_, (agents, scan)| simd.run(Piece { agents, scan, motion, statics }),
        &Moved::merge,
    )
}

/// The motion of some agents.
struct Piece<'a, S> {
    agents: AgentsMut<'a>,
    scan: OutlierScan<'a>,
    motion: &'a Motion,
    statics: S,
}

impl<S: StaticContacts> Kernel for Piece<'_, S> {
    type Output = Moved;

    #[inline(always)]
    fn run(self) -> Moved {
        let Self { agents: AgentsMut { x, y, vx, vy, radius, .. }, mut scan, motion, statics } =
            self;
        let mut moved = Moved::default();
        // Some at a time: few of them touch a wall or leave their cells.
        for (word, start) in (0..radius.len()).step_by(OutlierScan::WORD).enumerate() {
            let range = start..radius.len().min(start + OutlierScan::WORD);
            let (x, y) = (&mut x[range.clone()], &mut y[range.clone()]);
            let (vx, vy) = (&mut vx[range.clone()], &mut vy[range.clone()]);
            let radius = &radius[range];
            if motion.advance([x, y], [vx, vy], radius, &mut moved) {
                moved.strayed |= motion.bounce([x, y], [vx, vy], radius);
            }
            statics.bounce(motion, [x, y], [vx, vy], radius);
            let centers = || x.iter().zip(&*y).map(|(&x, &y)| Vec2::new(x, y));
            moved.outliers += scan.record(word, || centers().zip(radius.iter().copied()));
        }
        moved
    }
}
