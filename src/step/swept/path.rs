//! Paths: the discs that cover them, when two of them touch, and what happens then.

use std::ops::Range;

use glam::Vec2;

use crate::{
    agents::{Agents, AgentsMut},
    contacts::{Exchange, Pair},
    geometry::Rect,
    grid::OutlierScan,
    parallel::Split,
    simd::{Kernel, prefetch_item},
    step::{contact::Contact, motion::Motion},
};

/// The `since` of an agent that has not collided in this step.
pub(super) const NEVER: f32 = -1.0;

/// An overlap, as a share of the sum of the radii, above which it is no rounding.
const ROUNDING: f32 = 1e-3;

/// By what the half of a path is enlarged that is rounded when a disc covers it. The places of the
/// ends are rounded, too, so that a touch may be found a step late that is no longer than that.
const ROUNDED: f32 = 1.000_01;

/// Share of a step within which an agent collides again without a loss: with losses, agents that
/// are wedged between others would collide without end.
const COLLAPSE: f32 = 1e-3;

/// Those of some slots, from the first of a word on, that have their bits set.
pub(super) fn set_bits(words: &[u64], slots: Range<usize>) -> impl Iterator<Item = usize> {
    let first = slots.start / OutlierScan::WORD;
    let words = &words[first..slots.end.div_ceil(OutlierScan::WORD)];
    (first..).zip(words).filter(|(_, word)| **word != 0).flat_map(|(index, &word)| {
        let bits = (0..OutlierScan::WORD).filter(move |bit| word >> bit & 1 != 0);
        bits.map(move |bit| index * OutlierScan::WORD + bit)
    })
}

/// What [`Cover`] found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Covered {
    /// Number of outliers among the discs.
    pub(crate) outliers: usize,
    /// Number of paths that are longer than their discs.
    pub(crate) long: u64,
}

impl Covered {
    /// What was found of two groups of agents together.
    pub(super) fn merge(self, other: Self) -> Self {
        Self { outliers: self.outliers + other.outliers, long: self.long + other.long }
    }
}

/// Covers some paths by discs.
pub(super) struct Cover<'a> {
    pub(super) agents: AgentsMut<'a>,
    pub(super) x: &'a mut [f32],
    pub(super) y: &'a mut [f32],
    pub(super) radius: &'a mut [f32],
    pub(super) alone: BitWords<'a>,
    pub(super) scan: OutlierScan<'a>,
    pub(super) motion: &'a Motion,
    /// The longest half of a path that a disc covers, world units.
    pub(super) half_max: f32,
}

/// One bit per slot, to be split with the columns.
pub(super) struct BitWords<'a>(pub(super) &'a mut [u64]);

impl Split for BitWords<'_> {
    fn len(&self) -> usize {
        self.0.len() * OutlierScan::WORD
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (lower, upper) = self.0.split_at_mut(at / OutlierScan::WORD);
        (BitWords(lower), BitWords(upper))
    }
}

impl Kernel for Cover<'_> {
    type Output = Covered;

    #[inline(always)]
    fn run(self) -> Covered {
        let Self { agents, x, y, radius, alone, mut scan, motion, half_max } = self;
        let AgentsMut { x: x0, y: y0, vx, vy, radius: own, .. } = agents;
        let Motion { dt, gravity, .. } = *motion;
        let (fall, walls) = (gravity * dt, walls(motion));
        let mut covered = Covered::default();
        for (word, start) in (0..own.len()).step_by(OutlierScan::WORD).enumerate() {
            let range = start..own.len().min(start + OutlierScan::WORD);
            let (x, y) = (&mut x[range.clone()], &mut y[range.clone()]);
            let (radius, own) = (&mut radius[range.clone()], &own[range.clone()]);
            let (x0, y0) = (&x0[range.clone()], &y0[range.clone()]);
            let (vx, vy) = (&vx[range.clone()], &mut vy[range]);
            let (mut any, mut long) = (false, 0_u32);
            let from = x0.iter().zip(y0).zip(vx.iter().zip(&mut *vy)).zip(own);
            let rows = x.iter_mut().zip(&mut *y).zip(&mut *radius).zip(from);
            for (((x, y), radius), (((&x0, &y0), (&vx, vy)), &own)) in rows {
                *vy -= fall;
                let (dx, dy) = (0.5 * vx * dt, 0.5 * *vy * dt);
                let half = (dx * dx + dy * dy).sqrt();
                let covered = half * ROUNDED;
                let is_long = covered > half_max;
                let share = if is_long { half_max / covered } else { 1.0 };
                *x = x0 + dx * share;
                *y = y0 + dy * share;
                *radius = own + if is_long { half_max } else { covered };
                long += u32::from(is_long);
                any |= is_long | beyond(x0 + dx + dx, y0 + dy + dy, own, &walls);
            }
            let mut bits = 0;
            if any {
                let paths = x0.iter().zip(y0).zip(vx.iter().zip(&*vy)).zip(own);
                for (bit, (((&x0, &y0), (&vx, &vy)), &own)) in paths.enumerate() {
                    let (dx, dy) = (0.5 * vx * dt, 0.5 * vy * dt);
                    let is_long = (dx * dx + dy * dy).sqrt() * ROUNDED > half_max;
                    let leaves = beyond(x0 + dx + dx, y0 + dy + dy, own, &walls);
                    bits |= u64::from(is_long | leaves) << bit;
                }
            }
            alone.0[word] = bits;
            covered.long += u64::from(long);
            let centers = || x.iter().zip(&*y).map(|(&x, &y)| Vec2::new(x, y));
            covered.outliers += scan.record(word, || centers().zip(radius.iter().copied()));
        }
        covered
    }
}

/// The walls; infinitely far where there are none.
fn walls(motion: &Motion) -> Rect {
    let Motion { world, space, .. } = motion;
    let far = space.repeats().map(|repeats| if repeats { f32::INFINITY } else { 0.0 });
    Rect::new(world.min - Vec2::from(far), world.max + Vec2::from(far))
}

/// True if a disc reaches out of the walls.
#[inline(always)]
fn beyond(x: f32, y: f32, radius: f32, walls: &Rect) -> bool {
    (x < walls.min.x + radius)
        | (x > walls.max.x - radius)
        | (y < walls.min.y + radius)
        | (y > walls.max.y - radius)
}

/// How many pairs ahead of the one at hand agents are prefetched.
const AHEAD: usize = 16;

/// Prefetches what is soon read of the agents of a pair, from columns that begin with a slot.
#[inline(always)]
pub(super) fn prefetch<const N: usize>(
    columns: [&[f32]; N],
    first: usize,
    pairs: &[Pair],
    at: usize,
) {
    if let Some(pair) = pairs.get(at + AHEAD) {
        for column in columns {
            for slot in pair {
                prefetch_item(column, *slot as usize - first);
            }
        }
    }
}

/// False if the paths of a pair do not touch in a step that begins now, nor touched in the last one.
/// Free of branches, which nothing could predict. For pairs that are not across a seam.
#[inline(always)]
pub(super) fn may_touch(agents: &Agents, pair: Pair, motion: &Motion) -> bool {
    let [i, j] = pair.map(|slot| slot as usize);
    let Agents { x, y, vx, vy, radius, .. } = agents;
    let apart = Vec2::new(x[j] - x[i], y[j] - y[i]);
    let velocity = Vec2::new(vx[j] - vx[i], vy[j] - vy[i]);
    let reach = radius[i] + radius[j];
    let core = (1.0 - ROUNDING) * reach;
    let approach = -(apart.x * velocity.x + apart.y * velocity.y);
    let square = apart.x * apart.x + apart.y * apart.y;
    let speed = velocity.x * velocity.x + velocity.y * velocity.y;
    let (gap, dt) = (square - reach * reach, motion.dt);
    // The paths come nearest to each other within the step, or the discs overlap at its end.
    let (nears, ends) = (approach <= speed * dt, gap + dt * (speed * dt - 2.0 * approach) <= 0.0);
    let meets = (approach * approach >= speed * gap) & (nears | ends);
    (square < core * core) | (approach > 0.0) & ((gap <= 0.0) | meets)
}

/// The time at which the paths of a pair touch next. The later of the last collisions of the two is
/// given, [`NEVER`] without one, and what leads to the copy that may touch.
#[inline(always)]
pub(super) fn next_touch(
    agents: &Agents,
    pair: Pair,
    last: f32,
    motion: &Motion,
    nearest: impl Fn(Vec2) -> Vec2,
) -> Option<f32> {
    let pair = pair.map(|slot| slot as usize);
    let Agents { x, y, vx, vy, radius, .. } = agents;
    if last == NEVER {
        return touch_in([x, y, vx, vy, radius], pair, motion.dt, nearest);
    }
    next_touch_in([x, y, vx, vy, radius], pair, last, motion.dt, nearest)
}

/// The time at which the paths of two entries of columns first touch in a step that begins now, or
/// touched in the last one.
#[inline(always)]
fn touch_in(
    [x, y, vx, vy, radius]: [&[f32]; 5],
    [i, j]: [usize; 2],
    dt: f32,
    nearest: impl Fn(Vec2) -> Vec2,
) -> Option<f32> {
    let apart = nearest(Vec2::new(x[j] - x[i], y[j] - y[i]));
    let velocity = Vec2::new(vx[j] - vx[i], vy[j] - vy[i]);
    let approach = -(apart.x * velocity.x + apart.y * velocity.y);
    let reach = radius[i] + radius[j];
    let square = apart.x * apart.x + apart.y * apart.y;
    let gap = square - reach * reach;
    let speed = velocity.x * velocity.x + velocity.y * velocity.y;
    let discriminant = approach * approach - speed * gap;
    if gap > 0.0 {
        if (approach <= 0.0) | (discriminant < 0.0) {
            return None;
        }
        // The first root, in the form that cancels nothing.
        let time = gap / (discriminant.sqrt() + approach);
        return (time <= dt).then_some(time);
    }
    let core = (1.0 - ROUNDING) * reach;
    let is_deep = square < core * core;
    if (approach <= 0.0) & !is_deep {
        return None;
    }
    let root = discriminant.sqrt();
    let time = if approach > 0.0 { gap / (root + approach) } else { (approach - root) / speed };
    // Comparing so is false for what is not a number, in a pair at rest.
    Some(if time >= -dt { time } else { 0.0 })
}

/// The time at which two entries of columns touch after one of them has collided.
#[inline(always)]
fn next_touch_in(
    [x, y, vx, vy, radius]: [&[f32]; 5],
    [i, j]: [usize; 2],
    last: f32,
    dt: f32,
    nearest: impl Fn(Vec2) -> Vec2,
) -> Option<f32> {
    let velocity = Vec2::new(vx[j] - vx[i], vy[j] - vy[i]);
    let apart = Vec2::new(x[j] - x[i], y[j] - y[i]) + velocity * last;
    let apart = nearest(apart);
    let approach = -(apart.x * velocity.x + apart.y * velocity.y);
    if approach <= 0.0 {
        return None;
    }
    let reach = radius[i] + radius[j];
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

/// Lets a pair collide at a time of the step, if the two approach each other; separates them if they
/// overlap by more than rounding.
#[inline(always)]
pub(super) fn collide(
    agents: &mut AgentsMut<'_>,
    since: &mut [f32],
    pair: Pair,
    time: f32,
    motion: &Motion,
    nearest: impl Fn(Vec2) -> Vec2,
) -> Exchange {
    let [i, j] = pair.map(|slot| slot as usize - agents.first);
    let before = [i, j].map(|entry| Vec2::new(agents.vx[entry], agents.vy[entry]));
    let velocity = before[1] - before[0];
    let nearest = |apart: Vec2| nearest(apart + velocity * time);
    let apart = Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
    let apart = nearest(apart);
    let square = apart.x * apart.x + apart.y * apart.y;
    let [ri, rj] = [agents.radius[i], agents.radius[j]];
    let core = (1.0 - ROUNDING) * (ri + rj);
    if square < core * core {
        let contact = Contact::new(agents, pair, nearest);
        contact.push_positions(agents, contact.overlap);
    }
    // In f64, and along the line between the centers instead of a unit vector: in f32, lengths that
    // are always the same round the same way, so that energy would grow.
    let (apart, velocity) = (apart.as_dvec2(), velocity.as_dvec2());
    let (square, along) = (apart.length_squared(), velocity.dot(apart));
    let mut exchange = Exchange::default();
    if along < 0.0 {
        let last = since[i].max(since[j]);
        let again = last >= 0.0 && time - last < COLLAPSE * motion.dt;
        let restitution = if again { 1.0 } else { motion.restitution };
        let change = -(1.0 + f64::from(restitution)) * along / square;
        let [mass_i, mass_j] = [ri, rj].map(|radius| f64::from(radius) * f64::from(radius));
        let shares = [-mass_j, mass_i].map(|mass| mass / (mass_i + mass_j) * change);
        for ((entry, before), share) in [i, j].into_iter().zip(before).zip(shares) {
            let after = before.as_dvec2() + apart * share;
            [agents.vx[entry], agents.vy[entry]] = after.as_vec2().to_array();
        }
        exchange = Exchange { collisions: 1, virial: mass_i * -shares[0] * square };
    }
    for (entry, before) in [i, j].into_iter().zip(before) {
        // The new path leads through the place of the collision.
        agents.x[entry] += (before.x - agents.vx[entry]) * time;
        agents.y[entry] += (before.y - agents.vy[entry]) * time;
        // What collided late moves on its new path from the start of the step.
        since[entry] = stamp(since[entry], time.max(0.0));
    }
    exchange
}

/// The time of a collision, if need be a bit later than that of the one before, so that events that
/// were predicted before it are known.
#[inline(always)]
pub(super) fn stamp(since: f32, time: f32) -> f32 {
    if time > since { time } else { since.next_up() }
}
