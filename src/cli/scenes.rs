//! `jostle scenes`: the scenes, a line each.

use std::fmt::Write;

use crate::Scene;

use super::{Ended, Outcome, print};

/// Prints each scene's name and what it is.
pub(super) fn scenes() -> Outcome<Ended> {
    let width = Scene::ALL.iter().map(|scene| scene.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for scene in Scene::ALL {
        let _ = writeln!(text, "{:width$}  {}", scene.name(), scene.summary());
    }
    print(&text)
}
