//! Which frames of the window make a film: one for each thirtieth of a second, by the clock on the wall.
//!
//! ```text
//! shown    a   b c d              e f        whatever is due when a frame is shown
//! film     a . b d d d d d d d d  e          what was shown before stays until then
//! ```
//!
//! So a film plays as fast as the window was seen, whether that showed 20 frames a second or 144. Where
//! nothing was shown for long, it was paused, and the film doesn't wait as long.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::window::capture::{FPS, Film, Taken};

/// How long the film stands still at a time, at most.
const STILL_MAX: Duration = Duration::from_secs(2);

/// A film of the window under way.
pub(super) struct Filming {
    film: Box<dyn Film>,
    size: [u32; 2],
    /// When the next frame is due.
    due: Instant,
    frames: u64,
}

impl Filming {
    /// A film of frames of that size, the first of which is due now.
    pub(super) fn new(film: Box<dyn Film>, size: [u32; 2], now: Instant) -> Self {
        Self { film, size, due: now, frames: 0 }
    }

    /// The name of its file.
    pub(super) fn path(&self) -> PathBuf {
        self.film.path()
    }

    /// Whole seconds that it lasts so far.
    pub(super) fn seconds(&self) -> u64 {
        self.frames / u64::from(FPS)
    }

    /// True if its frames have that size.
    pub(super) fn fits(&self, size: [u32; 2]) -> bool {
        size == self.size
    }

    /// A frame that [fits](Self::fits) was shown. False if the film can't go on: it is full, or can't be written.
    pub(super) fn shown(&mut self, now: Instant, pixels: &[u8]) -> bool {
        let Some(late) = now.checked_duration_since(self.due) else { return true };
        let frame = Duration::from_secs(1) / FPS;
        let missed = (late.as_nanos() / frame.as_nanos()) as u64;
        let most = (STILL_MAX.as_nanos() / frame.as_nanos()) as u64;
        let again = if self.frames == 0 { 0 } else { missed.min(most) };
        match self.film.put(again, pixels) {
            Taken::Yes => {
                self.frames += again + 1;
                self.due += frame * (missed as u32 + 1);
                true
            }
            Taken::Busy => true,
            Taken::No => false,
        }
    }

    /// True if it has come to its end by itself: its file can't be written any further.
    pub(super) fn is_written(&self) -> bool {
        self.film.is_written()
    }

    /// Ends the film, which is still to be written.
    pub(super) fn end(mut self) -> Box<dyn Film> {
        self.film.end();
        self.film
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Writes down what it is given; takes nothing while it is told to be busy.
    #[derive(Clone, Default)]
    struct Slate(Rc<RefCell<(bool, Vec<u8>)>>);

    impl Film for Slate {
        fn path(&self) -> PathBuf {
            "film".into()
        }
        fn put(&mut self, again: u64, pixels: &[u8]) -> Taken {
            let (busy, frames) = &mut *self.0.borrow_mut();
            if *busy {
                return Taken::Busy;
            }
            let last = frames.last().copied();
            frames.extend((0..again).filter_map(|_| last));
            frames.push(pixels[0]);
            Taken::Yes
        }
        fn end(&mut self) {}
        fn is_written(&self) -> bool {
            true
        }
        fn finish(self: Box<Self>) -> crate::error::Result<String> {
            Ok(String::new())
        }
    }

    fn filmed(shown: &[(u32, u8)], busy: impl Fn(u32) -> bool) -> Vec<u8> {
        let (slate, begin) = (Slate::default(), Instant::now());
        let mut filming = Filming::new(Box::new(slate.clone()), [1, 1], begin);
        for &(ms, pixel) in shown {
            slate.0.borrow_mut().0 = busy(ms);
            assert!(filming.shown(begin + ms * MS, &[pixel; 4]));
        }
        drop(filming);
        slate.0.take().1
    }

    #[test]
    fn a_film_lasts_as_long_as_it_was_watched() {
        // 60 frames a second and 10 a second, for a second.
        let fast: Vec<_> = (0..60).map(|n| (n * 1000 / 60, n as u8)).collect();
        assert_eq!(filmed(&fast, |_| false).len(), 30);
        let slow: Vec<_> = (0..10).map(|n| (n * 101, n as u8)).collect();
        let film = filmed(&slow, |_| false);
        assert_eq!(film.len(), 28);
        assert_eq!(film[..7], [0, 0, 0, 1, 1, 1, 2]);
    }

    #[test]
    fn a_pause_is_cut_short() {
        assert_eq!(filmed(&[(0, 1), (3_600_000, 2), (3_600_040, 3)], |_| false).len(), 63);
    }

    #[test]
    fn a_busy_film_loses_frames_and_no_time() {
        let shown: Vec<_> = (0..31).map(|n| (n * 34, n as u8)).collect();
        let film = filmed(&shown, |ms| (300..600).contains(&ms));
        assert_eq!(film.len(), 31);
    }
}
