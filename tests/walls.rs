//! Statics as walls: nothing passes them, nothing meets what it only passes by, and several in a
//! row are as smooth as one.

use jostle::{
    Agent, Agents, Boundary, Rect, Scene, Setup, Sim, Static, Vec2,
    rng::Rng,
    scene::{Collisions, Solver, Start},
    sim::ContactRecording,
};

const WORLD: Rect = Rect::new(Vec2::ZERO, Vec2::new(20.0, 10.0));

fn setup(collisions: Collisions) -> Setup {
    Setup { collisions, solver: Solver::Impulse, ..Setup::new(Scene::Gas) }
}

fn start(setup: &Setup, world: Rect, agents: &[Agent], statics: Vec<Static>) -> Sim {
    let mut columns = Agents::with_capacity(agents.len());
    for &agent in agents {
        columns.push(agent);
    }
    let start = Start { world, agents: columns, statics, populated: 200.0 };
    let setup = Setup { agents: agents.len() as u32, ..setup.clone() };
    Sim::from_start(&setup, start).expect("the agents fit")
}

fn agent(id: u32, position: [f32; 2], velocity: [f32; 2], radius: f32) -> Agent {
    let [position, velocity] = [position, velocity].map(Vec2::from_array);
    Agent { position, velocity, radius, id }
}

fn rect(min: [f32; 2], max: [f32; 2]) -> Static {
    Static::Box(Rect::new(min.into(), max.into()))
}

fn by_id(sim: &Sim, id: u32) -> Agent {
    let slot = sim.agents().id.iter().position(|&other| other == id).expect("it is there");
    sim.agents().get(slot)
}

/// The number of cases: more of them in a soak.
fn cases(usual: u64) -> u64 {
    std::env::var("JOSTLE_SOAK_WALLS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A wall from the floor to the ceiling, and the coordinate that divides its sides.
fn wall(rng: &mut Rng, left: f32) -> (Vec<Static>, f32) {
    let thick = [1e-5, 1e-3, 0.03, 0.3][rng.below(4) as usize] * rng.between(1.0, 2.0);
    let right = left + thick;
    let shapes = match rng.below(3) {
        0 => vec![rect([left, 0.0], [right, 10.0])],
        1 => {
            let tiles = rng.between(2.0, 30.0) as u32;
            let at = |n: u32| 10.0 * n as f32 / tiles as f32;
            (0..tiles).map(|n| rect([left, at(n)], [right, at(n + 1)])).collect()
        }
        _ => {
            // They hardly touch, so that all of them lie in the world.
            let count = (10.0 / thick.max(0.04)).ceil();
            let half = 4.9999 / count;
            let center = |n: u32| Vec2::new(left + half, 10.0 / count * (n as f32 + 0.5));
            (0..count as u32).map(|n| Static::disc(center(n), half)).collect()
        }
    };
    let middle = 0.5 * (shapes[0].bounds().min.x + shapes[0].bounds().max.x);
    (shapes, middle)
}

/// A set-up: a few agents in rooms between thin walls.
fn rooms(rng: &mut Rng) -> (Sim, Vec<f32>) {
    let (mut statics, mut walls) = (Vec::new(), Vec::new());
    for n in 0..=rng.below(3) {
        let left = 3.0 + 5.0 * n as f32 + rng.between(0.0, 3.0);
        let (shapes, middle) = wall(rng, left);
        statics.extend(shapes);
        walls.push(middle);
    }
    // Across a seam, too, nothing gets out of the rooms.
    let boundary = [Boundary::Walls, Boundary::PeriodicX][rng.below(2) as usize];
    if boundary == Boundary::PeriodicX {
        statics.extend([rect([0.0, 0.0], [0.01, 10.0]), rect([19.99, 0.0], [20.0, 10.0])]);
    }
    // Something to be squeezed in.
    for _ in 0..rng.below(3) {
        let at = Vec2::new(rng.between(1.0, 19.0), rng.between(1.0, 9.0));
        statics.push(match rng.below(2) {
            0 => Static::disc(at, rng.between(0.01, 0.9)),
            _ => Static::Box(Rect::around(at, rng.between(0.01, 0.9))),
        });
    }
    let count = 1 + rng.below(5);
    let hz = 60.0;
    let far = [1.0, 10.0, 100.0, 1e4][rng.below(4) as usize] * hz;
    let mut agents: Vec<Agent> = Vec::new();
    while agents.len() < count as usize {
        let radius = rng.between(0.1, 0.6);
        let room = WORLD.expanded(-radius);
        let position = room.min + room.size() * Vec2::new(rng.unit(), rng.unit());
        let free = statics.iter().all(|shape| shape.distance(position) > radius);
        // Some start in others.
        let apart = agents.iter().all(|other| {
            other.position.distance(position) > radius + other.radius || rng.below(20) == 0
        });
        if free && apart {
            let speed = far * radius * rng.unit();
            let velocity = if rng.below(4) == 0 { Vec2::ZERO } else { rng.direction() * speed };
            agents.push(Agent { position, velocity, radius, id: agents.len() as u32 });
        }
    }
    let restitution = [0.0, 0.5, 1.0][rng.below(3) as usize];
    let gravity = [0.0, 10.0][rng.below(2) as usize];
    let setup = Setup { boundary, hz, restitution, gravity, ..setup(Collisions::Swept) };
    (start(&setup, WORLD, &agents, statics), walls)
}

#[test]
fn swept_agents_stay_on_their_side_of_walls() {
    for seed in 0..cases(3_000) {
        let (mut sim, walls) = rooms(&mut Rng::new(seed));
        let sides = |sim: &Sim| {
            let ids = 0..sim.agents().len() as u32;
            let sides = ids.map(|id| {
                let x = by_id(sim, id).position.x;
                walls.iter().filter(|&&wall| x > wall).count()
            });
            sides.collect::<Vec<_>>()
        };
        let before = sides(&sim);
        for _ in 0..20 {
            sim.step().expect("there is memory");
            assert_eq!(sides(&sim), before, "seed {seed}, step {}", sim.steps());
        }
    }
}

#[test]
fn an_agent_that_is_hit_stays_on_its_side() {
    let agents = [agent(0, [8.29, 5.0], [54.0, 0.0], 0.5), agent(1, [9.3, 5.0], [0.0; 2], 0.5)];
    let wall = rect([10.0, 0.0], [10.3, 10.0]);
    let mut sim = start(&setup(Collisions::Swept), WORLD, &agents, vec![wall]);
    for _ in 0..3 {
        sim.step().expect("there is memory");
        let at = by_id(&sim, 1).position;
        assert!(at.x <= 9.5 + 1e-5, "{at}");
    }
}

/// A disc that slides without friction over a floor in pieces, against one over a floor of one
/// piece.
#[test]
fn boxes_side_by_side_are_as_smooth_as_one() {
    for collisions in [Collisions::Overlap, Collisions::Swept] {
        for (width, speed, restitution) in [
            (1.0, 12.0, 0.0),
            (1.0, 12.0, 0.5),
            (1.0, 12.0, 1.0),
            (0.3, 3.0, 0.0),
            (0.3, 12.0, 0.0),
        ] {
            let tiles = (100.0 / width) as u32;
            let world = Rect::from_size(width * tiles as f32, 20.0);
            let floor =
                (0..tiles).map(|n| rect([width * n as f32, 0.0], [width * (n + 1) as f32, 2.0]));
            let setup = Setup { gravity: 10.0, restitution, ..setup(collisions) };
            let slides = [agent(0, [2.0, 2.5], [speed, 0.0], 0.5)];
            let mut sim = start(&setup, world, &slides, floor.collect());
            let one = vec![rect([0.0, 0.0], [world.max.x, 2.0])];
            let mut one = start(&setup, world, &slides, one);
            while sim.steps() < 360 {
                one.step().expect("there is memory");
                sim.step().expect("there is memory");
                let (Agent { position, velocity, .. }, one) = (by_id(&sim, 0), by_id(&one, 0));
                let case = format!("{collisions:?} {width} {restitution}: {position} {velocity}");
                assert!((velocity.x / speed - 1.0).abs() < 1e-3, "{case}");
                assert!((position.y - one.position.y).abs() < 0.01 * 0.5, "{case}");
            }
        }
    }
}

/// A shape in the middle of the world that agents pass by.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Passed {
    Box,
    Disc,
    Agent,
}

#[test]
fn what_stays_apart_changes_nothing() {
    const MIDDLE: Vec2 = Vec2::new(20.0, 20.0);
    let half = Vec2::new(1.5, 0.7);
    let mut rng = Rng::new(8);
    for case in 0..2 * 4 * cases(100) {
        let collisions = [Collisions::Overlap, Collisions::Swept][case as usize % 2];
        let passed = [Passed::Box, Passed::Box, Passed::Disc, Passed::Agent][case as usize / 2 % 4];
        // Half of the boxes are passed along a face, the others at a corner.
        let along = if case / 2 % 4 == 0 { Vec2::X } else { rng.direction() };
        let normal = Vec2::new(-along.y, along.x);
        let radius = rng.between(0.2, 0.6);
        let gap = 0.3 * 10.0_f32.powf(-2.0 * rng.unit());
        let extent = match passed {
            Passed::Box => half.dot(normal.abs()),
            _ => half.x,
        };
        let speed = 24.0 * 10.0_f32.powf(rng.unit());
        let from = MIDDLE + normal * (extent + radius + gap) - along * (5.0 + rng.unit());
        let mut agents = vec![Agent { position: from, velocity: along * speed, radius, id: 0 }];
        let mut statics = Vec::new();
        match passed {
            Passed::Box => statics.push(Static::Box(Rect::new(MIDDLE - half, MIDDLE + half))),
            Passed::Disc => statics.push(Static::disc(MIDDLE, half.x)),
            Passed::Agent => agents.push(agent(1, MIDDLE.to_array(), [0.0; 2], half.x)),
        }
        let world = Rect::from_size(40.0, 40.0);
        let mut sim = start(&setup(collisions), world, &agents, statics);
        let steps = (12.0 * 60.0 / speed).ceil() as u64;
        while sim.steps() < steps {
            sim.step().expect("there is memory");
        }
        for agent in &agents {
            let after = by_id(&sim, agent.id);
            assert_eq!(after.velocity, agent.velocity, "case {case}: {passed:?}, gap {gap}");
        }
        let straight = from + along * (speed * steps as f32 / 60.0);
        assert!(by_id(&sim, 0).position.distance(straight) < 1e-4, "case {case}");
        assert_eq!(sim.counters().collisions, 0);
    }
}

/// The floor of the world is as good a floor as a box.
#[test]
fn an_elastic_ball_keeps_its_height_on_a_box() {
    for collisions in [Collisions::Overlap, Collisions::Swept] {
        for height in [3.0, 4.0, 5.37] {
            let setup = Setup { gravity: 10.0, restitution: 1.0, ..setup(collisions) };
            let ball = [agent(0, [10.0, 2.5 + height], [0.0; 2], 0.5)];
            let mut sim = start(&setup, WORLD, &ball, vec![rect([5.0, 0.0], [15.0, 2.0])]);
            let (mut bounces, mut top, mut before) = (0, height, -1.0);
            while bounces < 300 {
                sim.step().expect("there is memory");
                let Agent { position, velocity, .. } = by_id(&sim, 0);
                if before < 0.0 && velocity.y > 0.0 {
                    let share = top / height;
                    assert!((share - 1.0).abs() < 0.06, "{collisions:?}, {bounces}: {share}");
                    (bounces, top) = (bounces + 1, 0.0);
                }
                top = top.max(position.y - 2.5);
                before = velocity.y;
            }
        }
    }
}

/// An agent that a static turns into a wall of the world pushes the wall.
#[test]
fn walls_behind_statics_take_up_momentum() {
    for collisions in [Collisions::Overlap, Collisions::Swept] {
        let agents = [agent(0, [19.45, 5.0], [-6.0, 0.0], 0.5)];
        let wedge = rect([17.0, 4.0], [19.05, 6.0]);
        let mut sim = start(&setup(collisions), WORLD, &agents, vec![wedge]);
        sim.step().expect("there is memory");
        assert!(sim.transfer().wall_impulse > 0.0, "{collisions:?}");
    }
}

/// Agents with one center are told apart in the same way by each solver.
#[test]
fn agents_with_one_center_have_one_normal() {
    let normal = |collisions| {
        let agents = [0, 1].map(|id| agent(id, [10.0, 5.0], [0.0; 2], 0.5));
        let mut sim = start(&setup(collisions), WORLD, &agents, Vec::new());
        sim.record_contacts(ContactRecording::EveryStep);
        sim.step().expect("there is memory");
        let [contact] = sim.recorded_contacts() else { panic!("there is one contact") };
        contact.normal
    };
    let expected = normal(Collisions::Overlap);
    assert!(expected != Vec2::X);
    assert_eq!(normal(Collisions::Swept), expected);
}
