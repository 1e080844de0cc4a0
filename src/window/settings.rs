//! What the window remembers from one time to the next, in a file of the platform's configuration folder.
//!
//! ```toml
//! size = [1280, 720]
//! palette = "plasma"
//! overlay = "none"
//! panel = true
//! ```
//!
//! It is read before the window opens and written, whole, when it closes. Nothing depends on it: what is
//! missing or can't be used is as it is at first, and a file that can't be read or written is a note. One that
//! can't be read is kept under another name, as somebody may have written it by hand. The tool is not remembered: a
//! click that was meant for the view would erase who is there.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;
use serde::{Deserialize, Serialize};
use tempfile::{NamedTempFile, PathPersistError, TempPath};

use crate::raster::{Overlay, Palette};

/// The file's name in its folder.
const FILE: &str = "window.toml";

/// Sides of a window that is worth being remembered, logical pixels.
const SIDES: std::ops::RangeInclusive<u32> = 160..=16_384;

/// What is remembered. Names are those of flags and of the panel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Width and height of the window, logical pixels.
    pub size: Option<[u32; 2]>,
    /// Which colors.
    pub palette: Option<String>,
    /// What is drawn over the agents.
    pub overlay: Option<String>,
    /// True if the panel is shown.
    pub panel: bool,
    /// True if dense places glow.
    pub glow: bool,
    /// True if frames give way where the machine can't keep up, and not time.
    pub skip_frames: bool,
}

impl Settings {
    /// Those of last time, and a sentence if there are some and they can't be read.
    pub fn load() -> (Self, Option<String>) {
        let Some(file) = file() else { return (Self::default(), None) };
        match Self::read(&file) {
            Ok(settings) => (settings, None),
            Err(why) => {
                let note = format!(
                    "the window's settings in {} can't be used: {why}; they begin anew, and this file will be kept as \
                     {}",
                    file.display(),
                    aside(&file).display()
                );
                (Self::default(), Some(note))
            }
        }
    }

    /// Keeps them for the next time, and beside them a file of that name that can't be read.
    ///
    /// # Errors
    /// If they can't be written, with a sentence.
    pub fn save(&self) -> Result<(), String> {
        let Some(file) = file() else {
            return Err("the window's settings are not kept: there is no home folder".into());
        };
        self.write(&file).map_err(|error| {
            format!("the window's settings can't be written to {}: {error}", file.display())
        })
    }

    /// The palette, if it is one.
    pub fn palette(&self) -> Option<Palette> {
        let name = self.palette.as_deref()?;
        Palette::ALL.into_iter().find(|palette| palette.name() == name)
    }

    /// What is drawn over the agents, if it is something.
    pub fn overlay(&self) -> Option<Overlay> {
        let name = self.overlay.as_deref()?;
        Overlay::ALL.into_iter().find(|overlay| overlay.name() == name)
    }

    /// The size, if it is one that a window can have.
    pub fn size(&self) -> Option<[u32; 2]> {
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
        let passing = NamedTempFile::new_in(folder)?;
        fs::write(passing.path(), text)?;
        if Self::read(file).is_err() {
            put_aside(file)?;
        }
        passing.persist(file)?;
        Ok(())
    }
}

/// Gives a file the first name for what is kept that nobody has.
fn put_aside(file: &Path) -> io::Result<()> {
    loop {
        // Renames, but never over another file, which may have come since that was looked up.
        match TempPath::try_from_path(file)?.persist_noclobber(aside(file)) {
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
fn aside(file: &Path) -> PathBuf {
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
    fn what_is_written_reads_back() {
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
        assert_eq!(files, 1, "nothing is left beside it");
    }

    #[test]
    fn what_is_broken_or_nonsense_is_not_used() {
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
    fn what_cannot_be_read_is_kept_and_never_written_over() {
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
        // What can be read is what it replaces.
        Settings::default().write(&file).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        fs::write(&file, "panel = true\nglow = 3\n").unwrap();
        let why = Settings::read(&file).unwrap_err();
        assert!(why.contains("boolean") && why.ends_with(" in line 2"), "{why}");
    }
}
