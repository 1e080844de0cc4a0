//! Starts of other runs: which set-up each has, and its placement in the background while the run
//! in the window goes on.

use std::sync::Arc;

use super::{
    former::FormerRuns,
    host::{RunHost, check_index},
    placement::{BackgroundPlacement, PlacementJob, read},
};
use crate::{
    error::{Field, Value},
    index::IndexKind,
    limits,
    program::{ProgramError, ProgramResult as Result},
    rules::RuleSource,
    scene::{RunField, Scene, Setup},
    sim::{SavedState, Sim, world::cell_of_run},
    snapshot::Snapshot,
    window::{
        event::{Event, sentence},
        tool::UndoTurn,
    },
    world::WorldPlan,
};

/// Agents that the tools can add, at least and at most; and parts of walls.
const SPARE_AGENTS: [u32; 2] = [2_000, 200_000];
const SPARE_STATICS: u32 = 4_096;

/// A set-up with spare room for the tools: an eighth more agents and 4,096 parts of walls.
#[must_use]
pub(crate) fn with_room_for_tools(setup: &Setup) -> Setup {
    let left = limits::AGENTS_MAX.saturating_sub(setup.agents);
    let [least, most] = SPARE_AGENTS;
    let spare_agents = (setup.agents / 8).clamp(least, most).min(left);
    Setup { spare_agents, spare_statics: SPARE_STATICS, ..setup.clone() }
}

/// The same for a world file, with room for the agents that are born, too.
#[must_use]
pub(crate) fn with_room_in_world(plan: &WorldPlan, setup: &Setup) -> Setup {
    let setup = with_room_for_tools(setup);
    let left = limits::AGENTS_MAX.saturating_sub(setup.agents);
    let spare_agents = setup.spare_agents.saturating_add(plan.births_room(setup.agents)).min(left);
    Setup { spare_agents, ..setup }
}

/// The runs after and before the one in the window.
pub(in crate::window) struct Starts {
    pub(super) placement: BackgroundPlacement,
    /// The runs that the one in the window has replaced, and those that undo has left.
    pub(super) former: FormerRuns,
    /// Number of agents that the user chose last instead of a scene's own number.
    pub(super) asked: Option<u32>,
    /// Whether the walls of the tools stay when the run is started again.
    pub(in crate::window) keep_walls: bool,
    /// Rejects a set-up of a valid run that there is no memory for, given the bytes of its rules, its index and the
    /// number of threads.
    pub(super) admit: fn(&Setup, u64, IndexKind, usize) -> Result<()>,
}

impl Starts {
    /// The set-up of the run that is being placed, or else of the run in the window.
    pub(super) fn next_setup<'a>(&'a self, host: &'a RunHost) -> &'a Setup {
        self.placement.setup().unwrap_or(host.setup())
    }

    /// Starts to place another run; without a number of agents, with the number in the window for
    /// the same scene, else with the scene's own number if it has one, else with the number that
    /// the user chose last.
    ///
    /// # Errors
    /// If the set-up is invalid, or there is no memory for it beside the run in the window.
    pub(super) fn start(
        &mut self,
        host: &RunHost,
        scene: Scene,
        agents: Option<u32>,
    ) -> Result<Event> {
        let now = host.setup();
        let world = self.next_world(host);
        if let (Some(world), Some(agents)) = (&world, agents)
            && scene == now.scene
        {
            let value = Value::Count(agents.into());
            return self.start_world(host, world, Field::Agents, value);
        }
        let [own, usual] = [scene, Scene::Gas].map(|scene| Setup::new(scene).agents);
        let is_same = scene == now.scene && world.is_none();
        let agents = agents.unwrap_or(if is_same {
            now.agents
        } else if own == usual {
            self.asked.unwrap_or(usual)
        } else {
            own
        });
        let setup = if is_same {
            setup_for(now, scene, agents)
        } else {
            with_room_for_tools(&Setup { seed: now.seed, ..Setup::with_agents(scene, agents) })
        };
        self.order(host, setup, None)
    }

    /// Starts to place a run of a world file with its own values, but the seed.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(super) fn start_plan(&mut self, host: &RunHost, plan: &WorldPlan) -> Result<Event> {
        let setup = with_room_in_world(plan, &plan.setup);
        self.order(host, setup, Some(plan))
    }

    /// Starts to place a run of a world file with another value of a field.
    fn start_world(
        &mut self,
        host: &RunHost,
        world: &RuleSource,
        field: Field,
        value: Value,
    ) -> Result<Event> {
        let plan = read(world)?;
        let of_groups = (Field::Agents, "how many agents there are");
        let stated =
            [(Field::Density, "how large its world is"), (Field::Radius, "how large agents are")];
        let of_species = (Field::Speed, "how fast agents are");
        let stated = stated.into_iter().chain(plan.has_groups().then_some(of_groups));
        let stated = stated.chain(plan.has_own_speeds().then_some(of_species));
        if let Some((field, what)) = stated.into_iter().find(|(stated, _)| *stated == field) {
            return Err(ProgramError::refused(format!(
                "the {} can't be set: the world file of {} says {what}; change it there",
                field.name(),
                world.name
            )));
        }
        let mut setup = self.next_setup(host).clone();
        if let Some(entry) = RunField::find(field) {
            (entry.set)(&mut setup, value);
        }
        let setup = with_room_in_world(&plan, &setup);
        self.order(host, setup, Some(&plan))
    }

    /// Starts to place a run with another value of a field of the set-up.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(super) fn start_with(
        &mut self,
        host: &RunHost,
        field: Field,
        value: Value,
    ) -> Result<Event> {
        if let Some(world) = self.next_world(host) {
            return self.start_world(host, &world, field, value);
        }
        let mut setup = self.next_setup(host).clone();
        let by_rule = setup.hz == setup.courant_hz();
        if let Some(entry) = RunField::find(field) {
            (entry.set)(&mut setup, value);
        }
        match field {
            // The world is as large as the density needs.
            Field::Density => setup.world = None,
            Field::Hz => {}
            _ if by_rule => setup.hz = setup.courant_hz(),
            _ => {}
        }
        self.order(host, setup, None)
    }

    /// Starts to place a run with the own values of the scene, or of the world file.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(super) fn start_as_usual(&mut self, host: &RunHost) -> Result<Event> {
        let Setup { scene, agents, seed, .. } = *self.next_setup(host);
        if let Some(world) = self.next_world(host) {
            let mut plan = read(&world)?;
            plan.setup.seed = seed;
            return self.start_plan(host, &plan);
        }
        let setup = Setup { seed, ..Setup::with_agents(scene, agents) };
        self.order(host, with_room_for_tools(&setup), None)
    }

    /// The world file of the run that is being placed, or else of the run in the window.
    fn next_world(&self, host: &RunHost) -> Option<Arc<RuleSource>> {
        match self.placement.job() {
            Some(job) => job.world.clone(),
            None => host.sim.rule_source().cloned(),
        }
    }

    /// Orders a run, of a world file with its plan.
    pub(super) fn order(
        &mut self,
        host: &RunHost,
        mut setup: Setup,
        plan: Option<&WorldPlan>,
    ) -> Result<Event> {
        if let Some(plan) = plan
            && setup.cell == cell_of_run(plan, host.setup())
        {
            // No flag has set the cells: they suit the radii of the run before.
            setup.cell = plan.setup.cell;
        }
        let rules = plan.map_or(0, |plan| plan.memory_beside(&setup));
        if let Some(plan) = plan {
            let mut plan = plan.clone();
            plan.setup = setup;
            plan.settle();
            let faults = [plan.counts_fault(), plan.crowd_fault(), plan.range_fault()];
            if let Some(why) = faults.into_iter().flatten().next() {
                return Err(ProgramError::refused(format!("the run can't begin: {why}")));
            }
            plan.check_setup()?;
            setup = plan.setup;
        } else {
            setup.validate()?;
        }
        (self.admit)(&setup, rules, host.sim.index(), host.threads())?;
        check_index(host.sim.index(), setup.agents as usize)?;
        let world = plan.and_then(|plan| plan.rules.source().cloned());
        Ok(self.place(host, setup, world, false))
    }

    /// Starts to place the same run again, with room for the tools. A placement under way is a start already and
    /// goes on.
    pub(super) fn restart(&mut self, host: &RunHost) -> Event {
        if let Some(Setup { agents, .. }) = self.placement.setup() {
            return Event::Placing(*agents);
        }
        let (mut setup, world) = (host.setup().clone(), host.sim.rule_source().cloned());
        let plan = world.as_deref().map(read).transpose();
        let admitted = plan.and_then(|plan| {
            let plan = plan.as_ref();
            let admit = |setup: &Setup| {
                let rules = plan.map_or(0, |plan| plan.memory_beside(setup));
                (self.admit)(setup, rules, host.sim.index(), host.threads())
            };
            // A run that was not started in a window has no room.
            if setup.spare_statics == 0 {
                let room = plan.map_or_else(
                    || with_room_for_tools(&setup),
                    |it| with_room_in_world(it, &setup),
                );
                if admit(&room).is_ok() {
                    setup = room;
                    return Ok(());
                }
            }
            admit(&setup)
        });
        let placing = admitted.map(|()| self.place(host, setup, world, true));
        placing.unwrap_or_else(|error| not_restarted(&error))
    }

    fn place(
        &mut self,
        host: &RunHost,
        setup: Setup,
        world: Option<Arc<RuleSource>>,
        again: bool,
    ) -> Event {
        let (agents, index, threads) = (setup.agents, host.sim.index(), host.threads());
        let (then, before) = (host.setup().clone(), host.sim.rule_source().cloned());
        let job = PlacementJob { setup, world, then, before, index, threads, again };
        self.placement.order(job);
        Event::Placing(agents)
    }

    /// The run of a snapshot, if there is memory for it beside the one in the window.
    ///
    /// # Errors
    /// If there is not.
    pub(super) fn restored(&self, host: &RunHost, snapshot: &Snapshot) -> Result<Sim> {
        let state = SavedState::read(snapshot)?;
        let room = state.room();
        let capacity = u64::from(room.agents) + u64::from(room.spare_agents);
        let rules = state.rules.memory_for(capacity);
        (self.admit)(&room, rules, host.sim.index(), host.threads())?;
        Ok(host.pool.install(|| state.restore(snapshot))?)
    }

    /// Cancels the start under way, as undo does; `None` if there is none.
    pub(super) fn undo(&mut self) -> Option<Event> {
        let what = format!("the start of {}", self.placement.title()?);
        self.placement.cancel();
        Some(Event::Turned(UndoTurn::Undo, Some(what)))
    }
}

/// The set-up of another run than `now`. The same scene keeps its values, except defaults that
/// depend on the number of agents; another scene has its own defaults.
pub(super) fn setup_for(now: &Setup, scene: Scene, agents: u32) -> Setup {
    with_room_for_tools(&if scene == now.scene {
        let [before, after] = [now.agents, agents].map(|agents| Setup::with_agents(scene, agents));
        Setup {
            agents,
            radius: if now.radius == before.radius { after.radius } else { now.radius },
            density: if now.density == before.density { after.density } else { now.density },
            hz: if now.hz == before.hz { after.hz } else { now.hz },
            ..now.clone()
        }
    } else {
        Setup { seed: now.seed, ..Setup::with_agents(scene, agents) }
    })
}

/// The number of agents if it is neither the own one of the scene nor that of a world file: the
/// user chose it.
pub(super) fn asked(sim: &Sim) -> Option<u32> {
    let Setup { scene, agents, .. } = *sim.setup();
    let own = match sim.rule_source() {
        Some(source) => read(source).ok()?.setup.agents,
        None => Setup::new(scene).agents,
    };
    (agents != own).then_some(agents)
}

/// A world file of the program.
pub(super) fn bundled((name, text): (&str, &str)) -> Result<WorldPlan> {
    let read = WorldPlan::read(name, text, &[], None);
    read.map_err(|_| ProgramError::refused(format!("{name} is no world file of this version")))
}

/// The event of a restart that was refused.
pub(super) fn not_restarted(error: &ProgramError) -> Event {
    Event::Notice(format!("not restarted: {}", sentence(error)))
}
