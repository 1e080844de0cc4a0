//! Flags whose values are names: an unknown one is answered with the one that may be meant.

use crate::{
    Scene,
    index::IndexKind,
    names::suggestion,
    raster::{ColorBy, DrawOrder, Overlay, Palette},
    simd::SimdLevel,
};

/// Which instructions the kernels use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Simd(pub(crate) &'static str);

/// The order in which an index gets the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Of their ids, which are dealt at random.
    Id,
    /// Of the cells at the start of the measurement.
    Cell,
}

const SIMD: [&str; 5] = ["auto", "avx512", "avx2", "neon", "scalar"];

impl Input {
    /// As `--input` takes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Cell => "cell",
        }
    }
}

impl Simd {
    /// The level to run with: the one asked for if this machine has it, or else its best.
    pub(crate) fn usable(self) -> SimdLevel {
        SimdLevel::from_name(self.0).unwrap_or_else(SimdLevel::best)
    }

    /// A line if it asks for what this machine can't do.
    pub(crate) fn note(self) -> Option<String> {
        let runs = self.usable().name();
        let missing = self.0 != "auto" && runs != self.0;
        missing.then(|| format!("--simd {} is not on this machine; {runs} runs", self.0))
    }
}

pub(crate) fn scene(text: &str) -> Result<Scene, String> {
    pick(text, "scene", &Scene::ALL.map(|scene| (scene.name(), scene)))
}

pub(crate) fn index(text: &str) -> Result<IndexKind, String> {
    let known: Vec<(&str, IndexKind)> = IndexKind::all().map(|kind| (kind.name, kind)).collect();
    pick(text, "index", &known)
}

pub(crate) fn simd(text: &str) -> Result<Simd, String> {
    pick(text, "instruction set", &SIMD.map(|name| (name, Simd(name))))
}

pub(crate) fn draw_order(text: &str) -> Result<DrawOrder, String> {
    pick(text, "order", &[("cell", DrawOrder::Cell), ("random", DrawOrder::Random)])
}

pub(crate) fn input(text: &str) -> Result<Input, String> {
    pick(text, "order", &[("id", Input::Id), ("cell", Input::Cell)])
}

pub(crate) fn color_by(text: &str) -> Result<ColorBy, String> {
    pick(text, "color_by", &ColorBy::ALL.map(|color_by| (color_by.name(), color_by)))
}

pub(crate) fn palette(text: &str) -> Result<Palette, String> {
    pick(text, "palette", &Palette::ALL.map(|palette| (palette.name(), palette)))
}

pub(crate) fn overlay(text: &str) -> Result<Overlay, String> {
    pick(text, "overlay", &Overlay::ALL.map(|overlay| (overlay.name(), overlay)))
}

/// The value of a name, or the end of a sentence that says which one may be meant and which there are.
pub(crate) fn pick<T: Copy>(text: &str, what: &str, known: &[(&str, T)]) -> Result<T, String> {
    let lower = text.to_lowercase();
    if let Some((_, value)) = known.iter().find(|(name, _)| *name == lower) {
        return Ok(*value);
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    Err(format!("is no {what} that jostle knows; {}", suggestion(text, &names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_near_is_offered() {
        for (text, nearest) in [("gsa", "gas"), ("pil", "pile"), ("brust", "burst")] {
            let message = scene(text).unwrap_err();
            assert!(message.contains(&format!("did you mean {nearest}? There")), "{message}");
        }
        for text in ["zzz", "", "g", "liquid", "ocean", "fluid"] {
            let message = scene(text).unwrap_err();
            assert!(message.contains("knows; there are gas, mixed"), "{text}: {message}");
        }
        assert!(index("quadtre").unwrap_err().contains("mean quadtree?"));
        assert!(!index("octree").unwrap_err().contains("mean"));
    }

    #[test]
    fn case_does_not_matter() {
        assert_eq!(simd("AVX2"), Ok(Simd("avx2")));
    }
}
