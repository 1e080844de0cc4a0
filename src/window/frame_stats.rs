//! Times of the parts of a frame, for the panel's charts and for the status line.
//!
//! ```text
//! step_with ─┐                    ┌─ recent  the last samples, for charts and percentiles
//! draw ──────┼─► FrameStats::push ┴─ mean    over half a second, for the status line
//! present ───┘
//! ```
//!
//! Charts show every sample, so that rare costs are visible: a step that sorts, a late frame.
//! Figures of the status line are averaged, so that they can be read.

use std::time::Duration;

use crate::{
    step::{Phase, Probe},
    timing::{MeanTime, PHASES, RecentTimes, StepClock},
};

/// Time between two updates of the [`Figures`].
const PERIOD: Duration = Duration::from_millis(500);

/// Dropped steps per step taken that count as keeping up: one hiccup does not make a slow machine.
const DROPPED_SHARE_MAX: f64 = 0.05;

/// A part of the work per frame, in the order in which they happen. A step is the sum of its
/// phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Step,
    Contacts,
    Order,
    Resolve,
    Integrate,
    Regrid,
    Forces,
    Draw,
    Panel,
    Film,
    Present,
}

/// The parts that take turns, and none of which is a part of another.
const WHOLE: [Part; 5] = [Part::Step, Part::Draw, Part::Panel, Part::Film, Part::Present];

/// The parts of the phases of a step, in the order of [`Phase`].
const PHASE_PARTS: [Part; PHASES] =
    [Part::Contacts, Part::Order, Part::Resolve, Part::Integrate, Part::Regrid, Part::Forces];

/// Number of parts.
const PARTS: usize = Part::Present as usize + 1;

/// Figures of the status line. Times are means in milliseconds, `None` until they are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    /// Frames per second of wall time; `None` in a paused run.
    pub(super) frames_per_s: Option<f64>,
    /// Steps per second of wall time; `None` in a paused run.
    pub(super) steps_per_s: Option<f64>,
    /// Time of a step.
    pub(super) step_ms: Option<f64>,
    /// Time to draw a frame.
    pub(super) draw_ms: Option<f64>,
    /// Time to hand a frame to the screen.
    pub(super) present_ms: Option<f64>,
    /// The part that took most of the time, if enough steps were dropped that time runs visibly
    /// slower.
    pub(super) behind: Option<Part>,
}

/// Samples of all parts, and the figures of the status line.
#[derive(Clone, Debug)]
pub(super) struct FrameStats {
    recent: [RecentTimes; PARTS],
    /// Times since the figures were updated.
    means: [MeanTime; PARTS],
    /// Clock for the phases of the step under way.
    clock: StepClock,
    /// Wall time, steps taken and steps dropped since the figures were updated.
    elapsed: Duration,
    steps: u32,
    dropped: u64,
    figures: Figures,
}

impl FrameStats {
    /// Creates statistics without samples.
    pub(super) fn new() -> Self {
        Self {
            recent: [const { RecentTimes::EMPTY }; PARTS],
            means: [MeanTime::EMPTY; PARTS],
            clock: StepClock::default(),
            elapsed: Duration::ZERO,
            steps: 0,
            dropped: 0,
            figures: Figures::default(),
        }
    }

    /// Adds a sample of a part.
    pub(super) fn push(&mut self, part: Part, took: Duration) {
        self.recent[part as usize].record(took);
        self.means[part as usize].add(took);
    }

    /// The last samples of a part.
    pub(super) fn recent(&self, part: Part) -> &RecentTimes {
        &self.recent[part as usize]
    }

    /// Means of the last times of the step, the frame, a layout of the panel, and its way to the
    /// screen, in milliseconds; 0 for a part that was never done.
    pub(super) fn mean_times(&self) -> [(&'static str, f64); 4] {
        let parts = [
            ("step", Part::Step),
            ("draw", Part::Draw),
            ("panel", Part::Panel),
            ("present", Part::Present),
        ];
        parts.map(|(name, part)| (name, self.recent(part).summary().mean.unwrap_or(0.0)))
    }

    /// The figures of the status line.
    pub(super) fn figures(&self) -> Figures {
        self.figures
    }

    /// Counts wall time and dropped steps of a running simulation, and updates the figures when
    /// they are due. True if that was so.
    pub(super) fn advance(&mut self, elapsed: Duration, dropped: u64) -> bool {
        self.elapsed += elapsed;
        self.dropped += dropped;
        let due = self.elapsed >= PERIOD;
        // The first figures come at once: a window without them looks broken.
        let updates = due || self.figures.step_ms.is_none() && self.steps > 0;
        if updates {
            self.update_figures(due.then_some(self.elapsed));
        }
        updates
    }

    /// Discards what was measured since the figures were updated, such as steps of a way back.
    pub(super) fn discard(&mut self) {
        (self.elapsed, self.steps, self.dropped) = (Duration::ZERO, 0, 0);
        self.means = [MeanTime::EMPTY; PARTS];
    }

    /// Updates the figures of a paused simulation at once.
    pub(super) fn pause(&mut self) {
        self.dropped = 0;
        self.update_figures(None);
    }

    /// Resets the figures and keeps the samples for the charts.
    pub(super) fn reset_figures(&mut self) {
        self.dropped = 0;
        self.update_figures(None);
        self.figures = Figures::default();
    }

    /// Updates the figures; rates are means over a period that took `elapsed`.
    fn update_figures(&mut self, elapsed: Option<Duration>) {
        let before = self.figures;
        let rate = |count: u64| elapsed.map(|elapsed| count as f64 / elapsed.as_secs_f64());
        let mean = |part| self.means[part as usize].milliseconds();
        let behind = self.dropped as f64 > f64::from(self.steps) * DROPPED_SHARE_MAX;
        let slowest = WHOLE.into_iter().max_by_key(|&part| self.means[part as usize].total());
        self.figures = Figures {
            frames_per_s: rate(self.means[Part::Present as usize].count()),
            steps_per_s: rate(self.steps.into()),
            step_ms: mean(Part::Step).or(before.step_ms),
            draw_ms: mean(Part::Draw).or(before.draw_ms),
            present_ms: mean(Part::Present).or(before.present_ms),
            behind: slowest.filter(|_| behind),
        };
        self.discard();
    }
}

/// Measures a step. The times of all substeps add up; a phase that a step skips gets no sample.
impl Probe for FrameStats {
    fn begin(&mut self, phase: Phase) {
        self.clock.begin(phase);
    }

    fn end(&mut self) {
        self.clock.end();
        let spent = self.clock.take();
        self.steps += 1;
        self.push(Part::Step, spent.iter().sum());
        for (part, took) in PHASE_PARTS.into_iter().zip(spent) {
            if took > Duration::ZERO {
                self.push(part, took);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Statistics of one more step that took this long.
    fn step(stats: &mut FrameStats, took: Duration) {
        stats.push(Part::Step, took);
        stats.steps += 1;
    }

    #[test]
    fn a_step_is_the_sum_of_the_phases_of_all_substeps() {
        let mut stats = FrameStats::new();
        for _ in 0..2 {
            stats.begin(Phase::Resolve);
            std::thread::sleep(2 * MS);
            stats.begin(Phase::Regrid);
        }
        stats.end();
        let only = |part| stats.recent(part).iter().collect::<Vec<f32>>();
        let [resolve, step] = [Part::Resolve, Part::Step].map(only);
        assert!(resolve.len() == 1 && resolve[0] >= 4.0, "{resolve:?}");
        assert!(step.len() == 1 && step[0] >= resolve[0], "{step:?}");
        assert!(only(Part::Contacts).is_empty());
        assert_eq!(stats.steps, 1);
    }

    #[test]
    fn figures_are_means_over_half_a_second() {
        let mut stats = FrameStats::new();
        step(&mut stats, 4 * MS);
        stats.advance(16 * MS, 0);
        assert_eq!(stats.figures().step_ms, Some(4.0), "the first figures come at once");
        assert_eq!(stats.figures().steps_per_s, None, "a rate from one frame is noise");
        for frame in 1..=25 {
            assert_eq!(stats.figures().step_ms, Some(4.0));
            step(&mut stats, (frame % 2 * 2 + 1) * MS);
            stats.push(Part::Draw, 2 * MS);
            stats.push(Part::Present, MS);
            stats.advance(20 * MS, 0);
        }
        let figures = stats.figures();
        assert_eq!(figures.steps_per_s.map(f64::round), Some(50.0));
        assert_eq!(figures.frames_per_s.map(f64::round), Some(50.0));
        assert!((figures.step_ms.unwrap() - 2.04).abs() < 0.01, "{figures:?}");
        assert_eq!((figures.draw_ms, figures.present_ms), (Some(2.0), Some(1.0)));
        assert_eq!(figures.behind, None);
    }

    #[test]
    fn a_period_of_dropped_steps_is_behind_and_a_pause_keeps_the_times() {
        let mut stats = FrameStats::new();
        step(&mut stats, 3 * MS);
        stats.advance(500 * MS, 3);
        assert_eq!(stats.figures().behind, Some(Part::Step));
        stats.advance(500 * MS, 0);
        assert_eq!(stats.figures().behind, None);
        stats.pause();
        let kept = Figures { step_ms: Some(3.0), ..Figures::default() };
        assert_eq!(stats.figures(), kept);
        stats.reset_figures();
        assert_eq!(stats.figures(), Figures::default());
        assert_eq!(stats.recent(Part::Step).iter().len(), 1);
    }
}
