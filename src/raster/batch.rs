//! A batch: 64 agents on their way from the columns of the simulation to pixels.
//!
//! ```text
//!  x, y, radius, v, id ─► [x][y][radius][tone] ─► pixels
//!     range of slots       arrays on the stack
//! ```
//!
//! Work that is the same for all agents is done for a whole batch at once, in loops without
//! branches over arrays of a fixed length, which compilers vectorize. Pixel work then only reads
//! the arrays. Behind the last agent, the radii are 0, so that every loop has the same length.

use std::ops::Range;

use glam::Vec2;

use crate::{
    raster::{context::DrawContext, culling::BATCH_LEN, style::ColorBy, view::Interpolation},
    simd::{self, SimdLevel, masks},
};

/// Slots between the ones that are read and the ones that are prefetched: drawing one batch takes
/// less time than memory needs to answer.
const PREFETCH_DISTANCE: usize = 128;

/// Pixel index of an agent that a kernel does not draw.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Largest radius that is drawn with a magnification, pixels: the sprite of a larger disc has more
/// than two rows.
pub(crate) const MAGNIFIED_RADIUS_MAX: f32 = 0.5;

/// The orders in which all agents of a batch are drawn.
const IN_ORDER: [u8; BATCH_LEN] = order(1);
const STRIDED: [u8; BATCH_LEN] = order(8);

/// Every `step`-th agent from the first on, then from the second on, and so forth.
const fn order(step: usize) -> [u8; BATCH_LEN] {
    let (mut agents, mut place) = ([0; BATCH_LEN], 0);
    while place < BATCH_LEN {
        agents[place] = (place * step % BATCH_LEN + place * step / BATCH_LEN) as u8;
        place += 1;
    }
    agents
}

/// For each byte, the positions of its bits, the lowest first, then zeros.
static BITS_OF: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut count) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                places[byte][count] = place as u8;
                count += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
};

/// Agents in pixels.
#[derive(Debug)]
pub(crate) struct Batch {
    /// True if the agents lie in memory one after the other. They are then drawn in steps of eight,
    /// because neighbors in memory share pixels, and a load stalls if a part of its bytes was
    /// stored just before.
    pub(crate) strided: bool,
    /// Centers, pixels from the left of the frame.
    pub(crate) x: [f32; BATCH_LEN],
    /// Centers, pixels from the top of the frame.
    pub(crate) y: [f32; BATCH_LEN],
    /// Radii, pixels; 0 for an agent that isn't drawn.
    pub(crate) radius: [f32; BATCH_LEN],
    /// Index into the color table, 0 to 255.
    pub(crate) tone: [u32; BATCH_LEN],
}

impl Batch {
    /// An empty batch.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            strided: false,
            x: [0.0; BATCH_LEN],
            y: [0.0; BATCH_LEN],
            radius: [0.0; BATCH_LEN],
            tone: [0; BATCH_LEN],
        }
    }

    /// Loads positions and radii of a range of at most [`BATCH_LEN`] slots, in world units, as they
    /// are drawn.
    #[inline(always)]
    pub(crate) fn load(&mut self, context: &DrawContext<'_>, slots: Range<usize>) {
        let agents = context.view.agents;
        self.strided = true;
        let none = || [0.0; BATCH_LEN];
        self.x = *column(&agents.x, &slots, &mut none());
        self.y = *column(&agents.y, &slots, &mut none());
        self.radius = *column(&agents.radius, &slots, &mut none());
        if !context.interpolation.is_none() {
            let (mut vx, mut vy) = (none(), none());
            let vx = column(&agents.vx, &slots, &mut vx);
            let vy = column(&agents.vy, &slots, &mut vy);
            let interpolation = context.interpolation;
            let [along, up] = Interpolation::walls(&context.view.space);
            for k in 0..BATCH_LEN {
                self.x[k] = interpolation.coordinate(self.x[k], vx[k], self.radius[k], along);
                self.y[k] = interpolation.coordinate(self.y[k], vy[k], self.radius[k], up);
            }
        }
    }

    /// Loads the tones of the same slots. The positions are in pixels already.
    #[inline(always)]
    pub(crate) fn load_tones(
        &mut self,
        simd: SimdLevel,
        context: &DrawContext<'_>,
        slots: Range<usize>,
    ) {
        let agents = context.view.agents;
        match context.style.color_by {
            ColorBy::Speed => {
                let (mut vx, mut vy) = ([0.0; BATCH_LEN], [0.0; BATCH_LEN]);
                let vx = column(&agents.vx, &slots, &mut vx);
                let vy = column(&agents.vy, &slots, &mut vy);
                for k in 0..BATCH_LEN {
                    self.tone[k] = context.speed_tone(vx[k], vy[k]);
                }
            }
            ColorBy::Size => {
                self.tone = column(&agents.radius, &slots, &mut [0.0; BATCH_LEN])
                    .map(|radius| context.size_tone(radius));
            }
            ColorBy::Flow | ColorBy::Temperature | ColorBy::Density | ColorBy::Order => {
                context.prepared.field.at_all(simd, &self.x, &self.y, &mut self.tone);
            }
            ColorBy::Start
            | ColorBy::Faction
            | ColorBy::Species
            | ColorBy::Cell
            | ColorBy::Contacts
            | ColorBy::Spin
            | ColorBy::Twin => {
                for (tone, slot) in self.tone.iter_mut().zip(slots) {
                    *tone = context.slot_tone(slot);
                }
            }
        }
    }

    /// Sets to 0 the radius of agents that are too large for their cells, because they were drawn
    /// before. If `outliers` is set, only outliers are drawn, and all other radii become 0, too.
    #[inline(always)]
    pub(crate) fn sift(&mut self, context: &DrawContext<'_>, slots: Range<usize>, outliers: bool) {
        let (grid, all) = (context.view.grid, self.radius);
        if outliers {
            self.radius = [0.0; BATCH_LEN];
        }
        let limit = grid.near_limit();
        if outliers || all.iter().fold(false, |any, &radius| any | (radius > limit)) {
            for slot in grid.outliers_in(slots.clone()) {
                let k = (slot as usize - slots.start) % BATCH_LEN;
                self.radius[k] = if all[k] > limit { 0.0 } else { all[k] };
            }
        }
    }

    /// The agents with another value than [`NOWHERE`], one bit each.
    #[inline(always)]
    pub(crate) fn placed(simd: SimdLevel, at: &[u32; BATCH_LEN]) -> u64 {
        // No branch per agent: no processor predicts which agents of a crowd are of one kind.
        masks::lanes_other_than(simd, at, NOWHERE)
    }

    /// The agents with a bit, in the order in which they are drawn.
    #[inline(always)]
    pub(crate) fn select(&self, bits: u64) -> Selection {
        const ONES: u64 = 0x0101_0101_0101_0101;
        if bits == u64::MAX {
            let mut agents = [0; SELECTION_LEN];
            agents[..BATCH_LEN].copy_from_slice(if self.strided { &STRIDED } else { &IN_ORDER });
            return Selection { agents, len: BATCH_LEN };
        }
        // Eight bits at a time: no processor predicts the number of turns of a loop over set bits.
        let mut selection = Selection { agents: [0; SELECTION_LEN], len: 0 };
        let rows = if self.strided { masks::transposed(bits) } else { bits };
        for (row, byte) in (0..).zip(rows.to_le_bytes()) {
            let columns = u64::from_le_bytes(BITS_OF[usize::from(byte)]);
            // Eight sums in one number: none exceeds 63.
            let agents =
                if self.strided { columns * 8 + row * ONES } else { columns + row * 8 * ONES };
            selection.agents[selection.len % BATCH_LEN..][..8]
                .copy_from_slice(&agents.to_le_bytes());
            selection.len += byte.count_ones() as usize;
        }
        selection
    }

    /// Loads agents of arbitrary slots, with their tones. They are drawn in the order of `slots`,
    /// because different bands put them into different batches.
    #[inline(always)]
    pub(crate) fn gather(&mut self, context: &DrawContext<'_>, slots: &[u32]) {
        let agents = context.view.agents;
        self.strided = false;
        self.radius[slots.len()..].fill(0.0);
        for (k, &slot) in slots.iter().enumerate() {
            let agent = agents.get(slot as usize);
            [self.x[k], self.y[k]] = context.position(&agent).to_array();
            self.radius[k] = agent.radius;
            self.tone[k] = match context.style.color_by {
                ColorBy::Speed => context.speed_tone(agent.velocity.x, agent.velocity.y),
                ColorBy::Size => context.size_tone(agent.radius),
                ColorBy::Flow | ColorBy::Temperature | ColorBy::Density | ColorBy::Order => {
                    let Vec2 { x, y } = context.camera.to_pixel(context.position(&agent));
                    context.prepared.field.at(x, y)
                }
                ColorBy::Start
                | ColorBy::Faction
                | ColorBy::Species
                | ColorBy::Cell
                | ColorBy::Contacts
                | ColorBy::Spin
                | ColorBy::Twin => context.slot_tone(slot as usize),
            };
        }
    }

    /// Converts world units to pixels.
    #[inline(always)]
    pub(crate) fn project(&mut self, context: &DrawContext<'_>) {
        let [center_x, center_y] = context.camera.center.to_array();
        let [middle_x, middle_y] = (context.camera.size * 0.5).to_array();
        let scale = context.camera.scale;
        for k in 0..BATCH_LEN {
            self.x[k] = (self.x[k] - center_x) * scale + middle_x;
            self.y[k] = (center_y - self.y[k]) * scale + middle_y;
            self.radius[k] *= scale;
        }
        let magnification = context.prepared.small.magnification;
        if magnification != 1.0 {
            self.radius = self.radius.map(|radius| magnified(radius, magnification));
        }
    }
}

/// The radius with which a disc is drawn, pixels.
///
/// ```text
///  drawn
///   0.5 ┤      ╭────╱    magnification 3: up to half a pixel, and the true radius from there on
///       │    ╱    ╱
///       │  ╱   ╱    ╱    1/2: smaller up to a quarter, and the true radius from half a pixel on
///     0 ┼─────────────►
///       0        0.5  radius
/// ```
#[inline(always)]
pub(crate) fn magnified(radius: f32, magnification: f32) -> f32 {
    let least = |a: f32, b: f32| if a < b { a } else { b };
    let larger = least(radius * magnification, MAGNIFIED_RADIUS_MAX);
    let true_share = least((radius * (2.0 / MAGNIFIED_RADIUS_MAX) - 1.0).max(0.0), 1.0);
    let smaller = radius * (magnification + (1.0 - magnification) * true_share);
    if magnification < 1.0 {
        smaller
    } else if radius < larger {
        larger
    } else {
        radius
    }
}

/// Capacity for the agents of a selection, and for the seven that may be written behind the last.
const SELECTION_LEN: usize = BATCH_LEN + 8;

/// Some agents of a batch.
pub(crate) struct Selection {
    agents: [u8; SELECTION_LEN],
    len: usize,
}

impl Selection {
    /// The indices of the agents.
    #[inline(always)]
    pub(crate) fn list(&self) -> &[u8] {
        &self.agents[..self.len]
    }
}

/// The values of at most [`BATCH_LEN`] slots. If there are fewer, `spare` holds them, followed by
/// zeros. Prefetches the values of the batch after the next.
#[inline(always)]
fn column<'a>(
    values: &'a [f32],
    slots: &Range<usize>,
    spare: &'a mut [f32; BATCH_LEN],
) -> &'a [f32; BATCH_LEN] {
    if let Some(ahead) = values.get(slots.start + PREFETCH_DISTANCE..).and_then(<[_]>::first_chunk)
    {
        simd::prefetch::<BATCH_LEN>(ahead);
    }
    let values = &values[slots.clone()];
    values.first_chunk().unwrap_or_else(|| {
        spare[..values.len()].copy_from_slice(values);
        spare[values.len()..].fill(0.0);
        spare
    })
}
