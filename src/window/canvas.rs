//! The pixels that go to the screen, borrowed, and letters in them.
//!
//! Letters are an 8×8 bitmap font in whole pixels on a darkened backing: a line takes microseconds,
//! allocates nothing and needs no GPU, so that both presenters show the same. What lies outside of
//! the canvas is cut off.

use font8x8::legacy::BASIC_LEGACY;

/// Side of a letter in font pixels.
pub(super) const LETTER: u32 = 8;

/// How much of a pixel's light the backing leaves, of 256.
const LEFT_OF_LIGHT: u32 = 64;

/// A borrowed image of RGBA8 pixels, top row first.
#[derive(Debug)]
pub(super) struct Canvas<'a> {
    width: u32,
    height: u32,
    pixels: &'a mut [[u8; 4]],
}

/// A rectangle of physical pixels, from the top left corner of the canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    /// Left edge.
    pub(super) x: u32,
    /// Top edge.
    pub(super) y: u32,
    /// Pixels a row.
    pub(super) width: u32,
    /// Rows.
    pub(super) height: u32,
}

impl<'a> Canvas<'a> {
    /// The image in `bytes`, four a pixel.
    ///
    /// # Panics
    /// If `bytes` is not as long as the size says.
    pub(super) fn new([width, height]: [u32; 2], bytes: &'a mut [u8]) -> Self {
        let pixels: &mut [[u8; 4]] = bytemuck::cast_slice_mut(bytes);
        assert_eq!(pixels.len(), width as usize * height as usize, "a canvas is all of its frame");
        Self { width, height, pixels }
    }

    /// Pixels a row, and rows.
    pub(super) fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// Darkens what was drawn, so that letters on it can be read.
    pub(super) fn darken(&mut self, area: Area) {
        self.for_each_row(area, |row| {
            for pixel in row {
                for channel in &mut pixel[..3] {
                    *channel = ((u32::from(*channel) * LEFT_OF_LIGHT) >> 8) as u8;
                }
            }
        });
    }

    /// Writes a line with its top left corner at `(x, y)`; a font pixel is `scale` pixels wide and
    /// high. Other characters than ASCII show as `?`.
    pub(super) fn write(&mut self, x: u32, y: u32, scale: u32, color: [u8; 3], text: &str) {
        let [red, green, blue] = color;
        for (index, character) in text.chars().enumerate() {
            let glyph =
                BASIC_LEGACY.get(character as usize).unwrap_or(&BASIC_LEGACY[b'?' as usize]);
            let left = x + index as u32 * LETTER * scale;
            for (row, bits) in (0..).zip(glyph) {
                for column in (0..LETTER).filter(|column| (bits >> column) & 1 == 1) {
                    let dot = Area {
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

    fn for_each_row(&mut self, area: Area, mut work: impl FnMut(&mut [[u8; 4]])) {
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
    fn a_letter_looks_like_one() {
        let mut bytes = [0; 8 * 8 * 4];
        Canvas::new([8, 8], &mut bytes).write(0, 0, 1, [255; 3], "J");
        let expected =
            "...####.\n....##..\n....##..\n....##..\n##..##..\n##..##..\n.####...\n........\n";
        assert_eq!(picture(8, &bytes), expected);
    }

    #[test]
    fn letters_can_be_larger() {
        let mut bytes = [0; 16 * 16 * 4];
        Canvas::new([16, 16], &mut bytes).write(0, 0, 2, [255; 3], "-");
        let expected: String = (0..16)
            .map(|row| if row / 2 == 3 { "############....\n" } else { "................\n" })
            .collect();
        assert_eq!(picture(16, &bytes), expected);
    }

    #[test]
    fn what_lies_outside_is_cut_off() {
        for (width, height) in [(0, 0), (1, 1), (5, 3), (20, 9)] {
            for (x, y) in [(0, 0), (3, 2), (100, 100)] {
                let mut bytes = vec![0; width as usize * height as usize * 4];
                let mut canvas = Canvas::new([width, height], &mut bytes);
                canvas.darken(Area { x, y, width: 50, height: 50 });
                canvas.write(x, y, 3, [255; 3], "Wide é");
            }
        }
    }

    #[test]
    fn the_backing_darkens_and_keeps_alpha() {
        let mut bytes = [200, 100, 0, 255, 200, 100, 0, 255];
        Canvas::new([2, 1], &mut bytes).darken(Area { x: 1, y: 0, width: 1, height: 1 });
        assert_eq!(bytes, [200, 100, 0, 255, 50, 25, 0, 255]);
    }
}
