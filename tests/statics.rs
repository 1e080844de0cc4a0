//! Statics: searches near a position, agents that bounce off statics, and the bits afterwards.

use jostle::{
    Agent, Agents, Rect, Scene, Setup, Sim, Static, Statics, Vec2,
    grid::Disc,
    limits,
    rng::Rng,
    scene::{Solver, Start},
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

const WORLD: Rect = Rect::new(Vec2::new(-10.0, 5.0), Vec2::new(70.0, 50.0));

/// Overlap with a static that rounding may leave after a step, as a share of the agent's radius.
const INSIDE_MAX: f32 = 1e-3;

fn setup(solver: Solver) -> Setup {
    let gas = Setup { agents: 300, spare_statics: 100, ..Setup::new(Scene::Gas) };
    match solver {
        Solver::Impulse => gas,
        Solver::Contact => Setup { solver, gravity: 10.0, restitution: 0.3, ..gas },
        Solver::Auto => unreachable!("tests name the solver"),
    }
}

/// Discs, boxes and capsules in every other field of a board, with gaps that agents of radius 0.6 fit
/// through.
fn board() -> Vec<Static> {
    let mut rng = Rng::new(5);
    let fields = (0..9).flat_map(|row| (0..16).map(move |col| (col, row)));
    let chosen = fields.filter(|(col, row)| (col + row) % 2 == 0);
    chosen
        .map(|(col, row)| {
            let center = WORLD.min + Vec2::new(col as f32 + 0.5, row as f32 + 0.5) * 5.0;
            let half = Vec2::new(rng.between(0.05, 1.2), rng.between(0.05, 1.2));
            match rng.below(3) {
                0 => Static::disc(center, half.x),
                1 => Static::Box(Rect::new(center - half, center + half)),
                _ => {
                    let end = rng.direction() * half.y;
                    Static::capsule([center - end, center + end], 0.4 * half.x)
                }
            }
        })
        .collect()
}

/// Agents at random positions among statics, or in them.
fn sim(setup: &Setup, statics: Vec<Static>) -> Sim {
    let mut rng = Rng::new(6);
    let mut agents = Agents::default();
    for id in 0..setup.agents {
        let radius = rng.between(0.3, 0.6);
        let room = WORLD.expanded(-radius);
        let position = room.min + room.size() * Vec2::new(rng.unit(), rng.unit());
        let velocity = rng.direction() * rng.between(1.0, 9.0);
        agents.push(Agent { position, velocity, radius, id });
    }
    start(setup, agents, statics)
}

fn start(setup: &Setup, agents: Agents, statics: Vec<Static>) -> Sim {
    let start = Start { world: WORLD, agents, statics, populated: 3_600.0 };
    Sim::from_start(setup, start).expect("the grid fits")
}

/// One agent.
fn one(position: Vec2, velocity: Vec2, radius: f32) -> Agents {
    let mut agents = Agents::default();
    agents.push(Agent { position, velocity, radius, id: 0 });
    agents
}

fn step(sim: &mut Sim) {
    sim.step().expect("there is memory");
    sim.grid()
        .validate(sim.agents())
        .unwrap_or_else(|error| panic!("step {}: {error}", sim.steps()));
}

/// The deepest overlap of an agent with a static, as a share of its radius.
fn deepest(sim: &Sim) -> f32 {
    let mut most = 0.0_f32;
    for slot in 0..sim.agents().len() {
        let Agent { position, radius, velocity, .. } = sim.agents().get(slot);
        assert!(velocity.is_finite() && sim.world().expanded(-radius).contains(position));
        for (_, shape) in sim.statics().iter() {
            most = most.max(1.0 - shape.distance(position) / radius);
        }
    }
    most
}

#[test]
fn no_agent_overlaps_a_static_after_a_step() {
    for solver in [Solver::Impulse, Solver::Contact] {
        let mut sim = sim(&setup(solver), board());
        assert!(deepest(&sim) > 0.5, "some start in one");
        for _ in 0..200 {
            step(&mut sim);
            let deepest = deepest(&sim);
            assert!(deepest <= INSIDE_MAX, "{deepest} at step {}, {solver:?}", sim.steps());
        }
    }
}

#[test]
fn a_static_takes_no_energy_with_restitution_1() {
    let setup = Setup { agents: 40, ..setup(Solver::Impulse) };
    let mut sim = sim(&setup, board());
    let energy = sim.agents().kinetic_energy();
    (0..500).for_each(|_| step(&mut sim));
    let share = sim.agents().kinetic_energy() / energy;
    assert!((share - 1.0).abs() < 1e-4, "{share}");
}

#[test]
fn an_agent_bounces_off_faces_and_rounded_corners() {
    let wall = Static::Box(Rect::new(Vec2::new(20.0, 20.0), Vec2::new(21.0, 40.0)));
    let peg = Static::disc(Vec2::new(20.0, 30.0), 1.0);
    let corner = Static::Box(Rect::new(Vec2::new(20.0, 30.0), Vec2::new(24.0, 34.0)));
    let diagonal = Vec2::new(0.6, 0.8) * 6.0;
    for (shape, from, velocity, after) in [
        (wall, Vec2::new(15.0, 30.0), Vec2::new(6.0, 2.0), Vec2::new(-6.0, 2.0)),
        (peg, Vec2::new(15.0, 30.0), Vec2::new(6.0, 0.0), Vec2::new(-6.0, 0.0)),
        (corner, Vec2::new(20.0, 30.0) - diagonal, diagonal, -diagonal),
    ] {
        let setup = Setup { agents: 1, restitution: 0.5, ..setup(Solver::Impulse) };
        let mut sim = start(&setup, one(from, velocity, 0.5), vec![shape]);
        (0..90).for_each(|_| step(&mut sim));
        let met = if shape == wall { Vec2::new(after.x * 0.5, after.y) } else { after * 0.5 };
        let velocity = sim.agents().get(0).velocity;
        assert!(velocity.distance(met) < 1e-3, "{shape:?}: {velocity} and not {met}");
    }
}

#[test]
fn an_agent_leaves_a_new_static_the_shortest_way_into_the_world() {
    let at = Vec2::new(-8.0, 20.0);
    let setup = Setup { agents: 1, ..setup(Solver::Impulse) };
    for (shape, to) in [
        (Rect::new(Vec2::new(-9.4, 10.0), Vec2::new(-5.0, 40.0)), Vec2::new(-4.5, 20.0)),
        (Rect::new(Vec2::new(-10.0, 19.0), Vec2::new(30.0, 40.0)), Vec2::new(-8.0, 18.5)),
    ] {
        let mut sim = start(&setup, one(at, Vec2::ZERO, 0.5), Vec::new());
        let ids = sim.add_statics(&[Static::Box(shape)]).expect("there is room");
        step(&mut sim);
        assert!(sim.agents().get(0).position.distance(to) < 1e-4, "{:?}", sim.agents().get(0));
        assert_eq!(sim.remove_statics(&[ids.start]), 1);
        assert!(sim.statics().is_empty());
    }
    // Also from the center of a disc.
    let mut sim = start(&setup, one(at, Vec2::ZERO, 0.5), vec![Static::disc(at, 1.5)]);
    step(&mut sim);
    assert!((sim.agents().get(0).position.distance(at) - 2.0).abs() < 1e-4);
}

#[test]
fn an_agent_as_large_as_the_world_bounces_off_a_peg() {
    let setup = Setup { agents: 1, ..setup(Solver::Impulse) };
    let agents = one(Vec2::new(10.0, 27.0), Vec2::new(9.0, 4.0), 15.0);
    let mut sim = start(&setup, agents, vec![Static::disc(Vec2::new(50.0, 30.0), 0.2)]);
    let mut turned = 0;
    for _ in 0..600 {
        let before = sim.agents().get(0).velocity;
        step(&mut sim);
        assert!(deepest(&sim) <= INSIDE_MAX);
        let after = sim.agents().get(0).velocity;
        turned += u32::from(after.x != before.x && after.y != before.y);
    }
    assert!(turned > 1, "walls turn one component, a peg both");
}

#[test]
fn a_heap_stands_on_a_shelf() {
    let shelf = Rect::new(Vec2::new(0.0, 20.0), Vec2::new(60.0, 21.0));
    let sides = [0.0, 59.0].map(|x| Rect::new(Vec2::new(x, 21.0), Vec2::new(x + 1.0, 45.0)));
    let mut agents = Agents::default();
    for id in 0..300 {
        let (col, row) = (id % 20, id / 20);
        let position = Vec2::new(4.0 + 2.5 * col as f32, 22.0 + 1.7 * row as f32);
        agents.push(Agent { position, velocity: Vec2::ZERO, radius: 0.8, id });
    }
    let statics = [shelf, sides[0], sides[1]].map(Static::Box).to_vec();
    let mut sim = start(&setup(Solver::Contact), agents, statics);
    for _ in 0..600 {
        step(&mut sim);
        assert!(deepest(&sim) <= INSIDE_MAX);
    }
    let agents = sim.agents();
    let squares: f32 =
        (0..agents.len()).map(|slot| agents.get(slot).velocity.length_squared()).sum();
    assert!((squares / 300.0).sqrt() < 0.5, "it is at rest");
    assert!(agents.y.iter().all(|&y| y > 21.0), "no agent falls through");
    let overlap = sim.measure().expect("there is memory").max_overlap;
    assert!(overlap < 0.2, "{overlap}");
}

#[test]
fn the_bits_are_the_same_for_any_threads_simd_and_tight_grid() {
    for solver in [Solver::Impulse, Solver::Contact] {
        let hash = |threads, simd, tight| {
            ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(|| {
                let setup = Setup { agents: 20_000, radius: [0.05, 0.1], tight, ..setup(solver) };
                let mut sim = sim(&setup, board());
                sim.set_simd(simd);
                (0..3).for_each(|_| sim.step().expect("there is memory"));
                sim.state_hash()
            })
        };
        let expected = hash(1, SimdLevel::SCALAR, None);
        for simd in SimdLevel::available() {
            for (threads, tight) in [(1, None), (2, None), (5, Some(2))] {
                assert_eq!(hash(threads, simd, tight), expected, "{threads} {simd:?}, {solver:?}");
            }
        }
    }
}

#[test]
fn the_state_hash_covers_statics() {
    let setup = setup(Solver::Impulse);
    let mut sim = sim(&setup, Vec::new());
    let none = sim.state_hash();
    let disc = Static::disc(Vec2::new(3.0, 20.0), 1.0);
    let ids = sim.add_statics(&[disc]).expect("there is room");
    let one = sim.state_hash();
    assert_eq!(sim.remove_statics(&[ids.start]), 1);
    assert_eq!(sim.state_hash(), none);
    let again = sim.add_statics(&[disc]).expect("there is room");
    assert!(again != ids && one != none && sim.state_hash() != one, "ids are never used twice");
}

#[test]
fn invalid_statics_are_rejected() {
    let mut sim = sim(&setup(Solver::Impulse), board());
    let room = sim.statics().capacity() - sim.statics().len();
    let before = sim.state_hash();
    let peg = Static::disc(Vec2::new(3.0, 20.0), 0.1);
    let rect = |a: [f32; 2], b: [f32; 2]| Static::Box(Rect::new(a.into(), b.into()));
    for (shape, problem) in [
        (Static::disc(Vec2::new(f32::NAN, 20.0), 1.0), "has no extent"),
        (Static::disc(Vec2::new(0.0, f32::INFINITY), 1.0), "has no extent"),
        (Static::disc(Vec2::new(3.0, 20.0), 0.0), "has no extent"),
        (Static::disc(Vec2::new(3.0, 20.0), f32::NAN), "has no extent"),
        (
            Static::disc(Vec2::new(3.0, 20.0), f32::INFINITY),
            "expected positions from (-10, 5) to (70, 50)",
        ),
        (Static::disc(Vec2::new(-9.5, 20.0), 1.0), "expected positions from (-10, 5) to (70, 50)"),
        (rect([3.0, 20.0], [3.0, 22.0]), "has no extent"),
        (rect([3.0, 22.0], [4.0, 20.0]), "has no extent"),
        (rect([3.0, f32::NAN], [4.0, 20.0]), "has no extent"),
        (rect([-11.0, 20.0], [4.0, 22.0]), "expected positions from (-10, 5) to (70, 50)"),
    ] {
        let error = sim.add_statics(&[peg, shape]).expect_err("it can't be").to_string();
        assert!(error.contains(problem), "{error}");
        assert_eq!(sim.state_hash(), before, "all come, or none");
    }
    let ids = sim.add_statics(&[peg]).expect("there is room");
    let error = sim.add_statics(&vec![peg; room]).expect_err("there is no room").to_string();
    for part in
        [format!("{room} more"), format!("{} of 172", 173 - room), format!("{}, or", room - 1)]
    {
        assert!(error.contains(&part), "{part}: {error}");
    }
    assert_eq!(sim.remove_statics(&[ids.start]), 1);
    assert_eq!(sim.state_hash(), before);
}

#[test]
fn too_much_capacity_is_rejected_before_it_is_allocated() {
    for more in [limits::STATICS_MAX as usize + 1, usize::MAX] {
        let error = Statics::new(WORLD, &board(), more).expect_err("it is too much").to_string();
        assert!(error.contains("is out of range: expected 0 to 10000000"), "{error}");
    }
}

/// Edits in a batch and one by one lead to the same statics with the same ids.
#[test]
fn a_batch_equals_its_edits_one_by_one() {
    let setup = setup(Solver::Impulse);
    let [mut batch, mut single] = [(); 2].map(|()| sim(&setup, board()));
    let shapes: Vec<Static> = (0..70)
        .map(|n| Static::disc(Vec2::new(-5.0 + n as f32, 12.0 + (n % 7) as f32), 0.4))
        .collect();
    let came = batch.add_statics(&shapes).expect("there is room");
    let one_by_one = shapes.iter().map(|&shape| {
        let ids = single.add_statics(&[shape]).expect("there is room");
        assert_eq!(ids.len(), 1);
        ids.start
    });
    assert!(came.eq(one_by_one));
    // Ids in any order, some twice, some unknown.
    let gone = [60, 3, 999, 141, 72, 3, 0, 100];
    assert_eq!(batch.remove_statics(&gone), 6);
    assert_eq!(gone.map(|id| single.remove_statics(&[id])).iter().sum::<usize>(), 6);
    assert_eq!(batch.remove_statics(&gone), 0, "it is gone already");
    let left = |sim: &Sim| sim.statics().iter().collect::<Vec<_>>();
    assert_eq!(left(&batch), left(&single));
    assert!(batch.statics().iter().all(|(id, _)| !gone.contains(&id)));
    for sim in [&batch, &single] {
        for (place, (_, shape)) in sim.statics().iter().enumerate() {
            let mut found = false;
            sim.statics().visit_near(&shape.bounds(), |near| found |= near == place);
            assert!(found, "{place}");
        }
    }
    for _ in 0..20 {
        step(&mut batch);
        step(&mut single);
    }
    assert_eq!(batch.state_hash(), single.state_hash());
    assert_eq!(batch.add_statics(&[]).expect("none needs room").len(), 0);
    assert_eq!(batch.state_hash(), single.state_hash());
}

/// Discs among statics, from dots to sizes of many cells.
#[test]
fn every_static_nearby_is_visited_once() {
    let mut rng = Rng::new(7);
    for (world, room) in
        [(WORLD, 0), (Rect::new(Vec2::new(-731.5, 1_212.25), Vec2::new(-331.5, 1_219.25)), 5_000)]
    {
        let size = world.size();
        let at = |rng: &mut Rng| world.min + size * Vec2::new(rng.unit(), rng.unit());
        let mut shapes = Vec::new();
        while shapes.len() < 200 {
            let half = Vec2::new(rng.unit(), rng.unit()) * size * 0.5 * rng.unit() * rng.unit();
            let center = at(&mut rng);
            let shape = if rng.below(2) == 0 {
                Static::disc(center, half.x)
            } else {
                Static::Box(Rect::new(center - half, center + half))
            };
            if shape.check(&world).is_ok() {
                shapes.push(shape);
            }
        }
        let statics = Statics::new(world, &shapes, room).expect("there is memory");
        let mut met = 0;
        for _ in 0..2_000 {
            let disc = Disc { center: at(&mut rng), radius: size.y * rng.unit() * rng.unit() };
            let around = Rect::around(disc.center, disc.radius);
            let mut found = Vec::new();
            statics.visit_near(&around, |place| found.push(place));
            found.sort_unstable();
            assert!(found.is_sorted_by(|a, b| a < b), "each once");
            found.retain(|&place| statics.get(place).intersects_disc(&disc));
            let all = (0..shapes.len()).filter(|&place| shapes[place].intersects_disc(&disc));
            assert_eq!(found, all.collect::<Vec<_>>(), "{disc:?}");
            met += found.len();
        }
        assert!(met > 2_000, "they meet");
    }
}
