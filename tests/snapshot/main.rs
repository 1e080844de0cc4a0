//! Snapshots: a restored run continues bit for bit, in any scene and after any edits.

mod continues;
mod edited;
mod large;

use jostle::{Scene, Setup, Sim, Snapshot, index::IndexKind, simd::SimdLevel};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A run at its start.
pub(crate) fn run(scene: Scene, agents: u32) -> Sim {
    let setup = Setup { spare_agents: 40, spare_statics: 8, ..Setup::with_agents(scene, agents) };
    Sim::new(&setup).expect("the scene can be placed")
}

pub(crate) fn advance(sim: &mut Sim, steps: u64) {
    (0..steps).for_each(|_| sim.step().expect("there is memory"));
}

/// The run that the bytes of a snapshot of this one restore.
pub(crate) fn restored(sim: &Sim) -> Sim {
    let bytes = sim.snapshot().expect("there is memory").into_bytes();
    let snapshot = Snapshot::from_bytes(bytes).expect("the bytes are those that were written");
    Sim::restore(&snapshot).expect("the snapshot belongs to a run")
}

pub(crate) fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// The SIMD level and the index of the n-th part of a test: all of them by turns.
pub(crate) fn change_machine(sim: &mut Sim, n: usize) {
    let levels: Vec<_> = SimdLevel::available().collect();
    let kinds: Vec<_> = IndexKind::all().collect();
    sim.set_simd(levels[n % levels.len()]);
    sim.set_index(kinds[n / 2 % kinds.len()]).expect("the index can be built");
}
