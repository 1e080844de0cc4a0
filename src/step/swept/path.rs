//! Paths: the discs that cover them, when two of them touch, and what happens then.

use glam::Vec2;

use super::NEVER;
use crate::{
    agents::{Agents, AgentsMut},
    contacts::{Exchange, Pair},
    geometry::{DiscColumns, Rect},
    grid::OutlierScan,
    simd::Kernel,
    statics::Statics,
    step::{contact::Contact, motion::Motion},
};

/// An overlap, as a share of the sum of the radii, above which it is no rounding: the two were put
/// there.
const PLACED: f32 = 1e-3;

/// Share of a step within which an agent collides again without a loss: with losses, agents that
/// are wedged between others would collide without end.
const COLLAPSE: f32 = 1e-3;

/// Covers some paths by discs; returns the number of outliers among these.
pub(super) struct Cover<'a> {
    pub(super) agents: AgentsMut<'a>,
    pub(super) x: &'a mut [f32],
    pub(super) y: &'a mut [f32],
    pub(super) radius: &'a mut [f32],
    pub(super) scan: OutlierScan<'a>,
    pub(super) motion: &'a Motion,
    pub(super) reach_max: f32,
}

impl Kernel for Cover<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { agents, x, y, radius, mut scan, motion, reach_max } = self;
        let Motion { dt, gravity, .. } = *motion;
        let fall = gravity * dt;
        let mut outliers = 0;
        for (word, start) in (0..radius.len()).step_by(OutlierScan::WORD).enumerate() {
            let range = start..radius.len().min(start + OutlierScan::WORD);
            let (x, y) = (&mut x[range.clone()], &mut y[range.clone()]);
            let radius = &mut radius[range.clone()];
            let from = agents.x[range.clone()].iter().zip(&agents.y[range.clone()]);
            let velocities = agents.vx[range.clone()].iter().zip(&mut agents.vy[range.clone()]);
            let own = from.zip(velocities).zip(&agents.radius[range]);
            let rows = x.iter_mut().zip(&mut *y).zip(&mut *radius).zip(own);
            for (((x, y), radius), (((&x0, &y0), (&vx, vy)), &own)) in rows {
                *vy -= fall;
                let (dx, dy) = (0.5 * vx * dt, 0.5 * *vy * dt);
                let half = (dx * dx + dy * dy).sqrt();
                let long = half > reach_max;
                let share = if long { reach_max / half } else { 1.0 };
                *x = x0 + dx * share;
                *y = y0 + dy * share;
                // A bit more than half of the path, since its ends are rounded.
                *radius = own + if long { reach_max } else { half * 1.000_01 };
            }
            let centers = || x.iter().zip(&*y).map(|(&x, &y)| Vec2::new(x, y));
            outliers += scan.record(word, || centers().zip(radius.iter().copied()));
        }
        outliers
    }
}

/// True if half of a path is longer than a disc may cover.
pub(super) fn is_long(agents: &Agents, slot: usize, motion: &Motion, reach_max: f32) -> bool {
    let half = Vec2::new(0.5 * agents.vx[slot] * motion.dt, 0.5 * agents.vy[slot] * motion.dt);
    (half.x * half.x + half.y * half.y).sqrt() > reach_max
}

/// The bits of a word of slots whose paths reach a wall, may reach a static, or are longer than
/// their discs show.
pub(super) fn alone(
    word: usize,
    agents: &Agents,
    discs: DiscColumns<'_>,
    motion: &Motion,
    statics: &Statics,
    reach_max: f32,
) -> u64 {
    let range = word * 64..agents.len().min(word * 64 + 64);
    let [repeats_x, repeats_y] = motion.space.repeats();
    let Motion { world: Rect { min, max }, dt, .. } = *motion;
    let limit = 4.0 * reach_max * reach_max;
    let test = |slot: usize| {
        let (dx, dy) = (agents.vx[slot] * dt, agents.vy[slot] * dt);
        let (x, y, radius) = (agents.x[slot] + dx, agents.y[slot] + dy, agents.radius[slot]);
        let beyond_x = (x < min.x + radius) | (x > max.x - radius);
        let beyond_y = (y < min.y + radius) | (y > max.y - radius);
        (beyond_x & !repeats_x) | (beyond_y & !repeats_y) | (dx * dx + dy * dy > limit)
    };
    let mut any = false;
    for slot in range.clone() {
        any |= test(slot);
    }
    let mut bits = 0;
    if any {
        for (bit, slot) in range.clone().enumerate() {
            bits |= u64::from(test(slot)) << bit;
        }
    }
    if !statics.is_empty() {
        let long = 2.0 * reach_max;
        let around = |slot: usize| {
            let center = Vec2::new(discs.x[slot], discs.y[slot]);
            Rect::around(center, discs.radius[slot] + long)
        };
        let all = range.fold(Rect::EMPTY, |all, slot| all.union(&around(slot)));
        let clear = |shift| statics.is_clear(&all.shifted(shift));
        if !motion.space.copies(all, motion.world).all(clear) {
            bits = u64::MAX;
        }
        let count = agents.len() - word * 64;
        bits &= if count < 64 { (1 << count) - 1 } else { u64::MAX };
    }
    bits
}

/// The time from now after which two discs touch, if they do within `seconds`: at a distance, with
/// a relative velocity, and with radii that add up to `reach`. Discs that overlap touch at once if
/// they approach.
#[inline(always)]
pub(super) fn touch(apart: Vec2, velocity: Vec2, reach: f32, seconds: f32) -> Option<f32> {
    let b = apart.x * velocity.x + apart.y * velocity.y;
    let c = apart.x * apart.x + apart.y * apart.y - reach * reach;
    if b >= 0.0 {
        return None;
    }
    if c <= 0.0 {
        return Some(0.0);
    }
    let a = velocity.x * velocity.x + velocity.y * velocity.y;
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return None;
    }
    // The first root, in the form that cancels nothing.
    let time = c / (discriminant.sqrt() - b);
    (time <= seconds).then_some(time)
}

/// The time at which the paths of a pair first touch in a step that begins now. Discs that overlap by
/// more than rounding touch at once, in whatever direction they move.
#[inline(always)]
pub(super) fn first_touch(agents: &Agents, pair: Pair, motion: &Motion) -> Option<f32> {
    let Agents { x, y, vx, vy, radius, .. } = agents;
    touch_in([x, y, vx, vy, radius], pair.map(|slot| slot as usize), motion)
}

/// The same for two entries of columns.
#[inline(always)]
fn touch_in(
    [x, y, vx, vy, radius]: [&[f32]; 5],
    [i, j]: [usize; 2],
    motion: &Motion,
) -> Option<f32> {
    let apart = motion.space.minimum_image(Vec2::new(x[j] - x[i], y[j] - y[i]));
    let velocity = Vec2::new(vx[j] - vx[i], vy[j] - vy[i]);
    let reach = radius[i] + radius[j];
    let core = (1.0 - PLACED) * reach;
    if apart.x * apart.x + apart.y * apart.y < core * core {
        return Some(0.0);
    }
    touch(apart, velocity, reach, motion.dt)
}

/// Lets a pair collide if it is the first hit of both.
#[inline(always)]
pub(super) fn collide_if_first(
    agents: &mut AgentsMut<'_>,
    since: &mut [f32],
    first: &[f32],
    pair: Pair,
    motion: &Motion,
) -> Exchange {
    let slots = pair.map(|slot| slot as usize);
    let fresh = slots.iter().all(|slot| since[slot - agents.first] == NEVER);
    if !fresh {
        return Exchange::default();
    }
    let columns = [&*agents.x, &*agents.y, &*agents.vx, &*agents.vy, agents.radius];
    match touch_in(columns, slots.map(|slot| slot - agents.first), motion) {
        Some(time) if slots.iter().all(|&slot| first[slot] == time) => {
            collide(agents, since, pair, time, motion)
        }
        _ => Exchange::default(),
    }
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
) -> Exchange {
    let [i, j] = pair.map(|slot| slot as usize - agents.first);
    let before = [i, j].map(|entry| Vec2::new(agents.vx[entry], agents.vy[entry]));
    let passed = (before[1] - before[0]) * time;
    let contact = Contact::new(agents, pair, |d| motion.space.minimum_image(d + passed));
    let reach = agents.radius[i] + agents.radius[j];
    if contact.overlap > PLACED * reach {
        contact.push_positions(agents, contact.overlap);
    }
    let speed = contact.separation_speed(agents);
    let mut exchange = Exchange::default();
    if speed < 0.0 {
        let last = since[i].max(since[j]);
        let again = last >= 0.0 && time - last < COLLAPSE * motion.dt;
        let restitution = if again { 1.0 } else { motion.restitution };
        let change = -(1.0 + restitution) * speed;
        contact.push_velocities(agents, change);
        exchange = contact.exchange(agents, change);
    }
    for (entry, before) in [i, j].into_iter().zip(before) {
        // The new path leads through the place of the collision.
        agents.x[entry] += (before.x - agents.vx[entry]) * time;
        agents.y[entry] += (before.y - agents.vy[entry]) * time;
        since[entry] = stamp(since[entry], time);
    }
    exchange
}

/// The time of a collision, if need be a bit later than that of the one before, so that events that
/// were predicted before it are known.
#[inline(always)]
pub(super) fn stamp(since: f32, time: f32) -> f32 {
    if time > since { time } else { since.next_up() }
}
