//! Scene rules: changes that a scene makes to its agents and statics beside physics.
//!
//! The phases of a step know no scene. `Sim::step` calls [`SceneRule::run`] at four moments, and
//! applies the edits that the rule returns, since adding and removing agents sorts all of them
//! again. Scenes without a rule have [`SceneRule::None`].

use super::{
    cannon::Cannon,
    context::{RuleContext, SceneRanks},
    kind::RuleKind,
    melee::Melee,
    setup::Setup,
    shock,
};
use crate::{agents::Spawn, error::Result, geometry::Rect, grid::Grid};

/// A moment in a step at which a rule may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Before the first substep.
    BeforeStep,
    /// Before the substep of that number.
    BeforeSubstep(u32),
    /// After each substep, with the grid exact.
    AfterSubstep,
    /// After the last substep.
    AfterStep,
}

/// The edits that a rule asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RuleEdits<'a> {
    /// No agent comes or goes.
    None,
    /// A static moved through this area: agents that sleep there wake.
    Wake(Rect),
    /// Removes the agents with these ids, then adds these.
    Replace(&'a [u32], &'a [Spawn]),
    /// Drops the agents that the rule gave the id [`Agents::GONE`], of this number.
    Drop(usize),
}

/// The rule of a scene.
#[derive(Debug, Default)]
pub(crate) enum SceneRule {
    /// Physics alone.
    #[default]
    None,
    /// Fires balls at targets.
    Cannon(Cannon),
    /// Two armies march at each other and strike.
    Melee(Melee),
    /// Moves a wall to and fro.
    Piston,
}

impl SceneRule {
    /// Creates the rule of a set-up for at most `capacity` agents on a grid. Agents that have units
    /// fight in any scene but `cannon`.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(setup: &Setup, units: bool, capacity: usize, grid: &Grid) -> Result<Self> {
        match setup.scene.traits().rule {
            RuleKind::Cannon => Cannon::new(setup, capacity).map(Self::Cannon),
            RuleKind::None | RuleKind::Melee | RuleKind::Piston if units => {
                Melee::new(capacity, grid).map(Self::Melee)
            }
            RuleKind::Piston => Ok(Self::Piston),
            RuleKind::None | RuleKind::Melee => Ok(Self::None),
        }
    }

    /// True if the rule does anything at a moment.
    pub(crate) fn acts(&self, moment: Moment) -> bool {
        match self {
            Self::None => false,
            Self::Cannon(_) => matches!(moment, Moment::BeforeStep | Moment::AfterSubstep),
            Self::Piston => matches!(moment, Moment::BeforeSubstep(_)),
            Self::Melee(_) => moment == Moment::AfterStep,
        }
    }

    /// True if the rule adds agents.
    pub(crate) fn spawns(&self) -> bool {
        matches!(self, Self::Cannon(_))
    }

    /// How far from their rims agents look at others, world units; `None` if they look at none.
    pub(crate) fn reach(&self) -> Option<f32> {
        matches!(self, Self::Melee(_)).then_some(Melee::REACH)
    }

    /// Applies the rule, which may change agents and statics itself. Returns the edits that are left:
    /// agents to add and to remove, alike on all ranks; how many of this rank to drop; or an area to wake.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn run(
        &mut self,
        moment: Moment,
        context: RuleContext<'_>,
        others: &mut impl SceneRanks,
    ) -> Result<RuleEdits<'_>> {
        let fired = |(balls, shots)| RuleEdits::Replace(balls, shots);
        let RuleContext { setup, motion, steps, grid, .. } = context;
        Ok(match (self, moment) {
            (Self::Cannon(cannon), Moment::BeforeStep) => {
                cannon.fire(&context, others).map_or(RuleEdits::None, fired)
            }
            (Self::Cannon(cannon), Moment::AfterSubstep) => {
                cannon.remove_hit_targets(context, others)?;
                RuleEdits::None
            }
            (Self::Melee(melee), Moment::AfterStep) => {
                RuleEdits::Drop(melee.fight(setup, context.agents, grid, others))
            }
            (Self::Piston, Moment::BeforeSubstep(substep)) => {
                let substep = steps * u64::from(setup.substeps_per_step()) + u64::from(substep);
                let moved =
                    shock::advance(setup, motion, substep, context.agents, context.statics, grid)?;
                moved.map_or(RuleEdits::None, RuleEdits::Wake)
            }
            _ => RuleEdits::None,
        })
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::None | Self::Piston => 0,
            Self::Cannon(cannon) => cannon.memory(),
            Self::Melee(melee) => melee.memory(),
        }
    }

    /// Bytes that [`Self::new`] allocates for a grid of `bands` bands, without the targets of
    /// `cannon`.
    pub(crate) fn memory_for(setup: &Setup, capacity: usize, bands: usize) -> usize {
        match setup.scene.traits().rule {
            RuleKind::Cannon => Cannon::memory_for(setup, capacity),
            RuleKind::Melee => Melee::memory_for(capacity, bands),
            RuleKind::None | RuleKind::Piston => 0,
        }
    }
}
