//! Starts of other runs: placed in the background while the run in the window goes on; and
//! snapshots.

use super::{
    Session,
    apply::{check_index, refused},
};
use crate::{
    index::IndexKind,
    limits,
    program::{ProgramError, ProgramResult as Result},
    raster::{ColorBy, Renderer, Style, View},
    rng::Rng,
    scene::{Scene, Setup},
    sim::{Edit, Sim},
    snapshot::{Lines, Snapshot, write_line},
    window::{
        background::PlacementJob,
        command::StartValue,
        event::{Event, sentence},
        frame_stats::FrameStats,
        tool::UndoTurn,
        view_control::ViewControl,
    },
};

/// The section of a snapshot with the random numbers of the tools.
const TOOLS: &str = "view.tools";

/// Agents that the tools can add, at least and at most; and discs of walls.
const SPARE_AGENTS: [u32; 2] = [2_000, 200_000];
const SPARE_STATICS: u32 = 4_096;

/// A set-up with spare room for what the tools add: an eighth more agents and 4,096 discs of walls.
#[must_use]
pub(crate) fn with_room_for_tools(setup: &Setup) -> Setup {
    let left = limits::AGENTS_MAX.saturating_sub(setup.agents);
    let [least, most] = SPARE_AGENTS;
    let spare_agents = (setup.agents / 8).clamp(least, most).min(left);
    Setup { spare_agents, spare_statics: SPARE_STATICS, ..setup.clone() }
}

impl Session {
    /// The set-up of another run. The same scene keeps its values, except defaults that depend on
    /// the number of agents; another scene has its own defaults.
    pub(super) fn setup_for(&self, scene: Scene, agents: u32) -> Setup {
        let now = self.setup();
        with_room_for_tools(&if scene == now.scene {
            let [before, after] =
                [now.agents, agents].map(|agents| Setup::with_agents(scene, agents));
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

    /// The number of agents that another scene starts with: its own if it has one, else the number
    /// that the user chose last.
    fn agents_of(&self, scene: Scene) -> u32 {
        let [own, usual] = [scene, Scene::Gas].map(|scene| Setup::new(scene).agents);
        if scene == self.setup().scene {
            self.setup().agents
        } else if own == usual {
            self.asked.unwrap_or(usual)
        } else {
            own
        }
    }

    /// Starts to place another run; without a number of agents, of [`Self::agents_of`].
    ///
    /// # Errors
    /// If the set-up is invalid, or there is no memory for it beside the run in the window.
    pub(super) fn start(&mut self, scene: Scene, agents: Option<u32>) -> Result<Event> {
        let agents = agents.unwrap_or_else(|| self.agents_of(scene));
        self.order(self.setup_for(scene, agents))
    }

    /// The set-up of the run that is being placed, or else of the run in the window.
    pub(in crate::window) fn next_setup(&self) -> &Setup {
        self.placement.setup().unwrap_or(self.setup())
    }

    /// Starts to place a run with another value of the set-up.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(super) fn start_with(&mut self, value: StartValue) -> Result<Event> {
        let mut setup = self.next_setup().clone();
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
        self.order(setup)
    }

    fn order(&mut self, setup: Setup) -> Result<Event> {
        (self.admit)(&setup, self.sim.index(), self.threads())?;
        setup.validate()?;
        check_index(self.sim.index(), setup.agents as usize)?;
        Ok(self.place(setup, false))
    }

    /// Starts to place the same run again. A placement under way is a start already and goes on.
    pub(super) fn restart(&mut self) -> Event {
        if let Some(Setup { agents, .. }) = self.placement.setup() {
            return Event::Placing(*agents);
        }
        let setup = self.setup().clone();
        let admitted = (self.admit)(&setup, self.sim.index(), self.threads());
        let placing = admitted.map(|()| self.place(setup, true));
        placing.unwrap_or_else(|error| not_restarted(&error))
    }

    fn place(&mut self, setup: Setup, again: bool) -> Event {
        let (agents, index) = (setup.agents, self.sim.index());
        self.placement.order(PlacementJob { setup, index, again });
        Event::Placing(agents)
    }

    /// Shows the run that was ordered last once it is placed, and reports it. If there is no memory
    /// for it, the run in the window goes on.
    pub(in crate::window) fn placed(&mut self) -> Option<Event> {
        let (job, sim) = self.placement.take()?;
        Some(match sim {
            Ok(mut sim) => {
                // Undo after a tour brings the run back that it began with.
                let again = self.tour_replaces();
                let former = self.former.take_if(|_| again).or_else(|| self.former());
                sim.set_simd(self.sim.simd());
                if !job.again {
                    self.adapt_to(&sim);
                }
                let (index, now) = (self.sim.index(), self.setup().clone());
                self.show(sim, None);
                self.present_scene();
                if let Err(error) = self.catch_up(index, &now) {
                    self.message = sentence(&error);
                }
                self.keep_former(former, UndoTurn::Undo);
                if job.again { Event::Restarted } else { self.run_event() }
            }
            Err(error) => {
                self.leave_scene_out();
                if job.again { not_restarted(&error) } else { refused(&error) }
            }
        })
    }

    /// Takes a snapshot of the run, with what the window adds to it.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(in crate::window) fn snapshot(&self) -> Result<Snapshot> {
        let Self { pool, sim, renderer, seeds, .. } = self;
        let sim: &Sim = sim;
        let taken = pool.install(|| {
            sim.snapshot_with(Vec::new(), |to| {
                let mut text = String::new();
                write_line(&mut text, "random", seeds.state());
                to.text(TOOLS, &text)?;
                renderer.save_starts(to)
            })
        });
        Ok(taken?)
    }

    /// Shows the run of a snapshot, with what a window has added to it, and reports it.
    ///
    /// # Errors
    /// If there is not enough memory for the index; then nothing changes. If what a window has added
    /// can't be used; the run is shown all the same.
    pub(in crate::window) fn open(&mut self, snapshot: &Snapshot, sim: Sim) -> Result<()> {
        self.show_saved(snapshot, sim, UndoTurn::Undo)
    }

    /// The same; `back` brings the run back that was in the window.
    pub(super) fn show_saved(
        &mut self,
        snapshot: &Snapshot,
        mut sim: Sim,
        back: UndoTurn,
    ) -> Result<()> {
        sim.set_simd(self.sim.simd());
        let index = self.sim.index();
        if check_index(index, sim.agents().len()).is_ok() {
            self.pool.install(|| sim.set_index(index))?;
        }
        // A placement under way would replace this run.
        self.placement.cancel();
        let former = self.former();
        self.adapt_to(&sim);
        self.show(sim, Some(snapshot));
        self.keep_former(former, back);
        self.events.push(self.run_event());
        load_window(snapshot, &mut self.renderer, &mut self.seeds)
    }

    /// The event of another run in the window.
    pub(super) fn run_event(&self) -> Event {
        let &Setup { scene, agents, .. } = self.setup();
        Event::Run { scene: scene.name(), agents }
    }

    /// Changes a new run as the user changed the former one during its placement: the index, and in
    /// the same scene the numbers.
    ///
    /// # Errors
    /// If the run refuses one of these: from there on it stays as ordered.
    fn catch_up(&mut self, index: IndexKind, now: &Setup) -> Result<()> {
        let Self { pool, sim, .. } = self;
        let then = sim.setup().clone();
        if index != sim.index() && check_index(index, sim.agents().len()).is_ok() {
            pool.install(|| sim.beside_state().set_index(index))?;
        }
        if now.scene != then.scene {
            return Ok(());
        }
        if now.restitution != then.restitution {
            sim.apply(Edit::Restitution(now.restitution))?;
        }
        if now.gravity != then.gravity {
            sim.apply(Edit::Gravity(now.gravity))?;
            self.forget_warnings();
        }
        if now.speed != then.speed {
            // It may be too high for one of the agents.
            self.sim.apply(Edit::ScaleSpeeds(now.speed / then.speed))?;
        }
        Ok(())
    }

    /// Adapts view, timestep and style to another run.
    pub(super) fn adapt_to(&mut self, sim: &Sim) {
        let setup = sim.setup();
        let Style { color_by, palette, exposure, overlay, .. } = *self.renderer.style();
        let mut style = Style { palette, overlay, exposure, ..Style::from_setup(setup) };
        // What a user chose stays, unless there are factions or were some.
        let usual = ColorBy::best_in(self.setup().scene);
        if color_by != usual && style.color_by != ColorBy::Faction {
            style.color_by = color_by;
        }
        self.renderer.set_style(style);
        self.view = ViewControl::new(sim.world(), self.size, self.taken());
        self.timestep.hz = f64::from(setup.hz);
        self.asked = asked(setup).or(self.asked);
    }

    /// Replaces the run, and drops what belongs to the former one: strokes, measurements, time.
    pub(super) fn show(&mut self, sim: Sim, from: Option<&Snapshot>) {
        self.sim.begin(sim, from);
        // Ids start again, too.
        self.renderer.clear_starts();
        self.renderer.record_starts(&View::from_sim(&self.sim));
        self.tool_state.restart();
        self.inspection = None;
        self.seeds = Rng::new(self.setup().seed);
        self.stay();
        self.report_history();
        self.timestep.restart();
        self.frame_stats = FrameStats::new();
        self.plots.restart();
        self.overlap = None;
        self.forget_warnings();
        self.skip_time();
    }
}

/// Restores what a window has added to a snapshot, if one has: random numbers and start colors.
///
/// # Errors
/// If it can't be used.
pub(super) fn load_window(from: &Snapshot, renderer: &mut Renderer, seeds: &mut Rng) -> Result<()> {
    if from.has(TOOLS) {
        let mut lines = Lines::new(TOOLS, from.text(TOOLS)?)?;
        *seeds = Rng::new(lines.take("random")?);
        lines.end()?;
    }
    Ok(renderer.load_starts(from)?)
}

fn not_restarted(error: &ProgramError) -> Event {
    Event::Notice(format!("not restarted: {}", sentence(error)))
}

/// The number of agents if it isn't the scene's own: the user chose it.
pub(super) fn asked(setup: &Setup) -> Option<u32> {
    Some(setup.agents).filter(|&agents| agents != Setup::new(setup.scene).agents)
}
