//! Swept collisions: each pair that touches within a step collides at the moment when it does.
//!
//! Overlap that is found after a step is a collision that happened earlier, at another place; pairs
//! that only graze each other are missed. Here the paths of the agents are searched instead of
//! their positions. A column of positions and one of velocities are a path as long as nothing
//! happens: `x + v·t`. An agent that collides at time `t` gets another velocity, and the position
//! from which the new path leads through the point of the collision. So a path is always two
//! vectors, and integration ends all of them as it ends a step without collisions.
//!
//! ```text
//! cover     a disc around each path; the grid is made exact for these
//! find      pairs of such discs that overlap                               by any index
//! first     the time of each agent's first hit                             bands
//! collide   pairs for which it is the first hit of both                    bands
//!           again, until no pair is left that touches, a few times at most
//! ```
//!
//! In nine of ten collisions of a gas, the two agents meet nothing else within the step. Pairs that
//! do not touch on their first paths are dropped, so what an agent meets on its path after a
//! collision is found in the next step, if the two still overlap then: their paths lead back to the
//! moment when they touched, and they collide there, late but in the right place. What happens in
//! the meantime is wrong, and a pair that grazes within the rest of the step is missed: errors of
//! second order in the length of the step.
//!
//! Walls and statics that a path reaches before its agent collides are hit at their own time, too.
//! What an agent reaches after its last collision is left to integration, which follows its path
//! from there. Agents that overlap without a moment of contact in the last step, because they were
//! put there, are separated at once.
//!
//! No agent passes a static. Where there are any, paths after a collision are tested against them
//! in the next round, and an agent that is moved, to be separated or back to where it touched
//! another, gets no farther than to a static.

mod cover;
mod fixed;
mod notes;
mod path;
mod touch;

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use glam::Vec2;

use self::{
    cover::{Advance, Cover, CoverColumns, Covered, Covers},
    fixed::Bounces,
    touch::Paths,
};
pub(crate) use self::{
    notes::{LastHits, Noted},
    touch::FirstTouches,
};
use super::{
    band_sums::BandSums,
    integrate::Trajectory,
    motion::{Motion, Moved},
    pair_contact::Exchange,
    travel::Surroundings,
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{ContactList, ContactSink, Narrowing, PARITIES, Pair, Sought},
    error::Result,
    exact::ExactSum,
    geometry::{DiscColumns, Space},
    grid::Grid,
    parallel,
    simd::SimdLevel,
    statics::Statics,
};

/// Slots per task: whole words of bits.
const PIECE: usize = 8_192;

/// Rounds of a step, in each of which an agent may collide once. Other pairs collide in the next
/// step.
pub(crate) const ROUNDS: usize = 4;

/// Purpose of the memory, for errors.
const PATHS: &str = "the paths of swept collisions";

/// Impulses of a step, added up.
#[derive(Clone, Debug, Default)]
pub(crate) struct SweptMoves {
    /// Impulses between agents.
    pub exchange: Exchange,
    /// Momentum that walls took up.
    pub wall_impulse: ExactSum,
}

/// The paths of a step, and what happens on them.
#[derive(Clone, Debug)]
pub(crate) struct Swept {
    /// Discs around the paths.
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    noted: Noted,
    /// The time at which each contact happens, laid out as the list is.
    times: Vec<f32>,
    /// One bit per agent: its path may reach a wall or a static, or is longer than its disc shows.
    alone: Vec<u64>,
    /// The longest half of a path that a disc covers, world units.
    half_max: f32,
    /// One bit per agent: the disc around its next path is an outlier. As long as `ahead` holds.
    outliers: Vec<u64>,
    /// The counts of the next paths, if the discs are already around these, and nothing has changed
    /// the agents since.
    ahead: Option<Covered>,
}

impl Swept {
    /// Creates the columns of `capacity` agents, and the column of a list of `pairs` contacts.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, pairs: usize) -> Result<Self> {
        let column = || alloc::with_capacity(capacity, PATHS);
        Ok(Self {
            x: column()?,
            y: column()?,
            radius: column()?,
            noted: Noted::new(capacity, PATHS)?,
            times: alloc::filled(pairs, 0.0, PATHS)?,
            alone: alloc::with_capacity(capacity.div_ceil(64), PATHS)?,
            half_max: 0.0,
            outliers: alloc::with_capacity(capacity.div_ceil(64), PATHS)?,
            ahead: None,
        })
    }

    /// Bytes that [`Self::new`] allocates.
    pub(crate) fn memory_for(capacity: usize, pairs: usize) -> usize {
        (capacity * 5 + pairs) * size_of::<f32>()
            + capacity
            + 2 * capacity.div_ceil(64) * size_of::<u64>()
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        (self.x.capacity() * 3 + self.times.capacity()) * size_of::<f32>()
            + self.noted.memory()
            + (self.alone.capacity() + self.outliers.capacity()) * size_of::<u64>()
    }

    /// The largest disc around a path of an agent in a world where the largest radius is that.
    pub(crate) fn cover_max(radius_max: f32) -> f32 {
        2.0 * radius_max
    }

    /// Sets the largest radius of the agents, which decides how long a path a disc may cover.
    pub(crate) fn set_radius_max(&mut self, radius: f32, space: &Space) {
        let room = if space.is_periodic() { space.radius_max() - radius } else { radius };
        self.half_max = radius.min(room).max(0.0);
        self.forget_ahead();
    }

    /// The discs around the paths, to be searched for pairs. Pairs that do not touch are dropped.
    pub(crate) fn search<'a>(&'a mut self, touches: &'a FirstTouches<'a>) -> Sought<'a> {
        let Self { x, y, radius, times, .. } = self;
        let narrowing = Narrowing { by: touches, column: times, purpose: PATHS };
        let discs = DiscColumns { x, y, radius };
        Sought { narrowing: Some(narrowing), ..discs.into() }
    }

    /// Adds gravity to the velocities and covers each path by a disc; makes the grid exact for
    /// these.
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
        let half_max = self.half_max;
        let covers = Covers { motion, half_max };
        let covered = if let Some(covered) = self.ahead.take() {
            debug_assert!(cover::are_current(self.discs(), agents, covers), "paths have changed");
            grid.set_outliers(&self.outliers);
            covered
        } else {
            self.resize(count);
            let Self { x, y, radius, alone, .. } = self;
            let to = CoverColumns { x, y, radius, alone, scan: grid.outlier_scan(count) };
            parallel::pieces(
                (agents.view_mut(), to),
                PIECE,
                &|_, (agents, to)| simd.run(Cover { agents, to, covers }),
                &Covered::merge,
            )
        };
        let Self { x, y, radius, alone, .. } = self;
        let discs = DiscColumns { x, y, radius };
        let around = Surroundings { motion, statics };
        if !statics.is_empty() {
            parallel::pieces(
                &mut alone[..],
                PIECE / 64,
                &|start, words: &mut [u64]| {
                    for (word, bits) in (start..).zip(words) {
                        *bits |= fixed::near_statics(word, discs, around);
                    }
                },
                &|(), ()| (),
            );
        }
        grid.list_outliers(&discs, covered.outliers)?;
        Ok(covered)
    }

    /// Makes all columns `count` agents long.
    fn resize(&mut self, count: usize) {
        let Self { x, y, radius, noted, alone, outliers, .. } = self;
        noted.resize(count);
        for column in [x, y, radius] {
            column.resize(count, 0.0);
        }
        for bits in [alone, outliers] {
            bits.resize(count.div_ceil(64), 0);
        }
    }

    /// The discs around the paths.
    pub(crate) fn discs(&self) -> DiscColumns<'_> {
        DiscColumns { x: &self.x, y: &self.y, radius: &self.radius }
    }

    /// Moves all agents along their paths to the end of the step, in a world without gravity, and
    /// covers the paths of the next step at once. This saves a pass over all agents.
    pub(crate) fn advance(
        &mut self,
        agents: &mut Agents,
        grid: &mut Grid,
        motion: &Motion,
        statics: &Statics,
        simd: SimdLevel,
    ) -> Moved {
        let Self { x, y, radius, alone, outliers, half_max, noted, .. } = self;
        let covers = Covers { motion, half_max: *half_max };
        let hits = noted.last_hits();
        let [scan, next] = grid.outlier_scans(agents.len(), outliers);
        let to = CoverColumns { x, y, radius, alone, scan: next };
        let (moved, covered) = parallel::pieces(
            (agents.view_mut(), scan, to),
            PIECE,
            &|_, (agents, scan, to)| simd.run(Advance { agents, hits, scan, to, covers, statics }),
            &|one: (Moved, Covered), other| (one.0.merge(other.0), one.1.merge(other.1)),
        );
        self.ahead = Some(covered);
        moved
    }

    /// How agents get through a step after the hits that were resolved, those from a slot on.
    pub(crate) fn trajectory_from(&self, slot: usize) -> Trajectory<'_> {
        Trajectory::AfterHits(self.noted.last_hits().from(slot))
    }

    /// Forgets the discs around the next paths, because the agents or their motion have changed.
    pub(crate) fn forget_ahead(&mut self) {
        self.ahead = None;
    }

    /// Lets agents collide and bounce in the order of time. The contacts were
    /// [searched](Self::search); pairs that did not collide stay in the list, and those that did are
    /// logged.
    #[inline(never)]
    pub(crate) fn resolve(
        &mut self,
        agents: &mut Agents,
        contacts: &mut ContactList,
        motion: &Motion,
        statics: &Statics,
        log: &impl ContactSink,
    ) -> SweptMoves {
        let (mut sums, mut wall_impulse) = (BandSums::default(), ExactSum::default());
        let around = Surroundings { motion, statics };
        let count = agents.len();
        self.begin_step();
        for round in 0..ROUNDS {
            #[cfg(feature = "cli")]
            let _round = crate::trace::round();
            let is_start = round == 0;
            self.note_fixed(agents, around, is_start);
            self.note_others(agents, contacts, motion, is_start);
            let mut met = false;
            for pass in PASSES {
                met |= self.pass(pass, agents, contacts, (around, is_start), &mut sums.near, log);
            }
            met |= self.collide_others(agents, contacts, around, &mut sums, log);
            let bounces = self.bounce(agents, count, around);
            wall_impulse = wall_impulse.merge(bounces.wall_impulse);
            if !met && bounces.count == 0 {
                break;
            }
        }
        SweptMoves { exchange: sums.total(contacts.bands().len()), wall_impulse }
    }

    /// Begins the rounds of a step.
    pub(crate) fn begin_step(&mut self) {
        self.noted.begin_step();
    }

    /// The notes of all agents.
    pub(crate) fn noted(&mut self) -> &mut Noted {
        &mut self.noted
    }

    /// Notes when agents hit walls and statics.
    pub(crate) fn note_fixed(&mut self, agents: &Agents, around: Surroundings<'_>, is_start: bool) {
        let Self { noted, alone, .. } = self;
        if !is_start && !around.statics.is_empty() {
            fixed::add_hit(alone, noted.last_hits());
        }
        fixed::note_hits(agents, noted.notes(), alone, around);
    }

    /// Notes when pairs with an outlier and pairs across the seam touch, and drops pairs that do
    /// not.
    fn note_others(
        &mut self,
        agents: &Agents,
        contacts: &mut ContactList,
        motion: &Motion,
        is_start: bool,
    ) {
        let Self { noted, times, .. } = self;
        let mut notes = noted.notes();
        let paths = Paths::new(agents, motion);
        contacts.retain_outliers(times, |_, pairs, times| {
            let waiting = touch::keep_next(paths, pairs, times, &notes, is_start);
            path::note_all(&mut notes, 0, &pairs[..waiting], times);
            waiting
        });
        let nearest = |apart| motion.space.minimum_image(apart);
        contacts
            .retain_across_seam(|pair| note_touch(agents, noted, pair, motion, nearest).is_some());
    }

    /// A pass over the near pairs of the bands of one parity. Adds the impulses of each band; returns true
    /// if a pair has collided.
    pub(crate) fn pass(
        &mut self,
        Pass { parity, notes, collides }: Pass,
        agents: &mut Agents,
        contacts: &mut ContactList,
        (around, is_start): (Surroundings<'_>, bool),
        of_bands: &mut [Exchange],
        log: &impl ContactSink,
    ) -> bool {
        let Self { noted, times, .. } = self;
        let any = AtomicBool::new(false);
        let data = (agents.view_mut(), noted.notes());
        contacts.retain_near(parity, data, times, of_bands, &|data, pairs, times, of_band| {
            let (agents, to) = data;
            let mut waiting = pairs.len();
            if notes {
                let paths = Paths::of(agents, around.motion);
                waiting = touch::keep_next(paths, pairs, times, to, is_start);
                path::note_all(to, agents.first, &pairs[..waiting], times);
            }
            if !collides {
                return waiting;
            }
            let pairs = &mut pairs[..waiting];
            let kept = path::collide_next(agents, to, pairs, times, around, of_band, log);
            if kept < waiting {
                any.store(true, Ordering::Relaxed);
            }
            kept
        });
        any.into_inner()
    }

    /// Lets pairs with an outlier and pairs across the seam collide if this is the next hit of both agents,
    /// and drops those that do. Adds their impulses; returns true if there are any.
    fn collide_others(
        &mut self,
        agents: &mut Agents,
        contacts: &mut ContactList,
        around: Surroundings<'_>,
        sums: &mut BandSums,
        log: &impl ContactSink,
    ) -> bool {
        let Self { noted, times, .. } = self;
        let mut met = false;
        contacts.retain_outliers(times, |band, pairs, times| {
            let (view, notes) = (&mut agents.view_mut(), &mut noted.notes());
            let of_band = &mut sums.late[band];
            let kept = path::collide_next(view, notes, pairs, times, around, of_band, log);
            met |= kept < pairs.len();
            kept
        });
        contacts.retain_across_seam(|pair| {
            let exchange = collide_across_seam(agents, noted, pair, around, log);
            sums.across += exchange.unwrap_or_default();
            met |= exchange.is_some();
            exchange.is_none()
        });
        met
    }

    /// Lets agents bounce off walls and statics if this is their next hit, and ends the round. Adds up what
    /// the first `counted` agents do.
    pub(crate) fn bounce(
        &mut self,
        agents: &mut Agents,
        counted: usize,
        around: Surroundings<'_>,
    ) -> Bounces {
        let Self { noted, alone, .. } = self;
        let bounces = fixed::bounce_first(agents, noted.notes(), alone, counted, around);
        noted.begin_round();
        bounces
    }

    /// Number of agents in some slots with a path that is longer than its disc.
    pub(crate) fn long_paths(&self, agents: &Agents, slots: Range<usize>, motion: &Motion) -> u64 {
        let is_long = |&slot: &usize| {
            cover::is_long([agents.vx[slot], agents.vy[slot]], motion.dt, self.half_max)
        };
        slots.filter(is_long).count() as u64
    }
}

/// A pass over the near pairs of the bands of one parity.
#[derive(Clone, Copy)]
pub(crate) struct Pass {
    pub(crate) parity: usize,
    /// Notes when pairs touch, and drops pairs that no longer do.
    notes: bool,
    /// Lets each pair collide if this is the next hit of both agents, and drops it then.
    collides: bool,
}

/// The passes of a round. Even bands note and collide in one go, while their agents are in the cache: odd
/// bands have noted the agents that they share with them before.
pub(crate) const PASSES: [Pass; 3] = {
    let [even, odd] = PARITIES;
    [
        Pass { parity: odd, notes: true, collides: false },
        Pass { parity: even, notes: true, collides: true },
        Pass { parity: odd, notes: false, collides: true },
    ]
};

/// Notes when the paths of two agents touch next, if they do. `nearest` turns the displacement between the
/// two into the displacement between the copies that may touch.
pub(crate) fn note_touch(
    agents: &Agents,
    noted: &mut Noted,
    pair: Pair,
    motion: &Motion,
    nearest: impl Fn(Vec2) -> Vec2,
) -> Option<f32> {
    let mut notes = noted.notes();
    let last = notes.last_of(0, pair);
    let time = touch::next_touch(Paths::new(agents, motion), pair, last, nearest)?;
    notes.note_pair(0, pair, time);
    Some(time)
}

/// Lets a pair collide at a time, if this is the next hit of both agents. `nearest` is as for [`note_touch`].
pub(crate) fn collide_if_next(
    agents: &mut Agents,
    noted: &mut Noted,
    (pair, time): (Pair, f32),
    around: Surroundings<'_>,
    nearest: impl Fn(Vec2) -> Vec2,
    log: &impl ContactSink,
) -> Option<Exchange> {
    let (view, notes) = (&mut agents.view_mut(), &mut noted.notes());
    let collides = notes.is_next_of(0, pair, time);
    collides.then(|| path::collide(view, notes, pair, time, around, nearest, log))
}

/// The same for a pair across the seam, at the time at which the two touch now.
pub(crate) fn collide_across_seam(
    agents: &mut Agents,
    noted: &mut Noted,
    pair: Pair,
    around: Surroundings<'_>,
    log: &impl ContactSink,
) -> Option<Exchange> {
    let nearest = |apart| around.motion.space.minimum_image(apart);
    let last = noted.notes().last_of(0, pair);
    let time = touch::next_touch(Paths::new(agents, around.motion), pair, last, nearest)?;
    collide_if_next(agents, noted, (pair, time), around, nearest, log)
}
