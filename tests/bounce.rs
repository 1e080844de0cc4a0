//! The contact solver, disc by disc: what meets returns its share of the speed, and what passes by
//! changes nothing. `scripts/soak.sh` runs the same with a thousand random phases of the step.

use jostle::{
    Agent, Agents, Rect, Scene, Setup, Sim, Static, Vec2,
    rng::Rng,
    scene::{Solver, Start},
};

const WORLD: Rect = Rect::new(Vec2::ZERO, Vec2::new(60.0, 60.0));
const RADIUS: f32 = 0.5;

/// Random cases of each kind.
fn phases() -> u32 {
    std::env::var("JOSTLE_SOAK_PHASES").map_or(60, |phases| phases.parse().expect("a number"))
}

fn setup(restitution: f32, gravity: f32) -> Setup {
    Setup {
        agents: 2,
        restitution,
        gravity,
        hz: 60.0,
        substeps: Some(1),
        solver: Solver::Contact,
        sleep: false,
        ..Setup::new(Scene::Gas)
    }
}

/// A run of discs with these centers, velocities and radii.
fn start(setup: &Setup, world: Rect, discs: &[(Vec2, Vec2, f32)], statics: Vec<Static>) -> Sim {
    let mut agents = Agents::default();
    for (id, &(position, velocity, radius)) in (0..).zip(discs) {
        agents.push(Agent { position, velocity, radius, id });
    }
    let size = world.size();
    let populated = f64::from(size.x) * f64::from(size.y);
    Sim::from_start(setup, Start { world, agents, statics, populated }).expect("a valid start")
}

fn agent(sim: &Sim, id: u32) -> Agent {
    sim.agents().get(sim.slot_of(id).expect("it is there"))
}

/// Steps until a motion over that distance at that speed is over.
fn steps(distance: f32, speed: f32) -> u32 {
    (distance / speed * 60.0).ceil() as u32 + 3
}

fn assert_share(share: f32, what: &str, case: [f32; 4]) {
    assert!((0.95..=1.001).contains(&share), "{what} returns {share} of e·v: {case:?}");
}

#[test]
fn walls_and_statics_return_what_they_should_at_any_phase_of_the_step() {
    let below = Vec2::new(30.0, 20.0);
    let floors = [
        ("a wall", 0.0, vec![]),
        ("a box", 20.0, vec![Static::Box(Rect::new(Vec2::new(25.0, 10.0), Vec2::new(35.0, 20.0)))]),
        ("a disc", 20.0, vec![Static::disc(below - Vec2::Y, 1.0)]),
    ];
    let mut rng = Rng::new(1);
    for gravity in [0.0, 10.0] {
        for restitution in [0.3, 0.5, 0.9, 1.0] {
            for (what, floor, statics) in &floors {
                for _ in 0..phases() {
                    let (speed, gap) = (rng.between(3.0, 26.0), rng.between(0.02, 3.0));
                    let at = Vec2::new(below.x, floor + RADIUS + gap);
                    let disc = (at, Vec2::new(0.0, -speed), RADIUS);
                    let set = setup(restitution, gravity);
                    let mut sim = start(&set, WORLD, &[disc], statics.clone());
                    for _ in 0..steps(gap, speed) {
                        sim.step().expect("there is memory");
                        if agent(&sim, 0).velocity.y > 0.0 {
                            break;
                        }
                    }
                    // The speeds at the floor, before and after.
                    let fall = |speed: f32, gap: f32| (speed * speed + 2.0 * gravity * gap).sqrt();
                    let Agent { position, velocity, .. } = agent(&sim, 0);
                    let rest = (position.y - floor - RADIUS).max(0.0);
                    let back = fall(velocity.y.max(0.0), rest);
                    let share = back / (restitution * fall(speed, gap));
                    assert_share(share, what, [gravity, restitution, speed, gap]);
                }
            }
        }
    }
}

#[test]
fn pairs_return_what_they_should_at_any_phase_of_the_step() {
    let mut rng = Rng::new(2);
    for restitution in [0.3, 0.5, 0.9, 1.0] {
        for (ratio, first) in [(1.0, 0.5), (1.0, 1.0), (10.0, 1.0), (10.0, 0.0)] {
            for _ in 0..phases() {
                let (speed, gap) = (rng.between(3.0, 26.0), rng.between(0.02, 3.0));
                let (along, other) = (rng.direction(), ratio * RADIUS);
                let center = WORLD.center();
                let apart = along * (RADIUS + other + gap);
                let discs = [
                    (center, along * (first * speed), RADIUS),
                    (center + apart, along * ((first - 1.0) * speed), other),
                ];
                let mut sim = start(&setup(restitution, 0.0), WORLD, &discs, vec![]);
                (0..steps(gap, speed)).for_each(|_| sim.step().expect("there is memory"));
                let back = (agent(&sim, 1).velocity - agent(&sim, 0).velocity).dot(along);
                let case = [ratio, restitution, speed, gap];
                assert_share(back / (restitution * speed), "a pair", case);
            }
        }
    }
}

/// A disc passes another shape in free flight, at a distance of a thousandth of its radius or more
/// without gravity.
#[test]
fn what_passes_by_changes_nothing() {
    let center = WORLD.center();
    let corner = Rect::new(center, center + Vec2::splat(5.0));
    let mut rng = Rng::new(3);
    for (what, statics, other) in [
        ("a corner", vec![Static::Box(corner)], None),
        ("a static disc", vec![Static::disc(center, 1.0)], None),
        ("a disc", vec![], Some(0.7)),
        ("a large disc", vec![], Some(5.0)),
    ] {
        for gravity in [0.0, 10.0] {
            if gravity > 0.0 && other.is_some() {
                continue;
            }
            // A fall in steps is off its parabola by less than this.
            let least = if gravity > 0.0 { 0.03 } else { 0.001 * RADIUS };
            let size = other.unwrap_or(if what == "a corner" { 0.0 } else { 1.0 });
            let mut passed = 0;
            while passed < phases() {
                let (along, speed) = (rng.direction(), rng.between(4.0, 26.0));
                let (gap, back) = (rng.between(0.001, 1.0) * RADIUS, rng.between(0.0, 3.0));
                let at = center + along.perp() * (RADIUS + size + gap) - along * back;
                let count = ((back + 2.0) / speed * 60.0) as u32;
                let fall = |time: f32| Vec2::new(0.0, -0.5 * gravity * time * time);
                let misses = (0..=count * 64).all(|part| {
                    let time = part as f32 / (60.0 * 64.0);
                    let on_path = at + along * (speed * time) + fall(time);
                    let nearest = match what {
                        "a corner" => on_path.clamp(corner.min, corner.max),
                        _ => center,
                    };
                    on_path.distance(nearest) >= RADIUS + size + least
                });
                if !misses {
                    continue;
                }
                passed += 1;
                let discs =
                    [(at, along * speed, RADIUS), (center, Vec2::ZERO, other.unwrap_or(1.0))];
                let discs = &discs[..=usize::from(other.is_some())];
                let mut sim = start(&setup(1.0, gravity), WORLD, discs, statics.clone());
                (0..count).for_each(|_| sim.step().expect("there is memory"));
                let free = along * speed - Vec2::new(0.0, gravity * count as f32 / 60.0);
                let change = agent(&sim, 0).velocity.distance(free);
                assert!(change < 1e-3, "{what} changes {along} × {speed} by {change}, {gap} away");
            }
        }
    }
}

#[test]
fn flush_boxes_are_as_smooth_as_one() {
    let world = Rect::from_size(110.0, 20.0);
    for (width, restitution) in [(1.0, 0.0), (1.0, 0.5), (0.3, 0.0), (0.3, 1.0), (2.0, 0.3)] {
        let tile = |n: u32| {
            let left = n as f32 * width;
            Static::Box(Rect::new(Vec2::new(left, 1.0), Vec2::new(left + width, 3.0)))
        };
        let tiles = (0..(100.0 / width) as u32).map(tile).collect();
        let disc = (Vec2::new(2.3, 3.0 + RADIUS), Vec2::new(12.0, 0.0), RADIUS);
        let mut sim = start(&setup(restitution, 10.0), world, &[disc], tiles);
        let mut top = 0.0_f32;
        for _ in 0..360 {
            sim.step().expect("there is memory");
            top = top.max(agent(&sim, 0).position.y - disc.0.y);
        }
        let speed = agent(&sim, 0).velocity.x;
        assert!((speed / 12.0 - 1.0).abs() < 1e-3, "boxes {width} wide leave {speed} of 12");
        assert!(top < 0.01 * RADIUS, "boxes {width} wide let a disc hop by {top}");
    }
}

#[test]
fn what_meets_two_statics_at_once_gets_no_faster_than_it_came() {
    // A static disc and a box that overlap: a wedge of which the sides meet at any angle.
    let at = WORLD.center();
    let mut rng = Rng::new(5);
    for case in 0..phases() * 100 {
        let half = Vec2::new(rng.between(0.3, 2.0), rng.between(0.3, 2.0));
        let radius = rng.between(0.3, 2.0);
        let off = rng.direction() * rng.between(0.0, radius + 0.5);
        let statics =
            vec![Static::Box(Rect::new(at - half, at + half)), Static::disc(at + off, radius)];
        let (aim, along) = (off * rng.unit(), rng.direction());
        let (position, speed) = (at + aim - along * 8.0, rng.between(3.0, 26.0));
        let gravity = [0.0, 10.0][case as usize % 2];
        let mut sim =
            start(&setup(1.0, gravity), WORLD, &[(position, along * speed, 0.6)], statics);
        let energy =
            |agent: Agent| 0.5 * agent.velocity.length_squared() + gravity * agent.position.y;
        for step in 0..steps(12.0, speed) {
            let before = energy(agent(&sim, 0));
            sim.step().expect("there is memory");
            let (after, fall) = (energy(agent(&sim, 0)), gravity / 60.0);
            let most = before * 1.001 + fall * (speed + 30.0);
            assert!(after <= most, "{before} to {after} in step {step} of case {case}");
        }
    }
}
