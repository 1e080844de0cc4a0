//! The overlays of the grid: lines between cells, bounding boxes of outlier cells, and list lengths.

use std::ops::Range;

use glam::Vec2;

use super::{
    digits,
    target::{OverlayBand, cells_per_group, fade},
};
use crate::{geometry::Rect, raster::canvas::Stroke};

const LOOSE_LINE: Stroke = Stroke { color: [130, 200, 255], opacity: 0.55 };
const OUTLIER_BOX: Stroke = Stroke::new([255, 190, 70]);
const TIGHT_LINE: Stroke = Stroke { color: [150, 255, 190], opacity: 0.7 };
const LISTED: Stroke = Stroke { color: [255, 150, 40], opacity: 0.75 };
const NUMBER: Stroke = Stroke { color: [255, 240, 210], opacity: 0.95 };

/// Distance between two lines, pixels, at which they fade in, and from which they have full opacity.
const LINE_FADE: [f32; 2] = [5.0, 22.0];

/// Smallest longer side of a box that is drawn, pixels.
const BOX_SIDE_MIN: f32 = 5.0;

/// Smallest side of a shaded group of tight cells, pixels.
const SHADED_SIDE_MIN: f32 = 4.0;

/// Smallest side of a tight cell with a number in it, pixels.
const NUMBERED_SIDE_MIN: f32 = 22.0;

/// The list length that is shaded at half opacity.
const HALF_LENGTH: f32 = 4.0;

/// Draws the loose cells, and the bounding boxes of the outlier cells.
pub(super) fn loose(over: &mut OverlayBand<'_, '_>) {
    let grid = over.context.view.grid;
    lines(over, grid.config().loose_size, grid.loose_cells(), LOOSE_LINE);
    let OverlayBand { canvas, context, area } = over;
    for aabb in grid.outlier_aabbs(area) {
        // Each search visits the boxes in a different order; opaque whole pixels look the same in any.
        let corners = context.corners(aabb).map(Vec2::round);
        if (corners[1] - corners[0]).max_element() >= BOX_SIDE_MIN {
            canvas.outline(corners, 1.0, OUTLIER_BOX);
        }
    }
}

/// Draws the tight cells, shaded by their list lengths.
pub(super) fn tight(over: &mut OverlayBand<'_, '_>) {
    let grid = over.context.view.grid;
    let size = grid.config().tight_size;
    let pixels = over.context.camera.scale * size.min_element();
    let many = cells_per_group(pixels, SHADED_SIDE_MIN);
    let [cols, rows] = grid.tight_cells();
    let group = size * many as f32;
    let origin = grid.config().bounds.min;
    let groups = |from: f32, to: f32, side: f32, count: u32| {
        // Casts saturate, however far away the area is.
        let [first, last] = [from, to].map(|at| ((at / side) as u32).min(count / many) * many);
        (first..=last).step_by(many as usize).take_while(move |&at| at < count)
    };
    let [low, high] = [over.area.min - origin, over.area.max - origin];
    for row in groups(low.y, high.y, group.y, rows) {
        for col in groups(low.x, high.x, group.x, cols) {
            let ends = [(col + many).min(cols), (row + many).min(rows)];
            let inside = (row..ends[1]).flat_map(|row| (col..ends[0]).map(move |col| [col, row]));
            let (mut listed, mut cells) = (0, 0);
            for cell in inside {
                listed += grid.listed_len(cell);
                cells += 1;
            }
            let length = listed as f32 / cells as f32;
            let world = Rect {
                min: grid.tight_bounds([col, row]).min,
                max: grid.tight_bounds(ends.map(|end| end - 1)).max.min(grid.config().bounds.max),
            };
            // Whole pixels: a pixel that two groups share would show as a seam.
            let corners = over.context.corners(&world).map(Vec2::round);
            if listed > 0 {
                over.canvas.fill(corners, LISTED.faded(length / (length + HALF_LENGTH)));
            }
            if pixels >= NUMBERED_SIDE_MIN && listed > 0 {
                let scale = (pixels / 32.0).clamp(1.0, 3.0).floor();
                digits::write(&mut over.canvas, corners[0] + 3.0, scale, listed, NUMBER);
            }
        }
    }
    lines(over, size, [cols, rows], TIGHT_LINE);
}

/// Draws lines of one pixel between cells, of which as many are left out as the distance demands.
fn lines(over: &mut OverlayBand<'_, '_>, size: Vec2, cells: [u32; 2], stroke: Stroke) {
    let OverlayBand { canvas, context, area } = over;
    let bounds = context.view.grid.config().bounds;
    let [upper, lower] = context.corners(&bounds);
    for (axis, other) in [(0, 1), (1, 0)] {
        let pixels = context.camera.scale * size[axis];
        let least = cells_per_group(pixels, LINE_FADE[0]);
        let [low, high] = [area.min, area.max]
            .map(|corner| (((corner - bounds.min) / size)[axis] as u32).min(cells[axis]));
        // The last line is the border of the world, which may lie anywhere in the last cell.
        for line in multiples(least, low..(high + 2).min(cells[axis] + 1)) {
            // Every second, fourth, … line is farther from the next of its kind.
            let level = line.trailing_zeros().min(30);
            let shown = fade(pixels * (1_u32 << level) as f32, LINE_FADE);
            let mut at = Vec2::ZERO;
            at[axis] = (bounds.min[axis] + line as f32 * size[axis]).min(bounds.max[axis]);
            let mut min = context.camera.to_pixel(at).floor();
            let mut max = min + 1.0;
            (min[other], max[other]) = (upper[other], lower[other]);
            canvas.fill([min, max], stroke.faded(shown));
        }
    }
}

/// The multiples of a number in a range.
fn multiples(number: u32, range: Range<u32>) -> impl Iterator<Item = u32> {
    (range.start.next_multiple_of(number)..range.end).step_by(number as usize)
}
