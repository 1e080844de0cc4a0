//! Files that earlier versions wrote, in `tests/kept`: later versions read them, and come to the
//! same bits. A new format adds files and changes none. A change that moves golden hashes moves the
//! hashes here, too.

use crate::harness::{Place, parse};

/// Snapshots after 240 steps of 60 agents, format 1, and the state hash 100 steps later.
const SNAPSHOTS: [(&str, &str); 5] = [
    ("gas", "29b1a3553b35c50e"),
    ("pile", "1c0ee8571358c9c4"),
    ("melee", "f49e18b8eaa4df73"),
    ("dam", "4426f66ecfa723cb"),
    ("cannon", "9db5e773742ea12c"),
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

/// Two runs in a window with poke, spawn, wall, erase, undo and a rewind: as they were written, with
/// state hashes of the former definition, and with hashes of today's.
#[test]
fn kept_journals_replay_to_the_same_states() {
    let place = Place::new();
    let replayed = |name, told: &str| {
        let run = place.jostle(&format!("run --json --replay {}", kept(name)));
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(run.stderr.contains(told), "{run:?}");
        parse(&run.stdout)["state_hash"].clone()
    };
    let all = "replayed 2 runs, 73 changes and 10 compared states: all the same";
    let former = "73 changes and 0 compared states; its hashes were made before the state hash was \
                  redefined, and are not compared\n";
    assert_eq!(replayed("played", former), replayed("compared", all));
    let [played, compared] = ["played", "compared"].map(kept);
    let verified = place.jostle(&format!("verify {played} {compared}"));
    assert_eq!(verified.status, Some(0), "{verified:?}");
    let info = place.jostle(&format!("info {played}"));
    assert!(info.stdout.contains("0 states; its hashes were made before"), "{info:?}");
}
