//! An update and a search for pairs allocate nothing that is not counted as a growth. A counting
//! allocator proves it for every index of this crate.
//!
//! One test in a program of its own and without a harness, so that nothing else allocates while it
//! counts: on a busy machine, a harness still did while the test was running.

use std::alloc::System;

use jostle::{
    Scene, Setup, Sim,
    index::{DiscsById, IndexConfig, IndexKind},
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    for scene in [Scene::Gas, Scene::Burst] {
        for kind in IndexKind::OWN {
            let (allocations, growths) = updates(scene, kind);
            assert!(allocations <= growths, "{kind:?}, {scene}: {allocations}, {growths} counted");
        }
    }
}

/// Allocations and growths in updates and searches for pairs, without the first few.
fn updates(scene: Scene, kind: IndexKind) -> (u64, u64) {
    let setup = Setup::with_agents(scene, 1_000);
    let mut sim = Sim::new(&setup).expect("the scene can be placed");
    let config = IndexConfig { grid: *sim.grid().config(), radius: setup.radius };
    let mut index = kind.build(&config).expect("there is memory");
    let mut columns = [vec![0.0; 1_000], vec![0.0; 1_000], vec![0.0; 1_000]];
    let (mut allocations, mut growths) = (0, 0);
    for step in 0..60 {
        sim.step().expect("there is memory");
        let agents = sim.agents();
        for (slot, &id) in agents.id.iter().enumerate() {
            let values = [agents.x[slot], agents.y[slot], agents.radius[slot]];
            columns.iter_mut().zip(values).for_each(|(column, value)| column[id as usize] = value);
        }
        let [x, y, radius] = &columns;
        let discs = DiscsById { x, y, radius, alive: &[true; 1_000] };
        let region = Region::new(COUNTING);
        let grown = index.growths();
        let mut pairs = 0;
        index.update(&discs).expect("there is memory");
        index.visit_pairs(&discs, &mut |_, _| pairs += 1).expect("there is memory");
        let change = region.change();
        if step >= 3 {
            allocations += (change.allocations + change.reallocations) as u64;
            growths += index.growths() - grown;
        }
    }
    (allocations, growths)
}
