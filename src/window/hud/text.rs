//! Text of the HUD: egui lays it out and rasterizes its letters, with the fonts and the size of the panel's
//! text, at any scale.
//!
//! ```text
//! text ─► egui ─► rows of letters, each with its place in the atlas ─► coverage of pixels ─► frame
//! ```
//!
//! egui keeps the letters that it has rasterized, and the layout of what was written in the last frame.

use std::sync::Arc;

use egui::{
    Color32, FontFamily, FontId,
    epaint::{
        AlphaFromCoverage, TextureAtlas,
        text::{FontData, FontDefinitions, Fonts, Galley, LayoutJob, Row},
    },
};
use epaint_default_fonts::{HACK_REGULAR, UBUNTU_LIGHT};

use crate::raster::OverlayCanvas;

/// Size of the text, in points.
pub(in crate::window) const TEXT_SIZE: f32 = 12.0;

/// Points from one line to the next.
pub(super) const LINE: u32 = 14;

/// Pixels per side of the atlas when it is full. The letters of a frame need a fraction of it.
const ATLAS: usize = 2048;

/// How opaque a pixel of a letter is: as on the dark ground of the panel.
const OPACITY: AlphaFromCoverage = AlphaFromCoverage::DARK_MODE_DEFAULT;

/// The fonts of the window: the default ones of egui, but for two of emojis, which nothing is written with.
/// Each family has the other one's letters, too.
pub(in crate::window) fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let mut family = Vec::new();
    for (name, font) in [("Ubuntu-Light", UBUNTU_LIGHT), ("Hack", HACK_REGULAR)] {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(font)));
        family.push(name.to_owned());
    }
    fonts.families.insert(FontFamily::Proportional, family.clone());
    family.reverse();
    fonts.families.insert(FontFamily::Monospace, family);
    fonts
}

/// The fonts, and the letters and layouts that are kept.
pub(in crate::window) struct HudText {
    fonts: Fonts,
}

impl HudText {
    /// Reads the fonts.
    pub(in crate::window) fn new() -> Self {
        Self { fonts: Fonts::new(ATLAS, OPACITY, fonts()) }
    }

    /// Begins a frame: forgets the layouts that the last one did not use.
    pub(super) fn begin_frame(&mut self) {
        self.fonts.begin_pass(ATLAS, OPACITY);
    }

    /// Width of a line in points, rounded up; `scale` is the number of pixels per point.
    pub(super) fn width(&mut self, text: &str, scale: f32) -> u32 {
        self.line(text, scale).size().x.ceil() as u32
    }

    /// A text in one line.
    pub(super) fn line(&mut self, text: &str, scale: f32) -> Arc<Galley> {
        let job = LayoutJob { break_on_newline: false, ..job(text, f32::INFINITY) };
        self.fonts.with_pixels_per_point(scale).layout_job(job)
    }

    /// The lines of a text, each filled with whole words up to `width` points. A word that is longer
    /// than a line is cut.
    pub(super) fn lines(&mut self, text: &str, width: u32, scale: f32) -> Arc<Galley> {
        self.fonts.with_pixels_per_point(scale).layout_job(job(text, width.max(1) as f32))
    }

    /// Where the letters are.
    pub(super) fn atlas(&self) -> &TextureAtlas {
        self.fonts.texture_atlas()
    }
}

/// A text in lines of at most `width` points. Its color is that of the draw.
fn job(text: &str, width: f32) -> LayoutJob {
    let font = FontId::proportional(TEXT_SIZE);
    LayoutJob::simple(text.to_owned(), font, Color32::PLACEHOLDER, width)
}

/// Draws a line of letters with its upper left corner at `[x, y]`.
pub(super) fn draw_row(
    canvas: &mut OverlayCanvas<'_>,
    atlas: &TextureAtlas,
    row: &Row,
    [x, y]: [u32; 2],
    color: [u8; 3],
    scale: f32,
) {
    let image = atlas.image();
    for glyph in row.glyphs.iter().filter(|glyph| !glyph.uv_rect.is_nothing()) {
        let place = ((glyph.pos + glyph.uv_rect.offset).to_vec2() * scale).round();
        let corner = [x.cast_signed() + place.x as i32, y.cast_signed() + place.y as i32];
        let ([left, top], [right, bottom]) = (glyph.uv_rect.min, glyph.uv_rect.max);
        let rows = (top..bottom).map(|row| {
            let row = usize::from(row) * image.width();
            image.pixels[row + usize::from(left)..row + usize::from(right)].iter().map(Color32::a)
        });
        canvas.stencil(corner, rows, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_whole_words_where_they_fit_and_cut_longer_ones() {
        let mut text = HudText::new();
        let [two, three, endless] =
            ["two three", "three", "endl"].map(|words| text.width(words, 1.0));
        for (written, width, lines) in [
            ("one two three", 500, &["one two three"][..]),
            ("one two three", two, &["one two", "three"]),
            ("one two three", three + 1, &["one", "two", "three"]),
            ("endless", endless, &["endl", "ess"]),
            ("ab", 1, &["a", "b"]),
        ] {
            let laid_out = text.lines(written, width, 1.0);
            let shown: Vec<String> =
                laid_out.rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
            assert_eq!(shown, lines, "{written:?} in {width}");
        }
    }

    #[test]
    fn a_line_of_any_scale_has_room_for_its_letters() {
        let mut text = HudText::new();
        for scale in [0.5, 1.0, 1.25, 1.5, 2.0, 3.0, 8.0] {
            let row = text.line("Åjgq|·×µ…\n", scale);
            let (rows, letters) = (row.rows.len(), row.mesh_bounds * scale);
            // Letters begin and end on whole pixels.
            let most = (LINE as f32 * scale).ceil() + 1.0;
            assert!(
                rows == 1 && letters.top() >= -1.0 && letters.bottom() <= most,
                "{scale}: {letters}"
            );
            assert!(letters.is_positive(), "{scale}");
        }
    }

    #[test]
    fn letters_have_the_places_and_the_coverage_of_the_panel() {
        let mut text = HudText::new();
        for scale in [1.0, 1.25, 2.0] {
            let row = Arc::clone(&text.line("jostle · 12.5 µs", scale).rows[0].row);
            let size = [300, 60];
            let mut bytes = vec![0; 300 * 60 * 4];
            let mut canvas = OverlayCanvas::new(size, &mut bytes);
            draw_row(&mut canvas, text.atlas(), &row, [3, 4], [255; 3], scale);
            // egui's own triangles of the line, drawn one letter after the other.
            let image = text.atlas().image();
            let mut expected = vec![0_u8; 300 * 60];
            for letter in row.visuals.mesh.vertices.chunks(4) {
                let pixel = |corner: usize| (letter[corner].pos.to_vec2() * scale).round();
                let (from, to) = (pixel(0), pixel(3));
                for y in 0..(to.y - from.y) as usize {
                    for x in 0..(to.x - from.x) as usize {
                        let texel =
                            image[(letter[0].uv.x as usize + x, letter[0].uv.y as usize + y)];
                        let [left, top] = [from.x + 3.0, from.y + 4.0].map(|side| side as usize);
                        let at = (top + y) * 300 + left + x;
                        let below = 255.0 - f32::from(expected[at]);
                        expected[at] += (below * f32::from(texel.a()) / 255.0).round() as u8;
                    }
                }
            }
            let shown = bytes.chunks(4).map(|pixel| pixel[0]);
            let off = shown.zip(&expected).map(|(one, other)| one.abs_diff(*other)).max();
            assert!(expected.iter().any(|covered| *covered > 200), "{scale}");
            assert!(off <= Some(2), "{scale}: {off:?}");
        }
    }
}
