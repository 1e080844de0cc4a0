//! The overlays of the grid: lines between cells, boxes of wide cells, and the lengths of lists.

use std::ops::Range;

use glam::Vec2;

use super::{Over, digits, fade, together};
use crate::{geometry::Rect, raster::sheet::Stroke};

const LOOSE: Stroke = Stroke { color: [130, 200, 255], opacity: 0.55 };
const WIDE: Stroke = Stroke::new([255, 190, 70]);
const TIGHT: Stroke = Stroke { color: [150, 255, 190], opacity: 0.7 };
const LISTED: Stroke = Stroke { color: [255, 150, 40], opacity: 0.75 };
const NUMBER: Stroke = Stroke { color: [255, 240, 210], opacity: 0.95 };

/// Pixels between two lines below which they aren't drawn, and from which they are drawn in full.
const LINES: [f32; 2] = [5.0, 22.0];

/// Pixels of a box's longer side below which it isn't drawn.
const BOX: f32 = 5.0;

/// Pixels of what tight cells are shaded in, at least, and of a cell with a number in it.
const SHADED: f32 = 4.0;
const NUMBERED: f32 = 22.0;

/// The length of a list that is shaded half.
const HALF: f32 = 4.0;

/// The loose cells, and the AABBs of wide ones.
pub(super) fn loose(over: &mut Over<'_, '_>) {
    let grid = over.shot.picture.grid;
    lines(over, grid.config().loose_size, grid.loose_cells(), LOOSE);
    let Over { sheet, shot, area } = over;
    grid.visit_wide(area, |aabb| {
        // Each search meets them in another order: whole pixels, hidden whole, are the same in any.
        let corners = shot.corners(aabb).map(Vec2::round);
        if (corners[1] - corners[0]).max_element() >= BOX {
            sheet.outline(corners, 1.0, WIDE);
        }
    });
}

/// The tight cells, and how many each lists.
pub(super) fn tight(over: &mut Over<'_, '_>) {
    let grid = over.shot.picture.grid;
    let size = grid.config().tight_size;
    let pixels = over.shot.camera.scale * size.min_element();
    let many = together(pixels, SHADED);
    let [cols, rows] = grid.tight_cells();
    let part = size * many as f32;
    let origin = grid.config().bounds.min;
    let blocks = |from: f32, to: f32, part: f32, count: u32| {
        // However far the view goes, or is away.
        let [first, last] = [from, to].map(|at| ((at / part) as u32).min(count / many) * many);
        (first..=last).step_by(many as usize).take_while(move |&at| at < count)
    };
    let [low, high] = [over.area.min - origin, over.area.max - origin];
    for row in blocks(low.y, high.y, part.y, rows) {
        for col in blocks(low.x, high.x, part.x, cols) {
            let ends = [(col + many).min(cols), (row + many).min(rows)];
            let inside = (row..ends[1]).flat_map(|row| (col..ends[0]).map(move |col| [col, row]));
            let (mut listed, mut cells) = (0, 0);
            for cell in inside {
                listed += grid.listed(cell);
                cells += 1;
            }
            let length = listed as f32 / cells as f32;
            let world = Rect {
                min: grid.tight_bounds([col, row]).min,
                max: grid.tight_bounds(ends.map(|end| end - 1)).max.min(grid.config().bounds.max),
            };
            // Whole pixels: where two cells shared one, a seam would show.
            let corners = over.shot.corners(&world).map(Vec2::round);
            if listed > 0 {
                over.sheet.fill(corners, LISTED.faded(length / (length + HALF)));
            }
            if pixels >= NUMBERED && listed > 0 {
                let scale = (pixels / 32.0).clamp(1.0, 3.0).floor();
                digits::write(&mut over.sheet, corners[0] + 3.0, scale, listed, NUMBER);
            }
        }
    }
    lines(over, size, [cols, rows], TIGHT);
}

/// The lines between cells that are far enough from each other, one pixel wide.
fn lines(over: &mut Over<'_, '_>, size: Vec2, cells: [u32; 2], ink: Stroke) {
    let Over { sheet, shot, area } = over;
    let bounds = shot.picture.grid.config().bounds;
    let [upper, lower] = shot.corners(&bounds);
    for (axis, other) in [(0, 1), (1, 0)] {
        let pixels = shot.camera.scale * size[axis];
        let least = together(pixels, LINES[0]);
        let [low, high] = [area.min, area.max]
            .map(|corner| (((corner - bounds.min) / size)[axis] as u32).min(cells[axis]));
        // The last line is the border, which may be anywhere in the last cell.
        for line in every(least, low..(high + 2).min(cells[axis] + 1)) {
            // Every second line, every fourth, … is farther from the next of its kind.
            let level = line.trailing_zeros().min(30);
            let shown = fade(pixels * (1_u32 << level) as f32, LINES);
            let mut at = Vec2::ZERO;
            at[axis] = (bounds.min[axis] + line as f32 * size[axis]).min(bounds.max[axis]);
            let mut min = shot.camera.to_pixel(at).floor();
            let mut max = min + 1.0;
            (min[other], max[other]) = (upper[other], lower[other]);
            sheet.fill([min, max], ink.faded(shown));
        }
    }
}

/// The multiples of a number in a range.
fn every(number: u32, range: Range<u32>) -> impl Iterator<Item = u32> {
    (range.start.next_multiple_of(number)..range.end).step_by(number as usize)
}
