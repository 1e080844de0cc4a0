//! The state hash: 64 bits that tell states apart.
//!
//! It covers what is listed here, and not what a solver remembers from the last substep. It has no order
//! of agents. Each agent has a record, little-endian and without gaps:
//!
//! 1. id (`u32`), x, y, vx, vy and radius (`f32`), the position wrapped into the world where that
//!    repeats;
//! 2. faction and health (one byte each), if the agents are units;
//! 3. the species (one byte), if they have one;
//! 4. their own numbers (`f32`), column by column; spins and angles are such columns.
//!
//! The hash is XXH3-64, with seed 0, of
//!
//! 1. the step count (`u64`);
//! 2. the sum modulo 2⁶⁴ of the XXH3-64 of all records (`u64`);
//! 3. id (`u32`), left, bottom, right and top border of the core, and radius (`f32`) of each static, in
//!    ascending order of ids: the core of a disc is its center, that of a capsule is given by its ends,
//!    and the radius of a box is 0.
//!
//! A sum is the same for any order of slots and any split among threads or machines. As the id is part
//! of the record, two agents that swap their places change it; unlike an exclusive or, it does not lose
//! records that are there twice. Two states that are not made for it have the same sum with a
//! probability of 2⁻⁶⁴. It is no signature: a forger who may choose agents freely finds two states with
//! the same sum.

use std::ops::Range;

use glam::Vec2;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::{
    agents::{Agents, Units},
    limits::OWN_COLUMNS_MAX,
    parallel,
    statics::Statics,
};

/// Slots per piece of the sum.
const PIECE: usize = 1 << 13;

/// The state hash of agents whose positions are in their world.
///
/// # Panics
/// If the columns of the agents differ in length, or there are more than 16 of their own.
pub fn state_hash(steps: u64, agents: &Agents, statics: &Statics) -> u64 {
    state_hash_in(steps, agents, statics, |position| position)
}

/// The same, with positions that `wrapped` brings into the world. Allocates nothing.
pub(super) fn state_hash_in(
    steps: u64,
    agents: &Agents,
    statics: &Statics,
    wrapped: impl Fn(Vec2) -> Vec2 + Sync,
) -> u64 {
    let sum = sum_of_records(agents, 0..agents.len(), wrapped);
    hash_of_sum(steps, sum, statics)
}

/// The state hash from the sum of the records of all agents.
pub(crate) fn hash_of_sum(steps: u64, sum: u64, statics: &Statics) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&steps.to_le_bytes());
    hash.update(&sum.to_le_bytes());
    for (id, shape) in statics.rounded_by_id() {
        let [a, b] = shape.ends();
        let numbers = [a.x, a.y, b.x, b.y, shape.radius];
        hash.update(&id.to_le_bytes());
        hash.update(bytemuck::bytes_of(&numbers.map(|number| number.to_bits().to_le())));
    }
    hash.digest()
}

/// The sum modulo 2⁶⁴ of the hashes of the records in some slots.
pub(crate) fn sum_of_records(
    agents: &Agents,
    slots: Range<usize>,
    wrapped: impl Fn(Vec2) -> Vec2 + Sync,
) -> u64 {
    let words = |slot| {
        let agent = agents.get(slot);
        let position = wrapped(agent.position);
        let [x, y] = [position.x, position.y].map(f32::to_bits);
        let [vx, vy] = [agent.velocity.x, agent.velocity.y].map(f32::to_bits);
        [agent.id, x, y, vx, vy, agent.radius.to_bits()].map(u32::to_le)
    };
    // XXH3 of a length that the compiler knows takes a third of the time.
    if agents.units.is_none() && agents.own.is_none() {
        return sum(agents, slots, |slot| xxh3_64(bytemuck::bytes_of(&words(slot))));
    }
    sum(agents, slots, |slot| {
        let mut record = Record::new();
        record.push(bytemuck::bytes_of(&words(slot)));
        record.push_further(agents, slot);
        xxh3_64(&record.bytes[..record.length])
    })
}

/// The sum modulo 2⁶⁴ of a number per slot, on all threads.
fn sum(agents: &Agents, slots: Range<usize>, hash: impl Fn(usize) -> u64 + Sync) -> u64 {
    let piece = |first: usize, ids: &[u32]| {
        let first = slots.start + first;
        (first..first + ids.len()).fold(0, |sum: u64, slot| sum.wrapping_add(hash(slot)))
    };
    parallel::pieces(&agents.id[slots.clone()], PIECE, &piece, &u64::wrapping_add)
}

/// The bytes of an agent that has more columns than all agents have.
struct Record {
    bytes: [u8; Self::MOST],
    length: usize,
}

impl Record {
    /// Bytes of the longest record.
    const MOST: usize = 24 + 2 + 1 + 4 * OWN_COLUMNS_MAX;

    fn new() -> Self {
        Self { bytes: [0; Self::MOST], length: 0 }
    }

    /// Appends what the agent in a slot has beside the columns of all agents.
    fn push_further(&mut self, agents: &Agents, slot: usize) {
        if let Some(Units { faction, health }) = &agents.units {
            self.push(&[faction[slot], health[slot]]);
        }
        if let Some(own) = &agents.own {
            if let Some(species) = &own.species {
                self.push(&[species[slot]]);
            }
            for column in &own.numbers {
                self.push(&column.values[slot].to_bits().to_le_bytes());
            }
        }
    }

    #[inline]
    fn push(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        self.bytes[self.length..end].copy_from_slice(bytes);
        self.length = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OwnColumn, OwnColumns, Rect, Scene, Setup, Sim, Static};

    /// Units with a species and own numbers, in a world of two statics.
    fn run() -> Sim {
        let setup = Setup { agents: 20_000, spare_statics: 2, ..Setup::new(Scene::Melee) };
        let mut sim = Sim::new(&setup).unwrap();
        let count = sim.agents().len();
        let column = |name, step| {
            let values = (0..count).map(|slot| slot as f32 * step).collect();
            OwnColumn::new(name, 0.0, values)
        };
        let own = OwnColumns::new()
            .with_species((0..count).map(|slot| (slot % 7) as u8).collect())
            .with_numbers(column("age", 0.5))
            .with_numbers(column("mood", -0.25));
        sim.agents.own = Some(Box::new(own));
        sim
    }

    /// The definition, read literally.
    fn by_definition(steps: u64, agents: &Agents, statics: &[(u32, [f32; 5])]) -> u64 {
        let mut sum = 0_u64;
        for slot in 0..agents.len() {
            let mut bytes = agents.id[slot].to_le_bytes().to_vec();
            for column in [&agents.x, &agents.y, &agents.vx, &agents.vy, &agents.radius] {
                bytes.extend(column[slot].to_le_bytes());
            }
            if let Some(units) = &agents.units {
                bytes.extend([units.faction[slot], units.health[slot]]);
            }
            if let Some(own) = &agents.own {
                bytes.extend(own.species.iter().map(|species| species[slot]));
                let numbers = own.numbers.iter();
                bytes.extend(numbers.flat_map(|column| column.values[slot].to_le_bytes()));
            }
            sum = sum.wrapping_add(xxh3_64(&bytes));
        }
        let mut bytes = [steps.to_le_bytes(), sum.to_le_bytes()].concat();
        for (id, numbers) in statics {
            bytes.extend(id.to_le_bytes());
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        xxh3_64(&bytes)
    }

    #[test]
    fn is_what_its_definition_says() {
        let plain = Sim::new(&Setup { agents: 500, ..Setup::new(Scene::Gas) }).unwrap();
        assert_eq!(plain.state_hash(), by_definition(0, plain.agents(), &[]));
        let mut sim = run();
        let hash = |sim: &Sim| state_hash(9, &sim.agents, &sim.statics);
        assert_eq!(hash(&sim), by_definition(9, &sim.agents, &[]));
        let center = sim.world().center();
        let rect = Rect::around(center, 0.5);
        let ids = sim.add_statics(&[Static::disc(center, 0.5), Static::Box(rect)]).unwrap();
        let ids: Vec<u32> = ids.into_iter().collect();
        let disc = [center.x, center.y, center.x, center.y, 0.5];
        let rect = [rect.min.x, rect.min.y, rect.max.x, rect.max.y, 0.0];
        assert_eq!(hash(&sim), by_definition(9, &sim.agents, &[(ids[0], disc), (ids[1], rect)]));
    }

    #[test]
    fn neither_threads_nor_the_order_of_slots_change_it() {
        let sim = run();
        let hash = sim.state_hash();
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| sim.state_hash()), hash, "{threads} threads");
        }
        let mut turned = sim.agents.clone();
        let Agents { x, y, vx, vy, radius, id, units, own } = &mut turned;
        for column in [x, y, vx, vy, radius] {
            column.rotate_left(4321);
        }
        id.rotate_left(4321);
        let Units { faction, health } = units.as_mut().unwrap();
        for column in [faction, health] {
            column.rotate_left(4321);
        }
        let own = own.as_mut().unwrap();
        own.species.as_mut().unwrap().rotate_left(4321);
        own.numbers.iter_mut().for_each(|column| column.values.rotate_left(4321));
        assert_eq!(state_hash(0, &turned, &sim.statics), hash);
    }

    #[test]
    fn agents_that_swap_a_column_change_it() {
        let sim = run();
        let hash = sim.state_hash();
        let changed = |change: &dyn Fn(&mut Agents)| {
            let mut agents = sim.agents.clone();
            change(&mut agents);
            state_hash(0, &agents, &sim.statics)
        };
        let others = [
            changed(&|agents| agents.x.swap(3, 8)),
            changed(&|agents| agents.y.swap(3, 8)),
            changed(&|agents| agents.vx.swap(3, 8)),
            changed(&|agents| agents.vy.swap(3, 8)),
            changed(&|agents| agents.id.swap(3, 8)),
            changed(&|agents| agents.radius[3] = 0.75),
            changed(&|agents| agents.units.as_mut().unwrap().faction[3] ^= 1),
            changed(&|agents| agents.units.as_mut().unwrap().health[3] ^= 1),
            changed(&|agents| agents.own.as_mut().unwrap().species.as_mut().unwrap().swap(3, 8)),
            changed(&|agents| agents.own.as_mut().unwrap().numbers[1].values.swap(3, 8)),
            changed(&|agents| agents.own.as_mut().unwrap().numbers.swap(0, 1)),
            state_hash(1, &sim.agents, &sim.statics),
            hash,
        ];
        let distinct: std::collections::BTreeSet<u64> = others.into_iter().collect();
        assert_eq!(distinct.len(), others.len());
    }
}
