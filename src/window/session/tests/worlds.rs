//! World files in a session: values that change, undo, restarts, the way back and journals.

use super::*;
use crate::{
    error::{Field, Value},
    journal::{Due, Journal, JournalWriter, MemoryFile, Replay, RunOrigin},
    scene::PlacementProgress,
    window::command::Jump,
    world::WorldPlan,
};

const LIFE: &str = include_str!("../../../../worlds/particle-life.toml");

/// The replay of a journal, and the run that it begins with.
fn begun(journal: &MemoryFile) -> (Replay, Sim) {
    let journal = Journal::from_bytes(journal.bytes()).expect("a journal");
    let mut replay = Replay::new(journal).expect("a run");
    let RunOrigin::Snapshot(from) = replay.begin().expect("a run") else {
        panic!("a snapshot has the rules")
    };
    (replay, Sim::restore(&from).expect("the run that was saved"))
}

/// A session with the run of a world file of 400 agents.
pub(super) fn world(text: &str, journal: Option<JournalWriter>) -> Session {
    let mut plan = WorldPlan::read("life", text, &[], None).expect("a world");
    if !plan.has_groups() {
        plan.setup.agents = 400;
    }
    plan.setup = with_room_in_world(&plan, &plan.setup);
    let sim = Sim::of_world(&plan, &PlacementProgress::new()).expect("agents");
    let snapshot = sim.snapshot().expect("memory");
    let options = SessionOptions {
        snapshot: Some(Box::new(snapshot)),
        follow: None,
        journal,
        replay: None,
        history: 1 << 26,
        style: Style::from_setup(&plan.setup),
        setup: plan.setup,
        threads: 1,
        simd: SimdLevel::best(),
        index: DoubleGrid::KIND,
        admit: |_, _, _, _| Ok(()),
    };
    let mut session = Session::new(options, || ()).unwrap();
    session.screen.resize(SIZE, 1.0);
    session
}

fn steps(session: &mut Session, count: u64) {
    let end = session.sim().steps() + count;
    while session.sim().steps() < end {
        apply(session, Command::SingleStep);
        run(session, FRAME);
    }
}

fn values(session: &Session) -> Vec<f32> {
    session.sim().rule_source().expect("a world file").all().map(|(_, value)| value).collect()
}

#[test]
fn values_change_the_run_and_undo_takes_them_back() {
    let mut session = world(LIFE, None);
    let (before, mut same) = (values(&session), world(LIFE, None));
    assert_eq!(apply(&mut session, Command::Param(0, 25.0)), "param force 25");
    assert_eq!(apply(&mut session, Command::Param(0, 35.0)), "param force 35");
    assert_eq!(apply(&mut session, Command::Cell([0, 1, 2], -0.75)), "cell pull[green,blue] -0.75");
    let changed = values(&session);
    assert_eq!((changed[0], changed[before.len() - 36 + 8]), (35.0, -0.75));
    let differing = before.iter().zip(&changed).filter(|(one, other)| one != other).count();
    assert_eq!(differing, 2);
    steps(&mut session, 5);
    steps(&mut same, 5);
    assert_ne!(session.sim().state_hash(), same.sim().state_hash());
    assert_eq!(undo(&mut session), "undone: set pull[green,blue]");
    // A slider's way is one change.
    assert_eq!(undo(&mut session), "undone: set force");
    assert_eq!(values(&session), before);
    apply(&mut session, Command::Turn(UndoTurn::Redo));
    apply(&mut session, Command::Turn(UndoTurn::Redo));
    assert_eq!(values(&session), changed);
}

#[test]
fn wrong_values_are_refused_and_change_nothing() {
    let mut session = world(LIFE, None);
    let before = values(&session);
    for (command, why) in [
        (
            Command::Param(0, 900.0),
            "force=900 is out of range: expected 0 to 200, as the file says",
        ),
        (Command::Param(0, f32::NAN), "force=NaN is out of range: expected 0 to 200"),
        (Command::Param(99, 1.0), "no such value"),
        (Command::Cell([0, 0, 0], f32::INFINITY), "expected finite numbers"),
        (Command::Cell([0, 0, 6], 1.0), "no such value"),
        (Command::Cell([1, 0, 0], 1.0), "no such value"),
    ] {
        let refused = apply(&mut session, command);
        assert!(refused.contains(why), "{command:?}: {refused}");
    }
    assert_eq!(values(&session), before);
    let mut plain = session_of(Setup { agents: 100, ..Setup::new(Scene::Gas) });
    assert!(apply(&mut plain, Command::Param(0, 1.0)).contains("has no world file"));
    assert_eq!(apply(&mut plain, Command::TakeHandOrDraw), "tool hand");
}

#[test]
fn the_key_of_the_hand_draws_matrices_and_undo_brings_the_old_ones_back() {
    let mut session = world(LIFE, None);
    let before = values(&session);
    apply(&mut session, Command::Tool(Tool::Spawn));
    assert_eq!(apply(&mut session, Command::TakeHandOrDraw), "tool hand");
    let drawn = apply(&mut session, Command::TakeHandOrDraw);
    assert!(drawn.starts_with("matrices 36 new values"), "{drawn}");
    let after = values(&session);
    assert_eq!(after[..after.len() - 36], before[..before.len() - 36], "params stay");
    assert!(after.iter().skip(after.len() - 36).all(|value| value.abs() <= 1.0));
    assert!(after.iter().any(|&value| value < 0.0));
    let mut again = world(LIFE, None);
    apply(&mut again, Command::DrawMatrices);
    assert_eq!(values(&again), after, "the same seed draws the same");
    undo(&mut session);
    assert_eq!(values(&session), before);
}

#[test]
fn a_restart_keeps_the_rules_and_the_values() {
    for text in [LIFE, include_str!("../../../../worlds/hourglass.toml")] {
        let mut session = world(text, None);
        steps(&mut session, 12);
        let hash = session.sim().state_hash();
        apply(&mut session, Command::Restart);
        assert_eq!(wait_placed(&mut session), "restarted");
        assert_eq!(session.sim().title(), "life");
        steps(&mut session, 12);
        assert_eq!(session.sim().state_hash(), hash);
    }
    let mut session = world(LIFE, None);
    apply(&mut session, Command::Param(0, 33.0));
    apply(&mut session, Command::Restart);
    // Meanwhile.
    apply(&mut session, Command::Cell([0, 0, 0], 0.25));
    wait_placed(&mut session);
    let kept = values(&session);
    assert_eq!((kept[0], kept[kept.len() - 36]), (33.0, 0.25));
    apply(&mut session, Command::Start { scene: Scene::Gas, agents: Some(300) });
    assert_eq!(wait_placed(&mut session), "run life 300");
    assert_eq!(values(&session)[0], 33.0);
    let refused = apply(&mut session, Command::StartWith(Field::Density, Value::Number(0.2)));
    assert!(refused.contains("the world file of life says how large its world is"), "{refused}");
    assert_eq!(started(&mut session, Scene::Mixed, 300), "run mixed 300");
    assert!(session.sim().rule_source().is_none());
    let back = undo(&mut session);
    assert!(back.contains("back in life"), "{back}");
    assert_eq!(values(&session)[0], 33.0);
}

/// The way back makes the changes again, and a journal has them.
#[test]
fn changes_of_values_are_made_again() {
    let bytes = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(bytes.clone())).expect("memory");
    let mut session = world(LIFE, Some(journal));
    steps(&mut session, 20);
    apply(&mut session, Command::Param(0, 33.0));
    steps(&mut session, 10);
    apply(&mut session, Command::DrawMatrices);
    steps(&mut session, 10);
    let text = LIFE.replace("dx", "(dx + 0.01)");
    session
        .host
        .sim
        .apply(Edit::World("lïfe %".into(), text, vec![("force".into(), 21.0)]))
        .unwrap();
    steps(&mut session, 25);
    let hash = session.sim().state_hash();
    apply(&mut session, Command::Jump(Jump::Seconds(-0.5)));
    while session.is_rewinding() {
        run(&mut session, FRAME);
    }
    assert!(session.sim().steps() < 65);
    apply(&mut session, Command::Jump(Jump::End));
    while session.is_rewinding() {
        run(&mut session, FRAME);
    }
    assert_eq!((session.sim().steps(), session.sim().state_hash()), (65, hash));
    apply(&mut session, Command::Restart);
    wait_placed(&mut session);
    steps(&mut session, 70);
    let last = session.sim().state_hash();
    session.close_journal();
    let (mut replay, mut sim) = begun(&bytes);
    let (mut runs, mut made) = (1, 0);
    loop {
        match replay.due(&mut sim, |_, _| made += 1).unwrap() {
            Due::Step => sim.step().unwrap(),
            Due::Begin(RunOrigin::Snapshot(from)) => {
                (sim, runs) = (Sim::restore(&from).unwrap(), runs + 1);
            }
            Due::Nothing => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((runs, made, sim.title()), (2, 3, "lïfe %"));
    assert_eq!(sim.state_hash(), last);
}

/// Another text is taken at once where the agents can stay; a wrong one changes nothing.
#[test]
fn a_file_that_changes_changes_the_run() {
    let mut session = world(LIFE, None);
    apply(&mut session, Command::Param(0, 33.0));
    apply(&mut session, Command::Cell([0, 0, 0], 0.25));
    steps(&mut session, 5);
    let take = |session: &mut Session, text: &str| match session.take_text("life", text) {
        Ok(event) => event.map_or(String::new(), |event| event.to_string()),
        Err(error) => error.to_string(),
    };
    assert_eq!(take(&mut session, LIFE), "");
    let wrong = LIFE.replace("f/r * dx", "f/q * dx");
    let said = take(&mut session, &wrong);
    assert!(said.starts_with("life.toml:") && said.contains("`q`"), "{said}");
    assert!(said.ends_with("; the run goes on as it was"), "{said}");
    assert_eq!(values(&session)[0], 33.0);
    // What was set stays, unless the file changes the same value.
    let other = LIFE.replace("value = 40", "value = 50").replace("drag = \"2\"", "drag = \"3\"");
    let said = take(&mut session, &other);
    assert!(said.contains("life.toml has changed, and the run with it after step 5"), "{said}");
    let now = values(&session);
    assert_eq!((now[0], now[now.len() - 36], session.sim().steps()), (50.0, 0.25, 5));
    steps(&mut session, 2);
    let colored = other.replace("red = 1,", "red = { share = 1, color = \"#0102fF\" },");
    take(&mut session, &colored);
    assert_eq!(session.style().species[..2], [[1, 2, 255], Style::default().species[1]]);
    let smaller = other.replace("agents = 30_000", "agents = 300");
    assert_eq!(take(&mut session, &smaller), "placing 300");
    // Meanwhile: the text of the run before does not come back.
    apply(&mut session, Command::Param(0, 44.0));
    assert_eq!(wait_placed(&mut session), "run life 300");
    let text = |session: &Session| session.sim().rule_source().expect("a file").text.clone();
    assert_eq!(text(&session), smaller);
    let colliding = smaller.replace("collisions = false", "collisions = true");
    take(&mut session, &colliding);
    wait_placed(&mut session);
    assert!(session.sim().collides());
    assert_eq!(session.setup().solver, crate::scene::Solver::Auto);
    assert_eq!(session.take_text("other", LIFE).unwrap(), None, "another file");
}

/// Undo takes a change of the file back, with the values and the colors from before it, and redo
/// makes it again; a journal has all three. The same text is taken again after undo.
#[test]
fn undo_reverts_what_the_file_changed() {
    let bytes = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(bytes.clone())).expect("memory");
    let mut session = world(LIFE, Some(journal));
    apply(&mut session, Command::Param(0, 33.0));
    steps(&mut session, 3);
    let (before, colors) = (values(&session), session.style().species);
    let text = |session: &Session| session.sim().rule_source().expect("a file").text.clone();
    let other = LIFE.replace("value = 40", "value = 50").replace("drag = \"2\"", "drag = \"3\"");
    let other = other.replace("red = 1,", "red = { share = 1, color = \"#010203\" },");
    session.take_text("life", &other).expect("a world").expect("an event");
    let after = values(&session);
    assert_eq!((after[0], session.style().species[0]), (50.0, [1, 2, 3]));
    steps(&mut session, 3);
    assert_eq!(undo(&mut session), "undone: took another text of the world file");
    assert_eq!((text(&session), values(&session)), (LIFE.to_owned(), before));
    assert_eq!(session.style().species, colors);
    steps(&mut session, 3);
    apply(&mut session, Command::Turn(UndoTurn::Redo));
    assert_eq!((text(&session), values(&session)), (other.clone(), after.clone()));
    steps(&mut session, 3);
    undo(&mut session);
    assert_eq!(undo(&mut session), "undone: set force");
    assert_eq!(values(&session)[0], 40.0);
    session.take_text("life", &other).expect("a world").expect("the file has not changed since");
    assert_eq!(values(&session), after);
    steps(&mut session, 3);
    let last = session.sim().state_hash();
    session.close_journal();
    let (mut replay, mut sim) = begun(&bytes);
    let mut made = 0;
    while let Due::Step = replay.due(&mut sim, |_, _| made += 1).unwrap() {
        sim.step().unwrap();
    }
    assert_eq!((made, sim.state_hash()), (7, last));
}

/// Values that were not written stay counted when another value is set, by formula as long as the
/// text is the same.
#[test]
fn what_was_not_written_stays_counted() {
    let mut session = world(
        "world = { size = [60, 60], agents = 400 }\nparam = { p = 1 }\ncolumns = { c = 0 }\n\
         [agent]\nset.c = \"select(step < 3, exp(99 * p), 1)\"\n",
        None,
    );
    steps(&mut session, 2);
    let counted = session.sim().unwritten_formulas();
    assert_eq!((session.sim().unwritten(), counted.len()), (800, 1));
    apply(&mut session, Command::Param(0, 2.0));
    steps(&mut session, 4);
    assert_eq!(session.sim().unwritten(), 1200);
    assert_eq!(session.sim().unwritten_formulas(), [(counted[0].0, 1200)]);
}

/// Numbers of the world are those that the file has now, and not those of the run before.
#[test]
fn a_file_that_asks_for_another_start_has_its_own_numbers() {
    let text = "world = { size = [60, 60], agents = 400, radius = 0.5, restitution = 1, \
                friction = 0.5, gravity = 10, speed = 2 }\n";
    let mut session = world(text, None);
    steps(&mut session, 3);
    let other = text.replace("0.5, gravity = 10, speed = 2", "0.9, gravity = 3, speed = 0");
    session.take_text("life", &other).expect("a world").expect("an event");
    // What the user changes meanwhile holds for the new run.
    apply(&mut session, Command::Restitution(0.25));
    wait_placed(&mut session);
    let now = session.setup();
    assert_eq!([now.friction, now.gravity, now.speed, now.restitution], [0.9, 3.0, 0.0, 0.25]);
}

/// Agents are born up to the capacity of the file, also after a start from within the window.
#[test]
fn a_start_has_room_for_births() {
    let text = "world = { size = [200, 200], agents = 400, radius = 0.1, collisions = false }\n\
                species = { a = 1 }\n[agent.a]\nbirths.a = \"step < 4\"\n";
    let with_capacity = text.replace("agents = 400,", "agents = 400, capacity = 6_000,");
    for (text, seeded, more) in [(text.to_owned(), 800, 1_600), (with_capacity, 6_000, 6_000)] {
        for (field, value, born) in [(Field::Seed, 7, seeded), (Field::Agents, 800, more)] {
            let mut session = world(&text, None);
            apply(&mut session, Command::StartWith(field, Value::Count(value)));
            wait_placed(&mut session);
            let snapshot = session.sim().snapshot().expect("memory");
            steps(&mut session, 6);
            assert_eq!(session.sim().agents().len(), born, "{field:?}: {text}");
            let mut same = Sim::restore(&snapshot).expect("a snapshot");
            (0..6).for_each(|_| same.step().expect("memory"));
            assert_eq!(same.state_hash(), session.sim().state_hash(), "{field:?}: {text}");
        }
    }
}

/// What is saved as a file says what was set, and nothing else has changed.
#[test]
fn a_saved_file_has_the_values_that_were_set() {
    let mut session = world(LIFE, None);
    assert_eq!(session.as_world_file().unwrap().text, LIFE);
    apply(&mut session, Command::Param(0, 33.5));
    apply(&mut session, Command::Cell([0, 1, 2], -1e-7));
    let text = session.as_world_file().unwrap().text;
    let expected =
        LIFE.replace("value = 40", "value = 33.5").replace(" 0.5, -0.7,", " -1e-7, -0.7,");
    assert_eq!(text, expected);
    apply(&mut session, Command::DrawMatrices);
    let again = WorldPlan::read("life", &session.as_world_file().unwrap().text, &[], None)
        .expect("a world");
    let all: Vec<f32> = again.rules.source().expect("it").all().map(|(_, value)| value).collect();
    assert_eq!(all, values(&session));
}

/// A world file of a scene runs as the scene does, and so does one that the window saves.
#[test]
fn scenes_are_world_files() {
    for scene in Scene::ALL {
        let setups = [
            Setup::with_agents(scene, 900),
            Setup { seed: 7, substeps: Some(2), ..Setup::with_agents(scene, 500) },
        ];
        for setup in setups {
            let text = crate::world::written(&setup);
            let plan = WorldPlan::read(scene.name(), &text, &[], None)
                .unwrap_or_else(|faults| panic!("{scene}: {faults:?}\n{text}"));
            assert_eq!(plan.setup, setup, "{text}");
            let mut sim = Sim::of_world(&plan, &PlacementProgress::new()).expect("agents");
            let mut same = Sim::new(&setup).expect("agents");
            for _ in 0..120 {
                sim.step().unwrap();
                same.step().unwrap();
            }
            assert_eq!(sim.state_hash(), same.state_hash(), "{text}");
        }
    }
}

/// A world file without formulas lets agents sleep.
#[test]
fn piles_of_files_come_to_rest() {
    let setup = Setup { agents: 200, ..Setup::with_agents(Scene::Pile, 200) };
    let plan = WorldPlan::read("pile", &crate::world::written(&setup), &[], None).expect("a world");
    let mut sim = Sim::of_world(&plan, &PlacementProgress::new()).expect("agents");
    let mut same = Sim::new(&setup).expect("agents");
    for _ in 0..20_000 {
        if same.awake() == 0 {
            break;
        }
        sim.step().unwrap();
        same.step().unwrap();
    }
    assert_eq!((same.awake(), sim.awake()), (0, 0));
    assert_eq!(sim.state_hash(), same.state_hash());
}

/// The last stops of a tour are the worlds of the program.
#[test]
fn a_tour_shows_the_worlds_after_the_scenes() {
    let mut session = session(Scene::ALL[Scene::ALL.len() - 1]);
    apply(&mut session, Command::ToggleTour);
    while !session.is_placing() {
        run(&mut session, Duration::from_secs(1));
    }
    let placed = wait_placed(&mut session);
    assert!(placed.starts_with("run particle-life "), "{placed}");
    let message = &session.reports.message;
    assert!(message.starts_with("Particle life: six species"), "{message}");
    assert!(message.ends_with("that move. T ends the tour"), "{message}");
    assert_eq!(session.style().color_by, ColorBy::Species);
}

/// Sizes and numbers of species that change begin the run anew, and hold for other numbers of agents.
#[test]
fn species_that_change_begin_anew() {
    let text = "world = { size = [200, 100], radius = 0.3, agents = 400, speed = 2 }\n[species]\n\
                dust = 1\nball = { count = 9, radius = 2, speed = 7 }\n";
    let mut session = world(text, None);
    let balls = |session: &Session, size: f32| {
        session.sim().agents().radius.iter().filter(|&&radius| radius == size).count()
    };
    assert_eq!(balls(&session, 2.0), 9);
    let larger = text.replace("radius = 2", "radius = 3");
    let placing = session.take_text("life", &larger).unwrap().expect("a start");
    assert_eq!(placing.to_string(), "placing 400");
    wait_placed(&mut session);
    assert_eq!(balls(&session, 3.0), 9);
    let start = |agents| Command::Start { scene: Scene::Gas, agents: Some(agents) };
    apply(&mut session, start(600));
    assert_eq!(wait_placed(&mut session), "run life 600");
    assert_eq!((balls(&session, 3.0), balls(&session, 0.3)), (9, 591));
    let few = apply(&mut session, start(5));
    assert!(few.contains("the species count 9 agents, and there are 5; take more"), "{few}");
    let fast = apply(&mut session, Command::StartWith(Field::Speed, Value::Number(3.0)));
    assert!(fast.contains("the world file of life says how fast agents are"), "{fast}");
}
