//! The scale: a bar of a round number of world units in the lower left corner.

use glam::Vec2;

use super::{
    canvas::Canvas,
    text::{self, MARGIN, PADDING, PLAIN, TextBlock},
};
use crate::raster::{OverlayCanvas, Stroke};

/// Shortest and longest bar, in pixels at scale factor 1: a factor of 2.5, so that one of 1, 2, 5, 10, …
/// fits in between.
const LENGTH: [f32; 2] = [56.0, 140.0];

/// Height of the ends, in font pixels.
const TICK: u32 = 4;

const INK: Stroke = Stroke::new(PLAIN);

/// Length of the bar.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bar {
    units: f64,
    pixels: f32,
}

/// The longest bar of 1, 2 or 5 times a power of ten units that is at most `most` pixels long.
fn bar(pixels_per_unit: f32, most: f32) -> Bar {
    let most_units = f64::from(most) / f64::from(pixels_per_unit).max(f64::MIN_POSITIVE);
    let mut power = 1.0;
    while power * 10.0 <= most_units {
        power *= 10.0;
    }
    while power > most_units && power > 1e-30 {
        power /= 10.0;
    }
    let units = [5.0, 2.0, 1.0].into_iter().find(|times| times * power <= most_units);
    let units = units.unwrap_or(1.0) * power;
    Bar { units, pixels: (units * f64::from(pixels_per_unit)) as f32 }
}

/// Draws the bar into the lower left corner of a frame, with `scale` pixels per font pixel.
pub(in crate::window) fn draw(size: [u32; 2], bytes: &mut [u8], scale: u32, pixels_per_unit: f32) {
    let Bar { units, pixels } = bar(pixels_per_unit, LENGTH[1] * scale as f32);
    // Small powers of ten are not exact.
    let text = format!("{} units", (units * 1e9).round() / 1e9);
    let text = if units == 1.0 { "1 unit" } else { &text };
    let [letters, line] = text::block_size(text.len() as u32, 1, scale);
    let width = letters.max(pixels as u32 + 2 * PADDING * scale);
    let height = line + (TICK + PADDING) * scale;
    let Some(top) = size[1].checked_sub(height + MARGIN * scale) else { return };
    let corner = [MARGIN * scale, top];
    let canvas = &mut Canvas::new(size, bytes);
    TextBlock::new(canvas, scale, corner, [width, height], 1).write(0, 0, PLAIN, text);
    let canvas = &mut OverlayCanvas::new(size, bytes);
    let (thick, tick) = (scale as f32, (TICK * scale) as f32);
    let corner = Vec2::new((corner[0] + PADDING * scale) as f32, (top + line) as f32);
    let end = corner + Vec2::new(pixels.round(), tick);
    canvas.fill([Vec2::new(corner.x, end.y - thick), end], INK);
    canvas.fill([corner, Vec2::new(corner.x + thick, end.y - thick)], INK);
    canvas.fill([Vec2::new(end.x - thick, corner.y), Vec2::new(end.x, end.y - thick)], INK);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_round_and_within_the_limits() {
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
    fn a_frame_that_is_too_small_has_no_bar() {
        for size in [[0, 0], [1, 1], [30, 20], [60, 60], [300, 200]] {
            for scale in [1, 2, 3] {
                let mut bytes = vec![0; (size[0] * size[1] * 4) as usize];
                draw(size, &mut bytes, scale, 2.5);
            }
        }
    }
}
