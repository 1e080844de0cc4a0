//! The values of fields where they are known: a stream, a gas, a lattice.

use glam::Vec2;

use super::*;
use crate::{
    agents::{Agent, Agents},
    geometry::{Boundary, Rect, Space},
    grid::{Grid, GridConfig},
    raster::camera::Camera,
    scene::{Scene, Setup},
    sim::Sim,
};

const SIZE: [u32; 2] = [320, 180];

/// The smoothed sums of the cells that lie in the world with all their neighbors, and all tones.
fn sums(view: &View<'_>, color_by: ColorBy) -> (Vec<Sums>, Vec<u16>) {
    let camera = Camera::fit(&view.space.world(), SIZE[0], SIZE[1]);
    let lattice = Lattice::new(view, &camera, SIZE);
    let mut fields = Fields::new(SIZE[0], SIZE[1]).expect("there is memory");
    let style = Style { color_by, ..Style::default() };
    let colors = ColorTable::new(&style);
    fields.add_up(&lattice, view, color_by, SimdLevel::best());
    fields.paint(&lattice, (&style, &colors), SIZE, 1.0, SimdLevel::best());
    let (cols, rows) = (lattice.cols, lattice.rows);
    let cell = |index: usize| fields.smooth[index];
    // The last cells of the world may be cut.
    let inner = (4..rows - 5).flat_map(|row| (4..cols - 5).map(move |col| row * cols + col));
    (inner.map(cell).collect(), image(&fields, SIZE))
}

/// The tones of a frame of that size.
fn image(fields: &Fields, [width, height]: [u32; 2]) -> Vec<u16> {
    let [columns, rows] = ToneImage::size(width, height);
    fields.tones[..columns * rows].to_vec()
}

/// Agents in the order of the cells of a grid, and the grid.
fn sorted(world: Rect, list: &[(Vec2, Vec2)]) -> (Agents, Grid) {
    sorted_by(GridConfig::new(world, 2.1, list.len()), list)
}

/// The same for a grid of that shape.
fn sorted_by(config: GridConfig, list: &[(Vec2, Vec2)]) -> (Agents, Grid) {
    let mut unsorted = Agents::default();
    for (id, &(position, velocity)) in (0..).zip(list) {
        unsorted.push(Agent { position, velocity, radius: 0.5, id });
    }
    let mut grid = Grid::new(config).unwrap();
    let mut agents = Agents::default();
    for &slot in grid.sort(&unsorted).unwrap() {
        agents.push(unsorted.get(slot as usize));
    }
    grid.set_sorted(&agents).unwrap();
    (agents, grid)
}

/// A hexagonal lattice with that spacing, turned by an angle, in a world of 160 × 90.
fn lattice(spacing: f32, angle: f32) -> (Rect, Vec<(Vec2, Vec2)>) {
    let world = Rect::from_size(160.0, 90.0);
    let (along, up) = (Vec2::new(spacing, 0.0), Vec2::new(0.5, 0.75_f32.sqrt()) * spacing);
    let sites = (-200..200).flat_map(|row| (-300..300).map(move |column| (column, row)));
    let at = |(column, row): (i32, i32)| {
        world.center() + Vec2::from_angle(angle).rotate(along * column as f32 + up * row as f32)
    };
    let inside = sites.map(at).filter(|&at| world.contains(at));
    (world, inside.map(|at| (at, Vec2::new(3.0, -4.0))).collect())
}

fn order([c, s, bonds, _]: Sums) -> Vec2 {
    Vec2::new(c, s) / bonds
}

#[test]
fn a_uniform_stream_has_one_velocity_and_one_color() {
    let (world, list) = lattice(1.6, 0.3);
    let (agents, grid) = sorted(world, &list);
    let (sums, tones) = sums(&View::new(&agents, &grid, world), ColorBy::Flow);
    for [x, y, mass, _] in sums {
        assert!((Vec2::new(x, y) / mass).distance(Vec2::new(3.0, -4.0)) < 1e-4);
    }
    assert!(tones.iter().all(|tone| tone == &tones[0]));
}

#[test]
fn a_lattice_is_in_order_and_knows_its_direction() {
    for angle in [0.0, 0.1, 0.4_f32] {
        for spacing in [1.01, 1.12, 1.4] {
            let (world, list) = lattice(spacing, angle);
            let (agents, grid) = sorted(world, &list);
            let view = View::new(&agents, &grid, world);
            let expected = Vec2::from_angle(6.0 * angle);
            for sums in sums(&view, ColorBy::Order).0 {
                let order = order(sums);
                assert!(order.distance(expected) < 0.01, "{order} at {angle}, {spacing}");
                assert!(sums[2] / sums[3] > 2.9, "three bonds per agent");
            }
            let covered = std::f32::consts::PI * 0.25 / (spacing * spacing * 0.75_f32.sqrt());
            let found = self::sums(&view, ColorBy::Density).0;
            let area = (8.0 * 2.1_f32).powi(2) * 0.25;
            for [squares, ..] in found {
                let found = std::f32::consts::PI * squares / area;
                assert!((found / covered - 1.0).abs() < 0.1, "{found} for {covered}");
            }
        }
    }
}

#[test]
fn a_gas_is_equally_warm_everywhere_and_in_no_order() {
    let mut sim = Sim::new(&Setup { agents: 40_000, ..Setup::new(Scene::Gas) }).unwrap();
    for _ in 0..120 {
        sim.step().unwrap();
    }
    let view = View::from_sim(&sim);
    let energy = |slot: usize| {
        let Agent { velocity, radius, .. } = view.agents.get(slot);
        0.5 * radius * radius * velocity.length_squared()
    };
    let all = view.agents.len();
    let mean = (0..all).map(energy).sum::<f32>() / all as f32;
    let (warmth, _) = sums(&view, ColorBy::Temperature);
    assert!(warmth.len() > 500);
    // A cell has 27 agents, and smoothing makes seven of it.
    let noise = 1.0 / (7.0 * 20.0_f32).sqrt();
    for [heat, _, free, _] in &warmth {
        let off = heat / free / mean - 1.0;
        assert!(off.abs() < 5.0 * noise, "{off}");
    }
    let total: f32 = warmth.iter().map(|[heat, _, free, _]| heat / free / mean - 1.0).sum();
    assert!((total / warmth.len() as f32).abs() < 0.02, "the mean equals the mean of all agents");
    for sums in sums(&view, ColorBy::Order).0 {
        assert!(order(sums).length() < 0.4, "{}", order(sums));
    }
}

#[test]
fn values_do_not_depend_on_the_frame() {
    let sim = Sim::new(&Setup { agents: 5_000, ..Setup::new(Scene::Gas) }).unwrap();
    let view = View::from_sim(&sim);
    let mut fields = Fields::new(SIZE[0], SIZE[1]).expect("there is memory");
    let style = Style { color_by: ColorBy::Flow, ..Style::default() };
    let colors = ColorTable::new(&style);
    let whole = Camera { scale: 4.0, ..Camera::fit(&view.space.world(), SIZE[0], SIZE[1]) };
    let mut tones = |camera: Camera| {
        let lattice = Lattice::new(&view, &camera, SIZE);
        fields.add_up(&lattice, &view, style.color_by, SimdLevel::best());
        fields.paint(&lattice, (&style, &colors), SIZE, 1.0, SimdLevel::best());
        image(&fields, SIZE)
    };
    let [columns, _] = ToneImage::size(SIZE[0], SIZE[1]);
    let before = tones(whole);
    // 40 pixels to the right.
    let after = tones(Camera { center: whole.center + Vec2::new(10.0, 0.0), ..whole });
    let pairs = before.chunks(columns).zip(after.chunks(columns));
    // Without the columns beyond the border.
    let inside = 11..columns - 1;
    let differ = pairs.flat_map(|(before, after)| before[inside.clone()].iter().zip(&after[1..]));
    // Rounding may move a tone by a step.
    assert!(differ.filter(|(one, other)| one != other).count() < before.len() / 50);
}

/// A world that repeats looks the same wherever its border is.
#[test]
fn fields_have_no_seam() {
    // Cells of 8 × 8 units, which are 10 × 10 pixels. Tones are computed for 8 × 8 pixels.
    let (world, size) = (Rect::from_size(256.0, 128.0), [320, 160]);
    let fit = Camera::fit(&world, size[0], size[1]);
    let camera = Camera { scale: 1.25, center: world.center(), ..fit };
    // Sixteen cells along and eight up: whole tones, which are rows of the image from the top.
    let shift = Vec2::new(128.0, 64.0);
    let step = |n: u32, factor: u32| (n.wrapping_mul(factor) >> 16) as f32;
    let list: Vec<_> = (0..9_000)
        .map(|n| {
            let at = Vec2::new(step(n, 0x9e37_79b1) / 256.0, step(n, 0xc2b2_ae35) / 576.0);
            (at, Vec2::new(step(n, 0x85eb_ca6b), step(n, 0x27d4_eb2f)) / 8_192.0 - 4.0)
        })
        .filter(|(at, _)| at.y < 128.0)
        .collect();
    for boundary in Boundary::ALL {
        for color_by in [ColorBy::Flow, ColorBy::Temperature, ColorBy::Density] {
            let style = Style { color_by, ..Style::default() };
            let colors = ColorTable::new(&style);
            let image = |shift: Vec2| {
                let moved = |(at, velocity): &(Vec2, Vec2)| {
                    ((*at + shift).rem_euclid(world.size()), *velocity)
                };
                let list: Vec<_> = list.iter().map(moved).collect();
                let (agents, grid) = sorted_by(GridConfig::new(world, 2.0, list.len()), &list);
                let space = Space::new(world, boundary);
                let view = View { space, ..View::new(&agents, &grid, world) };
                let lattice = Lattice::new(&view, &camera, size);
                let mut fields = Fields::new(size[0], size[1]).expect("there is memory");
                let look = (&style, &colors);
                fields.add_up(&lattice, &view, color_by, SimdLevel::best());
                fields.paint(&lattice, look, size, 1.0, SimdLevel::best());
                self::image(&fields, size)
            };
            let [x, y] = boundary.repeats().map(|repeats| if repeats { 1.0 } else { 0.0 });
            let (before, after) = (image(Vec2::ZERO), image(shift * Vec2::new(x, y)));
            let all = image(shift);
            let [columns, rows] = ToneImage::size(size[0], size[1]);
            let [along, up] = [columns - 2, rows - 2];
            let mut most = [0; 2];
            for (row, column) in (0..up).flat_map(|row| (0..along).map(move |col| (row, col))) {
                let tone = |tones: &[u16], [x, y]: [usize; 2]| {
                    let row = (row + up - y * 20) % up;
                    let tone = tones[(row + 1) * columns + (column + x * 40) % along + 1];
                    // The steps of a vector along either axis.
                    let steps = if color_by == ColorBy::Flow { 64 } else { 256 };
                    [tone % steps, tone / steps]
                };
                let far = |one: [u16; 2], other: [u16; 2]| {
                    one[0].abs_diff(other[0]).max(one[1].abs_diff(other[1]))
                };
                let here = tone(&before, [0, 0]);
                most[0] = far(here, tone(&after, [x as usize, y as usize])).max(most[0]);
                most[1] = far(here, tone(&all, [1, 1])).max(most[1]);
            }
            // Rounding may move a tone by a step.
            assert!(most[0] <= 1, "{} of {color_by:?} by {}", boundary.name(), most[0]);
            assert_eq!(most[1] <= 1, boundary == Boundary::Periodic, "{}", boundary.name());
        }
    }
}
