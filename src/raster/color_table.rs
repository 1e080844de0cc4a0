//! The color of each tone, evaluated once per style.
//!
//! A tone is a number that an agent gets from its speed, radius, start or cell, or from a field at
//! its place. A scalar has [`SCALAR_TONES`] tones. A vector has [`TONES`]: a step along x and one
//! along y.

use glam::Vec2;

pub(crate) use crate::simd::sprites::TONES;
use crate::{
    geometry::Rect,
    raster::{
        blend::{self, Lanes, Pixel, Sum},
        palette::Wheel,
        style::{ColorBy, Style},
    },
};

/// Tones of a scalar.
pub(crate) const SCALAR_TONES: usize = 256;

/// Steps of a vector of length 1 at most, along x and along y.
pub(crate) const TONES_PER_AXIS: usize = 64;

const _: () = assert!(TONES == TONES_PER_AXIS * TONES_PER_AXIS);

/// The step of a coordinate of 0; there is one tone on each side of it.
pub(crate) const VECTOR_MIDDLE: f32 = 0.5 * (TONES_PER_AXIS - 1) as f32;

/// The colors of a vector of length 0: of agents without a common motion, and without order.
const STILL: Pixel = [104, 108, 118, 255];
const UNORDERED: Pixel = [58, 62, 74, 255];

/// Fields per side of the world, in the color mode that shows where agents started from.
const START_SIDE: usize = 16;

/// The color of an agent without spin.
const WITHOUT_SPIN: Pixel = [104, 108, 118, 255];

/// The colors of the two factions: sky blue and vermilion of Okabe and Ito, which every kind of
/// color vision tells apart.
const FACTIONS: [Pixel; 2] = [[86, 180, 233, 255], [213, 94, 0, 255]];

/// Colors by tone.
#[derive(Clone, Debug)]
pub(crate) struct ColorTable {
    /// Colors of larger discs.
    pub(crate) pixels: Box<[Pixel; TONES]>,
    /// Colors of sprites.
    pub(crate) lanes: Box<[Lanes; TONES]>,
    /// Colors of density: red, green, blue and 1.
    pub(crate) sums: Box<[Sum; TONES]>,
    /// The palette from its first color to its last, in any color mode.
    pub(crate) heat: Box<[Pixel; 256]>,
}

impl ColorTable {
    /// The table for the palette and the color mode of a style.
    pub(crate) fn new(style: &Style) -> Self {
        let Style { palette, color_by, species, .. } = style;
        let (gradient, dark) = palette.gradient();
        let at = |share: f32| gradient.at(dark + (1.0 - dark) * share).to_rgba8();
        let heat = Box::new(std::array::from_fn(|tone| at(tone as f32 / 255.0)));
        let wheel = Wheel::new();
        let vector = |tone: usize, middle: Pixel| {
            let at = |step: usize| step as f32 / VECTOR_MIDDLE - 1.0;
            let (x, y) = (at(tone % TONES_PER_AXIS), at(tone / TONES_PER_AXIS));
            blend::mix(middle, wheel.at(x, y), blend::weight(x.hypot(y)))
        };
        let mut pixels = vec![[0; 4]; TONES];
        for (tone, pixel) in pixels.iter_mut().enumerate() {
            // A scalar has the same colors again and again.
            let scalar = tone % SCALAR_TONES;
            *pixel = match *color_by {
                ColorBy::Speed
                | ColorBy::Size
                | ColorBy::Cell
                | ColorBy::Contacts
                | ColorBy::Temperature
                | ColorBy::Density
                | ColorBy::Twin => heat[scalar],
                ColorBy::Flow => vector(tone, STILL),
                ColorBy::Order => vector(tone, UNORDERED),
                ColorBy::Spin => spin_color(scalar),
                ColorBy::Faction => FACTIONS[tone % FACTIONS.len()],
                ColorBy::Species => {
                    let [red, green, blue] = species[tone % species.len()];
                    [red, green, blue, 255]
                }
                ColorBy::Start => start_color(scalar, at),
            };
        }
        let sums =
            pixels.iter().map(|&[r, g, b, _]| [f32::from(r), f32::from(g), f32::from(b), 1.0]);
        let lanes = pixels.iter().map(|pixel| pixel.map(u16::from));
        Self { sums: boxed(sums), lanes: boxed(lanes), pixels: boxed(pixels.iter().copied()), heat }
    }
}

#[cfg(feature = "window")]
impl ColorTable {
    /// The color of a share of 0 to 1 of the way from the first tone of a scalar to the last.
    pub(crate) fn scalar(&self, share: f32) -> [u8; 3] {
        self.tone((share * SCALAR_TONES as f32) as usize)
    }

    /// The color of a share of 0 to 1 of the way through the palette.
    pub(crate) fn heat(&self, share: f32) -> [u8; 3] {
        let [r, g, b, _] = self.heat[(share * 255.0) as usize];
        [r, g, b]
    }

    /// The color of a vector of length 1 at most.
    pub(crate) fn vector(&self, x: f32, y: f32) -> [u8; 3] {
        let step = |at: f32| (VECTOR_MIDDLE * (1.0 + at)).round() as usize;
        self.tone(step(y) * TONES_PER_AXIS + step(x))
    }

    /// The color of a start at a place in the world: from -1 to 1 along x and y.
    pub(crate) fn start(&self, x: f32, y: f32) -> [u8; 3] {
        let field = |at: f32| ((at + 1.0) * 0.5 * START_SIDE as f32) as usize;
        self.tone(field(y) * START_SIDE + field(x))
    }

    /// The color of a tone.
    pub(crate) fn tone(&self, tone: usize) -> [u8; 3] {
        let [r, g, b, _] = self.pixels[tone % TONES];
        [r, g, b]
    }
}

/// A table with an entry for each tone.
fn boxed<T: std::fmt::Debug>(entries: impl Iterator<Item = T>) -> Box<[T; TONES]> {
    entries.collect::<Vec<_>>().try_into().expect("an entry for each tone")
}

/// The color of a spin: the colors of the factions at both ends.
fn spin_color(tone: usize) -> Pixel {
    let off = 2.0 * tone as f32 / 255.0 - 1.0;
    blend::mix(WITHOUT_SPIN, FACTIONS[usize::from(off > 0.0)], blend::weight(off.abs().sqrt()))
}

/// The color of a field of the world, in the color mode that shows where agents started from.
fn start_color(tone: usize, at: impl Fn(f32) -> Pixel) -> Pixel {
    let [column, row] = [tone % START_SIDE, tone / START_SIDE];
    let last = (START_SIDE - 1) as f32;
    let color = at(column as f32 / last);
    // The lower half of the world is shaded, the upper half tinted.
    let height = row as f32 / last * 2.0 - 1.0;
    let shaded = blend::mix(color, [0, 0, 0, 255], blend::weight(-height * 0.45));
    blend::mix(shaded, [255; 4], blend::weight(height * 0.55))
}

impl Style {
    /// The colors of agents before shading, evenly spread over all tones: red, green, blue.
    pub fn colors(&self) -> [[u8; 3]; 256] {
        let table = ColorTable::new(self);
        let vector = self.color_by.is_vector();
        std::array::from_fn(|index| {
            let tone = if vector {
                // Every fourth step along either axis.
                (index / 16 * 4 + 2) * TONES_PER_AXIS + index % 16 * 4 + 2
            } else {
                index
            };
            let [r, g, b, _] = table.pixels[tone];
            [r, g, b]
        })
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

/// The tone of the start position half a world away along both axes.
pub(crate) fn opposite_start(tone: u8) -> u8 {
    const HALF: usize = START_SIDE / 2;
    tone ^ (HALF * START_SIDE + HALF) as u8
}
