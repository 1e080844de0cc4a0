//! Random set-ups, to the ends of every range. A set-up that validates is placed or refused in a
//! sentence, and a placed one runs with any index.

use jostle::{
    Boundary, Rect, Scene, Setup, Sim, Vec2,
    index::IndexKind,
    limits,
    rng::Rng,
    scene::{self, Solver},
};
use proptest::prelude::*;

/// The memory limit for a set-up of this test: with very small cells it could take gigabytes.
const BYTES_MAX: u64 = 32 << 20;

/// A number between two others, with all magnitudes equally likely, and both ends now and then.
fn between(low: f32, high: f32) -> impl Strategy<Value = f32> {
    let magnitudes =
        (low.log10()..=high.log10()).prop_map(move |log| 10_f32.powf(log).clamp(low, high));
    prop_oneof![8 => magnitudes, 1 => Just(low), 1 => Just(high)]
}

/// A number of either sign up to a limit, or 0.
fn either_way(most: f32) -> impl Strategy<Value = f32> {
    prop_oneof![2 => Just(0.0), 1 => between(1e-3, most), 1 => between(1e-3, most).prop_map(|n| -n)]
}

fn setups() -> impl Strategy<Value = Setup> {
    let usual = prop_oneof![3 => Just([0.5, 1.0]), 1 => Just([0.5, 20.0]), 1 => Just([0.7, 0.7])];
    let extreme = (between(limits::RADIUS_MIN, limits::RADIUS_MAX), 1.0_f32..20.0)
        .prop_map(|(low, wide)| [low, (low * wide).min(limits::RADIUS_MAX)]);
    let crowd = (
        proptest::sample::select(&Scene::ALL[..]),
        1_u32..80,
        prop_oneof![2 => usual, 1 => extreme],
        0.05_f32..0.5,
        proptest::option::weighted(0.3, (1.0_f32..100.0, 1.0_f32..100.0)),
        any::<u64>(),
        prop_oneof![2 => Just(Boundary::Walls), 1 => Just(Boundary::Periodic), 1 => Just(Boundary::PeriodicX)],
    );
    let how = (
        prop_oneof![Just(0.0), between(0.1, 100.0), between(1e-3, limits::MEAN_SPEED_MAX)],
        0.0_f32..=1.0,
        either_way(limits::GRAVITY_MAX),
        prop_oneof![3 => Just(60.0), 1 => between(limits::HZ_MIN, limits::HZ_MAX)],
        1_u32..4,
        prop_oneof![Just(Solver::Auto), Just(Solver::Impulse), Just(Solver::Contact)],
    );
    let cells = (proptest::option::of(between(0.1, 100.0)), proptest::option::of(1_u32..20));
    (crowd, how, cells).prop_map(|(crowd, how, (cell, tight))| {
        let (scene, agents, radius, density, world, seed, boundary) = crowd;
        let (speed, restitution, gravity, hz, substeps, solver) = how;
        let own = Setup {
            spare_agents: 30,
            spare_statics: 4,
            seed,
            boundary,
            ..Setup::with_agents(scene, agents)
        };
        let substeps = Some(substeps);
        let moved = Setup { speed, restitution, gravity, hz, substeps, solver, cell, tight, ..own };
        if scene == Scene::Cannon {
            return moved;
        }
        // In radii, so that it is neither far too small nor far too large.
        let world = world.map(|size| Vec2::from(size) * radius[1]);
        Setup { radius, density, world, ..moved }
    })
}

fn assert_sound(sim: &Sim) -> Result<(), TestCaseError> {
    let agents = sim.agents();
    prop_assert!(sim.grid().validate(agents).is_ok());
    for slot in 0..agents.len() {
        let agent = agents.get(slot);
        let space = sim.space();
        let [x, y] = space.repeats().map(|repeats| if repeats { 0.0 } else { agent.radius });
        let (inset, world) = (Vec2::new(x, y), space.world());
        let centers = Rect::new(world.min + inset, world.max - inset);
        let inside = centers.contains(space.wrapped(agent.position));
        prop_assert!(
            inside && agent.velocity.is_finite(),
            "{:?} after {} steps",
            agent,
            sim.steps()
        );
    }
    Ok(())
}

/// All agents that `fill` finds room for in a disc may be spawned.
fn fill(sim: &mut Sim, rng: &mut Rng) -> Result<(), TestCaseError> {
    let (world, mut spawns) = (sim.world(), Vec::new());
    let place =
        world.min + world.size() * Vec2::new(rng.between(-0.2, 1.2), rng.between(-0.2, 1.2));
    sim.fill(place, world.size().max_element() * rng.unit(), rng, &mut spawns);
    prop_assert!(spawns.len() <= sim.capacity_left());
    let came = sim.spawn(&spawns);
    prop_assert!(came.is_ok(), "{:?}", came);
    Ok(())
}

fn goes_on(setup: &Setup) -> Result<(), TestCaseError> {
    prop_assume!(setup.validate().is_ok() && Sim::memory_for(setup) < BYTES_MAX);
    let start = match scene::place(setup) {
        Ok(start) => start,
        Err(error) => {
            // Areas and widths suffice, but no places were found.
            prop_assert!(error.to_string().contains("; try "), "{}", error);
            return Ok(());
        }
    };
    let mut runs = [(); 2].map(|()| Sim::from_start(setup, start.clone()).expect("it was placed"));
    let naive = IndexKind::find("naive").expect("it is there");
    runs[1].set_index(naive).expect("there is memory");
    for round in 0..6 {
        for sim in &mut runs {
            assert_sound(sim)?;
            match round {
                2 => drop(sim.remove(&sim.agents().id.clone()).expect("there is memory")),
                _ => fill(sim, &mut Rng::new(setup.seed ^ round))?,
            }
            sim.step().expect("there is memory");
            assert_sound(sim)?;
        }
        prop_assert_eq!(runs[0].state_hash(), runs[1].state_hash(), "round {}", round);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn what_validates_goes_on(setup in setups()) {
        goes_on(&setup)?;
    }
}
