//! Colors that come from the grid and not from the agent itself: the cell that holds it, and how many
//! others it overlaps. They are worked out before a draw, a byte a slot, for what is in view.
//!
//! ```text
//!  slots  [ part 0 | part 1 | …        each part by one thread
//!  marks  [ 17 114 | 114 71 | …        tones; kept from draw to draw, so that nothing is allocated
//! ```

use crate::{
    agents::Agents,
    geometry::Rect,
    grid::{Elements, Grid, Shape},
    parallel,
    raster::{View, style::ColorBy},
};

/// Parts that the slots are cut into: their list lives on the stack.
const PARTS: usize = 64;

/// Tones from a cell to the next one of its row, and of its column: odd and far apart, so that cells that
/// are near have colors that aren't.
const TONES_A_CELL: [u32; 2] = [97, 57];

/// Tones a contact: six, which is as many as discs of one size can have, get the last color.
const TONES_A_CONTACT: usize = 42;

/// Writes down the tone of each slot that may be in view; nothing for a coloring that needs none.
pub(crate) fn mark(marks: &mut Vec<u8>, picture: &View<'_>, view: &Rect, color_by: ColorBy) {
    let len = picture.agents.len();
    match color_by {
        ColorBy::Speed | ColorBy::Size | ColorBy::Start | ColorBy::Faction => {}
        ColorBy::Cell => {
            let config = picture.grid.config();
            let (origin, inverse) = (config.bounds.min, 1.0 / config.loose_size);
            each_slot(marks, len, |slot| {
                let cell = (picture.agents.get(slot).position - origin) * inverse;
                let [of_column, of_row] = TONES_A_CELL;
                // What lies outside is in the first cell, or beyond the last.
                (cell.x as u32 * of_column + cell.y as u32 * of_row) as u8
            });
        }
        ColorBy::Contacts => {
            each_slot(marks, len, |slot| contacts(picture.agents, picture.grid, slot, view));
        }
    }
}

/// The tone of the number of discs that a disc overlaps, by what a step calls overlap, in the present
/// positions.
fn contacts(agents: &Agents, grid: &Grid, slot: usize, view: &Rect) -> u8 {
    let disc = agents.shape(slot);
    let bounds = Rect::around(disc.center, disc.radius);
    if !view.intersects(&bounds) {
        return 0;
    }
    let mut others = 0;
    grid.visit_rect(agents, &bounds, |other| {
        let overlaps = disc.is_within(&agents.shape(other as usize), 0.0);
        others += usize::from(overlaps && other as usize != slot);
    });
    (others * TONES_A_CONTACT).min(255) as u8
}

/// Fills in the marks of so many slots, on all threads.
fn each_slot(marks: &mut Vec<u8>, slots: usize, tone: impl Fn(usize) -> u8 + Sync + Send) {
    // There is room for them, unless agents were added that nobody has marked the start of.
    marks.resize(slots, 0);
    let len = slots.div_ceil(PARTS).max(1);
    let used = slots.div_ceil(len);
    let mut parts = [const { None }; PARTS];
    for (index, (place, part)) in parts.iter_mut().zip(marks.chunks_mut(len)).enumerate() {
        *place = Some((index * len, part));
    }
    parallel::for_each(&mut parts[..used], |part| {
        if let Some((first, marks)) = part {
            for (slot, mark) in (*first..).zip(marks.iter_mut()) {
                *mark = tone(slot);
            }
        }
    });
}
