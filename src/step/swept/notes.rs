//! Notes: when agents hit something next, and when they last did.

use crate::{contacts::Pair, parallel::Split};

/// The time of the last hit of an agent that has not collided in this step.
pub(super) const NEVER: f32 = -1.0;

/// What is known of an agent. All of it is forgotten at the start of a step, so these bytes are all
/// that has to be filled in for each agent.
const NOTED: u8 = 1;
/// Its next hit has happened: the time noted is that of its last hit.
const TAKEN: u8 = 2;
/// It was hit in an earlier round.
const HIT: u8 = 4;

/// What some agents hit, to be split.
pub(super) struct Notes<'a> {
    /// [`NOTED`], [`TAKEN`] and [`HIT`].
    pub(super) state: &'a mut [u8],
    /// The time of an agent's next hit, in seconds since the start of the step.
    pub(super) next: &'a mut [f32],
    /// The time of an agent's last hit in an earlier round.
    pub(super) last: &'a mut [f32],
}

impl Notes<'_> {
    /// Forgets the next hit of an agent, and keeps the last one, for the next round.
    #[inline(always)]
    pub(super) fn forget_next(&mut self, entry: usize) {
        if self.state[entry] & TAKEN != 0 {
            self.last[entry] = self.next[entry];
            self.state[entry] = HIT;
        }
        self.state[entry] &= HIT;
    }

    /// The time of an agent's last hit in the rounds before, [`NEVER`] without one.
    #[inline(always)]
    pub(super) fn last(&self, entry: usize) -> f32 {
        if self.state[entry] & HIT != 0 { self.last[entry] } else { NEVER }
    }

    /// That of two agents.
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
        let next = self.next[entry];
        let known = (self.state[entry] & NOTED != 0) & (next <= time);
        self.next[entry] = if known { next } else { time };
        self.state[entry] |= NOTED;
    }

    /// True if a time is that of the next hit of an agent which has not happened yet.
    #[inline(always)]
    pub(super) fn is_next(&self, entry: usize, time: f32) -> bool {
        (self.state[entry] & TAKEN == 0) & (self.next[entry] == time)
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
        self.next[entry] = stamp(self.last(entry), time);
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
        let above = Self { state: state_above, next: next_above, last: last_above };
        (Self { state, next, last }, above)
    }
}

/// The time of a collision, if need be a bit later than that of the one before, so that events that
/// were predicted before it are known.
#[inline(always)]
fn stamp(last: f32, time: f32) -> f32 {
    if time > last { time } else { last.next_up() }
}
