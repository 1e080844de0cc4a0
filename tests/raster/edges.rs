//! Discs at the edges of the frame and of the world, and sizes at the edge of what is valid.

use jostle::{
    Rect, Vec2,
    raster::{Camera, DrawOrder, Frame, Renderer, Style},
    rng::Rng,
};

use crate::canvas::{Canvas, discs, measuring, pixelwise};

#[test]
fn frames_clip_discs_at_every_edge() {
    let mut rng = Rng::new(5);
    for radius in [0.2, 0.7, 1.4, 3.0, 5.5, 9.0, 30.0] {
        for _ in 0..40 {
            // Multiples of 1/64, so that both cameras compute the same bits.
            let mut coordinate = || (rng.between(-2.0, 34.0) * 64.0).round() / 64.0;
            let disc = (coordinate(), coordinate(), radius);
            let world = Rect::new(Vec2::splat(-100.0), Vec2::splat(132.0));
            let canvas = Canvas::new(world, 70.0, &discs(&[disc]));
            let cut = canvas.draw(&pixelwise(32, 32), Style::default());
            let camera = Camera { center: Vec2::splat(16.0), ..pixelwise(96, 96) };
            let whole = canvas.draw(&camera, Style::default());
            for y in 0..32 {
                let row = &whole.pixels[(y + 32) * 96 + 32..][..32];
                assert_eq!(row, &cut.pixels[y * 32..][..32], "{disc:?} row {y}");
            }
        }
    }
}

#[test]
fn far_and_huge_discs_are_drawn_correctly() {
    let world = Rect::new(Vec2::splat(-3e4), Vec2::splat(3e4));
    let far = [(2e4, 2e4, 3.0), (-2e4, 16.0, 5.0), (16.0, -2e4, 500.0), (2e4, 5.0, 0.1)];
    let frame = Canvas::new(world, 6e4, &discs(&far)).draw(&pixelwise(32, 32), measuring());
    assert!(frame.pixels.iter().all(|pixel| pixel[..3] == [0; 3]));
    let huge = Canvas::new(world, 6e4, &discs(&[(16.0, -1e4, 1.2e4)]));
    let frame = huge.draw(&pixelwise(32, 32), measuring());
    assert!(frame.pixels.iter().all(|pixel| pixel[1] == 255));
    // The upper edge of this disc crosses the frame.
    let edge = Canvas::new(world, 6e4, &discs(&[(16.0, -1e4, 10_016.5)]));
    let frame = edge.draw(&pixelwise(32, 32), measuring());
    assert_eq!([14, 15, 16].map(|y| frame.pixels[y * 32 + 16][1] / 100), [0, 1, 2]);
}

#[test]
fn draws_frames_of_any_size_and_worlds_without_agents() {
    let empty = Canvas::new(Rect::from_size(30.0, 20.0), 4.0, &discs(&[]));
    let one = Canvas::new(Rect::from_size(30.0, 20.0), 4.0, &discs(&[(15.0, 10.0, 1.5)]));
    for (width, height) in [(0, 0), (0, 9), (9, 0), (1, 1), (1, 200), (200, 1), (3, 2), (5, 5)] {
        for canvas in [&empty, &one] {
            for order in [DrawOrder::Cell, DrawOrder::Random] {
                let camera = Camera::fit(&canvas.world, width, height);
                let frame = canvas.draw(&camera, Style { order, ..Style::default() });
                assert_eq!(frame.pixels.len(), width as usize * height as usize);
                assert!(frame.pixels.iter().all(|pixel| pixel[3] == 255));
            }
        }
    }
}

#[test]
fn outside_border_and_ground_differ() {
    let canvas = Canvas::new(Rect::from_size(40.0, 10.0), 4.0, &discs(&[]));
    let style = Style::default();
    let frame = canvas.draw(&Camera::fit(&canvas.world, 200, 100), style.clone());
    let at = |x: usize, y: usize| frame.pixels[y * 200 + x];
    let opaque = |[r, g, b]: [u8; 3]| [r, g, b, 255];
    assert_eq!(at(100, 50), opaque(style.ground));
    assert_eq!(at(100, 5), opaque(style.outside));
    let column: Vec<[u8; 4]> = (0..50).map(|y| at(100, y)).collect();
    assert!(column.iter().any(|pixel| pixel[2] > style.ground[2] + 20), "there is a line");
    assert!((0..200).any(|x| at(x, 50)[2] > style.ground[2] + 20), "on all sides");
}

#[test]
fn frames_and_renderers_reject_sides_that_are_too_long() {
    let error = Frame::new(u32::MAX, u32::MAX).unwrap_err().to_string();
    assert!(error.contains("4294967295") && error.contains("65535"), "{error}");
    let error = Renderer::new(65_536, 0, Style::default()).unwrap_err().to_string();
    assert!(error.contains("65536") && error.contains("65535"), "{error}");
    let mut renderer = Renderer::new(8, 8, Style::default()).unwrap();
    assert!(renderer.resize(8, 65_536).is_err());
    // The renderer keeps its size.
    let canvas = Canvas::new(Rect::from_size(9.0, 9.0), 4.0, &discs(&[]));
    renderer.draw_into(&mut [0; 8 * 8 * 4], &pixelwise(8, 8), &canvas.view());
}

#[test]
#[should_panic(expected = "a frame of 8 x 9 has 72 pixels, not 64")]
fn draw_panics_on_a_frame_of_the_wrong_length() {
    let canvas = Canvas::new(Rect::from_size(9.0, 9.0), 4.0, &discs(&[]));
    let mut frame = Frame { height: 9, ..Frame::new(8, 8).unwrap() };
    Renderer::new(8, 8, Style::default()).unwrap().draw(
        &mut frame,
        &pixelwise(8, 9),
        &canvas.view(),
    );
}

#[test]
#[should_panic(expected = "a frame of 8 x 8 has 64 pixels, not 63")]
fn draw_into_panics_on_a_buffer_of_the_wrong_length() {
    let canvas = Canvas::new(Rect::from_size(9.0, 9.0), 4.0, &discs(&[]));
    let mut bytes = [0; 63 * 4];
    let mut renderer = Renderer::new(8, 8, Style::default()).unwrap();
    renderer.draw_into(&mut bytes, &pixelwise(8, 8), &canvas.view());
}
