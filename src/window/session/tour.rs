//! The tour: which run is shown, for how long, and which follows.

use std::time::{Duration, Instant};

use super::{Session, former::WAY_BACK, reports::MessageKind, starts::bundled, world::caption};
use crate::{
    program::ProgramResult as Result,
    raster::{ColorBy, Overlay},
    scene::Scene,
    sim::Sim,
    window::event::Event,
    world::WORLDS,
};

/// Time for which each scene is played, as if the machine kept up, in seconds.
const PLAYED: f64 = 15.0;

/// Longest time for which a scene is shown.
const SHOWN: Duration = Duration::from_mins(1);

/// A run that a tour shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TourStop {
    Scene(Scene),
    /// A world file of the program, by its index.
    World(usize),
}

impl TourStop {
    /// All, in their order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let worlds = (0..WORLDS.len()).map(Self::World);
        Scene::ALL.into_iter().map(Self::Scene).chain(worlds)
    }

    /// What a run is of.
    pub(super) fn of(sim: &Sim) -> Self {
        let world = WORLDS.iter().position(|(name, _)| *name == sim.title());
        world.map_or(Self::Scene(sim.setup().scene), Self::World)
    }

    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Scene(scene) => scene.name(),
            Self::World(index) => WORLDS[index].0,
        }
    }

    /// What people say about it.
    pub(super) fn sentence(self) -> String {
        match self {
            Self::Scene(scene) => format!("{scene}: {}", scene.summary()),
            Self::World(index) => {
                let (name, text) = WORLDS[index];
                caption(name, text, bundled((name, text)).ok().map(|plan| plan.view))
            }
        }
    }

    /// The one after it; after the last, the first.
    fn next(self) -> Self {
        match self {
            Self::Scene(scene) if scene.after(1) == Scene::ALL[0] => Self::World(0),
            Self::Scene(scene) => Self::Scene(scene.after(1)),
            Self::World(index) if index + 1 < WORLDS.len() => Self::World(index + 1),
            Self::World(_) => Self::Scene(Scene::ALL[0]),
        }
    }
}

/// A tour under way: scene after scene, then the worlds of the program, each for some seconds of
/// its own time in the colors that suit it and with its caption, until a user does something. For
/// stands, and for a look at everything there is. A slow machine shows a scene for longer, so that
/// its events happen in sight.
#[derive(Debug)]
pub(super) struct Tour {
    /// The run that was begun last.
    at: TourStop,
    /// When it was shown, and for how long the session had been played then; `None` while it is
    /// placed.
    since: Option<(Instant, f64)>,
    /// True if the run that the tour began with has been replaced.
    replaced: bool,
}

impl Tour {
    /// A tour that begins with the scene in the window.
    pub(super) fn new(at: TourStop) -> Self {
        Self { at, since: None, replaced: false }
    }

    /// Whether the next scene is being placed.
    pub(super) fn is_placing(&self) -> bool {
        self.since.is_none()
    }

    /// Counts the time of the scene in the window from now on. If the next scene can't be placed,
    /// this one stays for the time of that one.
    pub(super) fn stay(&mut self, now: Instant, played: f64) {
        self.since = Some((now, played));
    }

    /// The next scene, if the time of the one in the window is over.
    pub(super) fn next(&self, now: Instant, played: f64) -> Option<TourStop> {
        let (since, before) = self.since?;
        let is_over = played - before >= PLAYED || now.saturating_duration_since(since) >= SHOWN;
        is_over.then(|| self.at.next())
    }

    /// Waits until another scene is placed.
    pub(super) fn go_to(&mut self, stop: TourStop) {
        (self.at, self.since) = (stop, None);
    }

    /// True if the tour has replaced the run that it began with. Its next run replaces one of its
    /// own.
    pub(super) fn replaces(&mut self) -> bool {
        std::mem::replace(&mut self.replaced, true)
    }
}

/// The tour.
impl Session {
    /// Begins the tour with the scene in the window.
    pub(in crate::window) fn begin_tour(&mut self) {
        self.tour = Some(Tour::new(TourStop::of(&self.host.sim)));
        if self.host.timestep.is_paused() {
            self.host.timestep.toggle_pause();
            self.host.skip_time();
        }
        self.present_scene();
    }

    /// Ends the tour and the placement of its next scene; `None` if there is no tour.
    pub(in crate::window) fn end_tour(&mut self) -> Option<Event> {
        let mut tour = self.tour.take()?;
        if tour.is_placing() {
            self.starts.placement.cancel();
        }
        self.reports.message.clear();
        if tour.replaces() && self.starts.former.is_some() {
            self.reports.events.push(Event::Hint(WAY_BACK.to_owned()));
        }
        Some(Event::switched("tour", false))
    }

    /// Begins the tour, or ends it.
    pub(super) fn toggle_tour(&mut self) -> Event {
        self.end_tour().unwrap_or_else(|| {
            self.begin_tour();
            Event::switched("tour", true)
        })
    }

    /// Shows the scene in the window in its colors and with its caption, if there is a tour.
    pub(super) fn present_scene(&mut self) {
        let Some(tour) = &mut self.tour else { return };
        tour.stay(Instant::now(), self.host.played());
        if let Some(caption) = self.caption() {
            self.screen.restyle(|style| style.overlay = Overlay::None);
            self.reports.show(format!("{caption}. T ends the tour"), MessageKind::Plain);
            return;
        }
        let scene = self.host.setup().scene;
        // An overlay, which may be a choice in the last window, would hide these colors.
        self.screen.restyle(|style| {
            (style.color_by, style.overlay) = (ColorBy::best_in(scene), Overlay::None);
        });
        let caption = format!("{}. T ends the tour", TourStop::Scene(scene).sentence());
        self.reports.show(caption, MessageKind::Plain);
    }

    /// Starts to place a run.
    ///
    /// # Errors
    /// As [`Starts::start`](super::starts::Starts::start).
    pub(super) fn start_stop(&mut self, stop: TourStop) -> Result<Event> {
        match stop {
            TourStop::Scene(scene) => self.starts.start(&self.host, scene, None),
            TourStop::World(index) => {
                bundled(WORLDS[index]).and_then(|plan| self.starts.start_plan(&self.host, &plan))
            }
        }
    }

    /// Goes on to the next scene of a tour when its time has come.
    pub(super) fn go_on_tour(&mut self, now: Instant) {
        let Some(tour) = &mut self.tour else { return };
        let Some(next) = tour.next(now, self.host.played()) else { return };
        if self.starts.placement.setup().is_some() {
            return;
        }
        tour.go_to(next);
        if let Ok(event) = self.start_stop(next) {
            self.reports.events.push(event);
        } else {
            // The scene is left out: the one in the window stays for its time.
            let played = self.host.played();
            self.tour.iter_mut().for_each(|tour| tour.stay(now, played));
        }
    }
}
