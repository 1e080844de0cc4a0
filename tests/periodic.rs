//! Worlds that repeat: contacts across the seam, wrapping, the same bits on any machine.

use jostle::{
    Agent, Agents, Boundary, Rect, Scene, Setup, Sim, Space, Static, Vec2, index::IndexKind,
    scene::Start, simd::SimdLevel,
};
use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

fn setup(scene: Scene, agents: u32, boundary: Boundary) -> Setup {
    Setup { boundary, ..Setup::with_agents(scene, agents) }
}

/// The oracle: every pair that overlaps by the nearest copies, by slot, found by looking at every
/// pair.
fn naive(agents: &Agents, space: &Space) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for i in 0..agents.len() {
        for j in i + 1..agents.len() {
            let apart = Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
            let d = space.minimum_image(apart);
            let reach = agents.radius[i] + agents.radius[j];
            if d.x * d.x + d.y * d.y < reach * reach {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

/// Pairs whose positions alone do not overlap.
fn across(agents: &Agents, pairs: &[[u32; 2]]) -> usize {
    let apart = |&&[i, j]: &&[u32; 2]| {
        let [one, two] = [i, j].map(|slot| agents.get(slot as usize));
        one.position.distance(two.position) > 1.01 * (one.radius + two.radius)
    };
    pairs.iter().filter(apart).count()
}

fn assert_sound(sim: &mut Sim) -> usize {
    sim.grid()
        .validate(sim.agents())
        .unwrap_or_else(|error| panic!("step {}: {error}", sim.steps()));
    let expected = naive(sim.agents(), &sim.space());
    let mut found: Vec<_> = sim.contacts().expect("there is memory").collect();
    found.sort_unstable();
    assert_eq!(found, expected, "step {}", sim.steps());
    let (space, agents) = (sim.space(), sim.agents());
    for slot in 0..agents.len() {
        let Agent { position, velocity, radius, .. } = agents.get(slot);
        assert!(velocity.is_finite());
        let [x, y] = space.repeats().map(|repeats| if repeats { 0.0 } else { radius });
        let Rect { min, max } = space.world();
        let inset = Vec2::new(x, y);
        let wrapped = space.wrapped(position);
        assert!(Rect::new(min + inset, max - inset).contains(wrapped), "{position} to {wrapped}");
    }
    across(agents, &expected)
}

fn advance(sim: &mut Sim, steps: u64) {
    while sim.steps() < steps {
        sim.step().expect("there is memory");
    }
}

const PERIODIC: [Boundary; 2] = [Boundary::Periodic, Boundary::PeriodicX];

#[test]
fn every_scene_without_walls_finds_the_pairs_of_the_oracle() {
    for boundary in PERIODIC {
        for scene in [Scene::Gas, Scene::Mixed, Scene::Giants, Scene::Burst, Scene::Sparse] {
            let mut sim = Sim::new(&setup(scene, 2_000, boundary)).expect("it can be placed");
            let mut met = 0;
            for steps in [0, 1, 2, 5, 10, 30, 100, 150, 200] {
                advance(&mut sim, steps);
                met += assert_sound(&mut sim);
            }
            let reaches = !matches!(scene, Scene::Burst | Scene::Sparse);
            assert!(met > 0 || !reaches, "{scene} {}: pairs across the seam", boundary.name());
        }
    }
}

/// Agents of a caller's own start, in a world of 40 × 30 that begins at (-10, 5).
fn placed(boundary: Boundary, agents: &[([f32; 2], [f32; 2], f32)]) -> Sim {
    let world = Rect::new(Vec2::new(-10.0, 5.0), Vec2::new(30.0, 35.0));
    let mut columns = Agents::with_capacity(agents.len());
    for (id, &(position, velocity, radius)) in (0..).zip(agents) {
        let [position, velocity] = [position, velocity].map(Vec2::from_array);
        columns.push(Agent { position, velocity, radius, id });
    }
    let start = Start { world, agents: columns, statics: Vec::new(), populated: 1_200.0 };
    let setup = Setup { spare_statics: 8, ..setup(Scene::Gas, agents.len() as u32, boundary) };
    Sim::from_start(&setup, start).expect("the agents fit")
}

#[test]
fn one_agent_comes_back_where_it_began() {
    // Slow, and so fast that it goes around the world many times in a step.
    for [vx, vy] in [[8.0, 6.0], [-24.0, 18.0], [-240_000.0, 180_000.0]] {
        let mut sim = placed(Boundary::Periodic, &[([0.0, 6.0], [vx, vy], 1.0)]);
        advance(&mut sim, 300);
        let at = sim.space().wrapped(sim.agents().get(0).position);
        let off = sim.space().minimum_image(at - Vec2::new(0.0, 6.0)).length();
        assert!(off < 1e-2 || vx.abs() > 1e3, "{at} after a whole number of rounds");
        assert_eq!(sim.agents().get(0).velocity, Vec2::new(vx, vy));
        assert_sound(&mut sim);
    }
}

#[test]
fn two_agents_bounce_across_the_seam() {
    for [x, y] in [[29.0, 20.0], [10.0, 34.0], [29.5, 34.5], [-9.5, 34.5]] {
        // Towards each other over the border or the corner that is near.
        let out = Vec2::new(
            if x > 28.0 {
                1.0
            } else if x < -8.0 {
                -1.0
            } else {
                0.0
            },
            0.0,
        ) + Vec2::new(0.0, if y > 33.0 { 1.0 } else { 0.0 });
        let toward = out.normalize() * 3.0;
        let at = Vec2::new(x, y);
        let world = Rect::new(Vec2::new(-10.0, 5.0), Vec2::new(30.0, 35.0));
        let other = Space::new(world, Boundary::Periodic).wrapped(at + out.normalize() * 3.0);
        let mut sim = placed(
            Boundary::Periodic,
            &[(at.to_array(), toward.to_array(), 1.0), (other.to_array(), [0.0; 2], 1.0)],
        );
        for steps in 1..=60 {
            advance(&mut sim, steps);
            assert_sound(&mut sim);
        }
        assert_eq!(sim.counters().collisions, 1, "at {at}");
        let velocity = |id| {
            let slot = sim.agents().id.iter().position(|&other| other == id).expect("it is there");
            sim.agents().get(slot).velocity
        };
        // Over a corner, the line between the centers is off by the rounding of positions.
        assert!(velocity(0).length() < 1e-4 && (velocity(1) - toward).length() < 1e-4, "at {at}");
    }
}

#[test]
fn an_agent_bounces_off_statics_on_the_other_side() {
    for (at, velocity, wall) in [
        (
            [29.0, 20.0],
            [3.0, 0.0],
            Static::Box(Rect::new([-10.0, 6.0].into(), [-9.0, 34.0].into())),
        ),
        ([10.0, 6.0], [0.0, -3.0], Static::disc(Vec2::new(10.0, 34.0), 0.9)),
    ] {
        let mut sim = placed(Boundary::Periodic, &[(at, velocity, 0.5)]);
        sim.add_statics(&[wall]).expect("it fits");
        advance(&mut sim, 60);
        let reversed = -Vec2::from_array(velocity);
        assert!((sim.agents().get(0).velocity - reversed).length() < 1e-4, "{wall:?}");
    }
}

/// Giants of nearly half the world, and dust.
#[test]
fn the_largest_agents_meet_each_other_once() {
    let mut agents = vec![([0.0, 10.0], [5.0, 4.0], 7.4), ([20.0, 27.0], [-6.0, 3.0], 7.4)];
    agents.extend((0..40).map(|n| {
        let n = n as f32;
        ([-10.0 + (n * 7.3) % 40.0, 5.0 + (n * 11.9) % 30.0], [n - 20.0, 3.0], 0.3)
    }));
    let mut sim = placed(Boundary::Periodic, &agents);
    for steps in 1..=400 {
        advance(&mut sim, steps);
        assert_sound(&mut sim);
    }
}

/// State hashes of `gas`, 20,000 agents, 60 steps. A change that moves one of them says so in
/// CHANGELOG.md.
const GOLDEN_GAS: [(Boundary, u64); 2] =
    [(Boundary::Periodic, 0x2729_017e_1a64_efcf), (Boundary::PeriodicX, 0xc49a_9437_bf4a_9785)];

#[test]
fn every_scene_has_one_hash_for_any_threads_simd_and_tight_grid() {
    let hash = |scene, boundary, threads, simd, tight| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let setup = Setup { tight, ..setup(scene, 20_000, boundary) };
            let mut sim = Sim::new(&setup).expect("the scene can be placed");
            sim.set_simd(simd);
            advance(&mut sim, 60);
            sim.state_hash()
        })
    };
    let plain = |scene| {
        (scene, Boundary::Periodic, hash(scene, Boundary::Periodic, 1, SimdLevel::SCALAR, None))
    };
    let gases = GOLDEN_GAS.map(|(boundary, golden)| (Scene::Gas, boundary, golden));
    for (scene, boundary, expected) in
        gases.into_iter().chain([Scene::Mixed, Scene::Giants].map(plain))
    {
        let threads = [(2, Some(3)), (3, None), (7, Some(1))];
        let threads = threads.map(|(threads, tight)| (threads, tight, SimdLevel::best()));
        let levels = SimdLevel::available().map(|simd| (1, None, simd));
        for (threads, tight, simd) in threads.into_iter().chain(levels) {
            let found = hash(scene, boundary, threads, simd, tight);
            assert_eq!(
                found,
                expected,
                "{scene}, {}, on {threads} threads with {}, {tight:?}: {found:#x}",
                boundary.name(),
                simd.name()
            );
        }
    }
}

#[test]
fn every_index_gives_the_same_bits() {
    for boundary in PERIODIC {
        for scene in [Scene::Gas, Scene::Mixed, Scene::Giants] {
            let run = |kind: Option<IndexKind>| {
                let mut sim = Sim::new(&setup(scene, 1_000, boundary)).expect("it can be placed");
                if let Some(kind) = kind {
                    sim.set_index(kind).expect("there is memory");
                }
                advance(&mut sim, 150);
                (sim.state_hash(), sim.counters().collisions)
            };
            let expected = run(None);
            for kind in IndexKind::all() {
                assert_eq!(run(Some(kind)), expected, "{kind:?}, {scene} {}", boundary.name());
            }
        }
    }
}

/// There are more copies than an index has room for at first, so that it is rebuilt.
#[test]
fn a_crowd_at_the_seam_grows_the_lists() {
    let agents: Vec<_> = (0..600)
        .map(|n| {
            let n = n as f32;
            ([-9.9 + 0.01 * (n % 13.0), 5.0 + (n * 11.9) % 30.0], [n % 7.0 - 3.0, 1.0], 0.2)
        })
        .collect();
    let run = |kind: Option<IndexKind>| {
        let mut sim = placed(Boundary::Periodic, &agents);
        if let Some(kind) = kind {
            sim.set_index(kind).expect("there is memory");
        }
        advance(&mut sim, 20);
        assert!(sim.counters().contact_growths > 0);
        sim.state_hash()
    };
    let expected = run(None);
    for kind in IndexKind::all() {
        assert_eq!(run(Some(kind)), expected, "{kind:?}");
    }
}

#[test]
fn a_restored_run_continues_bit_for_bit() {
    for (scene, speed) in [(Scene::Gas, 60.0), (Scene::Mixed, 6.0)] {
        let setup = Setup { speed, ..setup(scene, 1_000, Boundary::Periodic) };
        let mut sim = Sim::new(&setup).expect("it can be placed");
        for steps in (1..=60).step_by(7) {
            advance(&mut sim, steps);
            let mut again =
                Sim::restore(&sim.snapshot().expect("there is memory")).expect("it was saved");
            assert_eq!(again.state_hash(), sim.state_hash());
            assert_eq!(again.setup(), sim.setup());
            let mut on = sim.clone();
            advance(&mut again, steps + 20);
            advance(&mut on, steps + 20);
            assert_eq!(again.state_hash(), on.state_hash(), "{scene} from step {steps}");
            assert_eq!(again.counters(), on.counters());
        }
    }
}

#[test]
fn energy_and_momentum_are_kept_over_ten_thousand_steps() {
    let setup = Setup { density: 0.4, ..setup(Scene::Gas, 2_000, Boundary::Periodic) };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    let (energy, before) = (sim.agents().kinetic_energy(), sim.agents().momentum());
    let sum: f64 = (0..sim.agents().len())
        .map(|slot| {
            let Agent { velocity, radius, .. } = sim.agents().get(slot);
            f64::from(radius * radius * velocity.length())
        })
        .sum();
    advance(&mut sim, 10_000);
    let drift = sim.agents().kinetic_energy() / energy - 1.0;
    assert!(drift.abs() < 1e-5, "the energy drifted by {drift:e}");
    let after = sim.agents().momentum();
    let lost = (after[0] - before[0]).hypot(after[1] - before[1]) / sum;
    assert!(lost < 1e-6, "momentum changed by {lost:e} of the sum of |p|");
    assert!(sim.counters().collisions > 100_000);
    println!("energy {drift:e}, momentum {lost:e}");
}

fn agents() -> impl Strategy<Value = Vec<([f32; 2], [f32; 2], f32)>> {
    // Often near a border, and of all sizes up to the largest.
    let near = |low: f32, high: f32| {
        prop_oneof![low..high, low..low + 1.0, high - 1.0..high, Just(low), Just(high.next_down()),]
    };
    let radius = prop_oneof![4 => 0.05_f32..0.8, 1 => 0.8_f32..7.4];
    let speed = prop_oneof![6 => -40.0_f32..40.0, 1 => -4e3_f32..4e3];
    let agent = ([near(-10.0, 30.0), near(5.0, 35.0)], [speed.clone(), speed], radius);
    prop::collection::vec(agent.prop_map(|(at, velocity, radius)| (at, velocity, radius)), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_agents_find_the_pairs_of_the_oracle(agents in agents(), steps in 1_u64..40) {
        let mut sim = placed(Boundary::Periodic, &agents);
        assert_sound(&mut sim);
        for step in 1..=steps {
            advance(&mut sim, step);
            assert_sound(&mut sim);
        }
    }
}
