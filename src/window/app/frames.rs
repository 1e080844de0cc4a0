//! Steps and frames: simulates what is due, draws it and presents it.

use std::time::{Duration, Instant};

use super::{App, Shown, drawable, lost};
use crate::{
    program::ProgramResult as Result,
    raster::Camera,
    window::{
        event::Event, frame_stats::Part, hud::HudBlock, present::Presented, session::Session,
    },
};

/// The state of the run in a frame that was drawn, and the parts of its HUD.
#[derive(Clone, Debug)]
pub(super) struct DrawnFrame {
    steps: u64,
    camera: Camera,
    hud: Vec<HudBlock>,
}

impl DrawnFrame {
    /// The frame that the session has drawn last.
    fn of(session: &Session) -> Self {
        let camera = *session.screen.view.camera();
        let hud = session.screen.hud_blocks.clone();
        Self { steps: session.sim().steps(), camera, hud }
    }
}

impl App<'_> {
    /// Takes the steps that are due.
    pub(super) fn run(&mut self) -> Result<()> {
        let now = Instant::now();
        if self.session.run(now)? > 0 || self.session.host.timestep.lag() > 0.0 {
            self.schedule.touch();
        }
        self.report_events();
        self.schedule.ran(now, self.session.host.timestep.frame());
        Ok(())
    }

    /// Takes the steps that are due and shows them in a frame: this one, or the next if this one is
    /// drawn while the last is presented.
    pub(super) fn frame(&mut self) -> Result<()> {
        self.schedule.redraw();
        if self.session.reports.hint_ends().is_some_and(|end| end <= Instant::now()) {
            self.session.reports.message.clear();
            self.schedule.touch();
        }
        if self.draws_ahead() {
            return self.frame_ahead();
        }
        self.run()?;
        if !self.schedule.wants_frame() {
            return Ok(());
        }
        self.update_panel()?;
        let Some(shown) = &mut self.shown else { return Ok(()) };
        let Shown { window, presenter: Some(presenter), size, waiting, .. } = shown else {
            return Ok(());
        };
        // A frame that was drawn ahead is out of date.
        *waiting = None;
        self.session.draw(&mut presenter.bytes);
        let frame = DrawnFrame::of(&self.session);
        let films = self.films.offer(&mut self.session, *size);
        let begin = Instant::now();
        window.pre_present_notify();
        match presenter.present(&self.session.pool()) {
            Ok(Presented::Shown) => {
                self.session.reports.frame_stats.push(Part::Present, begin.elapsed());
            }
            // The schedule requests the frame again, even while paused.
            Ok(Presented::Skipped) => {
                self.emit_all(films);
                return Ok(());
            }
            Err(reason) => {
                self.emit_all(films);
                return self.replace_presenter(&reason);
            }
        }
        self.schedule.shown();
        self.set_alarm();
        self.report_frame(frame);
        self.emit_all(films);
        if self.panel.is_stale() {
            self.schedule.touch();
        }
        if self.shown.as_ref().is_some_and(|shown| shown.frames == 1) {
            // The simulation need not catch up with the time that opening took.
            self.session.host.skip_time();
        }
        Ok(())
    }

    /// True if the next frame is drawn while the last one is presented. A paused simulation has no
    /// next frame, and what the user does to it is shown at once.
    fn draws_ahead(&self) -> bool {
        let Some(Shown { presenter: Some(presenter), frames, .. }) = &self.shown else {
            return false;
        };
        presenter.waits()
            && *frames > 0
            && !self.session.host.timestep.is_paused()
            && !self.schedule.is_hidden()
    }

    /// Presents the frame that was drawn last, and meanwhile takes the steps that are due and draws
    /// the next one. The last frame stays out of date: if the simulation is paused, the frame that
    /// shows its end is due at once.
    fn frame_ahead(&mut self) -> Result<()> {
        self.update_panel()?;
        let Some(shown) = &mut self.shown else { return Ok(()) };
        let Shown { window, presenter: Some(presenter), size, waiting, .. } = shown else {
            return Ok(());
        };
        let (session, now, mut ran) = (&mut self.session, Instant::now(), Ok(0));
        let (pool, ahead) = (session.pool(), waiting.take());
        let draw = |bytes: &mut [u8]| {
            ran = session.run(now);
            session.draw(bytes);
        };
        let presented = if ahead.is_some() {
            window.pre_present_notify();
            presenter.present_ahead(&pool, draw)
        } else {
            presenter.draw_ahead(draw);
            Ok((Presented::Skipped, Duration::ZERO))
        };
        ran?;
        self.schedule.touch();
        self.schedule.ran(now, self.session.host.timestep.frame());
        let drawn = DrawnFrame::of(&self.session);
        let films = self.films.offer(&mut self.session, *size);
        self.emit_all(films);
        match (presented, ahead) {
            (Ok((Presented::Shown, took)), Some(frame)) => {
                self.session.reports.frame_stats.push(Part::Present, took);
                self.report_frame(frame);
            }
            (Err(reason), _) => return self.replace_presenter(&reason),
            // The next frame is newer.
            _ => {}
        }
        // It may show another run than the one that was presented.
        if let Some(shown) = &mut self.shown {
            shown.waiting = Some(drawn);
        }
        Ok(())
    }

    /// Lays the panel out if that is due, and fits the view beside it.
    fn update_panel(&mut self) -> Result<()> {
        self.cover_panel();
        self.session.reports.plots.watch(self.panel.is_painted());
        if self.panel.is_due(Instant::now(), &self.session) {
            self.lay_out_panel()?;
        }
        self.session.screen.fit_beside(self.panel.columns());
        Ok(())
    }

    /// Reports a frame that the window shows.
    fn report_frame(&mut self, frame: DrawnFrame) {
        let Some(Shown { size, frames, .. }) = &mut self.shown else { return };
        let (DrawnFrame { steps, camera, hud }, size) = (frame, *size);
        *frames += 1;
        (self.tell)(&Event::Frame { number: *frames, steps, size, camera, hud });
        if let Some(warnings) = self.session.reports.take_warnings() {
            (self.tell)(&warnings);
        }
        self.report_events();
        if self.store.is_due(self.session.sim().steps()) {
            self.save_run();
        }
    }

    /// Draws frames of another size from now on.
    ///
    /// # Errors
    /// If nothing can present them.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<()> {
        let Some(shown) = &mut self.shown else { return Ok(()) };
        if shown.size == size {
            return Ok(());
        }
        shown.size = size;
        shown.waiting = None;
        (self.tell)(&Event::Resized(size));
        self.schedule.hide(size.contains(&0));
        if size.contains(&0) {
            return Ok(());
        }
        self.session.screen.resize(size, shown.window.scale_factor());
        match shown.presenter.as_mut().map_or(Ok(()), |presenter| presenter.resize(size)) {
            Ok(()) => Ok(()),
            Err(reason) => self.replace_presenter(&reason),
        }
    }

    /// Presents through softbuffer from now on, as the GPU was lost.
    pub(super) fn replace_presenter(&mut self, reason: &str) -> Result<()> {
        let Some(shown) = &mut self.shown else { return Ok(()) };
        shown.waiting = None;
        if let Some(presenter) = shown.presenter.take() {
            let presenter = presenter.fall_back(&shown.window, drawable(shown.size));
            let presenter = presenter.map_err(|_| lost(reason))?;
            self.panel.attach(&shown.window, presenter.driver());
            shown.presenter = Some(presenter);
        }
        self.emit_fallback(reason);
        self.schedule.touch();
        Ok(())
    }

    pub(super) fn emit_fallback(&mut self, reason: &str) {
        (self.tell)(&Event::Notice(format!(
            "no GPU to present with ({reason}): frames reach the window through softbuffer"
        )));
    }
}
