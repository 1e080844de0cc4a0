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

/// Slots per task: whole words of bits.
pub(super) const PIECE: usize = 8_192;

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
        let Self { mut agents, mut scan, motion, statics } = self;
        let mut moved = Moved::default();
        // Some at a time: few of them touch a wall or leave their cells.
        for word in 0..agents.radius.len().div_ceil(OutlierScan::WORD) {
            move_word(word, &mut agents, &mut scan, motion, statics, &mut moved);
        }
        moved
    }
}

/// Moves a word of agents.
#[inline(always)]
pub(super) fn move_word(
    word: usize,
    agents: &mut AgentsMut<'_>,
    scan: &mut OutlierScan<'_>,
    motion: &Motion,
    statics: impl StaticContacts,
    moved: &mut Moved,
) {
    let AgentsMut { x, y, vx, vy, radius, .. } = agents;
    let start = word * OutlierScan::WORD;
    let range = start..radius.len().min(start + OutlierScan::WORD);
    let (x, y) = (&mut x[range.clone()], &mut y[range.clone()]);
    let (vx, vy) = (&mut vx[range.clone()], &mut vy[range.clone()]);
    let radius = &radius[range];
    if motion.advance([x, y], [vx, vy], radius, moved) {
        let before = Before::new([vx, vy]);
        moved.strayed |= motion.bounce([x, y], [vx, vy], radius);
        moved.wall_impulse += before.impulse([vx, vy], radius);
    }
    statics.bounce(motion, [x, y], [vx, vy], radius);
    let centers = || x.iter().zip(&*y).map(|(&x, &y)| Vec2::new(x, y));
    moved.outliers += scan.record(word, || centers().zip(radius.iter().copied()));
}

/// The velocities of a word of agents before they bounce off walls.
struct Before([[f32; OutlierScan::WORD]; 2]);

impl Before {
    #[inline(always)]
    fn new(velocities: [&[f32]; 2]) -> Self {
        let mut before = [[0.0; OutlierScan::WORD]; 2];
        for (before, now) in before.iter_mut().zip(velocities) {
            before[..now.len()].copy_from_slice(now);
        }
        Self(before)
    }

    /// The momentum that the walls have taken up, along their normals.
    #[inline(always)]
    fn impulse(&self, velocities: [&[f32]; 2], radius: &[f32]) -> f64 {
        let mut impulse = 0.0;
        for (before, now) in self.0.iter().zip(velocities) {
            for ((before, now), radius) in before.iter().zip(now).zip(radius) {
                if before != now {
                    impulse += f64::from(radius * radius * (now - before).abs());
                }
            }
        }
        impulse
    }
}
