//! Integration: moves all agents, bounces them off walls and statics, and records which of them the
//! grid has to list as outliers, while their positions are in registers.

use std::ops::Range;

use glam::Vec2;

use super::{
    motion::{Before, Motion, Moved},
    static_contacts,
    swept::LastHits,
    travel::Surroundings,
};
use crate::{
    agents::{Agents, AgentsMut},
    grid::{Grid, OutlierScan},
    parallel,
    simd::{Kernel, SimdLevel},
    solver::coulomb::Roughness,
    statics::Statics,
};

/// Slots per task: whole words of bits.
const PIECE: usize = 8_192;

/// How agents get through a step.
#[derive(Clone, Copy)]
pub(crate) enum Trajectory<'a> {
    /// Straight on along the velocity, from the start of the step.
    Straight,
    /// Straight on from the last hit.
    AfterHits(LastHits<'a>),
    /// As the contact solver has moved the bodies of all agents: velocity, and displacement.
    Solved(&'a [[f32; 4]]),
}

impl Trajectory<'_> {
    /// The time in the step from which on the path of an agent is as it is now.
    fn since(self, slot: usize) -> f32 {
        match self {
            Self::AfterHits(hits) => hits.since(slot),
            Self::Straight | Self::Solved(_) => 0.0,
        }
    }
}

/// Moves all agents along their velocities, on all threads of the pool. They bounce off what is in
/// the way.
pub(crate) fn integrate(
    agents: &mut Agents,
    trajectory: Trajectory<'_>,
    grid: &mut Grid,
    motion: &Motion,
    statics: &Statics,
    simd: SimdLevel,
) -> Moved {
    let scan = grid.outlier_scan(agents.len());
    parallel::pieces(
        (agents.view_mut(), scan),
        PIECE,
        &|_, (agents, scan)| simd.run(Integrate { agents, trajectory, scan, motion, statics }),
        &Moved::merge,
    )
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
    let (trajectory, motion) = (Trajectory::Solved(bodies), without_bounces(motion));
    integrate(agents, trajectory, grid, &motion, statics, simd)
}

/// The motion after the contact solver, which has dealt with restitution: an agent that still hits a static
/// stops.
pub(crate) fn without_bounces(motion: &Motion) -> Motion {
    Motion { restitution: 0.0, roughness: Roughness::default(), ..*motion }
}

/// Moves some agents.
struct Integrate<'a> {
    agents: AgentsMut<'a>,
    trajectory: Trajectory<'a>,
    scan: OutlierScan<'a>,
    motion: &'a Motion,
    statics: &'a Statics,
}

impl Kernel for Integrate<'_> {
    type Output = Moved;

    #[inline(always)]
    fn run(self) -> Moved {
        // A loop of its own for most worlds, in which nothing but smooth walls is in the way.
        let rough = self.motion.roughness.friction > 0.0;
        if rough || matches!(self.trajectory, Trajectory::Solved(_)) || !self.statics.is_empty() {
            let (trajectory, statics) = (self.trajectory, self.statics);
            self.move_words(trajectory, Some(statics))
        } else {
            self.move_words(Trajectory::Straight, None)
        }
    }
}

impl Integrate<'_> {
    /// Moves the agents word by word: in few words an agent touches a wall or leaves its cell.
    #[inline(always)]
    fn move_words(self, trajectory: Trajectory<'_>, statics: Option<&Statics>) -> Moved {
        let Self { mut agents, mut scan, motion, .. } = self;
        let mut moved = Moved::default();
        for word in 0..agents.radius.len().div_ceil(OutlierScan::WORD) {
            move_word(word, &mut agents, trajectory, &mut scan, motion, statics, &mut moved);
        }
        moved
    }
}

/// Moves a word of agents, and records which are outliers then.
#[inline(always)]
pub(super) fn move_word(
    word: usize,
    agents: &mut AgentsMut<'_>,
    trajectory: Trajectory<'_>,
    scan: &mut OutlierScan<'_>,
    motion: &Motion,
    statics: Option<&Statics>,
    moved: &mut Moved,
) {
    let range = word_range(word, agents);
    advance(range.clone(), agents, trajectory, motion, statics, moved);
    let AgentsMut { x, y, radius, .. } = agents;
    let (x, y, radius) = (&x[range.clone()], &y[range.clone()], &radius[range]);
    let centers = || x.iter().zip(y).map(|(&x, &y)| Vec2::new(x, y));
    moved.outliers += scan.record(word, || centers().zip(radius.iter().copied()));
}

/// Moves the agents of a word.
#[inline(always)]
fn advance(
    range: Range<usize>,
    agents: &mut AgentsMut<'_>,
    trajectory: Trajectory<'_>,
    motion: &Motion,
    statics: Option<&Statics>,
    moved: &mut Moved,
) {
    let AgentsMut { first, x, y, vx, vy, radius, spin, .. } = agents;
    let start = range.start;
    let (x, y) = (&mut x[range.clone()], &mut y[range.clone()]);
    let (vx, vy) = (&mut vx[range.clone()], &mut vy[range.clone()]);
    let radius = &radius[range.clone()];
    let spin = spin.get_mut(range.clone()).unwrap_or_default();
    let surroundings = statics
        .filter(|statics| !statics.is_empty() || motion.roughness.friction > 0.0)
        .map(|statics| Surroundings { motion, statics });
    if let Trajectory::Solved(bodies) = trajectory {
        let bodies = &bodies[*first..][range];
        motion.take_over([x, y], [vx, vy], radius, bodies, moved);
    } else {
        let starts = surroundings.map(|around| (around, Before::new([x, y])));
        let mut outside = motion.advance([x, y], [vx, vy], radius, moved);
        if let Some((around, starts)) = starts
            && (outside || around.is_near(&starts, [x, y], radius))
        {
            let since = |entry| trajectory.since(*first + start + entry);
            let impulse = &mut moved.wall_impulse;
            around.travel_all(&starts, [[x, y], [vx, vy]], radius, spin, since, impulse);
            outside = true;
        }
        if outside {
            motion.bounce([x, y], [vx, vy], radius, moved);
        }
    }
    if let Some(around) = surroundings {
        static_contacts::leave([x, y], [vx, vy], radius, spin, around, moved);
    }
}

/// The entries of a word.
#[inline(always)]
fn word_range(word: usize, agents: &AgentsMut<'_>) -> Range<usize> {
    let start = word * OutlierScan::WORD;
    start..agents.radius.len().min(start + OutlierScan::WORD)
}

/// How agents move that no grid has: as [`integrate`] moves them. Their outliers are not counted.
pub(crate) fn moves_of(
    agents: &mut Agents,
    trajectory: Trajectory<'_>,
    motion: &Motion,
    statics: &Statics,
) -> Moved {
    let mut moved = Moved::default();
    let mut agents = agents.view_mut();
    for word in 0..agents.radius.len().div_ceil(OutlierScan::WORD) {
        let range = word_range(word, &agents);
        advance(range, &mut agents, trajectory, motion, Some(statics), &mut moved);
    }
    moved
}
