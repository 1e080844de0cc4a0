//! Triangles of the panel: painted row by row into words 0xAARRGGBB, premultiplied by alpha.
//!
//! A pixel belongs to the triangle that its center is in. Two triangles with a common edge compute
//! the same crossings with it, so that each pixel along it belongs to exactly one of them.

use egui::{Color32, ColorImage, Pos2};

/// Pixels to paint on, premultiplied by alpha.
pub(super) struct PanelCanvas<'a> {
    /// Row by row.
    pub(super) words: &'a mut [u32],
    pub(super) width: usize,
    /// Left, top, right and bottom of the pixels that may change.
    pub(super) clip: [usize; 4],
}

/// A corner of a triangle.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    /// Position in pixels.
    pub(super) at: Pos2,
    /// Position in the texture, texels.
    pub(super) texel: Pos2,
    pub(super) color: Color32,
}

/// The values that vary over a triangle: red, green, blue, alpha, and the position in the texture.
type Values = [f32; 6];

impl Corner {
    fn values(&self) -> Values {
        let [red, green, blue, alpha] = self.color.to_array().map(f32::from);
        [red, green, blue, alpha, self.texel.x, self.texel.y]
    }
}

impl PanelCanvas<'_> {
    /// Paints a triangle: the product of its color and its texture.
    pub(super) fn triangle(&mut self, corners: [Corner; 3], texture: &ColorImage) {
        let [a, b, c] = corners;
        let (ab, ac) = (b.at - a.at, c.at - a.at);
        let area = ab.x * ac.y - ab.y * ac.x;
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let [start, to_b, to_c] = corners.map(|corner| corner.values());
        let slope = |first: f32, second: f32| -> Values {
            std::array::from_fn(|n| {
                ((to_b[n] - start[n]) * first + (to_c[n] - start[n]) * second) / area
            })
        };
        let (across, down) = (slope(ac.y, -ab.y), slope(-ac.x, ab.x));
        let still = a.texel == b.texel && a.texel == c.texel;
        let texel = still.then(|| sample(texture, start[4], start[5]));
        let plain = (a.color == b.color && a.color == c.color).then_some(texel).flatten();
        let plain = plain.map(|texel| product(start, texel));

        let ys = corners.map(|corner| corner.at.y);
        let [left, top, right, bottom] = self.clip;
        let lowest = ys.into_iter().fold(f32::INFINITY, f32::min);
        let highest = ys.into_iter().fold(f32::NEG_INFINITY, f32::max);
        for y in first_center(lowest).max(top)..first_center(highest).min(bottom) {
            let center = y as f32 + 0.5;
            let Some([from, to]) = crossings(corners.map(|corner| corner.at), center) else {
                continue;
            };
            let (from, to) = (first_center(from).max(left), first_center(to).min(right));
            if from >= to {
                continue;
            }
            let words = &mut self.words[y * self.width..][from..to];
            if let Some(color) = plain {
                cover(words, color);
                continue;
            }
            let (dx, dy) = (from as f32 + 0.5 - a.at.x, center - a.at.y);
            let row: Values = std::array::from_fn(|n| start[n] + across[n] * dx + down[n] * dy);
            for (n, word) in words.iter_mut().enumerate() {
                let values: Values =
                    std::array::from_fn(|value| row[value] + across[value] * n as f32);
                let texel = texel.unwrap_or_else(|| sample(texture, values[4], values[5]));
                *word = over(*word, product(values, texel));
            }
        }
    }
}

/// Paints one color over words.
fn cover(words: &mut [u32], color: u32) {
    if color >> 24 == 255 {
        words.fill(color);
    } else {
        for word in words {
            *word = over(*word, color);
        }
    }
}

/// The first pixel with a center that is not before this coordinate.
fn first_center(coordinate: f32) -> usize {
    (coordinate - 0.5).ceil().max(0.0) as usize
}

/// The ends of the part of a row that is in the triangle.
fn crossings([a, b, c]: [Pos2; 3], center: f32) -> Option<[f32; 2]> {
    let crossing = |one: Pos2, other: Pos2| {
        let (upper, lower) =
            if (one.y, one.x) < (other.y, other.x) { (one, other) } else { (other, one) };
        let crosses = upper.y <= center && center < lower.y;
        let share = (center - upper.y) / (lower.y - upper.y);
        crosses.then_some(upper.x + (lower.x - upper.x) * share)
    };
    let mut ends = [crossing(a, b), crossing(b, c), crossing(c, a)].into_iter().flatten();
    let (one, other) = (ends.next()?, ends.next()?);
    Some([one.min(other), one.max(other)])
}

/// The texture between the centers of four texels, 0 to 255. The outer texels continue.
fn sample(texture: &ColorImage, u: f32, v: f32) -> [f32; 4] {
    let [width, height] = texture.size;
    let (u, v) = (u - 0.5, v - 0.5);
    let (left, top) = (u.floor(), v.floor());
    let near = |at: f32, side: usize| [at, at + 1.0].map(|at| (at.max(0.0) as usize).min(side - 1));
    let (columns, rows) = (near(left, width), near(top, height));
    let (right_share, lower_share) = (u - left, v - top);
    let [upper, lower] = rows.map(|row| {
        let [one, other] =
            columns.map(|column| texture.pixels[row * width + column].to_array().map(f32::from));
        mix(one, other, right_share)
    });
    mix(upper, lower, lower_share)
}

fn mix(a: [f32; 4], b: [f32; 4], share: f32) -> [f32; 4] {
    std::array::from_fn(|n| a[n] + (b[n] - a[n]) * share)
}

/// A color times a texel, as a word.
fn product(values: Values, texel: [f32; 4]) -> u32 {
    let [red, green, blue, alpha]: [u8; 4] =
        std::array::from_fn(|n| (values[n] * texel[n] / 255.0 + 0.5) as u8);
    u32::from_be_bytes([alpha, red, green, blue])
}

/// Blends the word `above`, which is premultiplied, over `below`: each channel of `below` keeps the
/// share that the alpha of `above` leaves, rounded to the nearest.
#[inline]
pub(super) fn over(below: u32, above: u32) -> u32 {
    const PAIR: u32 = 0x00ff_00ff;
    let keeps = 255 - (above >> 24);
    // Two channels at once: a product of two bytes fits in 16 bits, and so does the division.
    let share = |pair: u32| {
        let product = pair * keeps + 0x0080_0080;
        (product + ((product >> 8) & PAIR)) >> 8 & PAIR
    };
    above + share(below & PAIR) + (share((below >> 8) & PAIR) << 8)
}

#[cfg(test)]
mod tests {
    use egui::pos2;

    use super::*;
    use crate::rng::Rng;

    const SIDE: usize = 40;

    /// A canvas of one byte per channel, on which a fan of triangles around a point is painted.
    fn painted(corners: &[Pos2], color: Color32) -> Vec<u32> {
        let mut words = vec![0; SIDE * SIDE];
        let texture = ColorImage::filled([2, 2], Color32::WHITE);
        let corner = |at| Corner { at, texel: pos2(0.0, 0.0), color };
        let center = pos2(19.3, 20.6);
        for (n, &one) in corners.iter().enumerate() {
            let other = corners[(n + 1) % corners.len()];
            let mut canvas =
                PanelCanvas { words: &mut words, width: SIDE, clip: [0, 0, SIDE, SIDE] };
            canvas.triangle([center, one, other].map(corner), &texture);
        }
        words
    }

    #[test]
    fn triangles_with_common_edges_leave_no_gap_and_no_overlap() {
        let mut rng = Rng::new(7);
        let color = Color32::from_rgba_premultiplied(40, 20, 10, 100);
        let word = u32::from_be_bytes([100, 40, 20, 10]);
        for _ in 0..200 {
            // Corners outside of the canvas, so that the fan covers all of it. Halves put edges on
            // the centers of pixels.
            let mut side = |low: f32, high: f32| rng.between(low, high).round() + 0.5;
            let corners = [
                pos2(side(-60.0, -30.0), side(-60.0, -30.0)),
                pos2(side(0.0, 40.0), side(-60.0, -20.0)),
                pos2(side(80.0, 120.0), side(-60.0, -30.0)),
                pos2(side(80.0, 120.0), side(80.0, 120.0)),
                pos2(side(-60.0, -30.0), side(80.0, 120.0)),
            ];
            assert!(painted(&corners, color).iter().all(|&painted| painted == word));
        }
    }

    #[test]
    fn a_rectangle_covers_the_centers_inside_it_and_mixes_its_colors() {
        let mut words = vec![0; SIDE * SIDE];
        let mut canvas = PanelCanvas { words: &mut words, width: SIDE, clip: [0, 0, 30, SIDE] };
        let texture = ColorImage::filled([2, 2], Color32::WHITE);
        let corner = |x, y, red| Corner {
            at: pos2(x, y),
            texel: pos2(0.0, 0.0),
            color: Color32::from_rgb(red, 0, 0),
        };
        let [one, two, three, four] = [
            corner(10.5, 4.4, 0),
            corner(35.0, 4.4, 245),
            corner(35.0, 20.6, 245),
            corner(10.5, 20.6, 0),
        ];
        canvas.triangle([one, two, three], &texture);
        canvas.triangle([one, three, four], &texture);
        for (at, word) in words.into_iter().enumerate() {
            let (x, y) = (at % SIDE, at / SIDE);
            let inside = (10..30).contains(&x) && (4..21).contains(&y);
            assert_eq!(word >> 24, if inside { 255 } else { 0 }, "{x}, {y}");
            if inside {
                assert_eq!(word >> 16 & 255, (x as u32 - 10) * 10, "{x}, {y}");
            }
        }
    }

    #[test]
    fn a_texel_on_a_pixel_keeps_its_value_and_between_two_is_their_mean() {
        let grays = [0_u8, 100, 200, 40].map(Color32::from_gray);
        let texture = ColorImage::new([4, 1], grays.to_vec());
        for (shift, expected) in [(0.0, [0, 100, 200, 40]), (0.5, [50, 150, 120, 40])] {
            let mut words = vec![0; 16];
            let mut canvas = PanelCanvas { words: &mut words, width: 4, clip: [0, 0, 4, 4] };
            let corner = |x: f32, y: f32| Corner {
                at: pos2(x, y),
                texel: pos2(x + shift, 0.5),
                color: Color32::WHITE,
            };
            canvas.triangle([corner(0.0, 0.0), corner(4.0, 0.0), corner(0.0, 4.0)], &texture);
            canvas.triangle([corner(4.0, 0.0), corner(4.0, 4.0), corner(0.0, 4.0)], &texture);
            for (at, word) in words.into_iter().enumerate() {
                assert_eq!(word & 255, expected[at % 4], "{at}");
            }
        }
    }

    #[test]
    fn each_channel_keeps_its_share_rounded_to_the_nearest() {
        for alpha in 0..=255_u32 {
            for value in 0..=255_u32 {
                let share = (f64::from(value * (255 - alpha)) / 255.0).round() as u32;
                let kept = over(value * 0x0101_0101, alpha << 24);
                assert_eq!(kept & 0x00ff_ffff, share * 0x0001_0101, "{value} below {alpha}");
            }
        }
        assert_eq!(over(0x0012_3456, 0xff65_4321) & 0x00ff_ffff, 0x0065_4321);
    }
}
