//! The state hash: two runs are the same if and only if these 64 bits are.

use xxhash_rust::xxh3::Xxh3;

use crate::{
    agents::Agents,
    rect::Rect,
    statics::{Rounded, Statics},
};

/// XXH3-64 over little-endian bytes: the step count (`u64`), then id, x, y, vx, vy and radius of
/// each agent alive, by id, then of each static, by id: its id, left, bottom, right and top border of its core,
/// and how far it reaches around that. The core of a disc is its centre, and a box reaches 0 around its own.
pub fn state_hash(steps: u64, agents: &Agents, statics: &Statics) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&steps.to_le_bytes());
    for slot in agents.slots_by_id() {
        let agent = agents.get(slot as usize);
        let words = [
            agent.id,
            agent.position.x.to_bits(),
            agent.position.y.to_bits(),
            agent.velocity.x.to_bits(),
            agent.velocity.y.to_bits(),
            agent.radius.to_bits(),
        ];
        hash.update(bytemuck::bytes_of(&words.map(u32::to_le)));
    }
    for place in 0..statics.len() {
        let Rounded { core: Rect { min, max }, radius } = statics.rounded(place);
        let numbers = [min.x, min.y, max.x, max.y, radius].map(|number| number.to_bits().to_le());
        hash.update(&statics.id(place).to_le_bytes());
        hash.update(bytemuck::bytes_of(&numbers));
    }
    hash.digest()
}
