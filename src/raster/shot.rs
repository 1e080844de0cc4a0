//! One draw: everything that all bands read and none changes.

use glam::Vec2;

use crate::{
    camera::Camera,
    raster::{
        Picture,
        band::Band,
        batch::LEN,
        blend,
        ground::Ground,
        look::{Colouring, DrawOrder, Look},
        palette::Swatches,
        walk,
    },
    rect::Rect,
};

/// The speed with the last colour, in mean speeds: in a gas that has relaxed, one agent in 45 is faster.
const SPEED_MAX: f32 = 2.2;

/// Pixels that a band looks beyond its borders: what is rounded in a position or in an area is less.
const MARGIN: f32 = 2.0;

/// What is drawn, how, and from where.
#[derive(Debug)]
pub(crate) struct Shot<'a> {
    pub(crate) picture: Picture<'a>,
    pub(crate) camera: Camera,
    pub(crate) ground: Ground,
    pub(crate) swatches: &'a Swatches,
    pub(crate) colouring: Colouring,
    pub(crate) shading: f32,
    /// True for [`DrawOrder::Random`].
    pub(crate) random: bool,
    starts: &'a [u8],
    marks: &'a [u8],
    tones_a_speed: f32,
    size_first: u32,
    tones_a_size: f32,
    /// The largest radius of a narrow agent, and of any wide one, world units.
    pub(crate) narrow: f32,
    widest: f32,
}

impl<'a> Shot<'a> {
    /// A draw of `picture` as `camera` sees it; `starts` has the start tone of each id, and `marks` a tone of
    /// each slot, for colourings that need it.
    pub(crate) fn new(
        picture: &Picture<'a>,
        camera: &Camera,
        look: &Look,
        swatches: &'a Swatches,
        starts: &'a [u8],
        marks: &'a [u8],
    ) -> Self {
        let mean = if look.mean_speed > 0.0 { look.mean_speed } else { 1.0 };
        let sizes = look.radius.map(logarithm);
        let narrow = walk::narrow(picture.grid);
        let radii = walk::wide(picture.grid).flat_map(|slots| &picture.agents.radius[slots]);
        Self {
            picture: *picture,
            camera: *camera,
            ground: Ground::new(&picture.world, camera, look),
            swatches,
            colouring: look.colouring,
            shading: look.shading,
            random: look.order == DrawOrder::Random,
            starts,
            marks,
            tones_a_speed: 255.0 / (mean * SPEED_MAX),
            size_first: sizes[0],
            tones_a_size: 255.0 / sizes[1].saturating_sub(sizes[0]).max(1) as f32,
            narrow,
            widest: radii.filter(|&&r| r > narrow).fold(0.0, |widest: f32, &r| widest.max(r)),
        }
    }

    /// The part of the world that shows in a band, and a little more.
    pub(crate) fn area(&self, band: &Band<'_>) -> Rect {
        let upper = self.camera.to_world(Vec2::new(-MARGIN, band.top as f32 - MARGIN));
        let lower = self.camera.to_world(Vec2::new(
            band.width as f32 + MARGIN,
            (band.top + band.rows) as f32 + MARGIN,
        ));
        Rect::new(upper.min(lower), upper.max(lower))
    }

    /// Calls `work` with the slots of the wide agents that may meet an area, in cell order, some at a
    /// time.
    pub(crate) fn for_each_wide(&self, area: &Rect, mut work: impl FnMut(&[u32])) {
        if self.widest == 0.0 {
            return;
        }
        let (grid, agents) = (self.picture.grid, self.picture.agents);
        let near = area.expanded(self.widest);
        let between = walk::between(grid, near.min.y, near.max.y);
        let mut some = Slots::default();
        for slots in
            walk::wide(grid).filter(|slots| slots.start < between.end && slots.end > between.start)
        {
            for slot in slots {
                let (y, radius) = (agents.y[slot], agents.radius[slot]);
                let meets = y + radius >= area.min.y && y - radius <= area.max.y;
                if meets && radius > self.narrow {
                    some.push(slot as u32, &mut work);
                }
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

    /// The colour of a speed.
    #[inline]
    pub(crate) fn speed_tone(&self, vx: f32, vy: f32) -> u8 {
        tone((vx * vx + vy * vy).sqrt() * self.tones_a_speed)
    }

    /// The colour of a radius.
    #[inline]
    pub(crate) fn size_tone(&self, radius: f32) -> u8 {
        tone(logarithm(radius).saturating_sub(self.size_first) as f32 * self.tones_a_size)
    }

    /// The colour of the place an agent started from.
    #[inline]
    pub(crate) fn start_tone(&self, id: u32) -> u8 {
        self.starts.get(id as usize).copied().unwrap_or(0)
    }

    /// The colour that was worked out for a slot.
    #[inline]
    pub(crate) fn mark_tone(&self, slot: usize) -> u8 {
        self.marks.get(slot).copied().unwrap_or(0)
    }
}

/// Slots on their way into a batch.
struct Slots {
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
    #[inline]
    fn push(&mut self, slot: u32, work: &mut impl FnMut(&[u32])) {
        self.slots[self.len] = slot;
        self.len += 1;
        if self.len == LEN {
            work(&self.slots);
            self.len = 0;
        }
    }

    /// Those that are left.
    fn rest(&self) -> &[u32] {
        &self.slots[..self.len]
    }
}

/// The nearest tone, of 0 to 255.
#[inline]
fn tone(value: f32) -> u8 {
    blend::round(if value < 255.0 { value } else { 255.0 }) as u8
}

/// A number that grows with the logarithm of a positive one: the bits of a float are its exponent and
/// a fraction, which is a logarithm with straight lines between the powers of two.
#[inline]
fn logarithm(value: f32) -> u32 {
    value.max(0.0).to_bits()
}

/// A permutation of the numbers of so many bits: each step is one.
#[inline]
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
