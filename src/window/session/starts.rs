//! Starts of other runs: which set-up each has, and its placement in the background while the run in
//! the window goes on. The run that was replaced last is kept, so that undo brings it back, and redo
//! leaves it again. A tour starts one scene after the other.

use std::time::{Duration, Instant};

use super::host::{RunHost, check_index};
use crate::{
    index::IndexKind,
    limits,
    program::{ProgramError, ProgramResult as Result},
    raster::ColorBy,
    scene::{Scene, Setup},
    snapshot::Snapshot,
    window::{
        background::{BackgroundPlacement, PlacementJob},
        command::StartValue,
        event::{Event, sentence},
        tool::UndoTurn,
        view_control::ViewControl,
    },
};

/// Agents that the tools can add, at least and at most; and discs of walls.
const SPARE_AGENTS: [u32; 2] = [2_000, 200_000];
const SPARE_STATICS: u32 = 4_096;

/// Time for which each scene is played, as if the machine kept up, in seconds.
const PLAYED: f64 = 15.0;

/// Longest time for which a scene is shown.
const SHOWN: Duration = Duration::from_mins(1);

/// A set-up with spare room for the tools: an eighth more agents and 4,096 discs of walls.
#[must_use]
pub(crate) fn with_room_for_tools(setup: &Setup) -> Setup {
    let left = limits::AGENTS_MAX.saturating_sub(setup.agents);
    let [least, most] = SPARE_AGENTS;
    let spare_agents = (setup.agents / 8).clamp(least, most).min(left);
    Setup { spare_agents, spare_statics: SPARE_STATICS, ..setup.clone() }
}

/// A run that was replaced.
pub(super) struct FormerRun {
    /// As a file would have it: a journal records it when the run comes back.
    pub(super) snapshot: Snapshot,
    pub(super) view: ViewControl,
    pub(super) color_by: ColorBy,
    /// The number of agents that the user had chosen last.
    pub(super) asked: Option<u32>,
    /// The turn that brings it back, as long as the run after it has no more than `edits` edits.
    by: UndoTurn,
    edits: usize,
}

impl FormerRun {
    pub(super) fn new(
        snapshot: Snapshot,
        view: ViewControl,
        color_by: ColorBy,
        asked: Option<u32>,
    ) -> Self {
        Self { snapshot, view, color_by, asked, by: UndoTurn::Undo, edits: 0 }
    }
}

/// The runs after and before the one in the window.
pub(super) struct Starts {
    pub(super) placement: BackgroundPlacement,
    /// The run before the one in the window.
    pub(super) former: Option<FormerRun>,
    /// Number of agents that the user chose last instead of a scene's own number.
    pub(super) asked: Option<u32>,
    /// Rejects a set-up that there is no memory for, given its index and number of threads.
    pub(super) admit: fn(&Setup, IndexKind, usize) -> Result<()>,
}

impl Starts {
    /// The set-up of the run that is being placed, or else of the run in the window.
    pub(super) fn next_setup<'a>(&'a self, host: &'a RunHost) -> &'a Setup {
        self.placement.setup().unwrap_or(host.setup())
    }

    /// Starts to place another run; without a number of agents, with the number in the window for the
    /// same scene, else with the scene's own number if it has one, else with the number that the user
    /// chose last.
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
        let [own, usual] = [scene, Scene::Gas].map(|scene| Setup::new(scene).agents);
        let agents = agents.unwrap_or(if scene == now.scene {
            now.agents
        } else if own == usual {
            self.asked.unwrap_or(usual)
        } else {
            own
        });
        self.order(host, setup_for(now, scene, agents))
    }

    /// Starts to place a run with another value of the set-up.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(super) fn start_with(&mut self, host: &RunHost, value: StartValue) -> Result<Event> {
        let mut setup = self.next_setup(host).clone();
        let by_rule = setup.hz == setup.courant_hz();
        match value {
            StartValue::Seed(seed) => setup.seed = seed,
            StartValue::Density(density) => (setup.density, setup.world) = (density, None),
            StartValue::Radius(radius) => setup.radius = radius,
            StartValue::World(world) => setup.world = Some(world),
            StartValue::Substeps(substeps) => setup.substeps = substeps,
            StartValue::Solver(solver) => setup.solver = solver,
        }
        if by_rule {
            setup.hz = setup.courant_hz();
        }
        self.order(host, setup)
    }

    fn order(&mut self, host: &RunHost, setup: Setup) -> Result<Event> {
        (self.admit)(&setup, host.sim.index(), host.threads())?;
        setup.validate()?;
        check_index(host.sim.index(), setup.agents as usize)?;
        Ok(self.place(host, setup, false))
    }

    /// Starts to place the same run again. A placement under way is a start already and goes on.
    pub(super) fn restart(&mut self, host: &RunHost) -> Event {
        if let Some(Setup { agents, .. }) = self.placement.setup() {
            return Event::Placing(*agents);
        }
        let setup = host.setup().clone();
        let admitted = (self.admit)(&setup, host.sim.index(), host.threads());
        let placing = admitted.map(|()| self.place(host, setup, true));
        placing.unwrap_or_else(|error| not_restarted(&error))
    }

    fn place(&mut self, host: &RunHost, setup: Setup, again: bool) -> Event {
        let (agents, index) = (setup.agents, host.sim.index());
        self.placement.order(PlacementJob { setup, index, again });
        Event::Placing(agents)
    }

    /// Cancels the start under way, as undo does; `None` if there is none.
    pub(super) fn undo(&mut self) -> Option<Event> {
        let what = format!("the start of {}", self.placement.setup()?.scene);
        self.placement.cancel();
        Some(Event::Turned(UndoTurn::Undo, Some(what)))
    }

    /// Keeps the run that the one in the window has replaced. False if there is none to keep.
    pub(super) fn keep_former(
        &mut self,
        former: Option<FormerRun>,
        by: UndoTurn,
        edits: usize,
    ) -> bool {
        self.former = former.map(|former| FormerRun { by, edits, ..former });
        self.former.is_some()
    }

    /// Takes the run that a turn brings back; `None` if the user has changed the run since.
    pub(super) fn take_former(&mut self, turn: UndoTurn, edits: usize) -> Option<FormerRun> {
        self.former.take_if(|former| (former.by, former.edits) == (turn, edits))
    }
}

/// A tour under way: scene after scene, each for some seconds of its own time in the colors that suit
/// it and with its caption, until a user does something. For stands, and for a look at everything
/// there is. A slow machine shows a scene for longer, so that its events happen in sight.
#[derive(Debug)]
pub(super) struct Tour {
    /// The scene that was begun last.
    at: Scene,
    /// When it was shown, and for how long the session had been played then; `None` while it is placed.
    since: Option<(Instant, f64)>,
    /// True if the run that the tour began with has been replaced.
    replaced: bool,
}

impl Tour {
    /// A tour that begins with the scene in the window.
    pub(super) fn new(at: Scene) -> Self {
        Self { at, since: None, replaced: false }
    }

    /// Whether the next scene is being placed.
    pub(super) fn is_placing(&self) -> bool {
        self.since.is_none()
    }

    /// Counts the time of the scene in the window from now on. If the next scene can't be placed, this
    /// one stays for the time of that one.
    pub(super) fn stay(&mut self, now: Instant, played: f64) {
        self.since = Some((now, played));
    }

    /// The next scene, if the time of the one in the window is over.
    pub(super) fn next(&self, now: Instant, played: f64) -> Option<Scene> {
        let (since, before) = self.since?;
        let is_over = played - before >= PLAYED || now.saturating_duration_since(since) >= SHOWN;
        is_over.then(|| self.at.after(1))
    }

    /// Waits until another scene is placed.
    pub(super) fn go_to(&mut self, scene: Scene) {
        (self.at, self.since) = (scene, None);
    }

    /// True if the tour has replaced the run that it began with. Its next run replaces one of its own.
    pub(super) fn replaces(&mut self) -> bool {
        std::mem::replace(&mut self.replaced, true)
    }
}

/// The set-up of another run than `now`. The same scene keeps its values, except defaults that depend
/// on the number of agents; another scene has its own defaults.
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

/// The number of agents if it isn't the scene's own: the user chose it.
pub(super) fn asked(setup: &Setup) -> Option<u32> {
    Some(setup.agents).filter(|&agents| agents != Setup::new(setup.scene).agents)
}

/// The event of a restart that was refused.
pub(super) fn not_restarted(error: &ProgramError) -> Event {
    Event::Notice(format!("not restarted: {}", sentence(error)))
}
