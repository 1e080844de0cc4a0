//! The panel over the window: laid out, heard first, and its wishes granted or refused.

use std::time::Instant;

use winit::event::WindowEvent;

use super::{App, Shown, title};
use crate::{
    error::{Error, Result},
    scene::{Scene, Setup},
    window::{
        event::Event,
        gauge::Part,
        keys::{self, Action},
        panel::Wish,
        words::plain,
    },
};

/// Passes that the panel takes at a time, at most: what is not settled then can wait for the next frame.
const PASSES: usize = 3;

impl App<'_> {
    /// Lays the panel out until it is as it will stay, and sees to what was wished for in it.
    pub(super) fn lay(&mut self) {
        let begin = Instant::now();
        // What is new is measured in one pass and shown in the next.
        for _ in 0..PASSES {
            let Some(Shown { window, presenter: Some(presenter), size }) = &mut self.shown else {
                return;
            };
            let (wishes, painting) = self.panel.lay(window, *size, &self.session, begin);
            if let Some(painting) = painting {
                presenter.show_panel(painting);
            }
            for wish in wishes {
                let event = self.grant(&wish);
                self.tell(event);
            }
            if !self.panel.is_stale() {
                break;
            }
        }
        self.session.gauge.push(Part::Panel, begin.elapsed());
        self.schedule.wake_at(self.panel.next(false));
    }

    /// True if an event is the panel's own. What is clicked and typed there is dealt with at once: the key
    /// behind a click may be for the field that it opened.
    pub(super) fn is_panels(&mut self, event: &WindowEvent) -> bool {
        let Some(shown) = &self.shown else { return false };
        // One key belongs to nobody in the panel: the one that hides it.
        if let WindowEvent::KeyboardInput { event, .. } = event
            && keys::action(&event.logical_key, event.repeat, self.ctrl) == Some(Action::Panel)
        {
            return false;
        }
        let own = self.panel.hear(&shown.window, event);
        if own
            && matches!(event, WindowEvent::KeyboardInput { event, .. } if event.state.is_pressed())
        {
            self.session.said.clear();
        }
        if self.panel.is_stale() {
            self.schedule.touch();
        }
        let at_once = matches!(
            event,
            WindowEvent::MouseInput { .. }
                | WindowEvent::KeyboardInput { .. }
                | WindowEvent::Ime(_)
        );
        if at_once && self.panel.is_stale() {
            self.lay();
        }
        own
    }

    /// Shows the panel, or hides it, where there is somebody to paint it.
    pub(super) fn toggle_panel(&mut self) {
        let Some(Shown { presenter: Some(presenter), .. }) = &mut self.shown else { return };
        let event = if presenter.has_panel() {
            self.panel.toggle(&self.session);
            if !self.panel.is_open() {
                presenter.hide_panel();
            }
            Event::Panel(self.panel.is_open())
        } else {
            Event::Notice(
                "the panel needs a GPU, or Vulkan in software; H shows what the keys do without it"
                    .into(),
            )
        };
        self.tell(Some(event));
    }

    /// Sees to what was wished for in the panel, and says what became of it.
    pub(super) fn grant(&mut self, wish: &Wish) -> Option<Event> {
        let granted = match *wish {
            Wish::Run { scene, agents } => {
                let setup = self.session.setup_for(scene, agents);
                self.admit_beside(&setup).and_then(|()| self.session.grant(wish))
            }
            Wish::Restart => Ok(Some(self.restart())),
            _ => self.session.grant(wish),
        };
        match granted {
            Ok(event) => {
                self.session.said.clear();
                if let Some(presenter) =
                    self.shown.as_mut().and_then(|shown| shown.presenter.as_mut())
                    && matches!(wish, Wish::Glow(_))
                {
                    presenter.set_glow(self.session.glow);
                }
                self.panel.answer(None);
                event
            }
            Err(refusal) => Some(self.refuse(&refusal)),
        }
    }

    /// The same start again, if there is memory for it beside the run on show.
    pub(super) fn restart(&mut self) -> Event {
        let admitted = self.admit_beside(self.session.setup());
        match admitted.and_then(|()| self.session.restart()) {
            Ok(placing) => placing,
            Err(error) => Event::Notice(format!("not restarted: {}", plain(&error))),
        }
    }

    /// Refuses a run that there is no memory for, as the one on show goes on while it is placed.
    fn admit_beside(&self, setup: &Setup) -> Result<()> {
        (self.admit)(setup, self.session.sim().index(), self.session.threads())
    }

    /// Shows the run that was wished for, once it is placed; says what became of it.
    pub(super) fn tell_placed(&mut self) {
        let Some(placed) = self.session.placed() else { return };
        let event = match placed {
            Ok(event) => event,
            Err(refusal) => self.refuse(&refusal),
        };
        if matches!(event, Event::Run { .. } | Event::Restarted) {
            self.panel.renew(&self.session);
            if let Some(shown) = &self.shown {
                shown.window.set_title(&title(self.session.setup()));
            }
        }
        self.tell(Some(event));
    }

    fn refuse(&mut self, refusal: &Error) -> Event {
        let refusal = plain(refusal);
        self.panel.answer(Some(refusal.clone()));
        Event::Refused(refusal)
    }

    /// Another scene, counted from 0.
    pub(super) fn choose_scene(&mut self, index: usize) {
        let Some(&scene) = Scene::ALL.get(index) else { return };
        let event = self.grant(&Wish::Run { scene, agents: self.session.agents_of(scene) });
        self.tell(event);
    }
}
