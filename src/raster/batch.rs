//! A few agents on their way from the simulation's arrays to pixels.
//!
//! ```text
//!  x, y, radius, v, id ─► [x][y][radius][tone][sprite] ─► pixels
//!     slots, in a row        arrays on the stack
//! ```
//!
//! Everything that is the same for all agents is done to all of a batch at once, in loops without a
//! branch over arrays of a fixed length, which compilers turn into vector instructions; what follows,
//! pixel work, then only reads.

use std::ops::Range;

use crate::raster::{
    density,
    look::Colouring,
    shot::Shot,
    sprite::{self, Placed},
};

/// Agents a batch: what fits into the L1 cache several times over.
pub(crate) const LEN: usize = 64;

/// Agents in pixels.
#[derive(Debug)]
pub(crate) struct Batch {
    /// How many.
    pub(crate) len: usize,
    /// Centres, pixels from the frame's left.
    pub(crate) x: [f32; LEN],
    /// Centres, pixels from the frame's top.
    pub(crate) y: [f32; LEN],
    /// Pixels; 0 for one that isn't drawn.
    pub(crate) radius: [f32; LEN],
    /// Index of the colour.
    pub(crate) tone: [u8; LEN],
    /// Rows that are enough for each of them, if all are neither too large nor too small for sprites.
    pub(crate) sprite_rows: Option<i32>,
    /// The sprite's place, for those that are small enough.
    left: [i32; LEN],
    top: [i32; LEN],
    entry: [u32; LEN],
}

impl Batch {
    /// No agents.
    pub(crate) fn new() -> Self {
        Self {
            len: 0,
            x: [0.0; LEN],
            y: [0.0; LEN],
            radius: [0.0; LEN],
            tone: [0; LEN],
            sprite_rows: None,
            left: [0; LEN],
            top: [0; LEN],
            entry: [0; LEN],
        }
    }

    /// Takes the narrow agents of a range of at most [`LEN`] slots.
    pub(crate) fn load_narrow(&mut self, shot: &Shot<'_>, slots: Range<usize>) {
        let agents = shot.picture.agents;
        self.len = slots.len();
        self.x[..self.len].copy_from_slice(&agents.x[slots.clone()]);
        self.y[..self.len].copy_from_slice(&agents.y[slots.clone()]);
        self.radius[..self.len].copy_from_slice(&agents.radius[slots.clone()]);
        self.drop_wide(shot);
        match shot.colouring {
            Colouring::Speed => {
                let velocities = agents.vx[slots.clone()].iter().zip(&agents.vy[slots]);
                for (tone, (&vx, &vy)) in self.tone.iter_mut().zip(velocities) {
                    *tone = shot.speed_tone(vx, vy);
                }
            }
            Colouring::Size => {
                for (tone, &radius) in self.tone.iter_mut().zip(&agents.radius[slots]) {
                    *tone = shot.size_tone(radius);
                }
            }
            Colouring::Start => {
                for (tone, &id) in self.tone.iter_mut().zip(&agents.id[slots]) {
                    *tone = shot.start_tone(id);
                }
            }
            Colouring::Cell | Colouring::Contacts => {
                for (tone, slot) in self.tone.iter_mut().zip(slots) {
                    *tone = shot.mark_tone(slot);
                }
            }
        }
        self.project(shot);
    }

    /// Takes agents, wide or narrow, from anywhere.
    pub(crate) fn gather(&mut self, shot: &Shot<'_>, slots: &[u32]) {
        self.gather_all(shot, slots);
        self.project(shot);
    }

    /// Takes the narrow ones among agents from anywhere.
    pub(crate) fn gather_narrow(&mut self, shot: &Shot<'_>, slots: &[u32]) {
        self.gather_all(shot, slots);
        self.drop_wide(shot);
        self.project(shot);
    }

    fn gather_all(&mut self, shot: &Shot<'_>, slots: &[u32]) {
        let agents = shot.picture.agents;
        self.len = slots.len();
        for (k, &slot) in slots.iter().enumerate() {
            let slot = slot as usize;
            self.x[k] = agents.x[slot];
            self.y[k] = agents.y[slot];
            self.radius[k] = agents.radius[slot];
            self.tone[k] = match shot.colouring {
                Colouring::Speed => shot.speed_tone(agents.vx[slot], agents.vy[slot]),
                Colouring::Size => shot.size_tone(agents.radius[slot]),
                Colouring::Start => shot.start_tone(agents.id[slot]),
                Colouring::Cell | Colouring::Contacts => shot.mark_tone(slot),
            };
        }
    }

    /// Wide agents have been drawn before: in a batch of narrow ones they have no size.
    fn drop_wide(&mut self, shot: &Shot<'_>) {
        let narrow = shot.narrow;
        for radius in &mut self.radius {
            *radius = if *radius <= narrow { *radius } else { 0.0 };
        }
    }

    /// From world units to pixels.
    fn project(&mut self, shot: &Shot<'_>) {
        let [center_x, center_y] = shot.camera.center.to_array();
        let [middle_x, middle_y] = (shot.camera.size * 0.5).to_array();
        let scale = shot.camera.scale;
        for k in 0..LEN {
            self.x[k] = (self.x[k] - center_x) * scale + middle_x;
            self.y[k] = (center_y - self.y[k]) * scale + middle_y;
            self.radius[k] *= scale;
        }
        let (mut least, mut most) = (f32::INFINITY, 0.0);
        for &radius in &self.radius[..self.len] {
            least = if radius < least { radius } else { least };
            most = if radius > most { radius } else { most };
        }
        let sprites = least >= density::RADIUS && most <= sprite::RADIUS_MAX;
        self.sprite_rows = sprites.then(|| sprite::rows_of(most));
        for k in 0..LEN {
            let placed = Placed::new(self.x[k], self.y[k], self.radius[k]);
            self.left[k] = placed.left;
            self.top[k] = placed.top;
            self.entry[k] = placed.entry;
        }
    }

    /// The sprite of an agent that is small enough to have one.
    #[inline]
    pub(crate) fn placed(&self, k: usize) -> Placed {
        Placed { left: self.left[k], top: self.top[k], entry: self.entry[k] }
    }
}
