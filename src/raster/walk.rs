//! The way through the grid: which slots a part of the frame has to look at, and in which order.
//!
//! Narrow agents reach less than half a cell out of their own, so those that may meet an area are one
//! range of slots a row. Wide ones may reach anywhere: they are few, and each band goes through those
//! whose rows are near enough for the widest of them.

use std::ops::Range;

use crate::{grid::LooseTightGrid, rect::Rect};

/// The largest radius of a narrow agent, world units.
pub(crate) fn narrow(grid: &LooseTightGrid) -> f32 {
    grid.reach()
}

/// The slots, row by row, among which are all narrow agents that may meet an area.
pub(crate) fn rows(grid: &LooseTightGrid, area: Rect) -> impl Iterator<Item = Range<usize>> {
    grid.rows_reaching(area.min.y, area.max.y)
        .map(move |row| grid.slots_reaching(row, area.min.x, area.max.x))
}

/// The slots of the cells in which all wide agents are, ascending.
pub(crate) fn wide(grid: &LooseTightGrid) -> impl Iterator<Item = Range<usize>> {
    grid.far_elements(0..grid.len()).map(|slot| slot as usize..slot as usize + 1)
}

/// The slots of whole rows, among which are all agents whose centres lie between two heights.
pub(crate) fn between(grid: &LooseTightGrid, low: f32, high: f32) -> Range<usize> {
    let rows = grid.rows_reaching(low, high);
    if rows.is_empty() {
        return 0..0;
    }
    grid.row_slots(rows.start).start..grid.row_slots(rows.end - 1).end
}
