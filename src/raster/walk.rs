//! The way through the grid: which slots a part of the frame has to look at, and in which order.
//!
//! Narrow agents live in the cells that they are in or have just left, and reach no farther than the next, so
//! that those that may meet an area are one range of slots a row. Wide ones may reach anywhere: they are few, and
//! each band goes through those whose rows are near enough for the widest of them.

use std::ops::Range;

use crate::{agents::Agents, geometry::Rect, grid::Grid};

/// True if an agent is wide: too large for the cells next to its own, from where it is in it.
#[inline(always)]
pub(crate) fn is_wide(grid: &Grid, slot: u32, radius: f32) -> bool {
    radius > grid.reach() && grid.is_far(slot)
}

/// How far agents are drawn from where the grid knows them to live, at most, world units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drift {
    /// All of them, beyond what the grid allows for.
    pub(crate) all: f32,
    /// Those that are far from where they live.
    pub(crate) far: f32,
}

/// A row of cells.
pub(crate) struct Row {
    /// Among them are all of its narrow agents that may meet an area.
    pub(crate) slots: Range<usize>,
    /// True if all of them may meet it, and not only those that are far from where they live.
    pub(crate) near: bool,
}

/// The rows whose narrow agents may meet an area.
pub(crate) fn rows(grid: &Grid, area: Rect, drift: Drift) -> impl Iterator<Item = Row> {
    let close = grid.rows_reaching(area.min.y - drift.all, area.max.y + drift.all);
    let area = area.expanded(drift.far);
    grid.rows_reaching(area.min.y, area.max.y).map(move |row| Row {
        slots: grid.slots_reaching(row, area.min.x, area.max.x),
        near: close.contains(&row),
    })
}

/// The slots of the wide agents of a range, ascending.
pub(crate) fn wide<'a>(
    grid: &'a Grid,
    agents: &'a Agents,
    slots: Range<usize>,
) -> impl Iterator<Item = u32> + 'a {
    grid.far_elements(slots).filter(|&slot| is_wide(grid, slot, agents.radius[slot as usize]))
}

/// The slots of whole rows, among which are all agents whose centres lie between two heights.
pub(crate) fn between(grid: &Grid, low: f32, high: f32, drift: f32) -> Range<usize> {
    let rows = grid.rows_reaching(low - drift, high + drift);
    if rows.is_empty() {
        return 0..0;
    }
    grid.row_slots(rows.start).start..grid.row_slots(rows.end - 1).end
}
