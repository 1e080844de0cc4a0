//! The HUD: everything that is written or drawn over the agents, straight into the pixels of the
//! frame, so that both presenters show the same. Here are its canvas, and blocks of text on it: lines of
//! letters on a darkened backing.
//!
//! ```text
//! ┌───────────────────────┐  PADDING
//! │ letters of LETTER × LETTER font pixels, `scale` pixels each
//! │                          LEADING
//! │ the next line
//! └───────────────────────┘  PADDING
//! ```
//!
//! Letters are an 8×8 bitmap font in whole pixels. Whatever lies outside of the frame is clipped.
//!
//! - `status`, `key_help`, `scale_bar`, `legend`: the status line, the table of keys, the scale, and
//!   the meaning of the colors
//! - `timeline_bar`, `tool_bar`: how far the run has come, to be dragged; the tools, to be clicked
//! - `menu`: pictures of all scenes and worlds, to be clicked
//! - `minimap`, `inspection`: the map of the world, and the inspected agent with its query

mod inspection;
pub(super) mod key_help;
pub(super) mod legend;
mod menu;
mod minimap;
pub(super) mod scale_bar;
pub(super) mod status;
pub(super) mod timeline_bar;
mod tool_bar;

pub(super) use self::{
    inspection::Inspection,
    menu::{MenuPlace, MenuTile},
    minimap::{MapPlace, Minimap},
    status::StatusField,
    timeline_bar::TimelinePlace,
    tool_bar::ToolBarPlace,
};

use font8x8::legacy::BASIC_LEGACY;
use glam::Vec2;

use crate::raster::{OverlayCanvas, Stroke};

/// Side of a letter in font pixels.
pub(super) const LETTER: u32 = 8;

/// Colors of usual text, of secondary text, and of what needs attention; their grays differ, too.
pub(super) const PLAIN: [u8; 3] = [222, 226, 235];
pub(super) const QUIET: [u8; 3] = [150, 158, 176];
pub(super) const ACCENT: [u8; 3] = [255, 196, 64];

/// Opacity of the backing of a line, and of a block that is read for longer.
const LIGHT_BACKING: f32 = 0.75;
const DARK_BACKING: f32 = 0.9375;

/// Font pixels around a block, and between its lines.
const PADDING: u32 = 6;
const LEADING: u32 = 5;

/// Font pixels between a block and the border of the frame.
const MARGIN: u32 = 12;

/// A rectangle of physical pixels; the origin is the upper left corner of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PixelRect {
    /// Left edge.
    pub(in crate::window) x: u32,
    /// Top edge.
    pub(in crate::window) y: u32,
    /// Pixels per row.
    pub(in crate::window) width: u32,
    /// Rows.
    pub(in crate::window) height: u32,
}

/// A part of the HUD, and the pixels that it covers.
pub(crate) type HudBlock = (&'static str, PixelRect);

/// The borrowed pixels of a frame, RGBA8, top row first.
#[derive(Debug)]
pub(super) struct HudCanvas<'a> {
    /// Draws lines, rings and boxes.
    pub(super) shapes: OverlayCanvas<'a>,
    /// Width and height, pixels.
    size: [u32; 2],
    /// Pixels per font pixel.
    pub(super) scale: u32,
    /// The parts that were drawn.
    pub(super) blocks: Vec<HudBlock>,
}

impl<'a> HudCanvas<'a> {
    /// The frame of `size` pixels in `bytes`.
    ///
    /// # Panics
    /// If the length of `bytes` does not match the size.
    pub(super) fn new(size: [u32; 2], scale: u32, bytes: &'a mut [u8]) -> Self {
        Self { shapes: OverlayCanvas::new(size, bytes), size, scale, blocks: Vec::new() }
    }

    /// Begins a part of the HUD on a dark area.
    fn begin_block(&mut self, name: &'static str, area: PixelRect, opacity: f32) {
        self.blocks.push((name, area));
        self.darken(area, opacity);
    }

    /// Darkens an area, so that letters on it are legible.
    fn darken(&mut self, area: PixelRect, opacity: f32) {
        let min = Vec2::new(area.x as f32, area.y as f32);
        let max = min + Vec2::new(area.width as f32, area.height as f32);
        self.shapes.fill([min, max], Stroke { color: [0; 3], opacity });
    }

    /// Writes a line in the upper left corner of the part of the frame that begins at `[x, y]`.
    pub(super) fn caption(&mut self, name: &'static str, at: [u32; 2], text: &str) {
        let [width, height] = block_size(text.len() as u32, 1, self.scale);
        let [x, y] = at.map(|side| side + MARGIN * self.scale);
        let block = PixelRect { x, y, width, height };
        self.begin_block(name, block, LIGHT_BACKING);
        self.write_in(block, [0, 0], PLAIN, text);
    }

    /// Writes text that begins at a column of a line of a block.
    fn write_in(&mut self, block: PixelRect, [column, line]: [u32; 2], color: [u8; 3], text: &str) {
        let x = block.x + (PADDING + column * LETTER) * self.scale;
        let y = block.y + (PADDING + line * (LETTER + LEADING)) * self.scale;
        self.write([x, y], color, text);
    }

    /// Writes a line with its upper left corner at `[x, y]`. Characters outside of ASCII show as
    /// `?`.
    pub(super) fn write(&mut self, [x, y]: [u32; 2], color: [u8; 3], text: &str) {
        let scale = self.scale;
        for (index, character) in (0..).zip(text.chars()) {
            let glyph =
                BASIC_LEGACY.get(character as usize).unwrap_or(&BASIC_LEGACY[b'?' as usize]);
            let left = x + index * LETTER * scale;
            for (row, bits) in (0..).zip(glyph) {
                for column in (0..LETTER).filter(|column| (bits >> column) & 1 == 1) {
                    let dot = [left + column * scale, y + row * scale].map(|side| side as f32);
                    let min = Vec2::from(dot);
                    self.shapes.fill([min, min + scale as f32], Stroke::new(color));
                }
            }
        }
    }
}

/// Pixels per font pixel for a display's scale factor.
pub(super) fn text_scale(scale_factor: f64) -> u32 {
    (scale_factor.round() as u32).clamp(1, 8)
}

/// Letters per line, and lines, that fit into a frame.
fn room([width, height]: [u32; 2], scale: u32) -> [u32; 2] {
    let [width, height] = [width, height].map(|side| (side / scale).saturating_sub(2 * PADDING));
    [width / LETTER, (height + LEADING) / (LETTER + LEADING)]
}

/// Width and height of a block, in pixels.
fn block_size(letters: u32, lines: u32, scale: u32) -> [u32; 2] {
    let height = lines * (LETTER + LEADING) - LEADING.min(lines * LEADING);
    [letters * LETTER + 2 * PADDING, height + 2 * PADDING].map(|side| side * scale)
}

/// The lines of a text, each filled with whole words up to `letters`, with at least one letter.
///
/// A word longer than a line is cut. A text without words has no lines.
fn wrap(text: &str, letters: u32) -> impl Iterator<Item = &str> + Clone {
    let letters = letters.max(1) as usize;
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(letters).map_or(rest.len(), |(end, _)| end);
        let whole = end == rest.len() || rest[end..].starts_with(' ');
        let end = if whole { end } else { rest[..end].rfind(' ').unwrap_or(end) };
        let (line, beyond) = rest.split_at(end);
        rest = beyond.trim_start();
        (!line.is_empty()).then(|| line.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_written_and_clipped() {
        let mut bytes = [0; 16 * 16 * 4];
        HudCanvas::new([16, 16], 2, &mut bytes).write([0, 0], [255; 3], "-é");
        for (row, pixels) in bytes.chunks(16 * 4).enumerate() {
            let shown: String =
                pixels.chunks(4).map(|p| if p[0] > 0 { '#' } else { '.' }).collect();
            assert_eq!(shown, if row / 2 == 3 { "############...." } else { "................" });
        }
    }

    #[test]
    fn lines_hold_whole_words_where_they_fit() {
        for (text, letters, lines) in [
            ("one two three", 20, &["one two three"][..]),
            ("one two three", 7, &["one two", "three"]),
            ("one two three", 6, &["one", "two", "three"]),
            ("one  two", 4, &["one", "two"]),
            ("an endless word", 3, &["an", "end", "les", "s", "wor", "d"]),
            ("éèü", 2, &["éè", "ü"]),
            ("ab", 0, &["a", "b"]),
            (" ", 5, &[]),
        ] {
            assert_eq!(wrap(text, letters).collect::<Vec<_>>(), lines, "{text:?}");
        }
    }
}
