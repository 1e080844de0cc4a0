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
//! invalid value is the default; a file that can't be read or written is reported. A file that
//! can't be read is renamed, as the user may have written it by hand. The tool is not saved: a
//! click meant for the view would erase agents.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

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
    /// Reads the saved settings. If there is a file that can't be read, the defaults and a
    /// sentence.
    pub(crate) fn load() -> (Self, Option<String>) {
        let Some(file) = file() else { return (Self::default(), None) };
        match Self::read(&file) {
            Ok(settings) => (settings, None),
            Err(why) => {
                let (name, kept) = (file.display(), kept_name(&file));
                let note = format!(
                    "the window's settings in {name} can't be used: {why}; using the defaults, and \
                     keeping this file as {}",
                    kept.display()
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
            fs::rename(file, kept_name(file))?;
        }
        temporary.persist(file)?;
        Ok(())
    }
}

/// The name for a file that can't be read: `window.toml.bak`.
fn kept_name(file: &Path) -> PathBuf {
    file.with_extension("toml.bak")
}

fn file() -> Option<PathBuf> {
    ProjectDirs::from("", "", "jostle").map(|folders| folders.config_dir().join(FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_files_and_invalid_values_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        for (text, line) in
            [("size = [1", 1), ("size = \"large\"", 1), ("\u{0}", 1), ("glow = true\npanel = 3", 2)]
        {
            fs::write(&file, text).unwrap();
            let why = Settings::read(&file).unwrap_err();
            assert!(why.ends_with(&format!(" in line {line}")) && !why.contains('\n'), "{why:?}");
        }
        fs::write(&file, "palette = \"pink\"\nsize = [0, 5]\nfrom_later = 1\n").unwrap();
        let settings = Settings::read(&file).unwrap();
        assert_eq!((settings.palette(), settings.size()), (None, None));
    }
}
