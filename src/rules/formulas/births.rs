//! Births: agents are appended, whose first values programs compute from the agents that they are
//! born of.
//!
//! ```text
//! marks      slot 0: [ – 2 ]  slot 1: [ – – ]  slot 2: [ 1 – ]     how many of which kind, per slot
//! newborn    0/1  0/1  2/0                                        in this order, with ascending ids
//! program    of each kind, over up to 256 newborn agents
//! ```

use glam::Vec2;

use super::{
    agents::{AgentProgram, AgentPrograms, BirthProgram, RunProgram, Target},
    columns::{AgentInput, ReadColumns},
};
use crate::{
    agents::{Agent, Agents},
    formula::{BLOCK, PLANES, Workspace},
    geometry::Disc,
    limits::{BORN_MAX, SPEED_MAX},
    rng::{Rng, keyed},
    rules::{
        agent::{AgentTask, AnyAgentRule, BirthCount, Births, marked},
        ranks::OtherRanks,
    },
    statics::Statics,
};

/// Streams of random numbers beside those of formulas, which end at 2²⁴: of the numbers of births,
/// of the places of newborn agents, and of the births that are refused.
pub(super) const NUMBERS: u64 = 1 << 32;
const PLACES: u64 = 1 << 33;
const REFUSALS: u64 = 1 << 34;

/// A birth.
#[derive(Clone, Copy, Debug, Default)]
struct Birth {
    /// The slot of the agent that another one is born of.
    of: usize,
    program: u8,
    kind: usize,
    /// Among the births of one kind and agent.
    number: u8,
}

impl Birth {
    /// A random number, by which births are refused.
    fn key(self, ids: &[u32], key: u64) -> u64 {
        let of_agent = keyed(key, ids[self.of].into());
        Rng::new(keyed(of_agent, (self.kind as u64) << 8 | u64::from(self.number))).bits()
    }
}

/// All births that were marked, in the order of the slots.
fn births(marks: &[u8], kinds: usize) -> impl Iterator<Item = Birth> {
    marked(marks).flat_map(move |at| {
        let (of, kind, mark) = (at / kinds, at % kinds, marks[at]);
        let program = mark >> 4;
        (0..mark & BORN_MAX).map(move |number| Birth { of, program, kind, number })
    })
}

/// Counts of keys by one of their digits.
type DigitCounts = [u64; 256];

/// The `room`-th smallest of more keys than that, digit by digit, so that no list of them is
/// needed. `count` says how many keys of all ranks have each value of a digit, among those that begin with the
/// known digits.
fn last_kept(room: u64, mut count: impl FnMut(Digit) -> DigitCounts) -> u64 {
    let (mut known, mut left) = (0_u64, room);
    for shift in (0..64).step_by(8).rev() {
        let counts = count(Digit { shift, known });
        let mut digit = 0;
        while digit < 255 && counts[digit] < left {
            left -= counts[digit];
            digit += 1;
        }
        known = known << 8 | digit as u64;
    }
    known
}

/// The digit at `shift` of keys that begin with the `known` digits.
#[derive(Clone, Copy, Debug)]
struct Digit {
    shift: u32,
    known: u64,
}

impl Digit {
    /// Counts keys by their digit.
    fn counts(self, keys: impl Iterator<Item = u64>) -> DigitCounts {
        let Self { shift, known } = self;
        let is_near = |key: &u64| shift == 56 || key >> (shift + 8) == known;
        let mut counts = [0; 256];
        keys.filter(is_near).for_each(|key| counts[(key >> shift & 255) as usize] += 1);
        counts
    }
}

impl AgentPrograms {
    /// Appends all agents that are born here.
    pub(super) fn bear_all(
        &self,
        agents: &mut Agents,
        marked: &Births<'_>,
        task: &AgentTask<'_>,
        ranks: &mut dyn OtherRanks,
    ) -> BirthCount {
        let Births { born: marks, room, next_id, statics } = *marked;
        let kinds = self.births();
        let here: u64 = marks.iter().map(|mark| u64::from(mark & BORN_MAX)).sum();
        let [all, before] = ranks.sum_and_below(here);
        if all == 0 || room == 0 {
            return BirthCount { refused: here, ..BirthCount::default() };
        }
        let key = task.moment.key(REFUSALS);
        let last = (all > room).then(|| {
            last_kept(room, |digit| {
                let mut counts =
                    digit.counts(births(marks, kinds).map(|birth| birth.key(&agents.id, key)));
                ranks.sum(&mut counts);
                counts
            })
        });
        let is_kept =
            |ids: &[u32], birth: &Birth| last.is_none_or(|last| birth.key(ids, key) <= last);
        let (kept, before) = if last.is_some() {
            let kept = births(marks, kinds).filter(|birth| is_kept(&agents.id, birth));
            let kept = kept.count() as u64;
            (kept, ranks.sum_and_below(kept)[1])
        } else {
            (here, before)
        };
        let mut count = BirthCount { born: all.min(room) as u32, ..BirthCount::default() };
        let mut left = kept.min(room.saturating_sub(before));
        count.refused = here - left;
        let mut next_id = next_id + before.min(room) as u32;
        let mut planes = Workspace::<PLANES>::new();
        let mut block = [Birth::default(); BLOCK];
        let mut marked = births(marks, kinds);
        while left > 0 {
            let mut filled = 0;
            let next = marked.by_ref().filter(|birth| is_kept(&agents.id, birth));
            for birth in next.take(BLOCK.min(left as usize)) {
                block[filled] = birth;
                filled += 1;
            }
            let block = &block[..filled];
            left -= filled as u64;
            next_id += filled as u32;
            self.append(agents, block, next_id);
            count.unwritten += self.begin(agents, block, (task, statics), &mut planes);
        }
        count
    }

    /// What is born, if there is such a birth.
    fn find(&self, birth: Birth) -> Option<&BirthProgram> {
        self.births.iter().find(|one| one.program == birth.program && one.kind == birth.kind)
    }

    /// Appends agents like those that they are born of, with initial values in their own columns. The last
    /// id is the one before `end`.
    fn append(&self, agents: &mut Agents, births: &[Birth], end: u32) {
        let Agents { x, y, vx, vy, radius, id, units, own } = agents;
        // Column by column, so that the parents' values are fetched at the same time.
        for column in [x, y, vx, vy, radius] {
            column.reserve(births.len());
            for birth in births {
                column.push(column[birth.of]);
            }
        }
        id.extend(end - births.len() as u32..end);
        for birth in births {
            if let Some(units) = units {
                units.push(units.faction[birth.of], units.health[birth.of]);
            }
            if let Some(own) = own {
                own.push(self.find(*birth).map_or(0, |found| found.species));
            }
        }
    }

    /// Computes the first values of the newest agents, of which there are as many as births;
    /// returns how many were not written.
    fn begin(
        &self,
        agents: &mut Agents,
        births: &[Birth],
        (task, statics): (&AgentTask<'_>, &Statics),
        planes: &mut Workspace<PLANES>,
    ) -> u64 {
        let first = agents.len() - births.len();
        let mut unwritten = 0;
        for BirthProgram { program, kind, newborn, .. } in &self.births {
            let is_one = |birth: &Birth| birth.program == *program && birth.kind == *kind;
            let mut slots = [0; BLOCK];
            let mut length = 0;
            for (at, birth) in births.iter().enumerate().filter(|(_, birth)| is_one(birth)) {
                let (columns, slot) = (ReadColumns::of(agents), first + at);
                for (input, plane) in newborn.inputs.iter().zip(&mut planes.0) {
                    let is_own = matches!(input, AgentInput::Id | AgentInput::IdBits);
                    let from = if is_own { slot } else { birth.of };
                    plane[length] = columns.get(*input, task.sums, from);
                }
                slots[length] = slot;
                length += 1;
            }
            if length > 0 {
                let (named, planes) = (&self.named, &mut planes.0);
                if !newborn.assignments.is_empty() {
                    task.simd.run(RunProgram { program: newborn, task, named, planes, length });
                }
                unwritten += newborn.write(agents, &slots[..length], (task, statics), planes);
            }
        }
        unwritten
    }
}

impl AgentProgram {
    /// Writes the first values of newborn agents; returns how many were not written.
    fn write(
        &self,
        agents: &mut Agents,
        slots: &[usize],
        (task, statics): (&AgentTask<'_>, &Statics),
        planes: &[[f32; BLOCK]; PLANES],
    ) -> u64 {
        let key = task.moment.key(PLACES);
        let mut all = 0;
        for (lane, &slot) in slots.iter().enumerate() {
            let Agent { position: parent, radius, id, .. } = agents.get(slot);
            let beside = Rng::new(keyed(key, id.into())).direction() * (2.0 * radius);
            let mut position = parent + beside;
            for assignment in &self.assignments {
                let value =
                    |further: usize| planes[self.inputs.len() + assignment.output + further][lane];
                let is_written = match assignment.target {
                    Target::Place => {
                        let place = parent + Vec2::new(value(0), value(1));
                        let is_written = place.is_finite();
                        position = if is_written { place } else { position };
                        is_written
                    }
                    Target::Velocity => {
                        let velocity = [value(0), value(1)];
                        let is_written = velocity.iter().all(|speed| speed.abs() <= SPEED_MAX);
                        if is_written {
                            [agents.vx[slot], agents.vy[slot]] = velocity;
                        }
                        is_written
                    }
                    Target::Own(column) => {
                        let number = value(0);
                        let own = agents.own.as_mut().map(|own| &mut own.numbers[column].values);
                        if let (Some(values), true) = (own, number.is_finite()) {
                            values[slot] = number;
                        }
                        number.is_finite()
                    }
                    Target::Species | Target::Death | Target::Births(_) => true,
                };
                if !is_written {
                    assignment.count_unwritten(1);
                    all += 1;
                }
            }
            // The whole disc lies in the world, and no static is between the two.
            let free = task.space.centers(radius);
            for axis in (0..2).filter(|&axis| !task.space.repeats()[axis]) {
                position[axis] = position[axis].clamp(free.min[axis], free.max[axis]);
            }
            position = statics.stopped(Disc::new(parent, radius), position, task.space);
            let inside = task.space.wrapped(position).clamp(free.min, free.max);
            [agents.x[slot], agents.y[slot]] = inside.to_array();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_keys_are_kept() {
        let mut rng = Rng::new(7);
        for (count, room) in [(1_000, 1), (1_000, 999), (300, 150), (2, 1)] {
            let mut keys: Vec<u64> = (0..count).map(|_| rng.bits()).collect();
            let last = last_kept(room, |digit| digit.counts(keys.iter().copied()));
            keys.sort_unstable();
            assert_eq!(last, keys[room as usize - 1], "{count} {room}");
        }
        let keys = [5, 5, 5, u64::MAX];
        assert_eq!(last_kept(2, |digit| digit.counts(keys.into_iter())), 5);
    }

    #[test]
    fn births_come_in_the_order_of_slots_and_kinds() {
        let marks = [0, 2, 0, 0, 0x31, 1];
        let all: Vec<_> =
            births(&marks, 2).map(|it| (it.of, it.program, it.kind, it.number)).collect();
        assert_eq!(all, [(0, 0, 1, 0), (0, 0, 1, 1), (2, 3, 0, 0), (2, 0, 1, 0)]);
    }
}
