//! The grid alone: rebuilds, and edits of single elements.
//!
//! Run `cargo bench --bench grid`. With `-- --test` it is small and runs once, as in the tests.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use jostle::{Agents, Grid, Scene, Setup, Sim, rng::Rng};

/// Agents of `gas` after some steps, and an empty grid with the configuration of the simulation.
fn gas() -> (Agents, Grid) {
    let given = |flag: &str| std::env::args().any(|argument| argument == flag);
    // `cargo test` only tests that the bench runs.
    let agents = if given("--bench") && !given("--test") { 500_000 } else { 2_000 };
    let setup = Setup { agents, ..Setup::new(Scene::Gas) };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    (0..20).for_each(|_| sim.step().expect("there is memory"));
    let config = sim.grid().config().with_edits(sim.agents().len());
    (sim.agents().clone(), Grid::new(config).expect("it fits"))
}

fn rebuild(criterion: &mut Criterion) {
    let (agents, mut grid) = gas();
    let mut group = criterion.benchmark_group("rebuild");
    group.sample_size(10);
    group.bench_function("in cell order", |bencher| {
        bencher.iter(|| grid.rebuild(black_box(&agents)).expect("there is memory"));
    });
    let mut rng = Rng::new(1);
    let mut shuffled = agents.slots_by_id();
    shuffled.sort_by_cached_key(|_| rng.bits());
    let mut anywhere = Agents::with_capacity(agents.len());
    for slot in shuffled {
        anywhere.push(agents.get(slot as usize));
    }
    group.bench_function("in random order", |bencher| {
        bencher.iter(|| grid.rebuild(black_box(&anywhere)).expect("there is memory"));
    });
}

fn edits(criterion: &mut Criterion) {
    let (agents, mut grid) = gas();
    let element = (agents.len() / 2) as u32;
    grid.rebuild(&agents).expect("there is memory");
    criterion.bench_function("remove and insert", |bencher| {
        bencher.iter(|| {
            grid.remove(&agents, element);
            grid.insert(&agents, element).expect("it was removed");
        });
    });
    criterion.bench_function("insert all", |bencher| {
        bencher.iter_batched_ref(
            || Grid::new(*grid.config()).expect("it fits"),
            |grid| {
                for element in 0..1_000 {
                    grid.insert(&agents, element).expect("it is valid");
                }
            },
            BatchSize::LargeInput,
        );
    });
}

criterion_group!(benches, rebuild, edits);
criterion_main!(benches);
