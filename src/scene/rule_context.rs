//! What a scene rule is given, and what it asks for.

use super::setup::Setup;
use crate::{
    agents::{Agents, Spawn},
    grid::Grid,
    statics::Statics,
    step::motion::Motion,
};

/// A moment in a step at which a rule may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Before the first substep.
    BeforeStep,
    /// After each substep, with the grid exact.
    AfterSubstep,
    /// After the last substep.
    AfterStep,
}

/// The parts of a run that a rule reads and changes.
#[derive(Debug)]
pub(crate) struct RuleContext<'a> {
    pub setup: &'a Setup,
    pub motion: &'a Motion,
    /// Steps completed.
    pub steps: u64,
    /// The id of the next agent to be added.
    pub next_id: u32,
    pub agents: &'a mut Agents,
    pub statics: &'a mut Statics,
    pub grid: &'a Grid,
}

/// The edits that a rule asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RuleEdits<'a> {
    /// No agent comes or goes.
    None,
    /// Removes the agents with these ids, then adds these.
    Replace(&'a [u32], &'a [Spawn]),
    /// Drops the agents that the rule gave the id [`Agents::GONE`], of this number.
    Drop(usize),
}
