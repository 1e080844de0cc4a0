//! The borrowed pixels of a frame, and letters in them.
//!
//! Letters are an 8×8 bitmap font in whole pixels: a line takes microseconds and allocates nothing.
//! Whatever lies outside of the canvas is clipped.

use font8x8::legacy::BASIC_LEGACY;

/// Side of a letter in font pixels.
pub(in crate::window) const LETTER: u32 = 8;

/// Share of a pixel's brightness that darkening keeps, of 256.
const BRIGHTNESS_KEPT: u32 = 64;

/// A borrowed image of RGBA8 pixels, top row first.
#[derive(Debug)]
pub(in crate::window) struct Canvas<'a> {
    width: u32,
    height: u32,
    pixels: &'a mut [[u8; 4]],
}

/// A rectangle of physical pixels; the origin is the upper left corner of the canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::window) struct PixelRect {
    /// Left edge.
    pub(in crate::window) x: u32,
    /// Top edge.
    pub(in crate::window) y: u32,
    /// Pixels per row.
    pub(in crate::window) width: u32,
    /// Rows.
    pub(in crate::window) height: u32,
}

impl<'a> Canvas<'a> {
    /// The image in `bytes`, four per pixel.
    ///
    /// # Panics
    /// If the length of `bytes` does not match the size.
    pub(in crate::window) fn new([width, height]: [u32; 2], bytes: &'a mut [u8]) -> Self {
        let pixels: &mut [[u8; 4]] = bytemuck::cast_slice_mut(bytes);
        assert_eq!(
            pixels.len(),
            width as usize * height as usize,
            "a canvas covers its whole frame"
        );
        Self { width, height, pixels }
    }

    /// Width and height, in pixels.
    pub(in crate::window) fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// Darkens the pixels of an area, so that letters on it are legible.
    pub(in crate::window) fn darken(&mut self, area: PixelRect) {
        self.for_each_row(area, |row| {
            for pixel in row {
                for channel in &mut pixel[..3] {
                    *channel = ((u32::from(*channel) * BRIGHTNESS_KEPT) >> 8) as u8;
                }
            }
        });
    }

    /// Writes a line whose upper left corner is `(x, y)`, with `scale` pixels per font pixel.
    /// Characters outside of ASCII show as `?`.
    pub(in crate::window) fn write(
        &mut self,
        x: u32,
        y: u32,
        scale: u32,
        color: [u8; 3],
        text: &str,
    ) {
        let [red, green, blue] = color;
        for (index, character) in text.chars().enumerate() {
            let glyph =
                BASIC_LEGACY.get(character as usize).unwrap_or(&BASIC_LEGACY[b'?' as usize]);
            let left = x + index as u32 * LETTER * scale;
            for (row, bits) in (0..).zip(glyph) {
                for column in (0..LETTER).filter(|column| (bits >> column) & 1 == 1) {
                    let dot = PixelRect {
                        x: left + column * scale,
                        y: y + row * scale,
                        width: scale,
                        height: scale,
                    };
                    self.for_each_row(dot, |row| row.fill([red, green, blue, 255]));
                }
            }
        }
    }

    fn for_each_row(&mut self, area: PixelRect, mut work: impl FnMut(&mut [[u8; 4]])) {
        let left = area.x.min(self.width) as usize;
        let right = (area.x + area.width).min(self.width) as usize;
        for y in area.y..(area.y + area.height).min(self.height) {
            let start = y as usize * self.width as usize;
            work(&mut self.pixels[start + left..start + right]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: usize, bytes: &[u8]) -> String {
        let rows = bytes.chunks(width * 4);
        rows.map(|row| {
            let line: String = row.chunks(4).map(|p| if p[0] > 0 { '#' } else { '.' }).collect();
            line + "\n"
        })
        .collect()
    }

    #[test]
    fn writes_a_letter() {
        let mut bytes = [0; 8 * 8 * 4];
        Canvas::new([8, 8], &mut bytes).write(0, 0, 1, [255; 3], "J");
        let expected =
            "...####.\n....##..\n....##..\n....##..\n##..##..\n##..##..\n.####...\n........\n";
        assert_eq!(picture(8, &bytes), expected);
    }

    #[test]
    fn scales_letters() {
        let mut bytes = [0; 16 * 16 * 4];
        Canvas::new([16, 16], &mut bytes).write(0, 0, 2, [255; 3], "-");
        let expected: String = (0..16)
            .map(|row| if row / 2 == 3 { "############....\n" } else { "................\n" })
            .collect();
        assert_eq!(picture(16, &bytes), expected);
    }

    #[test]
    fn clips_what_lies_outside() {
        for (width, height) in [(0, 0), (1, 1), (5, 3), (20, 9)] {
            for (x, y) in [(0, 0), (3, 2), (100, 100)] {
                let mut bytes = vec![0; width as usize * height as usize * 4];
                let mut canvas = Canvas::new([width, height], &mut bytes);
                canvas.darken(PixelRect { x, y, width: 50, height: 50 });
                canvas.write(x, y, 3, [255; 3], "Wide é");
            }
        }
    }

    #[test]
    fn darkening_keeps_alpha() {
        let mut bytes = [200, 100, 0, 255, 200, 100, 0, 255];
        Canvas::new([2, 1], &mut bytes).darken(PixelRect { x: 1, y: 0, width: 1, height: 1 });
        assert_eq!(bytes, [200, 100, 0, 255, 50, 25, 0, 255]);
    }
}
