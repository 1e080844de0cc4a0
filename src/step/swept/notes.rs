//! Notes: when agents hit something next, and when they last did.

use crate::{alloc, contacts::Pair, error::Result, parallel::Split};

/// Rounds of a step, in each of which an agent may collide once. Other pairs collide in the next
/// step.
pub(crate) const ROUNDS: usize = 4;

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
struct Rounds {
    /// The first one of the step.
    start: u8,
    now: u8,
}

impl Rounds {
    /// Begins the first round of a step.
    fn begin_step(&mut self, state: &mut [u8]) {
        // One more round begins at the end, so that the last hits are those of all rounds.
        if usize::from(u8::MAX / ROUND - self.now / ROUND) < ROUNDS + 1 {
            self.now = 0;
            state.fill(0);
        }
        self.begin_round();
        self.start = self.now;
    }

    /// Begins another round.
    fn begin_round(&mut self) {
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

/// The notes of all agents.
#[derive(Clone, Debug, Default)]
pub(crate) struct NoteColumns {
    rounds: Rounds,
    /// The state of each agent, and the round in which it was noted; see [`Notes`].
    state: Vec<u8>,
    next: Vec<f32>,
    last: Vec<f32>,
}

impl NoteColumns {
    /// Words per agent.
    pub(crate) const WORDS: usize = 3;

    /// Creates the notes of `capacity` agents.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(capacity: usize, purpose: &'static str) -> Result<Self> {
        let column = || alloc::with_capacity(capacity, purpose);
        let state = alloc::with_capacity(capacity, purpose)?;
        Ok(Self { rounds: Rounds::default(), state, next: column()?, last: column()? })
    }

    /// Makes the columns `count` agents long.
    pub(crate) fn resize(&mut self, count: usize) {
        self.state.resize(count, 0);
        self.next.resize(count, 0.0);
        self.last.resize(count, 0.0);
    }

    /// Begins the first round of a step.
    pub(super) fn begin_step(&mut self) {
        self.rounds.begin_step(&mut self.state);
    }

    /// Begins another round.
    pub(super) fn begin_round(&mut self) {
        self.rounds.begin_round();
    }

    /// Takes over the number of the round from other notes.
    pub(crate) fn follow(&mut self, others: &Self) {
        self.rounds = others.rounds;
    }

    /// The notes, to be changed.
    pub(super) fn notes(&mut self) -> Notes<'_> {
        let Self { rounds, state, next, last } = self;
        Notes { rounds: *rounds, state, next, last }
    }

    pub(super) fn last_hits(&self) -> LastHits<'_> {
        let Self { rounds, state, next, last } = self;
        LastHits { rounds: *rounds, state, next, last }
    }

    /// The note of an agent as words.
    pub(crate) fn words(&self, slot: usize) -> [u32; Self::WORDS] {
        [self.state[slot].into(), self.next[slot].to_bits(), self.last[slot].to_bits()]
    }

    /// Sets the note of an agent to the first of these words.
    pub(crate) fn set(&mut self, slot: usize, words: &[u32]) {
        self.state[slot] = words[0] as u8;
        [self.next[slot], self.last[slot]] = [words[1], words[2]].map(f32::from_bits);
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.state.capacity() + (self.next.capacity() + self.last.capacity()) * size_of::<f32>()
    }
}

/// The last hits of all agents in the rounds of a step until now.
#[derive(Clone, Copy)]
pub(crate) struct LastHits<'a> {
    rounds: Rounds,
    state: &'a [u8],
    next: &'a [f32],
    last: &'a [f32],
}

impl LastHits<'_> {
    /// The last hits of the agents from a slot on.
    pub(crate) fn from(self, slot: usize) -> Self {
        let Self { rounds, state, next, last } = self;
        Self { rounds, state: &state[slot..], next: &next[slot..], last: &last[slot..] }
    }

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
    rounds: Rounds,
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
