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
    window::worker::{Worker, caught},
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
        put_into(&mut self.0, Clipboard::new, put)
    }
}

/// Puts something into a clipboard, which is made if there is none. One that has failed may fail for
/// ever: it is dropped, and the next copy begins with another.
fn put_into<T>(
    kept: &mut Option<T>,
    make: impl FnOnce() -> std::result::Result<T, Error>,
    put: impl FnOnce(&mut T) -> std::result::Result<(), Error>,
) -> Result<()> {
    const REMEDY: &str = "F2 saves a picture, and Ctrl-E a world file, instead";
    let former = kept.take();
    let used = caught(&unusable_because(FAILED, REMEDY), || {
        let mut clipboard =
            former.map_or_else(make, Ok).map_err(|error| unusable(&error, REMEDY))?;
        put(&mut clipboard).map_err(|error| unusable(&error, REMEDY))?;
        Ok(clipboard)
    })?;
    *kept = Some(used);
    Ok(())
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
        Self::with(read, wake)
    }

    /// A reader that gets the contents from `read`, which may panic: the desktop's part of it is a
    /// library's.
    fn with(
        read: impl Fn(PasteTarget) -> Pasted + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let read = move |target| {
            let failed = unusable_because(FAILED, DROP);
            caught(&failed, || Ok(read(target))).unwrap_or_else(|error| match target {
                PasteTarget::Run => Pasted::Run(Err(error)),
                PasteTarget::Field => Pasted::Field(None),
            })
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

/// What can be done if nothing can be pasted.
const DROP: &str = "drop a file on the window instead";

/// The reason if a library panics.
const FAILED: &str = "its library has failed";

/// Bytes of the longest path that is opened.
const PATH_MAX: usize = 1_024;

/// What there is to open in the clipboard. Waits for the program that has copied it, for some seconds
/// if it does not answer.
///
/// # Errors
/// If the desktop has no clipboard, or it has neither a file nor a text.
fn pasted() -> Result<RunSource> {
    let mut clipboard = Clipboard::new().map_err(|error| unusable(&error, DROP))?;
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
    opened_text(clipboard.get_text())
}

/// What there is to open in a text of the clipboard.
///
/// # Errors
/// As [`pasted`].
fn opened_text(text: std::result::Result<String, Error>) -> Result<RunSource> {
    match text {
        Ok(text) if !text.trim().is_empty() => Ok(source_of(text)),
        Err(error @ (Error::ClipboardNotSupported | Error::ClipboardOccupied)) => {
            Err(unusable(&error, DROP))
        }
        // Some programs answer with a picture: the library has no kind of error for that.
        _ => Err(ProgramError::refused(
            "the clipboard has nothing to open: expected a file or the text of a world file; \
             Ctrl-Shift-C copies one",
        )),
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
    ProgramError::refused(unusable_because(reason, remedy))
}

fn unusable_because(reason: &str, remedy: &str) -> String {
    format!("the clipboard can't be used: {reason}; {remedy}")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_library_that_panics_is_one_sentence_and_the_next_use_works() {
        const BROKEN: &str = "the clipboard can't be used: its library has failed; ";
        let mut kept = Some(1);
        let refused = put_into(&mut kept, || Ok(2), |_| panic!("a library"));
        assert!(refused.unwrap_err().to_string().starts_with(BROKEN));
        put_into(&mut kept, || Ok(2), |_| Ok(())).unwrap();
        assert_eq!(kept, Some(2), "another clipboard");
        let (sender, woken) = channel();
        let read = |_| panic!("a library");
        let mut reader = ClipboardReader::with(read, move || sender.send(()).unwrap()).unwrap();
        for _ in 0..2 {
            reader.read(PasteTarget::Run).unwrap();
            woken.recv().expect("an answer");
            let Some(Pasted::Run(Err(error))) = reader.take() else { panic!("an answer") };
            assert!(error.to_string().starts_with(BROKEN), "{error}");
        }
        reader.read(PasteTarget::Field).unwrap();
        woken.recv().expect("an answer");
        assert!(matches!(reader.take(), Some(Pasted::Field(None))));
    }

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
    fn a_picture_of_another_program_is_nothing_to_open() {
        let description = "incorrect type received from clipboard".to_owned();
        for text in [
            Ok(" \n".to_owned()),
            Err(Error::ContentNotAvailable),
            Err(Error::ConversionFailure),
            Err(Error::Unknown { description }),
        ] {
            let refused = opened_text(text).expect_err("nothing").to_string();
            assert!(refused.starts_with("the clipboard has nothing to open: "), "{refused}");
        }
        let occupied = opened_text(Err(Error::ClipboardOccupied)).expect_err("nothing");
        assert!(occupied.to_string().contains("another program uses it"), "{occupied}");
        assert!(opened_text(Ok("a.toml".to_owned())).is_ok());
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
