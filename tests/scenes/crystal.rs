//! A dense gas freezes: grains, their placement at every number of agents, and their order.

use jostle::{Scene, Setup, Sim, Vec2, scene};

use crate::check::{check, setup, start};

/// Side of a tile whose order is measured, diameters: some grains of the start.
const TILE: f32 = 16.0;

/// The sixfold bond order of tiles, in the mean: 1 where each is in one grain.
fn order(sim: &Sim) -> f32 {
    let (agents, world) = (sim.agents(), sim.world());
    let reach = 3.0 * agents.radius[0];
    let [cols, rows] = world.size().to_array().map(|side| (side / reach) as usize);
    let cell = |x: f32, y: f32| {
        let at = (Vec2::new(x, y) - world.min) / world.size() * Vec2::new(cols as f32, rows as f32);
        [(at.x as usize).min(cols - 1), (at.y as usize).min(rows - 1)]
    };
    let mut cells = vec![Vec::new(); cols * rows];
    for slot in 0..agents.len() {
        let [col, row] = cell(agents.x[slot], agents.y[slot]);
        cells[row * cols + col].push(slot);
    }
    let across = (world.width() / (TILE * 2.0 * agents.radius[0])) as usize;
    let mut tiles = vec![(Vec2::ZERO, 0_u32); across * across];
    for slot in 0..agents.len() {
        let at = Vec2::new(agents.x[slot], agents.y[slot]);
        let [col, row] = cell(at.x, at.y);
        let near = (row.saturating_sub(1)..(row + 2).min(rows)).flat_map(|row| {
            cells[row * cols + col.saturating_sub(1)..row * cols + (col + 2).min(cols)].iter()
        });
        let ways = near
            .flatten()
            .map(|&other| Vec2::new(agents.x[other], agents.y[other]) - at)
            .filter(|way| *way != Vec2::ZERO && way.length() < reach);
        let (mut sum, mut count) = (Vec2::ZERO, 0.0);
        for way in ways {
            let once = way.normalize();
            sum += (1..6).fold(once, |power, _| power.rotate(once));
            count += 1.0;
        }
        let tile = ((at - world.min) / world.size() * across as f32)
            .floor()
            .min(Vec2::splat(across as f32 - 1.0));
        let (tile_sum, tile_count) = &mut tiles[tile.y as usize * across + tile.x as usize];
        *tile_sum += if count > 0.0 { sum / count } else { sum };
        *tile_count += 1;
    }
    let full = tiles.iter().filter(|(_, count)| *count > 0);
    let (sum, count) =
        full.fold((0.0, 0.0), |(sum, n), (of, count)| (sum + of.length() / *count as f32, n + 1.0));
    sum / count
}

#[test]
fn a_dense_gas_freezes_into_grains() {
    let mut sim = Sim::new(&setup(Scene::Crystal, 20_000)).expect("it can be placed");
    let mut after = |steps: u32| {
        (0..steps).for_each(|_| sim.step().expect("there is memory"));
        order(&sim)
    };
    let [start, second, ten, minute] = [0, 60, 540, 3000].map(&mut after);
    assert!(second < start - 0.02, "it melts: {start}, {second}");
    assert!(ten > second + 0.1, "it freezes: {second}, {ten}");
    assert!(minute > ten + 0.04, "large grains grow: {ten}, {minute}");
}

#[test]
fn any_number_of_agents_is_placed() {
    let few = 1..=130;
    let many = [150, 199, 256, 333, 500, 640, 777, 1_000, 1_500, 3_000, 5_000, 10_007, 200_000];
    for agents in few.chain(many) {
        for seed in [0, 1] {
            let setup = Setup { seed, ..setup(Scene::Crystal, agents) };
            check(&setup, &start(&setup));
            assert!(agents < 300 || setup.density == 0.75, "{agents}: {}", setup.density);
        }
    }
}

#[test]
fn any_density_is_placed_or_refused_with_a_remedy() {
    for density in [0.001, 0.05, 0.2, 0.45, 0.6, 0.7, 0.75, 0.78, 0.8, 0.84, 0.88, 0.9] {
        for agents in [50, 2_000, 30_000] {
            for radius in [[0.75; 2], [0.7, 0.8], [0.5, 1.0]] {
                let setup = Setup { density, radius, ..setup(Scene::Crystal, agents) };
                match scene::place(&setup) {
                    Ok(start) => check(&setup, &start),
                    Err(error) => {
                        let text = error.to_string();
                        assert!(density > 0.5 && text.contains("; try "), "{setup:?}: {text}");
                    }
                }
            }
        }
    }
}
