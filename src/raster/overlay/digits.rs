//! Numbers in a frame: digits of three by five pixels, so that the rasterizer needs no font.

use glam::Vec2;

use crate::raster::canvas::{OverlayCanvas, Stroke};

/// Columns and rows of a digit.
const SIZE: [u32; 2] = [3, 5];

/// The digits, top row first, the leftmost column in the highest of three bits.
const DIGITS: [[u8; 5]; 10] = [
    [0b111, 0b101, 0b101, 0b101, 0b111],
    [0b010, 0b110, 0b010, 0b010, 0b111],
    [0b111, 0b001, 0b111, 0b100, 0b111],
    [0b111, 0b001, 0b111, 0b001, 0b111],
    [0b101, 0b101, 0b111, 0b001, 0b001],
    [0b111, 0b100, 0b111, 0b001, 0b111],
    [0b111, 0b100, 0b111, 0b101, 0b111],
    [0b111, 0b001, 0b010, 0b010, 0b010],
    [0b111, 0b101, 0b111, 0b101, 0b111],
    [0b111, 0b101, 0b111, 0b001, 0b111],
];

/// Writes a number with its upper left corner at `corner`; a dot of a digit is `scale` pixels wide and
/// high.
pub(super) fn write(
    canvas: &mut OverlayCanvas<'_>,
    corner: Vec2,
    scale: f32,
    number: u32,
    stroke: Stroke,
) {
    let last = number.checked_ilog10().unwrap_or(0);
    for position in 0..=last {
        let digit = number / 10_u32.pow(last - position) % 10;
        for (row, bits) in (0_u32..).zip(DIGITS[digit as usize]) {
            for column in (0..SIZE[0]).filter(|column| bits >> (SIZE[0] - 1 - column) & 1 == 1) {
                let dot = Vec2::new((position * (SIZE[0] + 1) + column) as f32, row as f32) * scale;
                canvas.fill([corner + dot, corner + dot + scale], stroke);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_legible() {
        let mut bytes = [0; 16 * 6 * 4];
        let canvas = &mut OverlayCanvas::new([16, 6], &mut bytes);
        write(canvas, Vec2::ONE, 1.0, 207, Stroke::new([255; 3]));
        let drawn: String = bytes
            .chunks(16 * 4)
            .map(|row| {
                let line: String =
                    row.chunks(4).map(|p| if p[0] > 0 { '#' } else { ' ' }).collect();
                line.trim_end().to_owned() + "\n"
            })
            .collect();
        let expected = "\n ### ### ###\n   # # #   #\n ### # #  #\n #   # #  #\n ### ###  #\n";
        assert_eq!(drawn, expected);
    }
}
