//! The discs around paths: computed at the start of a step, or at the end of the one before, while
//! agents are in registers.

use glam::Vec2;

use super::notes::LastHits;
use crate::{
    agents::{Agents, AgentsMut},
    geometry::{DiscColumns, Rect},
    grid::OutlierScan,
    parallel::Split,
    simd::Kernel,
    statics::Statics,
    step::{
        integrate::{self, Trajectory},
        motion::{Motion, Moved},
    },
};

/// Factor by which half of a path is enlarged before a disc covers it, because its length is
/// rounded. The places of the ends are rounded, too, so that a touch as short as the rounding may
/// be found a step late.
const ROUNDED: f32 = 1.000_01;

/// Counts of some paths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Covered {
    /// Number of outliers among the discs.
    pub(crate) outliers: usize,
    /// Number of paths that are longer than their discs.
    pub(crate) long: u64,
}

impl Covered {
    /// The counts of two groups of agents together.
    pub(super) fn merge(self, other: Self) -> Self {
        Self { outliers: self.outliers + other.outliers, long: self.long + other.long }
    }
}

/// Parameters of the discs around paths.
#[derive(Clone, Copy)]
pub(super) struct Covers<'a> {
    pub(super) motion: &'a Motion,
    /// The longest half of a path that a disc covers, world units.
    pub(super) half_max: f32,
}

/// The discs around some paths, to be written.
pub(super) struct CoverColumns<'a> {
    pub(super) x: &'a mut [f32],
    pub(super) y: &'a mut [f32],
    pub(super) radius: &'a mut [f32],
    /// One bit per agent: its path may reach a wall, or is longer than its disc shows.
    pub(super) alone: &'a mut [u64],
    pub(super) scan: OutlierScan<'a>,
}

impl Split for CoverColumns<'_> {
    fn len(&self) -> usize {
        self.x.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let Self { x, y, radius, alone, scan } = self;
        let ((x, y, radius), above) = (x, y, radius).split_at(at);
        let (alone, alone2) = alone.split_at_mut(at / OutlierScan::WORD);
        let (scan, scan2) = scan.split_at(at);
        let lower = Self { x, y, radius, alone, scan };
        let (x, y, radius) = above;
        (lower, Self { x, y, radius, alone: alone2, scan: scan2 })
    }
}

/// Adds gravity to the velocities of some agents and covers their paths.
pub(super) struct Cover<'a> {
    pub(super) agents: AgentsMut<'a>,
    pub(super) to: CoverColumns<'a>,
    pub(super) covers: Covers<'a>,
}

impl Kernel for Cover<'_> {
    type Output = Covered;

    #[inline(always)]
    fn run(self) -> Covered {
        let Self { mut agents, mut to, covers } = self;
        let Motion { dt, gravity, .. } = *covers.motion;
        let (fall, walls) = (gravity * dt, walls(covers.motion));
        let mut covered = Covered::default();
        for word in 0..agents.radius.len().div_ceil(OutlierScan::WORD) {
            cover_word(word, &mut agents, &mut to, covers, (fall, &walls), &mut covered);
        }
        covered
    }
}

/// Moves some agents as [`integrate`] does, and covers the paths that begin where they end, in a
/// world without gravity.
pub(super) struct Advance<'a> {
    pub(super) agents: AgentsMut<'a>,
    pub(super) hits: LastHits<'a>,
    /// For where the agents are now.
    pub(super) scan: OutlierScan<'a>,
    pub(super) to: CoverColumns<'a>,
    pub(super) covers: Covers<'a>,
    pub(super) statics: &'a Statics,
}

impl Kernel for Advance<'_> {
    type Output = (Moved, Covered);

    #[inline(always)]
    fn run(self) -> (Moved, Covered) {
        let Self { mut agents, hits, mut scan, mut to, covers, statics } = self;
        let (walls, statics) = (walls(covers.motion), Some(statics));
        let trajectory = Trajectory::AfterHits(hits);
        let (mut moved, mut covered) = (Moved::default(), Covered::default());
        for word in 0..agents.radius.len().div_ceil(OutlierScan::WORD) {
            let motion = covers.motion;
            integrate::move_word(
                word,
                &mut agents,
                trajectory,
                &mut scan,
                motion,
                statics,
                &mut moved,
            );
            cover_word(word, &mut agents, &mut to, covers, (0.0, &walls), &mut covered);
        }
        (moved, covered)
    }
}

/// Covers the paths of a word of agents.
#[inline(always)]
fn cover_word(
    word: usize,
    agents: &mut AgentsMut<'_>,
    to: &mut CoverColumns<'_>,
    Covers { motion: &Motion { dt, .. }, half_max }: Covers<'_>,
    (fall, walls): (f32, &Rect),
    covered: &mut Covered,
) {
    let AgentsMut { x: x0, y: y0, vx, vy, radius: own, .. } = agents;
    let start = word * OutlierScan::WORD;
    let range = start..own.len().min(start + OutlierScan::WORD);
    let (x, y) = (&mut to.x[range.clone()], &mut to.y[range.clone()]);
    let (radius, own) = (&mut to.radius[range.clone()], &own[range.clone()]);
    let (x0, y0) = (&x0[range.clone()], &y0[range.clone()]);
    let (vx, vy) = (&vx[range.clone()], &mut vy[range]);
    let mut any = false;
    let from = x0.iter().zip(y0).zip(vx.iter().zip(&mut *vy)).zip(own);
    let rows = x.iter_mut().zip(&mut *y).zip(&mut *radius).zip(from);
    for (((x, y), radius), (((&x0, &y0), (&vx, vy)), &own)) in rows {
        *vy -= fall;
        // Hardly any path is long: only where one is, or reaches a wall, are there divisions.
        let Half { dx, dy, length } = Half::new([vx, *vy], dt);
        [*x, *y, *radius] = [x0 + dx, y0 + dy, own + length];
        any |= (length > half_max) | beyond([x0 + dx + dx, y0 + dy + dy], own, walls);
    }
    let (mut bits, mut long) = (0, 0_u32);
    if any {
        let paths = x0.iter().zip(y0).zip(vx.iter().zip(&*vy)).zip(own);
        let rows = x.iter_mut().zip(&mut *y).zip(&mut *radius).zip(paths).enumerate();
        for (bit, (((x, y), radius), (((&x0, &y0), (&vx, &vy)), &own))) in rows {
            let (disc, is_long, end) = around([x0, y0, vx, vy, own], dt, half_max);
            [*x, *y, *radius] = disc;
            long += u32::from(is_long);
            bits |= u64::from(is_long | beyond(end, own, walls)) << bit;
        }
    }
    to.alone[word] = bits;
    covered.long += u64::from(long);
    let centers = || x.iter().zip(&*y).map(|(&x, &y)| Vec2::new(x, y));
    covered.outliers += to.scan.record(word, || centers().zip(radius.iter().copied()));
}

/// Half of a path.
struct Half {
    dx: f32,
    dy: f32,
    /// A bit more than its length.
    length: f32,
}

impl Half {
    #[inline(always)]
    fn new([vx, vy]: [f32; 2], dt: f32) -> Self {
        let (dx, dy) = (0.5 * vx * dt, 0.5 * vy * dt);
        Self { dx, dy, length: (dx * dx + dy * dy).sqrt() * ROUNDED }
    }
}

/// The disc around the path of an agent, true if the path is longer, and its end.
#[inline(always)]
fn around([x, y, vx, vy, radius]: [f32; 5], dt: f32, half_max: f32) -> ([f32; 3], bool, [f32; 2]) {
    let Half { dx, dy, length } = Half::new([vx, vy], dt);
    let is_long = length > half_max;
    let share = if is_long { half_max / length } else { 1.0 };
    let disc = [x + dx * share, y + dy * share, radius + if is_long { half_max } else { length }];
    (disc, is_long, [x + dx + dx, y + dy + dy])
}

/// True if a path with that velocity is longer than its disc.
pub(super) fn is_long(velocity: [f32; 2], dt: f32, half_max: f32) -> bool {
    Half::new(velocity, dt).length > half_max
}

/// True if these are the discs around the paths that the agents have now.
pub(super) fn are_current(
    discs: DiscColumns<'_>,
    agents: &Agents,
    Covers { motion, half_max }: Covers<'_>,
) -> bool {
    let Agents { x, y, vx, vy, radius, .. } = agents;
    motion.gravity == 0.0
        && discs.x.len() == agents.len()
        && (0..agents.len()).all(|slot| {
            let path = [x[slot], y[slot], vx[slot], vy[slot], radius[slot]];
            let (disc, ..) = around(path, motion.dt, half_max);
            disc == [discs.x[slot], discs.y[slot], discs.radius[slot]]
        })
}

/// The walls; infinitely far where there are none.
fn walls(motion: &Motion) -> Rect {
    let Motion { world, space, .. } = motion;
    let far = space.repeats().map(|repeats| if repeats { f32::INFINITY } else { 0.0 });
    Rect::new(world.min - Vec2::from(far), world.max + Vec2::from(far))
}

/// True if a disc reaches out of the walls.
#[inline(always)]
fn beyond([x, y]: [f32; 2], radius: f32, walls: &Rect) -> bool {
    (x < walls.min.x + radius)
        | (x > walls.max.x - radius)
        | (y < walls.min.y + radius)
        | (y > walls.max.y - radius)
}
