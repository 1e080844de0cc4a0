//! Paths: the discs that cover them, when two of them touch, and what happens then.

use glam::Vec2;

use crate::{
    agents::{Agents, AgentsMut},
    contacts::{Exchange, Pair},
    geometry::{Disc, DiscColumns, Elements, Rect},
    grid::OutlierScan,
    parallel::Split,
    simd::Kernel,
    statics::Statics,
    step::{contact::Contact, motion::Motion},
};

/// The `since` of an agent that has not collided in this step.
pub(super) const NEVER: f32 = -1.0;

/// An overlap, as a share of the sum of the radii, above which it is no rounding: the two were put
/// there.
const PLACED: f32 = 1e-3;

/// By what a radius is enlarged that covers a path of which the ends are rounded.
const ROUNDED: f32 = 1.000_01;

/// Share of a step within which an agent collides again without a loss: with losses, agents that
/// are wedged between others would collide without end.
const COLLAPSE: f32 = 1e-3;

/// The slots of the bits that are set.
pub(super) fn set_bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(|(index, &word)| {
        let bits = (0..64).filter(move |bit| word >> bit & 1 != 0);
        bits.map(move |bit| index * 64 + bit)
    })
}

/// Covers some paths by discs; returns the number of outliers among these.
pub(super) struct Cover<'a> {
    pub(super) agents: AgentsMut<'a>,
    pub(super) x: &'a mut [f32],
    pub(super) y: &'a mut [f32],
    pub(super) radius: &'a mut [f32],
    pub(super) alone: BitWords<'a>,
    pub(super) scan: OutlierScan<'a>,
    pub(super) motion: &'a Motion,
    pub(super) reach: Reach,
}

/// How far a disc reaches around a path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    /// The longest half of a path that a disc covers, world units.
    pub(super) half_max: f32,
    /// What a disc reaches farther in any case, world units: most agents that collide stay in their
    /// discs, so that what they touch next is among the pairs that were found.
    pub(super) spare: f32,
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
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { agents, x, y, radius, alone, mut scan, motion, reach } = self;
        let Reach { half_max, spare } = reach;
        let AgentsMut { x: x0, y: y0, vx, vy, radius: own, .. } = agents;
        let Motion { dt, gravity, .. } = *motion;
        let (fall, walls) = (gravity * dt, walls(motion));
        let mut outliers = 0;
        for (word, start) in (0..own.len()).step_by(OutlierScan::WORD).enumerate() {
            let range = start..own.len().min(start + OutlierScan::WORD);
            let (x, y) = (&mut x[range.clone()], &mut y[range.clone()]);
            let (radius, own) = (&mut radius[range.clone()], &own[range.clone()]);
            let (x0, y0) = (&x0[range.clone()], &y0[range.clone()]);
            let (vx, vy) = (&vx[range.clone()], &mut vy[range]);
            let mut any = false;
            let from = x0.iter().zip(y0).zip(vx.iter().zip(&mut *vy)).zip(own);
            let rows = x.iter_mut().zip(&mut *y).zip(&mut *radius).zip(from);
            for (((x, y), radius), (((&x0, &y0), (&vx, vy)), &own)) in rows {
                *vy -= fall;
                let (dx, dy) = (0.5 * vx * dt, 0.5 * *vy * dt);
                let half = (dx * dx + dy * dy).sqrt();
                let long = half > half_max;
                let share = if long { half_max / half } else { 1.0 };
                *x = x0 + dx * share;
                *y = y0 + dy * share;
                // A bit more than half of the path, since its ends are rounded.
                let covered = if long { half_max } else { half * ROUNDED };
                let more = if covered > spare { covered } else { spare };
                *radius = own + (covered + more);
                any |= long | beyond(x0 + dx + dx, y0 + dy + dy, own, &walls);
            }
            let mut bits = 0;
            if any {
                for (bit, ((&x0, &y0), (&vx, &vy))) in
                    x0.iter().zip(y0).zip(vx.iter().zip(&*vy)).enumerate()
                {
                    let (dx, dy) = (0.5 * vx * dt, 0.5 * vy * dt);
                    let long = (dx * dx + dy * dy).sqrt() > half_max;
                    let leaves = beyond(x0 + dx + dx, y0 + dy + dy, own[bit], &walls);
                    bits |= u64::from(long | leaves) << bit;
                }
            }
            alone.0[word] = bits;
            let centers = || x.iter().zip(&*y).map(|(&x, &y)| Vec2::new(x, y));
            outliers += scan.record(word, || centers().zip(radius.iter().copied()));
        }
        outliers
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

/// True if the rest of a path reaches out of the disc that covered it, or may reach something fixed.
pub(super) fn leaves(
    rest: &Disc,
    cover: &Disc,
    agents: &Agents,
    slot: usize,
    motion: &Motion,
    statics: &Statics,
) -> bool {
    let apart = rest.center - cover.center;
    let room = cover.radius - rest.radius;
    let end = |at: f32, speed: f32| at + speed * motion.dt;
    let (x, y) = (end(agents.x[slot], agents.vx[slot]), end(agents.y[slot], agents.vy[slot]));
    (room < 0.0)
        | (apart.x * apart.x + apart.y * apart.y > room * room)
        | beyond(x, y, agents.radius[slot], &walls(motion))
        || !statics.is_empty() && {
            let bounds = rest.bounds();
            let clear = |shift| statics.is_clear(&bounds.shifted(shift));
            !motion.space.copies(bounds, motion.world).all(clear)
        }
}

/// Covers the rest of the path of an agent that has collided.
#[inline(always)]
pub(super) fn cover_rest(agents: &Agents, slot: usize, since: f32, dt: f32) -> Disc {
    let velocity = Vec2::new(agents.vx[slot], agents.vy[slot]);
    let (middle, half) = (0.5 * (dt + since), 0.5 * (dt - since));
    let center = Vec2::new(agents.x[slot], agents.y[slot]) + velocity * middle;
    let speed = (velocity.x * velocity.x + velocity.y * velocity.y).sqrt();
    Disc::new(center, agents.radius[slot] + half * speed * ROUNDED)
}

/// True if half of a path is longer than a disc may cover.
pub(super) fn is_long(agents: &Agents, slot: usize, motion: &Motion, half_max: f32) -> bool {
    let half = Vec2::new(0.5 * agents.vx[slot] * motion.dt, 0.5 * agents.vy[slot] * motion.dt);
    (half.x * half.x + half.y * half.y).sqrt() > half_max
}

/// The bits of a word of slots: all, if one of their paths may reach a static.
pub(super) fn near_statics(
    word: usize,
    discs: DiscColumns<'_>,
    motion: &Motion,
    statics: &Statics,
) -> u64 {
    let range = word * 64..discs.x.len().min(word * 64 + 64);
    let count = range.len();
    let all = range.fold(Rect::EMPTY, |all, slot| all.union(&discs.shape(slot).bounds()));
    let clear = |shift| statics.is_clear(&all.shifted(shift));
    if motion.space.copies(all, motion.world).all(clear) { 0 } else { u64::MAX >> (64 - count) }
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

/// The time at which the paths of a pair touch next, of agents that may have collided. Whether fresh
/// agents touch at all shows in the times of their first hits.
#[inline(always)]
pub(super) fn next_touch(
    agents: &Agents,
    since: &[f32],
    first: &[f32],
    pair: Pair,
    motion: &Motion,
) -> Option<f32> {
    let [i, j] = pair.map(|slot| slot as usize);
    let last = since[i].max(since[j]);
    if last == NEVER {
        let hit = first[i].max(first[j]) < f32::INFINITY;
        return if hit { first_touch(agents, pair, motion) } else { None };
    }
    let Agents { x, y, vx, vy, radius, .. } = agents;
    let velocity = Vec2::new(vx[j] - vx[i], vy[j] - vy[i]);
    let apart = Vec2::new(x[j] - x[i], y[j] - y[i]) + velocity * last;
    let apart = motion.space.minimum_image(apart);
    let time = touch(apart, velocity, radius[i] + radius[j], motion.dt - last)?;
    Some(last + time)
}

/// The same as [`first_touch`] for two entries of columns.
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
    let [one, other] = slots.map(|slot| first[slot]);
    if !fresh || one != other || one == f32::INFINITY {
        return Exchange::default();
    }
    let columns = [&*agents.x, &*agents.y, &*agents.vx, &*agents.vy, agents.radius];
    match touch_in(columns, slots.map(|slot| slot - agents.first), motion) {
        Some(time) if time == one => collide(agents, since, pair, time, motion),
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
    let velocity = before[1] - before[0];
    let nearest = |apart: Vec2| motion.space.minimum_image(apart + velocity * time);
    let apart = Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
    let apart = nearest(apart);
    let square = apart.x * apart.x + apart.y * apart.y;
    let [ri, rj] = [agents.radius[i], agents.radius[j]];
    let core = (1.0 - PLACED) * (ri + rj);
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
