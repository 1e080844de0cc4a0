//! Tests of branches: each comes again bit for bit, by clicks and turns, in little room, and from a journal.

use std::collections::HashMap;

use super::{
    rewind::{bring_back, edit, go, recorded, step},
    *,
};
use crate::{
    journal::{BranchName, Due, Journal, JournalWriter, MemoryFile, Replay, RunOrigin},
    snapshot::{Series, SeriesWriter},
    window::{command::Jump, timeline::ShownBranch, tool::UndoTurn},
};

const ROOM: usize = 1 << 20;

/// The branches by name, and the number of each.
fn branches(sim: &RecordedSim) -> Vec<ShownBranch> {
    sim.timeline().branches().collect()
}

/// The state at the end of the line.
fn at_end(sim: &mut RecordedSim) -> u64 {
    go(sim, sim.timeline().ends()[1]);
    sim.state_hash()
}

/// A run with four futures: their numbers and names, with their states at the end. The last one is the line.
fn forked(sim: &mut RecordedSim) -> Vec<(u32, u64)> {
    let mut rng = Rng::new(11);
    let mut ends = Vec::new();
    for (from, steps) in [(0, 100), (40, 30), (55, 20), (20, 15)] {
        go(sim, from);
        edit(sim, &mut rng);
        for number in 0..steps {
            if number % 10 == 5 {
                edit(sim, &mut rng);
            }
            step(sim);
        }
        ends.push((sim.timeline().line().0, sim.state_hash()));
    }
    ends
}

#[test]
fn each_branch_comes_again_in_any_order_and_in_little_room() {
    let one = recorded(Scene::Gas, ROOM, None).timeline().memory();
    for room in [ROOM, 4 * one, 2 * one] {
        let mut sim = recorded(Scene::Gas, room, None);
        let ends = forked(&mut sim);
        let shown: Vec<_> = branches(&sim).iter().map(|it| (it.number, it.parent)).collect();
        // Those that parted from what is after step 20 part from the branch that was left there.
        assert_eq!(shown, [(1, Some(3)), (2, Some(3)), (3, None)], "room {room}");
        let mut rng = Rng::new(3);
        for _ in 0..40 {
            let (number, end) = ends[rng.below(4) as usize];
            let is_line = sim.timeline().line().0 == number;
            assert_eq!(sim.go_to_branch(number, None).unwrap().is_some(), !is_line);
            assert_eq!(sim.timeline().line().0, number);
            assert_eq!(at_end(&mut sim), end, "branch {number}, room {room}");
            assert!(sim.timeline().memory() <= room && branches(&sim).len() == 3);
            let [first, last] = sim.timeline().ends();
            go(&mut sim, first + u64::from(rng.below((last - first) as u32)));
        }
        assert!(sim.take_dropped().is_empty());
    }
}

#[test]
fn turns_go_along_the_branches_that_the_run_was() {
    let mut sim = recorded(Scene::Gas, ROOM, None);
    let ends = forked(&mut sim);
    for (turn, order) in [(UndoTurn::Undo, [2, 1, 0]), (UndoTurn::Redo, [1, 2, 3])] {
        for index in order {
            assert!(bring_back(&mut sim, turn).is_some());
            assert_eq!(sim.timeline().line().0, ends[index].0);
            assert_eq!(at_end(&mut sim), ends[index].1);
        }
        assert_eq!(bring_back(&mut sim, turn), None);
    }
    // A choice can be undone, and there is nothing to do again after it.
    bring_back(&mut sim, UndoTurn::Undo);
    sim.go_to_branch(1, None).unwrap();
    assert_eq!(sim.timeline().turned(UndoTurn::Redo), None);
    assert_eq!(sim.timeline().turned(UndoTurn::Undo), Some(3));
}

#[test]
fn the_oldest_branch_makes_room_which_is_said() {
    let mut sim = recorded(Scene::Gas, 64 * ROOM, None);
    for number in 0..20 {
        (0..30).for_each(|_| step(&mut sim));
        go(&mut sim, 10);
        sim.apply(Edit::Gravity(-(number as f32))).unwrap();
    }
    let names: Vec<_> = branches(&sim).iter().map(|it| it.name.to_string()).collect();
    assert_eq!((names.len(), &*names[0], &*names[15]), (16, "branch 5", "branch 20"));
    let dropped = sim.take_dropped();
    assert_eq!(dropped.len(), 4);
    assert!(dropped[0].1.contains("at most 16"), "{dropped:?}");
    // Edits that leave no room for branches.
    let one = recorded(Scene::Gas, ROOM, None).timeline().memory();
    let mut sim = recorded(Scene::Gas, one + 3_000, None);
    let center = sim.world().center();
    let steer = |sim: &mut RecordedSim| {
        step(sim);
        sim.apply(Edit::Steer(center, 9.0, 0.1)).unwrap();
        assert!(sim.timeline().memory() <= one + 3_000, "{}", sim.timeline().memory() - one);
    };
    (0..30).for_each(|_| steer(&mut sim));
    go(&mut sim, 5);
    steer(&mut sim);
    assert_eq!(branches(&sim).len(), 1);
    (0..30).for_each(|_| steer(&mut sim));
    assert!(branches(&sim).is_empty());
    let dropped = sim.take_dropped();
    assert!(dropped[0].1.contains("no room") && dropped[0].1.contains("--history"), "{dropped:?}");
}

/// Replays a journal to its end, with a way back; its run.
fn replayed(bytes: Vec<u8>) -> RecordedSim {
    let mut replay = Replay::new(Journal::from_bytes(bytes).unwrap()).unwrap();
    let Ok(RunOrigin::Setup(setup)) = replay.begin() else { panic!("a set-up") };
    let mut again = RecordedSim::new(Sim::new(&setup).unwrap(), None, None, 64 * ROOM);
    again.keep_all();
    loop {
        match again.replay(&mut replay).unwrap() {
            Due::Step => step(&mut again),
            Due::Nothing => break,
            other => panic!("{other:?}"),
        }
    }
    again.adopt(replay.journal().branches_of(0).unwrap(), true);
    again
}

#[test]
fn a_journal_has_all_branches_with_their_names() {
    for seed in 0..12 {
        let file = MemoryFile::default();
        let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
        let scene = [Scene::Gas, Scene::Pile, Scene::Melee][seed as usize % 3];
        let mut sim = recorded(scene, 64 * ROOM, Some(journal));
        let mut rng = Rng::new(seed);
        // States at the ends of lines.
        let mut truth = HashMap::new();
        for number in 0..80 {
            let all = branches(&sim);
            let any = (!all.is_empty()).then(|| all[rng.below(all.len() as u32) as usize].number);
            match (rng.below(9), any) {
                (0 | 1, _) => {
                    let [begin, end] = sim.timeline().ends();
                    let to = begin + u64::from(rng.below((end - begin) as u32 + 1));
                    go(&mut sim, to);
                }
                (2, Some(branch)) => drop(sim.go_to_branch(branch, None).unwrap()),
                (3, Some(branch)) => {
                    let branch = [branch, sim.timeline().line().0][rng.below(2) as usize];
                    let name = BranchName::new(&format!("a name, {number}%")).unwrap();
                    sim.rename(branch, name).unwrap();
                }
                (4, _) => drop(bring_back(&mut sim, UndoTurn::Undo)),
                (5 | 6, _) => edit(&mut sim, &mut rng),
                (7, _) => {
                    sim.take_dropped();
                    sim.write_journal(Instant::now());
                }
                _ => (0..rng.below(30)).for_each(|_| step(&mut sim)),
            }
            let line = sim.timeline().line().0;
            let key = (line, sim.timeline().end());
            if !sim.is_past() {
                let hash = sim.state_hash();
                let before = *truth.entry(key).or_insert(hash);
                assert_eq!(before, hash, "seed {seed} op {number} line {key:?}");
            }
        }
        sim.close_journal();
        assert!(sim.take_trouble().is_none());
        let mut again = replayed(file.bytes());
        assert_eq!(again.steps(), sim.steps(), "seed {seed}");
        assert_eq!(again.state_hash(), sim.state_hash(), "seed {seed}");
        // What was ahead when the journal was closed is a branch, too, with the name of the line.
        let mut all = branches(&sim);
        let ([_, end], (_, name)) = (sim.timeline().ends(), sim.timeline().line());
        if sim.is_past() {
            let place = sim.steps();
            let of_line = ShownBranch { number: 0, name, parent: None, ends: [place, end] };
            all.push(of_line);
        } else {
            assert_eq!(again.timeline().line().1, name, "seed {seed}");
        }
        let names = |all: &[ShownBranch]| {
            let mut names: Vec<_> = all.iter().map(|it| (it.name.to_string(), it.ends)).collect();
            names.sort();
            names
        };
        assert_eq!(names(&branches(&again)), names(&all), "seed {seed}");
        assert!(all.len() > 1, "seed {seed}");
        for ShownBranch { name, .. } in all {
            let hashes = [&mut sim, &mut again].map(|sim| {
                let branch = branches(sim).into_iter().find(|it| it.name == name);
                branch.and_then(|it| sim.go_to_branch(it.number, None).unwrap());
                at_end(sim)
            });
            assert_eq!(hashes[0], hashes[1], "seed {seed}, {name}");
        }
    }
}

/// A journal of earlier versions has no names of what was left, and no branches.
#[test]
fn a_journal_without_names_has_no_branches() {
    let file = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
    let mut sim = recorded(Scene::Gas, ROOM, Some(journal));
    forked(&mut sim);
    sim.close_journal();
    let journal = Journal::from_bytes(file.bytes()).unwrap();
    assert_eq!(journal.branches().map(|names| names.len()).collect::<Vec<_>>(), [3]);
    let sections = Series::from_bytes(file.bytes()).unwrap();
    let former = MemoryFile::default();
    let mut writer = SeriesWriter::new(former.clone()).unwrap();
    let all = (0..).map_while(|index| sections.section(index));
    for (tag, bytes) in all {
        let tag = ["setup", "lines"].into_iter().find(|it| *it == tag).unwrap();
        let is_old = |line: &&str| !line.contains(" branch ") && !line.contains(" line ");
        let lines = std::str::from_utf8(bytes).unwrap().split_inclusive('\n');
        let text: String = lines.filter(is_old).collect();
        writer.section(tag, text.as_bytes()).unwrap();
    }
    let again = replayed(former.bytes());
    assert_eq!(again.state_hash(), sim.state_hash());
    assert!(branches(&again).is_empty());
}

/// A reader allows only so many branches at a time: a journal says which is dropped before the next one is left
/// or has its name.
#[test]
fn a_journal_of_many_branches_can_be_read() {
    let file = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
    let mut sim = recorded(Scene::Gas, 64 * ROOM, Some(journal));
    for number in 0..20 {
        (0..30).for_each(|_| step(&mut sim));
        go(&mut sim, 10);
        sim.apply(Edit::Gravity(-(number as f32))).unwrap();
        bring_back(&mut sim, UndoTurn::Undo);
        if number >= 16 {
            let line = sim.timeline().line().0;
            let free = BranchName::new(&format!("branch {}", number - 15)).unwrap();
            sim.rename(line, free).unwrap();
        }
    }
    let mut expected: Vec<_> = branches(&sim).iter().map(|it| it.name.to_string()).collect();
    sim.close_journal();
    let journal = Journal::from_bytes(file.bytes()).unwrap();
    let found: Vec<_> = journal.branches().flatten().map(|it| it.to_string()).collect();
    expected.push(sim.timeline().line().1.to_string());
    assert!(expected.len() > 16 && found.iter().all(|it| expected.contains(it)), "{found:?}");
}

/// A journal that says of a branch that it parts where its parent has no such changes.
#[test]
fn branches_that_part_nowhere_are_given_up() {
    let file = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
    recorded(Scene::Gas, ROOM, Some(journal)).close_journal();
    let sections = Series::from_bytes(file.bytes()).unwrap();
    let forged = MemoryFile::default();
    let mut writer = SeriesWriter::new(forged.clone()).unwrap();
    writer.section("setup", sections.section(0).unwrap().1).unwrap();
    let lines = "10 gravity -1\n20 gravity -2\n30 gravity -3\n40 reached\n25 rewound 2\n25 branch x\n26 reached\n\
                 15 rewound 1\n15 branch y\n15 line y\n40 reached\n40 closed\n";
    writer.section("lines", lines.as_bytes()).unwrap();
    let mut again = replayed(forged.bytes());
    assert_eq!(again.take_dropped().len(), 1);
    for ShownBranch { number, .. } in branches(&again) {
        again.go_to_branch(number, None).unwrap();
        at_end(&mut again);
    }
}

/// A session with two branches and the line, which ends at step 100.
fn with_branches(journal: Option<JournalWriter>) -> Session {
    let setup =
        Setup { agents: 500, spare_agents: 200, spare_statics: 8, ..Setup::new(Scene::Gas) };
    let mut session = session_in(setup, 64 * ROOM, journal);
    session.host.sim.keep_all();
    session.screen.tool_bar = false;
    apply(&mut session, Command::TogglePause);
    for (from, steps) in [(0, 90), (30, 40), (60, 40)] {
        session.go_to(from);
        arrive(&mut session);
        if from > 0 {
            assert!(stroke(&mut session, Tool::Erase).starts_with("erase: erased"));
        }
        for _ in 0..steps {
            apply(&mut session, Command::SingleStep);
            run(&mut session, FRAME);
        }
    }
    session.reports.take_events();
    session
}

fn arrive(session: &mut Session) {
    while session.host.seek.is_some() || session.host.twin_lags() {
        run(session, FRAME);
    }
}

/// The pixel of a step of a branch, by its place among them.
fn pixel_of(session: &mut Session, index: usize, step: u64) -> Vec2 {
    drawn(session);
    let timeline = session.host.timeline();
    let place = session.screen.timeline_place(timeline).expect("room");
    let wanted = timeline.branches().nth(index).expect("a branch").number;
    let [width, height] = SIZE;
    let rows = (height - 60..height).rev();
    let mut all = rows.flat_map(|y| (0..width).map(move |x| Vec2::new(x as f32, y as f32)));
    let found = all.find(|pixel| {
        let there = place.branch_at(*pixel, timeline);
        there.is_some_and(|(branch, at)| branch.number == wanted && at.abs_diff(step) <= 1)
    });
    found.unwrap_or_else(|| panic!("no pixel of step {step} of {wanted}"))
}

#[test]
fn clicks_on_branches_go_there_and_undo_goes_back() {
    let mut session = with_branches(None);
    let line = session.host.sim.state_hash();
    // The world is fitted above the bar, which has a row for each.
    let bar = |session: &Session| {
        session.screen.hud_blocks.iter().find(|it| it.0 == "timeline").unwrap().1
    };
    let place = pixel_of(&mut session, 0, 80);
    assert_eq!(bar(&session).height, 20 + 2 * 7);
    apply(&mut session, Command::MovePointer(place));
    assert!(session.follows_pointer());
    drawn(&mut session);
    assert!(session.screen.hud_blocks.iter().any(|it| it.0 == "branch"), "its name");
    assert_eq!(apply(&mut session, Command::PressTool), "branch branch 1");
    apply(&mut session, Command::ReleaseButton);
    arrive(&mut session);
    assert!(session.sim().steps().abs_diff(80) <= 1 && session.host.sim.is_past());
    assert_eq!(session.host.timeline().line().1.as_str(), "branch 1");
    assert!(hud::status(&session).iter().any(|field| field.text == "branch 1"));
    assert_eq!(session.host.timeline().span(), [0, 100]);
    assert_eq!(undo(&mut session), "undone: back to step 30 and what came after it");
    apply(&mut session, Command::Jump(Jump::End));
    arrive(&mut session);
    assert_eq!((session.sim().steps(), session.host.sim.state_hash()), (100, line));
    // From the panel it goes to the same step, or the nearest that the branch has.
    assert_eq!(apply(&mut session, Command::GoToBranch(2, None)), "branch branch 2");
    arrive(&mut session);
    assert_eq!(session.sim().steps(), 70);
    let gone = apply(&mut session, Command::GoToBranch(9, None));
    assert!(gone.starts_with("refused: there is no such branch"), "{gone}");
}

#[test]
fn the_run_is_shown_beside_the_branch_that_was_chosen_or_left_last() {
    let mut session = with_branches(None);
    let mut hashes = Vec::new();
    for branch in [1, 2, 3] {
        apply(&mut session, Command::GoToBranch(branch, None));
        session.go_to(65);
        arrive(&mut session);
        hashes.push(session.host.sim.state_hash());
    }
    apply(&mut session, Command::Jump(Jump::End));
    arrive(&mut session);
    let beside = |session: &mut Session| {
        assert_eq!(apply(session, Command::ToggleSplit), "split on");
        session.go_to(65);
        arrive(session);
        let twin = session.host.twin.as_ref().expect("a split");
        let hashes = [twin.sim.state_hash(), session.host.sim.state_hash()];
        let names = session.screen.split.as_ref().expect("a split").names.clone();
        assert_eq!(apply(session, Command::ToggleSplit), "split off");
        (hashes, names)
    };
    let (states, names) = beside(&mut session);
    assert_eq!(states, [hashes[1], hashes[2]]);
    assert_eq!(names, ["branch 2", "branch 3"]);
    // Now in the past, where a branch is chosen all the same.
    assert_eq!(apply(&mut session, Command::ChooseBranch(Some(1))), "branch beside branch 1");
    let name = BranchName::new("gentle").unwrap();
    assert_eq!(apply(&mut session, Command::RenameBranch(1, name)), "branch name gentle");
    let taken = apply(&mut session, Command::RenameBranch(2, name));
    assert!(taken.starts_with("refused: \"gentle\" is the name of another"), "{taken}");
    let (states, names) = beside(&mut session);
    assert_eq!(states, [hashes[0], hashes[2]]);
    assert_eq!(names, ["gentle", "branch 3"]);
}

#[test]
fn a_replay_in_the_window_has_the_branches_of_its_journal() {
    let file = MemoryFile::default();
    let journal = JournalWriter::new(Box::new(file.clone())).unwrap();
    let mut session = with_branches(Some(journal));
    session.close_journal();
    let line = session.host.sim.state_hash();
    for is_whole in [true, false] {
        let mut replay = Replay::new(Journal::from_bytes(file.bytes()).unwrap()).unwrap();
        let Ok(RunOrigin::Setup(setup)) = replay.begin() else { panic!("a set-up") };
        let mut other = session_with(setup, 64 * ROOM);
        other.host.playback.begin(Some(replay));
        while other.host.is_replaying() && (is_whole || other.sim().steps() < 50) {
            run(&mut other, FRAME);
        }
        if !is_whole {
            assert!(apply(&mut other, Command::GoToBranch(1, None)).contains("press Esc to leave"));
            apply(&mut other, Command::Cancel);
            run(&mut other, FRAME);
        }
        let events: Vec<_> = other.reports.take_events().iter().map(ToString::to_string).collect();
        let names: Vec<_> =
            other.host.timeline().branches().map(|it| it.name.to_string()).collect();
        if !is_whole {
            assert_eq!(names, ["branch 1"]);
            let why = "branch 2 is gone: the history does not have the place where it parts";
            assert!(events.iter().any(|event| event == why), "{events:?}");
            assert_eq!(other.host.timeline().line().1.as_str(), "branch 4");
            continue;
        }
        assert_eq!(names, ["branch 1", "branch 2"]);
        assert_eq!(other.host.sim.state_hash(), line);
        for branch in [1, 2] {
            let hashes = [&mut session, &mut other].map(|session| {
                apply(session, Command::GoToBranch(branch, None));
                apply(session, Command::Jump(Jump::End));
                arrive(session);
                session.host.sim.state_hash()
            });
            assert_eq!(hashes[0], hashes[1]);
        }
    }
}
