//! Starts of the caller's own: which are rejected, and by which sentence.

use jostle::{
    Agents, Error, Result, Scene, Setup, Sim, Spawn, Units, Vec2, limits,
    scene::{self, Start},
};

type Change = fn(&mut Setup, &mut Start);

fn changed(scene: Scene, change: Change) -> Result<Sim> {
    let mut setup = Setup::with_agents(scene, 30);
    let mut start = scene::place(&setup).expect("it can be placed");
    change(&mut setup, &mut start);
    Sim::from_start(&setup, start)
}

fn assert_rejected(scene: Scene, cases: &[(Change, &str)]) {
    for (change, expected) in cases {
        let error = changed(scene, *change).expect_err(expected);
        assert!(matches!(error, Error::Invalid(_)), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn invalid_setups_are_rejected() {
    assert_rejected(
        Scene::Gas,
        &[
            (|s, _| s.radius = [1.0, 0.5], "radius 1..0.5 runs from large to small"),
            (|s, _| s.radius = [f32::NAN, 0.5], "radius NaN is out of range"),
            (|s, _| s.hz = 0.0, "hz 0 is out of range"),
            (|s, _| s.substeps = Some(0), "substeps 0 is out of range"),
            (|s, _| s.speed = f32::NAN, "speed NaN is out of range"),
            (|s, _| s.cell = Some(1e-6), "cell 1e-6 can't divide a world"),
            (|s, _| s.spare_agents = limits::AGENTS_MAX - 29, "expected 0 to 999999970"),
            (|s, _| s.spare_statics = u32::MAX, "spare_statics 4294967295 is out of range"),
        ],
    );
    // The set-up names fewer agents than the start has.
    let fewer: Change = |s, _| (s.agents, s.spare_agents) = (1, limits::AGENTS_MAX - 1);
    assert_rejected(Scene::Gas, &[(fewer, "expected 0 to 999999970")]);
}

#[test]
fn invalid_agents_are_rejected() {
    assert_rejected(
        Scene::Melee,
        &[
            (|_, s| s.agents.radius[7] = f32::NAN, "agent radius NaN is out of range"),
            (|_, s| s.agents.radius[7] = -0.5, "agent radius -0.5 is out of range"),
            (|_, s| s.agents.x[7] = f32::NAN, "agent position (NaN, "),
            (|_, s| s.agents.y[7] = -1.0, ", -1) is out of range: expected positions from ("),
            (|_, s| s.agents.vy[7] = f32::INFINITY, ", inf) is out of range: expected -1e9 to 1e9"),
            (|_, s| s.agents.id[7] = 8, "agent id 8 is not unique"),
            (|_, s| (s.agents.id[9], s.agents.id[7]) = (7, 7), "agent id 7 is not unique"),
            (|_, s| s.agents.id[29] = u32::MAX, "expected 0 to 4294967294"),
            (
                |_, s| s.agents.vx.truncate(29),
                "column vx 29 long is not one value per id: expected 30",
            ),
            (|_, s| s.agents.y.push(1.0), "column y 31 long is not one value per id: expected 30"),
            (|_, s| drop(s.agents.units.take()), "melee needs units, which the start lacks"),
            (|_, s| units(s).faction[7] = 7, "faction 7 is out of range: expected 0 to 1"),
            (|_, s| units(s).health[7] = 0, "health 0 is out of range: expected 1 to "),
            (
                |_, s| units(s).health.truncate(29),
                "column health 29 long is not one value per id: expected 30",
            ),
        ],
    );
}

fn units(start: &mut Start) -> &mut Units {
    start.agents.units.as_mut().expect("a melee has units")
}

#[test]
fn invalid_worlds_are_rejected() {
    assert_rejected(
        Scene::Gas,
        &[
            (|_, s| s.world.max = s.world.min, "expected finite lengths above 0"),
            (|_, s| s.world.max.x = f32::INFINITY, "expected finite lengths above 0"),
            (|_, s| s.world.min.y = f32::NAN, "expected finite lengths above 0"),
            (|_, s| s.world.max *= 1e9, "agent radius "),
            (|_, s| s.populated = f64::NAN, "populated area NaN"),
        ],
    );
    let wider: Change = |_, s| s.world.max.x = 20.0;
    assert_rejected(Scene::Cannon, &[(wider, "its world is always 9.6x6.4")]);
}

#[test]
fn a_start_may_have_ids_in_any_order_or_no_agents() {
    changed(Scene::Gas, |_, s| s.agents.id.reverse()).expect("ids may be in any order");
    let mut sim = changed(Scene::Gas, |setup, start| {
        setup.spare_agents = 1;
        start.agents = Agents::default();
    })
    .expect("a run may begin without agents");
    sim.spawn(&[Spawn::new(sim.world().center(), Vec2::ZERO, 0.5)]).expect("there is room");
    sim.step().expect("there is memory");
}
