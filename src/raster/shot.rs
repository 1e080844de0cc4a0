//! One draw: everything that all bands read and none changes.

use std::ops::Range;

use glam::Vec2;

use crate::{
    agents::Agent,
    geometry::Rect,
    raster::Camera,
    raster::{
        Interpolation, View,
        batch::LEN,
        blend::{self, Pixel, opaque},
        ground::Ground,
        overlay::Overlay,
        palette::ColorTable,
        starts::Starts,
        style::{ColorBy, DrawOrder, Style},
        walk::{self, Drift},
    },
};

/// Pixels that a band looks beyond its borders: what is rounded in a position or in an area is less,
/// and so is what density reaches.
const MARGIN: f32 = 1.0;

/// What is drawn, how, and from where.
#[derive(Debug)]
pub(crate) struct DrawContext<'a> {
    pub(crate) picture: View<'a>,
    pub(crate) camera: Camera,
    pub(crate) ground: Ground,
    /// The color of what never moves.
    pub(crate) fixed: Pixel,
    pub(crate) swatches: &'a ColorTable,
    pub(crate) color_by: ColorBy,
    pub(crate) shading: f32,
    /// True for [`DrawOrder::Random`].
    pub(crate) random: bool,
    pub(crate) overlay: Overlay,
    /// World units a second, above 0.
    pub(crate) mean_speed: f32,
    starts: &'a Starts,
    /// π/4 over the square of the mean speed.
    per_square: f32,
    marks: &'a [u8],
    size_first: u32,
    tones_a_size: f32,
    /// The largest radius of a wide agent, world units.
    widest: f32,
    pub(crate) drift: Drift,
    /// How long ago agents were where they are drawn.
    pub(crate) lag: Interpolation,
}

impl<'a> DrawContext<'a> {
    /// A draw of `picture` as `camera` sees it; `marks` has a tone of each slot, for colorings that need it.
    pub(crate) fn new(
        picture: &View<'a>,
        camera: &Camera,
        look: &Style,
        swatches: &'a ColorTable,
        starts: &'a Starts,
        marks: &'a [u8],
    ) -> Self {
        let mean = if look.mean_speed > 0.0 { look.mean_speed } else { 1.0 };
        let sizes = look.radius.map(logarithm);
        Self {
            picture: *picture,
            camera: *camera,
            ground: Ground::new(&picture.world, camera, look),
            fixed: opaque(look.statics),
            swatches,
            color_by: look.color_by,
            shading: look.shading,
            random: look.order == DrawOrder::Random,
            overlay: look.overlay,
            mean_speed: mean,
            starts,
            per_square: std::f32::consts::FRAC_PI_4 / (mean * mean),
            marks,
            size_first: sizes[0],
            tones_a_size: 255.0 / sizes[1].saturating_sub(sizes[0]).max(1) as f32,
            widest: picture.grid.widest(),
            drift: Drift { all: 0.0, far: picture.grid.astray() },
            lag: Interpolation::default(),
        }
    }

    /// The same a moment ago: agents are looked for where they may be now.
    pub(crate) fn lagging(mut self, lag: Interpolation) -> Self {
        if !lag.is_none() {
            self.lag = lag;
            self.drift.all += lag.farthest;
            self.drift.far += lag.farthest;
        }
        self
    }

    /// Where an agent is drawn.
    pub(crate) fn place(&self, agent: &Agent) -> Vec2 {
        self.lag.position(agent, &self.picture.world)
    }

    /// The part of the world that shows in some rows of the frame, and a little more.
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

    /// Calls `work` with the slots of the wide agents that may meet an area, in cell order, some at a
    /// time.
    pub(crate) fn for_each_wide(&self, area: &Rect, mut work: impl FnMut(&[u32])) {
        if self.widest == 0.0 {
            return;
        }
        let (grid, agents) = (self.picture.grid, self.picture.agents);
        let near = area.expanded(self.widest);
        let lag = self.lag.farthest;
        let between = walk::between(grid, near.min.y, near.max.y, self.drift.far);
        let mut some = Slots::default();
        for slot in walk::wide(grid, agents, between) {
            let Agent { position, radius, .. } = agents.get(slot as usize);
            let reach = radius + lag;
            let meets = position.y + reach >= area.min.y && position.y - reach <= area.max.y;
            if meets {
                some.push(slot, &mut work);
            }
        }
        work(some.rest());
    }

    /// Calls `work` with all slots, some at a time, in an order that has nothing to do with theirs and
    /// is the same each time.
    ///
    /// The order is a permutation of the numbers below the next power of two, made of steps that can
    /// each be undone; numbers that aren't slots are left out. It takes no memory, whose traffic would
    /// be part of what is measured.
    pub(crate) fn for_each_scattered(&self, mut work: impl FnMut(&[u32])) {
        let count = self.picture.agents.len() as u32;
        let bits = u32::BITS - count.saturating_sub(1).leading_zeros();
        let mask = 1_u32.checked_shl(bits).map_or(u32::MAX, |power| power - 1);
        let mut some = Slots::default();
        for number in 0..=mask {
            let slot = scatter(number, mask, bits);
            if slot < count {
                some.push(slot, &mut work);
            }
        }
        work(some.rest());
    }

    /// The color of a speed: the share of a gas of that mean speed that is slower, so that a gas at rest
    /// with itself has as much of each color.
    #[inline(always)]
    pub(crate) fn speed_tone(&self, vx: f32, vy: f32) -> u32 {
        // Maxwell's distribution in two dimensions, with the exponential as the reciprocal of its series:
        // no libm, no root, and off by a hundredth at most.
        let a = (vx * vx + vy * vy) * self.per_square;
        let rest = 1.0 + a * (1.0 + a * (0.5 + a * (1.0 / 6.0 + a * (1.0 / 24.0))));
        tone(255.0 - 255.0 / rest)
    }

    /// The color of a radius.
    #[inline(always)]
    pub(crate) fn size_tone(&self, radius: f32) -> u32 {
        tone(logarithm(radius).saturating_sub(self.size_first) as f32 * self.tones_a_size)
    }

    /// The color of the place an agent started from.
    #[inline(always)]
    pub(crate) fn start_tone(&self, id: u32) -> u32 {
        self.starts.tone(id)
    }

    /// The color that was worked out for a slot.
    #[inline(always)]
    pub(crate) fn mark_tone(&self, slot: usize) -> u32 {
        self.marks.get(slot).map_or(0, |&tone| u32::from(tone))
    }
}

/// Slots on their way into a batch.
pub(crate) struct Slots {
    slots: [u32; LEN],
    len: usize,
}

impl Default for Slots {
    fn default() -> Self {
        Self { slots: [0; LEN], len: 0 }
    }
}

impl Slots {
    /// Takes a slot, and hands them over when they are enough for a batch.
    #[inline(always)]
    pub(crate) fn push(&mut self, slot: u32, work: &mut impl FnMut(&[u32])) {
        self.slots[self.len] = slot;
        self.len += 1;
        if self.len == LEN {
            work(&self.slots);
            self.len = 0;
        }
    }

    /// Those that are left.
    pub(crate) fn rest(&self) -> &[u32] {
        &self.slots[..self.len]
    }
}

/// The nearest tone, of 0 to 255.
#[inline(always)]
fn tone(value: f32) -> u32 {
    blend::round(if value < 255.0 { value } else { 255.0 }).cast_unsigned()
}

/// A number that grows with the logarithm of a positive one: the bits of a float are its exponent and
/// a fraction, which is a logarithm with straight lines between the powers of two.
#[inline(always)]
fn logarithm(value: f32) -> u32 {
    value.max(0.0).to_bits()
}

/// A permutation of the numbers of so many bits: each step is one.
#[inline(always)]
fn scatter(number: u32, mask: u32, bits: u32) -> u32 {
    let half = bits.div_ceil(2);
    let mut n = number;
    for factor in [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35_u32] {
        n = n.wrapping_mul(factor) & mask;
        n ^= n.checked_shr(half).unwrap_or(0);
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scatter_is_a_permutation_that_keeps_no_neighbours() {
        for bits in [0, 1, 2, 5, 12] {
            let count = 1_u32 << bits;
            let mut seen: Vec<u32> = (0..count).map(|n| scatter(n, count - 1, bits)).collect();
            let near = seen.windows(2).filter(|w| w[0].abs_diff(w[1]) < count / 64).count();
            assert!(near <= count as usize / 8);
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..count));
        }
    }
}
