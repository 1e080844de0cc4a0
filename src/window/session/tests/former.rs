//! Tests of undo after a start: the run before it comes back.

use super::*;
use crate::{
    error::{Field, Value},
    journal::{Due, Journal, JournalWriter, MemoryFile, Replay, RunOrigin},
    window::tool::UndoTurn,
};

/// The parts of a session that come back with a run: its state, the part of the world that is shown,
/// the colors, and the number of agents that other scenes start with.
fn looks(session: &Session) -> (u64, Vec2, ColorBy, Option<u32>) {
    let center = session.screen.view.camera().center;
    (session.host.sim.state_hash(), center, session.style().color_by, session.starts.asked)
}

#[test]
fn a_start_is_undone_and_done_again() {
    let redo = |session: &mut Session| apply(session, Command::Turn(UndoTurn::Redo));
    let mut session = session(Scene::Pile);
    apply(&mut session, Command::Zoom(5.0));
    apply(&mut session, Command::ColorBy(Choice::Value(ColorBy::Flow)));
    stroke(&mut session, Tool::Spawn);
    (0..20).for_each(|_| _ = run(&mut session, FRAME));
    let (steps, former) = (session.host.sim.steps(), looks(&session));
    let random = session.tools.seeds.state();
    started(&mut session, Scene::Melee, Some(300));
    run(&mut session, FRAME * 3);
    let next = looks(&session);
    for _ in 0..2 {
        assert_eq!(undo(&mut session), format!("undone: back in pile, step {steps}"));
        assert_eq!((looks(&session), session.tools.seeds.state()), (former, random));
        assert_eq!(undo(&mut session), "nothing to undo");
        let event = redo(&mut session);
        assert!(event.starts_with("redone: back in melee, step "), "{event}");
        assert_eq!(looks(&session), next);
        assert_eq!(redo(&mut session), "nothing to redo");
    }
    // Each start, not only another scene.
    let agents = session.host.sim.agents().len();
    apply(&mut session, Command::Restart);
    wait_placed(&mut session);
    apply(&mut session, Command::StartWith(Field::Seed, Value::Count(9)));
    wait_placed(&mut session);
    let event = undo(&mut session);
    assert_eq!(event, "undone: back in melee, step 0");
    assert_eq!((session.setup().seed, session.host.sim.agents().len()), (0, agents));
    // After what was done in the run, which comes back as it is, unless the former run is changed.
    started(&mut session, Scene::Gas, None);
    stroke(&mut session, Tool::Wall);
    assert!(undo(&mut session).ends_with("removed 1 wall"));
    assert_eq!(undo(&mut session), "undone: back in melee, step 0");
    assert!(redo(&mut session).starts_with("redone: back in gas, step "));
    undo(&mut session);
    stroke(&mut session, Tool::Wall);
    undo(&mut session);
    assert!(redo(&mut session).ends_with("rebuilt 1 wall"));
    assert_eq!(redo(&mut session), "nothing to redo");
}

/// The way back of the new run has what the former run leaves of the memory.
#[test]
fn the_run_before_counts_in_the_memory_of_the_way_back() {
    let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
    let moment = session_of(setup.clone()).snapshot().unwrap().memory();
    let budget = 8 * moment;
    let mut session = session_with(setup, budget);
    started(&mut session, Scene::Burst, Some(500));
    session.host.sim.keep_all();
    (0..60).for_each(|_| _ = run(&mut session, FRAME));
    let former = session.starts.former.bytes();
    let held = session.host.sim.timeline().memory();
    assert!(held <= budget && held > budget - 2 * moment, "{held} of {budget}");
    let moments = session.host.sim.timeline().moments().count();
    assert!(moments * moment + former <= budget + moment / 2, "{moments} of {moment} in {budget}");
}

/// Where histories are full, those of other runs become shorter, and all runs come back.
#[test]
fn runs_with_full_histories_share_the_memory() {
    let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
    let budget = 24 * session_of(setup.clone()).snapshot().unwrap().memory();
    let mut session = session_with(setup, budget);
    let mut hashes = Vec::new();
    for _ in 0..3 {
        session.host.sim.keep_all();
        (0..60).for_each(|_| _ = run(&mut session, FRAME));
        hashes.push(session.host.sim.state_hash());
        apply(&mut session, Command::Restart);
        wait_placed(&mut session);
        assert!(session.starts.former.bytes() <= budget / 2);
        assert!(session.host.sim.timeline().memory() <= budget);
    }
    for hash in hashes.into_iter().rev() {
        assert!(undo(&mut session).starts_with("undone: back in gas"));
        assert_eq!(session.host.sim.state_hash(), hash);
        assert!(session.host.sim.timeline().memory() <= budget);
    }
    let ends = session.host.sim.timeline().ends();
    assert_eq!(ends[0], 0, "the way back of the first run");
}

#[test]
fn undo_cancels_placing() {
    let mut session = session(Scene::Gas);
    apply(&mut session, Command::Start { scene: Scene::Burst, agents: Some(2_000_000) });
    assert_eq!(undo(&mut session), "undone: the start of burst");
    assert!(!session.is_placing() && session.placed().is_none());
    assert_eq!(undo(&mut session), "nothing to undo");
}

#[test]
fn undo_after_tours_shows_the_run_before_them() {
    let mut session = session(Scene::Gas);
    run(&mut session, FRAME * 2);
    let before = looks(&session);
    apply(&mut session, Command::ToggleTour);
    for scene in [Scene::Mixed, Scene::Burst] {
        session.starts.start(&session.host, scene, Some(500)).unwrap();
        wait_placed(&mut session);
    }
    apply(&mut session, Command::ToggleTour);
    let event = undo(&mut session);
    assert!(event.starts_with("undone: back in gas, step "), "{event}");
    assert_eq!(looks(&session), before);
}

/// A journal records the run that comes back, and is replayed to the same states.
#[test]
fn a_journal_has_the_starts_that_were_undone() {
    let file = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
    let mut session = session(Scene::Pile);
    let setup = session.setup().clone();
    session.host.sim = RecordedSim::new(Sim::new(&setup).unwrap(), None, Some(journal), 0);
    stroke(&mut session, Tool::Spawn);
    run(&mut session, FRAME * 3);
    started(&mut session, Scene::Gas, None);
    run(&mut session, FRAME * 3);
    undo(&mut session);
    let steps = session.host.sim.steps();
    (0..70).for_each(|_| _ = run(&mut session, FRAME));
    stroke(&mut session, Tool::Erase);
    apply(&mut session, Command::TogglePause);
    let last = session.host.sim.state_hash();
    session.close_journal();
    let mut replay = Replay::new(Journal::from_bytes(file.bytes()).unwrap()).unwrap();
    let mut due = Due::Begin(replay.begin().unwrap());
    let (mut again, mut origins) = (Sim::new(&setup).unwrap(), Vec::new());
    loop {
        match due {
            Due::Begin(RunOrigin::Setup(setup)) => {
                again = Sim::new(&setup).unwrap();
                origins.push((setup.scene, 0));
            }
            Due::Begin(RunOrigin::Snapshot(snapshot)) => {
                again = Sim::restore(&snapshot).unwrap();
                origins.push((again.setup().scene, again.steps()));
            }
            Due::Step => again.step().unwrap(),
            Due::Nothing => break,
            Due::Differs(difference) => panic!("{difference}"),
        }
        due = replay.due(&mut again, |_, _| ()).unwrap();
    }
    assert_eq!(origins, [(Scene::Pile, 0), (Scene::Gas, 0), (Scene::Pile, steps)]);
    assert_eq!(again.state_hash(), last);
}

#[test]
fn a_replay_says_which_run_it_is_and_how_long() {
    let file = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
    let setup = session(Scene::Gas).setup().clone();
    let sim = || Sim::new(&setup).unwrap();
    let mut recorded = RecordedSim::new(sim(), None, Some(journal), 0);
    (0..90).for_each(|_| recorded.step_with(&mut ()).unwrap());
    recorded.begin(sim(), None);
    (0..60).for_each(|_| recorded.step_with(&mut ()).unwrap());
    recorded.close_journal();
    let mut replay = Replay::new(Journal::from_bytes(file.bytes()).unwrap()).unwrap();
    assert!(matches!(replay.begin(), Ok(RunOrigin::Setup(_))));
    let mut session = session_of(setup.clone());
    session.host.playback.replay = Some(replay);
    let mut said = Vec::new();
    while session.host.is_replaying() {
        let shown =
            hud::status(&session).into_iter().find(|field| field.text.starts_with("replay"));
        said.push(shown.expect("a field").text);
        run(&mut session, FRAME);
    }
    said.dedup();
    let expected = |run: usize, steps: u64, end: &str| {
        (0..=steps / 6)
            .map(move |tenth| {
                format!("replay run {run} of 2, {}.{} of {end} s", tenth / 10, tenth % 10)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(said, [expected(1, 90, "1.5"), expected(2, 60, "1.0")].concat());
    assert!(session.host.replayed().is_none());
}

/// A number of agents that was asked for with a world file holds for the scenes after it.
#[test]
fn agents_that_world_files_had_hold_for_scenes() {
    let text = |agents| format!("world = {{ size = [200, 100], radius = 0.3, agents = {agents} }}");
    assert_eq!(worlds::world(&text(400), None).starts.asked, None, "its own number");
    let mut session = worlds::world(&text(700), None);
    assert_eq!(started(&mut session, Scene::Gas, None), "run gas 400");
}
