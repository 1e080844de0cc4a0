//! Legends: the meaning of the colors of the agents, and of an overlay.

use glam::Vec2;

use super::{
    HudCanvas, LIGHT_BACKING, LINE, PADDING, PLAIN, PixelRect, QUIET, SPACE, pixels, place_in,
};
use crate::raster::{ColorTable, Legend, LegendKey, Stroke};

/// Points: width of the contents, height of a scale, and the gap between parts.
const WIDTH: u32 = 140;
const SCALE: u32 = 8;
const GAP: u32 = 3;

/// Width and height of the block, in pixels.
pub(super) fn size(legend: &Legend, scale: f32) -> [u32; 2] {
    let contents = match &legend.key {
        LegendKey::None => LINE,
        LegendKey::Scale(_) | LegendKey::Heat(_) | LegendKey::Factions => LINE + GAP + SCALE + LINE,
        LegendKey::Wheel(_) | LegendKey::Map => side(legend),
    };
    [WIDTH + 2 * PADDING, contents + 2 * SPACE].map(|side| pixels(side, scale))
}

/// Side of a wheel or map, in points: as high as the title and the lines beside it, and high enough to
/// be seen; 0 without one.
fn side(legend: &Legend) -> u32 {
    match &legend.key {
        LegendKey::Wheel(lines) => LINE * (1 + lines.len() as u32).max(3),
        LegendKey::Map => LINE * 3,
        _ => 0,
    }
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
    let corner @ [left, top] = place_in(block, [0, 0], scale);
    let (side, gap) = (pixels(side(legend), scale), pixels(2 * GAP, scale));
    let beside = if side > 0 { left + side + gap } else { left };
    canvas.write([beside, top], PLAIN, legend.title);
    let under = [left, top + pixels(LINE + GAP, scale)];
    let below = under[1] + pixels(SCALE, scale);
    match &legend.key {
        LegendKey::None => {}
        LegendKey::Scale(marks) | LegendKey::Heat(marks) => {
            let heat = matches!(legend.key, LegendKey::Heat(_));
            let color = |share: f32| if heat { colors.heat(share) } else { colors.scalar(share) };
            bands(canvas, under, pixels(WIDTH, scale), color);
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
                bands(canvas, [x, under[1]], half, |_| colors.tone(index));
                canvas.write([x, below], QUIET, name);
            }
        }
        LegendKey::Wheel(lines) => {
            let color = |x: f32, y: f32| (x * x + y * y <= 1.0).then(|| colors.vector(x, y));
            square(canvas, corner, side, color);
            for (row, line) in (1..).zip(lines) {
                canvas.write([beside, top + pixels(row * LINE, scale)], QUIET, line);
            }
        }
        LegendKey::Map => square(canvas, corner, side, |x, y| Some(colors.start(x, y))),
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
    side: u32,
    color: impl Fn(f32, f32) -> Option<[u8; 3]>,
) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        raster::{ColorBy, Overlay, Style},
        window::hud::HudText,
    };

    #[test]
    fn titles_and_lines_have_room() {
        let mut text = HudText::new();
        let styles = ColorBy::ALL.map(|color_by| Style { color_by, ..Style::default() });
        let overlay = Style { overlay: Overlay::Density, ..Style::default() }.overlay_legend();
        let legends = styles.iter().map(Style::legend).chain(overlay);
        let mut squares = 0;
        for legend in legends {
            let lines = match &legend.key {
                LegendKey::Wheel(lines) => lines.clone(),
                _ => Vec::new(),
            };
            squares += usize::from(side(&legend) > 0);
            // Beside a square, up to the end of the block.
            let room = WIDTH + PADDING - side(&legend) - 2 * GAP;
            for line in lines.iter().map(String::as_str).chain([legend.title]) {
                let width = text.width(line, 1.0);
                assert!(width <= room, "{line:?}: {width} points in {room}");
            }
        }
        assert_eq!(squares, 3);
    }
}
