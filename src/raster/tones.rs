//! Tones that come from the grid and not from the agent alone: its cell, or the number of its contacts.
//! They are computed before a draw, one byte per slot.
//!
//! ```text
//!  slots  [ part 0 | part 1 | …        each part on one thread
//!  tones  [ 17 114 | 114 71 | …        kept from draw to draw, so that nothing is allocated
//! ```

use crate::{
    agents::Agents,
    geometry::Rect,
    grid::{Elements, Grid, Shape},
    parallel,
    raster::{style::ColorBy, view::View},
};

/// Parts that the slots are split into: their list lies on the stack.
const PARTS: usize = 64;

/// Difference in tone between neighboring columns, and between neighboring rows: odd and large, so that
/// cells near each other have different colors.
const TONES_PER_CELL: [u32; 2] = [97, 57];

/// Difference in tone per contact: six contacts, the most that equal discs can have, give the last color.
const TONES_PER_CONTACT: usize = 42;

/// Computes the tone of each slot; does nothing in a color mode that needs none. Agents outside
/// `visible` may get any tone.
pub(crate) fn compute(tones: &mut Vec<u8>, view: &View<'_>, visible: &Rect, color_by: ColorBy) {
    let len = view.agents.len();
    match color_by {
        ColorBy::Speed | ColorBy::Size | ColorBy::Start | ColorBy::Faction => {}
        ColorBy::Cell => {
            let config = view.grid.config();
            let (origin, inverse) = (config.bounds.min, 1.0 / config.loose_size);
            for_each_slot(tones, len, |slot| {
                let cell = (view.agents.get(slot).position - origin) * inverse;
                let [per_column, per_row] = TONES_PER_CELL;
                // Casts saturate, so a position outside the world counts to a border cell or beyond.
                (cell.x as u32 * per_column + cell.y as u32 * per_row) as u8
            });
        }
        ColorBy::Contacts => {
            for_each_slot(tones, len, |slot| contacts(view.agents, view.grid, slot, visible));
        }
    }
}

/// The tone of the number of discs that a disc overlaps in the present positions.
fn contacts(agents: &Agents, grid: &Grid, slot: usize, visible: &Rect) -> u8 {
    let disc = agents.shape(slot);
    let bounds = Rect::around(disc.center, disc.radius);
    if !visible.intersects(&bounds) {
        return 0;
    }
    let mut others = 0;
    grid.visit_rect(agents, &bounds, |other| {
        let overlaps = disc.is_within(&agents.shape(other as usize), 0.0);
        others += usize::from(overlaps && other as usize != slot);
    });
    (others * TONES_PER_CONTACT).min(255) as u8
}

/// Sets the tones of that many slots, on all threads.
fn for_each_slot(tones: &mut Vec<u8>, slots: usize, tone: impl Fn(usize) -> u8 + Sync + Send) {
    // Allocates only if `Renderer::record_starts` was not called since agents were added.
    tones.resize(slots, 0);
    let len = slots.div_ceil(PARTS).max(1);
    let used = slots.div_ceil(len);
    let mut parts = [const { None }; PARTS];
    for (index, (slot, part)) in parts.iter_mut().zip(tones.chunks_mut(len)).enumerate() {
        *slot = Some((index * len, part));
    }
    parallel::for_each(&mut parts[..used], |part| {
        if let Some((first, tones)) = part {
            for (slot, value) in (*first..).zip(tones.iter_mut()) {
                *value = tone(slot);
            }
        }
    });
}
