//! Colours: perceptually uniform, readable by the colour-blind, and evaluated once into tables.
//!
//! The gradients are those of `colorgrad`. What is dark in them would vanish in the ground, so each is
//! used from its first colour that stands out to its last.

use colorgrad::{Gradient, preset};

/// A named sequence of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Violet, red, orange, pale yellow: embers.
    #[default]
    Inferno,
    /// Violet, pink, pale peach.
    Magma,
    /// Blue, magenta, yellow.
    Plasma,
    /// Blue, green, yellow.
    Viridis,
    /// Blue, grey, yellow: the same for all kinds of colour vision.
    Cividis,
}

impl Palette {
    /// All of them, in the order in which a key goes through them.
    pub const ALL: [Self; 5] =
        [Self::Inferno, Self::Magma, Self::Plasma, Self::Viridis, Self::Cividis];

    /// The one after this; the first again after the last.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inferno => "inferno",
            Self::Magma => "magma",
            Self::Plasma => "plasma",
            Self::Viridis => "viridis",
            Self::Cividis => "cividis",
        }
    }

    /// The gradient, and the share of it at the dark end that is left out.
    fn gradient(self) -> (Box<dyn Gradient>, f32) {
        match self {
            Self::Inferno => (Box::new(preset::inferno()), 0.28),
            Self::Magma => (Box::new(preset::magma()), 0.30),
            Self::Plasma => (Box::new(preset::plasma()), 0.10),
            Self::Viridis => (Box::new(preset::viridis()), 0.12),
            Self::Cividis => (Box::new(preset::cividis()), 0.10),
        }
    }
}
