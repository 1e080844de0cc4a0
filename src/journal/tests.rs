//! Journals as bytes: what is written comes back, and what is damaged is refused.

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use glam::Vec2;
use proptest::prelude::*;

use super::{
    Due, Journal, JournalView, JournalWriter, Replay, RunOrigin,
    reader::{JournalEntry, JournalEvent, Place},
};
use crate::{
    agents::Spawn,
    geometry::Rect,
    program::ProgramError,
    rng::Rng,
    scene::{Collisions, Scene, Setup},
    sim::{Edit, Sim},
    statics::Static,
};

/// A file in memory.
#[derive(Clone, Default)]
pub(crate) struct MemoryFile(Arc<Mutex<Vec<u8>>>);

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MemoryFile {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

fn setup(scene: Scene) -> Setup {
    Setup { agents: 300, spare_agents: 100, spare_statics: 10, ..Setup::new(scene) }
}

/// Every kind of edit, with odd numbers.
fn edits(sim: &Sim) -> Vec<Edit> {
    let world = sim.world();
    let (center, corner) = (world.center(), world.min + 2.0);
    let (third, tiny) = (1.0 / 3.0, f32::MIN_POSITIVE);
    let walls = vec![
        Static::disc(corner, 1.0 + third),
        Static::Box(Rect::new(center, center + Vec2::new(third, 2.0))),
        Static::capsule([center, center + Vec2::new(third, -2.0)], third),
    ];
    vec![
        Edit::AddStatics(walls),
        Edit::Restitution(0.1 + 0.2),
        Edit::Friction(third),
        Edit::Rolling(third),
        Edit::Steer(center, 20.0 * third, -7.3),
        Edit::Gravity(-third),
        Edit::Spawn(vec![
            Spawn::new(corner + 5.0, Vec2::new(tiny, -0.0), 0.5 + third / 10.0).with_faction(1),
            Spawn::new(corner + 9.0, Vec2::splat(-third), 0.5).with_health(7),
        ]),
        Edit::Spawn(vec![Spawn::new(corner + 13.0, Vec2::ZERO, 0.5).with_species(200)]),
        Edit::ScaleSpeeds(1.1),
        Edit::Remove(vec![3, 250, 301]),
        Edit::RemoveStatics(sim.statics().iter().map(|(id, _)| id).take(1).collect()),
        Edit::Gravity(0.0),
        Edit::Position(20, corner + 7.0 * third),
        Edit::Velocity(21, Vec2::new(-tiny, 3.0 * third)),
        Edit::Force(22, Vec2::new(-third, 40.0)),
    ]
}

/// Runs with an edit every few steps; returns the journal, and the last run.
fn recorded() -> (Vec<u8>, Sim) {
    let file = MemoryFile::default();
    let mut writer = JournalWriter::new(Box::new(file.clone())).unwrap();
    let mut last = None;
    for scene in [Scene::Gas, Scene::Pile] {
        let mut sim = Sim::new(&setup(scene)).unwrap();
        let edits = edits(&sim);
        writer.begin(sim.setup(), None).unwrap();
        for step in 0..130 {
            if step % 10 == 5 {
                let edit = &edits[step / 10 % edits.len()];
                sim.apply(edit).unwrap();
                writer.edit(sim.steps(), edit);
            }
            if step % 9 == 3 {
                let part = JournalView::Part(Vec2::new(step as f32 / 3.0, -0.1), 1.0 / 3.0);
                writer.view(sim.steps(), if step % 2 == 0 { JournalView::Whole } else { part });
            }
            sim.step().unwrap();
            writer.stepped(&sim);
            if step == 70 {
                writer.end(sim.steps()).unwrap();
                writer.begin(sim.setup(), Some(&sim.snapshot().unwrap())).unwrap();
            }
        }
        writer.end(sim.steps()).unwrap();
        last = Some(sim);
    }
    let last = last.unwrap();
    writer.close(&last).unwrap();
    drop(writer);
    (file.bytes(), last)
}

/// Replays a journal, and returns its last run.
fn replayed(journal: Journal) -> Result<Sim, String> {
    let begun = |origin| {
        let sim = match origin {
            RunOrigin::Setup(setup) => Sim::new(&setup),
            RunOrigin::Snapshot(snapshot) => Sim::restore(&snapshot),
        };
        sim.map_err(|error| error.to_string())
    };
    let text = |error: ProgramError| error.to_string();
    let mut replay = Replay::new(journal).map_err(text)?;
    let mut sim = begun(replay.begin().map_err(text)?)?;
    loop {
        match replay.due(&mut sim, |_, _| ()).map_err(text)? {
            Due::Step => sim.step().map_err(|error| error.to_string())?,
            Due::Begin(origin) => sim = begun(origin)?,
            Due::Nothing => return Ok(sim),
            Due::Differs(difference) => return Err(difference.to_string()),
        }
    }
}

#[test]
fn a_replay_makes_the_same_changes_at_the_same_steps() {
    let (bytes, last) = recorded();
    let journal = Journal::from_bytes(bytes).unwrap();
    let summary = journal.summary();
    assert_eq!(summary.runs, [71, 130, 71, 130]);
    assert!(summary.closed);
    assert_eq!(summary.to_string(), "4 runs, 26 changes and 5 compared states");
    let sim = replayed(journal).unwrap();
    assert_eq!(sim.state_hash(), last.state_hash());
    assert_eq!(sim.snapshot().unwrap().into_bytes(), last.snapshot().unwrap().into_bytes());
}

/// A change of any kind; gravity and friction are switched off and on most often, since they choose
/// the solver.
fn random_edit(sim: &Sim, rng: &mut Rng) -> Edit {
    let world = sim.world();
    let unit = Vec2::new(rng.unit(), rng.unit());
    let place = world.min + 1.0 + unit * (world.size() - 2.0);
    match rng.below(12) {
        0..3 => Edit::Gravity([0.0, 0.0, 10.0, -10.0][rng.below(4) as usize]),
        9 if sim.setup().friction > 0.0 => Edit::Rolling([0.0, 0.2][rng.below(2) as usize]),
        10.. => Edit::Friction([0.0, 0.0, 0.3, 1.0][rng.below(4) as usize]),
        3 => Edit::Restitution(rng.unit()),
        4 => Edit::Steer(place, 4.0, 20.0 * rng.unit() - 10.0),
        5 if sim.capacity_left() > 0 => Edit::Spawn(vec![Spawn::new(place, Vec2::ZERO, 0.6)]),
        6 => Edit::Remove(vec![rng.below(200)]),
        7 if sim.statics().len() < 9 => Edit::AddStatics(vec![
            Static::disc(place, 0.8),
            Static::capsule([place, place + 0.7], 0.1),
        ]),
        7 => Edit::RemoveStatics(sim.statics().iter().map(|(id, _)| id).take(2).collect()),
        _ => Edit::ScaleSpeeds(0.5 + rng.unit()),
    }
}

/// No solver reads what another has left in the lists that they share.
#[test]
fn a_run_that_changes_its_solver_is_the_same_measured_cloned_restored_and_replayed() {
    let base = |scene, steps, changes: fn(&mut Setup)| {
        let mut setup =
            Setup { agents: 200, spare_agents: 50, spare_statics: 10, ..Setup::new(scene) };
        changes(&mut setup);
        let mut sim = Sim::new(&setup).unwrap();
        (0..steps).for_each(|_| sim.step().unwrap());
        sim
    };
    let bases = [
        base(Scene::Pile, 900, |_| ()),
        base(Scene::Pile, 900, |setup| setup.sleep = false),
        base(Scene::Pile, 60, |setup| setup.density = 0.3),
        base(Scene::Pile, 300, |setup| setup.friction = 0.5),
        base(Scene::Gas, 600, |setup| setup.gravity = 30.0),
        base(Scene::Gas, 20, |setup| setup.collisions = Collisions::Swept),
        base(Scene::Dam, 300, |_| ()),
    ];
    let mut rng = Rng::new(3);
    for sequence in 0..28 {
        let base = &bases[sequence % bases.len()];
        let file = MemoryFile::default();
        let mut writer = JournalWriter::new(Box::new(file.clone())).unwrap();
        writer.begin(base.setup(), Some(&base.snapshot().unwrap())).unwrap();
        let mut run = base.clone();
        let (mut measured, mut cloned, mut restored) = (run.clone(), run.clone(), run.clone());
        for step in 0..50 {
            if rng.below(5) == 0 {
                let edit = random_edit(&run, &mut rng);
                // An edit that is refused changes nothing, in any of the runs.
                let done = run.apply(&edit).is_ok();
                for sim in [&mut measured, &mut cloned, &mut restored] {
                    assert_eq!(sim.apply(&edit).is_ok(), done, "{edit:?}");
                }
                if done {
                    writer.edit(run.steps(), &edit);
                }
            }
            measured.measure().unwrap();
            if rng.below(4) == 0 {
                cloned = cloned.clone();
            }
            if rng.below(4) == 0 {
                restored = Sim::restore(&restored.snapshot().unwrap()).unwrap();
            }
            run.step().unwrap();
            writer.stepped(&run);
            for sim in [&mut measured, &mut cloned, &mut restored] {
                sim.step().unwrap();
            }
            let hashes = [&measured, &cloned, &restored].map(Sim::state_hash);
            assert_eq!(hashes, [run.state_hash(); 3], "sequence {sequence}, step {step}");
        }
        writer.close(&run).unwrap();
        drop(writer);
        let replayed = replayed(Journal::from_bytes(file.bytes()).unwrap()).unwrap();
        assert_eq!(replayed.state_hash(), run.state_hash(), "sequence {sequence}");
    }
}

#[test]
fn edits_keep_every_bit_as_lines() {
    let sim = Sim::new(&setup(Scene::Melee)).unwrap();
    let file = MemoryFile::default();
    let mut writer = JournalWriter::new(Box::new(file.clone())).unwrap();
    writer.begin(sim.setup(), None).unwrap();
    let edits = edits(&sim);
    for edit in &edits {
        writer.edit(7, edit);
    }
    writer.end(7).unwrap();
    let journal = Journal::from_bytes(file.bytes()).unwrap();
    let (mut place, mut read) = (Place::default(), Vec::new());
    while let Some(entry) = journal.next(&mut place).unwrap() {
        if let JournalEntry::After(7, JournalEvent::Edit(edit)) = entry {
            read.push(edit);
        }
    }
    assert_eq!(read, edits);
    // Also the sign of zero.
    assert_eq!(format!("{read:?}"), format!("{edits:?}"));
}

#[test]
fn another_state_is_found_at_the_first_hash() {
    let mut sim = Sim::new(&setup(Scene::Gas)).unwrap();
    let file = MemoryFile::default();
    let mut writer = JournalWriter::new(Box::new(file.clone())).unwrap();
    writer.begin(sim.setup(), None).unwrap();
    for step in 0..300 {
        if step == 150 {
            // Not in the journal.
            sim.steer(sim.world().center(), 10.0, 5.0).unwrap();
        }
        sim.step().unwrap();
        writer.stepped(&sim);
    }
    writer.close(&sim).unwrap();
    let differs = replayed(Journal::from_bytes(file.bytes()).unwrap()).unwrap_err();
    let expected =
        "the run differs from its journal after step 180; after step 120 it was the same";
    assert_eq!(differs, expected);
}

#[test]
fn a_journal_that_is_cut_off_is_whole_up_to_there() {
    let (bytes, _) = recorded();
    let whole = Journal::from_bytes(bytes.clone()).unwrap().summary().clone();
    let mut entries = 0;
    for length in (0..bytes.len()).step_by(101) {
        match Journal::from_bytes(bytes[..length].to_vec()) {
            Ok(journal) => {
                let summary = journal.summary();
                assert!(!summary.closed && summary.runs.len() <= whole.runs.len());
                assert!(summary.edits + summary.hashes >= entries, "{length}: entries are lost");
                entries = summary.edits + summary.hashes;
                assert!(replayed(journal).is_ok(), "{length}");
            }
            Err(error) => assert!(length < 700, "{length}: {error}"),
        }
    }
    assert!(entries > 10);
}

#[test]
fn sections_have_their_places() {
    let (bytes, _) = recorded();
    let journal = |bytes: &[u8]| Journal::from_bytes(bytes.to_vec()).map(drop);
    let message = |bytes: &[u8]| journal(bytes).unwrap_err().to_string();
    assert!(journal(&bytes).is_ok());
    // The head of the first section says how long it is.
    let at = |offset: usize| u64::from_le_bytes(bytes[offset..offset + 8].try_into().unwrap());
    let end = |start: usize| (start + 40 + at(start + 32) as usize).next_multiple_of(8);
    let (first, second) = (48, end(48));
    let without_first = [&bytes[..first], &bytes[second..]].concat();
    assert!(message(&without_first).contains("is not in its place"));
    let twice = [&bytes[..second], &bytes[first..]].concat();
    assert!(message(&twice).contains("is not in its place"));
    let mut flipped = bytes.clone();
    flipped[second + 45] ^= 1;
    assert!(message(&flipped).contains("checksum of lines"), "{}", message(&flipped));
    assert!(message(b"jostle\r\n").contains("does not begin as a journal"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_500))]

    /// Flipped, cut, grown and swapped bytes: refused in one sentence, or a journal that is whole
    /// up to a place near its end.
    #[test]
    fn mutated_journals_are_refused_or_whole(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        swap in prop::option::of([any::<prop::sample::Index>(), any::<prop::sample::Index>()]),
        more in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        static JOURNAL: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| recorded().0);
        let mut bytes = JOURNAL.clone();
        for (place, flip) in flips {
            let place = place.index(bytes.len());
            bytes[place] ^= flip;
        }
        if let Some([one, other]) = swap {
            let (one, other) = (one.index(bytes.len() / 8), other.index(bytes.len() / 8));
            for byte in 0..8 {
                bytes.swap(one * 8 + byte, other * 8 + byte);
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes.extend(more);
        match Journal::from_bytes(bytes.clone()) {
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
            Ok(journal) => {
                let [length, cut] = journal.bytes();
                let kept = length - cut;
                prop_assert_eq!(&bytes[..kept], &JOURNAL[..kept], "what is read was written so");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Lines with right checksums that no window would write.
    #[test]
    fn forged_lines_are_refused_or_replayed(lines in prop::collection::vec(line(), 1..12)) {
        let file = MemoryFile::default();
        let mut to = crate::snapshot::SeriesWriter::new(file.clone()).unwrap();
        let setup = Setup { agents: 20, spare_agents: 5, spare_statics: 2, ..setup(Scene::Gas) };
        to.section(super::SETUP, setup.to_text().as_bytes()).unwrap();
        to.section(super::LINES, lines.join("\n").as_bytes()).unwrap();
        let outcome = Journal::from_bytes(file.bytes()).map_err(|error| error.to_string());
        if let Err(sentence) = outcome.and_then(replayed) {
            prop_assert!(!sentence.contains('\n'), "{sentence}");
        }
    }
}

/// The first words of lines.
const NAMES: [&str; 27] = [
    "restitution",
    "friction",
    "gravity",
    "scale_speeds",
    "steer",
    "spawn",
    "remove",
    "add_statics disc",
    "add_statics box",
    "remove_statics",
    "position",
    "velocity",
    "force",
    "state",
    "hash",
    "reached",
    "rewound",
    "branch a",
    "branch b",
    "line a",
    "line branch%201",
    "renamed a",
    "dropped a",
    "rewound 0",
    "closed",
    "",
    "other",
];

fn line() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<f32>().prop_map(|number| number.to_string()),
        (-20.0..20.0_f32).prop_map(|number| number.to_string()),
        (0..30_u32).prop_map(|number| number.to_string()),
    ];
    let name = prop::sample::select(&NAMES[..]);
    (0..40_u64, name, prop::collection::vec(number, 0..8))
        .prop_map(|(step, name, numbers)| format!("{step} {name} {}", numbers.join(" ")))
}
