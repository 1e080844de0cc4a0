//! The tour: scene after scene, each for some seconds of its own time in the colors that suit it and
//! with its caption, until a user does something. For stands, and for a look at everything there is.
//!
//! A slow machine shows a scene for longer, so that what is to be seen in it happens.

use std::time::{Duration, Instant};

use super::Session;
use crate::{
    raster::{ColorBy, Overlay, Style},
    scene::Scene,
    window::event::Event,
};

/// Time for which each scene is played, as if the machine kept up, in seconds.
const PLAYED: f64 = 15.0;

/// Longest time for which a scene is shown.
const SHOWN: Duration = Duration::from_mins(1);

/// A tour under way.
#[derive(Debug)]
pub(super) struct Tour {
    /// The scene that was begun last.
    at: Scene,
    /// When it was shown, and for how long the session had been played then; `None` while it is placed.
    since: Option<(Instant, f64)>,
    /// True if the run that it begins with has been replaced.
    replaced: bool,
}

impl Session {
    /// Begins the tour with the scene in the window.
    pub(in crate::window) fn begin_tour(&mut self) {
        self.tour = Some(Tour { at: self.setup().scene, since: None, replaced: false });
        if self.timestep.is_paused() {
            self.timestep.toggle_pause();
            self.skip_time();
        }
        self.present_scene();
    }

    /// Ends the tour; false if there is none.
    pub(in crate::window) fn end_tour(&mut self) -> bool {
        let ended = self.drop_tour();
        if ended {
            self.events.push(Event::switched("tour", false));
        }
        ended
    }

    /// Ends the tour without a report, and the placement of its next scene; false if there is none.
    fn drop_tour(&mut self) -> bool {
        let Some(tour) = self.tour.take() else { return false };
        if tour.since.is_none() {
            self.placement.cancel();
        }
        self.message.clear();
        true
    }

    /// True if the tour has replaced the run that it began with. The next run of it replaces one of its
    /// own.
    pub(super) fn tour_replaces(&mut self) -> bool {
        self.tour.as_mut().is_some_and(|tour| std::mem::replace(&mut tour.replaced, true))
    }

    /// Whether there is a tour.
    pub(in crate::window) fn is_on_tour(&self) -> bool {
        self.tour.is_some()
    }

    /// Begins the tour, or ends it.
    pub(super) fn toggle_tour(&mut self) -> Event {
        if self.drop_tour() {
            return Event::switched("tour", false);
        }
        self.begin_tour();
        Event::switched("tour", true)
    }

    /// Shows the scene in the window in its colors and with its caption, if there is a tour.
    pub(super) fn present_scene(&mut self) {
        let Some(tour) = &mut self.tour else { return };
        tour.since = Some((Instant::now(), self.played));
        let scene = self.setup().scene;
        // An overlay, which may be that of the last window, would hide these colors.
        let (color_by, overlay) = (ColorBy::best_in(scene), Overlay::None);
        let style = Style { color_by, overlay, ..self.style().clone() };
        self.renderer.set_style(style);
        self.message = format!("{scene}: {}. T ends the tour", scene.summary());
    }

    /// Goes on to the next scene of a tour when its time has come.
    pub(super) fn go_on_tour(&mut self, now: Instant) {
        let Some(Tour { at, since: Some((since, played)), .. }) = self.tour else { return };
        let is_over =
            self.played - played >= PLAYED || now.saturating_duration_since(since) >= SHOWN;
        if !is_over || self.is_placing() {
            return;
        }
        let at = at.after(1);
        let begun = self.start(at, None);
        let since = begun.is_err().then_some((now, self.played));
        self.tour = self.tour.take().map(|tour| Tour { at, since, ..tour });
        self.events.extend(begun.ok());
    }

    /// A scene that can't be placed is left out: the one in the window stays for its time.
    pub(super) fn leave_scene_out(&mut self) {
        if let Some(tour) = &mut self.tour {
            tour.since = Some((Instant::now(), self.played));
        }
    }
}
