//! Culling: which slots a part of the frame has to read, and in which order.
//!
//! An agent that fits its cell lies in its home cell or has just left it, and reaches no farther
//! than the next cell. The agents of this kind that may meet an area are one range of slots per row
//! of cells. An agent too large for its cell may reach anywhere. There are few of them, and each
//! band goes through those in rows that are near enough for the largest.

use std::ops::Range;

use crate::{
    agents::Agent,
    geometry::Rect,
    grid::Grid,
    raster::context::{DrawContext, Drift},
};

/// Agents per batch. A batch fits into the L1 cache several times over.
pub(crate) const BATCH_LEN: usize = 64;

/// True if an agent is an outlier because it is too large for its cell, wherever it is in it.
#[inline(always)]
pub(crate) fn is_too_large(grid: &Grid, slot: u32, radius: f32) -> bool {
    radius > grid.near_limit() && grid.is_outlier(slot)
}

/// The part of a row of cells that an area may meet.
pub(crate) struct RowSlots {
    /// Slots that include all agents of the row that fit their cells and may meet the area.
    pub(crate) slots: Range<usize>,
    /// True if any of these agents may meet the area; false if only outliers may.
    pub(crate) near: bool,
}

/// The rows of cells that have agents that fit their cells and may meet an area.
pub(crate) fn rows(grid: &Grid, area: Rect, drift: Drift) -> impl Iterator<Item = RowSlots> {
    let close = grid.rows_reaching(area.min.y - drift.all, area.max.y + drift.all);
    let area = area.expanded(drift.outliers);
    grid.rows_reaching(area.min.y, area.max.y).map(move |row| RowSlots {
        slots: grid.slots_reaching(row, area.min.x, area.max.x),
        near: close.contains(&row),
    })
}

/// Calls `work` with the slots of the agents that are too large for their cells and may meet an
/// area, in cell order, up to a batch at a time.
pub(crate) fn for_each_too_large(
    context: &DrawContext<'_>,
    area: &Rect,
    mut work: impl FnMut(&[u32]),
) {
    if context.largest == 0.0 {
        return;
    }
    let (grid, agents) = (context.view.grid, context.view.agents);
    let near = area.expanded(context.largest);
    let shift = context.interpolation.farthest;
    let drift = context.drift.outliers;
    let rows = grid.rows_reaching(near.min.y - drift, near.max.y + drift);
    if rows.is_empty() {
        return;
    }
    let slots = grid.row_slots(rows.start).start..grid.row_slots(rows.end - 1).end;
    let mut buffer = SlotBuffer::default();
    for slot in grid.outliers_in(slots) {
        let Agent { position, radius, .. } = agents.get(slot as usize);
        let reach = radius + shift;
        let meets = position.y + reach >= area.min.y && position.y - reach <= area.max.y;
        if meets && is_too_large(grid, slot, radius) {
            buffer.push(slot, &mut work);
        }
    }
    work(buffer.rest());
}

/// Calls `work` with all slots in a fixed pseudo-random order, up to a batch at a time.
///
/// The order is a permutation of the numbers below the next power of two, of which those that
/// aren't slots are skipped. It takes no memory, which would add to the traffic that this order is
/// to show.
pub(crate) fn for_each_scattered(context: &DrawContext<'_>, mut work: impl FnMut(&[u32])) {
    let count = context.view.agents.len() as u32;
    let bits = u32::BITS - count.saturating_sub(1).leading_zeros();
    let mask = 1_u32.checked_shl(bits).map_or(u32::MAX, |power| power - 1);
    let mut buffer = SlotBuffer::default();
    for number in 0..=mask {
        let slot = scatter(number, mask, bits);
        if slot < count {
            buffer.push(slot, &mut work);
        }
    }
    work(buffer.rest());
}

/// Slots on their way into a batch.
pub(crate) struct SlotBuffer {
    slots: [u32; BATCH_LEN],
    len: usize,
}

impl Default for SlotBuffer {
    fn default() -> Self {
        Self { slots: [0; BATCH_LEN], len: 0 }
    }
}

impl SlotBuffer {
    /// Adds a slot, and passes a full batch to `work`.
    #[inline(always)]
    pub(crate) fn push(&mut self, slot: u32, work: &mut impl FnMut(&[u32])) {
        self.slots[self.len] = slot;
        self.len += 1;
        if self.len == BATCH_LEN {
            work(&self.slots);
            self.len = 0;
        }
    }

    /// The slots that were not passed on yet.
    pub(crate) fn rest(&self) -> &[u32] {
        &self.slots[..self.len]
    }
}

/// A permutation of the numbers of that many bits: each of its steps can be undone.
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
