//! Thin things over a picture: lines, rings and boxes, anti-aliased and clipped.
//!
//! ```text
//!   ░▓█▓░      a pixel is covered by as much as its middle lies within the stroke's border: from half a
//!   ░▓█▓░      pixel outside of it (0) to half a pixel inside (1)
//! ```
//!
//! Invariant: what becomes of a pixel depends on the stroke and on the pixel, never on where the sheet begins:
//! a stroke that meets two bands of a frame may be drawn in both.

use std::ops::Range;

use glam::Vec2;

use crate::raster::{
    band::Band,
    blend::{self, Pixel, signed},
    ground::overlap,
};

/// What strokes are drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Red, green, blue.
    pub color: [u8; 3],
    /// 0 (nothing is seen) to 1 (nothing is seen through it).
    pub opacity: f32,
}

impl Stroke {
    /// A color that nothing is seen through.
    pub const fn new(color: [u8; 3]) -> Self {
        Self { color, opacity: 1.0 }
    }

    /// The same color, with that share of its opacity.
    #[must_use]
    pub fn faded(self, share: f32) -> Self {
        Self { opacity: self.opacity * share.clamp(0.0, 1.0), ..self }
    }
}

/// Rows of a borrowed frame. All places are pixels from the frame's upper left corner, y down.
#[derive(Debug)]
pub struct OverlayCanvas<'a> {
    width: i32,
    top: i32,
    rows: i32,
    pixels: &'a mut [Pixel],
}

impl<'a> OverlayCanvas<'a> {
    /// All of a frame of RGBA8 pixels, top row first.
    ///
    /// # Panics
    /// If `bytes` is not as long as the size says.
    pub fn new([width, height]: [u32; 2], bytes: &'a mut [u8]) -> Self {
        let pixels: &mut [Pixel] = bytemuck::cast_slice_mut(bytes);
        assert_eq!(pixels.len(), width as usize * height as usize, "a sheet is all of its frame");
        let [width, rows] = [width, height].map(|side| signed(side as usize));
        Self { width, top: 0, rows, pixels }
    }

    /// A band of a frame.
    pub(crate) fn from_band(band: &'a mut Band<'_>) -> Self {
        Self { width: band.width, top: band.top, rows: band.rows, pixels: band.pixels }
    }

    /// A line of that width with round ends; a dot if they are the same.
    pub fn line(&mut self, [a, b]: [Vec2; 2], width: f32, ink: Stroke) {
        let reach = 0.5 * width + 0.5;
        let along = b - a;
        let square = along.length_squared();
        let per_square = if square > 0.0 { 1.0 / square } else { 0.0 };
        for y in self.rows_within(a.y.min(b.y) - reach, a.y.max(b.y) + reach) {
            let middle = y as f32 + 0.5;
            // The part of it that is near enough to this row, as shares of its length.
            let [s, t] = if along.y == 0.0 {
                [0.0, 1.0]
            } else {
                [middle - reach, middle + reach].map(|y| ((y - a.y) / along.y).clamp(0.0, 1.0))
            };
            let (p, q) = (a.x + along.x * s, a.x + along.x * t);
            for x in self.columns_within(p.min(q) - reach, p.max(q) + reach) {
                let place = Vec2::new(x as f32 + 0.5, middle) - a;
                let share = (place.dot(along) * per_square).clamp(0.0, 1.0);
                let off = place - along * share;
                self.tint([x, y], ink, reach - off.length());
            }
        }
    }

    /// The outline of a disc, of that width, half of it inside.
    pub fn ring(&mut self, center: Vec2, radius: f32, width: f32, ink: Stroke) {
        let reach = 0.5 * width + 0.5;
        let outer = radius + reach;
        let inner = (radius - reach).max(0.0);
        for y in self.rows_within(center.y - outer, center.y + outer) {
            let dy = y as f32 + 0.5 - center.y;
            let half = |radius: f32| (radius * radius - dy * dy).max(0.0).sqrt();
            let (far, near) = (half(outer), half(inner) - 1.0);
            let draw = |sheet: &mut Self, xs: Range<i32>| {
                for x in xs {
                    let off = Vec2::new(x as f32 + 0.5 - center.x, dy).length() - radius;
                    sheet.tint([x, y], ink, reach - off.abs());
                }
            };
            let left = self.columns_within(center.x - far, center.x - near.max(0.0));
            let right = self.columns_within(center.x + near.max(0.0), center.x + far);
            let between = left.end.max(right.start);
            draw(self, left);
            draw(self, between..right.end);
        }
    }

    /// A disc, filled.
    pub fn disc(&mut self, center: Vec2, radius: f32, ink: Stroke) {
        self.line([center; 2], 2.0 * radius, ink);
    }

    /// The outline of a box, of that width, all of it inside.
    pub fn outline(&mut self, [min, max]: [Vec2; 2], width: f32, ink: Stroke) {
        let inner = [(min + width).min(max), (max - width).max(min)];
        self.fill([min, Vec2::new(max.x, inner[0].y)], ink);
        self.fill([Vec2::new(min.x, inner[1].y.max(inner[0].y)), max], ink);
        let [low, high] = [inner[0].y, inner[1].y.max(inner[0].y)];
        self.fill([Vec2::new(min.x, low), Vec2::new(inner[0].x, high)], ink);
        self.fill([Vec2::new(inner[1].x.max(inner[0].x), low), Vec2::new(max.x, high)], ink);
    }

    /// A box, filled; a pixel gets as much of it as it covers.
    pub fn fill(&mut self, [min, max]: [Vec2; 2], ink: Stroke) {
        for y in self.rows_within(min.y, max.y) {
            let covered = overlap(y as f32, [min.y, max.y]);
            for x in self.columns_within(min.x, max.x) {
                self.tint([x, y], ink, covered * overlap(x as f32, [min.x, max.x]));
            }
        }
    }

    /// The sheet's rows between two heights.
    fn rows_within(&self, low: f32, high: f32) -> Range<i32> {
        let [first, end] = whole(low, high);
        first.max(self.top)..end.min(self.top + self.rows)
    }

    /// The columns between two places.
    fn columns_within(&self, low: f32, high: f32) -> Range<i32> {
        let [first, end] = whole(low, high);
        first.max(0)..end.min(self.width)
    }

    /// Mixes ink into a pixel of the sheet, by how much of it is covered.
    fn tint(&mut self, [x, y]: [i32; 2], ink: Stroke, covered: f32) {
        let [r, g, b] = ink.color;
        let weight = blend::weight(covered.clamp(0.0, 1.0) * ink.opacity);
        let pixel = &mut self.pixels[((y - self.top) * self.width + x) as usize];
        *pixel = blend::mix(*pixel, [r, g, b, 255], weight);
    }
}

/// The pixels that an interval meets: the first, and the first behind. Casts saturate, as nothing is drawn
/// so far away.
fn whole(low: f32, high: f32) -> [i32; 2] {
    [low.floor() as i32, high.ceil() as i32]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: u32 = 12;

    /// What is drawn in white on black, as letters for shares of light.
    fn drawn(draw: impl Fn(&mut OverlayCanvas<'_>)) -> String {
        let mut bytes = [0; (SIDE * SIDE * 4) as usize];
        draw(&mut OverlayCanvas::new([SIDE; 2], &mut bytes));
        let letter = |pixel: &[u8]| [' ', '.', '+', '#'][usize::from(pixel[0]) * 7 / 511];
        bytes
            .chunks(SIDE as usize * 4)
            .map(|row| row.chunks(4).map(letter).collect::<String>().trim_end().to_owned() + "\n")
            .collect()
    }

    const WHITE: Stroke = Stroke::new([255; 3]);

    #[test]
    fn a_line_is_one_pixel_wide_where_it_is_asked_to_be() {
        let across = drawn(|sheet| {
            sheet.line([Vec2::new(2.5, 3.5), Vec2::new(8.5, 3.5)], 1.0, WHITE);
        });
        assert_eq!(across, "\n\n\n  #######\n\n\n\n\n\n\n\n\n");
        let diagonal = drawn(|sheet| {
            sheet.line([Vec2::new(1.5, 1.5), Vec2::new(5.5, 5.5)], 1.0, WHITE);
        });
        assert_eq!(diagonal, "\n #.\n .#.\n  .#.\n   .#.\n    .#\n\n\n\n\n\n\n");
    }

    #[test]
    fn a_ring_is_hollow_and_a_box_has_four_sides() {
        let ring = drawn(|sheet| sheet.ring(Vec2::splat(6.0), 4.0, 1.0, WHITE));
        let lines: Vec<&str> = ring.lines().collect();
        assert_eq!(lines[1].trim(), lines[10].trim(), "\n{ring}");
        assert_eq!(lines[5].chars().nth(5), Some(' '), "\n{ring}");
        let frame = drawn(|sheet| {
            sheet.outline([Vec2::splat(1.0), Vec2::new(6.0, 5.0)], 1.0, WHITE);
        });
        assert_eq!(frame, "\n #####\n #   #\n #   #\n #####\n\n\n\n\n\n\n\n");
    }

    #[test]
    fn what_lies_outside_is_cut_off_and_what_is_far_away_ends() {
        let far = Vec2::splat(1e30);
        for place in [Vec2::ZERO, Vec2::splat(11.9), -far, far, Vec2::splat(f32::NAN)] {
            drawn(|sheet| {
                sheet.line([place, Vec2::splat(4.0)], 2.0, WHITE);
                sheet.ring(place, 5.0, 1.0, WHITE);
                sheet.ring(place, 1e20, 1.0, WHITE);
                sheet.fill([place, far], WHITE);
                sheet.outline([-far, place], 3.0, WHITE);
            });
        }
    }

    #[test]
    fn a_band_has_the_pixels_of_the_whole() {
        let draw = |sheet: &mut OverlayCanvas<'_>| {
            sheet.line([Vec2::new(-3.0, 2.0), Vec2::new(14.0, 9.3)], 2.5, WHITE);
            sheet.ring(Vec2::new(6.3, 5.2), 4.4, 1.5, WHITE.faded(0.5));
            sheet.fill([Vec2::new(0.3, 4.4), Vec2::new(9.7, 7.1)], WHITE.faded(0.3));
        };
        let mut expected = [[0; 4]; 144];
        draw(&mut OverlayCanvas { width: 12, top: 0, rows: 12, pixels: &mut expected });
        let mut cut = [[0; 4]; 144];
        for (top, band) in (0..).step_by(5).zip(cut.chunks_mut(12 * 5)) {
            let rows = signed(band.len()) / 12;
            draw(&mut OverlayCanvas { width: 12, top, rows, pixels: band });
        }
        assert!(expected == cut);
    }
}
