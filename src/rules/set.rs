//! Rules as a caller puts them together.

use std::{fmt, sync::Arc};

use super::{
    agent::{AgentRule, AnyAgentRule},
    any::{AnyPairRule, OfPick, OfType, PICK_COLUMNS},
    pair::{PairRule, PickRule},
};
#[cfg(feature = "cli")]
use super::{formulas::Observed, source::RuleSource};
use crate::limits::RULE_PAIRS_MAX;

/// Rules for a run. A clone shares their code.
#[derive(Clone)]
pub struct Rules {
    pub(super) pairs: Vec<Arc<dyn AnyPairRule>>,
    pub(super) agents: Option<Arc<dyn AnyAgentRule>>,
    pub(super) collisions: bool,
    /// The number of agents up to which others are born, as far as there is room.
    pub(super) births_max: u32,
    /// The text that they come from, if snapshots are to have it.
    #[cfg(feature = "cli")]
    pub(super) source: Option<Arc<RuleSource>>,
    /// What is observed of the run.
    #[cfg(feature = "cli")]
    pub(super) observed: Option<Arc<Observed>>,
}

impl Rules {
    /// Creates no rule: agents collide, and nothing else.
    #[must_use]
    pub fn new() -> Self {
        Self {
            pairs: Vec::new(),
            agents: None,
            collisions: true,
            births_max: u32::MAX,
            #[cfg(feature = "cli")]
            source: None,
            #[cfg(feature = "cli")]
            observed: None,
        }
    }

    /// Adds a pair rule. The first is number 0 in [`RuledAgent::sums`](super::RuledAgent::sums).
    ///
    /// # Panics
    /// If there are eight already.
    #[must_use]
    pub fn with_pairs<const C: usize, const K: usize>(mut self, rule: impl PairRule<C, K>) -> Self {
        assert!(self.pairs.len() < RULE_PAIRS_MAX, "more than {RULE_PAIRS_MAX} pair rules");
        self.pairs.push(Arc::new(OfType::<_, C, K>::new(rule)));
        self
    }

    /// Adds a rule by which agents pick; it counts as a pair rule without sums.
    ///
    /// # Panics
    /// If there are eight already.
    #[must_use]
    pub fn with_picks<const C: usize>(mut self, rule: impl PickRule<C>) -> Self {
        const { assert!(C < PICK_COLUMNS, "a rule by which agents pick reads at most 7 columns") }
        let number = self.pairs.len();
        assert!(number < RULE_PAIRS_MAX, "more than {RULE_PAIRS_MAX} pair rules");
        self.pairs.push(Arc::new(OfPick::new(rule, number)));
        self
    }

    /// Sets the rule for agents.
    #[must_use]
    pub fn with_agents(self, rule: impl AgentRule) -> Self {
        Self { agents: Some(Arc::new(rule)), ..self }
    }

    /// The same rules with the text that they come from, which snapshots then have.
    #[cfg(feature = "cli")]
    pub(crate) fn with_source(self, source: RuleSource) -> Self {
        Self { source: Some(Arc::new(source)), ..self }
    }

    /// The same rules, by which agents are born up to that number of agents.
    #[cfg(feature = "cli")]
    pub(crate) fn with_births_up_to(self, births_max: u32) -> Self {
        Self { births_max, ..self }
    }

    /// The number of agents up to which others are born, as far as there is room.
    pub(crate) fn births_max(&self) -> u32 {
        self.births_max
    }

    /// The same rules with quantities that are observed.
    #[cfg(feature = "cli")]
    pub(crate) fn with_observed(self, observed: Observed) -> Self {
        Self { observed: Some(Arc::new(observed)), ..self }
    }

    /// The quantities that are observed.
    #[cfg(feature = "cli")]
    pub(crate) fn observed(&self) -> Option<&Observed> {
        self.observed.as_deref()
    }

    /// The text that the rules come from.
    #[cfg(feature = "cli")]
    pub(crate) fn source(&self) -> Option<&Arc<RuleSource>> {
        self.source.as_ref()
    }

    /// The same rules, with the tables of the world file that they replace.
    #[cfg(feature = "cli")]
    pub(crate) fn with_tables_of(mut self, before: &RuleSource) -> Self {
        if let Some(source) = &mut self.source {
            Arc::make_mut(source).tables.clone_from(&before.tables);
        }
        self
    }

    /// False if agents pass through each other.
    #[cfg(feature = "window")]
    pub(crate) fn collides(&self) -> bool {
        self.collisions
    }

    /// Bytes that the sums and marks of a run with room for so many agents take.
    #[cfg(feature = "cli")]
    pub(crate) fn memory_for(&self, capacity: u64) -> u64 {
        let sums: usize =
            self.pairs.iter().map(|rule| rule.width() + usize::from(rule.picks())).sum();
        let marks = |rule: &Arc<dyn AnyAgentRule>| rule.births() + usize::from(rule.kills());
        let marks = self.agents.as_ref().map_or(0, marks);
        capacity.saturating_mul((size_of::<f32>() * sums + marks) as u64)
    }

    /// True if no agent has a rule to follow.
    pub(crate) fn is_idle(&self) -> bool {
        self.pairs.is_empty() && self.agents.is_none()
    }

    /// Where the formulas are whose values were not written, and how many these were.
    pub(crate) fn unwritten(&self) -> Vec<(usize, u64)> {
        self.agents.as_ref().map_or_else(Vec::new, |rule| rule.unwritten())
    }

    /// Lets agents pass through each other. Walls and statics stay.
    #[must_use]
    pub fn without_collisions(self) -> Self {
        Self { collisions: false, ..self }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("pairs", &self.pairs.len())
            .field("agents", &self.agents.is_some())
            .field("collisions", &self.collisions)
            .finish_non_exhaustive()
    }
}
