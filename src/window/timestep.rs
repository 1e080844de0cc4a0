//! How many steps are due: a fixed step, fed by an accumulator.
//!
//! ```text
//! wall time of a frame ──► owed += seconds · rate ──► due = whole steps owed, at most a few
//!                                  ▲                         │
//!                                  └──── the fraction ◄──────┘   what is over the limit is dropped
//! ```
//!
//! The length of a step never changes, whatever the screen does, or a run would not be the same
//! twice. Time that the machine can't keep up with is dropped and counted: paying it back later would
//! make the next frame later still. Invariant: less than one step is owed between two frames.
//!
//! Nothing here reads a clock; the window passes in the time that went by.

use std::time::Duration;

/// Steps in a frame beyond those that one frame at the screen's rate asks for.
const CATCH_UP: f64 = 3.0;

/// The smallest and the largest time scale.
pub(super) const SPEED: [f64; 2] = [1.0 / 64.0, 64.0];

/// Frames a second, whatever a screen claims.
const REFRESH: [f64; 2] = [10.0, 1000.0];

/// The longest time that frames may be left out for, seconds: a window that shows less looks stuck.
const SKIP_MAX: f64 = 0.25;

/// Steps a frame below which pictures between two steps are worth drawing: a screen's rate is never quite
/// the one that it claims.
const BETWEEN: f64 = 0.99;

/// What gives way when the machine can't keep up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LatePolicy {
    /// Time: every frame comes, and shows fewer steps.
    #[default]
    SlowMotion,
    /// Frames: every step is taken, and fewer are shown.
    SkipFrames,
}

/// The accumulator.
#[derive(Clone, Debug)]
pub(super) struct Timestep {
    hz: f64,
    speed: f64,
    frame: f64,
    owed: f64,
    single: u32,
    paused: bool,
    dropped: u64,
    late: LatePolicy,
}

impl Timestep {
    /// `hz` steps a second, shown 60 times a second until the screen is known.
    pub(super) fn new(hz: f64) -> Self {
        let frame = 1.0 / 60.0;
        let (paused, late) = (false, LatePolicy::default());
        Self { hz, speed: 1.0, frame, owed: 0.0, single: 0, paused, dropped: 0, late }
    }

    /// Seconds between two frames.
    pub(super) fn frame(&self) -> Duration {
        Duration::from_secs_f64(self.frame)
    }

    /// The screen shows `refresh` frames a second.
    pub(super) fn set_refresh(&mut self, refresh: f64) {
        self.frame = 1.0 / refresh.clamp(REFRESH[0], REFRESH[1]);
    }

    /// So many steps a second from now on.
    pub(super) fn set_hz(&mut self, hz: f64) {
        self.hz = hz;
    }

    /// What gives way when the machine can't keep up.
    pub(super) fn late_policy(&self) -> LatePolicy {
        self.late
    }

    /// Has this give way from now on.
    pub(super) fn set_late_policy(&mut self, late: LatePolicy) {
        self.late = late;
    }

    /// How long steps may be taken for before a frame has to be shown.
    pub(super) fn patience(&self) -> Duration {
        match self.late {
            LatePolicy::SlowMotion => self.frame(),
            LatePolicy::SkipFrames => Duration::from_secs_f64(SKIP_MAX),
        }
    }

    /// Share of a step by which the picture comes before the last one: what is still to go until the next
    /// is taken, where the screen shows more frames than there are steps. 0 where it doesn't, and while
    /// paused.
    pub(super) fn lag(&self) -> f64 {
        let between = self.rate() * self.frame < BETWEEN;
        if between && !self.paused { 1.0 - self.owed } else { 0.0 }
    }

    /// Steps to take now that `elapsed` has gone by since the last call.
    pub(super) fn due(&mut self, elapsed: Duration) -> u32 {
        if self.paused {
            return std::mem::take(&mut self.single);
        }
        self.owed += elapsed.as_secs_f64() * self.rate();
        let whole = self.owed.floor();
        self.owed -= whole;
        let span = match self.late {
            LatePolicy::SlowMotion => self.frame,
            LatePolicy::SkipFrames => self.frame.max(SKIP_MAX),
        };
        let limit = (self.rate() * span).ceil() + CATCH_UP;
        self.dropped += (whole - limit).max(0.0) as u64;
        whole.min(limit) as u32
    }

    /// Due steps that were not taken after all, because the frame had to be shown.
    pub(super) fn forgo(&mut self, steps: u32) {
        self.dropped += u64::from(steps);
    }

    /// Steps dropped since the last call.
    pub(super) fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }

    /// Steps a second that are asked for.
    pub(super) fn rate(&self) -> f64 {
        self.hz * self.speed
    }

    /// Times the speed of real time.
    pub(super) fn speed(&self) -> f64 {
        self.speed
    }

    /// True while no step is due but single ones.
    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// True while steps are due, or will be.
    pub(super) fn is_running(&self) -> bool {
        !self.paused || self.single > 0
    }

    /// Pauses, or goes on.
    pub(super) fn toggle_pause(&mut self) {
        self.paused = !self.paused;
        self.single = 0;
    }

    /// Makes one step due, and pauses if it ran.
    pub(super) fn step_once(&mut self) {
        self.paused = true;
        self.single += 1;
    }

    /// Times the speed of real time from now on, within the bounds.
    pub(super) fn set_speed(&mut self, speed: f64) {
        self.speed = speed.clamp(SPEED[0], SPEED[1]);
    }

    /// Forgets what is owed: a new run begins.
    pub(super) fn restart(&mut self) {
        self.owed = 0.0;
        self.single = 0;
        self.dropped = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn steps_a_second_are_the_same_at_every_refresh_rate() {
        for refresh in [24.0, 59.94, 60.0, 75.0, 144.0, 1000.0] {
            let mut timestep = Timestep::new(60.0);
            timestep.set_refresh(refresh);
            let frames = (refresh * 10.0) as u32;
            let steps: u32 = (0..frames).map(|_| timestep.due(timestep.frame())).sum();
            let seconds = f64::from(frames) / refresh;
            assert!((f64::from(steps) - 60.0 * seconds).abs() <= 1.0, "{steps} at {refresh} Hz");
            assert_eq!(timestep.take_dropped(), 0);
        }
    }

    #[test]
    fn a_late_frame_takes_a_few_steps_and_drops_the_others() {
        let mut timestep = Timestep::new(60.0);
        assert_eq!(timestep.due(Duration::from_secs(1)), 4);
        assert_eq!(timestep.take_dropped(), 56);
        assert_eq!(timestep.take_dropped(), 0);
        assert!(timestep.due(17 * MS) <= 2, "what was dropped must not come back");
    }

    #[test]
    fn a_late_frame_takes_all_steps_where_frames_give_way() {
        let mut timestep = Timestep::new(60.0);
        timestep.set_late_policy(LatePolicy::SkipFrames);
        assert_eq!(timestep.due(200 * MS), 12);
        assert_eq!(timestep.take_dropped(), 0);
        assert_eq!(timestep.due(Duration::from_secs(1)), 18);
        assert_eq!(timestep.take_dropped(), 42);
        assert!(timestep.patience() > timestep.frame());
    }

    #[test]
    fn pictures_between_steps_move_on_evenly() {
        let mut timestep = Timestep::new(60.0);
        assert_eq!(timestep.lag(), 0.0, "as many frames as steps need none");
        timestep.set_refresh(240.0);
        let mut at = 0.0;
        for frame in 1..=20 {
            at += f64::from(timestep.due(timestep.frame()));
            let shown = at - timestep.lag();
            assert!((shown - (f64::from(frame) / 4.0 - 1.0)).abs() < 1e-6, "{shown} in {frame}");
        }
        timestep.toggle_pause();
        assert_eq!(timestep.lag(), 0.0, "what stands still is shown where it is");
    }

    #[test]
    fn many_steps_a_frame_are_no_lag() {
        let mut timestep = Timestep::new(6000.0);
        let steps: u32 = (0..60).map(|_| timestep.due(timestep.frame())).sum();
        assert!((5999..=6000).contains(&steps), "{steps}");
        assert_eq!(timestep.take_dropped(), 0);
    }

    #[test]
    fn slow_steps_add_up_over_frames() {
        let mut timestep = Timestep::new(0.5);
        let steps: u32 = (0..1205).map(|_| timestep.due(Duration::from_secs_f64(1.0 / 60.0))).sum();
        assert_eq!(steps, 10);
    }

    #[test]
    fn a_pause_stops_time_and_single_steps_pass() {
        let mut timestep = Timestep::new(60.0);
        timestep.toggle_pause();
        assert_eq!(timestep.due(Duration::from_secs(5)), 0);
        timestep.step_once();
        timestep.step_once();
        assert_eq!(timestep.due(16 * MS), 2);
        assert_eq!(timestep.due(16 * MS), 0);
        timestep.toggle_pause();
        assert!(!timestep.is_paused());
        assert!(timestep.due(17 * MS) <= 2, "the pause itself owes nothing");
        assert_eq!(timestep.take_dropped(), 0);
    }

    #[test]
    fn a_single_step_pauses_a_run() {
        let mut timestep = Timestep::new(60.0);
        timestep.step_once();
        assert!(timestep.is_paused());
        assert_eq!(timestep.due(1000 * MS), 1);
    }

    #[test]
    fn speed_stays_within_its_bounds() {
        let mut timestep = Timestep::new(60.0);
        for (speed, rate) in [(2.0, 120.0), (1e9, 60.0 * SPEED[1]), (0.0, 60.0 * SPEED[0])] {
            timestep.set_speed(speed);
            assert_eq!(timestep.rate(), rate);
        }
    }

    #[test]
    fn forgone_steps_count_as_dropped() {
        let mut timestep = Timestep::new(60.0);
        timestep.forgo(3);
        assert_eq!(timestep.take_dropped(), 3);
    }
}
