//! The timestep: how many steps of fixed length are due, by an accumulator.
//!
//! ```text
//! wall time of a frame ──► owed += seconds · rate ──► due = whole steps owed, up to a limit
//!                                  ▲                         │
//!                                  └──── the fraction ◄──────┘   steps above the limit are dropped
//! ```
//!
//! A step always has the same length, whatever the screen does; otherwise no run could be repeated.
//! Steps that the machine can't take in time are dropped and counted: taking them later would make
//! the next frame later still. Invariant: less than one step is owed between two frames.
//!
//! No clock is read here; the caller passes the elapsed time.

use std::time::Duration;

/// Steps per frame above those that one frame at the screen's rate asks for.
const CATCH_UP: f64 = 3.0;

/// The smallest and the largest time scale.
pub(super) const TIME_SCALE: [f64; 2] = [1.0 / 64.0, 64.0];

/// Frames per second that are believed of a screen.
const REFRESH: [f64; 2] = [10.0, 1000.0];

/// Longest time without a frame, seconds: a longer one looks like a frozen window. It is longer
/// than a frame of any screen.
const SKIP_MAX: f64 = 0.25;

/// Steps per frame below which frames are interpolated. Below 1, as no screen has exactly the rate
/// that it reports.
const INTERPOLATED: f64 = 0.99;

/// The accumulator of steps.
#[derive(Clone, Debug)]
pub(super) struct Timestep {
    /// Steps per simulated second.
    pub(super) hz: f64,
    /// Simulated seconds per second of wall time.
    time_scale: f64,
    /// Seconds per frame.
    frame: f64,
    owed: f64,
    /// Single steps that are due while paused.
    single: u32,
    paused: bool,
    dropped: u64,
    /// True if frames are skipped when the machine can't keep up, so that every step is taken.
    /// False if time is dropped, so that every frame is shown with fewer steps.
    pub(super) skip_frames: bool,
    /// Frames per second of a film of simulated time, each of which is to be shown: time gives way then.
    pub(super) filmed: Option<u32>,
}

impl Timestep {
    /// Takes `hz` steps per simulated second and assumes a screen of 60 frames per second.
    pub(super) fn new(hz: f64) -> Self {
        Self {
            hz,
            time_scale: 1.0,
            frame: 1.0 / 60.0,
            owed: 0.0,
            single: 0,
            paused: false,
            dropped: 0,
            skip_frames: false,
            filmed: None,
        }
    }

    /// Time between two frames.
    pub(super) fn frame(&self) -> Duration {
        Duration::from_secs_f64(self.frame)
    }

    /// Sets the screen's frames per second.
    pub(super) fn set_refresh(&mut self, refresh: f64) {
        self.frame = 1.0 / refresh.clamp(REFRESH[0], REFRESH[1]);
    }

    /// Longest time that the steps of one frame may take.
    pub(super) fn step_time_max(&self) -> Duration {
        Duration::from_secs_f64(self.span())
    }

    /// Seconds of simulated time that one frame may take.
    fn span(&self) -> f64 {
        if self.skip_frames { SKIP_MAX } else { self.frame }
    }

    /// Share of a step by which the frame lags behind the last step, where the screen shows more
    /// frames than there are steps; else, and while paused, 0.
    pub(super) fn lag(&self) -> f64 {
        let interpolated = self.rate() * self.frame < INTERPOLATED;
        if interpolated && !self.paused { 1.0 - self.owed } else { 0.0 }
    }

    /// Number of steps to take, given the time since the last call.
    pub(super) fn due(&mut self, elapsed: Duration) -> u32 {
        if self.paused {
            return std::mem::take(&mut self.single);
        }
        self.owed += elapsed.as_secs_f64() * self.rate();
        let whole = self.owed.floor();
        self.owed -= whole;
        let limit = if let Some(fps) = self.filmed {
            (self.rate() / f64::from(fps)).floor().max(1.0)
        } else {
            (self.rate() * self.span()).ceil() + CATCH_UP
        };
        self.dropped += (whole - limit).max(0.0) as u64;
        whole.min(limit) as u32
    }

    /// Counts steps that were due and not taken.
    pub(super) fn drop_steps(&mut self, steps: u32) {
        self.dropped += u64::from(steps);
    }

    /// Number of steps dropped since the last call.
    pub(super) fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }

    /// Steps per second of wall time that are asked for.
    pub(super) fn rate(&self) -> f64 {
        self.hz * self.time_scale
    }

    /// Simulated seconds per second of wall time.
    pub(super) fn time_scale(&self) -> f64 {
        self.time_scale
    }

    /// Sets the time scale, clamped to [`TIME_SCALE`].
    pub(super) fn set_time_scale(&mut self, scale: f64) {
        self.time_scale = scale.clamp(TIME_SCALE[0], TIME_SCALE[1]);
    }

    /// Whether only single steps are taken.
    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether steps are due, or will be.
    pub(super) fn is_running(&self) -> bool {
        !self.paused || self.single > 0
    }

    /// Pauses, or resumes.
    pub(super) fn toggle_pause(&mut self) {
        self.paused = !self.paused;
        self.single = 0;
    }

    /// Pauses, and makes one more step due.
    pub(super) fn step_once(&mut self) {
        self.paused = true;
        self.single += 1;
    }

    /// Drops what is owed: another run starts.
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
    fn steps_per_second_are_the_same_at_every_refresh_rate() {
        let screens = [24.0, 59.94, 60.0, 144.0, 1000.0].map(|refresh| (60.0, refresh));
        for (hz, refresh) in screens.into_iter().chain([(0.5, 60.0), (6000.0, 60.0)]) {
            let mut timestep = Timestep::new(hz);
            timestep.set_refresh(refresh);
            let frames = (refresh * 20.0) as u32;
            let steps: u32 = (0..frames).map(|_| timestep.due(timestep.frame())).sum();
            let expected = hz * f64::from(frames) / refresh;
            assert!((f64::from(steps) - expected).abs() <= 1.0, "{steps} at {refresh} Hz");
            assert_eq!(timestep.take_dropped(), 0);
        }
    }

    #[test]
    fn a_late_frame_drops_steps_as_its_policy_says() {
        let mut timestep = Timestep::new(60.0);
        assert_eq!(timestep.due(Duration::from_secs(1)), 4);
        timestep.drop_steps(3);
        assert_eq!(timestep.take_dropped(), 56 + 3);
        assert_eq!(timestep.take_dropped(), 0);
        assert!(timestep.due(17 * MS) <= 2, "dropped steps never come back");

        let mut timestep = Timestep::new(60.0);
        timestep.skip_frames = true;
        assert_eq!(timestep.due(200 * MS), 12);
        assert_eq!(timestep.take_dropped(), 0);
        assert_eq!(timestep.due(Duration::from_secs(1)), 18);
        assert_eq!(timestep.take_dropped(), 42);
        assert!(timestep.step_time_max() > timestep.frame());
    }

    #[test]
    fn no_frame_of_a_film_is_missed() {
        let mut timestep = Timestep::new(60.0);
        timestep.filmed = Some(30);
        for (scale, most) in [(1.0, 2), (4.0, 8), (0.25, 1)] {
            timestep.set_time_scale(scale);
            assert_eq!(timestep.due(Duration::from_secs(1)), most);
        }
    }

    #[test]
    fn interpolated_frames_advance_evenly() {
        let mut timestep = Timestep::new(60.0);
        assert_eq!(timestep.lag(), 0.0, "one frame per step");
        timestep.set_refresh(240.0);
        let mut at = 0.0;
        for frame in 1..=20 {
            at += f64::from(timestep.due(timestep.frame()));
            let shown = at - timestep.lag();
            assert!((shown - (f64::from(frame) / 4.0 - 1.0)).abs() < 1e-6, "{shown} in {frame}");
        }
        timestep.toggle_pause();
        assert_eq!(timestep.lag(), 0.0, "a paused run is shown as it is");
    }

    #[test]
    fn the_time_scale_is_clamped() {
        let mut timestep = Timestep::new(60.0);
        let [least, most] = TIME_SCALE;
        for (scale, rate) in [(2.0, 120.0), (1e9, 60.0 * most), (0.0, 60.0 * least)] {
            timestep.set_time_scale(scale);
            assert_eq!(timestep.rate(), rate);
        }
    }
}
