//! Coverage of pixels by discs, against samples.

use jostle::{Rect, Vec2, rng::Rng};

use crate::canvas::{Canvas, discs, measuring, pixelwise};

const WORLD: Rect = Rect::new(Vec2::new(-20.0, -20.0), Vec2::new(84.0, 84.0));

/// Coverage of the pixel at (x, y), y down, by 64 × 64 samples, in a frame 64 pixels high.
fn sampled(x: u32, y: u32, disc: (f32, f32, f32)) -> f64 {
    let (cx, cy, r) = (f64::from(disc.0), 64.0 - f64::from(disc.1), f64::from(disc.2));
    let at = |pixel: u32, sample: u32| f64::from(pixel) + (f64::from(sample) + 0.5) / 64.0;
    let mut inside = 0_u32;
    for j in 0..64 {
        for i in 0..64 {
            let (dx, dy) = (at(x, i) - cx, at(y, j) - cy);
            inside += u32::from(dx * dx + dy * dy <= r * r);
        }
    }
    f64::from(inside) / 4096.0
}

/// The same by 1,024 chords: a nearly level edge may lie between two rows of samples over a whole
/// pixel.
fn chords(x: u32, y: u32, disc: (f32, f32, f32)) -> f64 {
    let (cx, cy, r) = (f64::from(disc.0), 64.0 - f64::from(disc.1), f64::from(disc.2));
    let chord = |row: u32| {
        let dy = f64::from(y) + (f64::from(row) + 0.5) / 1024.0 - cy;
        let half = (r * r - dy * dy).max(0.0).sqrt();
        ((cx + half).min(f64::from(x) + 1.0) - (cx - half).max(f64::from(x))).max(0.0)
    };
    (0..1024).map(chord).sum::<f64>() / 1024.0
}

/// Mean and worst difference from the samples, in 255ths, over the pixels near the edges of discs
/// of these radii.
fn difference(radii: &[f32], seed: u64) -> (f64, f64) {
    let mut rng = Rng::new(seed);
    let (mut sum, mut worst, mut count) = (0.0, 0.0_f64, 0_u32);
    for &radius in radii {
        for _ in 0..12 {
            let disc = (rng.between(31.0, 33.0), rng.between(31.0, 33.0), radius);
            let canvas = Canvas::new(WORLD, 60.0, &discs(&[disc]));
            let frame = canvas.draw(&pixelwise(64, 64), measuring());
            for y in 0..64 {
                for x in 0..64 {
                    let drawn = f64::from(frame.pixels[(y * 64 + x) as usize][1]);
                    let far = (x as f32 + 0.5 - disc.0).hypot(63.5 - y as f32 - disc.1);
                    // Deep inside and far outside, the coverage is known.
                    if (far - radius).abs() > 2.0 {
                        assert_eq!(
                            drawn,
                            if far < radius { 255.0 } else { 0.0 },
                            "{disc:?} {x} {y}"
                        );
                        continue;
                    }
                    let share =
                        if radius > 20.0 { chords(x, y, disc) } else { sampled(x, y, disc) };
                    let off = (drawn - share * 255.0).abs();
                    sum += off;
                    worst = worst.max(off);
                    count += 1;
                }
            }
        }
    }
    (sum / f64::from(count), worst)
}

#[test]
fn sprite_coverage_agrees_with_samples() {
    let (mean, worst) = difference(&[0.25, 0.31, 0.41, 0.5, 0.55, 0.7, 0.82, 1.0, 1.27, 1.5], 1);
    assert!(mean <= 2.0 && worst <= 16.0, "mean {mean}, worst {worst}");
}

#[test]
fn coverage_of_larger_discs_agrees_with_samples() {
    // Analytic discs of one, three and five blocks, and spans.
    const RADII: [f32; 14] =
        [1.51, 2.0, 2.9, 4.4, 6.0, 6.1, 7.7, 12.0, 19.3, 25.0, 28.0, 31.9, 32.1, 40.0];
    let (mean, worst) = difference(&RADII, 2);
    assert!(mean <= 0.5 && worst <= 2.0, "mean {mean}, worst {worst}");
}

/// `n` discs of density cover the same share of their pixel as the same discs drawn at random
/// positions.
#[test]
fn density_follows_the_exponential() {
    for n in [1, 2, 5, 10, 30, 100, 1_000] {
        let canvas = Canvas::new(WORLD, 60.0, &discs(&vec![(8.5, 8.5, 0.1); n]));
        let frame = canvas.draw(&pixelwise(64, 64), measuring());
        let weight = n as f64 * std::f64::consts::PI * 0.25 * 0.1;
        let expected = 255.0 * (1.0 - (-weight).exp());
        let drawn = f64::from(frame.pixels[55 * 64 + 8][1]);
        assert!((drawn - expected).abs() < 4.0, "{n}: {drawn}, not {expected}");
    }
}

#[test]
fn discs_look_round() {
    let canvas = Canvas::new(WORLD, 60.0, &discs(&[(5.5, 59.5, 3.3), (12.5, 59.5, 1.2)]));
    let frame = canvas.draw(&pixelwise(64, 64), measuring());
    let drawn: Vec<String> = (0..9)
        .map(|y| {
            let row = &frame.pixels[y * 64..y * 64 + 15];
            row.iter().map(|p| b" .:-=+*%#@"[usize::from(p[1]) * 9 / 255] as char).collect()
        })
        .collect();
    let expected = [
        "               ",
        "   .+%+.       ",
        "  .#@@@#.      ",
        "  +@@@@@+  .*. ",
        "  %@@@@@%  *@* ",
        "  +@@@@@+  .*. ",
        "  .#@@@#.      ",
        "   .+%+.       ",
        "               ",
    ];
    assert_eq!(drawn, expected);
}
