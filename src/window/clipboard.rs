//! The clipboard of the desktop: pictures and worlds go out, and what can be opened comes in.
//!
//! A desktop without a clipboard manager asks the program that has copied something for its contents, so
//! they are there as long as the window is. A program that does not answer holds its reader for some seconds per
//! format, so a thread reads.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use arboard::{Clipboard, Error, ImageData};

use crate::{
    program::{ProgramError, ProgramResult as Result},
    raster::Frame,
    window::worker::Worker,
};

/// What a run can be opened from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunSource {
    /// A file of any kind that jostle opens.
    File(PathBuf),
    /// The text of a world file.
    Text(String),
}

/// The contents that the window has copied.
#[derive(Default)]
pub(super) struct CopiedContents(Option<Clipboard>);

impl CopiedContents {
    /// Copies a picture.
    ///
    /// # Errors
    /// If the desktop has no clipboard, or it does not take the picture.
    pub(super) fn put_picture(&mut self, frame: &Frame) -> Result<()> {
        let [width, height] = [frame.width, frame.height].map(|side| side as usize);
        let bytes = Cow::Borrowed(frame.bytes());
        self.put(|clipboard| clipboard.set_image(ImageData { width, height, bytes }))
    }

    /// Copies a text.
    ///
    /// # Errors
    /// If the desktop has no clipboard, or it does not take the text.
    pub(super) fn put_text(&mut self, text: &str) -> Result<()> {
        self.put(|clipboard| clipboard.set_text(text))
    }

    fn put(
        &mut self,
        put: impl FnOnce(&mut Clipboard) -> std::result::Result<(), Error>,
    ) -> Result<()> {
        let failed =
            |error| unusable(&error, "F2 saves a picture, and Ctrl-E a world file, instead");
        let clipboard = match &mut self.0 {
            Some(clipboard) => clipboard,
            none => none.insert(Clipboard::new().map_err(failed)?),
        };
        // One that has failed may fail for ever: the next copy begins with another.
        put(clipboard).map_err(|error| {
            self.0 = None;
            failed(error)
        })
    }
}

/// Where the contents of the clipboard are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PasteTarget {
    /// They are opened.
    Run,
    /// They are the text for a field.
    Field,
}

/// The contents of the clipboard.
pub(super) enum Pasted {
    Run(Result<RunSource>),
    /// `None` if there is no text.
    Field(Option<String>),
}

/// The thread that reads the clipboard. The window does not wait for it, even when it closes.
pub(super) struct ClipboardReader {
    worker: Worker<PasteTarget, Pasted>,
    /// Whether the contents are on their way, and still wanted.
    reads: bool,
    wanted: bool,
}

impl ClipboardReader {
    /// Starts the thread, which calls `wake` when there is something to [`Self::take`].
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Result<Self> {
        let read = |target| match target {
            PasteTarget::Run => Pasted::Run(pasted()),
            PasteTarget::Field => {
                Pasted::Field(Clipboard::new().and_then(|mut it| it.get_text()).ok())
            }
        };
        let worker = Worker::new("paste", move |target| Some(read(target)), wake)?;
        Ok(Self { worker, reads: false, wanted: false })
    }

    /// Reads the clipboard.
    ///
    /// # Errors
    /// While it is read already.
    pub(super) fn read(&mut self, target: PasteTarget) -> Result<()> {
        if self.reads {
            return Err(ProgramError::refused(
                "the program that has copied something does not answer; copy it again, or drop a file on the window",
            ));
        }
        (self.reads, self.wanted) = (true, true);
        self.worker.order(target);
        Ok(())
    }

    /// Drops what is on its way, because the user wants something else.
    pub(super) fn cancel(&mut self) {
        self.wanted = false;
    }

    /// The contents, once they are there.
    pub(super) fn take(&mut self) -> Option<Pasted> {
        let pasted = self.worker.take().next()?;
        self.reads = false;
        Some(pasted).filter(|_| self.wanted)
    }
}

/// Bytes of the longest path that is opened.
const PATH_MAX: usize = 1_024;

/// What there is to open in the clipboard. Waits for the program that has copied it, for some seconds
/// if it does not answer.
///
/// # Errors
/// If the desktop has no clipboard, or it has neither a file nor a text.
fn pasted() -> Result<RunSource> {
    let failed = |error| unusable(&error, "drop a file on the window instead");
    let mut clipboard = Clipboard::new().map_err(failed)?;
    // File managers copy the names of files, and most of them the same as a text, too.
    match clipboard.get().file_list().unwrap_or_default().as_slice() {
        [] => {}
        [file] => return Ok(RunSource::File(file.clone())),
        files => {
            let count = files.len();
            return Err(ProgramError::refused(format!(
                "the clipboard has {count} files: expected 1; copy one of them"
            )));
        }
    }
    match clipboard.get_text() {
        Ok(text) if !text.trim().is_empty() => Ok(source_of(text)),
        Ok(_) | Err(Error::ContentNotAvailable | Error::ConversionFailure) => {
            Err(ProgramError::refused(
                "the clipboard has nothing to open: expected a file or the text of a world file; \
                 Ctrl-Shift-C copies one",
            ))
        }
        Err(error) => Err(failed(error)),
    }
}

/// A line without a value is the path of a file; any other text, or one too long for a path, is a
/// world file.
fn source_of(text: String) -> RunSource {
    let line = text.trim();
    let is_path = line.len() <= PATH_MAX && !line.contains(['\n', '=']);
    if is_path || Path::new(line).is_file() {
        RunSource::File(line.into())
    } else {
        RunSource::Text(text)
    }
}

/// The sentence for a clipboard that can't be used, with what can be done instead.
fn unusable(error: &Error, remedy: &str) -> ProgramError {
    let reason = match error {
        Error::ClipboardNotSupported => "this desktop has none",
        Error::ClipboardOccupied => "another program uses it",
        Error::ConversionFailure => "the picture can't be encoded",
        Error::ContentNotAvailable => "it is empty",
        Error::Unknown { description } => description.lines().next().unwrap_or_default(),
        _ => "for an unknown reason",
    };
    ProgramError::refused(format!("the clipboard can't be used: {reason}; {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_path_and_a_text_with_values_is_a_world() {
        for path in ["/runs/my pile.jostle\n", " agents.csv ", "nothing"] {
            assert_eq!(source_of(path.to_owned()), RunSource::File(path.trim().into()));
        }
        for text in ["scene = \"gas\"", "# a world\nagents = 100\n", "one\ntwo\n"] {
            assert_eq!(source_of(text.to_owned()), RunSource::Text(text.to_owned()));
        }
    }

    #[test]
    fn what_is_wrong_with_the_clipboard_is_one_sentence() {
        let unknown = Error::Unknown { description: "no connection\nat all".to_owned() };
        for (error, reason) in [
            (unknown, "no connection"),
            (Error::ClipboardNotSupported, "this desktop has none"),
            (Error::ClipboardOccupied, "another program uses it"),
        ] {
            let sentence = unusable(&error, "do without").to_string();
            assert_eq!(sentence, format!("the clipboard can't be used: {reason}; do without"));
        }
    }
}
