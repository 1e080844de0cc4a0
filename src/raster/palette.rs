//! Palettes: perceptually uniform gradients that color-blind people can read.
//!
//! The gradients are those of `colorgrad`. Their dark ends would vanish in the ground, so each is
//! used from its first color that stands out to its last.

use colorgrad::{Gradient, preset};

/// A named gradient of colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Violet, red, orange, pale yellow: embers.
    Inferno,
    /// Violet, pink, pale peach.
    Magma,
    /// Blue, magenta, yellow. No two of its colors mix to brown, as those of many small discs do.
    #[default]
    Plasma,
    /// Blue, green, yellow.
    Viridis,
    /// Blue, gray, yellow: the same for all kinds of color vision.
    Cividis,
}

impl Palette {
    /// All palettes, in the order in which the window's key cycles through them.
    pub const ALL: [Self; 5] =
        [Self::Inferno, Self::Magma, Self::Plasma, Self::Viridis, Self::Cividis];

    /// The next palette; the first one follows the last.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    /// The name that `--palette` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inferno => "inferno",
            Self::Magma => "magma",
            Self::Plasma => "plasma",
            Self::Viridis => "viridis",
            Self::Cividis => "cividis",
        }
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
