//! A file that is watched: its text is read again whenever it has changed.
//!
//! The thread looks at size and time of the file now and then, which every system can tell.
//! Programs write files in several steps: a file is read once it has stayed the same between two
//! looks. A text that was sent before is sent again: the run may have another one since, by undo. A
//! file that stays away is an error, once.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, SystemTime},
};

use crate::program::{ProgramError, ProgramResult as Result};

/// Time between two looks.
const PERIOD: Duration = Duration::from_millis(250);

/// Looks that find no file before it counts as gone: programs that replace a file leave none for a
/// moment.
const LOOKS_WITHOUT: u32 = 8;

/// Reads the text of a file. Fails if it can't be read, or is no text.
pub(crate) type ReadText = fn(&Path) -> Result<String>;

/// A file to watch.
pub(super) struct WatchedFile {
    pub(super) path: PathBuf,
    /// The text that it had when it was read first.
    pub(super) text: String,
    pub(super) read: ReadText,
}

/// Size of a file, and when it was written.
type Stamp = (u64, Option<SystemTime>);

/// The thread that watches, until this is dropped.
pub(super) struct FileWatch {
    texts: Receiver<Result<String>>,
    /// Its end ends the thread.
    _stop: Sender<()>,
}

impl FileWatch {
    /// Starts the thread, which calls `wake` when there is something to [`Self::take`].
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn new(file: WatchedFile, wake: impl Fn() + Send + 'static) -> Result<Self> {
        let ((sender, texts), (stop, stopped)) = (channel(), channel::<()>());
        let WatchedFile { path, text, read } = file;
        let run = move || {
            // The file may have changed since it was read.
            let (mut seen, mut last): (Option<Stamp>, Option<Stamp>) = (None, None);
            let (mut is_first, mut looks_without) = (true, 0);
            while stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                let now = match fs::metadata(&path) {
                    Ok(it) => Some((it.len(), it.modified().ok())),
                    Err(error) if error.kind() == ErrorKind::NotFound => None,
                    // Reading it says why.
                    Err(_) => Some((0, None)),
                };
                looks_without = if now.is_none() { looks_without + 1 } else { 0 };
                let stays = last == now && (now.is_some() || looks_without >= LOOKS_WITHOUT);
                last = now;
                let is_seen = seen == now && (now.is_some() || !is_first);
                if !stays || is_seen {
                    continue;
                }
                seen = now;
                let found = if now.is_some() { read(&path) } else { Err(gone(&path)) };
                let is_known = found.as_ref().is_ok_and(|found| *found == text);
                if std::mem::take(&mut is_first) && is_known {
                    continue;
                }
                if sender.send(found).is_err() {
                    break;
                }
                wake();
            }
        };
        let refused =
            |error| ProgramError::refused(format!("no thread to watch a file on ({error})"));
        thread::Builder::new().name("jostle-watch".into()).spawn(run).map_err(refused)?;
        Ok(Self { texts, _stop: stop })
    }

    /// The last text since the last call, or why it can't be read.
    pub(super) fn take(&self) -> Option<Result<String>> {
        self.texts.try_iter().last()
    }
}

fn gone(path: &Path) -> ProgramError {
    let name = path.file_name().unwrap_or_default().display();
    ProgramError::refused(format!("{name} is gone; the run goes on with the text that it has"))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// A text is sent whenever the file is written, also if it is the one that was sent last, and an
    /// error when the file is gone.
    #[test]
    fn each_change_is_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world.toml");
        fs::write(&path, "one").unwrap();
        let read: ReadText =
            |path| fs::read_to_string(path).map_err(|_| ProgramError::refused("unreadable"));
        let file = WatchedFile { path: path.clone(), text: "one".to_owned(), read };
        let watch = FileWatch::new(file, || ()).unwrap();
        thread::sleep(4 * PERIOD);
        assert!(watch.take().is_none(), "the text that is known");
        let next = || {
            let end = Instant::now() + Duration::from_secs(20);
            let mut taken = None;
            while taken.is_none() && Instant::now() < end {
                thread::sleep(PERIOD);
                taken = watch.take();
            }
            taken.expect("something to take")
        };
        for text in ["two", "two", "one"] {
            fs::write(&path, text).unwrap();
            assert_eq!(next().unwrap(), text);
        }
        fs::remove_file(&path).unwrap();
        assert!(next().unwrap_err().to_string().contains("world.toml is gone"));
        fs::write(&path, "one").unwrap();
        assert_eq!(next().unwrap(), "one");
    }
}
