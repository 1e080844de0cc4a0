//! Pixels do not depend on bands, threads, cells or the order of agents, and the change from discs
//! to density does not show.

use jostle::{
    Rect, Vec2,
    raster::{Camera, ColorBy, DrawOrder, Exposure, Frame, Overlay, Renderer, Style},
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

use crate::canvas::{Canvas, crowd, discs, measuring, pixelwise};

/// Agents for all kernels together. Some fit their cells, others are too large.
fn medley() -> Canvas {
    let world = Rect::new(Vec2::new(-30.0, 10.0), Vec2::new(130.0, 100.0));
    Canvas::new(world, 4.0, &crowd(&world, 3_000, [0.02, 9.0], 7))
}

#[test]
fn pixels_do_not_depend_on_threads_bands_or_simd() {
    check_all_threads_bands_and_levels(&medley());
}

#[test]
fn pixels_of_outliers_do_not_depend_on_threads_bands_or_simd() {
    let canvas = medley().later(1.0);
    assert!(canvas.grid.max_drift() > 8.0 && canvas.grid.outlier_count() > 1_000);
    check_all_threads_bands_and_levels(&canvas);
}

fn check_all_threads_bands_and_levels(canvas: &Canvas) {
    let over = |overlay| {
        (Style { overlay, ..Style::default() }, Camera::new(Vec2::new(20.0, 50.0), 60.0, 200, 150))
    };
    let exposed = |color_by, across| {
        let style = Style { color_by, exposure: Exposure::Auto, ..Style::default() };
        (style, Camera::new(Vec2::new(20.0, 50.0), across, 200, 150))
    };
    for (style, camera) in [
        over(Overlay::Loose),
        over(Overlay::Tight),
        over(Overlay::Contacts),
        over(Overlay::Velocities),
        over(Overlay::Density),
        (Style::default(), Camera::fit(&canvas.world, 200, 150)),
        (
            Style { color_by: ColorBy::Start, ..Style::default() },
            Camera::new(Vec2::new(20.0, 50.0), 17.0, 200, 150),
        ),
        // Density alone, and sprites alone.
        (Style::default(), Camera::new(canvas.world.center(), 6e3, 200, 150)),
        (Style::default(), Camera::new(canvas.world.center(), 5e2, 200, 150)),
        (
            Style { color_by: ColorBy::Cell, ..Style::default() },
            Camera::new(Vec2::new(20.0, 50.0), 17.0, 200, 150),
        ),
        (
            Style { color_by: ColorBy::Contacts, ..Style::default() },
            Camera::new(Vec2::new(20.0, 50.0), 60.0, 200, 150),
        ),
        exposed(ColorBy::Flow, 5e2),
        exposed(ColorBy::Temperature, 60.0),
        exposed(ColorBy::Density, 17.0),
        exposed(ColorBy::Order, 2e2),
        // A dense crowd, one that imitates it, and a thin one.
        exposed(ColorBy::Speed, 6e3),
        exposed(ColorBy::Speed, 5.5e2),
        exposed(ColorBy::Speed, 4e2),
    ] {
        let expected = canvas.draw(&camera, style.clone());
        for threads in [1, 2, 3, 7] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            for rows in [1, 3, 4, 7, 64, 149, 1000] {
                let mut renderer = Renderer::new(200, 150, style.clone()).unwrap();
                renderer.set_band_rows(rows);
                renderer.record_starts(&canvas.view());
                for simd in SimdLevel::available() {
                    renderer.set_simd(simd);
                    let mut frame = Frame::new(200, 150).unwrap();
                    pool.install(|| renderer.draw(&mut frame, &camera, &canvas.view()));
                    let level = simd.name();
                    assert!(frame == expected, "{threads} threads, {rows} rows, {level}");
                }
            }
        }
    }
}

/// The last lines of the grid lie at the border of the world, not of its cells. Here a cell reaches
/// more than a band beyond the upper border.
#[test]
fn overlays_at_the_border_do_not_depend_on_bands() {
    let world = Rect::new(Vec2::new(-30.0, 10.0), Vec2::new(130.0, 100.0));
    let canvas = Canvas::new(world, 8.9, &crowd(&world, 1_000, [0.1, 9.0], 8));
    let camera = Camera::fit(&world, 200, 150);
    for overlay in Overlay::ALL {
        let style = Style { overlay, ..Style::default() };
        let expected = canvas.draw(&camera, style.clone());
        let mut renderer = Renderer::new(200, 150, style).unwrap();
        for rows in 3..=40 {
            renderer.set_band_rows(rows);
            let mut frame = Frame::new(200, 150).unwrap();
            renderer.draw(&mut frame, &camera, &canvas.view());
            assert!(frame == expected, "{} in bands of {rows} rows", overlay.name());
        }
    }
}

#[test]
fn pixels_do_not_depend_on_the_default_bands() {
    let canvas = medley().later(1.0);
    let camera = Camera::fit(&canvas.world, 640, 800);
    let expected = canvas.draw(&camera, Style::default());
    for threads in [2, 3, 7] {
        let mut renderer = Renderer::new(640, 800, Style::default()).unwrap();
        let mut frame = Frame::new(640, 800).unwrap();
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads")
            .install(|| renderer.draw(&mut frame, &camera, &canvas.view()));
        assert!(frame == expected, "{threads} threads");
    }
}

#[test]
fn draws_are_independent_of_earlier_draws() {
    let canvas = medley();
    let camera = Camera::fit(&canvas.world, 160, 120);
    let mut renderer = Renderer::new(160, 120, Style::default()).unwrap();
    let mut first = Frame::new(160, 120).unwrap();
    renderer.draw(&mut first, &camera, &canvas.view());
    let mut second = Frame::new(160, 120).unwrap();
    second.pixels.fill([255, 0, 255, 0]);
    renderer.draw_into(second.bytes_mut(), &camera, &canvas.view());
    assert!(first == second);
}

#[test]
fn bands_and_cells_leave_no_seams_at_any_zoom() {
    // The cells decide which agents are too large for them: in the smallest cells all agents of
    // radius 0.58 and more, in the largest none.
    let mut list = Vec::new();
    for row in 0..20_u8 {
        for column in 0..20_u8 {
            let radius = 0.1 + f32::from(column) * 0.055;
            list.push((f32::from(column) * 4.0 + 2.3, f32::from(row) * 4.0 + 1.9, radius));
        }
    }
    let world = Rect::from_size(80.0, 80.0);
    let canvases = [1.2, 3.0, 5.1, 13.0, 80.0].map(|cell| Canvas::new(world, cell, &discs(&list)));
    let mut scale = 0.05;
    while scale < 60.0 {
        let camera = Camera { center: world.center(), scale, size: Vec2::new(90.0, 80.0) };
        let expected = canvases[0].draw(&camera, measuring());
        for canvas in &canvases[1..] {
            let other = canvas.draw(&camera, measuring());
            let pairs = expected.bytes().iter().zip(other.bytes());
            let off = pairs.map(|(a, b)| a.abs_diff(*b)).max().unwrap();
            // From scale 1 on, no two discs share a pixel, so their order must not show. Below,
            // sums are rounded in different orders.
            assert!(off <= if scale < 1.0 { 3 } else { 0 }, "{off} at scale {scale}");
        }
        for rows in [1, 5, 16, 79] {
            let mut renderer = Renderer::new(90, 80, measuring()).unwrap();
            renderer.set_band_rows(rows);
            let mut frame = Frame::new(90, 80).unwrap();
            renderer.draw(&mut frame, &camera, &canvases[0].view());
            assert!(frame == expected, "{rows} rows per band at scale {scale}");
        }
        scale *= 1.19;
    }
}

#[test]
fn random_order_draws_the_same_agents() {
    let list: Vec<_> = (0..300_u16)
        .map(|n| (f32::from(n % 20) * 5.0 + 3.0, f32::from(n / 20) * 6.0 + 4.0, 0.4))
        .collect();
    let canvas = Canvas::new(Rect::from_size(104.0, 96.0), 6.0, &discs(&list));
    let camera = pixelwise(104, 96);
    let cell = canvas.draw(&camera, Style::default());
    let random = canvas.draw(&camera, Style { order: DrawOrder::Random, ..Style::default() });
    assert!(cell == random);
}

#[test]
fn discs_become_density_without_a_jump() {
    // Zooming out in steps of 2 %, the mean brightness never changes by much more than the area
    // does.
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
