//! Tests of runs that are saved as world files.

use super::*;
use crate::{
    scene::PlacementProgress,
    window::snapshot_store::OpenedRun,
    world::{RunAsText, WorldPlan, written},
};

/// Draws a wall across the world.
fn draw_wall(session: &mut Session) {
    apply(session, Command::Tool(Tool::Wall));
    apply(session, Command::MovePointer(Vec2::new(320.0, 180.0)));
    apply(session, Command::PressTool);
    for to in [[400.0, 180.0], [450.0, 230.0]] {
        apply(session, Command::MovePointer(Vec2::from(to)));
        work(session).unwrap();
    }
    assert!(apply(session, Command::ReleaseButton).contains("built "));
}

/// The statics of a run, as texts in order.
fn statics(sim: &Sim) -> Vec<String> {
    let mut all: Vec<_> = sim.statics().iter().map(|(_, wall)| format!("{wall:?}")).collect();
    all.sort();
    all
}

/// The run of a saved file.
fn opened(text: &str) -> Sim {
    let plan = WorldPlan::read("saved", text, &[], None)
        .unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    Sim::of_world(&plan, &PlacementProgress::new()).expect("agents")
}

/// A file has the walls that were drawn, once, and those of its scene come from that.
#[test]
fn a_saved_file_has_the_walls_of_the_run() {
    for scene in [Scene::Gas, Scene::Dam, Scene::Pegs, Scene::Cannon, Scene::Melee] {
        let agents = Setup::new(scene).agents.min(500);
        let setup = Setup { spare_statics: 200, ..Setup::with_agents(scene, agents) };
        let mut session = session_of(setup);
        let own = session.sim().statics().len();
        draw_wall(&mut session);
        assert!(session.sim().statics().len() > own + 3, "{scene}");
        let RunAsText { text, gone } = session.as_world_file().unwrap();
        assert_eq!(gone, 0, "{scene}");
        let again = opened(&text);
        assert_eq!(statics(&again), statics(session.sim()), "{scene}");
        // A file of the file has them once, too.
        let mut session = world_session(&text);
        assert_eq!(session.as_world_file().unwrap().text, text, "{scene}");
        draw_wall(&mut session);
        let more = session.as_world_file().unwrap().text;
        assert_eq!(statics(&opened(&more)), statics(session.sim()), "{scene}");
    }
}

/// Walls that are erased stay in a text that has them, which says so.
#[test]
fn a_saved_file_says_which_walls_are_gone() {
    let mut session = session(Scene::Dam);
    let all = session.sim().statics().len();
    session.host.sim.apply(Edit::RemoveStatics(vec![0])).unwrap();
    let RunAsText { text, gone } = session.as_world_file().unwrap();
    assert_eq!((gone, opened(&text).statics().len()), (1, all));
    assert!(text.contains("# The run has lost 1 wall of these."), "{text}");
}

/// What a saved file does not have of the run is said.
#[test]
fn a_saved_file_says_what_it_begins_with() {
    let setup = Setup { agents: 500, spare_agents: 9, spare_statics: 9, ..Setup::new(Scene::Gas) };
    let mut session = session_of(setup.clone());
    assert_eq!(session.begins_otherwise().unwrap(), [""; 0]);
    apply(&mut session, Command::Gravity(3.0));
    session.host.sim.apply(Edit::Remove(vec![7, 8])).unwrap();
    // The text of a scene is written with the numbers of the run.
    assert_eq!(session.begins_otherwise().unwrap(), ["500 agents"]);
    let text = written(&setup);
    let mut session = world_session(&text);
    assert_eq!(session.begins_otherwise().unwrap(), [""; 0]);
    apply(&mut session, Command::Gravity(3.0));
    apply(&mut session, Command::Restitution(0.5));
    session.host.sim.apply(Edit::Remove(vec![7])).unwrap();
    let begins = ["500 agents", "restitution 1", "gravity 0"];
    assert_eq!(session.begins_otherwise().unwrap(), begins);
}

/// A session with the run of a world file.
fn world_session(text: &str) -> Session {
    let mut plan = WorldPlan::read("saved", text, &[], None).expect("a world");
    plan.setup = with_room_in_world(&plan, &plan.setup);
    let mut session = session_of(Setup { agents: 100, ..Setup::new(Scene::Gas) });
    let sim = Sim::of_world(&plan, &PlacementProgress::new()).expect("agents");
    let snapshot = sim.snapshot().expect("memory");
    session.open(OpenedRun { snapshot, sim, replay: None }).expect("memory");
    session
}
