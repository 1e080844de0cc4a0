//! The schedule of frames. Knows no window and reads no clock.
//!
//! A timer sets the rate of frames, as not every display limits it. A paused window without changes
//! sleeps; a hidden window simulates and draws nothing.

use std::time::{Duration, Instant};

/// The next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Wait for an event.
    Sleep,
    /// Wait until this time.
    Wait(Instant),
    /// Request a redraw.
    Redraw,
    /// Simulate without a frame.
    Run,
}

/// The state that decides about the next frame.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    hidden: bool,
    /// Whether the last frame is out of date.
    stale: bool,
    /// Whether a redraw was requested that the display still owes.
    requested: bool,
    due: Instant,
    /// When the frame goes out of date without an event.
    alarm: Option<Instant>,
}

impl Schedule {
    /// Makes the first frame due now.
    pub(super) fn new(now: Instant) -> Self {
        Self { hidden: false, stale: true, requested: false, due: now, alarm: None }
    }

    /// Marks the last frame as out of date.
    pub(super) fn touch(&mut self) {
        self.stale = true;
    }

    /// Sets the time when the frame goes out of date without an event, if it does.
    pub(super) fn wake_at(&mut self, alarm: Option<Instant>) {
        self.alarm = alarm;
    }

    /// Hides the window, or shows it again.
    pub(super) fn hide(&mut self, hidden: bool) {
        self.hidden = hidden;
        self.stale = true;
        // A hidden window may never get the redraw that it requested.
        self.requested = false;
    }

    /// Whether the window is hidden.
    pub(super) fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// Handles a redraw: a requested one, or one of a display that lost the last frame.
    pub(super) fn redraw(&mut self) {
        self.stale |= !self.requested;
        self.requested = false;
    }

    /// Makes the next frame due one `period` after the last, once its steps were taken at `now`.
    pub(super) fn ran(&mut self, now: Instant, period: Duration) {
        self.due = (self.due + period).max(now);
    }

    /// Whether a frame would show something new to the user.
    pub(super) fn wants_frame(&self) -> bool {
        self.stale && !self.hidden
    }

    /// Marks the frame on the screen as up to date.
    pub(super) fn shown(&mut self) {
        self.stale = false;
    }

    /// The action at `now`. After [`Next::Redraw`] the display owes a redraw.
    pub(super) fn next(&mut self, now: Instant, running: bool) -> Next {
        if let Some(alarm) = self.alarm.filter(|_| !running && !self.hidden && !self.stale) {
            if now < alarm {
                return if self.requested { Next::Sleep } else { Next::Wait(alarm) };
            }
            self.stale = true;
        }
        if self.requested || (!running && !self.wants_frame()) {
            Next::Sleep
        } else if now < self.due {
            Next::Wait(self.due)
        } else if self.hidden {
            Next::Run
        } else {
            self.requested = true;
            Next::Redraw
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(16);

    /// The schedule of a window that has shown its first frame.
    fn shown() -> (Schedule, Instant) {
        let start = Instant::now();
        let mut schedule = Schedule::new(start);
        assert_eq!(schedule.next(start, true), Next::Redraw);
        assert_eq!(schedule.next(start, true), Next::Sleep, "one redraw is requested at a time");
        schedule.redraw();
        schedule.ran(start, PERIOD);
        assert!(schedule.wants_frame());
        schedule.shown();
        (schedule, start)
    }

    #[test]
    fn frames_follow_each_other_by_a_period_even_after_a_late_one() {
        let (mut schedule, start) = shown();
        assert_eq!(schedule.next(start, true), Next::Wait(start + PERIOD));
        assert_eq!(schedule.next(start + PERIOD, true), Next::Redraw);
        schedule.redraw();
        let late = start + PERIOD * 10;
        schedule.ran(late, PERIOD);
        assert_eq!(schedule.next(late, true), Next::Redraw);
        schedule.redraw();
        schedule.ran(late, PERIOD);
        assert_eq!(schedule.next(late, true), Next::Wait(late + PERIOD));
    }

    #[test]
    fn a_paused_window_sleeps_until_a_change_or_its_alarm() {
        let (mut schedule, start) = shown();
        assert_eq!(schedule.next(start + PERIOD, false), Next::Sleep);
        schedule.wake_at(Some(start + PERIOD * 3));
        assert_eq!(schedule.next(start + PERIOD, false), Next::Wait(start + PERIOD * 3));
        assert_eq!(schedule.next(start + PERIOD * 3, false), Next::Redraw);
        schedule.redraw();
        schedule.wake_at(None);
        schedule.ran(start + PERIOD * 3, PERIOD);
        schedule.shown();
        assert_eq!(schedule.next(start + PERIOD * 9, false), Next::Sleep);
        schedule.touch();
        assert_eq!(schedule.next(start + PERIOD * 9, false), Next::Redraw);
        schedule.redraw();
        schedule.shown();
        schedule.redraw();
        assert!(schedule.wants_frame(), "the display lost the frame");
    }
}
