//! The state hash: two runs are the same if and only if these 64 bits are.

use xxhash_rust::xxh3::Xxh3;

use crate::{
    agents::{Agents, Units},
    geometry::Rect,
    statics::{Rounded, Statics},
};

/// XXH3-64 over little-endian bytes: the step count (`u64`), then id, x, y, vx, vy and radius of
/// each agent alive, by id, then of each static, by id: its id, left, bottom, right and top border of its core,
/// and how far it reaches around that. The core of a disc is its centre, and a box reaches 0 around its own. At last,
/// where agents are units, two bytes of each, by id: its side and its health.
pub fn state_hash(steps: u64, agents: &Agents, statics: &Statics) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&steps.to_le_bytes());
    let slots = agents.slots_by_id();
    for &slot in &slots {
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
    if let Some(Units { faction, health }) = &agents.units {
        for slot in slots {
            hash.update(&[faction[slot as usize], health[slot as usize]]);
        }
    }
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Setup, Sim};

    #[test]
    fn sides_and_health_are_state() {
        let sim = Sim::new(&Setup { agents: 100, ..Setup::new(Scene::Melee) }).unwrap();
        let changed = |change: fn(&mut Units)| {
            let mut agents = sim.agents().clone();
            change(agents.units.as_mut().unwrap());
            state_hash(0, &agents, sim.statics())
        };
        assert_eq!(changed(|_| {}), sim.state_hash());
        assert_ne!(changed(|units| units.health[7] -= 1), sim.state_hash());
        assert_ne!(changed(|units| units.faction[7] ^= 1), sim.state_hash());
    }
}
