//! Tests of tours: when one goes on to the next scene.

use super::*;

/// Runs with frames of this length until a tour goes on; the seconds that were played and shown.
fn toured(session: &mut Session, frame: Duration) -> [f64; 2] {
    let (begin, played) = (session.host.last_run, session.host.played());
    while !session.is_placing() {
        run(session, frame);
    }
    let seen = [session.host.played() - played, (session.host.last_run - begin).as_secs_f64()];
    wait_placed(session);
    seen
}

#[test]
fn tours_go_on_when_scenes_were_played_or_take_too_long() {
    let mut session = session(Scene::Gas);
    apply(&mut session, Command::ToggleTour);
    let [played, shown] = toured(&mut session, FRAME);
    assert!(played >= 15.0 && shown < 60.0, "{played} of {shown} s");
    // A machine that takes a few steps per second.
    let [played, shown] = toured(&mut session, Duration::from_secs(1));
    assert!(played < 15.0 && shown >= 60.0, "{played} of {shown} s");
}

#[test]
fn a_tour_that_ends_cancels_its_next_scene_and_undo_goes_before_it() {
    let mut session = session(Scene::Pile);
    run(&mut session, FRAME);
    apply(&mut session, Command::ToggleTour);
    for _ in 0..2 {
        toured(&mut session, Duration::from_secs(1));
    }
    while !session.is_placing() {
        run(&mut session, Duration::from_secs(1));
    }
    let shown = session.setup().scene;
    apply(&mut session, Command::ToggleTour);
    assert!(!session.is_placing());
    assert_eq!(session.setup().scene, shown);
    let undone = apply(&mut session, Command::Turn(UndoTurn::Undo));
    assert!(undone.starts_with("undone: back in pile, step "), "{undone}");
}
