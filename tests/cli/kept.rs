//! Files that earlier versions wrote, in `tests/kept`: later versions read them, and come to the
//! same bits. A new format adds files and changes none. A change that moves golden hashes moves the
//! hashes here, too.

use crate::harness::{Place, parse};

/// Snapshots after 240 steps of 60 agents, format 1, and the state hash 100 steps later.
const SNAPSHOTS: [(&str, &str); 5] = [
    ("gas", "d03b40c0d49dcd20"),
    ("pile", "4c690c21e1fd55f0"),
    ("melee", "ed4b51692a2f5de7"),
    ("dam", "c23fa056616d1e9c"),
    ("cannon", "ec050dadead9f81d"),
];

fn kept(name: &str) -> String {
    format!("{}/tests/kept/{name}.jostle", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn kept_snapshots_continue_with_the_same_bits() {
    let place = Place::new();
    for (scene, hash) in SNAPSHOTS {
        let file = kept(scene);
        let info = place.jostle(&format!("info {file} --json"));
        let info = parse(&info.stdout);
        assert_eq!((&info["format"], &info["steps"]), (&1.into(), &240.into()), "{scene}");
        let run = place.jostle(&format!("run --load {file} --steps 100 --json"));
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_eq!(parse(&run.stdout)["state_hash"], hash, "{scene}");
    }
}

/// Two runs in a window with poke, spawn, wall, erase, undo and a rewind.
#[test]
fn a_kept_journal_replays_to_the_same_states() {
    let place = Place::new();
    let run = place.jostle(&format!("run --replay {}", kept("played")));
    assert_eq!(run.status, Some(0), "{run:?}");
    let told = "replayed 2 runs, 73 changes and 10 compared states: all the same";
    assert!(run.stderr.contains(told), "{run:?}");
}
