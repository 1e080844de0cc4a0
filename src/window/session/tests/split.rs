//! Tests of the split picture: a run and its twin.

use super::*;
use crate::window::{command::Jump, twin::Twin};

/// Room for all moments of a small run.
const ROOM: usize = 64 << 20;

/// A run of that many agents that keeps a way back, and its picture split here.
fn split(setup: Setup) -> Session {
    let mut session = session_with(setup, ROOM);
    session.host.sim.keep_all();
    session.screen.tool_bar = false;
    step(&mut session, 5);
    assert_eq!(apply(&mut session, Command::ToggleSplit), "split on");
    session
}

fn step(session: &mut Session, steps: usize) {
    for _ in 0..steps {
        apply(session, Command::SingleStep);
        run(session, FRAME);
    }
}

fn twin(session: &Session) -> &Twin {
    session.host.twin.as_ref().expect("a split")
}

/// Both halves of the picture, without the rows of text.
fn halves(session: &mut Session) -> [Vec<u8>; 2] {
    let mut bytes = vec![0; (SIZE[0] * SIZE[1] * 4) as usize];
    session.draw(&mut bytes);
    let half = SIZE[0] as usize * 2;
    let rows = || bytes.chunks(2 * half).skip(60).take(150);
    let cut = |from: usize| rows().flat_map(|row| row[from..from + half - 8].to_vec()).collect();
    [cut(0), cut(half)]
}

/// Whether two pictures are the same but for the rounding of cameras.
fn are_alike([one, other]: &[Vec<u8>; 2]) -> bool {
    let differ = one.iter().zip(other).filter(|(one, other)| one.abs_diff(**other) > 24).count();
    one.iter().any(|byte| *byte > 100) && differ * 200 < one.len()
}

fn gas() -> Setup {
    Setup { agents: 2_000, spare_agents: 200, spare_statics: 8, ..Setup::new(Scene::Gas) }
}

/// Steps until both runs are where the user wants them.
fn arrive(session: &mut Session) {
    while session.host.seek.is_some() || session.host.twin_lags() {
        run(session, FRAME);
    }
}

/// The panel is beside the left half while it takes at most half of the window, and the small map shows the right one.
#[test]
fn what_is_seen_of_the_run_is_the_right_half() {
    let mut session = split(gas());
    let [width, height] = SIZE;
    for (panel, left) in [(0, 0), (width * 2 / 5, width * 2 / 5), (width / 2 + 1, 0)] {
        session.screen.fit_beside(panel);
        let [from, seam] = session.screen.halves();
        assert_eq!([from, seam], [left, left.midpoint(width)]);
        let (seen, camera) = (session.screen.seen(), session.screen.view.camera());
        let corners = [seen.min, seen.max].map(|point| camera.to_pixel(point).round());
        assert_eq!(
            corners,
            [[seam, height], [width, 0]].map(|at| Vec2::from(at.map(|it| it as f32)))
        );
    }
}

#[test]
fn equal_runs_have_no_distance_and_the_same_picture() {
    let mut session = split(gas());
    let colors = session.style().color_by;
    assert_eq!(colors, ColorBy::Twin);
    for _ in 0..40 {
        step(&mut session, 1);
        assert!(are_alike(&halves(&mut session)), "at step {}", session.sim().steps());
    }
    let twin = twin(&session);
    assert!(twin.tones.iter().all(|tones| tones.len() == 2_000 && tones.iter().all(|it| *it == 0)));
    assert_eq!((twin.distance, twin.exponent()), (0.0, None));
    assert!(twin.sim.state_hash() == session.sim().state_hash());
}

/// Changes the velocity of one agent by a ten-thousandth; the exponent, and the distances after each step.
fn nudged(setup: Setup, slot: usize, steps: usize) -> (f64, Vec<f64>) {
    let mut session = split(setup);
    let (id, velocity) = {
        let agents = session.sim().agents();
        (agents.id[slot], agents.get(slot).velocity)
    };
    session.host.sim.apply(Edit::Velocity(id, velocity * 1.000_1)).unwrap();
    let distances = (0..steps).map(|_| {
        step(&mut session, 1);
        session.compare();
        twin(&session).distance
    });
    let distances = distances.collect();
    (twin(&session).exponent().expect("an exponent"), distances)
}

#[test]
fn a_nudge_grows_exponentially_and_saturates() {
    for (setup, expected) in [(gas(), 4.0..12.0), (crystal(), 14.0..60.0)] {
        let all = [3, 700, 1_500].map(|slot| nudged(setup.clone(), slot, 600));
        for (exponent, distances) in all {
            assert!(expected.contains(&exponent), "{}: {exponent}", setup.scene);
            let first = distances.iter().copied().find(|far| *far > 0.0).unwrap();
            let [half, end] = [distances[300], distances[599]];
            assert!(end > 1e5 * first, "{first} {end}");
            // From there on it no longer grows e-fold per second, let alone with the exponent.
            assert!(end / half < 5.0 && end < 100.0, "{half} {end}");
        }
    }
}

fn crystal() -> Setup {
    Setup { agents: 2_000, spare_agents: 200, spare_statics: 8, ..Setup::new(Scene::Crystal) }
}

/// A poke moves agents by radii at once: its growth is none of an exponent.
#[test]
fn a_large_change_has_no_exponent() {
    let mut session = split(gas());
    let center = session.sim().world().center();
    session.host.sim.apply(Edit::Steer(center, 15.0, 60.0)).unwrap();
    for _ in 0..200 {
        step(&mut session, 1);
        session.compare();
    }
    let twin = twin(&session);
    assert!(twin.distance > 1.0 && twin.exponent().is_none(), "{:?}", twin.exponent());
    assert!(twin.tones[0].iter().any(|tone| *tone > 200));
}

/// Agents that only one of both has are a difference, too.
#[test]
fn agents_without_twins_are_counted() {
    let mut session = split(gas());
    stroke(&mut session, Tool::Erase);
    session.compare();
    let gone = 2_000 - session.sim().agents().len();
    let said = crate::window::session::split::apart(twin(&session), false);
    assert_eq!(said, format!("split: {gone} agents without a twin"));
    assert!(gone > 1 && twin(&session).distance == 0.0);
}

#[test]
fn after_changing_the_past_the_twin_is_the_run_as_it_was() {
    let mut session = session_with(gas(), ROOM);
    session.host.sim.keep_all();
    let mut hashes = Vec::new();
    for number in 0..60 {
        hashes.push(session.sim().state_hash());
        if number == 40 {
            stroke(&mut session, Tool::Erase);
        }
        step(&mut session, 1);
    }
    apply(&mut session, Command::Jump(Jump::Seconds(-0.5)));
    arrive(&mut session);
    assert_eq!(session.sim().steps(), 30);
    stroke(&mut session, Tool::Spawn);
    step(&mut session, 25);
    let changed = session.sim().state_hash();
    assert_eq!(apply(&mut session, Command::ToggleSplit), "split on");
    arrive(&mut session);
    assert_eq!(session.sim().steps(), 30);
    for now in 31..=55 {
        step(&mut session, 1);
        assert_eq!(twin(&session).sim.steps(), now);
        let former = hashes[now as usize];
        // The erasure of the former future comes after this step.
        assert!(now == 40 || twin(&session).sim.state_hash() == former, "step {now}");
    }
    assert_eq!(session.sim().state_hash(), changed);
    session.compare();
    assert!(twin(&session).distance > 0.0 && twin(&session).tones[0].contains(&255));
    // On the way back both go back, to the same states.
    apply(&mut session, Command::Jump(Jump::Seconds(-0.25)));
    arrive(&mut session);
    assert_eq!(session.sim().steps(), 40);
    step(&mut session, 5);
    assert_eq!(twin(&session).sim.state_hash(), hashes[45]);
    // Undo brings the other future back, which ends the split.
    assert!(undo(&mut session).starts_with("undone: back to step 30"));
    assert!(session.host.twin.is_none() && session.screen.split.is_none());
}

/// A run of 60 steps that goes on otherwise from step 30 to step 55.
fn changed_in_the_past() -> Session {
    let mut session = session_with(gas(), ROOM);
    session.host.sim.keep_all();
    step(&mut session, 60);
    apply(&mut session, Command::Jump(Jump::Seconds(-0.5)));
    arrive(&mut session);
    stroke(&mut session, Tool::Spawn);
    step(&mut session, 25);
    session
}

/// Redo goes to the change, before the end of the future that begins with it.
#[test]
fn a_future_that_redo_brings_back_is_beside_the_other_one() {
    let mut session = changed_in_the_past();
    assert!(undo(&mut session).starts_with("undone: back to step 30"));
    arrive(&mut session);
    let redone = apply(&mut session, Command::Turn(UndoTurn::Redo));
    assert!(redone.starts_with("redone: "), "{redone}");
    arrive(&mut session);
    assert!(session.host.sim.is_past());
    assert_eq!(apply(&mut session, Command::ToggleSplit), "split on");
    arrive(&mut session);
    step(&mut session, 10);
    session.compare();
    assert!(twin(&session).distance > 0.0 && twin(&session).tones[0].contains(&255));
}

/// So also later in the past, where the other future has parted before.
#[test]
fn futures_that_have_parted_are_shown_also_in_the_past() {
    let mut session = changed_in_the_past();
    for on in ["split on", "split off"] {
        assert_eq!(apply(&mut session, Command::ToggleSplit), on);
        arrive(&mut session);
    }
    for turn in [UndoTurn::Undo, UndoTurn::Redo] {
        apply(&mut session, Command::Turn(turn));
        arrive(&mut session);
    }
    // Also on the way to another step, which counts.
    apply(&mut session, Command::Jump(Jump::Seconds(0.2)));
    apply(&mut session, Command::ToggleSplit);
    assert!(twin(&session).sim.first_step() == 30);
    arrive(&mut session);
    apply(&mut session, Command::ToggleSplit);
    step(&mut session, 10);
    assert!(session.host.sim.is_past() && session.sim().steps() == 40);
    apply(&mut session, Command::ToggleSplit);
    arrive(&mut session);
    assert_eq!(session.sim().steps(), 30);
    step(&mut session, 10);
    session.compare();
    assert!(twin(&session).distance > 0.0);
    // Before they part, both are the same run: it parts here.
    apply(&mut session, Command::ToggleSplit);
    apply(&mut session, Command::Jump(Jump::Seconds(-0.5)));
    arrive(&mut session);
    apply(&mut session, Command::ToggleSplit);
    arrive(&mut session);
    assert_eq!(session.sim().steps(), 10);
}

#[test]
fn undo_of_starts_brings_runs_back_alone_in_their_colors() {
    let mut session = session_with(gas(), ROOM);
    apply(&mut session, Command::ColorBy(Choice::Value(ColorBy::Size)));
    let before = *session.screen.view.camera();
    apply(&mut session, Command::ToggleSplit);
    started(&mut session, Scene::Pile, 300);
    assert!(undo(&mut session).starts_with("undone: back in gas"));
    assert!(session.host.twin.is_none());
    assert_eq!(session.style().color_by, ColorBy::Size);
    assert_eq!(session.screen.view.camera().scale, before.scale);
}

#[test]
fn the_split_ends_with_its_key_escape_or_another_run_and_leaves_all_as_it_was() {
    let mut session = session_with(gas(), ROOM);
    apply(&mut session, Command::ColorBy(Choice::Value(ColorBy::Size)));
    apply(&mut session, Command::Zoom(3.0));
    let before = (*session.screen.view.camera(), session.host.sim.timeline().memory());
    let left = Vec2::new(100.0, 100.0);
    apply(&mut session, Command::MovePointer(left));
    for end in [Command::ToggleSplit, Command::Cancel] {
        apply(&mut session, Command::ToggleSplit);
        // The middle of the right half is what was in the middle.
        let camera = *session.screen.view.camera();
        let [middle, right] = [0.5, 0.75].map(|share| Vec2::new(share * SIZE[0] as f32, 180.0));
        assert!(camera.to_world(right).distance(before.0.to_world(middle)) < 1e-3);
        // A place in the left half is the same place in the right one.
        for _ in 0..2 {
            assert_eq!(session.tools.cursor, left + Vec2::new(320.0, 0.0));
            apply(&mut session, Command::MovePointer(left));
        }
        assert_eq!(apply(&mut session, end), "split off");
        assert_eq!(session.tools.cursor, left);
        assert_eq!(session.screen.view.camera().scale, before.0.scale);
        assert!(session.screen.view.camera().center.distance(before.0.center) < 1e-3);
        assert_eq!(session.host.sim.timeline().memory(), before.1);
        assert_eq!(session.style().color_by, ColorBy::Size);
    }
    apply(&mut session, Command::ToggleSplit);
    started(&mut session, Scene::Pile, 300);
    assert!(session.host.twin.is_none() && session.screen.split.is_none());
}

#[test]
fn colors_of_twins_are_those_of_split_pictures() {
    let mut session = split(gas());
    let modes = ColorBy::all_of(session.sim().agents()).count();
    let next = |session: &mut Session| {
        apply(session, Command::ColorBy(Choice::Next));
        session.style().color_by
    };
    let all: Vec<ColorBy> = (0..=modes).map(|_| next(&mut session)).collect();
    assert_eq!((all[0], all[modes]), (ColorBy::Speed, ColorBy::Twin));
    assert!(are_alike(&halves(&mut session)));
    apply(&mut session, Command::ToggleSplit);
    assert!((0..modes).all(|_| next(&mut session) != ColorBy::Twin));
}

#[test]
fn without_memory_for_twins_one_sentence_says_so_and_nothing_changes() {
    let mut session = session_with(gas(), ROOM);
    session.starts.admit = |_, _, _, _| Err(crate::program::ProgramError::refused("too much"));
    let before = session.host.sim.timeline().memory();
    assert_eq!(apply(&mut session, Command::ToggleSplit), "refused: too much");
    assert!(session.host.twin.is_none() && session.screen.split.is_none());
    assert_eq!(session.host.sim.timeline().memory(), before);
    assert!(run(&mut session, FRAME) > 0);
}

/// Without a way back there is no other future but that from here.
#[test]
fn without_history_the_futures_part_here() {
    let mut session = session_with(gas(), 0);
    step(&mut session, 3);
    apply(&mut session, Command::ToggleSplit);
    step(&mut session, 3);
    assert_eq!(twin(&session).sim.state_hash(), session.sim().state_hash());
}
