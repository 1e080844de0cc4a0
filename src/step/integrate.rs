//! Integration: moves all agents, bounces them off walls and statics, and records which of them the
//! grid has to list as outliers, while their positions are in registers.

use glam::Vec2;

use super::{
    motion::{Motion, Moved},
    static_contacts,
};
use crate::{
    agents::{Agents, AgentsMut},
    grid::{Grid, OutlierScan},
    parallel,
    simd::{Kernel, SimdLevel},
    statics::Statics,
};

/// Slots per task: whole words of bits.
const PIECE: usize = 8_192;

/// Moves all agents along their velocities, on all threads of the pool.
pub(crate) fn integrate(
    agents: &mut Agents,
    grid: &mut Grid,
    motion: &Motion,
    statics: &Statics,
    simd: SimdLevel,
) -> Moved {
    move_all(agents, None, grid, motion, statics, simd)
}

/// Moves all agents as the contact solver moved its bodies: velocity, and displacement in the
/// substep. Removes the overlap with walls and statics that is left.
pub(crate) fn take_over(
    agents: &mut Agents,
    bodies: &[[f32; 4]],
    grid: &mut Grid,
    motion: &Motion,
    statics: &Statics,
    simd: SimdLevel,
) -> Moved {
    // The solver has dealt with restitution: an agent that still hits a static stops.
    let motion = Motion { restitution: 0.0, ..*motion };
    move_all(agents, Some(bodies), grid, &motion, statics, simd)
}

fn move_all(
    agents: &mut Agents,
    bodies: Option<&[[f32; 4]]>,
    grid: &mut Grid,
    motion: &Motion,
    statics: &Statics,
    simd: SimdLevel,
) -> Moved {
    let scan = grid.outlier_scan(agents.len());
    parallel::pieces(
        (agents.view_mut(), scan),
        PIECE,
        &|_, (agents, scan)| simd.run(Integrate { agents, bodies, scan, motion, statics }),
        &Moved::merge,
    )
}

/// Moves some agents.
struct Integrate<'a> {
    agents: AgentsMut<'a>,
    /// The bodies of all agents, if the contact solver has moved them.
    bodies: Option<&'a [[f32; 4]]>,
    scan: OutlierScan<'a>,
    motion: &'a Motion,
    statics: &'a Statics,
}

impl Kernel for Integrate<'_> {
    type Output = Moved;

    #[inline(always)]
    fn run(self) -> Moved {
        // A loop of its own for most worlds, which have neither.
        if self.bodies.is_none() && self.statics.is_empty() {
            self.move_words(None, None)
        } else {
            let (bodies, statics) = (self.bodies, self.statics);
            self.move_words(bodies, Some(statics))
        }
    }
}

impl Integrate<'_> {
    /// Moves the agents word by word: in few words an agent touches a wall or leaves its cell.
    #[inline(always)]
    fn move_words(self, bodies: Option<&[[f32; 4]]>, statics: Option<&Statics>) -> Moved {
        let Self { mut agents, mut scan, motion, .. } = self;
        let mut moved = Moved::default();
        for word in 0..agents.radius.len().div_ceil(OutlierScan::WORD) {
            move_word(word, &mut agents, bodies, &mut scan, motion, statics, &mut moved);
        }
        moved
    }
}

/// Moves a word of agents.
#[inline(always)]
pub(super) fn move_word(
    word: usize,
    agents: &mut AgentsMut<'_>,
    bodies: Option<&[[f32; 4]]>,
    scan: &mut OutlierScan<'_>,
    motion: &Motion,
    statics: Option<&Statics>,
    moved: &mut Moved,
) {
    let AgentsMut { first, x, y, vx, vy, radius, .. } = agents;
    let start = word * OutlierScan::WORD;
    let range = start..radius.len().min(start + OutlierScan::WORD);
    let (x, y) = (&mut x[range.clone()], &mut y[range.clone()]);
    let (vx, vy) = (&mut vx[range.clone()], &mut vy[range.clone()]);
    let radius = &radius[range.clone()];
    if let Some(bodies) = bodies {
        let bodies = &bodies[*first..][range];
        motion.take_over([x, y], [vx, vy], radius, bodies, moved);
    } else if motion.advance([x, y], [vx, vy], radius, moved) {
        let before = Before::new([vx, vy]);
        moved.strayed |= motion.bounce([x, y], [vx, vy], radius);
        moved.wall_impulse += before.impulse([vx, vy], radius);
    }
    if let Some(statics) = statics.filter(|statics| !statics.is_empty()) {
        static_contacts::bounce([x, y], [vx, vy], radius, motion, statics);
    }
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
