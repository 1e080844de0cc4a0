//! The step: its contacts, its bits, and corner cases.

use jostle::{
    Agent, Agents, Boundary, Grid, GridConfig, Rect, Scene, Setup, Sim, Units, Vec2,
    index::IndexKind,
    scene::{Collisions, Solver, Start},
    sim::state_hash,
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

fn setup(scene: Scene, agents: u32) -> Setup {
    Setup::with_agents(scene, agents)
}

/// The oracle: every pair that overlaps, by slot, found by looking at every pair.
fn naive(agents: &Agents) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for i in 0..agents.len() {
        for j in i + 1..agents.len() {
            let (dx, dy) = (agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
            let reach = agents.radius[i] + agents.radius[j];
            if dx * dx + dy * dy < reach * reach {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

fn advance(sim: &mut Sim, steps: u64) {
    while sim.steps() < steps {
        sim.step().expect("there is memory");
        sim.grid()
            .validate(sim.agents())
            .unwrap_or_else(|error| panic!("step {}: {error}", sim.steps()));
    }
}

#[test]
fn every_scene_finds_the_pairs_of_the_oracle() {
    for scene in Scene::ALL {
        // The oracle knows of no seam.
        let walls = Setup { boundary: Boundary::Walls, ..setup(scene, 2_000) };
        let mut sim = Sim::new(&walls).expect("the scene can be placed");
        for steps in [0, 1, 10, 100] {
            advance(&mut sim, steps);
            let expected = naive(sim.agents());
            let mut found: Vec<_> = sim.contacts().expect("there is memory").collect();
            found.sort_unstable();
            assert!(found == expected, "{scene} after {steps} steps");
            if steps == 0 {
                assert!(expected.is_empty(), "{scene}: nothing overlaps at the start");
            }
        }
        assert!(sim.counters().collisions > 0, "{scene}: agents meet");
    }
}

/// The same agents, elsewhere in the plane, in grids of other shapes: worlds that aren't square,
/// cells that aren't square, tight cells that are smaller than loose ones and do not divide the
/// world.
#[test]
fn any_grid_over_any_scene_finds_the_pairs_of_the_oracle() {
    for scene in Scene::ALL {
        let mut sim = Sim::new(&setup(scene, 2_000)).expect("the scene can be placed");
        advance(&mut sim, 30);
        let offset = Vec2::new(-731.5, 1_212.25);
        let mut agents = sim.agents().clone();
        agents.x.iter_mut().for_each(|x| *x += offset.x);
        agents.y.iter_mut().for_each(|y| *y += offset.y);
        let world = Rect::new(sim.world().min + offset, sim.world().max + offset);
        let size = world.size();
        let expected = naive(&agents);
        for (loose, tight) in [
            (size / Vec2::new(40.0, 23.0), size / Vec2::new(7.0, 11.0)),
            (size / Vec2::new(9.0, 50.0), size / Vec2::new(31.0, 13.0)),
            (size / Vec2::new(3.3, 2.2), size / Vec2::new(100.0, 90.0)),
            (size * 2.0, size / 5.0),
        ] {
            let config = GridConfig::new(world, 1.0, agents.len())
                .with_loose_size(loose)
                .with_tight_size(tight);
            let mut grid = Grid::new(config).expect("the cells fit");
            grid.rebuild(&agents).expect("there is memory");
            grid.validate(&agents).expect("the grid is exact");
            let mut found = Vec::new();
            grid.visit_pairs(&agents, 0.0, |a, b| found.push([a, b]));
            found.sort_unstable();
            assert!(found == expected, "{scene} with cells of {loose} and {tight}");
        }
    }
}

/// Agents that cross cells in a step are sorted often enough to keep outliers few.
#[test]
fn outliers_stay_few_at_any_speed() {
    for speed in [60.0, 600.0, 1e6] {
        let setup = Setup { speed, ..setup(Scene::Gas, 2_000) };
        let mut sim = Sim::new(&setup).expect("a gas can be placed");
        for steps in 0..20 {
            advance(&mut sim, steps);
            let outliers = sim.grid().outlier_count();
            assert!(outliers * 24 <= sim.agents().len(), "{outliers} at {speed}, step {steps}");
        }
        let mut found: Vec<_> = sim.contacts().expect("there is memory").collect();
        found.sort_unstable();
        assert!(found == naive(sim.agents()), "{speed}");
    }
}

/// State hash of the impulse solver between walls: `gas`, 20,000 agents, 60 steps. A change that moves
/// it says so in CHANGELOG.md. `periodic`, `swept` and `dense` have one for each of the others.
const GOLDEN_GAS: u64 = 0x00ef_f36d_f1b2_6d31;

#[test]
fn every_scene_has_one_hash_for_any_threads_and_any_simd() {
    let hash = |scene, threads, simd| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut sim = Sim::new(&setup(scene, 20_000)).expect("the scene can be placed");
            sim.set_simd(simd);
            (0..60).for_each(|_| sim.step().expect("there is memory"));
            sim.state_hash()
        })
    };
    for scene in Scene::ALL {
        let expected = match scene {
            Scene::Gas => GOLDEN_GAS,
            _ => hash(scene, 1, SimdLevel::SCALAR),
        };
        let threads = [2, 3, 7].map(|threads| (threads, SimdLevel::best()));
        let levels = SimdLevel::available().map(|simd| (1, simd));
        for (threads, simd) in threads.into_iter().chain(levels) {
            let found = hash(scene, threads, simd);
            assert_eq!(
                found,
                expected,
                "{scene} on {threads} threads with {}: {found:#x}",
                simd.name()
            );
        }
    }
}

#[test]
fn the_state_hash_covers_faction_and_health() {
    let sim = Sim::new(&setup(Scene::Melee, 100)).expect("a melee can be placed");
    let changed = |change: fn(&mut Units)| {
        let mut agents = sim.agents().clone();
        change(agents.units.as_mut().expect("a melee has units"));
        state_hash(0, &agents, sim.statics())
    };
    assert_eq!(changed(|_| {}), sim.state_hash());
    assert_ne!(changed(|units| units.health[7] -= 1), sim.state_hash());
    assert_ne!(changed(|units| units.faction[7] ^= 1), sim.state_hash());
}

#[test]
fn the_tight_grid_does_not_change_the_run() {
    for (scene, speed) in [(Scene::Mixed, 6.0), (Scene::Giants, 6.0), (Scene::Gas, 200.0)] {
        let hash = |tight| {
            let setup = Setup { tight, speed, ..setup(scene, 2_000) };
            let mut sim = Sim::new(&setup).expect("it can be placed");
            advance(&mut sim, 20);
            sim.state_hash()
        };
        let expected = hash(None);
        for tight in [1, 3, 100] {
            assert_eq!(hash(Some(tight)), expected, "{scene} at {speed} with --tight {tight}");
        }
    }
}

#[test]
fn a_gas_takes_at_most_80_bytes_per_agent() {
    let sim = Sim::new(&setup(Scene::Gas, 100_000)).expect("a gas can be placed");
    let bytes = sim.memory();
    let per_agent = (bytes.agents + bytes.grid + bytes.contacts) as f64 / 100_000.0;
    assert!(per_agent <= 80.0, "{per_agent}");
}

/// Agents where the caller wants them, in a world of 40 × 30 that begins at (-10, 5).
fn placed(agents: &[(f32, f32, f32)]) -> Sim {
    let mut start = Start {
        world: Rect::new(Vec2::new(-10.0, 5.0), Vec2::new(30.0, 35.0)),
        agents: Agents::with_capacity(agents.len()),
        statics: Vec::new(),
        populated: 1_200.0,
    };
    for (id, &(x, y, radius)) in (0..).zip(agents) {
        let (position, velocity) = (Vec2::new(x, y), Vec2::new(3.0, -4.0));
        start.agents.push(Agent { position, velocity, radius, id });
    }
    Sim::from_start(&setup(Scene::Gas, agents.len() as u32), start).expect("the grid fits")
}

fn assert_sound(sim: &Sim) {
    let (world, agents) = (sim.world(), sim.agents());
    for slot in 0..agents.len() {
        let Agent { position, velocity, radius, id } = agents.get(slot);
        let inside = Rect::new(world.min + radius, world.max - radius).contains(position);
        assert!(
            inside && velocity.is_finite(),
            "agent {id} at {position} with velocity {velocity}"
        );
    }
}

#[test]
fn one_agent_bounces_between_the_walls() {
    let mut sim = placed(&[(0.0, 10.0, 1.0)]);
    let energy = sim.agents().kinetic_energy();
    for _ in 0..2_000 {
        sim.step().expect("there is memory");
        assert_sound(&sim);
    }
    assert_eq!(sim.agents().kinetic_energy(), energy);
    assert_eq!(sim.counters().collisions, 0);
}

#[test]
fn agents_in_one_place_come_apart() {
    for count in [2, 3, 300] {
        let mut sim = placed(&vec![(5.0, 20.0, 0.25); count]);
        let pairs = sim.measure().expect("there is memory").contacts;
        assert_eq!(pairs, (count * (count - 1) / 2) as u64, "a pair is never dropped");
        assert_eq!(
            sim.counters().contact_growths > 0,
            count == 300,
            "a list that grows is counted"
        );
        // A little later, the agents at the front come to a wall. Until then some agents in the
        // middle of the 300 still overlap, since each pushes many others.
        for _ in 0..120 {
            sim.step().expect("there is memory");
            assert_sound(&sim);
        }
        sim.grid().validate(sim.agents()).expect("the grid is exact");
        let measures = sim.measure().expect("there is memory");
        assert!(measures.max_overlap < 0.4, "{count} agents overlap by {}", measures.max_overlap);
    }
}

#[test]
fn an_agent_as_large_as_the_world_lives_with_dust() {
    let mut sim =
        placed(&[(10.0, 20.0, 15.0), (28.0, 7.0, 0.5), (28.0, 33.0, 0.5), (-9.0, 6.0, 0.1)]);
    for _ in 0..500 {
        sim.step().expect("there is memory");
        assert_sound(&sim);
        sim.grid().validate(sim.agents()).expect("the grid is exact");
    }
    assert!(sim.counters().collisions > 0);
}

/// A thin and tall world has more than 64 bands, of 64 rows each: the odd ones wait for the even ones,
/// and agents meet across all their borders.
#[test]
fn a_world_of_many_rows_has_the_pairs_of_the_oracle_and_one_hash() {
    let tall = Setup {
        world: Some(Vec2::new(4.0, 11_000.0)),
        cell: Some(2.0),
        radius: [0.5, 0.8],
        substeps: Some(2),
        ..setup(Scene::Gas, 6_000)
    };
    let contact = Setup { solver: Solver::Contact, gravity: 5.0, ..tall.clone() };
    let swept = Setup { collisions: Collisions::Swept, substeps: None, ..tall.clone() };
    let periodic = Setup { boundary: Boundary::Periodic, ..tall.clone() };
    for setup in [tall, periodic, swept, contact] {
        let run = |threads: usize, simd, index| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut sim = Sim::new(&setup).expect("it can be placed");
                assert!(sim.grid().loose_cells()[1] > 5_000);
                let memory = sim.memory();
                let held = memory.agents + memory.grid + memory.contacts;
                assert!(held as u64 <= Sim::memory_for(&setup), "{memory:?}");
                sim.set_simd(simd);
                sim.set_index(index).expect("there is memory");
                advance(&mut sim, 5);
                // A snapshot has the lists of all bands.
                let mut sim = Sim::restore(&sim.snapshot().expect("there is memory"))
                    .expect("a snapshot is of a run");
                sim.set_simd(simd);
                sim.set_index(index).expect("there is memory");
                advance(&mut sim, 10);
                sim
            })
        };
        let mut indexes = IndexKind::all();
        let grid = indexes.next().expect("there is one");
        let mut sim = run(1, SimdLevel::SCALAR, grid);
        assert!(sim.counters().collisions > 300, "{:?}", sim.counters());
        let hash = sim.state_hash();
        for threads in [2, 7] {
            let other = run(threads, SimdLevel::best(), grid).state_hash();
            assert_eq!(other, hash, "{:?} {:?}, {threads} threads", setup.solver, setup.boundary);
        }
        for index in indexes {
            let other = run(2, SimdLevel::best(), index).state_hash();
            assert_eq!(other, hash, "{:?} {:?}, {index:?}", setup.solver, setup.boundary);
        }
        if setup.boundary == Boundary::Walls && setup.solver != Solver::Contact {
            let mut found: Vec<_> = sim.contacts().expect("there is memory").collect();
            found.sort_unstable();
            assert!(found == naive(sim.agents()), "{:?}", setup.collisions);
        }
        let measured = sim.measure().expect("there is memory");
        assert!(measured.kinetic_energy > 0.0);
    }
}

/// What is added up for measurements has the same bits on any number of threads, and for agents in any
/// order of slots.
#[test]
fn sums_over_agents_have_no_order() {
    let run = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut sim = Sim::new(&setup(Scene::Mixed, 30_000)).expect("it can be placed");
            advance(&mut sim, 40);
            let [px, py] = sim.agents().momentum();
            let sums = [sim.agents().kinetic_energy(), px, py, sim.transfer().wall_impulse];
            (sim, sums.map(f64::to_bits))
        })
    };
    let (sim, sums) = run(1);
    assert!(sim.transfer().wall_impulse > 0.0 && sim.transfer().virial > 0.0);
    for threads in [2, 3, 7] {
        let (other, others) = run(threads);
        assert_eq!(others, sums, "{threads} threads");
        assert_eq!(other.transfer().virial.to_bits(), sim.transfer().virial.to_bits());
    }
    let mut turned = Agents::default();
    let slots = 0..sim.agents().len();
    slots.rev().for_each(|slot| turned.push(sim.agents().get((slot * 7) % sim.agents().len())));
    let [px, py] = turned.momentum();
    assert_eq!([turned.kinetic_energy(), px, py].map(f64::to_bits), sums[..3]);
}
