//! Legends: the meaning of the colors of the agents, and of an overlay.

use glam::Vec2;

use super::{
    HudCanvas, LIGHT_BACKING, LINE, PADDING, PLAIN, PixelRect, QUIET, block_size, pixels, place_in,
};
use crate::raster::{ColorTable, Legend, LegendKey, Stroke};

/// Points: width of the contents, height of a scale, side of a wheel or map, and the gap between
/// parts.
const WIDTH: u32 = 140;
const SCALE: u32 = 8;
const SIDE: u32 = 56;
const GAP: u32 = 3;

/// Points beside a wheel, up to the end of the block.
const BESIDE: u32 = WIDTH + PADDING - SIDE - 2 * GAP;

/// Width and height of the block, in pixels.
pub(super) fn size(legend: &Legend, scale: f32) -> [u32; 2] {
    let contents = match &legend.key {
        LegendKey::None => 0,
        LegendKey::Scale(_) | LegendKey::Heat(_) | LegendKey::Factions => GAP + SCALE + LINE,
        LegendKey::Wheel(_) | LegendKey::Map => 2 * GAP + SIDE,
    };
    let [width, height] = block_size(WIDTH, 1, scale);
    [width, height + pixels(contents, scale)]
}

/// Draws the legend with its upper left corner at `[x, y]`.
pub(super) fn draw(
    canvas: &mut HudCanvas<'_>,
    legend: &Legend,
    colors: &ColorTable,
    [x, y]: [u32; 2],
) {
    let scale = canvas.scale;
    let [width, height] = size(legend, scale);
    let block = PixelRect { x, y, width, height };
    canvas.begin_block("legend", block, LIGHT_BACKING);
    canvas.write_in(block, [0, 0], PLAIN, legend.title);
    let [left, top] = place_in(block, [0, 1], scale);
    let corner = [left, top + pixels(GAP, scale)];
    let below = corner[1] + pixels(SCALE, scale);
    match &legend.key {
        LegendKey::None => {}
        LegendKey::Scale(marks) | LegendKey::Heat(marks) => {
            let heat = matches!(legend.key, LegendKey::Heat(_));
            let color = |share: f32| if heat { colors.heat(share) } else { colors.scalar(share) };
            bands(canvas, corner, pixels(WIDTH, scale), color);
            for (share, label) in marks {
                let width = canvas.width(label);
                let middle = (share * WIDTH as f32) as u32;
                let at = middle.saturating_sub(width / 2).min(WIDTH.saturating_sub(width));
                canvas.write([left + pixels(at, scale), below], QUIET, label);
            }
        }
        LegendKey::Factions => {
            let half = pixels(WIDTH / 2, scale);
            for (index, name) in ["left", "right"].into_iter().enumerate() {
                let x = left + index as u32 * half;
                bands(canvas, [x, corner[1]], half, |_| colors.tone(index));
                canvas.write([x, below], QUIET, name);
            }
        }
        LegendKey::Wheel(lines) => {
            square(canvas, corner, |x, y| (x * x + y * y <= 1.0).then(|| colors.vector(x, y)));
            let beside = left + pixels(SIDE + 2 * GAP, scale);
            let rows: Vec<_> =
                lines.iter().map(|line| canvas.text.lines(line, BESIDE, scale)).collect();
            for (row, line) in (0..).zip(rows.iter().flat_map(|line| &line.rows)) {
                canvas.write_row([beside, corner[1] + pixels(row * LINE, scale)], QUIET, line);
            }
        }
        LegendKey::Map => square(canvas, corner, |x, y| Some(colors.start(x, y))),
    }
}

/// Draws a scale of that many pixels, with a color for each share of the way.
fn bands(canvas: &mut HudCanvas<'_>, [x, y]: [u32; 2], width: u32, color: impl Fn(f32) -> [u8; 3]) {
    for column in 0..width {
        let min = Vec2::new((x + column) as f32, y as f32);
        let max = min + Vec2::new(1.0, canvas.pixels(SCALE) as f32);
        let share = (column as f32 + 0.5) / width as f32;
        canvas.shapes.fill([min, max], Stroke::new(color(share)));
    }
}

/// Draws a square with a color for each place in it, from -1 to 1 along x and, upward, along y.
fn square(
    canvas: &mut HudCanvas<'_>,
    [x, y]: [u32; 2],
    color: impl Fn(f32, f32) -> Option<[u8; 3]>,
) {
    let side = canvas.pixels(SIDE);
    let share = |pixel: u32| (pixel as f32 + 0.5) / side as f32 * 2.0 - 1.0;
    for row in 0..side {
        for column in 0..side {
            if let Some(color) = color(share(column), -share(row)) {
                let min = Vec2::new((x + column) as f32, (y + row) as f32);
                canvas.shapes.fill([min, min + 1.0], Stroke::new(color));
            }
        }
    }
}
