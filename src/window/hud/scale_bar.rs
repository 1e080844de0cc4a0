//! The scale bar: a round number of world units.

use glam::Vec2;

use super::{HudCanvas, LIGHT_BACKING, PADDING, PLAIN, PixelRect, SPACE, block_size, pixels};
use crate::raster::Stroke;

/// Longest bar, in points. The shortest is shorter by 2.5, the largest factor
/// between two of 1, 2, 5, 10, …
const LENGTH_MAX: f32 = 140.0;

/// Height of the ends, in points.
const TICK: u32 = 4;

const INK: Stroke = Stroke::new(PLAIN);

/// Length of the longest bar of at most `most` pixels: world units, 1, 2 or 5 times a power of ten.
fn bar_units(pixels_per_unit: f32, most: f32) -> f64 {
    let most_units = f64::from(most) / f64::from(pixels_per_unit).max(f64::MIN_POSITIVE);
    let power = 10_f64.powi(most_units.log10().floor() as i32);
    let units = [5.0, 2.0, 1.0].into_iter().find(|times| times * power <= most_units);
    units.unwrap_or(1.0) * power
}

/// A bar for a picture.
pub(super) struct ScaleBar {
    /// Width and height of its block, pixels.
    pub(super) size: [u32; 2],
    /// Length, pixels.
    length: f32,
    text: String,
}

impl ScaleBar {
    /// The bar of a picture with this number of pixels per world unit.
    pub(super) fn new(canvas: &mut HudCanvas<'_>, pixels_per_unit: f32) -> Self {
        let scale = canvas.scale;
        let units = bar_units(pixels_per_unit, LENGTH_MAX * scale);
        let length = ((units * f64::from(pixels_per_unit)) as f32).round();
        // Small powers of ten are not exact.
        let rounded = (units * 1e9).round() / 1e9;
        let text = if units == 1.0 { "1 unit".to_owned() } else { format!("{rounded} units") };
        let [width, line] = block_size(canvas.width(&text), 1, scale);
        let width = width.max(length as u32 + pixels(2 * PADDING, scale));
        Self { size: [width, line + pixels(TICK + SPACE, scale)], length, text }
    }

    /// Draws it with its upper left corner at `[x, y]`.
    pub(super) fn draw(&self, canvas: &mut HudCanvas<'_>, [x, y]: [u32; 2]) {
        let (scale, thick) = (canvas.scale, canvas.pen());
        let [width, height] = self.size;
        let block = PixelRect { x, y, width, height };
        canvas.begin_block("scale bar", block, LIGHT_BACKING);
        canvas.write_in(block, [0, 0], PLAIN, &self.text);
        let end = y + height - pixels(2 * SPACE, scale);
        let corner = [x + pixels(PADDING, scale), end - pixels(TICK, scale)];
        let corner = Vec2::from(corner.map(|side| side as f32));
        let end = Vec2::new(corner.x + self.length, end as f32);
        for part in [
            [Vec2::new(corner.x, end.y - thick), end],
            [corner, Vec2::new(corner.x + thick, end.y - thick)],
            [Vec2::new(end.x - thick, corner.y), Vec2::new(end.x, end.y - thick)],
        ] {
            canvas.shapes.fill(part, INK);
        }
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
