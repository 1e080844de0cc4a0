//! What the status line says: figures averaged over half a second, so that they can be read.

use std::time::Duration;

use crate::timing::MeanTime;

/// How long figures are gathered before they are shown.
const WINDOW: Duration = Duration::from_millis(500);

/// Dropped steps for a step taken that nobody would notice: one hiccup is not a slow machine.
const TOLERATED: f64 = 0.05;

/// The figures shown. Milliseconds are means; what was never measured is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    /// Steps a second of wall time.
    pub(super) steps_per_s: Option<f64>,
    /// Milliseconds of a step.
    pub(super) step_ms: Option<f64>,
    /// Milliseconds of drawing a frame.
    pub(super) draw_ms: Option<f64>,
    /// Milliseconds of handing a frame to the screen.
    pub(super) present_ms: Option<f64>,
    /// True if so many steps were dropped that time runs visibly slower.
    pub(super) behind: bool,
}

/// Gathers figures.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter {
    elapsed: Duration,
    steps: u32,
    step: MeanTime,
    draw: MeanTime,
    present: MeanTime,
    dropped: u64,
    shown: Figures,
}

impl Meter {
    /// A step took that long.
    pub(super) fn step(&mut self, took: Duration) {
        self.steps += 1;
        self.step.add(took);
    }

    /// Drawing a frame took that long.
    pub(super) fn draw(&mut self, took: Duration) {
        self.draw.add(took);
    }

    /// Handing a frame to the screen took that long.
    pub(super) fn present(&mut self, took: Duration) {
        self.present.add(took);
    }

    /// A running simulation went on for `elapsed` of wall time and dropped that many steps. True if
    /// there are new figures to show.
    pub(super) fn pass(&mut self, elapsed: Duration, dropped: u64) -> bool {
        self.elapsed += elapsed;
        self.dropped += dropped;
        // The first figures need not wait: a window without them looks broken.
        let first = self.shown.step_ms.is_none() && self.steps > 0;
        if self.elapsed < WINDOW && !first {
            return false;
        }
        let per_second = f64::from(self.steps) / self.elapsed.as_secs_f64();
        self.publish((self.elapsed >= WINDOW).then_some(per_second));
        true
    }

    /// The simulation stands still: shows what was measured so far, at once.
    pub(super) fn stand(&mut self) {
        self.dropped = 0;
        self.publish(None);
    }

    /// Forgets everything: another run.
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    /// What to show.
    pub(super) fn figures(&self) -> Figures {
        self.shown
    }

    fn publish(&mut self, steps_per_s: Option<f64>) {
        let before = self.shown;
        self.shown = Figures {
            steps_per_s,
            step_ms: self.step.milliseconds().or(before.step_ms),
            draw_ms: self.draw.milliseconds().or(before.draw_ms),
            present_ms: self.present.milliseconds().or(before.present_ms),
            behind: self.dropped as f64 > f64::from(self.steps) * TOLERATED,
        };
        *self = Self { shown: self.shown, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn figures_are_means_over_half_a_second() {
        let mut meter = Meter::default();
        meter.step(4 * MS);
        assert!(meter.pass(16 * MS, 0), "the first figures come at once");
        assert_eq!(meter.figures().step_ms, Some(4.0));
        assert_eq!(meter.figures().steps_per_s, None, "a rate from one frame is noise");
        for frame in 1..=25 {
            meter.step((frame % 2 * 2 + 1) * MS);
            meter.draw(2 * MS);
            meter.present(MS);
            assert_eq!(meter.pass(20 * MS, 0), frame == 25);
        }
        let figures = meter.figures();
        assert_eq!(figures.steps_per_s.map(f64::round), Some(50.0));
        assert!((figures.step_ms.unwrap() - 2.04).abs() < 0.01, "{figures:?}");
        assert_eq!((figures.draw_ms, figures.present_ms), (Some(2.0), Some(1.0)));
        assert!(!figures.behind);
    }

    #[test]
    fn dropped_steps_show_and_go_away() {
        let mut meter = Meter::default();
        meter.pass(500 * MS, 3);
        assert!(meter.figures().behind);
        meter.pass(500 * MS, 0);
        assert!(!meter.figures().behind);
    }

    #[test]
    fn standing_still_keeps_the_last_times_but_no_rate() {
        let mut meter = Meter::default();
        meter.step(3 * MS);
        meter.pass(600 * MS, 9);
        meter.stand();
        let figures = meter.figures();
        assert_eq!((figures.step_ms, figures.steps_per_s), (Some(3.0), None));
        assert!(!figures.behind);
        meter.restart();
        assert_eq!(meter.figures(), Figures::default());
    }
}
