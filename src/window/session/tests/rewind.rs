//! Tests of the way back: every state that the run had comes again, bit for bit.

use super::*;
use crate::{
    agents::Spawn,
    journal::{Due, Journal, JournalWriter, MemoryFile, Replay, RunOrigin},
    window::{
        command::Jump,
        tool::{Held, UndoTurn},
    },
};

/// Room for about that many moments of a small run.
const SMALL: usize = 1 << 20;

/// A run of 300 agents with moments as often as the budget allows.
pub(super) fn recorded(
    scene: Scene,
    history: usize,
    journal: Option<JournalWriter>,
) -> RecordedSim {
    let setup = Setup { agents: 300, spare_agents: 100, spare_statics: 10, ..Setup::new(scene) };
    let sim = Sim::new(&setup).unwrap();
    let mut sim = RecordedSim::new(sim, None, journal, history);
    sim.keep_all();
    sim
}

/// Changes the run in one of all ways.
pub(super) fn edit(sim: &mut RecordedSim, rng: &mut Rng) {
    let world = sim.world();
    let mut point = || {
        let at = world.min + Vec2::new(rng.unit(), rng.unit()) * world.size();
        at.clamp(world.min + 4.0, world.max - 4.0)
    };
    let (here, there) = (point(), point());
    let edit = match rng.below(9) {
        0 => Edit::Gravity(-1.0 - rng.unit()),
        1 => Edit::Restitution(0.5 + 0.5 * rng.unit()),
        2 => Edit::Steer(here, 8.0, 0.5),
        3 if sim.capacity_left() > 1 => {
            let spawn = |at| Spawn::new(at, Vec2::ZERO, sim.setup().radius[0]);
            Edit::Spawn(vec![spawn(here), spawn(there)])
        }
        4 => Edit::Remove(vec![rng.below(300), rng.below(300)]),
        5 if sim.statics().len() < 9 => Edit::AddStatics(vec![Static::disc(here, 1.0)]),
        7.. => Edit::Friction([0.0, 0.5][rng.below(2) as usize]),
        _ => Edit::RemoveStatics(sim.statics().iter().map(|(id, _)| id).take(1).collect()),
    };
    sim.apply(edit).unwrap();
}

pub(super) fn step(sim: &mut RecordedSim) {
    sim.step_with(&mut ()).unwrap();
}

/// Goes to a step, and there is it.
pub(super) fn go(sim: &mut RecordedSim, to: u64) {
    sim.approach(to).unwrap();
    while sim.steps() < to {
        step(sim);
    }
}

/// Goes to the branch of a turn, as the user does; where it parts.
pub(super) fn bring_back(sim: &mut RecordedSim, turn: UndoTurn) -> Option<u64> {
    let branch = sim.timeline().turned(turn)?;
    sim.go_to_branch(branch, Some(turn)).unwrap()
}

#[test]
fn a_thousand_rewinds_come_to_the_states_of_the_first_pass() {
    const STEPS: u64 = 240;
    for (scene, rewinds) in
        [(Scene::Gas, 400), (Scene::Mixed, 200), (Scene::Pile, 200), (Scene::Melee, 200)]
    {
        let mut sim = recorded(scene, SMALL / 2, None);
        let (mut rng, mut hashes) = (Rng::new(7), Vec::new());
        for number in 0..STEPS {
            hashes.push(sim.state_hash());
            if number % 20 == 11 {
                edit(&mut sim, &mut rng);
            }
            step(&mut sim);
            assert!(sim.timeline().memory() <= SMALL / 2, "{}", sim.timeline().memory());
        }
        // The last one is that after all edits.
        hashes.push(sim.state_hash());
        let moments = sim.timeline().moments().count();
        assert!((5..STEPS as usize).contains(&moments), "{moments} moments");
        assert_eq!(sim.timeline().ends(), [0, STEPS]);
        for _ in 0..rewinds {
            let to = u64::from(rng.below(STEPS as u32 + 1));
            go(&mut sim, to);
            assert_eq!(sim.state_hash(), hashes[to as usize], "{scene:?} step {to}");
            let on = (to + u64::from(rng.below(30))).min(STEPS);
            while sim.steps() < on {
                step(&mut sim);
            }
            assert_eq!(sim.state_hash(), hashes[on as usize], "{scene:?} step {to} to {on}");
            assert!(sim.timeline().memory() <= SMALL / 2);
        }
        assert_eq!(sim.timeline().ends(), [0, STEPS], "nothing was lost");
        assert_eq!(sim.timeline().moments().next(), Some(0));
    }
}

/// The contact solver's memory is used again at a moment at which its lists were shorter.
#[test]
fn a_moment_before_lists_have_grown_comes_again() {
    let setup = Setup { agents: 300, density: 0.05, restitution: 0.0, ..Setup::new(Scene::Gas) };
    let mut sim = RecordedSim::new(Sim::new(&setup).unwrap(), None, None, 64 * SMALL);
    sim.keep_all();
    // Now the solver is there, but not in use.
    sim.apply(Edit::Gravity(20.0)).unwrap();
    sim.apply(Edit::Gravity(0.0)).unwrap();
    (0..3).for_each(|_| step(&mut sim));
    let growths = sim.counters().contact_growths;
    sim.apply(Edit::Gravity(20.0)).unwrap();
    let mut hashes = Vec::new();
    for _ in 0..600 {
        step(&mut sim);
        hashes.push(sim.state_hash());
    }
    assert!(sim.counters().contact_growths > growths, "the lists have grown");
    assert!(sim.approach(2).unwrap(), "there is a moment");
    go(&mut sim, 3);
    for (number, hash) in hashes.into_iter().enumerate() {
        step(&mut sim);
        assert_eq!(sim.state_hash(), hash, "step {}", number + 4);
    }
}

#[test]
fn the_future_that_was_left_comes_back() {
    let mut sim = recorded(Scene::Gas, SMALL, None);
    let mut rng = Rng::new(3);
    for number in 0..100 {
        if number % 10 == 5 {
            edit(&mut sim, &mut rng);
        }
        step(&mut sim);
    }
    let first = sim.state_hash();
    go(&mut sim, 42);
    assert!(sim.is_past() && !sim.take_parted());
    sim.apply(Edit::Gravity(-5.0)).unwrap();
    assert!(sim.take_parted() && !sim.is_past());
    (0..80).for_each(|_| step(&mut sim));
    let other = sim.state_hash();
    assert_eq!(sim.timeline().ends(), [0, 122]);
    for _ in 0..3 {
        for (turn, end, hash) in [(UndoTurn::Undo, 100, first), (UndoTurn::Redo, 122, other)] {
            assert_eq!(bring_back(&mut sim, turn), Some(42));
            assert_eq!(bring_back(&mut sim, turn), None);
            assert_eq!(sim.timeline().ends(), [0, end]);
            go(&mut sim, end);
            assert_eq!(sim.state_hash(), hash);
        }
    }
}

#[test]
fn little_room_keeps_the_beginning_and_forgets_what_does_not_fit() {
    let one = recorded(Scene::Gas, SMALL, None).timeline().memory();
    for history in [0, one / 2, one * 3 / 2, one * 3] {
        let mut sim = recorded(Scene::Gas, history, None);
        let mut rng = Rng::new(5);
        let mut hashes = Vec::new();
        for _ in 0..60 {
            hashes.push(sim.state_hash());
            edit(&mut sim, &mut rng);
            step(&mut sim);
            assert!(sim.timeline().memory() <= history, "{history}");
        }
        assert_eq!(sim.timeline().goes_back(), history >= one);
        if history >= one {
            let [begin, end] = sim.timeline().ends();
            go(&mut sim, begin + (end - begin) / 2);
            assert_eq!(sim.timeline().ends(), [begin, end]);
            go(&mut sim, end - 1);
            assert_eq!(sim.state_hash(), hashes[59]);
        }
    }
}

#[test]
fn a_journal_of_rewinds_replays_to_the_same_state() {
    for seed in 0..12 {
        let file = MemoryFile::default();
        let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
        let scene = [Scene::Gas, Scene::Pile, Scene::Melee][seed as usize % 3];
        let mut sim = recorded(scene, SMALL, Some(journal));
        let mut rng = Rng::new(seed);
        for _ in 0..60 {
            match rng.below(8) {
                0 => {
                    let [begin, end] = sim.timeline().ends();
                    let to = begin + u64::from(rng.below((end - begin) as u32 + 1));
                    go(&mut sim, to);
                }
                1 => {
                    let turn = [UndoTurn::Undo, UndoTurn::Redo][rng.below(2) as usize];
                    bring_back(&mut sim, turn);
                }
                2 | 3 => edit(&mut sim, &mut rng),
                4 => sim.write_journal(Instant::now()),
                _ => (0..rng.below(40)).for_each(|_| step(&mut sim)),
            }
        }
        sim.close_journal();
        assert!(sim.take_trouble().is_none());
        let bytes = file.bytes();
        let mut replay = Replay::new(Journal::from_bytes(bytes).unwrap()).unwrap();
        let Ok(RunOrigin::Setup(setup)) = replay.begin() else { panic!("a set-up") };
        let mut again = Sim::new(&setup).unwrap();
        loop {
            match replay.due(&mut again, |_, _| ()).unwrap() {
                Due::Step => again.step().unwrap(),
                Due::Nothing => break,
                other => panic!("seed {seed}: {other:?}"),
            }
        }
        assert_eq!(again.steps(), sim.steps(), "seed {seed}");
        assert_eq!(again.state_hash(), sim.state_hash(), "seed {seed}");
    }
}

/// A session with room for a way back.
fn rewindable() -> Session {
    let setup =
        Setup { agents: 500, spare_agents: 200, spare_statics: 8, ..Setup::new(Scene::Gas) };
    let mut session = session_with(setup, SMALL);
    session.screen.resize(SIZE, 1.0);
    session
}

/// Runs until the run is where it was sent, and some frames more; the events.
fn arrive(session: &mut Session) -> Vec<String> {
    loop {
        run(session, FRAME);
        let events = session.reports.take_events();
        if !events.is_empty() {
            return events.iter().map(ToString::to_string).collect();
        }
    }
}

#[test]
fn keys_go_back_and_ahead_and_undo_brings_the_future_back() {
    let mut session = rewindable();
    let mut hashes = Vec::new();
    apply(&mut session, Command::TogglePause);
    for _ in 0..150 {
        hashes.push(session.host.sim.state_hash());
        apply(&mut session, Command::SingleStep);
        run(&mut session, FRAME);
    }
    let jump = |session: &mut Session, jump| {
        apply(session, Command::Jump(jump));
        assert_eq!(arrive(session), [format!("at step {}", session.host.sim.steps())]);
        session.host.sim.steps()
    };
    assert_eq!(jump(&mut session, Jump::Step), 149);
    assert_eq!(session.host.sim.state_hash(), hashes[149]);
    assert_eq!(jump(&mut session, Jump::Seconds(-1.0)), 89);
    assert_eq!(jump(&mut session, Jump::Seconds(-9.0)), 0);
    assert_eq!(jump(&mut session, Jump::Seconds(1.0)), 60);
    assert_eq!(session.host.sim.state_hash(), hashes[60]);
    assert!(hud::status(&session).iter().any(|field| field.text == "1.50 s back"));
    // The same future again, until something is changed.
    apply(&mut session, Command::SingleStep);
    run(&mut session, FRAME);
    assert_eq!(session.host.sim.state_hash(), hashes[61]);
    assert_eq!(session.host.sim.timeline().ends(), [0, 150]);
    assert!(stroke(&mut session, Tool::Erase).starts_with("erase: erased"));
    assert_eq!(session.host.sim.timeline().ends(), [0, 61]);
    assert_eq!(undo(&mut session), "undone: back to step 61 and what came after it");
    assert_eq!(arrive(&mut session), ["at step 61"]);
    assert_eq!(session.host.sim.state_hash(), hashes[61]);
    assert_eq!(jump(&mut session, Jump::End), 150);
    assert_eq!(undo(&mut session), "nothing to undo");
    // Done again, there are the erased agents that the other future has.
    let redone = apply(&mut session, Command::Turn(UndoTurn::Redo));
    assert_eq!(redone, "redone: the change at step 61 and what came after it");
    arrive(&mut session);
    assert!(session.host.sim.agents().len() < 500, "{}", session.host.sim.agents().len());
}

#[test]
fn the_timeline_is_dragged_and_the_run_goes_on_from_there() {
    let mut session = rewindable();
    for _ in 0..120 {
        run(&mut session, FRAME);
    }
    let end = session.host.sim.timeline().ends()[1];
    let place = session.screen.timeline_place(session.host.sim.timeline()).expect("room");
    let y = SIZE[1] as f32 - 8.0;
    let mut at = Vec::new();
    apply(&mut session, Command::MovePointer(Vec2::new(400.0, y)));
    apply(&mut session, Command::PressTool);
    for x in [400.0, 200.0, 300.0, 0.0] {
        apply(&mut session, Command::MovePointer(Vec2::new(x, y)));
        while session.host.seek.is_some() {
            run(&mut session, FRAME);
        }
        assert_eq!(session.host.sim.steps(), place.step_at(Vec2::new(x, y)));
        // Held still, the run waits.
        assert_eq!(run(&mut session, FRAME * 9), 0);
        at.push(session.host.sim.steps());
    }
    assert!(at[1] < at[2] && at[2] < at[0] && at[0] < end && at[3] == 0, "{at:?}");
    assert_eq!(session.tools.state.held, Held::Timeline);
    // Also beside the bar, the tool does nothing while that is dragged.
    apply(&mut session, Command::Tool(Tool::Poke));
    session.tools.state.held = Held::Timeline;
    for (panel, y, held, ring) in [
        (false, y, Held::Timeline, false),
        (false, 180.0, Held::Timeline, false),
        (false, 180.0, Held::Nothing, true),
        (true, 180.0, Held::Nothing, false),
        (true, 180.0, Held::Tool, true),
        (false, y, Held::Nothing, false),
        (false, y, Held::Tool, true),
    ] {
        session.tools.covered = panel;
        (session.tools.cursor, session.tools.state.held) = (Vec2::new(320.0, y), held);
        assert_eq!(session.shows_ring(), ring, "{panel} {y} {held:?}");
    }
    session.tools.state.held = Held::Timeline;
    apply(&mut session, Command::Tool(Tool::Hand));
    session.tools.state.held = Held::Timeline;
    apply(&mut session, Command::ReleaseButton);
    assert!(run(&mut session, FRAME) > 0);
    assert_eq!(session.host.sim.timeline().ends(), [0, end]);
    let before = drawn(&mut session);
    apply(&mut session, Command::Jump(Jump::End));
    arrive(&mut session);
    assert_ne!(drawn(&mut session), before);
}

#[test]
fn undo_says_once_that_pokes_stay() {
    const NOTICE: &str = "undo does not take back what poke and attract did";
    let mut session = rewindable();
    stroke(&mut session, Tool::Spawn);
    assert!(stroke(&mut session, Tool::Poke).starts_with("poke: steered"));
    let said = undo(&mut session);
    assert!(said.contains(NOTICE) && said.contains("goes to a time before it"), "{said}");
    assert!(undo(&mut session).starts_with("undone: removed "));
    assert_eq!(undo(&mut session), "nothing to undo");
    // In the past, a poke leaves a future, and undo brings that back.
    run(&mut session, FRAME * 9);
    apply(&mut session, Command::Jump(Jump::Step));
    arrive(&mut session);
    stroke(&mut session, Tool::Poke);
    assert!(undo(&mut session).starts_with("undone: back to step "));
    // Without a history there is no time to go to.
    let mut session = session_with(session.setup().clone(), 0);
    session.screen.resize(SIZE, 1.0);
    stroke(&mut session, Tool::Poke);
    assert!(undo(&mut session).ends_with(NOTICE));
}

#[test]
fn without_history_there_is_no_way_back_and_no_bar() {
    let mut session = session(Scene::Gas);
    assert!(session.screen.timeline_place(session.host.sim.timeline()).is_none());
    assert!(apply(&mut session, Command::Jump(Jump::Step)).contains("--history"));
    assert!(run(&mut session, FRAME) > 0);
    let setup = session.setup().clone();
    let mut session = session_with(setup, 10_000);
    let events = session.reports.take_events();
    assert!(events[0].to_string().starts_with("no history is kept"), "{events:?}");
}

/// Prints what the history costs, and how long the way to any step of the last ten seconds takes, of
/// all scenes or of the one that `SCENE` names, with a budget of `HISTORY` bytes.
#[test]
#[ignore = "measures: cargo test --features peers --lib -- --ignored --nocapture the_history_at_500k"]
fn the_history_at_500k() {
    const STEPS: u32 = 600;
    let pool = pool(2).unwrap();
    let scenes = [Scene::Gas, Scene::Mixed, Scene::Pile, Scene::Dam, Scene::Shear];
    let asked = std::env::var("SCENE").ok();
    if let Some(name) = &asked {
        assert!(scenes.iter().any(|it| it.name() == name), "SCENE {name}: expected {scenes:?}");
    }
    let history = std::env::var("HISTORY").map_or(3_000_000_000, |bytes| bytes.parse().unwrap());
    for scene in scenes.into_iter().filter(|it| asked.as_ref().is_none_or(|name| it.name() == name))
    {
        let setup = with_room_for_tools(&Setup::with_agents(scene, 500_000));
        let mut sims = [0, history].map(|history| {
            let sim = pool.install(|| Sim::new(&setup)).unwrap();
            RecordedSim::new(sim, None, None, history)
        });
        // In turns, as the clock of the machine varies.
        let mut took = [Duration::ZERO; 2];
        for _ in 0..STEPS / 20 {
            for (sim, took) in sims.iter_mut().zip(&mut took) {
                let begin = Instant::now();
                pool.install(|| (0..20).for_each(|_| step(sim)));
                *took += begin.elapsed();
            }
        }
        let [without, with] = took.map(|took| took.as_secs_f64() * 1e3 / f64::from(STEPS));
        let [_, mut sim] = sims;
        let (moments, bytes) = (sim.timeline().moments().count(), sim.timeline().memory());
        let end = sim.timeline().ends()[1];
        let recent = (10.0 * setup.hz) as u64;
        let (mut rng, mut restored, mut ways) = (Rng::new(1), Vec::new(), Vec::new());
        for _ in 0..20 {
            let to = end - u64::from(rng.below(recent.min(end) as u32));
            let begin = Instant::now();
            pool.install(|| sim.approach(to)).unwrap();
            restored.push(begin.elapsed().as_millis());
            pool.install(|| go(&mut sim, to));
            ways.push(begin.elapsed().as_millis());
        }
        restored.sort_unstable();
        ways.sort_unstable();
        println!(
            "{}: {without:.2} ms per step, {with:.2} with history ({:+.1} %); {moments} moments, {} MB, \
             {:.1} ms each; restored in {} to {} ms, median {}; ways {} to {} ms, median {}",
            scene.name(),
            (with / without - 1.0) * 100.0,
            bytes / 1_000_000,
            sim.timeline().cost().as_secs_f64() * 1e3,
            restored[0],
            restored[19],
            restored[10],
            ways[0],
            ways[19],
            ways[10]
        );
    }
}
