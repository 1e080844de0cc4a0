//! Palettes: perceptually uniform gradients that color-blind people can read.
//!
//! The gradients come from `colorgrad`. Their dark ends would vanish in the ground, so each is used
//! from its first color that stands out to its last.

use std::f32::consts::TAU;

use colorgrad::{BlendMode, CatmullRomGradient, Color, Gradient, GradientBuilder, preset};

use crate::names::names;

/// The colors of directions, counterclockwise from the right. Right and left are amber and blue, up
/// and down are light and dark: every kind of color vision has these two contrasts.
const WHEEL: [&str; 8] =
    ["#ffb02e", "#f4e9a0", "#d6f7ee", "#7fc8ff", "#2f86ff", "#5a45dd", "#a5259b", "#e5473f"];

/// A named gradient of colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Violet, red, orange, pale yellow: embers.
    Inferno,
    /// Violet, pink, pale peach.
    Magma,
    /// Blue, magenta, yellow. No two of its colors mix to brown, not even in a crowd of small
    /// discs.
    #[default]
    Plasma,
    /// Blue, green, yellow.
    Viridis,
    /// Blue, gray, yellow: the same for all kinds of color vision.
    Cividis,
}

impl Palette {
    /// The next palette; the first one follows the last.
    #[must_use]
    #[doc(hidden)]
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    /// The gradient, and the share at its dark end that is left out.
    pub(super) fn gradient(self) -> (Box<dyn Gradient>, f32) {
        match self {
            Self::Inferno => (Box::new(preset::inferno()), 0.28),
            Self::Magma => (Box::new(preset::magma()), 0.30),
            Self::Plasma => (Box::new(preset::plasma()), 0.10),
            Self::Viridis => (Box::new(preset::viridis()), 0.12),
            Self::Cividis => (Box::new(preset::cividis()), 0.10),
        }
    }
}

names!(
    #[doc(hidden)]
    pub Palette:
    Inferno = "inferno",
    Magma = "magma",
    Plasma = "plasma",
    Viridis = "viridis",
    Cividis = "cividis",
);

/// The colors of directions in a plane.
pub(super) struct Wheel(CatmullRomGradient);

impl Wheel {
    /// The wheel.
    ///
    /// # Panics
    /// Never: its colors are constant.
    pub(super) fn new() -> Self {
        let colors = WHEEL.map(|color| color.parse::<Color>().expect("a color"));
        // The ends are continued, so that the curve is smooth where it closes.
        let turns = 3 * WHEEL.len();
        let colors: Vec<Color> = colors.iter().cycle().take(turns + 1).copied().collect();
        let gradient =
            GradientBuilder::new().colors(&colors).mode(BlendMode::Oklab).build().expect("colors");
        Self(gradient)
    }

    /// The color of a direction.
    pub(super) fn at(&self, x: f32, y: f32) -> [u8; 4] {
        let turn = (y.atan2(x) / TAU).rem_euclid(1.0);
        self.0.at((1.0 + turn) / 3.0).to_rgba8()
    }
}
