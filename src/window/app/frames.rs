//! Steps and frames: simulates what is due, draws it and presents it.

use std::time::Instant;

use super::{App, Shown, drawable, lost};
use crate::{
    error::Result,
    window::{event::Event, frame_stats::Part, present::Presented},
};

impl App<'_> {
    /// Takes the steps that are due.
    pub(super) fn run(&mut self) -> Result<()> {
        let now = Instant::now();
        if self.session.run(now)? > 0 || self.session.timestep.lag() > 0.0 {
            self.schedule.touch();
        }
        self.schedule.ran(now, self.session.timestep.frame());
        Ok(())
    }

    /// Takes the steps that are due and shows them in a frame.
    pub(super) fn frame(&mut self) -> Result<()> {
        self.schedule.redraw();
        self.run()?;
        if self.schedule.wants_frame()
            && self.panel.is_due(Instant::now(), self.session.timestep.is_running())
        {
            self.lay_out_panel()?;
        }
        self.session.fit_beside(self.panel.columns());
        let Some(Shown { window, presenter: Some(presenter), size }) = &mut self.shown else {
            return Ok(());
        };
        if !self.schedule.wants_frame() {
            return Ok(());
        }
        self.session.draw(&mut presenter.bytes);
        self.drawn = Some(*size);
        let begin = Instant::now();
        window.pre_present_notify();
        match presenter.present(self.session.pool()) {
            Ok(Presented::Shown) => {}
            // The schedule requests the frame again, even while paused.
            Ok(Presented::Skipped) => return Ok(()),
            Err(reason) => return self.replace_presenter(&reason),
        }
        self.session.frame_stats.push(Part::Present, begin.elapsed());
        self.schedule.shown();
        let goes_on = self.recorder.offer(Instant::now(), *size, &presenter.bytes);
        self.session.filmed = self.recorder.seconds();
        if self.panel.is_stale() {
            self.schedule.touch();
        }
        self.frames += 1;
        if self.frames == 1 {
            // The simulation need not catch up with the time that opening took.
            self.session.skip_time();
        }
        (self.tell)(&Event::Frame {
            number: self.frames,
            steps: self.session.sim().steps(),
            size: *size,
            camera: *self.session.view.camera(),
        });
        if !goes_on {
            self.report_written_films();
        }
        Ok(())
    }

    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<()> {
        let Some(shown) = &mut self.shown else { return Ok(()) };
        if shown.size == size {
            return Ok(());
        }
        shown.size = size;
        self.drawn = None;
        (self.tell)(&Event::Resized(size));
        self.schedule.hide(size.contains(&0));
        if size.contains(&0) {
            return Ok(());
        }
        self.session.resize(size, shown.window.scale_factor());
        match shown.presenter.as_mut().map_or(Ok(()), |presenter| presenter.resize(size)) {
            Ok(()) => Ok(()),
            Err(reason) => self.replace_presenter(&reason),
        }
    }

    /// Presents through softbuffer from now on, as the GPU was lost.
    pub(super) fn replace_presenter(&mut self, reason: &str) -> Result<()> {
        let Some(shown) = &mut self.shown else { return Ok(()) };
        self.drawn = None;
        if let Some(presenter) = shown.presenter.take() {
            let presenter = presenter.fall_back(&shown.window, drawable(shown.size));
            let mut presenter = presenter.map_err(|_| lost(reason))?;
            presenter.set_glow(self.session.glow);
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
