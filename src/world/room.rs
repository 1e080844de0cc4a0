//! Room for agents: that of the groups, and how many others are born: up to `capacity`, or up to
//! twice as many as there are at the start; and for the ranges of pairs.

use toml::de::DeTable;

use super::{
    plan::WorldPlan,
    range::RangeMax,
    reader::{Reader, entries},
};
use crate::{agents::Agents, format::grouped, limits::AGENTS_MAX, rules::Rules, scene::Setup};

/// Share of the world that discs cover at most, unless they overlap: equal ones in hexagons.
const COVERED_MAX: f64 = 0.906;

/// The same for discs that are placed without overlap.
const PLACED_MAX: f64 = 0.9;

impl WorldPlan {
    /// Looks whether there is room for all agents.
    pub(super) fn check_room(&self, reader: &mut Reader<'_>, table: &DeTable<'_>) {
        let all = entries(table);
        let find = |name: &str| all.iter().find(|entry| entry.key == name);
        if let (Some(why), Some(world)) = (self.capacity_fault(), find("world")) {
            let keys = reader.entries(world.value, "world");
            let at = keys.iter().find(|entry| entry.key == "capacity").map_or(world.at, |it| it.at);
            reader.fault(at, why);
        }
        let place = if self.has_groups() { "group" } else { "species" };
        if let (Some(why), Some(section)) = (self.crowd_fault(), find(place)) {
            reader.fault(section.at, why);
        }
    }

    /// Why the agents of all groups or species can't lie beside each other.
    pub(crate) fn crowd_fault(&self) -> Option<String> {
        let is_scattered = self.groups.is_empty();
        if is_scattered && (self.has_scene || !self.has_own_starts()) {
            return None;
        }
        let covered = self.covered();
        let size = self.bounds().size().as_dvec2();
        // Agents without groups are placed beside each other, whether they collide or not.
        let share = if is_scattered { PLACED_MAX } else { COVERED_MAX };
        let (all, most) = (size.x * size.y, share * size.x * size.y);
        let crowded = covered > most && (is_scattered || !self.formulas.without_collisions);
        crowded.then(|| {
            let [covered, all] = [covered, all].map(|area| grouped(area as u64));
            let (of, remedy) = if is_scattered {
                ("species", "enlarge `size`")
            } else {
                ("groups", "set `collisions = false`")
            };
            format!(
                "the discs of the {of} have an area of {covered}, and the world has {all}: expected at \
                 most {share} of it; lower `agents` or `radius`, or {remedy}"
            )
        })
    }

    /// Why a pair can't have its range in a world of another size or boundary.
    pub(crate) fn range_fault(&self) -> Option<String> {
        let most = RangeMax::of(self.bounds(), self.setup.boundary);
        let pair = self.formulas.pairs.iter().find(|pair| pair.range > most.value)?;
        Some(format!("the pair `{}` has range {}: expected {most}", pair.name, pair.range))
    }

    /// Bytes of a run of the file with that set-up beside what
    /// any run of that set-up takes: a copy of its start, own columns and species, and the sums and marks of its rules.
    pub(crate) fn memory_beside(&self, setup: &Setup) -> u64 {
        let capacity = u64::from(setup.agents) + u64::from(setup.spare_agents);
        let own = 4 * self.formulas.columns.len() as u64 + 1;
        let rules = self.rules.memory_for(capacity);
        2 * Agents::memory_for(setup.agents as usize, false) as u64 + own * capacity + rules
    }

    /// True if agents are born.
    pub(crate) fn has_births(&self) -> bool {
        self.formulas.agents.iter().any(|agents| !agents.births.is_empty())
    }

    /// The number of agents up to which others are born, in a run that begins with so many.
    pub(crate) fn births_max(&self, agents: u32) -> u32 {
        self.capacity.unwrap_or_else(|| agents.saturating_mul(2).min(AGENTS_MAX))
    }

    /// The rules of a run that begins with so many agents.
    pub(crate) fn rules_for(&self, agents: u32) -> Rules {
        self.rules.clone().with_births_up_to(self.births_max(agents))
    }

    /// The number of agents that can be born in a run that begins with so many.
    pub(crate) fn births_room(&self, agents: u32) -> u32 {
        if self.has_births() { self.births_max(agents).saturating_sub(agents) } else { 0 }
    }

    /// Claims room for the agents that are born, once the number of agents at the start is known.
    pub(crate) fn claim_births(&mut self) {
        let agents = self.setup.agents;
        self.rules = self.rules_for(agents);
        if self.has_births() {
            self.setup.spare_agents = self.births_room(agents);
        }
    }

    /// Why there can't be such a capacity.
    pub(crate) fn capacity_fault(&self) -> Option<String> {
        let (capacity, agents) = (self.capacity?, self.setup.agents);
        if !self.has_births() {
            return Some("`capacity` has no effect, as no agent is born; remove it".to_owned());
        }
        let few = capacity < agents;
        few.then(|| {
            format!("capacity {capacity} is out of range: expected at least the {agents} agents")
        })
    }
}
