//! Tests of what a journal says of the part of the world that the window shows.

use super::*;
use crate::{
    journal::{Due, Journal, JournalView, MemoryFile, Replay, RunOrigin},
    window::command::Jump,
};

#[test]
fn a_journal_says_what_the_window_showed_at_each_step_and_no_more() {
    let file = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
    let setup = Setup { agents: 300, spare_agents: 100, ..Setup::new(Scene::Gas) };
    let mut session = session_in(setup, 1 << 24, Some(journal));
    let mut seen = Vec::new();
    for frame in 0..90_u32 {
        match frame {
            20 => _ = apply(&mut session, Command::Zoom(4.0)),
            // A drag over several frames of a paused run is one line.
            30 | 50 => _ = apply(&mut session, Command::TogglePause),
            31..50 => session.screen.view.pan(Vec2::new(5.0, 3.0)),
            // One for each frame of a run.
            60..65 => session.screen.view.pan(Vec2::new(-7.0, 2.0)),
            // Less than a pixel is nothing.
            70 => session.screen.view.pan(Vec2::splat(0.01)),
            80 => _ = apply(&mut session, Command::FitView),
            _ => {}
        }
        let begin = session.sim().steps();
        run(&mut session, FRAME);
        seen.resize(session.sim().steps() as usize, session.screen.view.shown());
        assert!(session.sim().steps() <= begin + 2);
    }
    session.close_journal();
    let bytes = file.bytes();
    let text = String::from_utf8_lossy(&bytes);
    // The header of a section ends with zeros.
    let lines = text.lines().map(|line| line.rsplit('\0').next().unwrap_or(line));
    let lines: Vec<&str> = lines.filter(|line| line.contains(" view ")).collect();
    let steps = lines.iter().map(|line| line.split(' ').next().and_then(|step| step.parse().ok()));
    let steps: Vec<Option<u64>> = steps.collect();
    assert!(steps.iter().all(Option::is_some), "{lines:#?}");
    assert!(steps.is_sorted_by(|before, after| before < after), "{lines:#?}");
    assert_eq!(lines.len(), 1 + 1 + 1 + 5 + 1, "{lines:#?}");
    assert!(lines[0] == "0 view whole" && lines[8].ends_with(" view whole"), "{lines:#?}");
    let summary = Journal::from_bytes(bytes.clone()).unwrap().summary().to_string();
    assert!(summary.starts_with("1 run, 0 changes and "), "{summary}");

    let mut replay = Replay::new(Journal::from_bytes(bytes).unwrap()).unwrap();
    let Ok(RunOrigin::Setup(setup)) = replay.begin() else { panic!("a set-up") };
    let mut sim = Sim::new(&setup).unwrap();
    for shown in seen {
        assert!(matches!(replay.due(&mut sim, |_, _| ()), Ok(Due::Step)));
        let view = replay.view().unwrap();
        assert!(!view.differs(shown), "{view:?} and {shown:?}");
        sim.step().unwrap();
    }
    assert!(matches!(replay.due(&mut sim, |_, _| ()), Ok(Due::Nothing)));
    assert_eq!(replay.view(), Some(JournalView::Whole));
}

#[test]
fn a_replay_shows_what_the_window_showed_until_the_user_looks_elsewhere() {
    let setup = || Setup { agents: 300, spare_agents: 100, ..Setup::new(Scene::Gas) };
    let file = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
    let mut session = session_in(setup(), 1 << 24, Some(journal));
    let mut seen = Vec::new();
    for frame in 0..90 {
        match frame {
            20 => _ = apply(&mut session, Command::Zoom(4.0)),
            50 => session.screen.view.pan(Vec2::new(50.0, 30.0)),
            80 => _ = apply(&mut session, Command::FitView),
            _ => {}
        }
        run(&mut session, FRAME);
        seen.resize(session.sim().steps() as usize, session.screen.view.shown());
    }
    session.close_journal();

    let mut replay = Replay::new(Journal::from_bytes(file.bytes()).unwrap()).unwrap();
    assert!(matches!(replay.begin(), Ok(RunOrigin::Setup(_))));
    let mut other = session_in(setup(), 0, None);
    other.host.playback.begin(Some(replay));
    apply(&mut other, Command::TogglePause);
    let mut own = None;
    for (step, &shown) in seen.iter().enumerate() {
        assert_eq!(other.sim().steps(), step as u64);
        apply(&mut other, Command::SingleStep);
        run(&mut other, FRAME);
        let view = other.screen.view.shown();
        let expected = own.filter(|_| shown == seen[29]).unwrap_or(shown);
        assert!(!view.differs(expected), "step {step}: {view:?} and {expected:?}");
        if step == 29 {
            // Until the window of the journal showed something else.
            other.screen.view.pan(Vec2::new(-40.0, 0.0));
            own = Some(other.screen.view.shown());
        }
    }
    assert_eq!(other.screen.view.shown(), JournalView::Whole);
}

#[test]
fn where_the_run_has_gone_back_the_journal_says_the_view_again() {
    let file = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
    let setup = Setup { agents: 300, spare_agents: 100, ..Setup::new(Scene::Gas) };
    let mut session = session_in(setup, 1 << 24, Some(journal));
    (0..60).for_each(|_| _ = run(&mut session, FRAME));
    apply(&mut session, Command::Zoom(4.0));
    (0..60).for_each(|_| _ = run(&mut session, FRAME));
    // Back to where all was shown, which the window does not show any more.
    session.go_to(10);
    while session.is_rewinding() {
        run(&mut session, FRAME);
    }
    apply(&mut session, Command::Gravity(3.0));
    (0..20).for_each(|_| _ = run(&mut session, FRAME));
    session.close_journal();
    let mut replay = Replay::new(Journal::from_bytes(file.bytes()).unwrap()).unwrap();
    let Ok(RunOrigin::Setup(setup)) = replay.begin() else { panic!("a set-up") };
    let mut sim = Sim::new(&setup).unwrap();
    let mut zoomed = None;
    while let Ok(Due::Step) = replay.due(&mut sim, |_, _| ()) {
        if replay.view() != Some(JournalView::Whole) {
            zoomed.get_or_insert(sim.steps());
        }
        sim.step().unwrap();
    }
    assert!(zoomed.is_some_and(|step| (10..=12).contains(&step)), "{zoomed:?}");
    assert_eq!(sim.state_hash(), session.sim().state_hash());
}

/// A film of its own size and pictures of the window's are drawn in turns, also after the window has another size.
#[test]
fn pictures_and_films_of_other_sizes_are_drawn_in_turns() {
    let mut session = session(Scene::Gas);
    session.screen.capture_at(SIZE).expect("memory");
    for window in [SIZE, [400, 300], SIZE] {
        session.screen.resize(window, 1.0);
        for size in [window, [500, 200], SIZE] {
            let mut bytes = vec![0; (size[0] * size[1] * 4) as usize];
            session.draw_view(&mut bytes, size);
            let bright = |pixel: &[u8]| pixel[..3].iter().any(|part| *part > 150);
            assert!(
                bytes.chunks(4).filter(|it| bright(it)).count() > 1_000,
                "{size:?} in {window:?}"
            );
        }
    }
}

/// The bar with the first branch takes room from the picture, and not from under a stroke.
#[test]
fn the_picture_stays_under_the_first_stroke_in_the_past() {
    let mut session = session_with(Setup::with_agents(Scene::Gas, 500), 64 << 20);
    let mut bytes = vec![0; (SIZE[0] * SIZE[1] * 4) as usize];
    for _ in 0..9 {
        run(&mut session, FRAME);
    }
    apply(&mut session, Command::Jump(Jump::Step));
    while session.host.seek.is_some() {
        run(&mut session, FRAME);
    }
    session.draw(&mut bytes);
    let before = *session.screen.view.camera();
    apply(&mut session, Command::Tool(Tool::Erase));
    apply(&mut session, Command::PressTool);
    assert_eq!(session.host.sim.timeline().branches().len(), 1);
    session.draw(&mut bytes);
    assert_eq!(*session.screen.view.camera(), before);
    apply(&mut session, Command::ReleaseButton);
    session.draw(&mut bytes);
    assert_ne!(*session.screen.view.camera(), before);
}
