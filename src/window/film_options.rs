//! Films of the window: their format, the time that they follow, and their progress.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{format, names::names};

/// Frames per second of a film.
pub(crate) const FPS: u32 = 30;

/// The format of a film. Its name is also the extension of its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FilmFormat {
    /// An APNG: all colors, without loss.
    #[default]
    Apng,
    /// A GIF: 255 colors, and shown everywhere.
    Gif,
    /// y4m: uncompressed, for ffmpeg.
    Y4m,
}

names!(pub(crate) FilmFormat: Apng = "apng", Gif = "gif", Y4m = "y4m");

/// The time that a film follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FilmTime {
    /// Simulated time, as if the machine kept up: a slow run films smoothly, and a pause takes none.
    #[default]
    Simulated,
    /// Wall time: what was seen, as long as it was seen.
    Wall,
}

names!(pub(crate) FilmTime: Simulated = "simulated", Wall = "wall");

/// Format and time of a film. Settings have them under these names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct FilmOptions {
    /// The format.
    #[serde(rename = "film")]
    pub(crate) format: FilmFormat,
    /// The time that it follows.
    #[serde(rename = "film_time")]
    pub(crate) time: FilmTime,
}

/// A film that is being recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FilmProgress {
    /// Whole seconds so far.
    pub(crate) seconds: u64,
    /// Bytes written so far.
    pub(crate) bytes: u64,
    /// Bytes of a minute of film, if the rest is like what is written; `None` before that.
    pub(crate) bytes_per_minute: Option<u64>,
}

impl fmt::Display for FilmProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "filming {} s", self.seconds)?;
        self.bytes_per_minute.map_or(Ok(()), |minute| {
            let [bytes, minute] = [self.bytes, minute].map(format::bytes);
            write!(f, ", {bytes}, a minute is {minute}")
        })
    }
}
