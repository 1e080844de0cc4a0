//! The world file of a run: saved with it, restored from there, and changed while it goes on.

#[cfg(not(feature = "cli"))]
use std::convert::Infallible as WorldPlan;
#[cfg(feature = "cli")]
use std::sync::Arc;

use super::Sim;
#[cfg(feature = "cli")]
use super::grid_config::loose_side;
#[cfg(not(feature = "cli"))]
use crate::error::Error;
#[cfg(feature = "cli")]
use crate::{
    error::Error,
    limits::COUNTS_MAX,
    rules::{RuleCounts, RuleSource},
    scene::{PlacementProgress, Setup},
    snapshot::{Writer, unreadable, write_line},
    world::{WorldFault, WorldPlan, cleaned},
};
use crate::{
    error::{Fault, Result},
    snapshot::Snapshot,
};

/// The sections with the world file that the rules come from, what was set beside it, and its name;
/// only where there are such rules.
const WORLD: &str = "world.text";
#[cfg(feature = "cli")]
const SETTINGS: &str = "world.set";
#[cfg(feature = "cli")]
const NAME: &str = "world.name";

/// The section with the number of births for which there was no room, where there are such.
#[cfg(feature = "cli")]
const REFUSED: &str = "world.refused";

#[cfg(feature = "cli")]
impl Sim {
    /// A run of a world file with a set-up of its own; the plan says where agents begin, and what
    /// they do.
    ///
    /// # Errors
    /// If the agents can't be placed, or there is not enough memory.
    pub(crate) fn of_world(plan: &WorldPlan, progress: &PlacementProgress) -> Result<Self> {
        let setup = celled(plan, &plan.setup);
        let mut sim = Self::from_start(&setup, plan.start_while(progress)?)?;
        sim.set_rules(plan.rules_for(plan.setup.agents))?;
        Ok(sim)
    }

    /// About how many bytes a run of a world file takes with that set-up, as [`Self::memory_for`].
    pub(crate) fn memory_of_world(plan: &WorldPlan, setup: &Setup) -> u64 {
        Self::memory_for(&celled(plan, setup)).saturating_add(plan.memory_beside(setup))
    }

    /// The world file that the rules come from.
    pub(crate) fn rule_source(&self) -> Option<&Arc<RuleSource>> {
        self.rules.as_ref()?.rules().source()
    }

    /// What people call the run: its world file, or else its scene.
    #[cfg(feature = "window")]
    pub(crate) fn title(&self) -> &str {
        self.rule_source().map_or(self.setup.scene.name(), |source| &source.name)
    }

    /// Gives params and cells of matrices of the world file other values, from the next step on.
    ///
    /// # Errors
    /// If there is no world file, it has no such value, or the value is out of its range. Nothing
    /// is changed then.
    pub(super) fn set_values(&mut self, values: &[(String, f32)]) -> Result<()> {
        let Some(source) = self.rule_source().cloned() else {
            return Err(no_world("a value of a world file was to be set"));
        };
        self.set_world(&source.name, &source.text, &source.settings_with(values))
    }

    /// Goes on with the rules of another text, from the next step on. The agents stay: of the text,
    /// what says how they begin has no effect.
    ///
    /// # Errors
    /// If the text is wrong, or its rules are not for these agents. Nothing is changed then.
    pub(super) fn set_world(
        &mut self,
        name: &str,
        text: &str,
        settings: &[(String, f32)],
    ) -> Result<()> {
        let Some(before) = self.rule_source().cloned() else {
            return Err(no_world("another world file was to be taken"));
        };
        let plan = WorldPlan::read(name, text, settings, None).map_err(|faults| {
            let WorldFault { line, column, message } = WorldFault::first_of(&faults);
            Error::World { line, column, message }
        })?;
        let counts = self.rules.as_ref().map(|rules| {
            let is_same_text = before.text == text;
            let former = if is_same_text { rules.unwritten_formulas() } else { Vec::new() };
            RuleCounts { former, ..rules.counts() }
        });
        self.set_rules(plan.rules_for(self.setup.agents).with_tables_of(&before))?;
        if let (Some(rules), Some(counts)) = (&mut self.rules, counts) {
            rules.set_counts(counts);
        }
        Ok(())
    }

    /// Writes the text that the rules come from, if they come from one.
    pub(super) fn save_rules(&self, to: &mut Writer) -> Result<()> {
        let Some(source) = self.rule_source() else { return Ok(()) };
        to.text(WORLD, &source.text)?;
        let mut text = String::new();
        source.settings.iter().for_each(|(name, value)| write_line(&mut text, name, value));
        to.text(SETTINGS, &text)?;
        to.text(NAME, &source.name)?;
        match self.refused_births() {
            0 => Ok(()),
            refused => to.text(REFUSED, &refused.to_string()),
        }
    }
}

/// The set-up with cells that suit the radii of species, where these have their own.
#[cfg(feature = "cli")]
fn celled(plan: &WorldPlan, setup: &Setup) -> Setup {
    Setup { cell: setup.cell.or_else(|| cell_of_species(plan, setup)), ..setup.clone() }
}

/// The cells that a run with that set-up got from the radii of species.
#[cfg(feature = "window")]
pub(crate) fn cell_of_run(plan: &WorldPlan, setup: &Setup) -> Option<f32> {
    let mut plan = plan.clone();
    plan.setup = setup.clone();
    plan.settle();
    cell_of_species(&plan, &plan.setup)
}

/// The cells that suit the radii of species, where these have their own.
#[cfg(feature = "cli")]
fn cell_of_species(plan: &WorldPlan, setup: &Setup) -> Option<f32> {
    let (world, typical) = (setup.world(), plan.typical_radii()?);
    let (side, agents) = (world.size().max_element(), setup.agents as usize);
    Some(loose_side(side, setup.populated(), plan.covered(), agents, typical))
}

/// The number of births in a snapshot for which there was no room.
///
/// # Errors
/// If it is no number.
#[cfg(feature = "cli")]
fn saved_refusals(from: &Snapshot) -> Result<u64> {
    if !from.has(REFUSED) {
        return Ok(0);
    }
    let text = from.text(REFUSED)?;
    let refused = text.parse().ok().filter(|&refused: &u64| refused <= COUNTS_MAX);
    refused.ok_or_else(|| unreadable(REFUSED, text))
}

#[cfg(feature = "cli")]
fn no_world(what: &str) -> Error {
    let message = format!("{what}, and the run has no world file; begin with one");
    Error::World { line: 0, column: 0, message }
}

/// The rules of a snapshot, read once: the plan of its world file, if it has one.
/// A library alone reads no world file: there it never has one.
#[derive(Clone, Debug)]
pub(crate) struct SavedRules {
    plan: Option<Box<WorldPlan>>,
    /// Births for which there was no room.
    #[cfg(feature = "cli")]
    refused: u64,
}

#[cfg(feature = "cli")]
impl SavedRules {
    /// Reads and compiles the world file of a snapshot, but for its view.
    ///
    /// # Errors
    /// If the world file is wrong.
    pub(super) fn read(from: &Snapshot) -> Result<Self> {
        let plan =
            |SavedWorld { name, text, settings }: &_| WorldPlan::read(name, text, settings, None);
        Self::read_as(from, plan)
    }

    /// The same, with the caller's way to make a plan of a world file.
    ///
    /// # Errors
    /// If the world file is wrong.
    pub(crate) fn read_as(
        from: &Snapshot,
        plan: impl FnOnce(&SavedWorld) -> std::result::Result<WorldPlan, Vec<WorldFault>>,
    ) -> Result<Self> {
        let Some(saved) = SavedWorld::read(from)? else {
            return Ok(Self { plan: None, refused: 0 });
        };
        let plan = plan(&saved).map_err(|_| {
            let reason = "is a world file that this version does not understand";
            Error::Snapshot(Fault::Content { part: WORLD.to_owned(), reason })
        })?;
        Ok(Self { plan: Some(Box::new(plan)), refused: saved_refusals(from)? })
    }

    /// The plan of the world file.
    pub(crate) fn plan(&self) -> Option<&WorldPlan> {
        self.plan.as_deref()
    }

    /// Bytes that the rules take in a run with room for so many agents.
    pub(crate) fn memory_for(&self, capacity: u64) -> u64 {
        self.plan().map_or(0, |plan| plan.rules.memory_for(capacity))
    }

    /// Gives a run the rules.
    ///
    /// # Errors
    /// If they are not for its agents, or there is not enough memory.
    pub(super) fn set(&self, sim: &mut Sim) -> Result<()> {
        let Some(plan) = self.plan() else { return Ok(()) };
        sim.set_rules(plan.rules_for(sim.setup.agents))?;
        sim.set_refused_births(self.refused);
        Ok(())
    }
}

#[cfg(not(feature = "cli"))]
impl SavedRules {
    /// Refuses a snapshot with a world file.
    ///
    /// # Errors
    /// If it has one.
    pub(super) fn read(from: &Snapshot) -> Result<Self> {
        if from.has(WORLD) {
            let reason = "is a world file, which a build without the feature `cli` does not read";
            return Err(Error::Snapshot(Fault::Content { part: WORLD.to_owned(), reason }));
        }
        Ok(Self { plan: None })
    }

    pub(super) fn memory_for(&self, _: u64) -> u64 {
        self.plan.as_deref().map_or(0, |never| match *never {})
    }

    pub(super) fn set(&self, _: &mut Sim) -> Result<()> {
        self.plan.as_deref().map_or(Ok(()), |never| match *never {})
    }
}

/// The world file of a snapshot, as it was written.
#[cfg(feature = "cli")]
#[derive(Debug)]
pub(crate) struct SavedWorld {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) settings: Vec<(String, f32)>,
}

#[cfg(feature = "cli")]
impl SavedWorld {
    /// The world file of a snapshot, if its rules come from one.
    ///
    /// # Errors
    /// If the snapshot does not have its text as it was written.
    pub(crate) fn read(from: &Snapshot) -> Result<Option<Self>> {
        if !from.has(WORLD) {
            return Ok(None);
        }
        let line = |line| {
            let (name, value) =
                str::rsplit_once(line, " = ").ok_or_else(|| unreadable(SETTINGS, line))?;
            let value = value.parse().map_err(|_| unreadable(SETTINGS, line))?;
            Ok((name.to_owned(), value))
        };
        let settings: Result<_> = from.text(SETTINGS)?.lines().map(line).collect();
        let name = cleaned(if from.has(NAME) { from.text(NAME)? } else { "" });
        Ok(Some(Self { name, text: from.text(WORLD)?.to_owned(), settings: settings? }))
    }
}
