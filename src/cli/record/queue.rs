//! Frame queue: frames are drawn on one thread, encoded and stored on another.
//!
//! ```text
//!              ┌─ filled ──►┐
//!  simulation, │            │ encoder, store      a thread of its own
//!  renderer    └◄── empty ──┘                     FRAMES of them in all, allocated once
//! ```
//!
//! `record` waits for an empty frame, the window skips one instead. When either side stops, the
//! other finds its end of the queue closed and stops, too.

use std::{
    io::{self, ErrorKind},
    panic::{self, AssertUnwindSafe},
    sync::mpsc::{self, Receiver, SyncSender},
    thread::{self, JoinHandle},
};

use crate::program::ProgramResult as Result;
use crate::raster::Frame;

use super::{
    encode::FrameEncoder,
    store::{FrameStore, Recording},
};

/// Frames in the queue: one that is drawn, one that is encoded, the one before it, and one between
/// them.
pub(super) const FRAMES: usize = 4;

/// A frame to encode, and how often the frame before it is repeated first.
type Filled = (u64, Frame);

/// The end of the queue where frames are drawn.
pub(super) struct FrameQueue {
    /// `None` after the last frame.
    filled: Option<SyncSender<Filled>>,
    empty: Receiver<Frame>,
    worker: JoinHandle<Result<Recording>>,
}

impl FrameQueue {
    /// Starts the thread that encodes and stores. It calls `notify` when it has ended in any way.
    ///
    /// # Errors
    /// If the system refuses the thread.
    ///
    /// # Panics
    /// If the frames are larger than [`Frame::SIDE_MAX`].
    pub(super) fn start(
        [width, height]: [u32; 2],
        store: Box<dyn FrameStore + Send>,
        encoder: Box<dyn FrameEncoder + Send>,
        notify: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let (filled, to_encode) = mpsc::sync_channel(FRAMES);
        let (encoded, empty) = mpsc::sync_channel(FRAMES);
        for _ in 0..FRAMES {
            // The channel has room for all of them, and its other end is here.
            let frame = Frame::new(width, height).expect("the sides are limited");
            let _ = encoded.send(frame);
        }
        let worker = thread::Builder::new().name("jostle-film".into()).spawn(move || {
            let panicked = store.error(io::Error::other("the encoder failed"));
            let work = AssertUnwindSafe(|| encode_all(store, encoder, to_encode, encoded));
            let outcome = panic::catch_unwind(work);
            notify();
            outcome.unwrap_or(Err(panicked))
        })?;
        Ok(Self { filled: Some(filled), empty, worker })
    }

    /// Waits for an empty frame, fills it and sends it on. False if no more frames are taken.
    pub(super) fn push(&mut self, fill: impl FnOnce(&mut Frame)) -> bool {
        let Ok(frame) = self.empty.recv() else { return false };
        self.send(0, frame, fill)
    }

    /// As [`Self::push`], after `repeats` more of the frame before this one, and waiting only if `room`
    /// says so.
    #[cfg(feature = "window")]
    pub(super) fn push_from(
        &mut self,
        repeats: u64,
        room: crate::window::Room,
        fill: impl FnOnce(&mut Frame),
    ) -> crate::window::FrameOutcome {
        use crate::window::{FrameOutcome, Room};
        let wait = || self.empty.recv().map_err(|_| mpsc::TryRecvError::Disconnected);
        let empty = match self.empty.try_recv() {
            Err(mpsc::TryRecvError::Empty) if room == Room::Wait && self.filled.is_some() => wait(),
            empty => empty,
        };
        match empty {
            Err(mpsc::TryRecvError::Empty) if self.filled.is_some() => FrameOutcome::QueueFull,
            Ok(frame) if self.filled.is_some() => {
                let sent = self.send(repeats, frame, fill);
                if sent { FrameOutcome::Queued } else { FrameOutcome::Ended }
            }
            _ => FrameOutcome::Ended,
        }
    }

    fn send(&mut self, repeats: u64, mut frame: Frame, fill: impl FnOnce(&mut Frame)) -> bool {
        let Some(filled) = &self.filled else { return false };
        fill(&mut frame);
        filled.send((repeats, frame)).is_ok()
    }

    /// Ends the recording after the frames in the queue, without waiting for them.
    pub(super) fn close(&mut self) {
        self.filled = None;
    }

    /// Ends the recording and waits until it is stored.
    ///
    /// # Errors
    /// If the recording can't be ended, or the thread panicked.
    pub(super) fn finish(mut self) -> Result<Recording> {
        self.close();
        self.worker.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
    }
}

/// Encodes and stores all frames, and ends the recording.
fn encode_all(
    mut store: Box<dyn FrameStore + Send>,
    mut encoder: Box<dyn FrameEncoder + Send>,
    to_encode: Receiver<Filled>,
    encoded: SyncSender<Frame>,
) -> Result<Recording> {
    let mut bytes = Vec::new();
    let mut append = |frame: &Frame| -> io::Result<()> {
        bytes.clear();
        encoder.encode(frame, &mut bytes)?;
        store.append(&bytes)
    };
    let mut before: Option<Frame> = None;
    let mut failure = None;
    for (repeats, frame) in to_encode {
        let mut repeated = (0..repeats).zip(before.iter().cycle());
        let outcome = repeated.try_for_each(|(_, before)| append(before));
        failure = outcome.and_then(|()| append(&frame)).err();
        if failure.is_some() {
            break;
        }
        // No more frames may be drawn, which the end of the loop finds.
        before.replace(frame).map(|frame| encoded.send(frame));
    }
    drop(encoded);
    // The reader of a pipe may close it early.
    let failure = failure.filter(|error| error.kind() != ErrorKind::BrokenPipe);
    let failure = failure.map(|error| store.error(error));
    let recording = store.finish(&*encoder)?;
    Ok(Recording { failure, ..recording })
}
