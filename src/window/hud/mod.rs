//! The HUD: everything that is written or drawn over the agents, straight into the pixels of the
//! frame, so that both presenters show the same. Here are its canvas, and blocks of text on it: lines of
//! letters on a darkened backing.
//!
//! ```text
//! ┌───────────────────────┐  PADDING at the sides, SPACE above and below
//! │ a line of LINE points
//! │ the next line
//! └───────────────────────┘
//! ```
//!
//! All lengths are in points, as in the panel: a canvas has `scale` pixels per point. Whatever lies outside
//! of the frame is clipped.
//!
//! - `text`: the letters, by egui
//! - `status`, `key_help`: the status line, the table of keys
//! - `corner`, `scale_bar`, `legend`: what explains the picture in its lower left corner: the scale, and
//!   the meaning of the colors
//! - `timeline_bar`, `tool_bar`: how far the run has come, to be dragged; the tools, to be clicked
//! - `menu`: pictures of all scenes and worlds, to be clicked
//! - `minimap`, `inspection`: the map of the world, and the inspected agent with its query

pub(super) mod corner;
mod inspection;
pub(super) mod key_help;
mod legend;
mod menu;
mod minimap;
mod scale_bar;
pub(super) mod status;
mod text;
pub(super) mod timeline_bar;
mod tool_bar;

pub(super) use self::{
    inspection::Inspection,
    menu::{MenuPlace, MenuTile},
    minimap::{MapPlace, Minimap},
    status::StatusField,
    text::{HudText, TEXT_SIZE, fonts},
    timeline_bar::TimelinePlace,
    tool_bar::ToolBarPlace,
};

use egui::epaint::text::Row;
use glam::Vec2;

use self::text::LINE;
use crate::raster::{OverlayCanvas, Stroke};

/// Colors of usual text, of secondary text, and of what needs attention; their grays differ, too.
pub(super) const PLAIN: [u8; 3] = [222, 226, 235];
pub(super) const QUIET: [u8; 3] = [150, 158, 176];
pub(super) const ACCENT: [u8; 3] = [255, 196, 64];

/// Opacity of the backing of a line, and of a block that is read for longer.
pub(in crate::window) const LIGHT_BACKING: f32 = 0.75;
pub(in crate::window) const DARK_BACKING: f32 = 0.9375;

/// Points beside the text of a block, and above and below it.
const PADDING: u32 = 6;
const SPACE: u32 = 3;

/// Points between a block and the border of the frame, as beside the panel.
const MARGIN: u32 = 8;

/// Pixels per point at least and at most.
const SCALES: [f32; 2] = [0.5, 16.0];

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
pub(super) struct HudCanvas<'a> {
    /// Draws lines, rings and boxes.
    pub(super) shapes: OverlayCanvas<'a>,
    /// Width and height, pixels.
    size: [u32; 2],
    /// Pixels per point.
    pub(super) scale: f32,
    /// The parts that were drawn.
    pub(super) blocks: Vec<HudBlock>,
    text: &'a mut HudText,
}

impl<'a> HudCanvas<'a> {
    /// The frame of `size` pixels in `bytes`.
    ///
    /// # Panics
    /// If the length of `bytes` does not match the size.
    pub(super) fn new(
        size: [u32; 2],
        scale: f32,
        text: &'a mut HudText,
        bytes: &'a mut [u8],
    ) -> Self {
        text.begin_frame();
        let shapes = OverlayCanvas::new(size, bytes);
        let scale = scale.clamp(SCALES[0], SCALES[1]);
        Self { shapes, size, scale, blocks: Vec::new(), text }
    }

    /// Pixels of a number of points.
    fn pixels(&self, points: u32) -> u32 {
        pixels(points, self.scale)
    }

    /// Width of thin lines: a whole number of pixels, so that they are sharp.
    pub(super) fn pen(&self) -> f32 {
        self.scale.round().max(1.0)
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
        let [width, height] = block_size(self.width(text), 1, self.scale);
        let [x, y] = at.map(|side| side + self.pixels(MARGIN));
        let block = PixelRect { x, y, width, height };
        self.begin_block(name, block, LIGHT_BACKING);
        self.write_in(block, [0, 0], PLAIN, text);
    }

    /// Width of a line in points.
    fn width(&mut self, text: &str) -> u32 {
        self.text.width(text, self.scale)
    }

    /// Writes text into a line of a block, at a distance in points from its left.
    fn write_in(&mut self, block: PixelRect, place: [u32; 2], color: [u8; 3], text: &str) {
        self.write(place_in(block, place, self.scale), color, text);
    }

    /// Writes a line with its upper left corner at `[x, y]`.
    pub(super) fn write(&mut self, at: [u32; 2], color: [u8; 3], text: &str) {
        let line = self.text.line(text, self.scale);
        for row in &line.rows {
            self.write_row(at, color, row);
        }
    }

    /// Writes a line that is laid out.
    fn write_row(&mut self, at: [u32; 2], color: [u8; 3], row: &Row) {
        text::draw_row(&mut self.shapes, self.text.atlas(), row, at, color, self.scale);
    }
}

/// Pixels per point for a display's scale factor.
pub(super) fn text_scale(scale_factor: f64) -> f32 {
    (scale_factor as f32).clamp(SCALES[0], 8.0)
}

/// Pixels of a number of points.
fn pixels(points: u32, scale: f32) -> u32 {
    (points as f32 * scale).round() as u32
}

/// Points per line, and lines, that fit into a block that fills a frame.
fn room(size: [u32; 2], scale: f32) -> [u32; 2] {
    let [width, height] = size.map(|side| (side as f32 / scale) as u32);
    [width.saturating_sub(2 * PADDING), height.saturating_sub(2 * SPACE) / LINE]
}

/// Width and height of a block of lines of `width` points, in pixels.
fn block_size(width: u32, lines: u32, scale: f32) -> [u32; 2] {
    [width + 2 * PADDING, lines * LINE + 2 * SPACE].map(|side| pixels(side, scale))
}

/// The pixel at a distance in points from the left of a line of a block.
fn place_in(block: PixelRect, [points, line]: [u32; 2], scale: f32) -> [u32; 2] {
    [block.x + pixels(PADDING + points, scale), block.y + pixels(SPACE + line * LINE, scale)]
}
