//! Flags whose values are names: an unknown one is answered with the nearest.

use jostle::{
    Scene,
    raster::{Colouring, DrawOrder, Palette},
};

/// Which index finds the contacts. The others are known by name, and come with the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Index(pub(crate) &'static str);

/// Which instructions the kernels use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Simd(pub(crate) &'static str);

const INDEXES: [&str; 7] = [
    "double-grid",
    "naive",
    "spatial-hash",
    "unit-grid",
    "quadtree",
    "loose-quadtree",
    "linked-double-grid",
];
const SIMD: [&str; 5] = ["auto", "avx512", "avx2", "neon", "scalar"];

impl Index {
    /// The one that there is.
    pub(crate) const USED: &str = INDEXES[0];
}

impl Simd {
    /// What the kernels really use.
    pub(crate) const USED: &str = "scalar";

    /// True if the name asks for what is used anyway.
    pub(crate) fn is_used(self) -> bool {
        self.0 == Self::USED || self.0 == "auto"
    }
}

pub(crate) fn scene(text: &str) -> Result<Scene, String> {
    pick(text, "scene", &Scene::ALL.map(|scene| (scene.name(), scene)))
}

pub(crate) fn index(text: &str) -> Result<Index, String> {
    pick(text, "index", &INDEXES.map(|name| (name, Index(name))))
}

pub(crate) fn simd(text: &str) -> Result<Simd, String> {
    pick(text, "instruction set", &SIMD.map(|name| (name, Simd(name))))
}

pub(crate) fn draw_order(text: &str) -> Result<DrawOrder, String> {
    pick(text, "order", &[("cell", DrawOrder::Cell), ("random", DrawOrder::Random)])
}

pub(crate) fn colouring(text: &str) -> Result<Colouring, String> {
    pick(text, "colouring", &Colouring::ALL.map(|colouring| (colouring.name(), colouring)))
}

pub(crate) fn palette(text: &str) -> Result<Palette, String> {
    pick(text, "palette", &Palette::ALL.map(|palette| (palette.name(), palette)))
}

/// The value of a name, or the end of a sentence that says which name is nearest and which there are.
pub(crate) fn pick<T: Copy>(text: &str, what: &str, known: &[(&str, T)]) -> Result<T, String> {
    let lower = text.to_lowercase();
    if let Some((_, value)) = known.iter().find(|(name, _)| *name == lower) {
        return Ok(*value);
    }
    let far = |(name, _): &&(&str, T)| strsim::damerau_levenshtein(name, &lower);
    let nearest = known.iter().min_by_key(far).map_or("", |(name, _)| name);
    let all = known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    Err(format!("is no {what} that jostle knows; did you mean {nearest}? There are {all}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered() {
        for (text, nearest) in [("gsa", "gas"), ("pil", "pile"), ("brust", "burst"), ("zzz", "")] {
            let message = scene(text).unwrap_err();
            assert!(message.contains(&format!("did you mean {nearest}")), "{text}: {message}");
        }
        assert!(index("quadtre").unwrap_err().contains("mean quadtree?"));
    }

    #[test]
    fn case_does_not_matter() {
        assert_eq!(simd("AVX2"), Ok(Simd("avx2")));
    }
}
