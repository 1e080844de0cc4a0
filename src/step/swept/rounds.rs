//! The rounds of swept collisions: agents collide and bounce in the order of time.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::Vec2;

use super::{
    fixed::{self, Bounces},
    notes::{NoteColumns, ROUNDS},
    path,
    paths::Swept,
    touch::{self, Paths},
};
use crate::{
    agents::Agents,
    contacts::{ContactList, ContactSink, PARITIES, Pair},
    exact::ExactSum,
    statics::Statics,
    step::{band_sums::BandSums, motion::Motion, pair_contact::Exchange, travel::Surroundings},
};

/// Impulses of a step, added up.
#[derive(Clone, Debug, Default)]
pub(crate) struct SweptMoves {
    /// Impulses between agents.
    pub exchange: Exchange,
    /// Momentum that walls took up.
    pub wall_impulse: ExactSum,
}

impl Swept {
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
        self.notes.begin_step();
    }

    /// The notes of all agents.
    pub(crate) fn notes(&mut self) -> &mut NoteColumns {
        &mut self.notes
    }

    /// Notes when agents hit walls and statics.
    pub(crate) fn note_fixed(&mut self, agents: &Agents, around: Surroundings<'_>, is_start: bool) {
        let Self { notes: columns, alone, .. } = self;
        if !is_start && !around.statics.is_empty() {
            fixed::add_hit(alone, columns.last_hits());
        }
        fixed::note_hits(agents, columns.notes(), alone, around);
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
        let Self { notes: columns, times, .. } = self;
        let mut notes = columns.notes();
        let paths = Paths::new(agents, motion);
        contacts.retain_outliers(times, |_, pairs, times| {
            let waiting = touch::keep_next(paths, pairs, times, &notes, is_start);
            path::note_all(&mut notes, 0, &pairs[..waiting], times);
            waiting
        });
        let nearest = |apart| motion.space.minimum_image(apart);
        contacts.retain_across_seam(|pair| {
            note_touch(agents, columns, pair, motion, nearest).is_some()
        });
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
        let Self { notes: columns, times, .. } = self;
        let any = AtomicBool::new(false);
        let data = (agents.view_mut(), columns.notes());
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
        let Self { notes: columns, times, .. } = self;
        let mut met = false;
        contacts.retain_outliers(times, |band, pairs, times| {
            let (view, notes) = (&mut agents.view_mut(), &mut columns.notes());
            let of_band = &mut sums.late[band];
            let kept = path::collide_next(view, notes, pairs, times, around, of_band, log);
            met |= kept < pairs.len();
            kept
        });
        contacts.retain_across_seam(|pair| {
            let exchange = collide_across_seam(agents, columns, pair, around, log);
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
        let Self { notes: columns, alone, .. } = self;
        let bounces = fixed::bounce_first(agents, columns.notes(), alone, counted, around);
        columns.begin_round();
        bounces
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
    columns: &mut NoteColumns,
    pair: Pair,
    motion: &Motion,
    nearest: impl Fn(Vec2) -> Vec2,
) -> Option<f32> {
    let mut notes = columns.notes();
    let last = notes.last_of(0, pair);
    let time = touch::next_touch(Paths::new(agents, motion), pair, last, nearest)?;
    notes.note_pair(0, pair, time);
    Some(time)
}

/// Lets a pair collide at a time, if this is the next hit of both agents. `nearest` is as for [`note_touch`].
pub(crate) fn collide_if_next(
    agents: &mut Agents,
    columns: &mut NoteColumns,
    (pair, time): (Pair, f32),
    around: Surroundings<'_>,
    nearest: impl Fn(Vec2) -> Vec2,
    log: &impl ContactSink,
) -> Option<Exchange> {
    let (view, notes) = (&mut agents.view_mut(), &mut columns.notes());
    let collides = notes.is_next_of(0, pair, time);
    collides.then(|| path::collide(view, notes, pair, time, around, nearest, log))
}

/// The same for a pair across the seam, at the time at which the two touch now.
pub(crate) fn collide_across_seam(
    agents: &mut Agents,
    columns: &mut NoteColumns,
    pair: Pair,
    around: Surroundings<'_>,
    log: &impl ContactSink,
) -> Option<Exchange> {
    let nearest = |apart| around.motion.space.minimum_image(apart);
    let last = columns.notes().last_of(0, pair);
    let time = touch::next_touch(Paths::new(agents, around.motion), pair, last, nearest)?;
    collide_if_next(agents, columns, (pair, time), around, nearest, log)
}
