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
//! cover    a disc around each path, larger than needed; the grid is made exact for these
//! find     pairs of such discs that overlap                                by any index
//! first    the time of each agent's first hit                              bands
//! collide  pairs for which it is the first hit of both                     bands
//! pairs    of all pairs, those that touch later                            on all threads
//! leaving  what agents touch that leave their discs                        on all threads
//! queue    what is left, in the order of time: agents, walls, statics      one thread
//! ```
//!
//! Nine of ten collisions of a gas are those of two agents that meet nothing else within the step.
//! These need no queue. An agent that is met by one which collided earlier, after it has collided
//! itself, collides later than it should. So may what a path meets that is longer than the largest
//! diameter, whose disc covers its beginning only; such moves are counted.
//!
//! Walls and statics are hit at their own time, too. What overlaps at the start of a step, because
//! it was put there, is separated at once.

mod path;
mod queue;
mod search;

use std::{cmp::Reverse, collections::BinaryHeap};

use glam::Vec2;

pub(crate) use self::queue::SweptMoves;
use self::{
    path::{Cover, NEVER, Reach},
    queue::{Impact, PATHS},
    search::{Search, SearchAgents, SearchAll, SearchNext},
};
use super::motion::Motion;
use crate::{
    agents::Agents,
    alloc,
    contacts::{Contacts, Exchange, PARITIES},
    error::Result,
    geometry::{Disc, DiscColumns, Space},
    grid::Grid,
    parallel,
    simd::SimdLevel,
    statics::Statics,
};

/// Slots per task: whole words of bits.
const PIECE: usize = 8_192;

/// Events for which memory is claimed, per agent and in any case.
const EVENTS_PER_AGENT: usize = 16;
const EVENTS_MIN: usize = 1_024;

/// Events of a step per agent, and in any case, after which the rest is left to the next step: more
/// than any state has that is not packed to the limit.
const ROUNDS_MAX: usize = 32;

/// The paths of a step, and what happens on them.
#[derive(Clone, Debug)]
pub(crate) struct Swept {
    /// Discs around the paths.
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    /// The time of each agent's last collision in this step; [`NEVER`] without one.
    since: Vec<f32>,
    /// The time of each agent's next collision, if it is known; infinite without one.
    first: Vec<f32>,
    /// One bit per agent: its path may reach a wall or a static, or is longer than its disc shows.
    alone: Vec<u64>,
    queue: BinaryHeap<Reverse<Impact>>,
    reach: Reach,
    room: usize,
    growths: u64,
}

impl Swept {
    /// The columns of `capacity` agents.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize) -> Result<Self> {
        let column = || alloc::with_capacity(capacity, PATHS);
        let room = EVENTS_MIN + capacity / EVENTS_PER_AGENT;
        let events: Vec<Reverse<Impact>> = alloc::with_capacity(room, PATHS)?;
        Ok(Self {
            x: column()?,
            y: column()?,
            radius: column()?,
            since: column()?,
            first: column()?,
            alone: alloc::with_capacity(capacity.div_ceil(64), PATHS)?,
            queue: events.into(),
            reach: Reach::default(),
            room,
            growths: 0,
        })
    }

    /// Bytes that [`Self::new`] allocates.
    pub(crate) fn bytes_for(capacity: usize) -> usize {
        let events = EVENTS_MIN + capacity / EVENTS_PER_AGENT;
        capacity * 5 * size_of::<f32>() + capacity / 8 + events * size_of::<Impact>()
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.x.capacity() * 5 * size_of::<f32>()
            + self.alone.capacity() * size_of::<u64>()
            + self.queue.capacity() * size_of::<Impact>()
    }

    /// Number of times that the queue has grown.
    pub(crate) fn growths(&self) -> u64 {
        self.growths
    }

    /// The largest disc around a path of an agent in a world where the largest radius is that.
    pub(crate) fn cover_max(radius_max: f32) -> f32 {
        3.0 * radius_max
    }

    /// Sets the largest radius of the agents, which decides how long a path a disc may cover.
    pub(crate) fn set_radius_max(&mut self, radius: f32, space: &Space) {
        let room = if space.is_periodic() { space.radius_max() - radius } else { 2.0 * radius };
        self.reach.half_max = radius.min(0.5 * room).max(0.0);
    }

    /// The discs around the paths.
    pub(crate) fn discs(&self) -> DiscColumns<'_> {
        DiscColumns { x: &self.x, y: &self.y, radius: &self.radius }
    }

    /// Adds gravity to the velocities and covers each path by a disc; makes the grid exact for these.
    /// `speed` is a typical one, which decides how much larger than needed discs are.
    ///
    /// Returns the number of outliers among them.
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
        speed: f32,
        simd: SimdLevel,
    ) -> Result<usize> {
        let count = agents.len();
        self.reach.spare = (0.5 * speed * motion.dt).min(self.reach.half_max);
        for column in [&mut self.x, &mut self.y, &mut self.radius] {
            column.resize(count, 0.0);
        }
        self.since.clear();
        self.since.resize(count, NEVER);
        self.first.clear();
        self.first.resize(count, f32::INFINITY);
        self.alone.clear();
        self.alone.resize(count.div_ceil(64), 0);
        let reach = self.reach;
        let columns = ((&mut self.x[..], &mut self.y[..]), &mut self.radius[..]);
        let alone = path::BitWords(&mut self.alone[..]);
        let outliers = parallel::pieces(
            ((agents.view_mut(), alone), columns, grid.outlier_scan(count)),
            PIECE,
            &|_, ((agents, alone), ((x, y), radius), scan)| {
                simd.run(Cover { agents, x, y, radius, alone, scan, motion, reach })
            },
            &|one, other| one + other,
        );
        if !statics.is_empty() {
            let discs = DiscColumns { x: &self.x, y: &self.y, radius: &self.radius };
            for (word, bits) in self.alone.iter_mut().enumerate() {
                *bits |= path::near_statics(word, discs, motion, statics);
            }
        }
        grid.list_outliers(&self.discs(), outliers)?;
        Ok(outliers)
    }

    /// Lets everything happen that happens within the step. The contacts are the pairs of discs
    /// around paths that overlap; those of which nothing follows are dropped.
    ///
    /// # Errors
    /// If the queue must grow and there is not enough memory.
    #[inline(never)]
    pub(crate) fn resolve(
        &mut self,
        agents: &mut Agents,
        contacts: &mut Contacts,
        grid: &Grid,
        motion: &Motion,
        statics: &Statics,
        simd: SimdLevel,
    ) -> Result<SweptMoves> {
        let mut moves = SweptMoves::default();
        self.queue.clear();
        moves.missed = self.queue_alone(agents, grid, motion, statics, simd)?;
        self.note_first(agents, contacts, motion);
        moves.exchange = self.collide_first(agents, contacts, motion);
        self.queue_pairs(agents, contacts, motion)?;
        self.queue_leaving(agents, grid, motion, statics, simd)?;
        self.run_queue(agents, grid, motion, statics, simd, &mut moves)?;
        let room = self.queue.capacity();
        if room > self.room {
            self.room = room;
            self.growths += 1;
        }
        Ok(moves)
    }

    /// Queues what agents hit that are looked at one by one: walls, statics, and other agents on
    /// paths that are too long for their discs. Returns the number of such paths.
    fn queue_alone(
        &mut self,
        agents: &Agents,
        grid: &Grid,
        motion: &Motion,
        statics: &Statics,
        simd: SimdLevel,
    ) -> Result<u64> {
        let Self { since, first, alone, queue, reach, x, y, radius, .. } = self;
        let covers = DiscColumns { x, y, radius };
        let search = Search { agents, since, covers, grid, motion, statics };
        let mut long = 0;
        for slot in path::set_bits(alone) {
            let mut kept = Ok(());
            let mut push = |event: Impact| {
                first[slot] = first[slot].min(event.time);
                if let Some(other) = event.other_slot() {
                    first[other] = first[other].min(event.time);
                }
                if kept.is_ok() {
                    kept = queue::push(queue, event);
                }
            };
            search.fixed(slot, &mut push);
            if path::is_long(agents, slot, motion, reach.half_max) {
                long += 1;
                let found = &mut push;
                simd.run_lanes(SearchAgents { search, slot, found });
            }
            kept?;
        }
        Ok(long)
    }

    /// Notes the time of each agent's first hit.
    fn note_first(&mut self, agents: &Agents, contacts: &mut Contacts, motion: &Motion) {
        let note = |first: &mut [f32], base: usize, pair: [u32; 2]| {
            if let Some(time) = path::first_touch(agents, pair, motion) {
                for slot in pair {
                    let first = &mut first[slot as usize - base];
                    *first = first.min(time);
                }
            }
        };
        for parity in PARITIES {
            contacts.each_near(parity, &mut self.first[..], &|first, base, pair| {
                note(first, base, pair);
                Exchange::default()
            });
        }
        contacts.others().for_each(|pair| note(&mut self.first, 0, pair));
    }

    /// Lets the pairs collide for which it is the first hit of both.
    fn collide_first(
        &mut self,
        agents: &mut Agents,
        contacts: &mut Contacts,
        motion: &Motion,
    ) -> Exchange {
        let first = &self.first[..];
        let mut all = Exchange::default();
        for parity in PARITIES {
            let columns = (agents.view_mut(), &mut self.since[..]);
            contacts.each_near(parity, columns, &|(agents, since), _, pair| {
                path::collide_if_first(agents, since, first, pair, motion)
            });
        }
        contacts.bands().iter().for_each(|band| all += band.exchange);
        let mut agents = agents.view_mut();
        for pair in contacts.others() {
            all += path::collide_if_first(&mut agents, &mut self.since, first, pair, motion);
        }
        all
    }

    /// Queues the hits that are left, and those that follow from what has happened, of pairs that were
    /// found.
    fn queue_pairs(
        &mut self,
        agents: &Agents,
        contacts: &mut Contacts,
        motion: &Motion,
    ) -> Result<()> {
        let Self { since, first, queue, .. } = self;
        let next = |pair| path::next_touch(agents, since, first, pair, motion);
        contacts.retain(&|pair| next(pair).is_some());
        for pair in contacts.iter() {
            if let Some(time) = next(pair) {
                let stamps = pair.map(|slot| since[slot as usize]);
                queue::push(queue, Impact::new(time, pair, stamps, agents))?;
            }
        }
        Ok(())
    }

    /// Queues what follows for agents that have left the discs around their paths, or reach a wall or
    /// a static.
    fn queue_leaving(
        &mut self,
        agents: &Agents,
        grid: &Grid,
        motion: &Motion,
        statics: &Statics,
        simd: SimdLevel,
    ) -> Result<()> {
        let Self { since, first, queue, x, y, radius, alone, .. } = self;
        let since = &since[..];
        let columns = ((&mut x[..], &mut y[..]), (&mut radius[..], path::BitWords(&mut alone[..])));
        let follow = |slot: usize, cover: Disc| {
            let rest = path::cover_rest(agents, slot, since[slot], motion.dt);
            (rest, path::leaves(&rest, &cover, agents, slot, motion, statics))
        };
        parallel::pieces(
            columns,
            PIECE,
            &|start, ((x, y), (radius, alone))| {
                alone.0.fill(0);
                for (entry, slot) in (start..start + x.len()).enumerate() {
                    if since[slot] != NEVER {
                        let cover = Disc::new(Vec2::new(x[entry], y[entry]), radius[entry]);
                        let (rest, leaves) = follow(slot, cover);
                        [x[entry], y[entry]] = rest.center.to_array();
                        radius[entry] = rest.radius;
                        alone.0[entry / 64] |= u64::from(leaves) << (entry % 64);
                    }
                }
            },
            &|(), ()| (),
        );
        let covers = DiscColumns { x, y, radius };
        let search = Search { agents, since, covers, grid, motion, statics };
        let alone = &alone[..];
        parallel::pieces(
            &mut first[..],
            PIECE,
            &|start, first: &mut [f32]| simd.run_lanes(SearchNext { search, alone, start, first }),
            &|(), ()| (),
        );
        for slot in path::set_bits(alone) {
            if first[slot] < f32::INFINITY {
                let mut kept = Ok(());
                simd.run_lanes(SearchAll { search, slot, queue, kept: &mut kept });
                kept?;
            }
        }
        Ok(())
    }

    /// Lets everything happen that is queued, and what follows from it.
    fn run_queue(
        &mut self,
        agents: &mut Agents,
        grid: &Grid,
        motion: &Motion,
        statics: &Statics,
        simd: SimdLevel,
        moves: &mut SweptMoves,
    ) -> Result<()> {
        let Self { since, queue, x, y, radius, .. } = self;
        let most = EVENTS_MIN + ROUNDS_MAX * agents.len();
        for _ in 0..most {
            let Some(Reverse(event)) = queue.pop() else { break };
            let slots = event.slots();
            if slots.clone().zip(event.stamps).any(|(slot, stamp)| since[slot] != stamp) {
                continue;
            }
            queue::happen(&event, agents, since, motion, statics, moves);
            for slot in slots.clone() {
                let rest = path::cover_rest(agents, slot, since[slot], motion.dt);
                [x[slot], y[slot]] = rest.center.to_array();
                radius[slot] = rest.radius;
            }
            let covers = DiscColumns { x, y, radius };
            let search = Search { agents, since, covers, grid, motion, statics };
            for slot in slots {
                let mut kept = Ok(());
                simd.run_lanes(SearchAll { search, slot, queue, kept: &mut kept });
                kept?;
            }
        }
        moves.missed += queue.len() as u64;
        queue.clear();
        Ok(())
    }
}
