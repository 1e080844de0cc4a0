//! The overlay of density: how much of the ground agents cover, cell by cell, or many cells together.

use std::f32::consts::PI;

use glam::Vec2;

use super::{Over, together};
use crate::{
    geometry::Rect,
    grid::{Disc, Elements},
    raster::sheet::Stroke,
};

/// Pixels of a field of one heat, at least.
const FIELD: f32 = 6.0;

/// How much of what is beneath is hidden where nothing covers the ground, and where all is covered.
const OPACITY: [f32; 2] = [0.35, 0.9];

/// The share of the ground that has the last color: equal discs that lie closest cover that much.
const FULL: f32 = 0.9;

/// Fields of loose cells, colored by the share of each that agents cover.
pub(super) fn density(over: &mut Over<'_, '_>) {
    let Over { sheet, shot, area } = over;
    let (grid, agents) = (shot.picture.grid, shot.picture.agents);
    let config = grid.config();
    let size = config.loose_size;
    let many = together(shot.camera.scale * size.min_element(), FIELD);
    let [cols, rows] = grid.loose_cells();
    let low = (area.min - config.bounds.min) / (size * many as f32);
    let high = (area.max - config.bounds.min) / (size * many as f32);
    let fields = |low: f32, high: f32, count: u32| {
        // What is left of the world or below it is in no field, however far the view goes.
        let end = (high as u32).saturating_add(1).saturating_mul(many);
        let last = if high < 0.0 { 0 } else { count.min(end) };
        ((low as u32).saturating_mul(many)..last).step_by(many as usize)
    };
    for row in fields(low.y, high.y, rows) {
        for col in fields(low.x, high.x, cols) {
            let (col_end, row_end) = ((col + many).min(cols), (row + many).min(rows));
            let field = Rect {
                min: grid.loose_bounds([col, row]).min,
                max: grid.loose_bounds([col_end - 1, row_end - 1]).max.min(config.bounds.max),
            };
            let mut covered = 0.0;
            grid.visit_rect(agents, &field, |slot| {
                covered += share_of(&field, agents.shape(slot as usize));
            });
            let share = (covered / FULL).clamp(0.0, 1.0);
            let [r, g, b, _] = shot.swatches.heat[(share * 255.0) as usize];
            let opacity = OPACITY[0] + (OPACITY[1] - OPACITY[0]) * share;
            // Whole pixels: where two fields shared one, a seam would show.
            let corners = shot.corners(&field).map(Vec2::round);
            sheet.fill(corners, Stroke { color: [r, g, b], opacity });
        }
    }
}

/// About the share of a field that a disc covers.
fn share_of(field: &Rect, Disc { center, radius }: Disc) -> f32 {
    let size = field.size();
    let side = size.max_element();
    if radius > side {
        // Its edge is nearly straight here: what counts is how far the field's middle is inside of it.
        return (0.5 + (radius - center.distance(field.center())) / side).clamp(0.0, 1.0);
    }
    // As much of it as of the square around it.
    let square = Rect::around(center, radius);
    let common = (square.max.min(field.max) - square.min.max(field.min)).max(Vec2::ZERO);
    PI / 4.0 * common.x * common.y / (size.x * size.y)
}
