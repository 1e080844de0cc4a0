//! Legends: the meaning of the colors of the agents, and of an overlay.
//!
//! ```text
//! ┌──────────────┐   ┌────────────────────┐   ┌──┬───────┐   ┌──┬───────────┐
//! │ title        │   │ title ▒▒▒▒▒▒▒▒▒▒▒▒ │   │▒▒│ title │   │▒▒│ title     │
//! │ ▒▒▒▒▒▒▒▒▒▒▒▒ │   │       0    1     2 │   │▒▒│ line  │   │▒▒│ line, line│
//! │ 0    1     2 │   └────────────────────┘   │▒▒│ line  │   └──┴───────────┘
//! └──────────────┘    low                     └──┴───────┘    low
//!
//! ┌────────┐   ┌──────────────────────┐
//! │ title  │   │ title ▒ name  ▒ name │
//! │ ▒ name │   │       ▒ name         │
//! │ ▒ name │   └──────────────────────┘
//! └────────┘    low
//! ```

use glam::Vec2;

use super::{
    HudCanvas, LIGHT_BACKING, LINE, PADDING, PLAIN, PixelRect, QUIET, SPACE, pixels, place_in,
};
use crate::raster::{ColorTable, Legend, LegendKey, Stroke};

/// Points: width of a scale and of what is above it, height of a scale, and the gap between parts.
const WIDTH: u32 = 140;
const SCALE: u32 = 8;
const GAP: u32 = 3;

/// Points: height of the contents of a low legend, and width of its scale.
const LOW: u32 = 2 * LINE;
const LOW_WIDTH: u32 = 110;

/// Names that lie above each other in a low legend.
const LOW_NAMES: usize = 2;

/// Height of a low legend, in points.
pub(super) const LOW_HEIGHT: u32 = LOW + 2 * SPACE;

/// A legend, laid out.
pub(super) struct LegendBlock {
    /// Width and height of its block, pixels.
    pub(super) size: [u32; 2],
    legend: Legend,
    is_low: bool,
    /// Points: width of the title and the lines of a low one.
    text: u32,
    /// Points: width of a name with its color, and what is between two columns.
    name: u32,
}

impl LegendBlock {
    pub(super) fn new(canvas: &mut HudCanvas<'_>, mut legend: Legend, is_low: bool) -> Self {
        let mut text = canvas.width(legend.title);
        if let LegendKey::Wheel(lines) = &mut legend.key
            && is_low
        {
            *lines = vec![lines.join(", ")];
            text = text.max(canvas.width(&lines[0]));
        }
        let mut name = 0;
        if let LegendKey::Names(names) = &legend.key {
            let widest = names.iter().map(|name| canvas.width(name)).max();
            name = widest.map_or(0, |widest| SCALE + GAP + widest + 2 * GAP);
        }
        let mut block = Self { size: [0; 2], legend, is_low, text, name };
        let side = block.side();
        let [width, height] = match &block.legend.key {
            LegendKey::None if is_low => [text, LINE],
            LegendKey::None => [WIDTH, LINE],
            LegendKey::Wheel(_) | LegendKey::Map if is_low => [side + 2 * GAP + text, side],
            LegendKey::Wheel(_) | LegendKey::Map => [WIDTH, side],
            LegendKey::Names(names) if is_low => {
                [text + 2 * GAP + name * names.len().div_ceil(LOW_NAMES) as u32, LOW]
            }
            LegendKey::Names(names) => [text.max(name), LINE * (1 + names.len() as u32)],
            _ if is_low => [text + 2 * GAP + LOW_WIDTH, LOW],
            _ => [WIDTH, LINE + GAP + SCALE + LINE],
        };
        let size = [width + 2 * PADDING, height + 2 * SPACE];
        block.size = size.map(|side| pixels(side, canvas.scale));
        block
    }

    /// Side of a wheel or map, in points: as high as the title and the lines beside it, and high enough
    /// to be seen; 0 without one.
    fn side(&self) -> u32 {
        match &self.legend.key {
            LegendKey::Wheel(_) | LegendKey::Map if self.is_low => LOW,
            LegendKey::Wheel(lines) => LINE * (1 + lines.len() as u32).max(3),
            LegendKey::Map => LINE * 3,
            _ => 0,
        }
    }

    /// Draws the legend with its upper left corner at `[x, y]`.
    pub(super) fn draw(&self, canvas: &mut HudCanvas<'_>, colors: &ColorTable, [x, y]: [u32; 2]) {
        let scale = canvas.scale;
        let [width, height] = self.size;
        let block = PixelRect { x, y, width, height };
        canvas.begin_block("legend", block, LIGHT_BACKING);
        let corner @ [left, top] = place_in(block, [0, 0], scale);
        let (side, gap) = (pixels(self.side(), scale), pixels(2 * GAP, scale));
        let beside = if side > 0 { left + side + gap } else { left };
        canvas.write([beside, top], PLAIN, self.legend.title);
        let wide = if self.is_low { LOW_WIDTH } else { WIDTH };
        let under = if self.is_low {
            [left + pixels(self.text, scale) + gap, top + pixels(GAP, scale)]
        } else {
            [left, top + pixels(LINE + GAP, scale)]
        };
        let below = under[1] + pixels(SCALE, scale);
        match &self.legend.key {
            LegendKey::None => {}
            LegendKey::Scale(marks) | LegendKey::Heat(marks) => {
                let heat = matches!(self.legend.key, LegendKey::Heat(_));
                let color =
                    |share: f32| if heat { colors.heat(share) } else { colors.scalar(share) };
                bands(canvas, under, pixels(wide, scale), color);
                for (share, label) in marks {
                    let width = canvas.width(label);
                    let middle = (share * wide as f32) as u32;
                    let at = middle.saturating_sub(width / 2).min(wide.saturating_sub(width));
                    canvas.write([under[0] + pixels(at, scale), below], QUIET, label);
                }
            }
            LegendKey::Names(names) => {
                let color = pixels(SCALE, scale);
                for (index, name) in names.iter().enumerate() {
                    let [column, row] = if self.is_low {
                        [index / LOW_NAMES, index % LOW_NAMES]
                    } else {
                        [0, 1 + index]
                    };
                    let x = left + pixels(column as u32 * self.name, scale);
                    let x = if self.is_low { x + pixels(self.text, scale) + gap } else { x };
                    let y = top + pixels(row as u32 * LINE, scale);
                    bands(canvas, [x, y + pixels(GAP, scale)], color, |_| colors.tone(index));
                    canvas.write([x + color + pixels(GAP, scale), y], QUIET, name);
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
        let species = ["susceptible", "infected", "immune"].map(String::from);
        let legends = styles.iter().map(|style| style.legend(&species)).chain(overlay);
        let mut squares = 0;
        for legend in legends {
            for is_low in [false, true] {
                let mut pixel = [0; 4];
                let canvas = &mut HudCanvas::new([1, 1], 1.0, &mut text, &mut pixel);
                let block = LegendBlock::new(canvas, legend.clone(), is_low);
                let side = block.side();
                squares += usize::from(side > 0);
                let lines = match &block.legend.key {
                    LegendKey::Wheel(lines) => lines.clone(),
                    _ => Vec::new(),
                };
                // Beside a square, up to the end of the block.
                let room = block.size[0] - PADDING - side - 2 * GAP;
                for line in lines.iter().map(String::as_str).chain([legend.title]) {
                    let width = canvas.width(line);
                    assert!(width <= room, "{line:?}: {width} points in {room}");
                }
                assert!(!is_low || block.size[1] <= LOW_HEIGHT, "{:?}", block.size);
            }
        }
        assert_eq!(squares, 6);
    }

    #[test]
    fn every_species_has_its_color_and_its_name() {
        let species = ["susceptible", "infected", "immune"].map(String::from);
        let style = Style { color_by: ColorBy::Species, ..Style::default() };
        let (size, mut text) = ([320, 80], HudText::new());
        for is_low in [false, true] {
            let mut bytes = vec![0; 4 * 320 * 80];
            let canvas = &mut HudCanvas::new(size, 1.0, &mut text, &mut bytes);
            let block = LegendBlock::new(canvas, style.legend(&species), is_low);
            block.draw(canvas, &ColorTable::new(&style), [10, 5]);
            let [right, bottom] = [10 + block.size[0], 5 + block.size[1]].map(|side| side as usize);
            let mut places = Vec::new();
            for color in &style.species[..species.len()] {
                let pixels = bytes.chunks_exact(4).enumerate().filter(|(_, at)| at[..3] == *color);
                let pixels: Vec<_> = pixels.map(|(at, _)| [at % 320, at / 320]).collect();
                assert_eq!(pixels.len() as u32, SCALE * SCALE);
                assert!(pixels.iter().all(|at| at[0] < right && at[1] < bottom), "{pixels:?}");
                places.push(pixels[0]);
            }
            let [first, second, third] = places[..] else { panic!("three places") };
            assert!(first[0] == second[0] && first[1] < second[1]);
            assert_eq!(third[1], if is_low { first[1] } else { second[1] + LINE as usize });
        }
    }
}
