//! Capsules: walls in any direction that are smooth where they meet and let nothing pass.

use std::f32::consts::TAU;

use jostle::{
    Agent, Agents, Boundary, Rect, Scene, Setup, Sim, Snapshot, Static, Vec2,
    rng::Rng,
    scene::{Collisions, Solver, Start},
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

const WORLD: Rect = Rect::new(Vec2::ZERO, Vec2::new(120.0, 120.0));

const RADIUS: f32 = 0.5;

/// The three ways in which agents meet statics.
const MODES: [(Solver, Collisions); 3] = [
    (Solver::Impulse, Collisions::Overlap),
    (Solver::Impulse, Collisions::Swept),
    (Solver::Contact, Collisions::Overlap),
];

fn setup((solver, collisions): (Solver, Collisions)) -> Setup {
    Setup { solver, collisions, ..Setup::new(Scene::Gas) }
}

fn start(setup: &Setup, agents: &[(Vec2, Vec2)], statics: Vec<Static>) -> Sim {
    let mut columns = Agents::with_capacity(agents.len());
    for (id, &(position, velocity)) in (0..).zip(agents) {
        columns.push(Agent { position, velocity, radius: RADIUS, id });
    }
    let start = Start { world: WORLD, agents: columns, statics, populated: 200.0 };
    let setup = Setup { agents: agents.len() as u32, ..setup.clone() };
    Sim::from_start(&setup, start).expect("the agents fit")
}

/// Capsules from point to point.
fn polyline(points: &[Vec2], radius: f32) -> Vec<Static> {
    points.windows(2).map(|ends| Static::capsule([ends[0], ends[1]], radius)).collect()
}

/// Fifty capsules in a row, of lengths that differ: by its inclination, a disc gains speed or keeps it.
#[test]
fn a_disc_slides_along_capsules_in_a_row() {
    let mut rng = Rng::new(4);
    for mode in MODES {
        for (slope, gravity, speed) in [
            (0.3_f32, 0.0, 12.0),
            (-0.3, 10.0, 3.0),
            (0.2, 10.0, 25.0),
            (1.4, 0.0, 5.0),
            (0.0, 10.0, 9.0),
        ] {
            let along = Vec2::from_angle(slope);
            let from = Vec2::new(10.0, if slope < 0.0 { 60.0 } else { 12.0 });
            let mut length = 0.0;
            let points: Vec<Vec2> = (0..=50)
                .map(|_| {
                    let point = from + along * length;
                    length += rng.between(0.3, 2.5);
                    point
                })
                .collect();
            let across = along.perp();
            let wall = polyline(&points, 0.7);
            let disc = (from + along * 2.0 + across * (RADIUS + 0.7), along * speed);
            let setup = Setup { gravity, restitution: 0.0, ..setup(mode) };
            let mut sim = start(&setup, &[disc], wall);
            let down = -gravity * along.y;
            while (sim.agents().get(0).position - from).dot(along) < 40.0 && sim.steps() < 600 {
                sim.step().expect("there is memory");
                let Agent { position, velocity, .. } = sim.agents().get(0);
                let way = (position - from).dot(along) - 2.0;
                let expected = (speed * speed + 2.0 * down * way).sqrt();
                let case = format!("{mode:?} {slope} {gravity} after {way}: {velocity}");
                let off = velocity.length() / expected - 1.0;
                // A fall in steps is not quite that of theory.
                let least = if gravity > 0.0 && slope != 0.0 { 4e-3 } else { 1e-3 };
                assert!(off.abs() < least, "{case}: {off} of the speed");
                let hop = (position - from).dot(across) - RADIUS - 0.7;
                assert!(hop.abs() < 0.01 * RADIUS, "{case}: hops by {hop}");
            }
            assert!(sim.steps() < 600, "{mode:?} {slope} {gravity} stopped");
        }
    }
}

/// The same on one capsule as on fifty.
#[test]
fn a_row_is_as_smooth_as_one() {
    for mode in MODES {
        let along = Vec2::from_angle(-0.4);
        let from = Vec2::new(10.0, 80.0);
        let setup = Setup { gravity: 10.0, restitution: 0.3, ..setup(mode) };
        let disc = (from + along + along.perp() * (RADIUS + 0.2), along * 4.0);
        let run = |parts: u32| {
            let points: Vec<Vec2> =
                (0..=parts).map(|n| from + along * (60.0 * n as f32 / parts as f32)).collect();
            let mut sim = start(&setup, &[disc], polyline(&points, 0.2));
            (0..240).for_each(|_| sim.step().expect("there is memory"));
            sim.agents().get(0)
        };
        let (row, one) = (run(50), run(1));
        let apart = row.position.distance(one.position);
        assert!(apart < 0.01 * RADIUS, "{mode:?}: {row:?} {one:?}");
        let change = row.velocity.length() / one.velocity.length() - 1.0;
        assert!(change.abs() < 1e-3, "{mode:?}: {row:?} {one:?}");
    }
}

/// A fence of capsules around fast agents.
#[test]
fn nothing_passes_a_fence_with_swept_collisions() {
    let mut rng = Rng::new(8);
    for case in 0..60 {
        let corners = 3 + rng.below(9);
        let turn = rng.between(0.0, TAU);
        let mut points: Vec<Vec2> = (0..corners)
            .map(|n| {
                let angle = turn + TAU * n as f32 / corners as f32;
                WORLD.center() + Vec2::from_angle(angle) * rng.between(20.0, 50.0)
            })
            .collect();
        points.push(points[0]);
        let radius = [1e-4, 1e-3, 0.05, 1.0][case % 4];
        let fast = [10.0, 300.0, 5_000.0][case % 3];
        let inside = |at: Vec2| {
            let is_left = |ends: &[Vec2]| (ends[1] - ends[0]).perp_dot(at - ends[0]) > 0.0;
            // The fence is a star around the middle: one wedge has the point.
            points.windows(2).any(|ends| {
                let wedge = [ends[0], ends[1]].map(|end| end - WORLD.center());
                let to = at - WORLD.center();
                wedge[0].perp_dot(to) >= 0.0 && wedge[1].perp_dot(to) <= 0.0 && is_left(ends)
            })
        };
        let agents: Vec<(Vec2, Vec2)> = (0..12)
            .map(|n| {
                let at = WORLD.center() + Vec2::from_angle(n as f32 * TAU / 12.0) * 3.0;
                (at, rng.direction() * rng.between(0.5, 1.0) * fast)
            })
            .collect();
        let mut sim = start(&setup(MODES[1]), &agents, polyline(&points, radius));
        if sim
            .statics()
            .iter()
            .any(|(_, shape)| agents.iter().any(|(at, _)| shape.distance(*at) < RADIUS))
        {
            continue;
        }
        for _ in 0..120 {
            sim.step().expect("there is memory");
            for slot in 0..sim.agents().len() {
                let at = sim.agents().get(slot).position;
                assert!(inside(at), "case {case}: {at} is out of {points:?}");
            }
        }
    }
}

/// Slanted walls among agents.
fn maze(mode: (Solver, Collisions), boundary: Boundary) -> Sim {
    let mut rng = Rng::new(11);
    let setup = Setup {
        boundary,
        gravity: if mode.0 == Solver::Contact { 10.0 } else { 0.0 },
        ..setup(mode)
    };
    let agents: Vec<(Vec2, Vec2)> = (0..900)
        .map(|n| {
            let at = Vec2::new((n % 30) as f32, (n / 30) as f32) * 3.8 + 3.0;
            (at, rng.direction() * rng.between(1.0, 20.0))
        })
        .collect();
    let walls = (0..40)
        .flat_map(|_| {
            let at = WORLD.center() + Vec2::new(rng.between(-44.0, 44.0), rng.between(-44.0, 44.0));
            let [one, other] =
                [rng.direction(), rng.direction()].map(|to| to * rng.between(1.0, 9.0));
            polyline(&[at + one, at, at + other], 0.3)
        })
        .collect();
    start(&setup, &agents, walls)
}

#[test]
fn capsules_have_the_same_bits_however_they_run() {
    for (mode, boundary) in MODES
        .map(|mode| (mode, Boundary::Walls))
        .into_iter()
        .chain([(MODES[0], Boundary::Periodic), (MODES[1], Boundary::PeriodicX)])
    {
        let run = |threads: usize, simd: SimdLevel| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut sim = maze(mode, boundary);
                sim.set_simd(simd);
                (0..40).for_each(|_| sim.step().expect("there is memory"));
                let saved = sim.snapshot().expect("there is memory").into_bytes();
                let loaded = Snapshot::from_bytes(saved).expect("it was saved");
                let mut again = Sim::restore(&loaded).expect("it was saved");
                let shapes = |sim: &Sim| sim.statics().iter().collect::<Vec<_>>();
                assert_eq!(shapes(&sim), shapes(&again));
                for sim in [&mut sim, &mut again] {
                    (0..20).for_each(|_| sim.step().expect("there is memory"));
                }
                assert_eq!(sim.state_hash(), again.state_hash(), "{mode:?} {boundary:?}");
                sim.state_hash()
            })
        };
        let expected = run(1, SimdLevel::SCALAR);
        assert_eq!(run(2, SimdLevel::best()), expected, "{mode:?} {boundary:?}");
        assert_eq!(run(7, SimdLevel::SCALAR), expected, "{mode:?} {boundary:?}");
    }
}

#[test]
fn capsules_that_no_world_holds_are_refused() {
    let [at, end] = [Vec2::new(5.0, 5.0), Vec2::new(9.0, 8.0)];
    for (ends, radius) in [
        ([at, end], 0.0),
        ([at, end], -1.0),
        ([at, end], f32::NAN),
        ([at, end], f32::INFINITY),
        ([at, end], 6.0),
        ([at, Vec2::new(f32::NAN, 3.0)], 1.0),
        ([at, Vec2::splat(f32::INFINITY)], 1.0),
        ([at, Vec2::splat(f32::MAX)], 1.0),
    ] {
        let shape = Static::capsule(ends, radius);
        assert!(shape.check(&WORLD).is_err(), "{shape:?}");
    }
    // In any order, also along an axis or without a length.
    for ends in [[at, end], [end, at], [at, at], [at, Vec2::new(5.0, 9.0)]] {
        let shape = Static::capsule(ends, 1.0);
        shape.check(&WORLD).expect("it fits");
        let out = (ends[0] - ends[1]).normalize_or(Vec2::X);
        assert!((shape.distance(ends[0] + 3.0 * out) - 2.0).abs() < 1e-5, "{shape:?}");
        assert_eq!(shape.distance(ends[1]), 0.0);
        let sim = start(&setup(MODES[0]), &[(Vec2::splat(50.0), Vec2::ZERO)], vec![shape]);
        let (_, kept) = sim.statics().iter().next().expect("it is there");
        assert_eq!(kept.bounds(), shape.bounds());
    }
}
