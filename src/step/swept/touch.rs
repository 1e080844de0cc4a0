//! When the paths of two agents touch.

use glam::Vec2;

use super::{
    notes::{NEVER, Notes},
    path::ROUNDING,
};
use crate::{
    agents::{Agents, AgentsMut},
    contacts::{Narrow, Pair},
    simd::{Kernel, SimdLevel},
    step::motion::Motion,
};

/// Paths of some agents, from a slot on: x, y, vx, vy and radius.
#[derive(Clone, Copy)]
pub(super) struct Paths<'a> {
    pub(super) first: usize,
    pub(super) columns: [&'a [f32]; 5],
    /// Seconds per step.
    pub(super) dt: f32,
}

impl<'a> Paths<'a> {
    /// The paths of all agents.
    pub(super) fn new(agents: &'a Agents, motion: &Motion) -> Self {
        let Agents { x, y, vx, vy, radius, .. } = agents;
        Self { first: 0, columns: [x, y, vx, vy, radius], dt: motion.dt }
    }

    /// The paths of the agents in a view.
    #[inline(always)]
    pub(super) fn of(agents: &'a AgentsMut<'_>, motion: &Motion) -> Self {
        let AgentsMut { first, x, y, vx, vy, radius, .. } = agents;
        Self { first: *first, columns: [x, y, vx, vy, radius], dt: motion.dt }
    }
}

/// Pairs that are tested at once.
const LANES: usize = 16;

/// Keeps the pairs that touch on their first paths, and stores the times.
pub(crate) struct FirstTouches<'a> {
    paths: Paths<'a>,
    simd: SimdLevel,
}

impl<'a> FirstTouches<'a> {
    /// The paths of all agents.
    pub(crate) fn new(agents: &'a Agents, motion: &Motion, simd: SimdLevel) -> Self {
        Self { paths: Paths::new(agents, motion), simd }
    }
}

impl Narrow for FirstTouches<'_> {
    fn columns(&self) -> &[&[f32]] {
        &self.paths.columns
    }

    fn keep(&self, pairs: &mut [Pair], times: &mut [f32]) -> usize {
        self.simd.run(KeepTouching { paths: self.paths, pairs, times })
    }
}

/// Moves the pairs that touch on their first paths to the front, and stores the times.
struct KeepTouching<'a> {
    paths: Paths<'a>,
    pairs: &'a mut [Pair],
    times: &'a mut [f32],
}

impl Kernel for KeepTouching<'_> {
    /// Number of pairs that touch.
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { paths: Paths { first, columns, dt }, pairs, times } = self;
        let times = &mut times[..pairs.len()];
        // Columns that are visibly of one length are checked once.
        let count = columns[0].len();
        let [x, y, vx, vy, radius] = columns.map(|column| &column[..count]);
        let mut kept = 0;
        for start in (0..pairs.len()).step_by(LANES) {
            let valid = LANES.min(pairs.len() - start);
            let block: [Pair; LANES] = pairs[start..]
                .first_chunk()
                .copied()
                .unwrap_or_else(|| std::array::from_fn(|lane| pairs[start + lane.min(valid - 1)]));
            let mut apart = [[0.0; LANES]; 2];
            let mut velocity = [[0.0; LANES]; 2];
            let mut reach = [0.0; LANES];
            for (lane, pair) in block.iter().enumerate() {
                let [i, j] = pair.map(|slot| slot as usize - first);
                apart[0][lane] = x[j] - x[i];
                apart[1][lane] = y[j] - y[i];
                velocity[0][lane] = vx[j] - vx[i];
                velocity[1][lane] = vy[j] - vy[i];
                reach[lane] = radius[i] + radius[j];
            }
            let mut found = [(0, 0.0); LANES];
            for (lane, found) in found.iter_mut().enumerate() {
                let apart = Vec2::new(apart[0][lane], apart[1][lane]);
                let velocity = Vec2::new(velocity[0][lane], velocity[1][lane]);
                let (touches, time) = touch(apart, velocity, reach[lane], dt);
                *found = (u32::from(touches), time);
            }
            for (pair, (touches, time)) in block.into_iter().zip(found).take(valid) {
                (pairs[kept], times[kept]) = (pair, time);
                kept += touches as usize;
            }
        }
        kept
    }
}

/// If and when the discs of two agents first touch in a step that begins now, or touched in the
/// last one. The displacement, the relative velocity and the sum of the radii of the two are given.
/// Free of branches, so that it vectorizes.
#[inline(always)]
fn touch(apart: Vec2, velocity: Vec2, reach: f32, dt: f32) -> (bool, f32) {
    let approach = -(apart.x * velocity.x + apart.y * velocity.y);
    let square = apart.x * apart.x + apart.y * apart.y;
    let speed = velocity.x * velocity.x + velocity.y * velocity.y;
    let gap = square - reach * reach;
    // Not a number for paths that never touch, and then the time isn't either.
    let root = (approach * approach - speed * gap).sqrt();
    // The first root, in the form that cancels nothing.
    let approaches = approach > 0.0;
    let numerator = if approaches { gap } else { approach - root };
    let time = numerator / if approaches { root + approach } else { speed };
    let core = (1.0 - ROUNDING) * reach;
    let overlaps = approaches | (square < core * core);
    // Comparing so is false for what is not a number, in a pair at rest.
    let late = if time >= -dt { time } else { 0.0 };
    let is_open = gap > 0.0;
    let touches = if is_open { approaches & (time <= dt) } else { overlaps };
    (touches, if is_open { time } else { late })
}

/// The time at which the paths of a pair touch next. The later of the last collisions of the two is
/// given, [`NEVER`] without one. `nearest` turns a displacement into the displacement between the
/// copies that may touch.
#[inline(always)]
pub(super) fn next_touch(
    paths: Paths<'_>,
    pair: Pair,
    last: f32,
    nearest: impl Fn(Vec2) -> Vec2,
) -> Option<f32> {
    let Paths { first, columns: [x, y, vx, vy, radius], dt } = paths;
    let [i, j] = pair.map(|slot| slot as usize - first);
    let apart = Vec2::new(x[j] - x[i], y[j] - y[i]);
    let velocity = Vec2::new(vx[j] - vx[i], vy[j] - vy[i]);
    let reach = radius[i] + radius[j];
    if last == NEVER {
        let (touches, time) = touch(nearest(apart), velocity, reach, dt);
        return touches.then_some(time);
    }
    touch_after(last, nearest(apart + velocity * last), velocity, reach, dt)
}

/// Moves the pairs that touch on the paths which their agents have now to the front, and stores the
/// times. Returns the number of these pairs. At the start, the search has done so.
pub(super) fn keep_next(
    paths: Paths<'_>,
    pairs: &mut [Pair],
    times: &mut [f32],
    notes: &Notes<'_>,
    is_start: bool,
) -> usize {
    if is_start {
        return pairs.len();
    }
    let mut kept = 0;
    for at in 0..pairs.len() {
        let last = notes.last_of(paths.first, pairs[at]);
        if let Some(time) = next_touch(paths, pairs[at], last, |apart| apart) {
            (pairs[kept], times[kept]) = (pairs[at], time);
            kept += 1;
        }
    }
    kept
}

/// The time at which two agents touch after one of them has collided. The displacement at that time
/// is given.
#[inline(always)]
fn touch_after(last: f32, apart: Vec2, velocity: Vec2, reach: f32, dt: f32) -> Option<f32> {
    let approach = -(apart.x * velocity.x + apart.y * velocity.y);
    if approach <= 0.0 {
        return None;
    }
    let gap = apart.x * apart.x + apart.y * apart.y - reach * reach;
    if gap <= 0.0 {
        return Some(last);
    }
    let speed = velocity.x * velocity.x + velocity.y * velocity.y;
    let discriminant = approach * approach - speed * gap;
    if discriminant < 0.0 {
        return None;
    }
    let time = last + gap / (discriminant.sqrt() + approach);
    (time <= dt).then_some(time)
}
