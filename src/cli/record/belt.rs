//! Drawing and encoding at the same time: a few frames go round between two threads.
//!
//! ```text
//!            ┌─ drawn ──►┐
//!  simulate, │           │ encode, write
//!  draw      └◄─ empty ──┘                     FRAMES of them in all, claimed once
//! ```
//!
//! Whoever is faster waits for the other. When the one that draws is done, or the one that writes can't go
//! on, the other finds its end of the belt closed and stops, too.

use std::{
    panic,
    sync::mpsc::{self, Receiver, SyncSender},
    thread,
};

use crate::{Error, Result, raster::Frame};

/// Frames on the way: one that is drawn, one that is encoded, and one between them.
pub(super) const FRAMES: usize = 3;

/// The end of the belt where frames are drawn.
#[derive(Debug)]
pub(super) struct Belt {
    drawn: SyncSender<Frame>,
    empty: Receiver<Frame>,
}

impl Belt {
    /// Has `draw` draw the next frame, and sends it on. False if nobody wants it any more.
    pub(super) fn put(&mut self, draw: impl FnOnce(&mut Frame)) -> bool {
        let Ok(mut frame) = self.empty.recv() else { return false };
        draw(&mut frame);
        self.drawn.send(frame).is_ok()
    }
}

/// The end where they are encoded.
#[derive(Debug)]
pub(super) struct Coming {
    drawn: Receiver<Frame>,
    encoded: SyncSender<Frame>,
}

impl Coming {
    /// Hands each frame in turn to `take`, for as long as it wants more and some are drawn.
    pub(super) fn each(self, mut take: impl FnMut(&Frame) -> bool) {
        for frame in self.drawn {
            if !take(&frame) {
                return;
            }
            // Nobody draws any more, which the end of the loop finds out.
            let _ = self.encoded.send(frame);
        }
    }
}

/// Runs `produce` here and `consume` on a thread of its own, with the two ends of a belt of frames of that
/// size; both have to let go of theirs to come to an end.
///
/// # Errors
/// If the system refuses the thread; then nothing ran.
pub(super) fn run<P, C: Send>(
    [width, height]: [u32; 2],
    produce: impl FnOnce(Belt) -> P,
    consume: impl FnOnce(Coming) -> C + Send,
) -> Result<(P, C)> {
    let (put, drawn) = mpsc::sync_channel(FRAMES);
    let (encoded, empty) = mpsc::sync_channel(FRAMES);
    for _ in 0..FRAMES {
        // There is room for all of them, and the other end is here.
        let _ = encoded.send(Frame::new(width, height));
    }
    thread::scope(|scope| {
        let worker = thread::Builder::new()
            .name("jostle-film".into())
            .spawn_scoped(scope, || consume(Coming { drawn, encoded }))
            .map_err(|error| {
                Error::invalid(format!(
                    "a thread to encode on can't be started ({error}); try --threads 1"
                ))
            })?;
        let produced = produce(Belt { drawn: put, empty });
        let consumed = worker.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked));
        Ok((produced, consumed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_arrives_once_and_in_order() {
        let draw = |mut belt: Belt| (0..=255).all(|n| belt.put(|frame| frame.pixels[0] = [n; 4]));
        let write = |coming: Coming| {
            let mut seen = Vec::new();
            coming.each(|frame| {
                seen.push(frame.pixels[0][0]);
                true
            });
            seen
        };
        let (all, seen) = run([1, 1], draw, write).expect("a thread");
        assert!(all && seen.into_iter().eq(0..=255));
    }

    #[test]
    fn who_has_seen_enough_ends_both() {
        let draw =
            |mut belt: Belt| (0..1_000_000_usize).find(|_| !belt.put(|_| ())).expect("an end");
        let write = |coming: Coming| {
            let mut left = 5;
            coming.each(|_| {
                left -= 1;
                left > 0
            });
        };
        let (drawn, ()) = run([1, 1], draw, write).expect("a thread");
        assert!((4..=5 + FRAMES).contains(&drawn), "{drawn}");
    }
}
