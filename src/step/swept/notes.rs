//! Notes: when agents hit something next, and when they last did.

use crate::{contacts::Pair, parallel::Split};

/// The time of the last hit of an agent that has not collided in this step.
pub(super) const NEVER: f32 = -1.0;

/// The state of an agent is valid from the round in which it was noted. The upper bits of a byte
/// count rounds on from step to step, so that nothing has to be reset before a round, and hardly
/// ever before a step.
const ROUND: u8 = 4;
/// Marks an agent whose next hit has happened: the time noted is the time of its last hit.
const TAKEN: u8 = 2;
/// Marks an agent that was hit in an earlier round of the step.
const HIT: u8 = 1;

/// The first round of the step, and the current one, as in the bytes of the agents' states.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    /// The first one of the step.
    start: u8,
    now: u8,
}

impl Rounds {
    /// Begins the first round of a step of at most `most` rounds.
    pub(super) fn begin_step(&mut self, most: usize, state: &mut [u8]) {
        if usize::from(u8::MAX / ROUND - self.now / ROUND) < most {
            self.now = 0;
            state.fill(0);
        }
        self.begin_round();
        self.start = self.now;
    }

    /// Begins another round.
    pub(super) fn begin_round(&mut self) {
        self.now += ROUND;
    }

    /// The time of an agent's last hit in the rounds before, from its state and its times;
    /// [`NEVER`] without one.
    #[inline(always)]
    fn last(self, state: u8, next: f32, last: f32) -> f32 {
        let Self { start, now } = self;
        if state < start {
            NEVER
        } else if (state < now) & (state & TAKEN != 0) {
            next
        } else if state & HIT != 0 {
            last
        } else {
            NEVER
        }
    }
}

/// The last hits of all agents in the rounds of a step until now.
#[derive(Clone, Copy)]
pub(crate) struct LastHits<'a> {
    pub(super) rounds: Rounds,
    pub(super) state: &'a [u8],
    pub(super) next: &'a [f32],
    pub(super) last: &'a [f32],
}

impl LastHits<'_> {
    /// The time from which on the path of an agent is as it is now, in seconds since the start of
    /// the step.
    pub(crate) fn since(&self, slot: usize) -> f32 {
        self.rounds.last(self.state[slot], self.next[slot], self.last[slot]).max(0.0)
    }

    /// One bit per agent of a word: it was hit.
    pub(super) fn bits(&self, word: usize) -> u64 {
        let slots = word * 64..self.state.len().min(word * 64 + 64);
        let was_hit = |&state: &u8| (state >= self.rounds.start) & (state & (TAKEN | HIT) != 0);
        let states = self.state[slots].iter().enumerate();
        states.fold(0, |bits, (bit, state)| bits | u64::from(was_hit(state)) << bit)
    }
}

/// The hits of some agents, which can be split.
pub(super) struct Notes<'a> {
    pub(super) rounds: Rounds,
    /// The [`ROUND`] in which the next hit was noted, [`TAKEN`] and [`HIT`].
    pub(super) state: &'a mut [u8],
    /// The time of an agent's next hit, in seconds since the start of the step.
    pub(super) next: &'a mut [f32],
    /// The time of an agent's last hit before the round in which the next one was noted.
    pub(super) last: &'a mut [f32],
}

impl Notes<'_> {
    /// The time of an agent's last hit in the rounds before, [`NEVER`] without one.
    #[inline(always)]
    pub(super) fn last(&self, entry: usize) -> f32 {
        self.rounds.last(self.state[entry], self.next[entry], self.last[entry])
    }

    /// The same for an agent of which the next hit has been noted in this round.
    #[inline(always)]
    pub(super) fn last_of_noted(&self, entry: usize) -> f32 {
        if self.state[entry] & HIT != 0 { self.last[entry] } else { NEVER }
    }

    /// The later of the times of the last hits of two agents.
    #[inline(always)]
    pub(super) fn last_of(&self, base: usize, pair: Pair) -> f32 {
        let [one, other] = pair.map(|slot| self.last(slot as usize - base));
        one.max(other)
    }

    /// Notes the time at which two agents touch.
    #[inline(always)]
    pub(super) fn note_pair(&mut self, base: usize, [i, j]: Pair, time: f32) {
        self.note(i as usize - base, time);
        self.note(j as usize - base, time);
    }

    /// Notes the time of a hit: the earliest is the next one.
    #[inline(always)]
    pub(super) fn note(&mut self, entry: usize, time: f32) {
        let Rounds { start, now } = self.rounds;
        let (state, next) = (self.state[entry], self.next[entry]);
        let known = state >= now;
        self.next[entry] = if known & (next <= time) { next } else { time };
        self.state[entry] = state.max(now);
        // The agent was noted in an earlier round of the step.
        if (state >= start) & (state < now) {
            self.last[entry] = if state & TAKEN != 0 { next } else { self.last[entry] };
            self.state[entry] = now | if state & (TAKEN | HIT) != 0 { HIT } else { 0 };
        }
    }

    /// True if the next hit of an agent is at a time, and has not happened yet.
    #[inline(always)]
    pub(super) fn is_next(&self, entry: usize, time: f32) -> bool {
        (self.state[entry] & !HIT == self.rounds.now) & (self.next[entry] == time)
    }

    /// True if that holds for both agents of a pair.
    #[inline(always)]
    pub(super) fn is_next_of(&self, base: usize, pair: Pair, time: f32) -> bool {
        let [one, other] = pair.map(|slot| self.is_next(slot as usize - base, time));
        one & other
    }

    /// Lets the next hit of an agent happen at a time; it has no other before the next round.
    #[inline(always)]
    pub(super) fn take(&mut self, entry: usize, time: f32) {
        self.next[entry] = stamp(self.last_of_noted(entry), time);
        self.state[entry] |= TAKEN;
    }
}

impl Split for Notes<'_> {
    fn len(&self) -> usize {
        self.state.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (state, state_above) = self.state.split_at_mut(at);
        let (next, next_above) = self.next.split_at_mut(at);
        let (last, last_above) = self.last.split_at_mut(at);
        let rounds = self.rounds;
        let above = Self { rounds, state: state_above, next: next_above, last: last_above };
        (Self { rounds, state, next, last }, above)
    }
}

/// The time of a collision, if need be a bit later than the last collision, so that events that
/// were predicted before it are told apart.
#[inline(always)]
fn stamp(last: f32, time: f32) -> f32 {
    if time > last { time } else { last.next_up() }
}
