//! The overlays of the grid: lines between cells, bounding boxes of outlier cells, list lengths,
//! and the density: the share of the ground that agents cover.

use std::{f32::consts::PI, ops::Range};

use glam::Vec2;

use crate::{
    geometry::Rect,
    grid::{Disc, Elements},
    raster::{
        canvas::{OverlayCanvas, Stroke},
        context::DrawContext,
    },
};

const LOOSE_LINE: Stroke = Stroke { color: [130, 200, 255], opacity: 0.55 };
const OUTLIER_BOX: Stroke = Stroke::new([255, 190, 70]);
const TIGHT_LINE: Stroke = Stroke { color: [150, 255, 190], opacity: 0.7 };
const LISTED: Stroke = Stroke { color: [255, 150, 40], opacity: 0.75 };
const NUMBER: Stroke = Stroke { color: [255, 240, 210], opacity: 0.95 };

/// Distance between two lines, pixels, at which they fade in, and from which they have full
/// opacity.
const LINE_FADE: [f32; 2] = [5.0, 22.0];

/// Smallest longer side of a box that is drawn, pixels.
const BOX_SIDE_MIN: f32 = 5.0;

/// Smallest side of a shaded group of tight cells, pixels.
const SHADED_SIDE_MIN: f32 = 4.0;

/// Smallest side of a tight cell with a number in it, pixels.
const NUMBERED_SIDE_MIN: f32 = 22.0;

/// The list length that is shaded at half opacity.
const HALF_LENGTH: f32 = 4.0;

/// Smallest side of a field of one color, pixels.
const FIELD_SIDE_MIN: f32 = 6.0;

/// Opacity where nothing covers the ground, and where all of it is covered.
const OPACITY: [f32; 2] = [0.35, 0.9];

/// The covered share that gets the last color: the share of the closest packing of equal discs.
pub(in crate::raster) const FULL: f32 = 0.9;

/// Columns of a digit.
const COLUMNS: u32 = 3;

/// The digits, top row first, the leftmost column in the highest of three bits.
const DIGITS: [[u8; 5]; 10] = [
    [0b111, 0b101, 0b101, 0b101, 0b111],
    [0b010, 0b110, 0b010, 0b010, 0b111],
    [0b111, 0b001, 0b111, 0b100, 0b111],
    [0b111, 0b001, 0b111, 0b001, 0b111],
    [0b101, 0b101, 0b111, 0b001, 0b001],
    [0b111, 0b100, 0b111, 0b001, 0b111],
    [0b111, 0b100, 0b111, 0b101, 0b111],
    [0b111, 0b001, 0b010, 0b010, 0b010],
    [0b111, 0b101, 0b111, 0b101, 0b111],
    [0b111, 0b101, 0b111, 0b001, 0b111],
];

/// A band that an overlay is drawn on.
pub(super) struct OverlayBand<'a, 'b> {
    pub(super) canvas: OverlayCanvas<'a>,
    pub(super) context: &'a DrawContext<'b>,
    /// The part of the world that the band shows, enlarged by the reach of shapes.
    pub(super) area: Rect,
}

/// The number of cells of `size` pixels that are grouped to reach a size of `least`: a power of
/// two.
pub(super) fn cells_per_group(size: f32, least: f32) -> u32 {
    // The last group size also serves cells of size 0.
    (0..31).map(|power| 1 << power).find(|&many| size * many as f32 >= least).unwrap_or(1 << 31)
}

/// Draws the loose cells, and the bounding boxes of the outlier cells.
pub(super) fn loose(over: &mut OverlayBand<'_, '_>) {
    let grid = over.context.view.grid;
    lines(over, grid.config().loose_size, grid.loose_cells(), LOOSE_LINE);
    let OverlayBand { canvas, context, area } = over;
    for aabb in grid.outlier_aabbs(area) {
        // Each search visits the boxes in a different order; opaque whole pixels look the same in
        // any.
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
    for (first, ends) in groups(over, size, grid.tight_cells(), many) {
        let [cols, rows] = [0, 1].map(|axis| first[axis]..ends[axis]);
        let cells = rows.len() * cols.len();
        let inside = rows.flat_map(|row| cols.clone().map(move |col| [col, row]));
        let listed: u32 = inside.map(|cell| grid.listed_len(cell)).sum();
        if listed == 0 {
            continue;
        }
        let length = listed as f32 / cells as f32;
        let world = Rect {
            min: grid.tight_bounds(first).min,
            max: grid.tight_bounds(ends.map(|end| end - 1)).max.min(grid.config().bounds.max),
        };
        // Whole pixels: a pixel that two groups share would show as a seam.
        let corners = over.context.corners(&world).map(Vec2::round);
        over.canvas.fill(corners, LISTED.faded(length / (length + HALF_LENGTH)));
        if pixels >= NUMBERED_SIDE_MIN {
            let scale = (pixels / 32.0).clamp(1.0, 3.0).floor();
            write(&mut over.canvas, corners[0] + 3.0, scale, listed);
        }
    }
    lines(over, size, grid.tight_cells(), TIGHT_LINE);
}

/// Draws fields of loose cells, colored by the share of each that agents cover.
pub(super) fn density(over: &mut OverlayBand<'_, '_>) {
    let (grid, agents) = (over.context.view.grid, over.context.view.agents);
    let config = grid.config();
    let side = over.context.camera.scale * config.loose_size.min_element();
    let many = cells_per_group(side, FIELD_SIDE_MIN);
    for (first, ends) in groups(over, config.loose_size, grid.loose_cells(), many) {
        let field = Rect {
            min: grid.loose_bounds(first).min,
            max: grid.loose_bounds(ends.map(|end| end - 1)).max.min(config.bounds.max),
        };
        let mut covered = 0.0;
        grid.visit_rect(agents, &field, |slot| {
            covered += share_of(&field, agents.shape(slot as usize));
        });
        let share = (covered / FULL).clamp(0.0, 1.0);
        let [r, g, b, _] = over.context.colors.heat[(share * 255.0) as usize];
        let opacity = OPACITY[0] + (OPACITY[1] - OPACITY[0]) * share;
        // Whole pixels: a pixel that two fields share would show as a seam.
        let corners = over.context.corners(&field).map(Vec2::round);
        over.canvas.fill(corners, Stroke { color: [r, g, b], opacity });
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

/// Draws lines of one pixel between cells. Where cells are small, only every second, fourth, … line
/// is drawn.
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
            let [none, all] = LINE_FADE;
            let shown = (pixels * (1_u32 << level) as f32 - none) / (all - none);
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

/// Groups of `many` × `many` cells that may overlap the area, row by row: the first column and row
/// of each group, and the column and row behind its last.
fn groups(
    over: &OverlayBand<'_, '_>,
    size: Vec2,
    cells: [u32; 2],
    many: u32,
) -> impl Iterator<Item = ([u32; 2], [u32; 2])> + use<> {
    let origin = over.context.view.grid.config().bounds.min;
    let [low, high] =
        [over.area.min, over.area.max].map(|corner| (corner - origin) / (size * many as f32));
    let [cols, rows] = [0, 1].map(|axis| {
        // Casts saturate; an area left of or below the world meets no group.
        let end = (high[axis] as u32).saturating_add(1).saturating_mul(many);
        let end = if high[axis] < 0.0 { 0 } else { cells[axis].min(end) };
        ((low[axis] as u32).saturating_mul(many)..end).step_by(many as usize)
    });
    let ends = move |first: [u32; 2]| [0, 1].map(|axis| (first[axis] + many).min(cells[axis]));
    rows.flat_map(move |row| cols.clone().map(move |col| ([col, row], ends([col, row]))))
}

/// Writes a number with its upper left corner at `corner`; a dot of a digit is `scale` pixels wide
/// and high.
fn write(canvas: &mut OverlayCanvas<'_>, corner: Vec2, scale: f32, number: u32) {
    let last = number.checked_ilog10().unwrap_or(0);
    for position in 0..=last {
        let digit = number / 10_u32.pow(last - position) % 10;
        for (row, bits) in (0_u32..).zip(DIGITS[digit as usize]) {
            for column in (0..COLUMNS).filter(|column| bits >> (COLUMNS - 1 - column) & 1 == 1) {
                let dot = Vec2::new((position * (COLUMNS + 1) + column) as f32, row as f32) * scale;
                canvas.fill([corner + dot, corner + dot + scale], NUMBER);
            }
        }
    }
}
