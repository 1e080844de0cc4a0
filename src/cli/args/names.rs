//! Flags with names as values. An unknown name is an error that suggests a similar one.

use std::path::{Path, PathBuf};

use crate::{
    Boundary, Scene, Setup,
    cli::say,
    index::IndexKind,
    names::{names, unknown},
    observe::Observable,
    raster::{ColorBy, DrawOrder, Overlay, Palette},
    scene::{Collisions, Solver},
    simd::SimdLevel,
    world::{WORLDS, written},
};
use serde::Serialize;

#[cfg(feature = "window")]
use crate::window::{FilmFormat, FilmLabels, FilmRate, FilmSize, FilmTime, PresenterChoice};

/// Name of an instruction set, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SimdArg(&'static str);

/// Order in which an index gets the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum InputOrder {
    /// By id, which is random in space.
    Id,
    /// By cell at the start of the measurement.
    Cell,
}

names!(pub(crate) InputOrder: Id = "id", Cell = "cell");

const SIMD: [&str; 5] = ["auto", "avx512", "avx2", "neon", "scalar"];

impl SimdArg {
    /// The level to run with: the given one if this machine has it, else its best.
    pub(crate) fn usable(self) -> SimdLevel {
        SimdLevel::from_name(self.0).unwrap_or_else(SimdLevel::best)
    }

    /// Prints a line if this machine doesn't have it.
    pub(crate) fn note(self) {
        let runs = self.usable().name();
        if self.0 != "auto" && runs != self.0 {
            say(&format!("--simd {} is not available on this machine; using {runs}", self.0));
        }
    }
}

/// Parsers of the names of types that [`names!`] has made, each with the noun of its messages.
macro_rules! parsers {
    ($($parse:ident: $type:ident = $what:literal;)*) => {
        $(pub(crate) fn $parse(text: &str) -> Result<$type, String> {
            pick(text, $what, &$type::ALL.map(|it| (it.name(), it)))
        })*
    };
}

parsers! {
    scene: Scene = "scene";
    solver: Solver = "solver";
    collisions: Collisions = "way of collisions";
    boundary: Boundary = "boundary";
    draw_order: DrawOrder = "order";
    input: InputOrder = "order";
    color_by: ColorBy = "quantity";
    palette: Palette = "palette";
    overlay: Overlay = "overlay";
}

#[cfg(feature = "window")]
parsers! {
    film_format: FilmFormat = "format";
    film_time: FilmTime = "time";
    film_rate: FilmRate = "rate";
    labels: FilmLabels = "switch";
    film_size: FilmSize = "size";
    presenter: PresenterChoice = "presenter";
}

/// The world file of a scene, or of the program, by its name.
pub(crate) fn printed(text: &str) -> Result<String, String> {
    let scenes = Scene::ALL.map(|scene| (scene.name(), None));
    let worlds = WORLDS.map(|(name, text)| (name, Some(text)));
    let all: Vec<(&str, Option<&str>)> = scenes.into_iter().chain(worlds).collect();
    if let Some(world) = pick(text, "scene", &all)? {
        return Ok(world.to_owned());
    }
    let own = Setup::new(scene(text)?);
    Ok(written(&Setup { hz: own.courant_hz(), ..own }))
}

/// True if the file has the ending of world files.
pub(crate) fn is_world_file(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"))
}

/// True if the file has the ending of a table of agents.
pub(crate) fn is_table(path: &Path) -> bool {
    let end = path.extension();
    end.is_some_and(|end| ["csv", "npz"].iter().any(|table| end.eq_ignore_ascii_case(table)))
}

/// A scene by its name, or a world file by its path.
pub(crate) fn scene_or_file(text: &str) -> Result<SceneArg, String> {
    if is_world_file(Path::new(text)) {
        return Ok(SceneArg::File(text.into()));
    }
    if WORLDS.iter().any(|(name, _)| *name == text) {
        return Err(format!(
            "is a world file of the program; write it with `jostle scenes --print {text} > {text}.toml`, \
             and name that file"
        ));
    }
    scene(text).map(SceneArg::Scene)
}

/// Where a run comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SceneArg {
    Scene(Scene),
    /// A world file.
    File(PathBuf),
}

pub(crate) fn index(text: &str) -> Result<IndexKind, String> {
    let known: Vec<(&str, IndexKind)> = IndexKind::all().map(|kind| (kind.name, kind)).collect();
    pick(text, "index", &known)
}

pub(crate) fn simd(text: &str) -> Result<SimdArg, String> {
    pick(text, "instruction set", &SIMD.map(|name| (name, SimdArg(name))))
}

pub(crate) fn switch(text: &str) -> Result<bool, String> {
    pick(text, "switch", &[("on", true), ("off", false)])
}

/// A curve with columns in a series.
pub(crate) fn series_curve(text: &str) -> Result<Observable, String> {
    let known: Vec<_> = Observable::curves().map(|curve| (curve.column, curve)).collect();
    pick(text, "curve", &known)
}

/// Parses the name of a check.
pub(crate) fn checked(text: &str) -> Result<&'static str, String> {
    pick(text, "check", &[("physics", "physics"), ("world", "world")])
}

/// Parses the name of a plot of the panel.
#[cfg(feature = "window")]
pub(crate) fn observable(text: &str) -> Result<Observable, String> {
    let known: Vec<_> = Observable::plotted().map(|plot| (plot.name(), plot)).collect();
    pick(text, "plot", &known)
}

/// Indexes by a name or `all`.
pub(crate) fn indexes(text: &str) -> Result<Vec<IndexKind>, String> {
    if is_all(text) { Ok(IndexKind::all().collect()) } else { Ok(vec![index(text)?]) }
}

/// Scenes by a name or `all`, or a world file.
pub(crate) fn scenes(text: &str) -> Result<Vec<SceneArg>, String> {
    if is_all(text) {
        Ok(Scene::ALL.map(SceneArg::Scene).to_vec())
    } else {
        Ok(vec![scene_or_file(text)?])
    }
}

fn is_all(text: &str) -> bool {
    text.eq_ignore_ascii_case("all")
}

/// The value of a name, or the end of an error message with a similar name and all known ones.
fn pick<T: Copy>(text: &str, what: &str, known: &[(&str, T)]) -> Result<T, String> {
    let named = |text: &str| known.iter().find(|(name, _)| *name == text.to_lowercase());
    if let Some((_, value)) = named(text) {
        return Ok(*value);
    }
    if let Some((first, _)) = text.split_once(',').filter(|(first, _)| named(first).is_some()) {
        return Err(format!("names more than one {what}; try {first}"));
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    Err(unknown(text, what, &names))
}
