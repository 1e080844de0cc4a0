//! The density overlay: the share of the ground that agents cover, per cell or per group of cells.

use std::f32::consts::PI;

use glam::Vec2;

use super::target::{OverlayBand, cells_per_group};
use crate::{
    geometry::Rect,
    grid::{Disc, Elements},
    raster::canvas::Stroke,
};

/// Smallest side of a field of one color, pixels.
const FIELD_SIDE_MIN: f32 = 6.0;

/// Opacity where nothing covers the ground, and where all of it is covered.
const OPACITY: [f32; 2] = [0.35, 0.9];

/// The covered share that gets the last color: that of the closest packing of equal discs.
const FULL: f32 = 0.9;

/// Draws fields of loose cells, colored by the share of each that agents cover.
pub(super) fn draw(over: &mut OverlayBand<'_, '_>) {
    let OverlayBand { canvas, context, area } = over;
    let (grid, agents) = (context.view.grid, context.view.agents);
    let config = grid.config();
    let size = config.loose_size;
    let many = cells_per_group(context.camera.scale * size.min_element(), FIELD_SIDE_MIN);
    let [cols, rows] = grid.loose_cells();
    let low = (area.min - config.bounds.min) / (size * many as f32);
    let high = (area.max - config.bounds.min) / (size * many as f32);
    let fields = |low: f32, high: f32, count: u32| {
        // Casts saturate; an area left of or below the world meets no field.
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
            let [r, g, b, _] = context.colors.heat[(share * 255.0) as usize];
            let opacity = OPACITY[0] + (OPACITY[1] - OPACITY[0]) * share;
            // Whole pixels: a pixel that two fields share would show as a seam.
            let corners = context.corners(&field).map(Vec2::round);
            canvas.fill(corners, Stroke { color: [r, g, b], opacity });
        }
    }
}

/// The approximate share of a field that a disc covers.
fn share_of(field: &Rect, Disc { center, radius }: Disc) -> f32 {
    let size = field.size();
    let side = size.max_element();
    if radius > side {
        // The edge is nearly straight here: the distance of the field's center inside it decides.
        return (0.5 + (radius - center.distance(field.center())) / side).clamp(0.0, 1.0);
    }
    // The same share of the disc as of the square around it.
    let square = Rect::around(center, radius);
    let common = (square.max.min(field.max) - square.min.max(field.min)).max(Vec2::ZERO);
    PI / 4.0 * common.x * common.y / (size.x * size.y)
}
