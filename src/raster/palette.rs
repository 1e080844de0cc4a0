//! Colors: perceptually uniform, readable by the color-blind, and evaluated once into tables.
//!
//! The gradients are those of `colorgrad`. What is dark in them would vanish in the ground, so each is
//! used from its first color that stands out to its last.

use colorgrad::{Gradient, preset};
use glam::Vec2;

use crate::{
    geometry::Rect,
    raster::{
        blend::{self, Lanes, Pixel, Sum},
        style::ColorBy,
    },
};

/// Fields a side that the world is cut into where the color is that of the place of the start.
const START_SIDE: usize = 16;

/// The colors of the two sides: sky blue and vermilion of Okabe and Ito, which any kind of color vision tells
/// apart.
const SIDES: [Pixel; 2] = [[86, 180, 233, 255], [213, 94, 0, 255]];

/// A named sequence of colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Violet, red, orange, pale yellow: embers.
    Inferno,
    /// Violet, pink, pale peach.
    Magma,
    /// Blue, magenta, yellow: no two of its colors mix to brown, as those of many small discs do.
    #[default]
    Plasma,
    /// Blue, green, yellow.
    Viridis,
    /// Blue, grey, yellow: the same for all kinds of color vision.
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

/// Colors by tone, 0 to 255.
#[derive(Clone, Debug)]
pub(crate) struct ColorTable {
    /// As pixels.
    pub(crate) pixels: Box<[Pixel; 256]>,
    /// As what sprites are mixed from.
    pub(crate) lanes: Box<[Lanes; 256]>,
    /// As what [`crate::raster::density`] adds up: red, green, blue and 1.
    pub(crate) sums: Box<[Sum; 256]>,
    /// The palette from its first color to its last, whatever colors mean.
    pub(crate) heat: Box<[Pixel; 256]>,
}

impl ColorTable {
    /// The colors of a palette for a meaning.
    pub(crate) fn new(palette: Palette, color_by: ColorBy) -> Self {
        let (gradient, dark) = palette.gradient();
        let at = |share: f32| gradient.at(dark + (1.0 - dark) * share).to_rgba8();
        let heat = Box::new(std::array::from_fn(|tone| at(tone as f32 / 255.0)));
        let pixels: [Pixel; 256] = std::array::from_fn(|tone| match color_by {
            ColorBy::Speed | ColorBy::Size | ColorBy::Cell | ColorBy::Contacts => {
                at(tone as f32 / 255.0)
            }
            ColorBy::Faction => SIDES[tone % SIDES.len()],
            ColorBy::Start => {
                let [column, row] = [tone % START_SIDE, tone / START_SIDE];
                let last = (START_SIDE - 1) as f32;
                let color = at(column as f32 / last);
                // From the lower half, shaded, to the upper one, tinted.
                let height = row as f32 / last * 2.0 - 1.0;
                let shaded = blend::mix(color, [0, 0, 0, 255], blend::weight(-height * 0.45));
                blend::mix(shaded, [255; 4], blend::weight(height * 0.55))
            }
        });
        let sums = pixels.map(|[r, g, b, _]| [f32::from(r), f32::from(g), f32::from(b), 1.0]);
        let lanes = pixels.map(|pixel| pixel.map(u16::from));
        Self { pixels: Box::new(pixels), lanes: Box::new(lanes), sums: Box::new(sums), heat }
    }
}

/// The tone of a place: the world is 16 × 16 fields, each of a color of its own, and fields run into each
/// other: an agent by a border may have the color of either side, by its id.
pub(crate) fn start_tone(place: Vec2, id: u32, world: &Rect) -> u8 {
    let share = (place - world.min) / world.size() * (START_SIDE - 1) as f32;
    // The parts of multiples of an irrational number behind the point are spread evenly.
    let spread = |factor: u32| id.wrapping_mul(factor) as f32 / 4_294_967_296.0;
    let field = |share: f32| (share as usize).min(START_SIDE - 1);
    let column = field(share.x + spread(0x9e37_79b1));
    (field(share.y + spread(0xc2b2_ae35)) * START_SIDE + column) as u8
}
