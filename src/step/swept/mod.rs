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
//! cover    one disc around each path; the grid is made exact for these     on all threads
//! find     pairs of such discs that overlap                                by any index
//! hits     of these, pairs whose paths touch within the step               on all threads
//! first    the time of each agent's first hit                              bands
//! collide  pairs for which it is the first hit of both                     bands
//! search   what their new paths touch                                      on all threads
//! queue    what is left, in the order of time: agents, walls, statics      one thread
//! ```
//!
//! Nine of ten collisions of a gas are those of two agents that meet nothing else within the step.
//! These need no queue. An agent of which a new path meets one that has collided later is off by
//! the square of what a step changes, so that the order of the whole is two.
//!
//! Walls and statics are hit at their own time, too. What overlaps at the start of a step, because
//! it was put there, is separated at once.

mod path;
mod queue;
mod search;

use std::{cmp::Reverse, collections::BinaryHeap};

use self::{path::Cover, queue::Event, search::Search};
use super::{finder::SPREAD_OUT, motion::Motion};
use crate::{
    agents::Agents,
    alloc,
    contacts::{Contacts, Exchange, PARITIES},
    error::Result,
    geometry::{DiscColumns, Space},
    grid::Grid,
    parallel,
    simd::SimdLevel,
    statics::Statics,
};

/// What the memory is for, in errors.
const PATHS: &str = "the paths of swept collisions";

/// Slots per task: whole words of bits.
const PIECE: usize = 8_192;

/// The `since` of an agent that has not collided in this step.
const NEVER: f32 = -1.0;

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
    queue: BinaryHeap<Reverse<Event>>,
    /// The longest half of a path that a disc covers, world units.
    reach_max: f32,
    room: usize,
    growths: u64,
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweptMoves {
    /// Impulses between agents.
    pub exchange: Exchange,
    /// Momentum that walls took up.
    pub wall_impulse: f64,
}

impl Swept {
    /// The columns of `capacity` agents.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize) -> Result<Self> {
        let column = || alloc::with_capacity(capacity, PATHS);
        let room = EVENTS_MIN + capacity / EVENTS_PER_AGENT;
        let events: Vec<Reverse<Event>> = alloc::with_capacity(room, PATHS)?;
        Ok(Self {
            x: column()?,
            y: column()?,
            radius: column()?,
            since: column()?,
            first: column()?,
            alone: alloc::with_capacity(capacity.div_ceil(64), PATHS)?,
            queue: events.into(),
            reach_max: 0.0,
            room,
            growths: 0,
        })
    }

    /// Bytes that [`Self::new`] allocates.
    pub(crate) fn bytes_for(capacity: usize) -> usize {
        let events = EVENTS_MIN + capacity / EVENTS_PER_AGENT;
        capacity * 5 * size_of::<f32>() + capacity / 8 + events * size_of::<Event>()
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.x.capacity() * 5 * size_of::<f32>()
            + self.alone.capacity() * size_of::<u64>()
            + self.queue.capacity() * size_of::<Event>()
    }

    /// Number of times that the queue has grown.
    pub(crate) fn growths(&self) -> u64 {
        self.growths
    }

    /// The largest disc around a path of an agent in a world where the largest radius is that.
    pub(crate) fn cover_max(radius_max: f32) -> f32 {
        2.0 * radius_max
    }

    /// Sets the largest radius of the agents, which decides how long a path a disc may cover.
    pub(crate) fn set_radius_max(&mut self, radius: f32, space: &Space) {
        let room = if space.is_periodic() { space.radius_max() - radius } else { radius };
        self.reach_max = radius.min(room).max(0.0);
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
    ) -> Result<()> {
        let count = agents.len();
        for column in [&mut self.x, &mut self.y, &mut self.radius] {
            column.resize(count, 0.0);
        }
        self.since.clear();
        self.since.resize(count, NEVER);
        self.first.clear();
        self.first.resize(count, f32::INFINITY);
        self.alone.clear();
        self.alone.resize(count.div_ceil(64), 0);
        let reach_max = self.reach_max;
        let columns = ((&mut self.x[..], &mut self.y[..]), &mut self.radius[..]);
        let outliers = parallel::pieces(
            (agents.view_mut(), columns, grid.outlier_scan(count)),
            PIECE,
            &|_, (agents, ((x, y), radius), scan)| {
                simd.run(Cover { agents, x, y, radius, scan, motion, reach_max })
            },
            &|one, other| one + other,
        );
        let Self { alone, x, y, radius, .. } = &mut *self;
        let discs = DiscColumns { x, y, radius };
        let agents = &*agents;
        parallel::pieces(
            &mut alone[..],
            PIECE / 64,
            &|first, alone: &mut [u64]| {
                for (word, bits) in (first..).zip(alone) {
                    *bits = path::alone(word, agents, discs, motion, statics, reach_max);
                }
            },
            &|(), ()| (),
        );
        grid.list_outliers(&self.discs(), outliers)
    }

    /// Lets everything happen that happens within the step. The contacts are the pairs of discs
    /// around paths that overlap; those that don't touch are dropped.
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
    ) -> Result<SweptMoves> {
        let mut moves = SweptMoves::default();
        {
            let agents = &*agents;
            contacts.retain(&|pair| path::first_touch(agents, pair, motion).is_some());
        }
        self.queue.clear();
        self.queue_alone(agents, grid, motion, statics)?;
        self.note_first(agents, contacts, motion);
        moves.exchange = self.collide_first(agents, contacts, motion);
        self.queue_rest(agents, contacts, motion)?;
        self.search_new(agents, grid, motion, statics)?;
        self.run_queue(agents, grid, motion, statics, &mut moves)?;
        let room = self.queue.capacity();
        if room > self.room {
            self.room = room;
            self.growths += 1;
        }
        Ok(moves)
    }

    /// Queues what agents hit that are looked at one by one: walls, statics, and other agents on
    /// paths that are too long for their discs.
    fn queue_alone(
        &mut self,
        agents: &Agents,
        grid: &Grid,
        motion: &Motion,
        statics: &Statics,
    ) -> Result<()> {
        let Self { since, first, alone, queue, reach_max, .. } = self;
        let search = Search { agents, since, grid, motion, statics };
        for (word, &bits) in alone.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let slot = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let mut kept = Ok(());
                let mut push = |event: Event| {
                    first[slot] = first[slot].min(event.time);
                    if let Some(other) = event.other_slot() {
                        first[other] = first[other].min(event.time);
                    }
                    if kept.is_ok() {
                        kept = queue::push(queue, event);
                    }
                };
                search.fixed(slot, &mut push);
                if path::is_long(agents, slot, motion, *reach_max) {
                    search.agents(slot, &mut push);
                }
                kept?;
            }
        }
        Ok(())
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
        let near = |first: &mut &mut [f32], base, pair| {
            note(first, base, pair);
            Exchange::default()
        };
        for parity in PARITIES {
            contacts.each_near(parity, &mut self.first[..], &near);
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
        all
    }

    /// Queues the hits of agents that have not collided yet.
    fn queue_rest(&mut self, agents: &Agents, contacts: &Contacts, motion: &Motion) -> Result<()> {
        for pair in contacts.near().chain(contacts.others()) {
            let fresh = pair.iter().all(|&slot| self.since[slot as usize] == NEVER);
            if let Some(time) = path::first_touch(agents, pair, motion).filter(|_| fresh) {
                let event = Event::new(time, pair, [NEVER; 2], agents);
                queue::push(&mut self.queue, event)?;
            }
        }
        Ok(())
    }

    /// Searches what the agents hit next that have collided, and queues it.
    fn search_new(
        &mut self,
        agents: &Agents,
        grid: &Grid,
        motion: &Motion,
        statics: &Statics,
    ) -> Result<()> {
        let Self { since, first, queue, .. } = self;
        let search = Search { agents, since, grid, motion, statics };
        parallel::pieces(
            &mut first[..],
            PIECE,
            &|start, first: &mut [f32]| {
                for (slot, first) in (start..).zip(first) {
                    if since[slot] != NEVER {
                        *first = search.next(slot);
                    }
                }
            },
            &|(), ()| (),
        );
        for slot in 0..first.len() {
            if since[slot] != NEVER && first[slot] < f32::INFINITY {
                search.queue(slot, queue)?;
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
        moves: &mut SweptMoves,
    ) -> Result<()> {
        let Self { since, queue, .. } = self;
        let most = EVENTS_MIN + ROUNDS_MAX * agents.len();
        for _ in 0..most {
            let Some(Reverse(event)) = queue.pop() else { break };
            let slots = event.slots();
            if slots.clone().zip(event.stamps).any(|(slot, stamp)| since[slot] != stamp) {
                continue;
            }
            queue::happen(&event, agents, since, motion, statics, moves);
            let search = Search { agents, since, grid, motion, statics };
            for slot in slots {
                search.queue(slot, queue)?;
            }
        }
        queue.clear();
        Ok(())
    }
}

/// An error for a queue that can't grow.
fn grown<T>(result: Result<T>) -> Result<T> {
    alloc::with_remedy(result, SPREAD_OUT)
}
