//! Pictures and films of the window: their labels; format, rate and size of films, the time that they
//! follow, and their progress.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{format, names::names};

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

/// Frames per second of a film.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FilmRate {
    #[default]
    Thirty,
    /// Each step of most runs.
    Sixty,
}

names!(pub(crate) FilmRate: Thirty = "30", Sixty = "60");

/// Width and height of a film.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FilmSize {
    /// Those of the window.
    #[default]
    Window,
    /// 720p.
    Hd,
    /// 1080p.
    FullHd,
    /// 2160p.
    Uhd,
}

names!(
    pub(crate) FilmSize:
    Window = "window",
    Hd = "1280x720",
    FullHd = "1920x1080",
    Uhd = "3840x2160",
);

impl FilmSize {
    /// Width and height in pixels; `None` for those of the window.
    pub(crate) const fn pixels(self) -> Option<[u32; 2]> {
        match self {
            Self::Window => None,
            Self::Hd => Some([1280, 720]),
            Self::FullHd => Some([1920, 1080]),
            Self::Uhd => Some([3840, 2160]),
        }
    }
}

/// What is written on pictures and films.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FilmLabels {
    /// Nothing.
    #[default]
    Off,
    /// A clock, a scale bar, and legends.
    On,
}

names!(pub(crate) FilmLabels: Off = "off", On = "on");

/// Choices for pictures and films. Settings have them under these names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct FilmOptions {
    /// The format.
    #[serde(rename = "film")]
    pub(crate) format: FilmFormat,
    /// The time that it follows.
    #[serde(rename = "film_time")]
    pub(crate) time: FilmTime,
    /// Frames per second.
    #[serde(rename = "film_rate")]
    pub(crate) rate: FilmRate,
    /// Width and height.
    #[serde(rename = "film_size")]
    pub(crate) size: FilmSize,
    /// What is written on pictures, too.
    pub(crate) labels: FilmLabels,
}

impl FilmOptions {
    /// Frames per second. Players slow down a GIF of more than 50.
    pub(crate) const fn fps(self) -> u32 {
        match (self.rate, self.format) {
            (FilmRate::Sixty, FilmFormat::Apng | FilmFormat::Y4m) => 60,
            _ => 30,
        }
    }
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
    /// The choices that it began with.
    pub(crate) options: FilmOptions,
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
