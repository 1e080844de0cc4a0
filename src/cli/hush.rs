//! Holds back the lines that libraries print on stderr while a window opens, until the result is
//! known.
//!
//! Drivers and the libraries of a desktop write to stderr themselves, also if all is well: of a
//! locale without a compose file, or of a missing `XDG_RUNTIME_DIR`. Until the window is open, a
//! file without a name takes what arrives there. Once a window has opened it is not needed; if there
//! is something to report, it is part of the report.

use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    thread,
};

use super::system::stderr::ReplacedStderr;

/// Most bytes that are read of what was printed.
const BYTES_MAX: u64 = 1 << 16;

/// Stderr, and the file in its place.
#[derive(Debug)]
pub(super) struct Hush(Option<(ReplacedStderr, File)>);

impl Hush {
    /// Holds back what is printed from now on, if the system allows it.
    pub(super) fn begin() -> Self {
        Self(hold_back().ok())
    }

    /// Lets everything be printed again, and returns what was held back.
    pub(super) fn end(&mut self) -> String {
        let Some((stderr, mut file)) = self.0.take() else { return String::new() };
        stderr.put_back();
        let mut bytes = Vec::new();
        let _ = file.rewind().and_then(|()| file.take(BYTES_MAX).read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The same, as the end of a sentence that names the last line of it.
    pub(super) fn end_with_reason(&mut self) -> String {
        let text = self.end();
        let last = text.lines().rfind(|line| !line.trim().is_empty());
        last.map_or_else(String::new, |line| format!("; a library said: {}", line.trim()))
    }
}

fn hold_back() -> io::Result<(ReplacedStderr, File)> {
    let file = tempfile::tempfile()?;
    Ok((ReplacedStderr::by(&file)?, file))
}

impl Drop for Hush {
    fn drop(&mut self) {
        let text = self.end();
        // It says why.
        if thread::panicking() {
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }
}
