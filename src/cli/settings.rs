//! The file of the window's settings, in the platform's configuration folder.
//!
//! ```toml
//! size = [1280, 720]
//! palette = "plasma"
//! overlay = "none"
//! panel = true
//! ```
//!
//! The file is read before the window opens and replaced when it closes. What can't be used is
//! named in one sentence, and the defaults hold. The user may have written it by hand: it is
//! renamed before it is replaced. Anything but a regular file, such as a pipe, is neither read nor
//! replaced.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

use directories::ProjectDirs;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use toml::Table;

use crate::{
    names::unknown,
    observe::Observable,
    program::ProgramError,
    raster::{Overlay, Palette},
    window::{Event, FilmFormat, FilmLabels, FilmRate, FilmSize, FilmTime, Settings, keys},
};

use super::{
    args::names,
    format::grouped,
    output::{Output, file_error},
};

/// Name of the file in its folder.
const FILE: &str = "window.toml";

/// Largest file that is read, bytes.
const BYTES_MAX: u64 = 1 << 20;

/// The file, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SettingsFile {
    /// `None` without a home folder.
    path: Option<PathBuf>,
    found: Found,
}

/// The contents of the path at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// No file, or settings that were all read.
    Settings,
    /// A file that was not read, or only in part: it is kept under another name.
    Other,
    /// A pipe, a device or a folder, which stays as it is.
    Special,
}

/// Reads the saved settings. The window greets the user with what is not used of them, or, where no
/// window was closed before, with what there is to do.
pub(super) fn load() -> (Settings, SettingsFile, Option<Event>) {
    let folders = ProjectDirs::from("", "", "jostle");
    let Some(path) = folders.map(|folders| folders.config_dir().join(FILE)) else {
        return (Settings::default(), SettingsFile { path: None, found: Found::Settings }, None);
    };
    let hints = (!path.exists()).then(|| Event::Hint(keys::HINTS.to_owned()));
    let (settings, found, trouble) = read(&path);
    (settings, SettingsFile { path: Some(path), found }, trouble.map(Event::Notice).or(hints))
}

impl SettingsFile {
    /// Saves the settings.
    ///
    /// # Errors
    /// If the file can't be written, with a sentence.
    pub(super) fn save(&self, settings: &Settings) -> Result<(), String> {
        let Some(path) = &self.path else {
            return Err("the window's settings can't be saved: there is no home folder".into());
        };
        if self.found == Found::Special {
            return Ok(());
        }
        self.write(path, &text_of(settings)).map_err(|error| {
            let cause = match error {
                ProgramError::File { source, .. } => source.to_string(),
                other => other.to_string(),
            };
            format!("the window's settings can't be written to {}: {cause}", path.display())
        })
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), ProgramError> {
        let failed = |source| file_error(path, source);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        if self.found == Found::Other {
            fs::rename(path, kept_name(path)).map_err(failed)?;
        }
        Output::open(path)?.write(|to| to.write_all(text.as_bytes())).map(drop)
    }
}

/// The settings in a file, what it is, and what of it is not used.
fn read(path: &Path) -> (Settings, Found, Option<String>) {
    let name = path.display();
    let kept = || format!("keeping this file as {}", kept_name(path).display());
    let unused = |why: String, end: String| {
        Some(format!(
            "the window's settings in {name} can't be used: {why}; using the defaults, and {end}"
        ))
    };
    match read_text(path).map(|text| parse(&text)) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            (Settings::default(), Found::Settings, None)
        }
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            let why = unused(error.to_string(), "saving none".into());
            (Settings::default(), Found::Special, why)
        }
        Err(error) => (Settings::default(), Found::Other, unused(error.to_string(), kept())),
        Ok(Err(why)) => (Settings::default(), Found::Other, unused(why, kept())),
        Ok(Ok((settings, ignored))) => {
            if ignored.is_empty() {
                return (settings, Found::Settings, None);
            }
            let trouble = format!("ignored in {name}, {}: {}", kept(), ignored.join("; "));
            (settings, Found::Other, Some(trouble))
        }
    }
}

/// The text of a regular file.
fn read_text(path: &Path) -> io::Result<String> {
    // Opening a pipe would wait for a process that writes into it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::Unsupported, "it is no regular file"));
    }
    let mut text = String::new();
    let length = File::open(path)?.take(BYTES_MAX + 1).read_to_string(&mut text)?;
    if length as u64 > BYTES_MAX {
        return Err(io::Error::other(format!("it is larger than {} bytes", grouped(BYTES_MAX))));
    }
    Ok(text)
}

/// The settings in a text, and a clause for each line that is ignored.
///
/// # Errors
/// If it is not TOML.
fn parse(text: &str) -> Result<(Settings, Vec<String>), String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let begin = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(begin).filter(|&byte| byte == b'\n').count() + 1;
        format!("{} in line {line}", error.message())
    })?;
    let all = text_of(&Settings {
        size: Some([0; 2]),
        palette: Some(Palette::default()),
        overlay: Some(Overlay::default()),
        ..Settings::default()
    });
    let names: Vec<&str> = all.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    let (mut used, mut ignored) = (Table::new(), Vec::new());
    for (key, value) in table {
        let alone = Table::from_iter([(key.clone(), value.clone())]);
        if !names.contains(&&*key) {
            ignored.push(format!("{key} {}", unknown(&key, "setting", &names)));
        } else if let Err(error) = Settings::deserialize(alone) {
            ignored.push(format!("{key} {value} {}", error.message()));
        } else {
            used.insert(key, value);
        }
    }
    Ok((Settings::deserialize(used).unwrap_or_default(), ignored))
}

/// The text of a file.
fn text_of(settings: &Settings) -> String {
    // Numbers, switches and names can be written.
    toml::to_string(settings).unwrap_or_default()
}

/// Serializes a type by its names, and reads one as flags do.
macro_rules! by_name {
    ($($type:ty: $parse:path;)*) => { $(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                // Anything but a string is no name either.
                let name = String::deserialize(from).unwrap_or_default();
                $parse(&name).map_err(D::Error::custom)
            }
        }
    )* };
}

by_name! {
    Palette: names::palette;
    Overlay: names::overlay;
    FilmFormat: names::film_format;
    FilmTime: names::film_time;
    FilmRate: names::film_rate;
    FilmSize: names::film_size;
    FilmLabels: names::labels;
    Observable: names::observable;
}

/// The name for a file that is not all read: `window.toml.bak`.
fn kept_name(path: &Path) -> PathBuf {
    path.with_extension("toml.bak")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::FilmOptions;

    #[test]
    fn a_text_that_is_not_toml_is_refused_with_its_line() {
        for (text, line) in [("size = [1", 1), ("\u{0}", 1), ("glow = true\npanel = ", 2)] {
            let why = parse(text).unwrap_err();
            assert!(why.ends_with(&format!(" in line {line}")) && !why.contains('\n'), "{why:?}");
        }
    }

    #[test]
    fn each_value_that_is_not_used_is_named_and_the_others_hold() {
        let text = "glow = true\npalette = \"pink\"\nsize = [160, 5]\npanel = \"on\"\nPanel = true\n\
                    plots = [\"g(r)\", \"heat\"]";
        let (settings, ignored) = parse(text).unwrap();
        assert_eq!(settings, Settings { glow: true, ..Settings::default() });
        let expected = [
            "Panel is no known setting; did you mean panel? There are size, ",
            "palette \"pink\" is no known palette; ",
            "panel \"on\" is out of range: expected true or false",
            "plots [\"g(r)\", \"heat\"] is no known plot; ",
            "size [160, 5] is out of range: expected width and height from 160 to 16,384",
        ];
        assert_eq!(ignored.len(), expected.len(), "{ignored:#?}");
        for expected in expected {
            assert!(ignored.iter().any(|clause| clause.starts_with(expected)), "{ignored:#?}");
        }
    }

    #[test]
    fn settings_come_back() {
        for settings in [
            Settings::default(),
            Settings {
                size: Some([160, 16_384]),
                palette: Some(Palette::ALL[1]),
                overlay: Some(Overlay::ALL[2]),
                panel: true,
                glow: true,
                skip_frames: true,
                keep_walls: true,
                tool_bar: false,
                interface_scale: 1.1,
                film: FilmOptions {
                    format: FilmFormat::Gif,
                    time: FilmTime::Wall,
                    rate: FilmRate::Sixty,
                    size: FilmSize::FullHd,
                    labels: FilmLabels::On,
                },
                plots: Observable::plotted().collect(),
            },
        ] {
            assert_eq!(parse(&text_of(&settings)), Ok((settings, Vec::new())));
        }
    }
}
