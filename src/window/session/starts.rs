//! Starts of other runs: which set-up each has, and its placement in the background while the run in
//! the window goes on. The run that was replaced last is kept, so that undo brings it back, and redo
//! leaves it again. A tour starts one scene after the other.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::host::{RunHost, check_index};
use crate::{
    error::{Field, Value},
    index::IndexKind,
    limits,
    program::{ProgramError, ProgramResult as Result},
    raster::ColorBy,
    scene::{self, PlacementProgress, RunField, Scene, Setup},
    sim::Sim,
    snapshot::Snapshot,
    window::{
        event::{Event, sentence},
        tool::UndoTurn,
        view_control::ViewControl,
        worker::{Worker, caught},
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

/// A run to be placed.
#[derive(Clone, Debug)]
pub(super) struct PlacementJob {
    pub(super) setup: Setup,
    pub(super) index: IndexKind,
    /// Whether this is a restart of the current run.
    pub(super) again: bool,
}

impl PlacementJob {
    fn place(&self, progress: &PlacementProgress) -> Result<Sim> {
        let mut sim = Sim::from_start(&self.setup, scene::place_while(&self.setup, progress)?)?;
        sim.set_index(self.index)?;
        Ok(sim)
    }
}

/// A job, and how far it has come; it is canceled once there is a newer one.
type PlacementOrder = (PlacementJob, Arc<PlacementProgress>);

/// The thread that places runs, one at a time, as each takes memory. A newer order cancels the older
/// ones, so that only the newest is ever taken.
pub(super) struct BackgroundPlacement {
    worker: Worker<PlacementOrder, (PlacementOrder, Result<Sim>)>,
    /// The newest order until it is taken.
    newest: Option<(Setup, Arc<PlacementProgress>)>,
}

impl BackgroundPlacement {
    /// Starts the thread, which calls `wake` when there is something to [`Self::take`].
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Result<Self> {
        let place = |(job, progress): PlacementOrder| {
            if progress.is_canceled() {
                return None;
            }
            let sim = caught("placing the agents has failed; try again", || job.place(&progress));
            // The next run needs the memory of one that is not wanted any more.
            (!progress.is_canceled()).then_some(((job, progress), sim))
        };
        Ok(Self { worker: Worker::new("place", place, wake)?, newest: None })
    }

    /// The newest order.
    pub(super) fn setup(&self) -> Option<&Setup> {
        self.newest.as_ref().map(|(setup, _)| setup)
    }

    /// How much of the newest order is done, in percent. The last percent is the grid.
    pub(super) fn percent(&self) -> Option<u64> {
        let (setup, progress) = self.newest.as_ref()?;
        Some(u64::from(progress.placed()) * 99 / u64::from(setup.agents.max(1)))
    }

    /// Starts to place a run; cancels older orders first.
    pub(super) fn order(&mut self, job: PlacementJob) {
        let progress = Arc::new(PlacementProgress::new());
        self.cancel();
        self.newest = Some((job.setup.clone(), Arc::clone(&progress)));
        self.worker.order((job, progress));
    }

    /// Cancels the newest order.
    pub(super) fn cancel(&mut self) {
        if let Some((_, progress)) = self.newest.take() {
            progress.cancel();
        }
    }

    /// The newest order, once it is placed or has failed.
    pub(super) fn take(&mut self) -> Option<(PlacementJob, Result<Sim>)> {
        let mut placed = self.worker.take();
        let ((job, _), sim) = placed.find(|((_, progress), _)| !progress.is_canceled())?;
        self.newest = None;
        Some((job, sim))
    }
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
    pub(super) by: UndoTurn,
    pub(super) edits: usize,
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
        self.order(host, setup)
    }

    /// Starts to place a run with the scene's own values.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(super) fn start_as_usual(&mut self, host: &RunHost) -> Result<Event> {
        let Setup { scene, agents, seed, .. } = *self.next_setup(host);
        let setup = Setup { seed, ..Setup::with_agents(scene, agents) };
        self.order(host, with_room_for_tools(&setup))
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
