//! Swept collisions: each pair that touches within a step collides at the moment when it does.
//!
//! Overlap that is found after a step is a collision that happened earlier, at another place; pairs
//! that only graze each other are missed. Here the paths of the agents are searched instead of their
//! positions. A column of positions and one of velocities are a path as long as nothing happens:
//! `x + v·t`. An agent that collides at time `t` gets another velocity, and the position from which
//! the new path leads through the point of the collision. So a path is always two vectors, and
//! integration ends all of them as it ends a step without collisions.
//!
//! ```text
//! cover     a disc around each path; the grid is made exact for these
//! find      pairs of such discs that overlap                               by any index
//! first     the time of each agent's first hit                             bands
//! collide   pairs for which it is the first hit of both                    bands
//!           again, until no pair is left that touches, a few times at most
//! ```
//!
//! Nine of ten collisions of a gas are those of two agents that meet nothing else within the step.
//! Pairs that do not touch on their first paths are dropped, so what an agent meets on its path after a
//! collision is found in the next step, if the two still overlap then: their paths lead back to the
//! moment when they touched, and they collide there, late but in the right place. What happens in the
//! meantime is wrong, and a pair that grazes within the rest of the step is missed: errors of second
//! order in the length of the step.
//!
//! Walls and statics that a path reaches before its agent collides are hit at their own time, too.
//! Those that only a new path reaches are left to integration. What overlaps without a
//! moment of contact in the last step, because it was put there, is separated at once.

mod fixed;
mod path;

use glam::Vec2;

use self::{
    fixed::Bounces,
    path::{Cover, Covered, NEVER},
};
use super::motion::Motion;
use crate::{
    agents::{Agents, AgentsMut},
    alloc,
    contacts::{Contacts, Exchange, PARITIES, Pair},
    error::Result,
    geometry::{Disc, DiscColumns, Elements, Space},
    grid::Grid,
    parallel::{self, Split},
    simd::SimdLevel,
    statics::Statics,
};

/// Slots per task: whole words of bits.
const PIECE: usize = 8_192;

/// How often agents may collide in a step; what is left collides in the next one.
const ROUNDS: usize = 4;

/// What the memory is for, in errors.
const PATHS: &str = "the paths of swept collisions";

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweptMoves {
    /// Impulses between agents.
    pub exchange: Exchange,
    /// Momentum that walls took up.
    pub wall_impulse: f64,
}

/// The paths of a step, and what happens on them.
#[derive(Clone, Debug)]
pub(crate) struct Swept {
    /// Discs around the paths.
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    /// One byte per agent: it has a hit ahead, at the time in `first`. Few have, so that only these
    /// bytes are filled in each step.
    noted: Vec<bool>,
    /// The time of an agent's next hit.
    first: Vec<f32>,
    /// The time of an agent's last hit in this step, [`NEVER`] without one. Holds times of earlier
    /// steps for agents that were in no pair yet.
    since: Vec<f32>,
    /// The time at which each contact happens, laid out as the list is.
    times: Vec<f32>,
    /// One bit per agent: its path may reach a wall or a static, or is longer than its disc shows.
    alone: Vec<u64>,
    /// The longest half of a path that a disc covers, world units.
    half_max: f32,
}

impl Swept {
    /// The columns of `capacity` agents, and that of a list of `pairs` contacts.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, pairs: usize) -> Result<Self> {
        let column = || alloc::with_capacity(capacity, PATHS);
        Ok(Self {
            x: column()?,
            y: column()?,
            radius: column()?,
            noted: alloc::with_capacity(capacity, PATHS)?,
            first: column()?,
            since: column()?,
            times: alloc::filled(pairs, 0.0, PATHS)?,
            alone: alloc::with_capacity(capacity.div_ceil(64), PATHS)?,
            half_max: 0.0,
        })
    }

    /// Bytes that [`Self::new`] allocates.
    pub(crate) fn bytes_for(capacity: usize, pairs: usize) -> usize {
        (capacity * 5 + pairs) * size_of::<f32>()
            + capacity * size_of::<bool>()
            + capacity.div_ceil(64) * size_of::<u64>()
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        (self.x.capacity() * 5 + self.times.capacity()) * size_of::<f32>()
            + self.noted.capacity() * size_of::<bool>()
            + self.alone.capacity() * size_of::<u64>()
    }

    /// The largest disc around a path of an agent in a world where the largest radius is that.
    pub(crate) fn cover_max(radius_max: f32) -> f32 {
        2.0 * radius_max
    }

    /// Sets the largest radius of the agents, which decides how long a path a disc may cover.
    pub(crate) fn set_radius_max(&mut self, radius: f32, space: &Space) {
        let room = if space.is_periodic() { space.radius_max() - radius } else { radius };
        self.half_max = radius.min(room).max(0.0);
    }

    /// The discs around the paths.
    pub(crate) fn discs(&self) -> DiscColumns<'_> {
        DiscColumns { x: &self.x, y: &self.y, radius: &self.radius }
    }

    /// Adds gravity to the velocities and covers each path by a disc; makes the grid exact for these.
    ///
    /// # Errors
    /// If there is no memory for the lists of outlier cells.
    #[inline(never)]
    pub(crate) fn cover(
        &mut self,
        agents: &mut Agents,
        grid: &mut Grid,
        motion: &Motion,
        statics: &Statics,
        simd: SimdLevel,
    ) -> Result<Covered> {
        let count = agents.len();
        let Self { x, y, radius, noted, first, since, alone, half_max, .. } = self;
        for column in [&mut *x, &mut *y, &mut *radius, &mut *first, &mut *since] {
            column.resize(count, 0.0);
        }
        noted.clear();
        noted.resize(count, false);
        alone.resize(count.div_ceil(64), 0);
        let half_max = *half_max;
        let discs = ((&mut x[..], &mut y[..]), &mut radius[..]);
        let bits = (path::BitWords(&mut alone[..]), grid.outlier_scan(count));
        let covered = parallel::pieces(
            (agents.view_mut(), discs, bits),
            PIECE,
            &|_, (agents, ((x, y), radius), (alone, scan))| {
                simd.run(Cover { agents, x, y, radius, alone, scan, motion, half_max })
            },
            &Covered::merge,
        );
        if !statics.is_empty() {
            let discs = DiscColumns { x, y, radius };
            parallel::pieces(
                &mut alone[..],
                PIECE / 64,
                &|start, words: &mut [u64]| {
                    for (word, bits) in (start..).zip(words) {
                        *bits |= fixed::near_statics(word, discs, motion, statics);
                    }
                },
                &|(), ()| (),
            );
        }
        grid.list_outliers(&self.discs(), covered.outliers)?;
        Ok(covered)
    }

    /// Lets everything happen that happens within the step. The contacts are the pairs of discs
    /// around paths that overlap; those are left that touch and have not been next.
    ///
    /// # Errors
    /// If there is not enough memory for the times of more contacts than before.
    #[inline(never)]
    pub(crate) fn resolve(
        &mut self,
        agents: &mut Agents,
        contacts: &mut Contacts,
        motion: &Motion,
        statics: &Statics,
    ) -> Result<SweptMoves> {
        alloc::grow_to(&mut self.times, contacts.storage(), 0.0, PATHS)?;
        let mut moves = SweptMoves::default();
        for round in 0..ROUNDS {
            if round > 0 {
                self.forget_first(contacts);
            }
            self.note_first(agents, contacts, motion, statics, round == 0);
            let waiting = contacts.len();
            moves.exchange += self.collide_first(agents, contacts, motion);
            let bounces = self.bounce_first(agents, motion, statics);
            moves.wall_impulse += bounces.wall_impulse;
            if contacts.len() == waiting && bounces.count == 0 {
                break;
            }
        }
        Ok(moves)
    }

    /// Forgets the next hits of the agents that may collide again.
    fn forget_first(&mut self, contacts: &Contacts) {
        for pair in contacts.iter() {
            for slot in pair {
                self.noted[slot as usize] = false;
            }
        }
        for slot in path::set_bits(&self.alone, 0..self.noted.len()) {
            self.noted[slot] = false;
        }
    }

    /// Notes the time of each agent's next hit, and drops the pairs that do not touch.
    fn note_first(
        &mut self,
        agents: &Agents,
        contacts: &mut Contacts,
        motion: &Motion,
        statics: &Statics,
        all_fresh: bool,
    ) {
        let Self { noted, first, since, times, alone, .. } = self;
        let alone = &alone[..];
        let mut hits = HitColumns { noted, first, since };
        parallel::pieces(
            hits.view(),
            PIECE,
            &|start, mut hits: HitColumns<'_>| {
                for slot in path::set_bits(alone, start..start + hits.noted.len()) {
                    let entry = slot - start;
                    if all_fresh {
                        hits.since[entry] = NEVER;
                    }
                    let velocity = Vec2::new(agents.vx[slot], agents.vy[slot]);
                    let (disc, since) = (agents.shape(slot), hits.since[entry]);
                    if let Some(hit) = fixed::next_hit(disc, velocity, since, motion, statics) {
                        hits.note(entry, hit.time);
                    }
                }
            },
            &|(), ()| (),
        );
        let Agents { x, y, vx, vy, radius, .. } = agents;
        for parity in PARITIES {
            let times = &mut times[..];
            contacts.retain_near(parity, hits.view(), times, &|hits, base, pairs, times| {
                let mut count = pairs.len();
                if all_fresh {
                    count = 0;
                    for at in 0..pairs.len() {
                        path::prefetch([x, y, vx, vy, radius], 0, pairs, at);
                        pairs[count] = pairs[at];
                        count += usize::from(path::may_touch(agents, pairs[at], motion));
                    }
                }
                let mut kept = 0;
                for at in 0..count {
                    let last = hits.last(base, pairs[at], all_fresh);
                    if let Some(time) = path::next_touch(agents, pairs[at], last, motion, |d| d) {
                        hits.note_pair(base, pairs[at], time);
                        (pairs[kept], times[kept]) = (pairs[at], time);
                        kept += 1;
                    }
                }
                (kept, Exchange::default())
            });
        }
        let nearest = |apart| motion.space.minimum_image(apart);
        contacts.retain_others(|pair| {
            let last = hits.last(0, pair, all_fresh);
            let time = path::next_touch(agents, pair, last, motion, nearest);
            time.is_some_and(|time| {
                hits.note_pair(0, pair, time);
                true
            })
        });
    }

    /// Lets the pairs collide for which it is the next hit of both, and drops them.
    fn collide_first(
        &mut self,
        agents: &mut Agents,
        contacts: &mut Contacts,
        motion: &Motion,
    ) -> Exchange {
        let Self { since, first, times, .. } = self;
        let mut all = Exchange::default();
        for parity in PARITIES {
            let columns = (agents.view_mut(), &mut since[..], &mut first[..]);
            let times = &times[..];
            contacts.retain_near(parity, columns, times, &|columns, base, pairs, times| {
                let (agents, since, first) = columns;
                let (mut kept, mut sum) = (0, Exchange::default());
                for at in 0..pairs.len() {
                    let AgentsMut { x, y, vx, vy, radius, .. } = agents;
                    path::prefetch([x, y, vx, vy, radius, since, first], base, pairs, at);
                    let (pair, time) = (pairs[at], times[at]);
                    if take_first(first, base, pair, time) {
                        sum += path::collide(agents, since, pair, time, motion, |d| d);
                    } else {
                        pairs[kept] = pair;
                        kept += 1;
                    }
                }
                (kept, sum)
            });
        }
        contacts.bands().iter().for_each(|band| all += band.exchange);
        let nearest = |apart| motion.space.minimum_image(apart);
        contacts.retain_others(|pair| {
            let [one, other] = pair.map(|slot| since[slot as usize]);
            let time = path::next_touch(agents, pair, one.max(other), motion, nearest);
            match time.filter(|&time| take_first(first, 0, pair, time)) {
                Some(time) => {
                    let mut agents = agents.view_mut();
                    all += path::collide(&mut agents, since, pair, time, motion, nearest);
                    false
                }
                None => true,
            }
        });
        all
    }

    /// Lets the agents bounce off walls and statics for which this is the next hit.
    fn bounce_first(&mut self, agents: &mut Agents, motion: &Motion, statics: &Statics) -> Bounces {
        let Self { since, first, alone, .. } = self;
        let (first, alone) = (&first[..], &alone[..]);
        parallel::pieces(
            (agents.view_mut(), &mut since[..]),
            PIECE,
            &|start, (mut agents, since): (AgentsMut<'_>, &mut [f32])| {
                let mut bounces = Bounces::default();
                for slot in path::set_bits(alone, start..start + since.len()) {
                    let entry = slot - start;
                    let center = Vec2::new(agents.x[entry], agents.y[entry]);
                    let velocity = Vec2::new(agents.vx[entry], agents.vy[entry]);
                    let disc = Disc::new(center, agents.radius[entry]);
                    let hit = fixed::next_hit(disc, velocity, since[entry], motion, statics);
                    if let Some(hit) = hit.filter(|hit| hit.time == first[slot]) {
                        bounces.count += 1;
                        bounces.wall_impulse += fixed::bounce(&mut agents, entry, &hit, motion);
                        since[entry] = path::stamp(since[entry], hit.time);
                    }
                }
                bounces
            },
            &Bounces::merge,
        )
    }
}

/// What some agents hit, to be split.
struct HitColumns<'a> {
    noted: &'a mut [bool],
    first: &'a mut [f32],
    since: &'a mut [f32],
}

impl HitColumns<'_> {
    fn view(&mut self) -> HitColumns<'_> {
        let Self { noted, first, since } = self;
        HitColumns { noted, first, since }
    }

    /// The time of the last hit of two agents in this step; [`NEVER`] without one. At its start,
    /// forgets those of the step before.
    #[inline(always)]
    fn last(&mut self, base: usize, pair: Pair, is_start: bool) -> f32 {
        let [one, other] = pair.map(|slot| slot as usize - base);
        if is_start {
            [self.since[one], self.since[other]] = [NEVER; 2];
            return NEVER;
        }
        self.since[one].max(self.since[other])
    }

    /// Notes the time at which two agents touch.
    #[inline(always)]
    fn note_pair(&mut self, base: usize, [i, j]: Pair, time: f32) {
        self.note(i as usize - base, time);
        self.note(j as usize - base, time);
    }

    /// Notes the time of a hit: the earliest is the next one.
    #[inline(always)]
    fn note(&mut self, entry: usize, time: f32) {
        let known = self.noted[entry] & (self.first[entry] <= time);
        self.first[entry] = if known { self.first[entry] } else { time };
        self.noted[entry] = true;
    }
}

impl Split for HitColumns<'_> {
    fn len(&self) -> usize {
        self.noted.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (noted, noted_above) = self.noted.split_at_mut(at);
        let (first, first_above) = self.first.split_at_mut(at);
        let (since, since_above) = self.since.split_at_mut(at);
        let above = HitColumns { noted: noted_above, first: first_above, since: since_above };
        (HitColumns { noted, first, since }, above)
    }
}

/// True if a time is that of the next hit of both agents of a pair, which is then taken: neither
/// collides again before the next round.
#[inline(always)]
fn take_first(first: &mut [f32], base: usize, pair: Pair, time: f32) -> bool {
    let [one, other] = pair.map(|slot| slot as usize - base);
    let is_first = (first[one] == time) & (first[other] == time);
    if is_first {
        [first[one], first[other]] = [f32::NAN; 2];
    }
    is_first
}
