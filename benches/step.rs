//! A step of every scene, one thread, beside the floor: a copy of the agents' arrays.
//!
//! `cargo bench --bench step`; with `-- --test`, small and once, as the tests run it.

#[path = "common/floor.rs"]
mod floor;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use jostle::{Scene, Setup, Sim};

/// Agents; few where only the bench itself is tested, as `cargo test` does.
fn agents() -> u32 {
    let given = |flag: &str| std::env::args().any(|argument| argument == flag);
    if given("--bench") && !given("--test") { 500_000 } else { 2_000 }
}

fn warm(scene: Scene) -> Sim {
    let setup = Setup::with_agents(scene, agents());
    let mut sim = Sim::new(&setup).expect("the scene can be placed");
    (0..20).for_each(|_| sim.step().expect("there is memory"));
    sim
}

fn copy(criterion: &mut Criterion) {
    let from = warm(Scene::Gas).agents().clone();
    let mut to = from.clone();
    criterion.bench_function("copy of the agents", |bencher| {
        bencher.iter(|| floor::copy(black_box(&mut to), black_box(&from)));
    });
}

fn step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    group.sample_size(10);
    for scene in Scene::ALL {
        let mut sim = warm(scene);
        group.bench_function(scene.name(), |bencher| {
            bencher.iter(|| sim.step().expect("there is memory"));
        });
    }
}

criterion_group!(benches, copy, step);
criterion_main!(benches);
