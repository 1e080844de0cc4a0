//! What must not show: bands, threads, cells, the order of agents, the way from discs to density.

use jostle::{
    Camera, Rect, Vec2,
    par::Crew,
    raster::{Colouring, DrawOrder, Frame, Look, Painter},
};

use crate::canvas::{Canvas, crowd, discs, measuring, pixelwise};

/// Dust, sprites, discs and large discs together, some narrow and some wide, by speed.
fn medley() -> Canvas {
    let world = Rect::new(Vec2::new(-30.0, 10.0), Vec2::new(130.0, 100.0));
    Canvas::new(world, 4.0, &crowd(&world, 3_000, [0.02, 9.0], 7))
}

#[test]
fn pixels_do_not_depend_on_threads_or_bands() {
    let canvas = medley();
    for (look, camera) in [
        (Look::default(), Camera::fit(&canvas.world, 200, 150)),
        (
            Look { colouring: Colouring::Start, ..Look::default() },
            Camera::view(Vec2::new(20.0, 50.0), 17.0, 200, 150),
        ),
        (
            Look { colouring: Colouring::Cell, ..Look::default() },
            Camera::view(Vec2::new(20.0, 50.0), 17.0, 200, 150),
        ),
        (
            Look { colouring: Colouring::Contacts, ..Look::default() },
            Camera::view(Vec2::new(20.0, 50.0), 60.0, 200, 150),
        ),
    ] {
        let expected = canvas.draw(&camera, look.clone());
        for threads in [1, 2, 3, 7] {
            let crew = Crew::new(threads).unwrap();
            for rows in [1, 3, 4, 7, 64, 149, 1000] {
                let mut painter = Painter::new(200, 150, look.clone());
                painter.set_band_rows(rows);
                painter.mark_start(&canvas.picture());
                let mut frame = Frame::new(200, 150);
                crew.run(|| painter.draw(&mut frame, &camera, &canvas.picture()));
                assert!(frame == expected, "{threads} threads, {rows} rows a band");
            }
        }
    }
}

#[test]
fn a_draw_leaves_nothing_behind_for_the_next() {
    let canvas = medley();
    let camera = Camera::fit(&canvas.world, 160, 120);
    let mut painter = Painter::new(160, 120, Look::default());
    let mut first = Frame::new(160, 120);
    painter.draw(&mut first, &camera, &canvas.picture());
    let mut second = Frame::new(160, 120);
    second.pixels.fill([255, 0, 255, 0]);
    painter.draw_into(second.bytes_mut(), &camera, &canvas.picture());
    assert!(first == second);
}

#[test]
fn cells_leave_no_seams() {
    // No two discs share a pixel, so the order in which cells are drawn must not show, nor which agents
    // are wide in them: in the smallest those of radius 0.58 and more, in the largest none.
    let mut list = Vec::new();
    for row in 0..20_u8 {
        for column in 0..20_u8 {
            let radius = 0.1 + f32::from(column) * 0.055;
            list.push((f32::from(column) * 4.0 + 2.3, f32::from(row) * 4.0 + 1.9, radius));
        }
    }
    let world = Rect::from_size(80.0, 80.0);
    for scale in [0.9, 2.0, 7.3] {
        let camera = Camera { scale, ..pixelwise(80, 80) };
        let pictures = [1.2, 3.0, 5.1, 13.0, 80.0]
            .map(|cell| Canvas::new(world, cell, &discs(&list)).draw(&camera, measuring()));
        assert!(pictures.iter().all(|picture| *picture == pictures[0]), "scale {scale}");
    }
}

#[test]
fn random_order_draws_the_same_agents() {
    let list: Vec<_> = (0..300_u16)
        .map(|n| (f32::from(n % 20) * 5.0 + 3.0, f32::from(n / 20) * 6.0 + 4.0, 0.4))
        .collect();
    let canvas = Canvas::new(Rect::from_size(104.0, 96.0), 6.0, &discs(&list));
    let camera = pixelwise(104, 96);
    let cell = canvas.draw(&camera, Look::default());
    let random = canvas.draw(&camera, Look { order: DrawOrder::Random, ..Look::default() });
    assert!(cell == random);
}

#[test]
fn discs_become_density_without_a_jump() {
    // The mean brightness of a crowd, zooming out in steps of 2 %, never changes by much more than
    // what a step takes off the area.
    let world = Rect::from_size(400.0, 400.0);
    let canvas = Canvas::new(world, 12.0, &crowd(&world, 6_000, [0.9, 1.1], 3));
    let mut before: Option<f64> = None;
    let mut scale = 0.4;
    while scale > 0.1 {
        let camera = Camera { center: world.center(), scale, size: Vec2::splat(40.0) };
        let frame = canvas.draw(&camera, measuring());
        let mean = frame.pixels.iter().map(|p| f64::from(p[1])).sum::<f64>() / 1600.0;
        if let Some(before) = before {
            assert!((mean / before - 1.0).abs() < 0.06, "at {scale}: {before} to {mean}");
        }
        before = Some(mean);
        scale *= 0.98;
    }
}

#[test]
fn start_places_stay_with_their_ids() {
    let world = Rect::from_size(40.0, 40.0);
    let first = Canvas::new(world, 10.0, &discs(&[(5.0, 5.0, 3.0), (35.0, 35.0, 3.0)]));
    let second = Canvas::new(world, 10.0, &discs(&[(35.0, 35.0, 3.0), (5.0, 5.0, 3.0)]));
    let look = Look { colouring: Colouring::Start, ..Look::default() };
    let mut painter = Painter::new(40, 40, look);
    let mut frames = [Frame::new(40, 40), Frame::new(40, 40)];
    painter.mark_start(&first.picture());
    painter.draw(&mut frames[0], &pixelwise(40, 40), &first.picture());
    painter.mark_start(&second.picture());
    painter.draw(&mut frames[1], &pixelwise(40, 40), &second.picture());
    let (low, high) = (35 * 40 + 5, 5 * 40 + 35);
    assert_ne!(frames[0].pixels[low], frames[0].pixels[high]);
    assert_eq!(frames[0].pixels[low], frames[1].pixels[high], "agent 0 took its colour along");
    painter.forget_starts();
    painter.mark_start(&second.picture());
    painter.draw(&mut frames[1], &pixelwise(40, 40), &second.picture());
    assert_eq!(frames[0].pixels[low], frames[1].pixels[low], "the place decides anew");
}
