//! The tour: scene after scene, each for some seconds in the colors that suit it and with its
//! caption, until a user does something. For stands, and for a look at everything there is.

use std::time::{Duration, Instant};

use super::Session;
use crate::{
    raster::{ColorBy, Style},
    scene::Scene,
    window::event::Event,
};

/// Time for which each scene is shown.
const TIME: Duration = Duration::from_secs(15);

/// A tour under way.
#[derive(Debug)]
pub(super) struct Tour {
    /// When the scene was begun that is shown now; `None` while it is placed.
    since: Option<Instant>,
}

impl Session {
    /// Begins the tour with the scene in the window.
    pub(in crate::window) fn begin_tour(&mut self) {
        self.tour = Some(Tour { since: None });
        if self.timestep.is_paused() {
            self.timestep.toggle_pause();
            self.skip_time();
        }
        self.present_scene();
    }

    /// Ends the tour; false if there is none.
    pub(in crate::window) fn end_tour(&mut self) -> bool {
        let ended = self.tour.take().is_some();
        if ended {
            self.message.clear();
            self.events.push(Event::switched("tour", false));
        }
        ended
    }

    /// Whether there is a tour.
    pub(in crate::window) fn is_on_tour(&self) -> bool {
        self.tour.is_some()
    }

    /// Begins the tour, or ends it.
    pub(super) fn toggle_tour(&mut self) -> Event {
        if self.tour.take().is_some() {
            self.message.clear();
            return Event::switched("tour", false);
        }
        self.begin_tour();
        Event::switched("tour", true)
    }

    /// Shows the scene in the window in its colors and with its caption, if there is a tour.
    pub(super) fn present_scene(&mut self) {
        let Some(tour) = &mut self.tour else { return };
        tour.since = Some(Instant::now());
        let scene = self.setup().scene;
        let style = Style { color_by: ColorBy::best_in(scene), ..self.style().clone() };
        self.renderer.set_style(style);
        self.message = format!("{scene}: {}. Any key ends the tour", scene.summary());
    }

    /// Goes on to the next scene of a tour when its time has come. A scene that there is no memory
    /// for is left out.
    pub(super) fn go_on_tour(&mut self, now: Instant) {
        let Some(Tour { since: Some(since) }) = &self.tour else { return };
        if now.saturating_duration_since(*since) < TIME || self.is_placing() {
            return;
        }
        let shown = self.setup().scene;
        for by in 1..=Scene::ALL.len() {
            if let Ok(event) = self.start(shown.after(by), None) {
                self.tour = Some(Tour { since: None });
                self.events.push(event);
                return;
            }
        }
    }
}
