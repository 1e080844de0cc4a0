//! A session: the run in the window, its view and its tools. Knows neither the window nor the
//! panel.
//!
//! ```text
//! Session ─┬─ host     the run, its threads and its place in time
//!          ├─ starts   the run that is being placed, and the run before; the tour
//!          ├─ menu     pictures of all scenes and worlds to choose from
//!          ├─ screen   how the run looks, and what lies over the picture
//!          ├─ split    the run beside its twin
//!          ├─ branches the other futures of the run
//!          ├─ tools    the pointer, the tool there, and its strokes
//!          └─ reports  measurements, warnings and events
//!
//! Command ─► apply ─► a part, or several of them: `runs` replaces the run
//! each frame: run (strokes, the steps that are due), then draw (agents, hud)
//! ```
//!
//! The parts don't know the session. Steps, tools, drawing and glow each enter the thread pool.

mod apply;
mod branches;
mod former;
mod host;
mod hud;
mod menu;
mod motion;
mod pictures;
mod placement;
mod reports;
mod runs;
mod screen;
mod split;
mod starts;
mod stroke;
#[cfg(test)]
mod tests;
mod tour;
mod undo;
mod world;

pub(super) use self::{apply::replaying, reports::MessageKind, screen::INTERFACE_SCALES};
pub(crate) use self::{
    host::ReplayFault,
    starts::{with_room_for_tools, with_room_in_world},
};

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rayon::ThreadPool;

use crate::{
    index::IndexKind,
    journal::{JournalWriter, Replay},
    parallel::pool,
    program::ProgramResult as Result,
    raster::{Renderer, Style, View},
    rng::Rng,
    scene::Setup,
    sim::Sim,
    simd::SimdLevel,
    snapshot::Snapshot,
    window::{
        event::Event,
        film_options::{FilmLabels, FilmOptions},
        frame_stats::Part,
        hud::HudText,
        plots::ShownPlot,
        recorded_sim::{FollowRun, RecordedSim},
        run_stats::RunStats,
        tool::Held,
    },
};

/// The beginning of a session.
pub(crate) struct SessionOptions {
    /// The run; a restart runs it again.
    pub(crate) setup: Setup,
    /// The state that it begins with; without one, the set-up is placed.
    pub(crate) snapshot: Option<Box<Snapshot>>,
    /// How agents look at first.
    pub(crate) style: Style,
    /// Threads that step and draw, 1 or more.
    pub(crate) threads: usize,
    /// Instructions of the hot loops.
    pub(crate) simd: SimdLevel,
    /// The index that finds the contacts at first.
    pub(crate) index: IndexKind,
    /// Gets the edits of the run.
    pub(crate) journal: Option<JournalWriter>,
    /// Follows the run.
    pub(crate) follow: Option<FollowRun>,
    /// The journal that changes the run instead of the user.
    pub(crate) replay: Option<Replay>,
    /// Bytes that the way back may take; 0 keeps none.
    pub(crate) history: usize,
    /// Rejects a set-up that there is no memory for, given its index and number of threads.
    pub(crate) admit: fn(&Setup, u64, IndexKind, usize) -> Result<()>,
}

/// The run in the window.
pub(super) struct Session {
    /// The run and its place in time.
    pub(super) host: host::RunHost,
    /// The runs before and after it.
    pub(super) starts: starts::Starts,
    tour: Option<tour::Tour>,
    /// All scenes and worlds, to choose from.
    pub(super) menu: menu::SceneMenu,
    /// The picture of the run.
    pub(super) screen: screen::Screen,
    /// The letters of what is written over it.
    text: HudText,
    /// The pointer and the tool there.
    pub(super) tools: stroke::Tools,
    /// Measurements, warnings and events.
    pub(super) reports: reports::Reports,
    /// Format and time of the next film.
    pub(super) film_options: FilmOptions,
}

impl Session {
    /// Places the agents and starts the threads. `wake` is called from any thread when
    /// [`Self::placed`] has an event or the menu another picture.
    ///
    /// # Errors
    /// As [`Sim::new`], [`pool`] and [`Sim::set_index`].
    pub(super) fn new(
        options: SessionOptions,
        wake: impl Fn() + Clone + Send + 'static,
    ) -> Result<Self> {
        let SessionOptions { setup, snapshot, style, threads, simd, index, .. } = options;
        let SessionOptions { journal, follow, replay, history, admit, .. } = options;
        let pool = Arc::new(pool(threads)?);
        let mut sim = pool.install(|| match &snapshot {
            Some(snapshot) => Sim::restore(snapshot),
            None => Sim::new(&setup),
        })?;
        sim.set_simd(simd);
        pool.install(|| sim.set_index(index))?;
        let mut renderer = Renderer::new(1, 1, style)?;
        renderer.record_starts(&View::from_sim(&sim));
        let mut seeds = Rng::new(setup.seed);
        if let Some(snapshot) = &snapshot {
            runs::load_window(snapshot, &mut renderer, &mut seeds)?;
        }
        let asked = starts::asked(&sim);
        let mut sim = RecordedSim::new(sim, snapshot.as_deref(), journal, history);
        sim.set_follow(follow);
        let menu = menu::SceneMenu::new(wake.clone())?;
        let mut session = Self {
            screen: screen::Screen::new(renderer, sim.world(), history > 0),
            text: HudText::new(),
            host: host::RunHost::new(pool, sim, replay),
            starts: starts::Starts {
                placement: placement::BackgroundPlacement::new(wake)?,
                former: former::FormerRuns::default(),
                asked,
                keep_walls: false,
                admit,
            },
            tour: None,
            menu,
            tools: stroke::Tools::new(seeds),
            reports: reports::Reports::new(),
            film_options: FilmOptions::default(),
        };
        session.report_history();
        session.look_as_stated(world::LookAt::Camera);
        Ok(session)
    }

    /// The simulation.
    pub(super) fn sim(&self) -> &Sim {
        &self.host.sim
    }

    /// The set-up of the run, changed as the user changed it: a restart starts from it.
    pub(super) fn setup(&self) -> &Setup {
        self.host.setup()
    }

    /// The set-up of the run that is being placed, or else of the run in the window.
    pub(super) fn next_setup(&self) -> &Setup {
        self.starts.next_setup(&self.host)
    }

    /// What people call the run that is being placed, or else the run in the window.
    pub(super) fn next_title(&self) -> &str {
        self.starts.placement.title().unwrap_or(self.host.sim.title())
    }

    /// Whether another run is being placed.
    pub(super) fn is_placing(&self) -> bool {
        self.starts.placement.setup().is_some()
    }

    /// Whether there is a tour.
    pub(super) fn is_on_tour(&self) -> bool {
        self.tour.is_some()
    }

    /// Whether steps are due, or will be.
    pub(super) fn is_active(&self) -> bool {
        self.host.timestep.is_running() || self.host.seek.is_some() || self.host.twin_lags()
    }

    /// The plots that the panel shows: of the distance from a twin, and of observables.
    pub(super) fn plots(&self) -> impl Iterator<Item = &ShownPlot> {
        let twin = self.host.twin.as_ref().map(|twin| &twin.plot);
        twin.into_iter().chain(self.reports.plots.shown())
    }

    /// Time for which the run was played, as if the machine had kept up with the rate that the user
    /// asked for, until the moment in the frame, which may lag behind the last step.
    pub(super) fn played(&self) -> Duration {
        let lag = self.host.timestep.lag() / self.host.timestep.rate();
        Duration::from_secs_f64((self.host.played() - lag).max(0.0))
    }

    /// The threads that step and draw.
    pub(super) fn pool(&self) -> Arc<ThreadPool> {
        Arc::clone(&self.host.pool)
    }

    /// How agents look.
    pub(super) fn style(&self) -> &Style {
        self.screen.style()
    }

    /// Takes the steps that are due at `now`, or steps on the way to another one, and the strokes
    /// of the tools. Returns the number of steps taken.
    ///
    /// # Errors
    /// As [`Sim::step`] and [`Event::notice_of`].
    pub(super) fn run(&mut self, now: Instant) -> Result<u32> {
        let elapsed = self.host.elapse(now);
        self.go_on_tour(now);
        let refusal = self.tools.work_on(&mut self.host, &mut self.screen)?;
        self.reports.events.extend(refusal);
        self.host.sim.view = self.screen.view.shown();
        let rewinds = self.is_rewinding();
        let (taken, turn) = if rewinds {
            (self.host.take_seek_steps(&mut self.reports.frame_stats)?, None)
        } else if self.host.twin_lags() {
            (0, None)
        } else {
            let steering = self.tools.steering(&self.host, &self.screen);
            let steered = &mut self.tools.state.stroke.steered;
            let reports::Reports { frame_stats, plots, .. } = &mut self.reports;
            self.host.take_due_steps(elapsed, frame_stats, plots, |sim| {
                if let Some(steer) = &steering {
                    *steered += steer(sim)?;
                }
                Ok(())
            })?
        };
        if let Some(view) = self.host.take_replayed_view() {
            self.screen.show(view);
        }
        self.follow_with_twin();
        // An edit of the timeline may have spawned agents again.
        if self.host.sim.take_remade() {
            self.screen.renderer.record_starts(&View::from_sim(&self.host.sim));
        }
        if let Some(step) = self.host.end_seek() {
            self.reports.events.push(Event::Moment(step));
        }
        if let Some(turn) = turn {
            self.turn_replay(turn)?;
        }
        self.report_branches();
        self.host.sim.write_journal(now);
        self.report_journal();
        if rewinds {
            self.reports.frame_stats.discard();
        } else {
            self.reports.observe(&mut self.host, elapsed);
        }
        Ok(taken)
    }

    /// Measures the run, and samples the plots unless it is on a way back.
    ///
    /// # Errors
    /// As [`Sim::measure`].
    pub(super) fn measure(&mut self) -> Result<RunStats> {
        let rewinds = self.is_rewinding();
        let host::RunHost { pool, sim, .. } = &mut self.host;
        let stats = pool.install(|| RunStats::measure(sim.beside_state()))?;
        self.reports.add_figures(&self.host, &stats.figures, rewinds);
        Ok(stats)
    }

    /// Draws into the bytes of a frame of the size that [`Screen::resize`](screen::Screen::resize)
    /// was given last.
    pub(super) fn draw(&mut self, bytes: &mut [u8]) {
        let begin = Instant::now();
        let interpolation = self.host.interpolation();
        // The first change in the past leaves a branch: the picture stays under the pointer until it is made.
        if self.tools.state.held != Held::Tool {
            self.screen.fit_above(self.host.sim.timeline().branches().len());
        }
        self.compare();
        let Self { host, screen, .. } = self;
        screen.follow(&host.sim, interpolation);
        let camera = *screen.view.camera();
        screen.draw_agents(bytes, &camera, &host.pool, &host.sim, interpolation);
        screen.draw_twin(bytes, &camera, screen.halves(), host);
        // The interface neither gives nor takes light.
        screen.add_glow(bytes, screen.size, &host.pool, host.sim.simd());
        hud::draw(self, bytes, interpolation);
        self.reports.frame_stats.push(Part::Draw, begin.elapsed());
    }

    /// Draws the part of the world that the window shows, fitted to a whole frame of `size` pixels
    /// and without the interface, with labels if the user wants them. The size is that of the
    /// window, or that of
    /// [`Screen::capture_at`](screen::Screen::capture_at).
    pub(super) fn draw_view(&mut self, bytes: &mut [u8], size: [u32; 2]) {
        self.compare();
        let Self { host, screen, .. } = self;
        let seam = if screen.split.is_some() { size[0] / 2 } else { 0 };
        let camera = screen.view.uncovered(size, seam);
        screen.draw_captured(bytes, &camera, &host.pool, &host.sim, host.interpolation());
        screen.draw_twin(bytes, &camera, [0, seam], host);
        screen.add_glow(bytes, size, &host.pool, host.sim.simd());
        if self.film_options.labels == FilmLabels::On {
            hud::label(self, bytes, &camera);
        }
    }
}
