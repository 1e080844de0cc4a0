//! Settings that the window saves, in a file of the platform's configuration folder.
//!
//! ```toml
//! size = [1280, 720]
//! palette = "plasma"
//! overlay = "none"
//! panel = true
//! ```
//!
//! The file is read before the window opens and written as a whole when it closes. A missing or
//! invalid value is the default; a file that can't be read or written is reported. A file that can't
//! be read is renamed and kept, as the user may have written it by hand. The tool is not saved: a
//! click meant for the view would erase agents.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;
use serde::{Deserialize, Serialize};
use tempfile::{NamedTempFile, PathPersistError, TempPath};

use crate::raster::{Overlay, Palette};

/// Name of the file in its folder.
const FILE: &str = "window.toml";

/// Valid sides of a window, logical pixels.
const SIDES: std::ops::RangeInclusive<u32> = 160..=16_384;

/// The saved settings; values have the names of the flags and of the panel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Width and height of the window, logical pixels.
    pub(crate) size: Option<[u32; 2]>,
    /// Palette.
    pub(crate) palette: Option<String>,
    /// Overlay.
    pub(crate) overlay: Option<String>,
    /// Whether the panel is shown.
    pub(crate) panel: bool,
    /// Whether dense places glow.
    pub(crate) glow: bool,
    /// Whether frames are skipped, rather than time slowed, when the machine can't keep up.
    pub(crate) skip_frames: bool,
}

impl Settings {
    /// Reads the saved settings. If there is a file that can't be read, the defaults and a sentence.
    pub(crate) fn load() -> (Self, Option<String>) {
        let Some(file) = file() else { return (Self::default(), None) };
        match Self::read(&file) {
            Ok(settings) => (settings, None),
            Err(why) => {
                let note = format!(
                    "the window's settings in {} can't be used: {why}; using the defaults, and keeping \
                     this file as {}",
                    file.display(),
                    kept_name(&file).display()
                );
                (Self::default(), Some(note))
            }
        }
    }

    /// Saves the settings. Renames a file of that name that can't be read.
    ///
    /// # Errors
    /// If the file can't be written, with a sentence.
    pub(crate) fn save(&self) -> Result<(), String> {
        let Some(file) = file() else {
            return Err("the window's settings can't be saved: there is no home folder".into());
        };
        self.write(&file).map_err(|error| {
            format!("the window's settings can't be written to {}: {error}", file.display())
        })
    }

    /// The palette, if its name is valid.
    pub(crate) fn palette(&self) -> Option<Palette> {
        let name = self.palette.as_deref()?;
        Palette::ALL.into_iter().find(|palette| palette.name() == name)
    }

    /// The overlay, if its name is valid.
    pub(crate) fn overlay(&self) -> Option<Overlay> {
        let name = self.overlay.as_deref()?;
        Overlay::ALL.into_iter().find(|overlay| overlay.name() == name)
    }

    /// The size, if it is valid.
    pub(crate) fn size(&self) -> Option<[u32; 2]> {
        self.size.filter(|size| size.iter().all(|side| SIDES.contains(side)))
    }

    fn read(file: &Path) -> Result<Self, String> {
        match fs::read_to_string(file) {
            Ok(text) => toml::from_str(&text).map_err(|error| {
                let begin = error.span().map_or(0, |span| span.start);
                let line = text.bytes().take(begin).filter(|&byte| byte == b'\n').count() + 1;
                format!("{} in line {line}", error.message())
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        let text = toml::to_string(self).map_err(io::Error::other)?;
        let folder = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let temporary = NamedTempFile::new_in(folder)?;
        fs::write(temporary.path(), text)?;
        if Self::read(file).is_err() {
            keep_aside(file)?;
        }
        temporary.persist(file)?;
        Ok(())
    }
}

/// Renames a file to the first free name for kept files.
fn keep_aside(file: &Path) -> io::Result<()> {
    loop {
        // Never replaces a file that was made since the name was found to be free.
        match TempPath::try_from_path(file)?.persist_noclobber(kept_name(file)) {
            Ok(()) => return Ok(()),
            Err(PathPersistError { error, path }) => {
                path.keep()?;
                if error.kind() != io::ErrorKind::AlreadyExists {
                    return Err(error);
                }
            }
        }
    }
}

/// `window.toml.bak`, or if there is one, `window.toml.bak-2`, …
fn kept_name(file: &Path) -> PathBuf {
    let first = file.with_extension("toml.bak");
    let others = (2..).map(|n| file.with_extension(format!("toml.bak-{n}")));
    let free = |name: &PathBuf| fs::symlink_metadata(name).is_err();
    std::iter::once(first).chain(others).find(free).unwrap_or_default()
}

fn file() -> Option<PathBuf> {
    ProjectDirs::from("", "", "jostle").map(|folders| folders.config_dir().join(FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_settings_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/folder").join(FILE);
        assert_eq!(Settings::read(&file), Ok(Settings::default()), "the first time");
        let settings = Settings {
            size: Some([900, 500]),
            palette: Some("viridis".into()),
            panel: true,
            ..Settings::default()
        };
        for _ in 0..2 {
            settings.write(&file).unwrap();
            assert_eq!(Settings::read(&file), Ok(settings.clone()));
        }
        assert_eq!(settings.palette(), Some(Palette::Viridis));
        let files = fs::read_dir(file.parent().unwrap()).unwrap().count();
        assert_eq!(files, 1, "no other file is left");
    }

    #[test]
    fn broken_files_and_invalid_values_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        for text in ["size = [1", "size = \"large\"", "\u{0}", "panel = 3"] {
            fs::write(&file, text).unwrap();
            let why = Settings::read(&file).unwrap_err();
            assert!(!why.is_empty() && !why.contains('\n'), "{why:?}");
        }
        fs::write(&file, "palette = \"pink\"\nsize = [0, 5]\nfrom_later = 1\n").unwrap();
        let settings = Settings::read(&file).unwrap();
        assert_eq!((settings.palette(), settings.size()), (None, None));
    }

    #[test]
    fn unreadable_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let kept = |name: &str| fs::read(folder.path().join(name)).unwrap();
        fs::write(&file, "size = [1\n").unwrap();
        Settings::default().write(&file).unwrap();
        // Neither text nor a file at all.
        fs::write(&file, [0xff]).unwrap();
        Settings::default().write(&file).unwrap();
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        Settings::default().write(&file).unwrap();
        assert_eq!(Settings::read(&file), Ok(Settings::default()));
        assert_eq!(kept("window.toml.bak"), b"size = [1\n");
        assert_eq!(kept("window.toml.bak-2"), [0xff]);
        assert!(folder.path().join("window.toml.bak-3").is_dir());
        // A readable file is replaced.
        Settings::default().write(&file).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn errors_name_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        fs::write(&file, "panel = true\nglow = 3\n").unwrap();
        let why = Settings::read(&file).unwrap_err();
        assert!(why.contains("boolean") && why.ends_with(" in line 2"), "{why}");
    }
}
