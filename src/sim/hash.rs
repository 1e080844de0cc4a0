//! The state hash: two runs are in the same state if and only if these 64 bits are the same.

use glam::Vec2;
use xxhash_rust::xxh3::Xxh3;

use crate::{
    agents::{Agents, Units},
    statics::Statics,
};

/// XXH3-64 of a state, over little-endian bytes:
///
/// 1. the step count (`u64`);
/// 2. id, x, y, vx, vy and radius of each agent alive, in ascending order of ids, wrapped into the
///    world where that repeats;
/// 3. id, left, bottom, right and top border of the core, and radius of each static, by id: the
///    core of a disc is its center, and the radius of a box is 0;
/// 4. faction and health (one byte each) of each unit, by id, if the agents are units;
/// 5. the species (one byte) of each agent, by id, if they have one, and then column by column their
///    own numbers, by id.
pub fn state_hash(steps: u64, agents: &Agents, statics: &Statics) -> u64 {
    state_hash_in(steps, agents, statics, |position| position)
}

/// The same, with positions that `wrapped` brings into the world.
pub(super) fn state_hash_in(
    steps: u64,
    agents: &Agents,
    statics: &Statics,
    wrapped: impl Fn(Vec2) -> Vec2,
) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&steps.to_le_bytes());
    let slots = agents.slots_by_id();
    for &slot in &slots {
        let agent = agents.get(slot as usize);
        let position = wrapped(agent.position);
        let words = [
            agent.id,
            position.x.to_bits(),
            position.y.to_bits(),
            agent.velocity.x.to_bits(),
            agent.velocity.y.to_bits(),
            agent.radius.to_bits(),
        ];
        hash.update(bytemuck::bytes_of(&words.map(u32::to_le)));
    }
    for (id, shape) in statics.rounded_by_id() {
        let [a, b] = shape.ends();
        let numbers = [a.x, a.y, b.x, b.y, shape.radius];
        hash.update(&id.to_le_bytes());
        hash.update(bytemuck::bytes_of(&numbers.map(|number| number.to_bits().to_le())));
    }
    if let Some(Units { faction, health }) = &agents.units {
        for &slot in &slots {
            hash.update(&[faction[slot as usize], health[slot as usize]]);
        }
    }
    if let Some(own) = &agents.own {
        if let Some(species) = &own.species {
            for &slot in &slots {
                hash.update(&[species[slot as usize]]);
            }
        }
        for column in &own.numbers {
            for &slot in &slots {
                hash.update(&column.values[slot as usize].to_bits().to_le_bytes());
            }
        }
    }
    hash.digest()
}
