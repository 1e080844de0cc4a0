//! Tests of strokes of the tools: what they do, what is refused of them, and undo.

use super::*;
use crate::{
    journal::{Due, Journal, MemoryFile, Replay, RunOrigin},
    scene::{Collisions, Solver},
};

/// A session without room for another agent.
fn full_session() -> Session {
    let mut session = session(Scene::Gas);
    let room = session.host.sim.capacity_left();
    let there: Vec<_> = (0..room).map(|slot| session.host.sim.agents().respawn(slot)).collect();
    session.host.sim.apply(Edit::Spawn(there)).unwrap();
    session
}

#[test]
fn strokes_in_full_runs_name_the_limit() {
    let mut session = full_session();
    let event = stroke(&mut session, Tool::Spawn);
    assert!(event.contains("no room for more agents: at most 700"), "{event}");
    for _ in 0..8 {
        assert!(stroke(&mut session, Tool::Wall).ends_with("built 1 wall"));
    }
    let event = stroke(&mut session, Tool::Wall);
    assert!(event.contains("no room for more walls: at most 8"), "{event}");
}

/// A run that was started elsewhere has no room for the tools, until it begins again.
#[test]
fn a_restart_makes_room_for_the_tools() {
    for scene in [Scene::Gas, Scene::Pile] {
        let mut session = session_of(Setup::with_agents(scene, 300));
        let event = stroke(&mut session, Tool::Wall);
        assert!(event.contains("no room for walls; R starts it again"), "{event}");
        let steps = |session: &mut Session| {
            (0..40).for_each(|_| session.host.sim.step_with(&mut ()).unwrap());
            session.sim().state_hash()
        };
        let before = steps(&mut session);
        apply(&mut session, Command::Restart);
        wait_placed(&mut session);
        assert_eq!(steps(&mut session), before, "room leaves the bits alone");
        let built = stroke(&mut session, Tool::Wall);
        assert!(built.contains("built 1 wall"), "{built}");
    }
}

#[test]
fn a_stroke_says_once_what_is_refused() {
    let mut session = full_session();
    apply(&mut session, Command::Tool(Tool::Spawn));
    for _ in 0..2 {
        let mut said = vec![apply(&mut session, Command::PressTool)];
        for x in [300.0, 340.0, 380.0] {
            apply(&mut session, Command::MovePointer(Vec2::new(x, 180.0)));
            run(&mut session, FRAME);
            said.extend(session.reports.take_events().iter().map(Event::to_string));
        }
        said.push(apply(&mut session, Command::ReleaseButton));
        let once = said.iter().filter(|text| text.contains("no room for more agents"));
        assert_eq!((once.count(), said.iter().filter(|text| !text.is_empty()).count()), (1, 1));
    }
}

#[test]
fn a_wall_continues_where_the_room_ended() {
    let mut session = session(Scene::Gas);
    for _ in 0..4 {
        add_wall(&mut session);
    }
    apply(&mut session, Command::Tool(Tool::Wall));
    assert_eq!(apply(&mut session, Command::PressTool), "");
    apply(&mut session, Command::MovePointer(Vec2::new(600.0, 180.0)));
    let refusal = work(&mut session).unwrap_err().to_string();
    assert!(refusal.contains("no room for more walls: at most 8"), "{refusal}");
    session.host.sim.apply(Edit::RemoveStatics(vec![0, 1])).unwrap();
    assert!(work(&mut session).is_err());
    let statics = session.host.sim.statics().iter().skip(2);
    let end = |wall: Static| match wall {
        Static::Capsule { ends: [_, end], .. } => end.x,
        wall => wall.bounds().center().x,
    };
    let places: Vec<f32> = statics.map(|(_, wall)| end(wall)).collect();
    assert_eq!(places.len(), 6);
    let spacing = session.tools.radius(&session.screen) * stroke::SPACING;
    for pair in places.windows(2) {
        assert!((pair[1] - pair[0] - spacing).abs() < spacing / 100.0, "{pair:?}");
    }
}

#[test]
fn spawned_agents_have_the_chosen_faction() {
    let mut session = session(Scene::Melee);
    let factions = |session: &Session| {
        let factions = &session.host.sim.agents().units.as_ref().unwrap().faction;
        let right: usize = factions.iter().map(|&faction| usize::from(faction)).sum();
        [factions.len() - right, right]
    };
    for (chosen, other) in [(0, 1), (1, 0)] {
        apply(&mut session, Command::Faction(Some(chosen)));
        let before = factions(&session);
        stroke(&mut session, Tool::Spawn);
        let after = factions(&session);
        assert!(after[usize::from(chosen)] > before[usize::from(chosen)], "{after:?}");
        assert_eq!(after[other], before[other]);
        undo(&mut session);
    }
}

#[test]
fn strokes_are_undone_in_reverse_order() {
    for (makes, noun) in [(Tool::Spawn, "agents"), (Tool::Wall, "wall")] {
        let mut session = session(Scene::Gas);
        stroke(&mut session, Tool::Erase);
        let bare = counts(&session);
        stroke(&mut session, makes);
        let made = counts(&session);
        assert_ne!(made, bare, "{noun}");
        stroke(&mut session, Tool::Erase);
        assert_eq!(counts(&session), bare);
        let erased = session.tools.state.histories[0].clone();
        undo(&mut session);
        assert_eq!(counts(&session), made);
        let undone = undo(&mut session);
        assert_eq!(counts(&session), bare, "{undone}");
        assert!(undone.starts_with("undone: removed ") && undone.contains(noun), "{undone}");
        // Agents and walls that are gone are not removed again.
        let histories = Arc::make_mut(&mut session.tools.state.histories);
        histories[0] = erased;
        histories[0].0.pop();
        assert_eq!(undo(&mut session), "undone: nothing");
    }
}

#[test]
fn a_stroke_that_cannot_be_undone_lets_the_older_ones_first() {
    let mut session = session(Scene::Gas);
    stroke(&mut session, Tool::Spawn);
    let [agents, _] = counts(&session);
    let here = session.screen.view.camera().to_world(session.tools.cursor);
    session.host.sim.apply(Edit::AddStatics(vec![Static::disc(here, 1.0); 8])).unwrap();
    stroke(&mut session, Tool::Erase);
    let wall = add_wall(&mut session);
    let undone = undo(&mut session);
    assert!(undone.contains("rebuilt 7 walls, but not everything"), "{undone}");
    assert_eq!(counts(&session), [agents, 8]);
    let undone = undo(&mut session);
    assert!(undone.contains("can't take this back now"), "{undone}");
    let undone = undo(&mut session);
    assert!(undone.starts_with("undone: removed "), "{undone}");
    session.host.sim.apply(Edit::RemoveStatics(vec![wall])).unwrap();
    let undone = undo(&mut session);
    assert!(undone.ends_with("rebuilt 1 wall"), "{undone}");
    assert_eq!(undo(&mut session), "nothing to undo");
}

#[test]
fn what_was_undone_is_done_again_until_there_is_another_stroke() {
    let mut session = session(Scene::Gas);
    let redo = |session: &mut Session| apply(session, Command::Turn(UndoTurn::Redo));
    let mut states = vec![counts(&session)];
    for tool in [Tool::Spawn, Tool::Wall, Tool::Erase] {
        stroke(&mut session, tool);
        states.push(counts(&session));
    }
    for _ in 0..3 {
        for expected in states[..3].iter().rev() {
            assert!(undo(&mut session).starts_with("undone: re"));
            assert_eq!(counts(&session), *expected);
        }
        assert_eq!(undo(&mut session), "nothing to undo");
        for expected in &states[1..] {
            assert!(redo(&mut session).starts_with("redone: re"));
            assert_eq!(counts(&session), *expected);
        }
        assert_eq!(redo(&mut session), "nothing to redo");
    }
    undo(&mut session);
    stroke(&mut session, Tool::Erase);
    assert_eq!(redo(&mut session), "nothing to redo");
}

/// Walls are walls and agents are agents, whichever way, and their numbers are the same.
#[test]
fn a_stroke_has_the_same_words_done_undone_and_redone() {
    let mut session = session(Scene::Gas);
    for (tool, [done, undone, redone]) in [
        (
            Tool::Spawn,
            ["spawn: spawned # agents", "undone: removed # agents", "redone: restored # agents"],
        ),
        (
            Tool::Wall,
            [
                "wall: erased # agents, built 1 wall",
                "undone: restored # agents, removed 1 wall",
                "redone: removed # agents, rebuilt 1 wall",
            ],
        ),
    ] {
        let said = stroke(&mut session, tool);
        let count = said.split(' ').find(|word| word.parse::<u32>().is_ok()).expect(&said);
        assert_eq!(said, done.replace('#', count));
        assert_eq!(undo(&mut session), undone.replace('#', count));
        let again = apply(&mut session, Command::Turn(UndoTurn::Redo));
        assert_eq!(again, redone.replace('#', count));
    }
}

/// An agent is steered in each step that it is in reach: what is counted is not agents.
#[test]
fn a_long_poke_counts_times_and_not_agents() {
    let mut session = session(Scene::Gas);
    let agents = session.host.sim.agents().len();
    apply(&mut session, Command::Tool(Tool::Poke));
    apply(&mut session, Command::ResizeTool(20));
    apply(&mut session, Command::PressTool);
    (0..20).for_each(|_| _ = run(&mut session, FRAME));
    let said = apply(&mut session, Command::ReleaseButton);
    let count = said.strip_prefix("poke: steered agents ").and_then(|it| it.strip_suffix(" times"));
    let count: usize = count.expect(&said).replace(',', "").parse().expect(&said);
    assert!(count > agents, "{said}, of {agents}");
}

#[test]
fn erased_agents_come_back_in_the_colors_of_their_start() {
    let mut session = session(Scene::Gas);
    let tones = |session: &Session| {
        let snapshot = session.snapshot().unwrap();
        let [first, later] =
            ["view.first", "view.later"].map(|tag| snapshot.list::<u8>(tag).unwrap());
        let mut all: Vec<u8> = session
            .host
            .sim
            .agents()
            .id
            .iter()
            .filter_map(|&id| first.get(id as usize))
            .copied()
            .collect();
        all.extend(later);
        all.sort_unstable();
        all
    };
    let before = tones(&session);
    assert!(stroke(&mut session, Tool::Erase).starts_with("erase: erased "));
    assert!(tones(&session).len() < before.len());
    apply(&mut session, Command::Turn(UndoTurn::Undo));
    assert_eq!(tones(&session), before);
}

/// The farthest way of an agent in a step beyond its own speed, in radii.
fn largest_jump(session: &mut Session, steps: u32) -> f32 {
    let mut farthest = 0.0_f32;
    for _ in 0..steps {
        let sim = session.sim();
        let before: Vec<_> = (0..sim.agents().len()).map(|slot| sim.agents().get(slot)).collect();
        apply(session, Command::SingleStep);
        run(session, FRAME);
        let sim = session.sim();
        for agent in before {
            let after = sim.agents().get(sim.slot_of(agent.id).expect("it is alive"));
            let moves = agent.velocity.length().max(after.velocity.length()) * sim.dt();
            let way = after.position.distance(agent.position) - moves;
            farthest = farthest.max(way / agent.radius);
        }
    }
    farthest
}

/// A dense gas, paused.
fn dense_session(solver: Solver, collisions: Collisions, journal: &MemoryFile) -> Session {
    let gas = Setup { solver, collisions, ..Setup::new(Scene::Gas) };
    let gas = Setup { agents: 1_500, density: 0.4, spare_agents: 600, ..gas };
    let journal = JournalWriter::new(Box::new(journal.clone())).unwrap();
    let mut session = session_in(gas, 1 << 26, Some(journal));
    apply(&mut session, Command::TogglePause);
    largest_jump(&mut session, 60);
    session
}

const SOLVERS: [(Solver, Collisions); 3] = [
    (Solver::Impulse, Collisions::Overlap),
    (Solver::Impulse, Collisions::Swept),
    (Solver::Contact, Collisions::Overlap),
];

#[test]
fn undo_brings_agents_back_among_others_and_nothing_jumps() {
    for (solver, collisions) in SOLVERS {
        let file = MemoryFile::default();
        let mut session = dense_session(solver, collisions, &file);
        let under = |session: &Session| {
            let center = session.screen.view.camera().to_world(session.tools.cursor);
            let mut count = 0;
            session.sim().visit_disc(center, session.tools.radius(&session.screen), |_| count += 1);
            count
        };
        let full = under(&session);
        assert!(stroke(&mut session, Tool::Erase).starts_with("erase: erased "));
        assert_eq!(under(&session), 0);
        let usual = largest_jump(&mut session, 300);
        let moved_in = under(&session);
        let undone = undo(&mut session);
        assert!(undone.starts_with("undone: restored "), "{undone}");
        let jump = largest_jump(&mut session, 120);
        let context = format!(
            "{solver:?} {collisions:?}: {jump} radii per step, {usual} before, {moved_in} of {full} moved in"
        );
        println!("{context}");
        assert!(2 * moved_in > full && full > 20, "{context}");
        assert!(jump <= 1.6 * usual.max(0.1), "{context}");
        let hash = session.sim().state_hash();
        session.close_journal();
        let mut replay = Replay::new(Journal::from_bytes(file.bytes()).unwrap()).unwrap();
        let Ok(RunOrigin::Setup(setup)) = replay.begin() else { panic!("a set-up") };
        let mut sim = Sim::new(&setup).unwrap();
        while matches!(replay.due(&mut sim, |_, _| ()), Ok(Due::Step)) {
            sim.step().unwrap();
        }
        assert_eq!(sim.state_hash(), hash, "{context}");
    }
}

#[test]
fn undo_brings_agents_back_to_their_places_as_long_as_these_are_free() {
    for (solver, collisions) in SOLVERS {
        let mut session = dense_session(solver, collisions, &MemoryFile::default());
        let places = |session: &Session| {
            let agents = session.sim().agents();
            let columns = agents.x.iter().zip(&agents.y);
            let mut places: Vec<_> = columns.map(|(x, y)| [x.to_bits(), y.to_bits()]).collect();
            places.sort_unstable();
            places
        };
        let before = places(&session);
        stroke(&mut session, Tool::Erase);
        assert!(places(&session).len() < before.len());
        undo(&mut session);
        assert!(places(&session) == before, "{solver:?} {collisions:?}");
    }
}
