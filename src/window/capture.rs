//! The interface between the window, which has pixels, and its caller, which writes files.
//!
//! The window calls the functions of a [`Capture`] for pictures and films, and a [`Film`] for each
//! frame of one. Frames are RGBA8, top row first: the world with glow, without the interface.

use std::path::PathBuf;

use crate::{
    program::ProgramResult as Result,
    raster::{Frame, Style},
    window::{command::PlotFile, film_options::FilmOptions, plots::PlotData},
};

/// The functions that write pictures and films of the window to files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    /// Saves a picture; returns the name of its file. Fails if the file can't be written.
    pub(crate) picture: fn(&Frame) -> Result<PathBuf>,
    /// Begins a film.
    pub(crate) film: BeginFilm,
    /// Saves a plot; returns the name of its file. Fails if the file can't be written.
    pub(crate) plot: fn(&PlotData<'_>, PlotFile) -> Result<PathBuf>,
    /// Saves the text of a world file; returns the name of the file. Fails if it can't be written.
    pub(crate) world: fn(&str) -> Result<PathBuf>,
}

/// Begins a film with these options, of a size in pixels, of agents in this style at first. The
/// callback is called when [`Film::is_written`] becomes true. Fails if the file can't be created,
/// or the system refuses a thread.
type BeginFilm = fn(FilmOptions, [u32; 2], &Style, Notify) -> Result<Box<dyn Film>>;

/// Callback that wakes the window, called once and from any thread.
pub(crate) type Notify = Box<dyn FnOnce() + Send>;

/// A film that is written on another thread. Only [`Film::finish`], and [`Film::push`] where the
/// caller says so, wait for that thread.
pub(crate) trait Film {
    /// Name that the file will have, unless another program takes it first.
    fn path(&self) -> PathBuf;

    /// Appends the previous frame `repeats` more times and then the frame that `draw` fills.
    /// Without room in the queue, waits for it, or leaves the frame out.
    fn push(&mut self, repeats: u64, room: Room, draw: &mut dyn FnMut(&mut [u8])) -> FrameOutcome;

    /// Frames and bytes in the file so far.
    fn written(&self) -> [u64; 2];

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

/// The choice where a queue of frames is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Wait until it is not.
    Wait,
    /// Leave the frame out.
    Skip,
}

/// Outcome of [`Film::push`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameOutcome {
    /// The frame is in the queue.
    Queued,
    /// The queue is full: the frame was left out.
    QueueFull,
    /// The film takes no more frames.
    Ended,
}
