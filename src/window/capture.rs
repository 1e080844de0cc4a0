//! Where pictures and films of the window go: the window knows pixels, and whoever opened it knows files and
//! formats.

use std::path::PathBuf;

use crate::error::Result;

/// Makes files of the frames that the window shows, without panel and glow, which the GPU lays over them. All are
/// RGBA8, top row first.
pub trait Capture {
    /// Keeps a picture of that many pixels; returns the name of the file.
    ///
    /// # Errors
    /// If it can't be written.
    fn picture(&mut self, size: [u32; 2], pixels: &[u8]) -> Result<PathBuf>;

    /// Begins a film of frames of that many pixels, [`FPS`] of them a second. Calls `written` as soon as
    /// [`Film::is_written`].
    ///
    /// # Errors
    /// If its file can't be made, or the system refuses a thread.
    fn film(&mut self, size: [u32; 2], written: Written) -> Result<Box<dyn Film>>;
}

/// Called once, from any thread.
pub type Written = Box<dyn FnOnce() + Send>;

/// Frames of a film for each second.
pub const FPS: u32 = 30;

/// A film under way. Its frames are written elsewhere: only [`Film::finish`] waits for that.
pub trait Film {
    /// The name that its file will have, unless somebody takes it first.
    fn path(&self) -> PathBuf;

    /// Shows the frame before this one `again` times more, and then this one. Never waits.
    fn put(&mut self, again: u64, pixels: &[u8]) -> Taken;

    /// No frame comes after this.
    fn end(&mut self);

    /// True if all of it is written and it has its name, or if it can't be written any further.
    fn is_written(&self) -> bool;

    /// Ends the film, waits until it is written, and says what there is, as a sentence.
    ///
    /// # Errors
    /// If it was not written to the end; what is there is a shorter film.
    fn finish(self: Box<Self>) -> Result<String>;
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It will be in the film.
    Yes,
    /// The frames before it are still being written: a later one may do instead.
    Busy,
    /// The film can't go on.
    No,
}
