//! How many agents a file lets be born: `capacity`, or twice as many as there are at the start.

use super::plan::WorldPlan;
use crate::{limits::AGENTS_MAX, rules::Rules};

impl WorldPlan {
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

    /// Claims room for the agents that are born, once the number of agents at the start is known.
    pub(crate) fn claim_births(&mut self) {
        let agents = self.setup.agents;
        self.rules = self.rules_for(agents);
        if self.has_births() {
            self.setup.spare_agents = self.births_max(agents).saturating_sub(agents);
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
