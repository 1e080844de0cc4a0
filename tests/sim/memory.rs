//! The memory that a set-up is estimated to take, compared with what its run holds.

use jostle::{Scene, Setup, Sim, Vec2};

fn held(setup: &Setup) -> u64 {
    let mut sim = Sim::new(setup).expect("it can be had");
    sim.step().expect("it steps");
    let bytes = sim.memory();
    (bytes.agents + bytes.grid + bytes.contacts) as u64
}

#[test]
fn as_much_as_a_run_takes_and_not_much_more() {
    for scene in Scene::ALL {
        let setup = Setup::with_agents(scene, 20_000);
        let (bytes, held) = (Sim::memory_for(&setup), held(&setup));
        assert!(bytes >= held, "{scene}: {bytes} estimated, {held} held");
        assert!(bytes <= 4 * held, "{scene}: {bytes} estimated, {held} held");
    }
}

#[test]
fn small_cells_count() {
    let gas = Setup { agents: 2_000, ..Setup::new(Scene::Gas) };
    for cell in [0.02, 0.5, 3.0, 100.0] {
        let setup = Setup { cell: Some(cell), ..gas.clone() };
        let (bytes, held) = (Sim::memory_for(&setup), held(&setup));
        assert!(bytes >= held, "{cell}: {bytes} estimated, {held} held");
    }
    let wide = Setup { world: Some(Vec2::splat(50_000.0)), ..gas };
    assert!(Sim::memory_for(&wide) < 30_000_000, "empty space costs nothing");
    let fine = Setup { cell: Some(1.0), tight: Some(1), ..wide };
    assert!(Sim::memory_for(&fine) > 10_000_000_000, "tight cells are not packed");
}
