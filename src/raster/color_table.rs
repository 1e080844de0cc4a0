//! The color of each tone, evaluated once per style.
//!
//! A tone is a number of 0 to 255 that an agent gets from its speed, radius, start or cell.

use glam::Vec2;

use crate::{
    geometry::Rect,
    raster::{
        blend::{self, Lanes, Pixel, Sum},
        palette::Palette,
        style::{ColorBy, Style},
    },
};

/// Fields per side of the world, in the color mode that shows where agents started from.
const START_SIDE: usize = 16;

/// The colors of the two factions: sky blue and vermilion of Okabe and Ito, which every kind of
/// color vision tells apart.
const FACTIONS: [Pixel; 2] = [[86, 180, 233, 255], [213, 94, 0, 255]];

/// Colors by tone.
#[derive(Clone, Debug)]
pub(crate) struct ColorTable {
    /// For larger discs.
    pub(crate) pixels: Box<[Pixel; 256]>,
    /// For sprites.
    pub(crate) lanes: Box<[Lanes; 256]>,
    /// For density: red, green, blue and 1.
    pub(crate) sums: Box<[Sum; 256]>,
    /// The palette from its first color to its last, whatever the color mode is.
    pub(crate) heat: Box<[Pixel; 256]>,
}

impl ColorTable {
    /// The colors of a palette in a color mode.
    pub(crate) fn new(palette: Palette, color_by: ColorBy) -> Self {
        let (gradient, dark) = palette.gradient();
        let at = |share: f32| gradient.at(dark + (1.0 - dark) * share).to_rgba8();
        let heat = Box::new(std::array::from_fn(|tone| at(tone as f32 / 255.0)));
        let pixels: [Pixel; 256] = std::array::from_fn(|tone| match color_by {
            ColorBy::Speed | ColorBy::Size | ColorBy::Cell | ColorBy::Contacts => {
                at(tone as f32 / 255.0)
            }
            ColorBy::Faction => FACTIONS[tone % FACTIONS.len()],
            ColorBy::Start => {
                let [column, row] = [tone % START_SIDE, tone / START_SIDE];
                let last = (START_SIDE - 1) as f32;
                let color = at(column as f32 / last);
                // The lower half of the world is shaded, the upper half tinted.
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

impl Style {
    /// The colors of agents before shading, from the first tone to the last: red, green, blue.
    pub fn colors(&self) -> [[u8; 3]; 256] {
        ColorTable::new(self.palette, self.color_by).pixels.map(|[r, g, b, _]| [r, g, b])
    }
}

/// The tone of a start position. The world is 16 × 16 fields with one color each, and neighboring
/// fields blend into each other: near a border the id decides which of the two colors an agent
/// gets.
pub(crate) fn start_tone(position: Vec2, id: u32, world: &Rect) -> u8 {
    let share = (position - world.min) / world.size() * (START_SIDE - 1) as f32;
    // The fractional parts of multiples of an irrational number are spread evenly.
    let spread = |factor: u32| id.wrapping_mul(factor) as f32 / 4_294_967_296.0;
    let field = |share: f32| (share as usize).min(START_SIDE - 1);
    let column = field(share.x + spread(0x9e37_79b1));
    (field(share.y + spread(0xc2b2_ae35)) * START_SIDE + column) as u8
}
