//! How large things are: a bar of a round number of world units in the lower left corner.

use glam::Vec2;

use crate::{
    raster::{OverlayCanvas, Stroke},
    window::canvas::{Area, Canvas, LETTER},
};

/// Pixels that the bar is long, at least and at most, on a screen of scale factor 1: a factor of 2.5, so that
/// one of 1, 2, 5, 10, … fits in between.
const LENGTH: [f32; 2] = [56.0, 140.0];

/// Font pixels from the frame's corner, around the text, and of the ends.
const MARGIN: u32 = 12;
const PADDING: u32 = 6;
const TICK: u32 = 4;

const INK: Stroke = Stroke::new([222, 226, 235]);

/// A bar.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bar {
    units: f64,
    pixels: f32,
}

/// The longest bar of 1, 2 or 5 times a power of ten that is not longer than that.
fn bar(pixels_a_unit: f32, most: f32) -> Bar {
    let most_units = f64::from(most) / f64::from(pixels_a_unit).max(f64::MIN_POSITIVE);
    let mut power = 1.0;
    while power * 10.0 <= most_units {
        power *= 10.0;
    }
    while power > most_units && power > 1e-30 {
        power /= 10.0;
    }
    let units = [5.0, 2.0, 1.0].into_iter().find(|times| times * power <= most_units);
    let units = units.unwrap_or(1.0) * power;
    Bar { units, pixels: (units * f64::from(pixels_a_unit)) as f32 }
}

/// Draws it into a frame; a font pixel is `scale` pixels wide.
pub(super) fn draw(size: [u32; 2], bytes: &mut [u8], scale: u32, pixels_a_unit: f32) {
    let Bar { units, pixels } = bar(pixels_a_unit, LENGTH[1] * scale as f32);
    // Small powers of ten are not exact.
    let text = format!("{} units", (units * 1e9).round() / 1e9);
    let text = if units == 1.0 { "1 unit" } else { &text };
    let letters = text.len() as u32 * LETTER * scale;
    let width = letters.max(pixels as u32) + 2 * PADDING * scale;
    let height = (LETTER + TICK + 3 * PADDING) * scale;
    let Some(top) = size[1].checked_sub(height + MARGIN * scale) else { return };
    let left = MARGIN * scale;
    let canvas = &mut Canvas::new(size, bytes);
    canvas.darken(Area { x: left, y: top, width, height });
    let [x, y] = [left + PADDING * scale, top + PADDING * scale];
    canvas.write(x, y, scale, INK.color, text);
    let sheet = &mut OverlayCanvas::new(size, bytes);
    let thick = scale as f32;
    let corner = Vec2::new(x as f32, (y + (LETTER + PADDING) * scale) as f32);
    let tick = TICK as f32 * thick;
    let end = corner + Vec2::new(pixels.round(), tick);
    sheet.fill([Vec2::new(corner.x, end.y - thick), end], INK);
    sheet.fill([corner, Vec2::new(corner.x + thick, end.y - thick)], INK);
    sheet.fill([Vec2::new(end.x - thick, corner.y), Vec2::new(end.x, end.y - thick)], INK);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_round_and_neither_long_nor_short() {
        let mut scale = 1e-5_f32;
        while scale < 1e5 {
            let bar = bar(scale, LENGTH[1]);
            assert!(
                (LENGTH[0] - 0.1..=LENGTH[1] + 0.1).contains(&bar.pixels),
                "{bar:?} at {scale}"
            );
            let digits = format!("{:e}", bar.units);
            assert!(matches!(&digits[..1], "1" | "2" | "5" | "4" | "9"), "{digits}");
            scale *= 1.37;
        }
        assert_eq!(bar(1.0, 140.0).units, 100.0);
        assert_eq!(bar(3.0, 140.0).units, 20.0);
    }

    #[test]
    fn any_frame_is_large_enough_or_has_none() {
        for size in [[0, 0], [1, 1], [30, 20], [60, 60], [300, 200]] {
            for scale in [1, 2, 3] {
                let mut bytes = vec![0; (size[0] * size[1] * 4) as usize];
                draw(size, &mut bytes, scale, 2.5);
            }
        }
    }
}
