//! A run on show: the simulation, its pace, and what the view makes of it. Knows no window.
//!
//! A frame is `run` (the steps that are due) and then `draw` (agents, then letters), each of them
//! entered into the pool once. This is where a clock is read: the simulation has none.

mod apply;
mod hud;
mod runs;
mod stroke;
mod tools;
mod undo;

use std::time::{Duration, Instant};

use glam::Vec2;

use rayon::ThreadPool;

use crate::{
    error::Result,
    index::{IndexKind, Naive},
    parallel::pool,
    raster::{Renderer, Style, View},
    rng::Rng,
    scene::Setup,
    sim::Sim,
    simd::SimdLevel,
    window::{
        background::BackgroundPlacement,
        canvas::Canvas,
        event::Event,
        gauge::{Gauge, Part},
        help,
        inspect::Inspection,
        meter::Meter,
        minimap::Minimap,
        status::{self, Status, StatusLine},
        timestep::Timestep,
        tool_state::ToolState,
        view_control::ViewControl,
    },
};

/// So many agents find each other pair by pair in a fraction of a second; more would hold the window up.
const NAIVE_MAX: usize = 20_000;

/// A run on show.
pub(super) struct Session {
    setup: Setup,
    /// Agents that somebody asked for last, rather than a scene's own number; none if nobody did.
    asked: Option<u32>,
    pool: ThreadPool,
    sim: Sim,
    renderer: Renderer,
    status_line: StatusLine,
    meter: Meter,
    /// How long everything took of late.
    pub(super) gauge: Gauge,
    size: [u32; 2],
    text_scale: u32,
    /// Columns of pixels at the left that the panel takes.
    beside: u32,
    last_run: Instant,
    /// How steps are paced.
    pub(super) timestep: Timestep,
    /// What part of the world is shown.
    pub(super) view: ViewControl,
    /// The page of the keys that is shown, from 1; 0 while they aren't.
    pub(super) help: u32,
    /// True while bright places are to glow, where somebody can do that.
    pub(super) glow: bool,
    /// Where the mouse is, physical pixels.
    pub(super) cursor: Vec2,
    /// True while the mouse is over the window.
    pub(super) pointed: bool,
    /// What the mouse does.
    pub(super) tool_state: ToolState,
    /// The agent under the glass.
    inspection: Option<Inspection>,
    minimap: Minimap,
    /// Where spawned agents are drawn from.
    seeds: Rng,
    /// Seconds that a film of the window lasts so far, if there is one.
    pub(super) filmed: Option<u64>,
    placing: BackgroundPlacement,
    /// The last thing that was said, until something else is done.
    pub(super) said: String,
}

impl Session {
    /// Places the agents and starts the pool. Calls `wake`, from any thread, when [`Self::placed`] has something
    /// to say.
    pub(super) fn new(
        setup: Setup,
        look: Style,
        threads: usize,
        simd: SimdLevel,
        index: IndexKind,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self> {
        let pool = pool(threads)?;
        let mut sim = pool.install(|| Sim::new(&setup))?;
        sim.set_simd(simd);
        pool.install(|| sim.set_index(index))?;
        let size = [1, 1];
        let mut session = Self {
            pool,
            renderer: Renderer::new(size[0], size[1], look),
            status_line: StatusLine::default(),
            meter: Meter::default(),
            gauge: Gauge::new(),
            size,
            text_scale: 1,
            beside: 0,
            timestep: Timestep::new(f64::from(setup.hz)),
            view: ViewControl::new(sim.world(), size, [0, 0]),
            help: 0,
            glow: false,
            cursor: Vec2::ZERO,
            pointed: false,
            tool_state: ToolState::default(),
            inspection: None,
            minimap: Minimap::default(),
            seeds: Rng::new(setup.seed),
            filmed: None,
            placing: BackgroundPlacement::new(wake),
            said: String::new(),
            last_run: Instant::now(),
            sim,
            asked: runs::asked(&setup),
            setup,
        };
        session.renderer.record_starts(&View::from_sim(&session.sim));
        Ok(session)
    }

    /// The simulation as it is now.
    pub(super) fn sim(&self) -> &Sim {
        &self.sim
    }

    /// What a restart starts from.
    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Threads that step and draw.
    pub(super) fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// How agents look.
    pub(super) fn look(&self) -> &Style {
        self.renderer.style()
    }

    /// Rows of pixels that the status line takes off the top, if it is one line.
    pub(super) fn text_height(&self) -> u32 {
        status::height(1, self.text_scale)
    }

    /// Columns at the left and rows at the top that the world is fitted beside.
    fn taken(&self) -> [u32; 2] {
        [self.beside, self.text_height()]
    }

    /// Leaves that many columns of pixels at the left to something else, while the whole world is shown.
    pub(super) fn fit_beside(&mut self, columns: u32) {
        if self.beside != columns {
            self.beside = columns;
            self.view.resize(self.size, self.taken());
        }
    }

    /// A frame of that many pixels, on a screen of that scale factor.
    pub(super) fn resize(&mut self, size: [u32; 2], scale_factor: f64) {
        self.size = size;
        self.text_scale = status::text_scale(scale_factor);
        self.view.resize(size, self.taken());
        self.renderer.resize(size[0], size[1]);
    }

    /// Takes the steps that are due by `now`, but not for longer than a frame lasts: what can't be
    /// had by then is dropped. Says how many it took.
    ///
    /// # Errors
    /// As [`Sim::step`] and [`Event::refused`].
    pub(super) fn run(&mut self, now: Instant) -> Result<u32> {
        let elapsed = now.saturating_duration_since(self.last_run);
        self.last_run = now;
        if let Err(error) = self.work() {
            self.said = Event::refused(error)?.to_string();
        }
        let due = self.timestep.due(elapsed);
        let force = self.force();
        let Self { pool, tool_state, sim, meter, gauge, timestep, .. } = self;
        let taken = pool.install(|| {
            let begin = Instant::now();
            for step in 0..due {
                let before = Instant::now();
                if step > 0 && before - begin >= timestep.patience() {
                    return Ok(step);
                }
                if let Some(force) = force {
                    tool_state.stroke.steered += force.steer(sim)?;
                }
                sim.step_with(gauge)?;
                meter.step(before.elapsed());
            }
            Ok(due)
        })?;
        timestep.forgo(due - taken);
        if timestep.is_paused() {
            meter.stand();
        } else {
            meter.pass(elapsed, timestep.take_dropped());
        }
        Ok(taken)
    }

    /// Draws into the bytes of a frame of the size last given to [`Self::resize`].
    pub(super) fn draw(&mut self, bytes: &mut [u8]) {
        let begin = Instant::now();
        let lag = self.lag();
        self.follow(lag);
        let Self { pool, sim, renderer, view, .. } = self;
        renderer.set_simd(sim.simd());
        renderer.set_interpolation(lag);
        pool.install(|| renderer.draw_into(bytes, view.camera(), &View::from_sim(sim)));
        let took = begin.elapsed();
        self.meter.draw(took);
        self.gauge.push(Part::Draw, took);
        self.draw_hud(bytes, lag);
        let status = Status {
            scene: self.setup.scene.name(),
            agents: self.sim.agents().len(),
            figures: self.meter.figures(),
            rate: self.timestep.rate(),
            speed: self.timestep.speed(),
            paused: self.timestep.is_paused(),
            index: self.sim.index().name,
            overlay: self.renderer.style().overlay,
            colors: self.renderer.style().color_by.name(),
            steps: self.sim.steps(),
            tool: self.tool_state.tool,
            placing: self.placing.agents(),
            filmed: self.filmed,
            said: &self.said,
        };
        let mut canvas = Canvas::new(self.size, bytes);
        self.status_line.status(&mut canvas, self.text_scale, &status);
        if self.help > 0 {
            help::draw(&mut canvas, self.text_scale, self.help);
        }
    }

    /// Handing the frame to the screen took that long.
    pub(super) fn presented(&mut self, took: Duration) {
        self.meter.present(took);
        self.gauge.push(Part::Present, took);
    }

    /// What went by until now owes no steps.
    pub(super) fn skip_time(&mut self) {
        self.last_run = Instant::now();
    }

    /// True if the status line says that steps were dropped.
    pub(super) fn is_behind(&self) -> bool {
        self.meter.figures().behind
    }

    /// The next index that can hold these agents, and in time, finds the contacts; the agents go on.
    pub(super) fn next_index(&mut self) -> Event {
        let Self { pool, sim, meter, .. } = self;
        let small = sim.agents().len() <= NAIVE_MAX;
        let of_use = |kind: &IndexKind| small || *kind != Naive::KIND;
        let now = sim.index();
        let following = IndexKind::all().skip_while(|kind| *kind != now).skip(1);
        let chosen = following
            .chain(IndexKind::all())
            .filter(of_use)
            .find(|&kind| pool.install(|| sim.set_index(kind)).is_ok());
        meter.restart();
        Event::Index(chosen.unwrap_or(now).name)
    }

    /// The next page of the keys; after the last, none.
    pub(super) fn turn_page(&mut self) {
        let pages = help::pages(self.size, self.text_scale);
        self.help = if self.help < pages { self.help + 1 } else { 0 };
    }

    /// Another look.
    pub(super) fn change_look(&mut self, change: impl FnOnce(&mut Style)) -> &Style {
        let mut look = self.renderer.style().clone();
        change(&mut look);
        self.renderer.set_style(look);
        self.renderer.style()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{index::DoubleGrid, scene::Scene};

    const FRAME: Duration = Duration::from_millis(17);

    fn session() -> Session {
        let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
        let look = Style::from_setup(&setup);
        let mut session =
            Session::new(setup, look, 2, SimdLevel::best(), DoubleGrid::KIND, || ()).unwrap();
        session.resize([320, 180], 1.0);
        session
    }

    /// Runs as if that much time had gone by since the last call.
    fn run(session: &mut Session, elapsed: Duration) -> u32 {
        let now = session.last_run + elapsed;
        session.run(now).unwrap()
    }

    fn drawn(session: &mut Session) -> Vec<u8> {
        let mut bytes = vec![0; (session.size[0] * session.size[1] * 4) as usize];
        session.draw(&mut bytes);
        bytes
    }

    #[test]
    fn time_makes_steps_and_a_pause_makes_none() {
        let mut session = session();
        assert_eq!(run(&mut session, FRAME), 1);
        session.timestep.toggle_pause();
        assert_eq!(run(&mut session, FRAME * 100), 0);
        session.timestep.step_once();
        assert_eq!(run(&mut session, FRAME), 1);
        assert_eq!(session.sim().steps(), 2);
    }

    #[test]
    fn a_paused_session_draws_the_same_frame_again_but_for_its_figures() {
        let mut session = session();
        run(&mut session, FRAME);
        session.timestep.toggle_pause();
        run(&mut session, FRAME);
        let first = drawn(&mut session);
        run(&mut session, FRAME);
        let below = first.len() / 2..;
        assert!(first[below.clone()] == drawn(&mut session)[below.clone()]);
        session.timestep.step_once();
        run(&mut session, FRAME);
        assert!(first[below.clone()] != drawn(&mut session)[below]);
    }

    #[test]
    fn frames_between_two_steps_show_agents_on_their_way() {
        let mut session = session();
        session.timestep.set_refresh(240.0);
        run(&mut session, FRAME);
        let (steps, first) = (session.sim().steps(), drawn(&mut session));
        assert_eq!(run(&mut session, FRAME / 4), 0);
        let second = drawn(&mut session);
        let below = first.len() / 2..;
        assert_eq!(session.sim().steps(), steps);
        assert!(first[below.clone()] != second[below]);
    }

    #[test]
    fn any_index_goes_on_from_where_the_one_before_it_was() {
        let mut session = session();
        let mut names = Vec::new();
        for _ in IndexKind::all() {
            run(&mut session, FRAME);
            let Event::Index(name) = session.next_index() else { panic!("an index is chosen") };
            assert_eq!(session.sim().index().name, name);
            names.push(name);
        }
        assert!(names.contains(&"naive") && names.contains(&"quadtree"), "{names:?}");
        let index = session.sim().index();
        let mut sim = Sim::new(&session.setup).unwrap();
        (0..session.sim().steps()).for_each(|_| sim.step().unwrap());
        assert_eq!(sim.state_hash(), session.sim().state_hash());
        session.restart().unwrap();
        assert_eq!(session.wait_placed().unwrap(), Event::Restarted);
        assert_eq!(session.sim().index(), index);
    }

    #[test]
    fn the_window_steps_just_like_a_run_without_one() {
        let mut session = session();
        for _ in 0..20 {
            run(&mut session, FRAME);
        }
        let mut sim = Sim::new(&session.setup).unwrap();
        for _ in 0..session.sim().steps() {
            sim.step().unwrap();
        }
        assert_eq!(sim.state_hash(), session.sim().state_hash());
    }

    #[test]
    fn frames_of_any_size_are_drawn() {
        let mut session = session();
        for size in [[1, 1], [0, 0], [3, 500], [640, 2], [320, 180]] {
            session.resize(size, 2.0);
            session.turn_page();
            drawn(&mut session);
        }
    }
}
