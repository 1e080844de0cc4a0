//! A few agents on their way from the simulation's arrays to pixels.
//!
//! ```text
//!  x, y, radius, v, id ─► [x][y][radius][tone] ─► pixels
//!     slots, in a row       arrays on the stack
//! ```
//!
//! Everything that is the same for all agents is done to all of a batch at once, in loops without a
//! branch over arrays of a fixed length, which compilers turn into vector instructions; what follows,
//! pixel work, then only reads. Behind the last agent of a batch there are some of no size, so that every
//! loop has the same length.

use std::ops::Range;

use crate::{
    raster::{Interpolation, band::Band, density, shot::DrawContext, sprite, style::ColorBy, walk},
    simd,
};

/// Agents a batch: what fits into the L1 cache several times over.
pub(crate) const LEN: usize = 64;

/// How many slots ahead of those that are read memory is asked for: drawing a batch takes less time than memory
/// needs to answer.
const AHEAD: usize = 128;

/// How far apart in a batch agents are that are drawn after each other. Neighbours in memory share pixels, and
/// a load of what a store has only just changed in part waits until it has reached the cache.
const APART: usize = 8;

/// Agents in pixels.
#[derive(Debug)]
pub(crate) struct Batch {
    /// How many.
    pub(crate) len: usize,
    /// How far apart those are that are drawn after each other.
    apart: usize,
    /// Centres, pixels from the frame's left.
    pub(crate) x: [f32; LEN],
    /// Centres, pixels from the frame's top.
    pub(crate) y: [f32; LEN],
    /// Pixels; 0 for one that isn't drawn.
    pub(crate) radius: [f32; LEN],
    /// Index of the color, 0 to 255.
    pub(crate) tone: [u32; LEN],
}

/// What the agents of a batch are drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// None of them meets the band.
    None,
    /// Sprites, of that many rows at most.
    Sprites { rows: i32 },
    /// Nothing but density.
    Density,
    /// Each as what its radius makes it; `dust` if that is density for any.
    Mixed { dust: bool },
}

impl Batch {
    /// No agents.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { len: 0, apart: 1, x: [0.0; LEN], y: [0.0; LEN], radius: [0.0; LEN], tone: [0; LEN] }
    }

    /// Takes the agents of a range of at most [`LEN`] slots, all but their colors.
    #[inline(always)]
    pub(crate) fn load(&mut self, shot: &DrawContext<'_>, slots: Range<usize>) {
        let agents = shot.picture.agents;
        self.len = slots.len();
        self.apart = APART;
        let none = || [0.0; LEN];
        self.x = *column(&agents.x, &slots, &mut none());
        self.y = *column(&agents.y, &slots, &mut none());
        self.radius = *column(&agents.radius, &slots, &mut none());
        if !shot.lag.is_none() {
            let (mut vx, mut vy) = (none(), none());
            let vx = column(&agents.vx, &slots, &mut vx);
            let vy = column(&agents.vy, &slots, &mut vy);
            self.go_back(shot, vx, vy);
        }
    }

    /// Takes them back to where they were a moment ago.
    #[inline(always)]
    fn go_back(&mut self, shot: &DrawContext<'_>, vx: &[f32; LEN], vy: &[f32; LEN]) {
        let [along, up] = Interpolation::walls(&shot.picture.world);
        for k in 0..LEN {
            self.x[k] = shot.lag.before(self.x[k], vx[k], self.radius[k], along);
            self.y[k] = shot.lag.before(self.y[k], vy[k], self.radius[k], up);
        }
    }

    /// Takes the colors of the same slots.
    #[inline(always)]
    pub(crate) fn color(&mut self, shot: &DrawContext<'_>, slots: Range<usize>) {
        let agents = shot.picture.agents;
        match shot.color_by {
            ColorBy::Speed => {
                let (mut vx, mut vy) = ([0.0; LEN], [0.0; LEN]);
                let vx = column(&agents.vx, &slots, &mut vx);
                let vy = column(&agents.vy, &slots, &mut vy);
                for k in 0..LEN {
                    self.tone[k] = shot.speed_tone(vx[k], vy[k]);
                }
            }
            ColorBy::Size => {
                self.tone = column(&agents.radius, &slots, &mut [0.0; LEN])
                    .map(|radius| shot.size_tone(radius));
            }
            ColorBy::Start => {
                for (tone, &id) in self.tone.iter_mut().zip(&agents.id[slots]) {
                    *tone = shot.start_tone(id);
                }
            }
            ColorBy::Faction => {
                let faction = agents.units.as_ref().map_or(&[][..], |units| &units.faction[slots]);
                self.tone.fill(0);
                for (tone, &faction) in self.tone.iter_mut().zip(faction) {
                    *tone = u32::from(faction);
                }
            }
            ColorBy::Cell | ColorBy::Contacts => {
                for (tone, slot) in self.tone.iter_mut().zip(slots) {
                    *tone = shot.mark_tone(slot);
                }
            }
        }
    }

    /// Brings some slots of the batch that begins at slot `first` into the order in which all of it is drawn.
    pub(crate) fn sort(slots: &mut [u32], first: usize) {
        slots.sort_unstable_by_key(|&slot| ((slot as usize - first) % APART, slot));
    }

    /// The agents in the order in which they are drawn. Ranges in ranges would say the same, but the
    /// compiler does not take them apart.
    #[inline(always)]
    pub(crate) fn order(&self) -> impl Iterator<Item = usize> {
        let (len, apart) = (self.len.min(LEN), self.apart);
        let (mut first, mut next) = (0, 0);
        std::iter::from_fn(move || {
            if next >= len {
                first += 1;
                next = first;
                if first >= apart.min(len) {
                    return None;
                }
            }
            let k = next;
            next += apart;
            Some(k % LEN)
        })
    }

    /// Takes agents from anywhere. They are drawn as they come: bands don't make the same batches of them.
    #[inline(always)]
    pub(crate) fn gather(&mut self, shot: &DrawContext<'_>, slots: &[u32]) {
        let agents = shot.picture.agents;
        self.len = slots.len();
        self.apart = 1;
        self.radius[self.len..].fill(0.0);
        for (k, &slot) in slots.iter().enumerate() {
            let slot = slot as usize;
            self.x[k] = agents.x[slot];
            self.y[k] = agents.y[slot];
            self.radius[k] = agents.radius[slot];
            if !shot.lag.is_none() {
                let [along, up] = Interpolation::walls(&shot.picture.world);
                let (radius, lag) = (self.radius[k], shot.lag);
                self.x[k] = lag.before(self.x[k], agents.vx[slot], radius, along);
                self.y[k] = lag.before(self.y[k], agents.vy[slot], radius, up);
            }
            self.tone[k] = match shot.color_by {
                ColorBy::Speed => shot.speed_tone(agents.vx[slot], agents.vy[slot]),
                ColorBy::Size => shot.size_tone(agents.radius[slot]),
                ColorBy::Start => shot.start_tone(agents.id[slot]),
                ColorBy::Faction => {
                    agents.units.as_ref().map_or(0, |units| u32::from(units.faction[slot]))
                }
                ColorBy::Cell | ColorBy::Contacts => shot.mark_tone(slot),
            };
        }
    }

    /// Wide agents have been drawn before: in a batch of narrow ones they have no size. `slot` says where
    /// each came from.
    #[inline(always)]
    pub(crate) fn drop_wide(&mut self, shot: &DrawContext<'_>, slot: impl Fn(usize) -> u32) {
        let grid = shot.picture.grid;
        let mut any_large = false;
        for radius in &self.radius {
            any_large |= *radius > grid.reach();
        }
        if any_large {
            for k in 0..self.len {
                if walk::is_wide(grid, slot(k), self.radius[k]) {
                    self.radius[k] = 0.0;
                }
            }
        }
    }

    /// From world units to pixels.
    #[inline(always)]
    pub(crate) fn project(&mut self, shot: &DrawContext<'_>) {
        let [center_x, center_y] = shot.camera.center.to_array();
        let [middle_x, middle_y] = (shot.camera.size * 0.5).to_array();
        let scale = shot.camera.scale;
        for k in 0..LEN {
            self.x[k] = (self.x[k] - center_x) * scale + middle_x;
            self.y[k] = (center_y - self.y[k]) * scale + middle_y;
            self.radius[k] *= scale;
        }
    }

    /// What they are drawn as in a band.
    #[inline(always)]
    pub(crate) fn kinds(&self, band: &Band<'_>) -> Kinds {
        let (above, below) = (band.top as f32 - 1.0, (band.top + band.rows) as f32 + 1.0);
        // Floats that aren't negative are in the order of their bits, and integers have a minimum and a
        // maximum that can be taken of many at once. Who has no size is no minimum.
        let (mut least, mut most, mut near) = (u32::MAX, 0, 0);
        for k in 0..LEN {
            let bits = self.radius[k].to_bits();
            least = least.min(bits.wrapping_sub(1));
            most = most.max(bits);
            let (y, radius) = (self.y[k], self.radius[k]);
            near |= u32::from(y + radius > above) & u32::from(y - radius < below);
        }
        let (least, most) = (f32::from_bits(least.wrapping_add(1)), f32::from_bits(most));
        if near == 0 || most == 0.0 {
            Kinds::None
        } else if least >= density::RADIUS && most <= sprite::RADIUS_MAX {
            Kinds::Sprites { rows: sprite::rows_of(most) }
        } else if most <= density::RADIUS_ALL {
            Kinds::Density
        } else {
            Kinds::Mixed { dust: least < density::RADIUS }
        }
    }
}

/// The numbers of at most [`LEN`] slots; where they are fewer, `spare` takes them, with zeros behind. Asks for
/// those of the batch after the next.
#[inline(always)]
fn column<'a>(
    numbers: &'a [f32],
    slots: &Range<usize>,
    spare: &'a mut [f32; LEN],
) -> &'a [f32; LEN] {
    if let Some(ahead) = numbers.get(slots.start + AHEAD..).and_then(<[_]>::first_chunk) {
        simd::prefetch::<LEN>(ahead);
    }
    let numbers = &numbers[slots.clone()];
    numbers.first_chunk().unwrap_or_else(|| {
        spare[..numbers.len()].copy_from_slice(numbers);
        spare[numbers.len()..].fill(0.0);
        spare
    })
}
