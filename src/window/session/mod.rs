//! A session: the run in the window, its timestep, its view and its tools. Knows neither the window
//! nor the panel.
//!
//! ```text
//! Command ─► apply ─┬─ runs    other runs, placed in the background; `capacity`, how large they may be
//!                   ├─ former  the run before, which undo brings back
//!                   ├─ stroke  what the tools do, and undo
//!                   ├─ replay  what a journal does instead of the user
//!                   ├─ rewind  the way to another step
//!                   └─ tour    scene after scene
//! each frame: run (stroke, the steps that are due), then draw (agents, hud, text)
//! ```
//!
//! The clock is read here: the simulation has none. A frame enters the thread pool twice, once for
//! its steps and once to draw.

mod apply;
mod capacity;
mod former;
mod hud;
mod replay;
mod rewind;
mod runs;
mod stroke;
#[cfg(test)]
mod tests;
mod tour;

pub(crate) use self::runs::with_room_for_tools;
pub(super) use self::{apply::INTERFACE_SCALES, replay::replaying};

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use glam::Vec2;
use rayon::ThreadPool;

use crate::{
    alloc,
    index::IndexKind,
    journal::{Due, JournalWriter, Replay},
    parallel::pool,
    program::{ProgramError, ProgramResult as Result},
    raster::{Renderer, Style, View},
    rng::Rng,
    scene::Setup,
    sim::Sim,
    simd::SimdLevel,
    snapshot::Snapshot,
    window::{
        background::BackgroundPlacement,
        event::Event,
        film_options::{FilmOptions, FilmProgress},
        frame_stats::{FrameStats, Part},
        glow::Glow,
        hud::{Inspection, Minimap, key_help, status, text_scale, timeline_bar},
        plots::Plots,
        recorded_sim::RecordedSim,
        run_stats::RunStats,
        timestep::Timestep,
        tool::ToolState,
        view_control::ViewControl,
        warnings::Warnings,
    },
};

/// Number of agents up to which all pairs are tested in a fraction of a second; more would block
/// the window.
const NAIVE_MAX: usize = 20_000;

/// What a session starts from.
pub(crate) struct SessionOptions {
    /// The run; a restart runs it again.
    pub(crate) setup: Setup,
    /// The state that it begins with, unless it begins anew.
    pub(crate) snapshot: Option<Box<Snapshot>>,
    /// How agents look at first.
    pub(crate) style: Style,
    /// Threads that step and draw, 1 or more.
    pub(crate) threads: usize,
    /// Instructions of the hot loops.
    pub(crate) simd: SimdLevel,
    /// The index that finds the contacts at first.
    pub(crate) index: IndexKind,
    /// Gets what happens.
    pub(crate) journal: Option<JournalWriter>,
    /// What changes the run instead of the user.
    pub(crate) replay: Option<Replay>,
    /// Bytes that the way back may take; 0 keeps none.
    pub(crate) history: usize,
    /// Rejects a set-up that there is no memory for, given its index and number of threads.
    pub(crate) admit: fn(&Setup, IndexKind, usize) -> Result<()>,
}

/// The run in the window.
pub(super) struct Session {
    /// Number of agents that the user chose last instead of a scene's own number.
    asked: Option<u32>,
    admit: fn(&Setup, IndexKind, usize) -> Result<()>,
    pool: Arc<ThreadPool>,
    sim: RecordedSim,
    playback: replay::Playback,
    /// The way to another step, while the run is on it.
    seek: Option<rewind::Seek>,
    renderer: Renderer,
    /// Times of each part of the work.
    pub(super) frame_stats: FrameStats,
    /// What the panel plots.
    pub(super) plots: Plots,
    /// What is wrong with the run.
    warnings: Warnings,
    /// True if the warnings have changed since the app was told.
    warned: bool,
    /// What the app has yet to be told.
    events: Vec<Event>,
    /// Number of agents with which this machine would keep up, while it doesn't.
    fitting: Option<u32>,
    /// Largest overlap that was measured since the warnings were updated.
    overlap: Option<f32>,
    size: [u32; 2],
    /// Physical pixels per logical pixel, what the user multiplies it by, and pixels per font pixel.
    screen_scale: f64,
    pub(super) interface_scale: f32,
    text_scale: u32,
    /// Columns of pixels at the left that the panel takes.
    beside: u32,
    last_run: Instant,
    /// When steps are due.
    pub(super) timestep: Timestep,
    /// The part of the world that is shown.
    pub(super) view: ViewControl,
    /// The page of the keys that is shown, from 1; 0 if none is.
    help: u32,
    /// Whether dense places glow, and what makes them glow.
    pub(super) glow: bool,
    light: Glow,
    /// The pointer, physical pixels.
    cursor: Vec2,
    /// Whether the pointer is over the window.
    pub(super) pointed: bool,
    /// The tool in use.
    pub(super) tool_state: ToolState,
    /// The inspected agent.
    inspection: Option<Inspection>,
    minimap: Minimap,
    /// Random numbers of spawned agents.
    seeds: Rng,
    /// The film under way, and what the next one is like.
    pub(super) filmed: Option<FilmProgress>,
    pub(super) film_options: FilmOptions,
    /// Time that was played so far, seconds.
    played: f64,
    placement: BackgroundPlacement,
    /// The run before the one in the window.
    former: Option<former::FormerRun>,
    tour: Option<tour::Tour>,
    /// The message under the status line; empty without one.
    pub(super) message: String,
}

impl Session {
    /// Places the agents and starts the threads. `wake` is called from any thread when
    /// [`Self::placed`] has an event.
    ///
    /// # Errors
    /// As [`Sim::new`], [`pool`] and [`Sim::set_index`].
    pub(super) fn new(options: SessionOptions, wake: impl Fn() + Send + 'static) -> Result<Self> {
        let SessionOptions { setup, snapshot, style, threads, simd, index, .. } = options;
        let SessionOptions { journal, replay, history, admit, .. } = options;
        let pool = Arc::new(pool(threads)?);
        let mut sim = pool.install(|| match &snapshot {
            Some(snapshot) => Sim::restore(snapshot),
            None => Sim::new(&setup),
        })?;
        sim.set_simd(simd);
        pool.install(|| sim.set_index(index))?;
        let size = [1, 1];
        let mut renderer = Renderer::new(size[0], size[1], style)?;
        renderer.record_starts(&View::from_sim(&sim));
        let mut seeds = Rng::new(setup.seed);
        if let Some(snapshot) = &snapshot {
            runs::load_window(snapshot, &mut renderer, &mut seeds)?;
        }
        let sim = RecordedSim::new(sim, snapshot.as_deref(), journal, history);
        let mut session = Self {
            pool,
            renderer,
            frame_stats: FrameStats::new(),
            plots: Plots::default(),
            warnings: Warnings::default(),
            warned: false,
            events: Vec::new(),
            fitting: None,
            overlap: None,
            size,
            screen_scale: 1.0,
            interface_scale: 1.0,
            text_scale: 1,
            beside: 0,
            timestep: Timestep::new(f64::from(setup.hz)),
            view: ViewControl::new(sim.world(), size, [0; 3]),
            help: 0,
            glow: false,
            light: Glow::default(),
            cursor: Vec2::ZERO,
            pointed: false,
            tool_state: ToolState::new(),
            inspection: None,
            minimap: Minimap::default(),
            seeds,
            filmed: None,
            film_options: FilmOptions::default(),
            played: 0.0,
            placement: BackgroundPlacement::new(wake)?,
            former: None,
            tour: None,
            message: String::new(),
            last_run: Instant::now(),
            asked: runs::asked(&setup),
            admit,
            sim,
            playback: replay::Playback::new(replay),
            seek: None,
        };
        session.report_history();
        Ok(session)
    }

    /// The simulation.
    pub(super) fn sim(&self) -> &Sim {
        &self.sim
    }

    /// The set-up of the run, changed as the user changed it: a restart starts from it.
    pub(super) fn setup(&self) -> &Setup {
        self.sim.setup()
    }

    /// Simulated time after that many steps, in seconds.
    pub(super) fn seconds(&self, steps: u64) -> f64 {
        steps as f64 / f64::from(self.setup().hz)
    }

    /// Time for which the simulation was played, as if the machine had kept up with the rate that the
    /// user asked for; that of the frame, which may lag behind the last step.
    pub(super) fn played(&self) -> Duration {
        let lag = self.timestep.lag() / self.timestep.rate();
        Duration::from_secs_f64((self.played - lag).max(0.0))
    }

    /// Threads that step and draw.
    pub(super) fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// The threads that step and draw.
    pub(super) fn pool(&self) -> Arc<ThreadPool> {
        Arc::clone(&self.pool)
    }

    /// How agents look.
    pub(super) fn style(&self) -> &Style {
        self.renderer.style()
    }

    /// Rows of pixels at the top that the status line takes, without a message.
    pub(super) fn text_height(&self) -> u32 {
        status::height(1, self.text_scale)
    }

    /// Rows of pixels at the bottom that the timeline takes.
    fn timeline_height(&self) -> u32 {
        let history = self.sim.timeline().budget() > 0;
        if history { timeline_bar::height(self.text_scale) } else { 0 }
    }

    /// Columns at the left, and rows at the top and at the bottom, that something else takes.
    fn taken(&self) -> [u32; 3] {
        [self.beside, self.text_height(), self.timeline_height()]
    }

    /// Fits the whole world beside this many columns of pixels at the left.
    pub(super) fn fit_beside(&mut self, columns: u32) {
        if self.beside != columns {
            self.beside = columns;
            self.view.resize(self.size, self.taken());
        }
    }

    /// Sets the frame's width and height in pixels, and the screen's scale factor.
    pub(super) fn resize(&mut self, size: [u32; 2], scale_factor: f64) {
        (self.size, self.screen_scale) = (size, scale_factor);
        self.text_scale = text_scale(scale_factor * f64::from(self.interface_scale));
        self.view.resize(size, self.taken());
        alloc::demanded(self.renderer.resize(size[0], size[1]));
    }

    /// Takes the steps that are due at `now`, for at most [`Timestep::step_time_max`]; drops the
    /// others. Returns the number of steps taken.
    ///
    /// # Errors
    /// As [`Sim::step`] and [`Event::notice_of`].
    pub(super) fn run(&mut self, now: Instant) -> Result<u32> {
        let elapsed = now.saturating_duration_since(self.last_run);
        self.last_run = now;
        self.go_on_tour(now);
        let refusal = self.work_on()?;
        self.events.extend(refusal);
        if self.is_rewinding() {
            return self.go_on_rewinding(now);
        }
        let due = self.timestep.due(elapsed);
        let force = self.force();
        let Self { pool, tool_state, sim, playback, frame_stats, plots, timestep, .. } = self;
        let (taken, turn) = pool.install(|| {
            let begin = Instant::now();
            for step in 0..due {
                if step > 0 && begin.elapsed() >= timestep.step_time_max() {
                    return Ok((step, None));
                }
                if let Some(replay) = playback.replay.as_mut().filter(|_| !sim.is_past()) {
                    match sim.replay(replay) {
                        Ok(Due::Step) => {}
                        turn => return Ok((step, Some(turn))),
                    }
                }
                if let Some(steer) = &force {
                    tool_state.stroke.steered += steer(sim)?;
                }
                sim.step_with(frame_stats)?;
                plots.follow(sim);
            }
            Ok::<_, ProgramError>((due, None))
        })?;
        timestep.drop_steps(due - taken);
        self.played += f64::from(taken) / timestep.rate();
        self.record_remade();
        if let Some(turn) = turn {
            self.turn_replay(turn)?;
        }
        self.sim.write_journal(now);
        self.report_journal();
        self.warnings.observe(&self.sim);
        let updated = if self.timestep.is_paused() {
            self.frame_stats.pause();
            true
        } else {
            self.frame_stats.advance(elapsed, self.timestep.take_dropped())
        };
        if updated {
            self.update_warnings();
            self.fitting = self.agents_that_keep_up();
        }
        Ok(taken)
    }

    /// Looks for warnings anew, as agents move in another way from now on.
    fn forget_warnings(&mut self) {
        self.warned |= !self.warnings.sentences().is_empty();
        self.warnings = Warnings::new(&self.sim);
        self.update_warnings();
    }

    fn update_warnings(&mut self) {
        let overlap = self.overlap.take();
        let threads = self.threads();
        self.warned |= self.warnings.update(&self.sim, threads, overlap);
    }

    /// The event of warnings that have changed since the last call.
    pub(super) fn take_warnings(&mut self) -> Option<Event> {
        let changed = std::mem::take(&mut self.warned);
        changed.then(|| Event::Warnings(self.warnings.sentences().to_vec()))
    }

    /// Events since the last call.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Measures the run, and what is plotted of it unless it is on a way back.
    ///
    /// # Errors
    /// As [`Sim::measure`].
    pub(super) fn measure(&mut self) -> Result<RunStats> {
        let rewinds = self.is_rewinding();
        let Self { pool, sim, plots, .. } = self;
        let stats = pool.install(|| RunStats::measure(sim.beside_state()))?;
        if !rewinds {
            plots.sample(sim, &stats.figures);
        }
        self.overlap = Some(stats.figures.measures.max_overlap);
        Ok(stats)
    }

    /// Draws into the bytes of a frame of the size that [`Self::resize`] was given last.
    pub(super) fn draw(&mut self, bytes: &mut [u8]) {
        let begin = Instant::now();
        let interpolation = self.interpolation();
        self.follow(interpolation);
        let Self { pool, sim, renderer, view, .. } = self;
        renderer.set_simd(sim.simd());
        renderer.set_interpolation(interpolation);
        let sim: &Sim = sim;
        pool.install(|| renderer.draw_into(bytes, view.camera(), &View::from_sim(sim)));
        self.draw_hud(bytes, interpolation);
        if self.glow {
            let (pixels, _) = bytes.as_chunks_mut();
            self.pool.install(|| self.light.add(pixels, self.size));
        }
        self.frame_stats.push(Part::Draw, begin.elapsed());
    }

    /// Lets the time until now owe no steps.
    pub(super) fn skip_time(&mut self) {
        self.last_run = Instant::now();
    }

    /// Whether the keys take the place of a panel of that many columns: there is no room beside it.
    pub(super) fn help_covers(&self, columns: u32) -> bool {
        self.help > 0 && !key_help::fits(self.size, columns, self.text_scale)
    }

    /// Whether another run is being placed.
    pub(super) fn is_placing(&self) -> bool {
        self.placement.setup().is_some()
    }

    /// Shows the next page of the keys; after the last, hides them.
    fn turn_page(&mut self) -> Event {
        let pages = key_help::pages(self.size, self.taken(), self.text_scale);
        self.help = if self.help < pages { self.help + 1 } else { 0 };
        Event::switched("help", self.help > 0)
    }
}
