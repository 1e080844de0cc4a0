//! The interface between the window, which has pixels, and its caller, which writes files.
//!
//! The window calls a [`Capture`] for pictures and a [`Film`] for each film. Frames are RGBA8, top
//! row first, without panel and glow, which the presenter adds.

use std::path::PathBuf;

use crate::error::Result;

/// Frames per second of a film.
pub(crate) const FPS: u32 = 30;

/// Writes pictures and films of the window to files.
pub(crate) trait Capture {
    /// Saves a picture of `size` pixels; returns the name of its file.
    ///
    /// # Errors
    /// If the file can't be written.
    fn picture(&mut self, size: [u32; 2], pixels: &[u8]) -> Result<PathBuf>;

    /// Begins a film with [`FPS`] frames of `size` pixels per second. `notify` is called when
    /// [`Film::is_written`] becomes true.
    ///
    /// # Errors
    /// If the file can't be created, or the system refuses a thread.
    fn film(&mut self, size: [u32; 2], notify: Notify) -> Result<Box<dyn Film>>;
}

/// Callback that wakes the window, called once and from any thread.
pub(crate) type Notify = Box<dyn FnOnce() + Send>;

/// A film that is written on another thread. Only [`Film::finish`] waits for that thread.
pub(crate) trait Film {
    /// Name that the file will have, unless another program takes it first.
    fn path(&self) -> PathBuf;

    /// Appends the previous frame `repeats` more times and then this frame, if the queue has room.
    fn push(&mut self, repeats: u64, pixels: &[u8]) -> FrameOutcome;

    /// Ends the film after the frames in the queue, without waiting for them.
    fn end(&mut self);

    /// True if the file is complete, or if it can't be written any further.
    fn is_written(&self) -> bool;

    /// Ends the film and waits until it is written; returns a sentence about the file.
    ///
    /// # Errors
    /// If a frame could not be written. The file then holds a shorter film.
    fn finish(self: Box<Self>) -> Result<String>;
}

/// Outcome of [`Film::push`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameOutcome {
    /// The frame is in the queue.
    Queued,
    /// The queue is full: the caller skips this frame.
    QueueFull,
    /// The film takes no more frames.
    Ended,
}
