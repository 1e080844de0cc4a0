//! A run has the same bits whichever index finds the contacts.

use jostle::{Agent, Agents, Rect, Scene, Setup, Sim, Vec2, index::IndexKind, scene::Start};
use rayon::ThreadPoolBuilder;

fn sim(scene: Scene, agents: u32) -> Sim {
    Sim::new(&Setup::with_agents(scene, agents)).expect("the scene can be placed")
}

fn advance(sim: &mut Sim, steps: u64) {
    (0..steps).for_each(|_| sim.step().expect("there is memory"));
}

fn choose(sim: &mut Sim, kind: IndexKind) {
    sim.set_index(kind).expect("there is memory");
}

fn same_bits(scene: Scene, threads: usize, steps: u64) {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(|| {
        let mut reference = sim(scene, 1_000);
        advance(&mut reference, steps);
        for kind in IndexKind::all() {
            let mut sim = sim(scene, 1_000);
            choose(&mut sim, kind);
            advance(&mut sim, steps);
            assert_eq!(sim.index(), kind);
            assert_eq!(sim.state_hash(), reference.state_hash(), "{kind:?}, {scene}");
            let collisions = [&sim, &reference].map(|sim| sim.counters().collisions);
            assert_eq!(collisions[0], collisions[1], "{kind:?}, {scene}");
        }
    });
}

#[test]
fn every_index_gives_the_same_bits_in_every_scene() {
    for scene in Scene::ALL {
        same_bits(scene, 1, 200);
    }
}

#[test]
fn every_index_gives_the_same_bits_on_two_threads() {
    for scene in Scene::ALL {
        same_bits(scene, 2, 60);
    }
}

#[test]
fn the_index_may_be_changed_at_any_step() {
    for scene in [Scene::Mixed, Scene::Pile] {
        let [mut steady, mut changing] = [(); 2].map(|()| sim(scene, 1_000));
        for kind in IndexKind::all() {
            choose(&mut changing, kind);
            advance(&mut changing, 7);
            advance(&mut steady, 7);
            assert_eq!(changing.state_hash(), steady.state_hash(), "{kind:?}, {scene}");
        }
    }
}

/// Position and radius of the agent with a number.
type Layout = fn(u32) -> (f32, f32, f32);

fn giants(n: u32) -> (f32, f32, f32) {
    let t = n as f32;
    let radius = if n.is_multiple_of(5) { 9.0 } else { 0.4 };
    (20.0 + (t * 7.3) % 60.0, 20.0 + (t * 11.9) % 50.0, radius)
}

fn heap(_: u32) -> (f32, f32, f32) {
    (50.0, 40.0, 0.25)
}

/// Outliers that overlap each other and agents in other bands; all agents at one point, with more
/// pairs than there is room for; and ids with gaps.
#[test]
fn every_index_gives_the_same_bits_for_outliers_and_for_too_many_pairs() {
    for (name, layout) in [("giants", giants as Layout), ("heap", heap)] {
        let start = || {
            let mut agents = Agents::with_capacity(300);
            for n in 0..300 {
                let (x, y, radius) = layout(n);
                let velocity = Vec2::new(3.0, -4.0);
                agents.push(Agent { position: Vec2::new(x, y), velocity, radius, id: 3 * n + 1 });
            }
            Start {
                world: Rect::from_size(100.0, 80.0),
                agents,
                statics: Vec::new(),
                populated: 8_000.0,
            }
        };
        let setup = Setup { agents: 300, ..Setup::new(Scene::Gas) };
        let run = |kind: Option<IndexKind>| {
            let mut sim = Sim::from_start(&setup, start()).expect("the grid fits");
            if let Some(kind) = kind {
                choose(&mut sim, kind);
            }
            advance(&mut sim, 20);
            sim.state_hash()
        };
        let expected = run(None);
        for kind in IndexKind::all() {
            assert_eq!(run(Some(kind)), expected, "{kind:?}, {name}");
        }
    }
}

#[test]
fn bytes_include_the_chosen_index() {
    let mut sim = sim(Scene::Gas, 2_000);
    let own = sim.memory();
    for kind in IndexKind::all().filter(|kind| kind.name != "naive") {
        choose(&mut sim, kind);
        if kind.name != "double-grid" {
            let held = sim.memory();
            let index = kind.build(&sim.index_config()).expect("there is memory").memory();
            assert!(
                held.grid >= index && held.agents > own.agents + own.grid,
                "{kind:?}: {held:?}"
            );
        }
    }
    sim.set_index(IndexKind::find("double-grid").expect("it exists"))
        .expect("nothing is allocated");
    assert_eq!(sim.memory(), own);
}
