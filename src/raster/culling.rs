//! Culling: which slots a part of the frame has to read, and in which order.
//!
//! An agent that fits its cell lies in its home cell or has just left it, and reaches no farther
//! than the next cell. The agents of this kind that may overlap an area are one range of slots per
//! row of cells. An agent too large for its cell may reach anywhere. There are few of them; each
//! band visits them in all rows that the largest of them can reach from.

use std::ops::Range;

use glam::Vec2;

use crate::{
    geometry::{Elements, Rect},
    grid::Grid,
    raster::context::DrawContext,
};

/// Agents per batch. A batch fits into the L1 cache several times over.
pub(crate) const BATCH_LEN: usize = 64;

/// 64 slots, the first of which is a multiple of 64, so that all bands cut the agents into the same
/// batches.
#[derive(Clone, Copy)]
pub(crate) struct SlotBatch {
    /// The first slot.
    pub(crate) first: usize,
    /// False if outliers alone may meet the band.
    pub(crate) near: bool,
}

impl SlotBatch {
    /// Its slots; the last batch has fewer.
    #[inline(always)]
    pub(crate) fn slots(self, context: &DrawContext<'_>) -> Range<usize> {
        self.first..context.view.agents.len().min(self.first + BATCH_LEN)
    }
}

/// Calls `work` with each batch of agents that fit their cells and may overlap an area, in memory
/// order. A batch may hold agents of several rows of cells, and agents outside the area.
pub(crate) fn batches(context: &DrawContext<'_>, area: Rect, mut work: impl FnMut(SlotBatch)) {
    let mut last: Option<SlotBatch> = None;
    // An outlier may be many rows of cells away from home, but few agents are outliers.
    let mut work = |batch: SlotBatch| {
        if batch.near || has_outlier_near(context, &area, batch.slots(context)) {
            work(batch);
        }
    };
    for RowSlots { slots, near } in rows(context, area) {
        for first in (slots.start - slots.start % BATCH_LEN..slots.end).step_by(BATCH_LEN) {
            match &mut last {
                Some(last) if last.first == first => last.near |= near,
                _ => last.replace(SlotBatch { first, near }).into_iter().for_each(&mut work),
            }
        }
    }
    last.into_iter().for_each(work);
}

/// True if an outlier among some slots may overlap the rows of an area.
fn has_outlier_near(context: &DrawContext<'_>, area: &Rect, slots: Range<usize>) -> bool {
    let (grid, agents) = (context.view.grid, context.view.agents);
    let shift = context.interpolation.farthest;
    grid.outliers_in(slots).any(|slot| {
        let (y, reach) = (agents.y[slot as usize], agents.radius[slot as usize] + shift);
        y + reach >= area.min.y && y - reach <= area.max.y
    })
}

/// True if an agent is too large for its cell, and so an outlier at any position.
#[inline(always)]
pub(crate) fn is_too_large(grid: &Grid, slot: u32, radius: f32) -> bool {
    radius > grid.near_limit() && grid.is_outlier(slot)
}

/// The part of a row of cells that may overlap an area.
pub(crate) struct RowSlots {
    /// Slots that include all agents of the row that fit their cells and may overlap the area.
    pub(crate) slots: Range<usize>,
    /// True if any of these agents may overlap the area; false if only outliers may.
    pub(crate) near: bool,
}

/// The rows of cells with agents that fit their cells and may overlap an area.
pub(crate) fn rows<'a>(
    context: &DrawContext<'a>,
    area: Rect,
) -> impl Iterator<Item = RowSlots> + use<'a> {
    let grid = context.view.grid;
    let shift = context.interpolation.farthest;
    let close = grid.rows_reaching(area.min.y - shift, area.max.y + shift);
    let area = area.expanded(context.outlier_drift);
    grid.rows_reaching(area.min.y, area.max.y).map(move |row| RowSlots {
        slots: grid.slots_reaching(row, area.min.x, area.max.x),
        near: close.contains(&row),
    })
}

/// The slots of the agents that are too large for their cells and may overlap an area, in cell
/// order.
pub(crate) fn too_large<'a>(
    context: &DrawContext<'a>,
    area: Rect,
) -> impl Iterator<Item = u32> + use<'a> {
    let (grid, agents) = (context.view.grid, context.view.agents);
    let shift = context.interpolation.farthest;
    let reach = context.largest + context.outlier_drift;
    let rows = grid.rows_reaching(area.min.y - reach, area.max.y + reach);
    let slots = if context.largest == 0.0 || rows.is_empty() {
        0..0
    } else {
        grid.row_slots(rows.start).start..grid.row_slots(rows.end - 1).end
    };
    grid.outliers_in(slots).filter(move |&slot| {
        let (y, radius) = (agents.y[slot as usize], agents.radius[slot as usize]);
        let reach = radius + shift;
        let meets = y + reach >= area.min.y && y - reach <= area.max.y;
        meets && is_too_large(grid, slot, radius)
    })
}

/// For each direction in which the world repeats: the draw of all agents shifted by one world in
/// that direction, and the part of the world whose shifted agents may overlap an area.
pub(crate) fn across_seam<'a>(
    context: &DrawContext<'a>,
    area: Rect,
) -> impl Iterator<Item = (DrawContext<'a>, Rect)> + use<'a> {
    let draw = context.clone();
    seen_across_seam(context, area).map(move |(shift, area)| (draw.of_copies(shift), area))
}

/// The displacements to the copies of the world around it, each with the part of the world whose
/// shifted agents may overlap an area.
pub(crate) fn seen_across_seam(
    context: &DrawContext<'_>,
    area: Rect,
) -> impl Iterator<Item = (Vec2, Rect)> + use<> {
    let space = context.view.space;
    let world = space.world();
    let seen = area.intersection(&world);
    let shifts = space.shifts().filter(move |_| !seen.is_empty());
    shifts.map(move |shift| (shift, seen.shifted(-shift)))
}

/// The slots of the agents that fit their cells and may overlap an area, in cell order.
pub(crate) fn fitting<'a>(
    context: &DrawContext<'a>,
    area: Rect,
) -> impl Iterator<Item = u32> + use<'a> {
    let (grid, agents) = (context.view.grid, context.view.agents);
    let reach = context.interpolation.farthest;
    let meets = move |slot: usize| {
        let disc = agents.shape(slot);
        area.intersects(&Rect::around(disc.center, disc.radius + reach))
            && !is_too_large(grid, slot as u32, disc.radius)
    };
    rows(context, area)
        .flat_map(move |row| row.slots.filter(move |&slot| meets(slot)).map(|slot| slot as u32))
}

/// The slots of all agents that fit their cells, in a fixed pseudo-random order.
pub(crate) fn scattered_fitting<'a>(
    context: &DrawContext<'a>,
) -> impl Iterator<Item = u32> + use<'a> {
    let (grid, agents) = (context.view.grid, context.view.agents);
    scattered(agents.len() as u32)
        .filter(move |&slot| !is_too_large(grid, slot, agents.radius[slot as usize]))
}

/// All numbers below `count` in a fixed pseudo-random order.
///
/// The order is a permutation of the numbers below the next power of two; numbers that aren't slots
/// are skipped. It takes no memory, because a table would add to the memory traffic that this order
/// demonstrates.
fn scattered(count: u32) -> impl Iterator<Item = u32> {
    let bits = u32::BITS - count.saturating_sub(1).leading_zeros();
    let mask = 1_u32.checked_shl(bits).map_or(u32::MAX, |power| power - 1);
    (0..=mask).map(move |number| scatter(number, mask, bits)).filter(move |&slot| slot < count)
}

/// Calls `work` with slots, up to a batch at a time.
pub(crate) fn in_batches(slots: impl Iterator<Item = u32>, mut work: impl FnMut(&[u32])) {
    let (mut batch, mut len) = ([0; BATCH_LEN], 0);
    slots.for_each(|slot| {
        batch[len] = slot;
        len += 1;
        if len == BATCH_LEN {
            work(&batch);
            len = 0;
        }
    });
    work(&batch[..len]);
}

/// A permutation of the numbers of `bits` bits: each of its steps can be undone.
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
