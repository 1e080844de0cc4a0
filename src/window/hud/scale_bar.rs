//! The scale bar: a round number of world units in the lower left corner.

use glam::Vec2;

use super::{HudCanvas, LIGHT_BACKING, MARGIN, PADDING, PLAIN, PixelRect, block_size};
use crate::raster::Stroke;

/// Longest bar, in pixels at scale factor 1. The shortest is shorter by 2.5, the largest factor
/// between two of 1, 2, 5, 10, …
const LENGTH_MAX: f32 = 140.0;

/// Height of the ends, in font pixels.
const TICK: u32 = 4;

const INK: Stroke = Stroke::new(PLAIN);

/// Length of the longest bar of at most `most` pixels: world units, 1, 2 or 5 times a power of ten.
fn bar_units(pixels_per_unit: f32, most: f32) -> f64 {
    let most_units = f64::from(most) / f64::from(pixels_per_unit).max(f64::MIN_POSITIVE);
    let power = 10_f64.powi(most_units.log10().floor() as i32);
    let units = [5.0, 2.0, 1.0].into_iter().find(|times| times * power <= most_units);
    units.unwrap_or(1.0) * power
}

/// Rows that the bar takes, with its distance from the marks below it.
pub(in crate::window) fn height(scale: u32) -> u32 {
    block_size(0, 1, scale)[1] + (TICK + PADDING + MARGIN) * scale
}

/// Draws the bar into the lower left corner of the free part of the canvas: beside columns at the
/// left, and above rows at the bottom.
pub(in crate::window) fn draw(
    canvas: &mut HudCanvas<'_>,
    pixels_per_unit: f32,
    [beside, _, above]: [u32; 3],
) {
    let scale = canvas.scale;
    let units = bar_units(pixels_per_unit, LENGTH_MAX * scale as f32);
    let pixels = (units * f64::from(pixels_per_unit)) as f32;
    // Small powers of ten are not exact.
    let text = format!("{} units", (units * 1e9).round() / 1e9);
    let text = if units == 1.0 { "1 unit" } else { &text };
    let [letters, line] = block_size(text.len() as u32, 1, scale);
    let width = letters.max(pixels as u32 + 2 * PADDING * scale);
    let Some(y) = canvas.size[1].checked_sub(self::height(scale) + above) else { return };
    let height = line + (TICK + PADDING) * scale;
    let block = PixelRect { x: beside + MARGIN * scale, y, width, height };
    canvas.begin_block("scale bar", block, LIGHT_BACKING);
    canvas.write_in(block, [0, 0], PLAIN, text);
    let (thick, tick) = (scale as f32, (TICK * scale) as f32);
    let corner = Vec2::new((block.x + PADDING * scale) as f32, (y + line) as f32);
    let end = corner + Vec2::new(pixels.round(), tick);
    for part in [
        [Vec2::new(corner.x, end.y - thick), end],
        [corner, Vec2::new(corner.x + thick, end.y - thick)],
        [Vec2::new(end.x - thick, corner.y), Vec2::new(end.x, end.y - thick)],
    ] {
        canvas.shapes.fill(part, INK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_round_and_within_the_limits() {
        let mut scale = 1e-5_f32;
        while scale < 1e5 {
            let units = bar_units(scale, LENGTH_MAX);
            let pixels = units as f32 * scale;
            assert!(pixels < LENGTH_MAX + 0.1 && pixels > LENGTH_MAX / 2.5 - 0.1, "{units}");
            let digits = format!("{units:e}");
            assert!(matches!(&digits[..1], "1" | "2" | "5" | "4" | "9"), "{digits}");
            scale *= 1.37;
        }
        assert_eq!([1.0, 3.0].map(|scale| bar_units(scale, 140.0)), [100.0, 20.0]);
    }
}
