//! Legends in the lower left corner: the meaning of the colors of the agents, and of an overlay.

use glam::Vec2;

use super::{HudCanvas, LETTER, LIGHT_BACKING, MARGIN, PADDING, PLAIN, PixelRect, QUIET, wrap};
use crate::raster::{ColorTable, Legend, LegendKey, Stroke};

/// Font pixels: width of the contents, height of a scale, side of a wheel or map, and the gap
/// between parts.
const WIDTH: u32 = 140;
const SCALE: u32 = 10;
const SIDE: u32 = 56;
const GAP: u32 = 5;

/// Letters beside a wheel, up to the end of the block.
const BESIDE: u32 = (WIDTH + PADDING - SIDE - 2 * GAP) / LETTER;

/// A window of fewer rows, in heights of the legend, has none.
const SHARE: u32 = 4;

/// Draws the legend beside that many columns at the left and above that many rows at the bottom.
/// Returns the rows that it takes.
pub(in crate::window) fn draw(
    canvas: &mut HudCanvas<'_>,
    legend: &Legend,
    colors: &ColorTable,
    [beside, above]: [u32; 2],
) -> u32 {
    let pen = canvas.scale;
    let contents = match &legend.key {
        LegendKey::None => 0,
        LegendKey::Scale(_) | LegendKey::Heat(_) | LegendKey::Factions => {
            GAP + SCALE + GAP + LETTER
        }
        LegendKey::Wheel(_) | LegendKey::Map => GAP + SIDE,
    };
    let height = (2 * PADDING + LETTER + contents) * pen;
    let Some(y) = canvas.size[1].checked_sub(height + MARGIN * pen + above) else { return 0 };
    if canvas.size[1] < SHARE * height {
        return 0;
    }
    let block =
        PixelRect { x: beside + MARGIN * pen, y, width: (WIDTH + 2 * PADDING) * pen, height };
    canvas.begin_block("legend", block, LIGHT_BACKING);
    canvas.write_in(block, [0, 0], PLAIN, legend.title);
    let corner = [block.x + PADDING * pen, block.y + (PADDING + LETTER + GAP) * pen];
    match &legend.key {
        LegendKey::None => {}
        LegendKey::Scale(marks) | LegendKey::Heat(marks) => {
            let heat = matches!(legend.key, LegendKey::Heat(_));
            let color = |share: f32| if heat { colors.heat(share) } else { colors.scalar(share) };
            bands(canvas, corner, WIDTH * pen, color);
            for (share, label) in marks {
                let width = label.len() as u32 * LETTER * pen;
                let middle = (share * (WIDTH * pen) as f32) as u32;
                let left = middle.saturating_sub(width / 2).min(WIDTH * pen - width);
                let row = corner[1] + (SCALE + GAP) * pen;
                canvas.write([corner[0] + left, row], QUIET, label);
            }
        }
        LegendKey::Factions => {
            let half = WIDTH / 2 * pen;
            for (index, name) in ["left", "right"].into_iter().enumerate() {
                let x = corner[0] + index as u32 * half;
                bands(canvas, [x, corner[1]], half, |_| colors.tone(index));
                canvas.write([x, corner[1] + (SCALE + GAP) * pen], QUIET, name);
            }
        }
        LegendKey::Wheel(lines) => {
            square(canvas, corner, |x, y| (x * x + y * y <= 1.0).then(|| colors.vector(x, y)));
            for (row, line) in (0..).zip(lines.iter().flat_map(|line| wrap(line, BESIDE))) {
                let y = corner[1] + (GAP + row * (LETTER + GAP)) * pen;
                canvas.write([corner[0] + (SIDE + 2 * GAP) * pen, y], QUIET, line);
            }
        }
        LegendKey::Map => square(canvas, corner, |x, y| Some(colors.start(x, y))),
    }
    height + MARGIN * pen
}

/// Draws a scale of that many pixels, with a color for each share of the way.
fn bands(canvas: &mut HudCanvas<'_>, [x, y]: [u32; 2], width: u32, color: impl Fn(f32) -> [u8; 3]) {
    for column in 0..width {
        let min = Vec2::new((x + column) as f32, y as f32);
        let max = min + Vec2::new(1.0, (SCALE * canvas.scale) as f32);
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
    let side = SIDE * canvas.scale;
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
