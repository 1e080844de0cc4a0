//! Colors that come from the grid: the cell of an agent, and the number of its contacts.

use jostle::{
    Rect, Vec2,
    raster::{ColorBy, DrawOrder, Style},
};

use crate::canvas::{Canvas, discs, pixelwise};

/// The color in the middle of each disc, which must be the same in both draw orders.
fn colors(world: Rect, cell: f32, list: &[(f32, f32, f32)], color_by: ColorBy) -> Vec<[u8; 4]> {
    colors_on(&Canvas::new(world, cell, &discs(list)), list, color_by)
}

fn colors_on(canvas: &Canvas, list: &[(f32, f32, f32)], color_by: ColorBy) -> Vec<[u8; 4]> {
    let world = canvas.world;
    let camera = pixelwise(world.width() as u32, world.height() as u32);
    let style = |order| Style { color_by, order, shading: 0.0, ..Style::default() };
    let [frame, random] =
        [DrawOrder::Cell, DrawOrder::Random].map(|order| canvas.draw(&camera, style(order)));
    let middle = |&(x, y, _): &(f32, f32, f32)| {
        let pixel = camera.to_pixel(Vec2::new(x, y));
        let index = pixel.y as usize * frame.width as usize + pixel.x as usize;
        assert_eq!(frame.pixels[index], random.pixels[index], "at {x}, {y}");
        frame.pixels[index]
    };
    list.iter().map(middle).collect()
}

#[test]
fn contact_colors_count_contacts() {
    // A disc alone, two that overlap, and a disc that overlaps three others, one of which is too
    // large for its cell.
    let list = [
        (10.5, 10.5, 4.0),
        (40.5, 10.5, 4.0),
        (47.5, 10.5, 4.0),
        (80.5, 50.5, 4.0),
        (87.5, 50.5, 4.0),
        (80.5, 57.5, 4.0),
        (60.5, 45.5, 17.0),
    ];
    let world = Rect::from_size(100.0, 80.0);
    for cell in [9.0, 20.0, 100.0] {
        let seen = colors(world, cell, &list, ColorBy::Contacts);
        let palette = Style::default().colors();
        let expected = [0, 1, 1, 3, 1, 1, 1].map(|contacts: usize| palette[contacts * 42]);
        let seen: Vec<_> = seen.iter().map(|&[r, g, b, _]| [r, g, b]).collect();
        assert_eq!(seen, expected, "cells of {cell}");
    }
}

/// The faster the rim, the farther from gray; the two directions have two colors.
#[test]
fn spin_colors_tell_directions_and_speeds() {
    let list = [-8.0, -2.0, 0.0, 2.0, 8.0].map(|x: f32| (x * 10.0 + 100.5, 20.5, 4.0));
    let canvas = || Canvas::new(Rect::from_size(200.0, 40.0), 10.0, &discs(&list));
    let spins = [-1000.0, -1.5, 0.0, 1.5, 1000.0];
    let seen = colors_on(&canvas().with_numbers("spin", &spins), &list, ColorBy::Spin);
    // A rim at the mean speed, 6, is halfway to the end.
    let style = Style { color_by: ColorBy::Spin, ..Style::default() };
    let expected = [0, 64, 128, 191, 255].map(|tone: usize| style.colors()[tone]);
    let seen: Vec<_> = seen.iter().map(|&[r, g, b, _]| [r, g, b]).collect();
    assert_eq!(seen, expected);
    let [left, _, none, _, right] = expected.map(|[r, _, b]| i32::from(r) - i32::from(b));
    assert!(left < -100 && none.abs() < 40 && right > 100, "{expected:?}");
    let without = colors_on(&canvas(), &list, ColorBy::Spin);
    assert!(without.iter().all(|&[r, g, b, _]| [r, g, b] == expected[2]));
}

#[test]
fn neighboring_cells_have_different_colors() {
    let mut list = Vec::new();
    for row in 0..8_u8 {
        for column in 0..8_u8 {
            list.push((f32::from(column) * 10.0 + 5.5, f32::from(row) * 10.0 + 5.5, 2.5));
        }
    }
    let world = Rect::from_size(80.0, 80.0);
    // Cells of two by two discs: one color within a cell, another in the next.
    let seen = colors(world, 20.0, &list, ColorBy::Cell);
    for (index, color) in seen.iter().enumerate() {
        let (column, row) = (index % 8, index / 8);
        if column < 7 {
            assert_eq!(*color == seen[index + 1], column % 2 == 0, "{column}, {row}");
        }
        if row < 7 {
            assert_eq!(*color == seen[index + 8], row % 2 == 0, "{column}, {row}");
        }
    }
}

#[test]
fn agents_out_of_view_count_as_contacts() {
    let world = Rect::from_size(40.0, 40.0);
    // The camera sees the lower left quarter; the other disc of the pair lies beyond it.
    let canvas = Canvas::new(world, 10.0, &discs(&[(16.5, 10.5, 3.0), (22.0, 10.5, 3.0)]));
    let style = Style { color_by: ColorBy::Contacts, shading: 0.0, ..Style::default() };
    let [r, g, b] = style.colors()[42];
    let frame = canvas.draw(&pixelwise(18, 20), style);
    assert_eq!(frame.pixels[9 * 18 + 16], [r, g, b, 255]);
}
