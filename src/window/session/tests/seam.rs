//! Tests of tools, inspection and pictures in a world that repeats.

use super::*;
use crate::{agents::Spawn, geometry::Boundary};

/// A run in which agents have crossed the seam, and the camera over a corner of the world.
fn at_corner() -> Session {
    let mut session = session_of(Setup {
        agents: 500,
        spare_agents: 200,
        spare_statics: 8,
        boundary: Boundary::Periodic,
        ..Setup::new(Scene::Gas)
    });
    for _ in 0..40 {
        run(&mut session, FRAME);
    }
    apply(&mut session, Command::TogglePause);
    let corner = session.host.sim.world().max;
    session.screen.view.look_at(corner);
    session
}

/// How many agents lie, by their nearest copies, at most that far from a point.
fn near(session: &Session, point: Vec2, within: f32) -> usize {
    let (sim, space) = (&session.host.sim, session.host.sim.space());
    let apart = |slot: usize| {
        let agent = sim.agents().get(slot);
        space.minimum_image(agent.position - point).length() - agent.radius
    };
    (0..sim.agents().len()).filter(|&slot| apart(slot) <= within).count()
}

#[test]
fn tools_work_across_the_seam() {
    let mut session = at_corner();
    let corner = session.host.sim.world().max;
    let radius = session.tools.radius(&session.screen);
    let there = near(&session, corner, radius);
    assert!(there > 4, "{there} agents around the corner");
    let erased = stroke(&mut session, Tool::Erase);
    assert!(erased.contains(&format!(" {there} agents")), "{erased}");
    assert_eq!(near(&session, corner, radius), 0);
    assert!(undo(&mut session).contains(&there.to_string()));
    assert_eq!(near(&session, corner, radius), there, "they are back where they were");

    stroke(&mut session, Tool::Erase);
    let spawned = stroke(&mut session, Tool::Spawn);
    assert!(near(&session, corner, radius) > there / 2, "{spawned}");
    let world = session.host.sim.world();
    let all = (0..session.host.sim.agents().len())
        .map(|slot| session.host.sim.agents().get(slot).position);
    let quarters: Vec<[bool; 2]> = all
        .filter(|&at| session.host.sim.space().minimum_image(at - corner).length() < radius)
        .map(|at| session.host.sim.space().wrapped(at).cmpgt(world.center()).into())
        .collect();
    for quarter in [[false, false], [false, true], [true, false], [true, true]] {
        assert!(quarters.contains(&quarter), "on all four sides of the corner");
    }

    let before = session.host.sim.agents().momentum();
    stroke(&mut session, Tool::Poke);
    assert_ne!(session.host.sim.agents().momentum(), before);
}

#[test]
fn inspection_looks_across_the_seam() {
    let mut session = at_corner();
    let (corner, world) = (session.host.sim.world().max, session.host.sim.world());
    let ids = session.host.sim.agents().id.clone();
    session.host.sim.apply(Edit::Remove(ids)).unwrap();
    let beside = Vec2::new(1.0, 1.0);
    // Two that touch over the corner, and one that is near over the upper border.
    let at = [corner - 0.2, world.min + 0.3, Vec2::new(corner.x - 1.5, world.min.y + 0.6)];
    let spawns = at.map(|at| Spawn::new(at, beside, 0.7)).to_vec();
    let ids = session.host.sim.apply(Edit::Spawn(spawns)).unwrap().ids();
    session.screen.view.look_close(corner, 8.0);
    let inspected = apply(&mut session, Command::Tool(Tool::Inspect));
    assert_eq!(inspected, "tool inspect");
    apply(&mut session, Command::MovePointer(Vec2::new(320.0, 180.0)));
    let clicked = stroke(&mut session, Tool::Inspect);
    assert!(ids.clone().any(|id| clicked.contains(&format!("{id}"))), "{clicked}");
    let first = drawn(&mut session);
    let inspection = session.screen.inspection.as_ref().expect("an agent is inspected");
    assert_eq!(inspection.touching().len(), 1, "one touches it over the corner");
    assert!(first == drawn(&mut session));
}
