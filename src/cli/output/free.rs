//! Names that are left to us: jostle.png, jostle-2.png, …; the first that nobody has.

use std::{
    iter,
    path::{Path, PathBuf},
};

/// All of them, in that folder and of that extension.
pub(super) fn names(folder: &Path, extension: &str) -> impl Iterator<Item = PathBuf> {
    let first = format!("jostle.{extension}");
    let others = (2_u32..).map(move |n| format!("jostle-{n}.{extension}"));
    iter::once(first).chain(others).map(|name| folder.join(name))
}

/// The first that is free.
pub(super) fn name(folder: &Path, extension: &str) -> PathBuf {
    // A dangling link is taken, too.
    let free = |path: &PathBuf| path.symlink_metadata().is_err();
    names(folder, extension).find(free).unwrap_or_default()
}
