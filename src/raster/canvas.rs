//! Thin shapes over a frame: lines, rings and boxes, anti-aliased and clipped.
//!
//! ```text
//!   ░▓█▓░      coverage of a pixel by the distance of its center from the border of the shape:
//!   ░▓█▓░      from 0 half a pixel outside to 1 half a pixel inside
//! ```
//!
//! Invariant: a pixel depends on the shape and on the pixel, never on where the canvas begins, so a
//! shape that meets two bands of a frame may be drawn in both.

use std::ops::Range;

use glam::Vec2;

use crate::raster::{
    band::FrameBand,
    blend::{self, Pixel, interval},
};

/// The color and opacity of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    /// Red, green, blue.
    pub(crate) color: [u8; 3],
    /// 0 (invisible) to 1 (opaque).
    pub(crate) opacity: f32,
}

impl Stroke {
    /// An opaque color.
    pub(crate) const fn new(color: [u8; 3]) -> Self {
        Self { color, opacity: 1.0 }
    }

    /// The same color with that share of its opacity.
    #[must_use]
    pub(crate) fn faded(self, share: f32) -> Self {
        Self { opacity: self.opacity * share.clamp(0.0, 1.0), ..self }
    }
}

/// Rows of a borrowed frame. All coordinates are pixels from the upper left corner of the frame, y
/// down.
#[derive(Debug)]
pub(crate) struct OverlayCanvas<'a> {
    width: i32,
    top: i32,
    rows: i32,
    pixels: &'a mut [Pixel],
}

impl<'a> OverlayCanvas<'a> {
    /// A whole frame of RGBA8 pixels, top row first.
    ///
    /// # Panics
    /// If `bytes` is not as long as the size says.
    #[cfg(any(test, feature = "window"))]
    pub(crate) fn new([width, height]: [u32; 2], bytes: &'a mut [u8]) -> Self {
        let pixels: &mut [Pixel] = bytemuck::cast_slice_mut(bytes);
        assert_eq!(
            pixels.len(),
            width as usize * height as usize,
            "a canvas covers its whole frame"
        );
        let [width, rows] = [width, height].map(u32::cast_signed);
        Self { width, top: 0, rows, pixels }
    }

    /// A band of a frame.
    pub(crate) fn from_band(band: &'a mut FrameBand<'_>) -> Self {
        Self { width: band.width, top: band.top, rows: band.rows, pixels: band.pixels }
    }

    /// Draws a line of that width with round ends; a dot if both ends are equal.
    pub(crate) fn line(&mut self, [a, b]: [Vec2; 2], width: f32, stroke: Stroke) {
        let reach = 0.5 * width + 0.5;
        let along = b - a;
        let square = along.length_squared();
        let per_square = if square > 0.0 { 1.0 / square } else { 0.0 };
        for y in self.rows_within(a.y.min(b.y) - reach, a.y.max(b.y) + reach) {
            let middle = y as f32 + 0.5;
            // The part of the line that is near enough to this row, as shares of its length.
            let [s, t] = if along.y == 0.0 {
                [0.0, 1.0]
            } else {
                [middle - reach, middle + reach].map(|y| ((y - a.y) / along.y).clamp(0.0, 1.0))
            };
            let (p, q) = (a.x + along.x * s, a.x + along.x * t);
            for x in self.columns_within(p.min(q) - reach, p.max(q) + reach) {
                let from_a = Vec2::new(x as f32 + 0.5, middle) - a;
                let share = (from_a.dot(along) * per_square).clamp(0.0, 1.0);
                let off = from_a - along * share;
                self.tint([x, y], stroke, reach - off.length());
            }
        }
    }

    /// Draws the outline of a disc; half of its width lies inside.
    #[cfg(any(test, feature = "window"))]
    pub(crate) fn ring(&mut self, center: Vec2, radius: f32, width: f32, stroke: Stroke) {
        let reach = 0.5 * width + 0.5;
        let outer = radius + reach;
        let inner = (radius - reach).max(0.0);
        for y in self.rows_within(center.y - outer, center.y + outer) {
            let dy = y as f32 + 0.5 - center.y;
            let half = |radius: f32| (radius * radius - dy * dy).max(0.0).sqrt();
            let (far, near) = (half(outer), (half(inner) - 1.0).max(0.0));
            let left = self.columns_within(center.x - far, center.x - near);
            let right = self.columns_within(center.x + near, center.x + far);
            for x in left.clone().chain(left.end.max(right.start)..right.end) {
                let off = Vec2::new(x as f32 + 0.5 - center.x, dy).length() - radius;
                self.tint([x, y], stroke, reach - off.abs());
            }
        }
    }

    /// Draws a filled disc.
    pub(crate) fn disc(&mut self, center: Vec2, radius: f32, stroke: Stroke) {
        self.line([center; 2], 2.0 * radius, stroke);
    }

    /// Draws the outline of a box; all of its width lies inside.
    pub(crate) fn outline(&mut self, [min, max]: [Vec2; 2], width: f32, stroke: Stroke) {
        let inner = [(min + width).min(max), (max - width).max(min)];
        self.fill([min, Vec2::new(max.x, inner[0].y)], stroke);
        self.fill([Vec2::new(min.x, inner[1].y.max(inner[0].y)), max], stroke);
        let [low, high] = [inner[0].y, inner[1].y.max(inner[0].y)];
        self.fill([Vec2::new(min.x, low), Vec2::new(inner[0].x, high)], stroke);
        self.fill([Vec2::new(inner[1].x.max(inner[0].x), low), Vec2::new(max.x, high)], stroke);
    }

    /// Draws a filled box, with the exact coverage of its border pixels.
    pub(crate) fn fill(&mut self, [min, max]: [Vec2; 2], stroke: Stroke) {
        let columns = self.columns_within(min.x, max.x);
        for y in self.rows_within(min.y, max.y) {
            let covered = interval(y as f32, [min.y, max.y]);
            // The columns between the two outermost ones are covered over their whole width.
            let mut inner = columns.end..columns.end;
            if covered >= 1.0 && stroke.opacity >= 1.0 && columns.len() > 2 {
                inner = columns.start + 1..columns.end - 1;
                let row = (y - self.top) * self.width;
                let [from, to] = [inner.start, inner.end].map(|x| (row + x) as usize);
                self.pixels[from..to].fill(blend::opaque(stroke.color));
            }
            for x in (columns.start..inner.start).chain(inner.end..columns.end) {
                self.tint([x, y], stroke, covered * interval(x as f32, [min.x, max.x]));
            }
        }
    }

    /// Copies a picture of rows of `width` pixels to the place with its upper left corner at `[x, y]`.
    #[cfg(feature = "window")]
    pub(crate) fn copy(&mut self, [x, y]: [u32; 2], width: u32, picture: &[[u8; 4]]) {
        let shown = width.min((self.width as u32).saturating_sub(x)) as usize;
        if shown == 0 {
            return;
        }
        for (y, row) in (y.cast_signed()..).zip(picture.chunks_exact(width as usize)) {
            if (self.top..self.top + self.rows).contains(&y) {
                let at = ((y - self.top) * self.width) as usize + x as usize;
                self.pixels[at..at + shown].copy_from_slice(&row[..shown]);
            }
        }
    }

    /// Mixes a color into the pixels right of and below `[x, y]`, row by row, by the coverage of each: 0
    /// to 255.
    #[cfg(feature = "window")]
    pub(crate) fn stencil<R: Iterator<Item = u8>>(
        &mut self,
        [x, y]: [i32; 2],
        rows: impl Iterator<Item = R>,
        color: [u8; 3],
    ) {
        let stroke = Stroke::new(color);
        for (y, row) in (y..).zip(rows) {
            if (self.top..self.top + self.rows).contains(&y) {
                for (x, covered) in (x..).zip(row) {
                    if covered > 0 && (0..self.width).contains(&x) {
                        self.tint([x, y], stroke, f32::from(covered) / 255.0);
                    }
                }
            }
        }
    }

    /// The rows of the canvas between two heights.
    fn rows_within(&self, low: f32, high: f32) -> Range<i32> {
        let [first, end] = pixel_range(low, high);
        first.max(self.top)..end.min(self.top + self.rows)
    }

    /// The columns between two coordinates.
    fn columns_within(&self, low: f32, high: f32) -> Range<i32> {
        let [first, end] = pixel_range(low, high);
        first.max(0)..end.min(self.width)
    }

    /// Mixes a stroke into a pixel of the canvas, by the coverage of the pixel.
    fn tint(&mut self, [x, y]: [i32; 2], stroke: Stroke, covered: f32) {
        let [r, g, b] = stroke.color;
        let weight = blend::weight(covered.clamp(0.0, 1.0) * stroke.opacity);
        let pixel = &mut self.pixels[((y - self.top) * self.width + x) as usize];
        *pixel = blend::mix(*pixel, [r, g, b, 255], weight);
    }
}

/// The pixels that an interval meets: the first, and the first behind. Casts saturate, which is
/// beyond every frame.
fn pixel_range(low: f32, high: f32) -> [i32; 2] {
    [low.floor() as i32, high.ceil() as i32]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: u32 = 12;

    /// A drawing in white on black, with one letter per pixel for its brightness.
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
    fn rings_are_hollow() {
        let ring = drawn(|canvas| canvas.ring(Vec2::splat(6.0), 4.0, 1.0, WHITE));
        let lines: Vec<&str> = ring.lines().collect();
        assert_eq!(lines[1].trim(), lines[10].trim(), "\n{ring}");
        assert_eq!(lines[5].chars().nth(5), Some(' '), "\n{ring}");
    }

    #[cfg(feature = "window")]
    #[test]
    fn a_stencil_covers_its_pixels() {
        let rows = [[255, 0, 80], [0, 160, 255]];
        let stencil = drawn(|canvas| {
            canvas.stencil([-1, 2], rows.into_iter().map(IntoIterator::into_iter), [255; 3]);
        });
        assert_eq!(stencil.trim_end(), "\n\n .\n+#");
    }

    #[test]
    fn shapes_outside_or_far_away_are_clipped() {
        let far = Vec2::splat(1e30);
        for point in [Vec2::ZERO, Vec2::splat(11.9), -far, far, Vec2::splat(f32::NAN)] {
            drawn(|canvas| {
                canvas.line([point, Vec2::splat(4.0)], 2.0, WHITE);
                canvas.ring(point, 5.0, 1.0, WHITE);
                canvas.ring(point, 1e20, 1.0, WHITE);
                canvas.fill([point, far], WHITE);
                canvas.outline([-far, point], 3.0, WHITE);
            });
        }
        #[cfg(feature = "window")]
        for corner in [[i32::MIN, 0], [-2, 11], [11, -2], [9, 9], [i32::MAX - 9, i32::MAX - 9]] {
            drawn(|canvas| canvas.stencil(corner, (0..6).map(|_| [9; 6].into_iter()), [255; 3]));
        }
    }
}
