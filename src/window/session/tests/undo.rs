//! Tests of undo beside the way back, and of the numbers that it sets back.

use super::*;
use crate::window::command::Jump;

/// A run with a way back, and room for walls.
fn rewindable() -> Session {
    rewindable_with(200, 8)
}

/// A run of 500 agents with a way back, and room for so many more agents and statics.
pub(super) fn rewindable_with(spare_agents: u32, spare_statics: u32) -> Session {
    let setup = Setup { agents: 500, spare_agents, spare_statics, ..Setup::new(Scene::Gas) };
    let mut session = session_with(setup, 1 << 26);
    session.host.sim.keep_all();
    session
}

/// Takes steps.
pub(super) fn steps(session: &mut Session, count: u64) {
    for _ in 0..count {
        apply(session, Command::SingleStep);
        run(session, FRAME);
    }
}

/// Goes to another step.
fn jump(session: &mut Session, jump: Jump) {
    apply(session, Command::Jump(jump));
    arrive(session);
}

fn arrive(session: &mut Session) {
    while session.host.seek.is_some() {
        run(session, FRAME);
    }
}

/// Undoes the last wall: agents that it replaced come back.
fn undo_wall(session: &mut Session) {
    let undone = undo(session);
    assert!(undone.ends_with("removed 1 wall"), "{undone}");
}

/// Moves the pointer away from the wall at the center.
fn point_elsewhere(session: &mut Session) {
    apply(session, Command::MovePointer(Vec2::new(120.0, 120.0)));
}

pub(super) fn redo(session: &mut Session) -> String {
    apply(session, Command::Turn(UndoTurn::Redo))
}

/// A look into the past changes nothing, so undo and redo are as before.
#[test]
fn looks_into_the_past_leave_undo_as_it_was() {
    let mut session = rewindable();
    steps(&mut session, 5);
    stroke(&mut session, Tool::Spawn);
    steps(&mut session, 5);
    stroke(&mut session, Tool::Erase);
    let [agents, _] = counts(&session);
    stroke(&mut session, Tool::Wall);
    undo_wall(&mut session);
    for back in [Jump::Step, Jump::Seconds(-1.0)] {
        jump(&mut session, back);
        jump(&mut session, Jump::End);
    }
    assert_eq!(counts(&session), [agents, 0]);
    assert!(redo(&mut session).contains("rebuilt 1 wall"));
    undo_wall(&mut session);
    // The agents that come back have other ids, and the past has the former ones.
    assert!(undo(&mut session).starts_with("undone: restored "));
    let spawned = counts(&session);
    jump(&mut session, Jump::Seconds(-1.0));
    assert_eq!(
        undo(&mut session),
        "nothing to undo in the past; End goes to the newest step",
        "before all strokes"
    );
    jump(&mut session, Jump::End);
    assert_eq!(counts(&session), spawned);
    assert!(undo(&mut session).starts_with("undone: removed "));
    assert_eq!(session.sim().agents().len(), 500);
    assert_eq!(undo(&mut session), "nothing to undo");
    assert!(redo(&mut session).starts_with("redone: restored "));
    assert_eq!(counts(&session), spawned);
}

/// A run that comes to its end by itself has its strokes, too.
#[test]
fn strokes_are_undone_where_the_run_ends_again() {
    let mut session = rewindable();
    steps(&mut session, 5);
    stroke(&mut session, Tool::Wall);
    steps(&mut session, 3);
    jump(&mut session, Jump::Seconds(-1.0));
    steps(&mut session, 12);
    assert!(!session.host.sim.is_past());
    undo_wall(&mut session);
}

/// Undo brings the other future back, and then takes the strokes back that are older.
#[test]
fn older_strokes_are_undone_after_branches() {
    let mut session = rewindable();
    steps(&mut session, 5);
    stroke(&mut session, Tool::Wall);
    steps(&mut session, 20);
    point_elsewhere(&mut session);
    stroke(&mut session, Tool::Erase);
    let end = counts(&session);
    jump(&mut session, Jump::Step);
    let spawned = stroke(&mut session, Tool::Spawn);
    assert!(spawned.starts_with("spawn: spawned "), "{spawned}");
    assert_eq!(undo(&mut session), "undone: back to step 24 and what came after it");
    arrive(&mut session);
    jump(&mut session, Jump::End);
    assert_eq!(counts(&session), end);
    assert!(undo(&mut session).starts_with("undone: restored "));
    undo_wall(&mut session);
    assert_eq!(undo(&mut session), "nothing to undo");
}

/// No undo in the past is a change there, which would leave a branch each time.
#[test]
fn undo_in_the_past_ends() {
    const IN_THE_PAST: &str = "nothing to undo in the past; End goes to the newest step";
    let mut session = rewindable();
    stroke(&mut session, Tool::Spawn);
    steps(&mut session, 9);
    jump(&mut session, Jump::Step);
    let branches = |session: &Session| session.host.sim.timeline().branches().count();
    for turn in [UndoTurn::Undo, UndoTurn::Redo, UndoTurn::Undo] {
        let turned = apply(&mut session, Command::Turn(turn));
        assert!(turned.ends_with("in the past; End goes to the newest step"), "{turned}");
    }
    assert_eq!(branches(&session), 0);
    point_elsewhere(&mut session);
    stroke(&mut session, Tool::Wall);
    let walled = counts(&session);
    let mut said = Vec::new();
    for _ in 0..6 {
        said.push(undo(&mut session));
        arrive(&mut session);
    }
    assert!(said[0].starts_with("undone: back to step 8"), "{said:?}");
    assert!(said[1..].iter().all(|it| it == IN_THE_PAST), "{said:?}");
    assert!(redo(&mut session).starts_with("redone: the change at step 8"));
    arrive(&mut session);
    jump(&mut session, Jump::End);
    assert_eq!((counts(&session), branches(&session)), (walled, 1));
}

/// A choice of a branch, and a poke in the past, are taken back before older strokes.
#[test]
fn choices_and_pokes_are_undone_before_older_strokes() {
    let mut session = rewindable();
    stroke(&mut session, Tool::Wall);
    steps(&mut session, 9);
    jump(&mut session, Jump::Step);
    point_elsewhere(&mut session);
    assert!(stroke(&mut session, Tool::Poke).contains("steered"));
    assert_eq!(undo(&mut session), "undone: back to step 8 and what came after it");
    arrive(&mut session);
    assert!(redo(&mut session).starts_with("redone: the change at step 8"));
    arrive(&mut session);
    let number = session.host.sim.timeline().branches().next().expect("a branch").number;
    assert!(apply(&mut session, Command::GoToBranch(number, None)).starts_with("branch "));
    arrive(&mut session);
    assert!(undo(&mut session).starts_with("undone: back to step 8"));
    arrive(&mut session);
    let line = session.host.sim.timeline().line().0;
    assert_ne!(line, number);
}

/// Neither a look back nor a stroke that came and went puts an older stroke before the other future.
#[test]
fn the_other_future_comes_back_before_older_strokes() {
    for spawns in [false, true] {
        let mut session = rewindable();
        steps(&mut session, 5);
        stroke(&mut session, Tool::Wall);
        let walled = counts(&session);
        steps(&mut session, 9);
        jump(&mut session, Jump::Step);
        point_elsewhere(&mut session);
        assert!(stroke(&mut session, Tool::Poke).contains("steered"));
        steps(&mut session, 3);
        if spawns {
            stroke(&mut session, Tool::Spawn);
            assert!(undo(&mut session).starts_with("undone: removed "));
        } else {
            jump(&mut session, Jump::Step);
            jump(&mut session, Jump::End);
        }
        assert_eq!(undo(&mut session), "undone: back to step 13 and what came after it");
        arrive(&mut session);
        jump(&mut session, Jump::End);
        assert_eq!(counts(&session), walled);
        undo_wall(&mut session);
    }
}

/// Agents that come back under other ids, and numbers that are set twice, don't mislead undo.
#[test]
fn undo_knows_what_was_done_last() {
    let first = |session: &mut Session, change: fn(&mut Session)| {
        steps(session, 5);
        change(session);
        steps(session, 9);
        jump(session, Jump::Step);
        assert!(stroke(session, Tool::Poke).contains("steered"));
        steps(session, 3);
    };
    let back = "undone: back to step 13 and what came after it";
    let mut session = rewindable();
    first(&mut session, |session| drop(stroke(session, Tool::Spawn)));
    assert!(stroke(&mut session, Tool::Erase).starts_with("erase: erased "));
    assert!(undo(&mut session).starts_with("undone: restored "));
    assert_eq!(undo(&mut session), back);
    // The same number, before and after the futures have parted, is two changes.
    let mut session = rewindable();
    first(&mut session, |session| drop(apply(session, Command::Gravity(3.0))));
    apply(&mut session, Command::Gravity(5.0));
    assert_eq!(undo(&mut session), "undone: set gravity");
    assert_eq!(session.setup().gravity, 3.0);
    assert_eq!(undo(&mut session), back);
    // A choice is undone before the strokes of what was chosen.
    let mut session = rewindable();
    steps(&mut session, 20);
    stroke(&mut session, Tool::Spawn);
    steps(&mut session, 5);
    jump(&mut session, Jump::Seconds(-0.25));
    let from = session.sim().steps();
    stroke(&mut session, Tool::Wall);
    let branch = session.host.sim.timeline().branches().next().expect("a branch");
    let [_, end] = branch.ends;
    apply(&mut session, Command::GoToBranch(branch.number, Some(end)));
    arrive(&mut session);
    assert!(!session.host.sim.is_past());
    let undone = undo(&mut session);
    assert!(undone.starts_with(&format!("undone: back to step {from} ")), "{undone}");
}

/// Redo shows the change, and the next change comes after it.
#[test]
fn redo_of_changes_in_the_past_shows_them() {
    let mut session = rewindable();
    steps(&mut session, 9);
    jump(&mut session, Jump::Step);
    stroke(&mut session, Tool::Wall);
    let walled = counts(&session);
    steps(&mut session, 9);
    undo(&mut session);
    arrive(&mut session);
    assert_eq!(counts(&session), [500, 0]);
    redo(&mut session);
    arrive(&mut session);
    assert_eq!((counts(&session), session.sim().steps()), (walled, 8));
    point_elsewhere(&mut session);
    stroke(&mut session, Tool::Wall);
    assert_eq!(counts(&session)[1], 2);
    undo(&mut session);
    arrive(&mut session);
    jump(&mut session, Jump::End);
    assert_eq!(counts(&session)[1], 1);
}

/// A key may come while the button is held.
#[test]
fn strokes_that_commands_interrupt_are_undone() {
    let mut session = rewindable();
    steps(&mut session, 9);
    apply(&mut session, Command::Tool(Tool::Wall));
    apply(&mut session, Command::PressTool);
    jump(&mut session, Jump::Step);
    assert_eq!(apply(&mut session, Command::ReleaseButton), "");
    jump(&mut session, Jump::End);
    undo_wall(&mut session);
}

/// Undo goes back through all futures as they were shown, also twice to the same.
#[test]
fn undo_goes_through_futures_that_were_shown_again() {
    let mut session = rewindable();
    steps(&mut session, 9);
    jump(&mut session, Jump::Step);
    stroke(&mut session, Tool::Spawn);
    let line = |session: &Session| session.host.sim.timeline().line().0;
    let first = session.host.sim.timeline().branches().next().expect("a branch").number;
    let second = line(&session);
    apply(&mut session, Command::GoToBranch(first, None));
    for (turn, shown) in [
        (UndoTurn::Undo, second),
        (UndoTurn::Undo, first),
        (UndoTurn::Redo, second),
        (UndoTurn::Redo, first),
        (UndoTurn::Undo, second),
    ] {
        arrive(&mut session);
        apply(&mut session, Command::Turn(turn));
        assert_eq!(line(&session), shown);
    }
    arrive(&mut session);
    undo(&mut session);
    arrive(&mut session);
    assert_eq!(line(&session), first);
    let ended = undo(&mut session);
    assert!(ended.starts_with("nothing to undo"), "{ended}");
}

/// Each number of the motion is set back; a drag of a slider is one change.
#[test]
fn numbers_of_the_motion_are_undone() {
    let mut session = rewindable();
    stroke(&mut session, Tool::Wall);
    let before = session.setup().clone();
    let drags: [fn(f32) -> Command; 5] = [
        Command::Gravity,
        Command::Restitution,
        Command::Friction,
        Command::Rolling,
        Command::MeanSpeed,
    ];
    for drag in drags {
        for value in [0.25, 0.5, 0.75] {
            apply(&mut session, drag(value));
        }
    }
    let all = |setup: &Setup| {
        let &Setup { gravity, restitution, friction, rolling, speed, .. } = setup;
        [gravity, restitution, friction, rolling, (speed * 1e4).round() / 1e4]
    };
    assert_eq!(all(session.setup()), [0.75; 5]);
    steps(&mut session, 3);
    jump(&mut session, Jump::Step);
    jump(&mut session, Jump::End);
    for name in ["speed", "rolling", "friction", "restitution", "gravity"] {
        assert_eq!(undo(&mut session), format!("undone: set {name}"));
    }
    assert_eq!(all(session.setup()), all(&before));
    for _ in drags {
        assert!(redo(&mut session).starts_with("redone: set "));
    }
    assert_eq!(all(session.setup()), [0.75; 5]);
    for _ in drags {
        undo(&mut session);
    }
    undo_wall(&mut session);
}

/// What is refused is no stroke.
#[test]
fn numbers_that_are_refused_are_not_undone() {
    let mut session = rewindable();
    for command in [Command::Gravity(f32::NAN), Command::MeanSpeed(0.0), Command::Friction(-1.0)] {
        assert!(!apply(&mut session, command).is_empty());
        assert_eq!(undo(&mut session), "nothing to undo", "{command:?}");
    }
}

/// A run comes back with its timeline, its branches and its strokes, from a moment in the past too.
#[test]
fn a_run_comes_back_with_its_past_and_its_future() {
    let mut session = rewindable();
    let ways = |session: &Session| {
        let timeline = session.host.sim.timeline();
        let branches: Vec<_> = timeline.branches().collect();
        (timeline.ends(), timeline.end(), branches, session.host.sim.position())
    };
    steps(&mut session, 20);
    stroke(&mut session, Tool::Wall);
    steps(&mut session, 20);
    jump(&mut session, Jump::Seconds(-0.1));
    point_elsewhere(&mut session);
    stroke(&mut session, Tool::Wall);
    steps(&mut session, 20);
    jump(&mut session, Jump::Step);
    let (before, state) = (ways(&session), session.host.sim.state_hash());
    assert_eq!(before.2.len(), 1);
    for _ in 0..2 {
        apply(&mut session, Command::Restart);
        wait_placed(&mut session);
        steps(&mut session, 20);
    }
    let last = ways(&session);
    for _ in 0..2 {
        assert_eq!(undo(&mut session), "undone: back in gas, step 20");
        assert!(undo(&mut session).starts_with("undone: back in gas, step "));
        assert_eq!((ways(&session), session.host.sim.state_hash()), (before.clone(), state));
        redo(&mut session);
        assert_eq!(redo(&mut session), "redone: back in gas, step 20");
        assert_eq!(ways(&session), last);
        assert_eq!(redo(&mut session), "nothing to redo");
    }
    undo(&mut session);
    undo(&mut session);
    // The future is the same again, and so is what undo takes back there.
    jump(&mut session, Jump::End);
    assert!(undo(&mut session).starts_with("undone: back to step "));
    arrive(&mut session);
    jump(&mut session, Jump::End);
    undo_wall(&mut session);
}

/// Undo and redo of strokes in a run that came back are no change.
#[test]
fn strokes_that_are_undone_leave_the_undone_run() {
    let mut session = rewindable();
    stroke(&mut session, Tool::Wall);
    apply(&mut session, Command::Restart);
    wait_placed(&mut session);
    assert!(undo(&mut session).starts_with("undone: back in gas"));
    undo_wall(&mut session);
    assert!(redo(&mut session).contains("rebuilt 1 wall"));
    assert!(redo(&mut session).starts_with("redone: back in gas"));
    undo(&mut session);
    point_elsewhere(&mut session);
    let held = session.starts.former.bytes();
    assert!(held > 0);
    stroke(&mut session, Tool::Wall);
    assert_eq!(session.starts.former.bytes(), 0);
}
