//! The context of a draw: everything that all of its bands read.

use std::ops::Range;

use glam::Vec2;

use crate::{
    agents::Agent,
    geometry::Rect,
    raster::{
        blend,
        camera::Camera,
        color_table::ColorTable,
        field::ToneImage,
        style::Style,
        view::{Interpolation, View},
    },
};

/// Pixels by which a band looks beyond its borders. They exceed the rounding error of positions and
/// areas, and the reach of density.
const MARGIN: f32 = 1.0;

/// The way in which a draw shows discs that are too small to be seen one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallDiscs {
    /// The factor by which their radii are drawn larger.
    pub(crate) magnification: f32,
    /// Pixels that the haze of one agent covers.
    pub(crate) haze: f32,
    /// The criterion by which they are density.
    pub(crate) density: DensityBy,
}

/// The criterion by which a small disc is drawn as density or as a sprite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DensityBy {
    /// Its radius: discs of less than a quarter of a pixel are density.
    Radius,
    /// The crowd around a typical agent is thin: all small discs are sprites. By this share, 0 to
    /// 1, they look like density: each lies closer to the middle of its pixel, and overlaps others
    /// less.
    ThinCrowd(f32),
    /// The crowd around a typical agent is dense: all small discs are density.
    DenseCrowd,
}

/// Inputs of a draw that are computed before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared<'a> {
    /// The tone of each slot, in color modes that need it.
    pub(crate) tones: &'a [u8],
    /// The tone of each pixel, in color modes that show a field.
    pub(crate) field: ToneImage<'a>,
    /// The way in which small discs are drawn.
    pub(crate) small: SmallDiscs,
}

/// One draw: its view, style and camera, and derived values.
#[derive(Clone, Debug)]
pub(crate) struct DrawContext<'a> {
    pub(crate) view: View<'a>,
    pub(crate) camera: Camera,
    pub(crate) style: &'a Style,
    pub(crate) colors: &'a ColorTable,
    /// World units per second, above 0.
    pub(crate) mean_speed: f32,
    /// π/4 over the square of the mean speed.
    per_speed_square: f32,
    pub(crate) prepared: Prepared<'a>,
    first_size: u32,
    tones_per_size: f32,
    /// The largest radius of an agent that is too large for its cell, world units.
    pub(crate) largest: f32,
    /// Largest distance between the drawn position of an outlier and its home cell, world units.
    pub(crate) outlier_drift: f32,
    /// The time before the present state at which agents are drawn.
    pub(crate) interpolation: Interpolation,
}

impl<'a> DrawContext<'a> {
    /// A draw of `view` by `camera`.
    pub(crate) fn new(
        view: &View<'a>,
        camera: &Camera,
        style: &'a Style,
        colors: &'a ColorTable,
        prepared: Prepared<'a>,
        interpolation: Interpolation,
    ) -> Self {
        let mean = style.speed_scale();
        let sizes = style.radius.map(logarithm);
        let present = Interpolation::default();
        let interpolation = if interpolation.is_none() { present } else { interpolation };
        Self {
            view: *view,
            camera: *camera,
            style,
            colors,
            mean_speed: mean,
            per_speed_square: std::f32::consts::FRAC_PI_4 / (mean * mean),
            prepared,
            first_size: sizes[0],
            tones_per_size: 255.0 / sizes[1].saturating_sub(sizes[0]).max(1) as f32,
            largest: view.grid.max_outlier_extent(),
            outlier_drift: view.grid.max_drift() + interpolation.farthest,
            interpolation,
        }
    }

    /// The same draw of the copies of all agents that lie `shift` away.
    pub(crate) fn of_copies(&self, shift: Vec2) -> Self {
        let camera = Camera { center: self.camera.center - shift, ..self.camera };
        Self { camera, ..self.clone() }
    }

    /// The position at which an agent is drawn.
    #[inline(always)]
    pub(crate) fn position(&self, agent: &Agent) -> Vec2 {
        self.interpolation.position(agent, &self.view.space)
    }

    /// The part of the world that some rows of the frame show, and a little more.
    pub(crate) fn area(&self, width: i32, rows: Range<i32>) -> Rect {
        let upper = self.camera.to_world(Vec2::new(-MARGIN, rows.start as f32 - MARGIN));
        let lower =
            self.camera.to_world(Vec2::new(width as f32 + MARGIN, rows.end as f32 + MARGIN));
        Rect::new(upper.min(lower), upper.max(lower))
    }

    /// The upper left and the lower right corner of a part of the world, pixels.
    pub(crate) fn corners(&self, part: &Rect) -> [Vec2; 2] {
        let (low, high) = (self.camera.to_pixel(part.min), self.camera.to_pixel(part.max));
        [Vec2::new(low.x, high.y), Vec2::new(high.x, low.y)]
    }

    /// The tone of a speed: the share of agents that are slower in a gas of the mean speed. A gas
    /// in equilibrium thus shows each color equally often.
    #[inline(always)]
    pub(crate) fn speed_tone(&self, vx: f32, vy: f32) -> u32 {
        // Maxwell's distribution in two dimensions, with the exponential as the reciprocal of its
        // series: no libm, no root, and off by a hundredth at most.
        let a = (vx * vx + vy * vy) * self.per_speed_square;
        let rest = 1.0 + a * (1.0 + a * (0.5 + a * (1.0 / 6.0 + a * (1.0 / 24.0))));
        round_tone(255.0 - 255.0 / rest)
    }

    /// The tone of a radius.
    #[inline(always)]
    pub(crate) fn size_tone(&self, radius: f32) -> u32 {
        round_tone(logarithm(radius).saturating_sub(self.first_size) as f32 * self.tones_per_size)
    }

    /// The tone that was computed for a slot.
    #[inline(always)]
    pub(crate) fn slot_tone(&self, slot: usize) -> u32 {
        self.prepared.tones.get(slot).map_or(0, |&tone| u32::from(tone))
    }
}

/// The nearest tone, 0 to 255.
#[inline(always)]
fn round_tone(value: f32) -> u32 {
    blend::round(if value < 255.0 { value } else { 255.0 }).cast_unsigned()
}

/// A number that grows with the logarithm of a positive one. The bits of a float are its exponent
/// and a fraction: a logarithm with straight lines between the powers of two.
#[inline(always)]
fn logarithm(value: f32) -> u32 {
    value.max(0.0).to_bits()
}
