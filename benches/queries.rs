//! Queries of the grid: rectangles, discs, packets of discs, the nearest, segments, rays and all
//! pairs.
//!
//! Run `cargo bench --bench queries`. With `-- --test` it is small and runs once, as in the tests.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::{
    BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime,
};
use jostle::{
    Agent, ClosePairs, Grid, Rect, Scene, Setup, Sim, Vec2,
    grid::{Disc, Neighbor},
    rng::Rng,
};

/// Agents of `gas` after some steps, and a grid that does not know that they lie in cell order, as
/// for most library users.
fn gas() -> (Sim, Grid) {
    let given = |flag: &str| std::env::args().any(|argument| argument == flag);
    // `cargo test` only tests that the bench runs.
    let agents = if given("--bench") && !given("--test") { 500_000 } else { 2_000 };
    let setup = Setup { agents, ..Setup::new(Scene::Gas) };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    (0..20).for_each(|_| sim.step().expect("there is memory"));
    let mut grid = Grid::new(*sim.grid().config()).expect("it fits");
    grid.rebuild(sim.agents()).expect("there is memory");
    (sim, grid)
}

/// Discs around `N` agents that follow each other in cell order, as packets expect; each call takes
/// the next.
fn neighbors<const N: usize>(sim: &Sim) -> impl FnMut() -> [Disc; N] {
    let mut first = 0;
    move || {
        first = (first + N) % (sim.agents().len() - N);
        std::array::from_fn(|index| {
            let center = sim.agents().get(first + index).position;
            Disc { center, radius: 5.0 }
        })
    }
}

/// `N` searches one by one, and as a packet.
fn packets<const N: usize>(group: &mut BenchmarkGroup<'_, WallTime>, sim: &Sim) {
    let (agents, grid) = (sim.agents(), sim.grid());
    group.bench_function(format!("{N} discs of neighbors, one by one"), |bencher| {
        let mut discs = neighbors::<N>(sim);
        bencher.iter(|| {
            let mut found = [0; N];
            for (Disc { center, radius }, found) in discs().into_iter().zip(&mut found) {
                grid.visit_disc(agents, center, radius, |_| *found += 1);
            }
            found
        });
    });
    group.bench_function(format!("{N} discs of neighbors, at once"), |bencher| {
        let mut discs = neighbors::<N>(sim);
        bencher.iter(|| {
            let mut found = [0; N];
            grid.visit_discs(agents, &discs(), |disc, _| found[disc] += 1);
            found
        });
    });
}

fn queries(criterion: &mut Criterion) {
    let (sim, grid) = gas();
    let agents = sim.agents();
    let bounds = grid.config().bounds;
    let mut rng = Rng::new(2);
    let mut anywhere = move || {
        let share = Vec2::new(rng.unit(), rng.unit());
        bounds.min + bounds.size() * share
    };
    let mut group = criterion.benchmark_group("query");
    group.bench_function("rectangle of 10 x 10", |bencher| {
        bencher.iter(|| {
            let mut found = 0;
            grid.visit_rect(agents, &Rect::around(anywhere(), 5.0), |_| found += 1);
            found
        });
    });
    group.bench_function("disc of radius 5", |bencher| {
        bencher.iter(|| {
            let mut found = 0;
            grid.visit_disc(agents, anywhere(), 5.0, |_| found += 1);
            found
        });
    });
    group.bench_function("disc of radius 5, as an iterator", |bencher| {
        bencher.iter(|| grid.in_disc(agents, anywhere(), 5.0).count());
    });
    packets::<8>(&mut group, &sim);
    packets::<16>(&mut group, &sim);
    group.bench_function("nearest 8", |bencher| {
        let mut found = [Neighbor::NONE; 8];
        bencher.iter(|| grid.k_nearest(agents, anywhere(), |_| true, &mut found));
    });
    group.bench_function("segment across the world", |bencher| {
        bencher.iter(|| {
            let mut found = 0;
            grid.visit_segment(agents, anywhere(), anywhere(), |_| found += 1);
            found
        });
    });
    group.bench_function("ray to the first hit", |bencher| {
        bencher.iter(|| {
            let (origin, target) = (anywhere(), anywhere());
            grid.raycast(agents, origin, target - origin, f32::INFINITY, |_| true)
        });
    });
    group.sample_size(10).bench_function("all pairs", |bencher| {
        bencher.iter(|| {
            let mut found = 0;
            grid.visit_pairs(agents, 0.0, |_, _| found += 1);
            found
        });
    });
    group.finish();
    moving_pairs(criterion, sim);
}

/// Update and all pairs of agents that move, as a caller of the library gets them: by slot, in
/// nearly the grid's own order, and by id, in any order.
fn moving_pairs(criterion: &mut Criterion, mut sim: Sim) {
    let mut group = criterion.benchmark_group("update and all pairs");
    group.sample_size(10);
    let config = *sim.grid().config();
    let mut discs = vec![Disc::new(Vec2::ZERO, 0.0); sim.agents().len()];
    for by_id in [false, true] {
        let mut close = ClosePairs::new(config).expect("it fits");
        let mut grid = Grid::new(config).expect("it fits");
        let order = if by_id { "by id" } else { "by slot" };
        let mut time = |name: &str, work: &mut dyn FnMut(&[Disc]) -> usize| {
            group.bench_function(format!("{name}, {order}"), |bencher| {
                bencher.iter_custom(|rounds| {
                    let mut time = Duration::ZERO;
                    for _ in 0..rounds {
                        sim.step().expect("there is memory");
                        let agents = sim.agents();
                        for (slot, &id) in agents.id.iter().enumerate() {
                            let Agent { position, radius, .. } = agents.get(slot);
                            discs[if by_id { id as usize } else { slot }] =
                                Disc::new(position, radius);
                        }
                        let begin = Instant::now();
                        black_box(work(&discs));
                        time += begin.elapsed();
                    }
                    time
                });
            });
        };
        time("ClosePairs", &mut |discs| close.find(discs, 0.0).expect("valid discs").len());
        let mut known = false;
        time("Grid", &mut |discs| {
            let updated = if known { grid.update(discs) } else { grid.rebuild(discs) };
            updated.expect("valid discs");
            known = true;
            let mut found = 0;
            grid.visit_pairs(discs, 0.0, |_, _| found += 1);
            found
        });
    }
}

criterion_group!(benches, queries);
criterion_main!(benches);
