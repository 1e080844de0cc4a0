//! When the next frame is due. Knows no window and reads no clock.
//!
//! Frames are paced by a timer, since not every display throttles by itself. What is paused and
//! untouched sleeps; what can't be seen goes on simulating and draws nothing.

use std::time::{Duration, Instant};

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Wait for something to happen.
    Sleep,
    /// Wait until then.
    Wait(Instant),
    /// Ask for a redraw.
    Redraw,
    /// Simulate, without a frame.
    Run,
}

/// What is known about the window.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    hidden: bool,
    stale: bool,
    asked: bool,
    due: Instant,
    /// When something will have changed of its own accord.
    alarm: Option<Instant>,
}

impl Schedule {
    /// The first frame is due now.
    pub(super) fn new(now: Instant) -> Self {
        Self { hidden: false, stale: true, asked: false, due: now, alarm: None }
    }

    /// Something changed that the last frame doesn't show.
    pub(super) fn touch(&mut self) {
        self.stale = true;
    }

    /// Something will change at that time of its own accord, if ever.
    pub(super) fn wake_at(&mut self, alarm: Option<Instant>) {
        self.alarm = alarm;
    }

    /// The window can't be seen, or can be seen again.
    pub(super) fn hide(&mut self, hidden: bool) {
        self.hidden = hidden;
        self.stale = true;
        // A display that shows nothing need not answer.
        self.asked = false;
    }

    /// The display wants a frame: ours, or one of its own accord because it lost what it had.
    pub(super) fn redraw(&mut self) {
        self.stale |= !self.asked;
        self.asked = false;
    }

    /// The steps for the frame at `now` were taken; the next one is due a `period` after this one was.
    pub(super) fn ran(&mut self, now: Instant, period: Duration) {
        self.due = (self.due + period).max(now);
    }

    /// True if a frame would show something new to somebody.
    pub(super) fn wants_frame(&self) -> bool {
        self.stale && !self.hidden
    }

    /// The screen shows everything.
    pub(super) fn shown(&mut self) {
        self.stale = false;
    }

    /// What to do at `now`, with a simulation that runs or stands still. After [`Next::Redraw`] the
    /// display owes a redraw.
    pub(super) fn next(&mut self, now: Instant, running: bool) -> Next {
        if let Some(alarm) = self.alarm.filter(|_| !running && !self.hidden && !self.stale) {
            if now < alarm {
                return if self.asked { Next::Sleep } else { Next::Wait(alarm) };
            }
            self.stale = true;
        }
        if self.asked || (!running && !self.wants_frame()) {
            Next::Sleep
        } else if now < self.due {
            Next::Wait(self.due)
        } else if self.hidden {
            Next::Run
        } else {
            self.asked = true;
            Next::Redraw
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(16);

    /// A window that has shown its first frame.
    fn shown() -> (Schedule, Instant) {
        let start = Instant::now();
        let mut schedule = Schedule::new(start);
        assert_eq!(schedule.next(start, true), Next::Redraw);
        assert_eq!(schedule.next(start, true), Next::Sleep, "one redraw is asked for at a time");
        schedule.redraw();
        schedule.ran(start, PERIOD);
        assert!(schedule.wants_frame());
        schedule.shown();
        (schedule, start)
    }

    #[test]
    fn frames_come_once_a_period() {
        let (mut schedule, start) = shown();
        assert_eq!(schedule.next(start, true), Next::Wait(start + PERIOD));
        assert_eq!(schedule.next(start + PERIOD, true), Next::Redraw);
    }

    #[test]
    fn a_late_frame_does_not_hurry_the_ones_after_it() {
        let (mut schedule, start) = shown();
        let late = start + PERIOD * 10;
        schedule.ran(late, PERIOD);
        assert_eq!(schedule.next(late, true), Next::Redraw);
        schedule.redraw();
        schedule.ran(late, PERIOD);
        assert_eq!(schedule.next(late, true), Next::Wait(late + PERIOD));
    }

    #[test]
    fn paused_and_untouched_sleeps() {
        let (mut schedule, start) = shown();
        assert_eq!(schedule.next(start + PERIOD, false), Next::Sleep);
        schedule.touch();
        assert_eq!(schedule.next(start + PERIOD, false), Next::Redraw);
    }

    #[test]
    fn an_alarm_wakes_what_is_paused_once() {
        let (mut schedule, start) = shown();
        schedule.wake_at(Some(start + PERIOD * 3));
        assert_eq!(schedule.next(start + PERIOD, false), Next::Wait(start + PERIOD * 3));
        assert_eq!(schedule.next(start + PERIOD * 3, false), Next::Redraw);
        schedule.redraw();
        schedule.wake_at(None);
        schedule.ran(start + PERIOD * 3, PERIOD);
        schedule.shown();
        assert_eq!(schedule.next(start + PERIOD * 9, false), Next::Sleep);
    }

    #[test]
    fn what_the_display_lost_is_drawn_again() {
        let (mut schedule, _) = shown();
        schedule.redraw();
        assert!(schedule.wants_frame());
    }

    #[test]
    fn a_hidden_window_runs_without_frames() {
        let (mut schedule, start) = shown();
        schedule.hide(true);
        schedule.touch();
        assert!(!schedule.wants_frame());
        assert_eq!(schedule.next(start + PERIOD, true), Next::Run);
        assert_eq!(schedule.next(start + PERIOD, false), Next::Sleep);
        schedule.hide(false);
        assert_eq!(schedule.next(start + PERIOD, false), Next::Redraw);
    }

    #[test]
    fn hiding_forgives_a_redraw_that_never_comes() {
        let (mut schedule, start) = shown();
        assert_eq!(schedule.next(start + PERIOD, true), Next::Redraw);
        schedule.hide(true);
        assert_eq!(schedule.next(start + PERIOD, true), Next::Run);
    }
}
