//! Recorder of films: which frames become part of a film, and the films that are still being written.
//!
//! ```text
//! shown    a   b c d              e f        a frame enters the film when its time has come
//! film     a . b d d d d d d d d  e          until then the frame before it is repeated
//! ```
//!
//! A film has 30 or 60 frames per second of its time. In wall time it plays as fast as the
//! window was seen, at 20 frames per second or at 144, and a longer pause is cut to [`PAUSE_MAX`]. In
//! simulated time it plays as fast as the window was asked to run, and the run waits for a film that
//! takes longer to write. The window waits for films of wall time only when it closes.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    program::ProgramResult as Result,
    window::{
        capture::{Film, FrameOutcome, Room},
        film_options::{FilmOptions, FilmProgress, FilmTime},
    },
};

/// Longest time for which a film repeats a frame.
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// Times of steps are rounded to nanoseconds.
const ROUNDING: Duration = Duration::from_nanos(10);

/// Seconds of film from which on it counts as long.
pub(super) const LONG: u64 = 30;

/// Bytes per minute from which on a film counts as large.
pub(super) const LARGE: u64 = 1 << 30;

/// When a frame was drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameTime {
    /// Wall time.
    pub(super) wall: Instant,
    /// Time that the simulation was played for until then, at the rate that the user asked for.
    pub(super) played: Duration,
}

/// The film being recorded, and the films being written.
#[derive(Default)]
pub(super) struct FilmRecorder {
    current: Option<CurrentFilm>,
    /// Films that take no more frames, and whether a new size of the window has ended each.
    ended: Vec<(Box<dyn Film>, bool)>,
}

/// The film being recorded.
struct CurrentFilm {
    film: Box<dyn Film>,
    options: FilmOptions,
    /// Width and height of its frames.
    size: [u32; 2],
    begin: FrameTime,
    /// Time of the next frame, since the beginning.
    due: Duration,
    frames: u64,
}

impl FilmRecorder {
    /// True while a film is being recorded.
    pub(super) fn is_recording(&self) -> bool {
        self.current.is_some()
    }

    /// Ends the current film and begins one with frames of `size` pixels, the first of which is due
    /// now. Returns the name of its file.
    pub(super) fn begin(
        &mut self,
        film: Box<dyn Film>,
        options: FilmOptions,
        size: [u32; 2],
        begin: FrameTime,
    ) -> PathBuf {
        self.end();
        let path = film.path();
        let due = Duration::ZERO;
        self.current = Some(CurrentFilm { film, options, size, begin, due, frames: 0 });
        path
    }

    /// Frames per second of the current film, if it is one of simulated time.
    pub(super) fn simulated_fps(&self) -> Option<u32> {
        let options = self.current.as_ref()?.options;
        (options.time == FilmTime::Simulated).then(|| options.fps())
    }

    /// How far the current film has come.
    pub(super) fn progress(&self) -> Option<FilmProgress> {
        let current = self.current.as_ref()?;
        let [frames, bytes] = current.film.written();
        let fps = u64::from(current.options.fps());
        let minute = (bytes * fps * 60).checked_div(frames);
        let seconds = current.frames / fps;
        Some(FilmProgress { seconds, bytes, bytes_per_minute: minute, options: current.options })
    }

    /// Offers a frame of a window of `size` pixels. If its time has come, `draw` fills it, given the
    /// size of the film. False if that has ended the current film.
    pub(super) fn offer(
        &mut self,
        now: FrameTime,
        size: [u32; 2],
        draw: &mut dyn FnMut(&mut [u8], [u32; 2]),
    ) -> bool {
        let Some(current) = &mut self.current else { return true };
        let own = current.size;
        let resized = current.options.size.pixels().is_none() && size != own;
        let mut draw = |frame: &mut [u8]| draw(frame, own);
        let goes_on = !resized && current.offer(now, &mut draw) != FrameOutcome::Ended;
        if !goes_on {
            self.end_current(resized);
        }
        goes_on
    }

    /// Ends the current film.
    pub(super) fn end(&mut self) {
        self.end_current(false);
    }

    fn end_current(&mut self, resized: bool) {
        if let Some(CurrentFilm { mut film, .. }) = self.current.take() {
            film.end();
            self.ended.push((film, resized));
        }
    }

    /// Takes the outcomes of films that have been written since the last call. Ends the current
    /// film if it can't be written any further.
    pub(super) fn take_written(&mut self) -> Vec<Result<String>> {
        if self.current.as_ref().is_some_and(|current| current.film.is_written()) {
            self.end();
        }
        self.ended.extract_if(.., |(film, _)| film.is_written()).map(finished).collect()
    }

    /// Ends the current film and waits until all films are written; returns their outcomes.
    pub(super) fn finish(&mut self) -> Vec<Result<String>> {
        self.end();
        self.ended.drain(..).map(finished).collect()
    }
}

impl CurrentFilm {
    /// Offers a frame of the film's size.
    fn offer(&mut self, now: FrameTime, draw: &mut dyn FnMut(&mut [u8])) -> FrameOutcome {
        let (now, room) = match self.options.time {
            FilmTime::Wall => (now.wall.saturating_duration_since(self.begin.wall), Room::Skip),
            FilmTime::Simulated => {
                (now.played.saturating_sub(self.begin.played) + ROUNDING, Room::Wait)
            }
        };
        let Some(late) = now.checked_sub(self.due) else { return FrameOutcome::Queued };
        let frame = Duration::from_secs(1) / self.options.fps();
        let missed = (late.as_nanos() / frame.as_nanos()) as u64;
        let repeats_max = (PAUSE_MAX.as_nanos() / frame.as_nanos()) as u64;
        let repeats = if self.frames == 0 { 0 } else { missed.min(repeats_max) };
        let outcome = self.film.push(repeats, room, draw);
        if outcome == FrameOutcome::Queued {
            self.frames += repeats + 1;
            self.due += frame * (missed as u32 + 1);
        }
        outcome
    }
}

/// The outcome of an ended film, once it is written.
fn finished((film, resized): (Box<dyn Film>, bool)) -> Result<String> {
    let reason = if resized { "; it ended as the window got another size" } else { "" };
    Ok(film.finish()? + reason)
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use super::*;

    const SIZE: [u32; 2] = [1, 1];

    /// A film with a queue and a writer that the test controls.
    #[derive(Clone, Default)]
    struct FakeFilm(Rc<RefCell<FakeState>>);

    #[derive(Default)]
    struct FakeState {
        queue_full: bool,
        written: bool,
        frames: Vec<u8>,
    }

    impl Film for FakeFilm {
        fn path(&self) -> PathBuf {
            PathBuf::new()
        }
        fn push(&mut self, repeats: u64, _: Room, draw: &mut dyn FnMut(&mut [u8])) -> FrameOutcome {
            let FakeState { queue_full, frames, .. } = &mut *self.0.borrow_mut();
            if *queue_full {
                return FrameOutcome::QueueFull;
            }
            let last = frames.last().copied();
            frames.extend((0..repeats).filter_map(|_| last));
            let mut pixel = [0];
            draw(&mut pixel);
            frames.extend(pixel);
            FrameOutcome::Queued
        }
        fn written(&self) -> [u64; 2] {
            let frames = self.0.borrow().frames.len() as u64;
            [frames, frames * 1_000]
        }
        fn end(&mut self) {}
        fn is_written(&self) -> bool {
            self.0.borrow().written
        }
        fn finish(self: Box<Self>) -> Result<String> {
            Ok("saved".into())
        }
    }

    fn wall() -> FilmOptions {
        FilmOptions { time: FilmTime::Wall, ..FilmOptions::default() }
    }

    fn now() -> FrameTime {
        FrameTime { wall: Instant::now(), played: Duration::from_secs_f64(7.0 / 60.0) }
    }

    /// Frames of a film of these milliseconds and pixels, with a queue that is full at some times.
    fn recorded(shown: &[(u64, u8)], queue_full: impl Fn(u64) -> bool) -> Vec<u8> {
        let (film, begin) = (FakeFilm::default(), now());
        let mut recorder = FilmRecorder::default();
        recorder.begin(Box::new(film.clone()), wall(), SIZE, begin);
        for (ms, pixel) in shown.iter().copied() {
            film.0.borrow_mut().queue_full = queue_full(ms);
            let now = FrameTime { wall: begin.wall + Duration::from_millis(ms), ..begin };
            assert!(recorder.offer(now, SIZE, &mut |frame, _| frame.fill(pixel)));
        }
        film.0.take().frames
    }

    #[test]
    fn a_film_lasts_as_long_as_it_was_seen_but_for_long_pauses() {
        // A second of 60 frames per second, and one of 10.
        let fast: Vec<_> = (0..60).map(|n| (n * 1000 / 60, n as u8)).collect();
        assert_eq!(recorded(&fast, |_| false).len(), 30);
        let slow: Vec<_> = (0..10).map(|n| (n * 101, n as u8)).collect();
        let film = recorded(&slow, |_| false);
        assert_eq!(film.len(), 28);
        assert_eq!(film[..7], [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!(recorded(&[(0, 1), (3_600_000, 2), (3_600_040, 3)], |_| false).len(), 63);
        // A full queue costs frames, but no time.
        let shown: Vec<_> = (0..31).map(|n| (n * 34, n as u8)).collect();
        assert_eq!(recorded(&shown, |ms| (300..600).contains(&ms)).len(), 31);
    }

    /// Every second step is a frame, however long it takes, and a minute of it can be predicted.
    #[test]
    fn a_film_of_simulated_time_has_all_of_a_slow_run_and_none_of_its_pauses() {
        let (film, begin) = (FakeFilm::default(), now());
        let mut recorder = FilmRecorder::default();
        recorder.begin(Box::new(film.clone()), FilmOptions::default(), SIZE, begin);
        for step in 0..200_u8 {
            let wall = begin.wall + Duration::from_millis(400) * u32::from(step);
            let played = Duration::from_secs_f64(f64::from(7 + step) / 60.0);
            for wall in [wall, wall + Duration::from_millis(100)] {
                let now = FrameTime { wall, played };
                assert!(recorder.offer(now, SIZE, &mut |frame, _| frame.fill(step)));
            }
        }
        let progress = recorder.progress().expect("a film");
        assert_eq!(progress.to_string(), "filming 3 s, 97.7 KiB, a minute is 1.72 MiB");
        let expected: Vec<u8> = (0..200).step_by(2).collect();
        assert_eq!(film.0.take().frames, expected);
    }

    #[test]
    fn a_film_that_ends_early_is_reported_without_another_frame() {
        let (mut recorder, film) = (FilmRecorder::default(), FakeFilm::default());
        recorder.begin(Box::new(film.clone()), wall(), SIZE, now());
        assert!(recorder.take_written().is_empty() && recorder.is_recording());
        film.0.borrow_mut().written = true;
        assert_eq!(recorder.take_written().len(), 1);
        assert!(!recorder.is_recording() && recorder.progress().is_none());
    }
}
