//! Half a million agents of every scene: the times of a snapshot and of its file, and the restored
//! run, which continues bit for bit.
//!
//! ```text
//! cargo test --release --test snapshot large -- --ignored --nocapture
//! ```

use std::{
    fs::{self, File},
    io::Write,
    time::{Duration, Instant},
};

use jostle::{Scene, Sim, Snapshot, simd::SimdLevel};

use crate::{advance, continues::assert_same, pool, run};

const AGENTS: u32 = 500_000;

/// Steps before the snapshot, and steps that the restored run is compared for.
const BEFORE: u64 = 20;
const AFTER: u64 = 200;

/// Repeats of each measurement: the fastest counts, since other programs only slow it down.
const REPEATS: usize = 5;

/// The fastest of some calls, and what the last one returned.
fn fastest<T>(mut call: impl FnMut() -> T) -> (Duration, T) {
    let mut timed = || {
        let clock = Instant::now();
        let value = call();
        (clock.elapsed(), value)
    };
    let (mut least, mut value) = timed();
    for _ in 1..REPEATS {
        drop(value);
        let (time, next) = timed();
        (least, value) = (least.min(time), next);
    }
    (least, value)
}

/// Prints the time of each part of saving and loading; returns the run that the file restores.
fn measure(sim: &Sim) -> Sim {
    let path = std::env::temp_dir().join(format!("jostle-large-{}.jostle", std::process::id()));
    let (first, snapshot) = fastest(|| sim.snapshot().expect("there is memory"));
    let mut bytes = snapshot.into_bytes();
    let mut again = Duration::MAX;
    for _ in 0..REPEATS {
        let clock = Instant::now();
        bytes = sim.snapshot_in(bytes).expect("there is memory").into_bytes();
        again = again.min(clock.elapsed());
    }
    let (written, file) = fastest(|| {
        let mut file = File::create(&path).expect("a file");
        file.write_all(&bytes).expect("a disk with room");
        file
    });
    let clock = Instant::now();
    file.sync_all().expect("a disk");
    let synced = clock.elapsed();
    let (read, bytes) = fastest(|| fs::read(&path).expect("the file"));
    fs::remove_file(&path).expect("the file");
    let size = bytes.len() as f64 / 1e6;
    let mut copies: Vec<_> = (0..REPEATS).map(|_| bytes.clone()).collect();
    let (checked, snapshot) = fastest(|| {
        Snapshot::from_bytes(copies.pop().expect("a copy")).expect("the bytes that were written")
    });
    let (restored, twin) =
        fastest(|| Sim::restore(&snapshot).expect("the snapshot belongs to a run"));
    let times = [first, again, written, synced, read, checked, restored];
    print!("{:8} {size:6.1}", sim.setup().scene.name());
    for time in times {
        print!(" {:8.1}", time.as_secs_f64() * 1e3);
    }
    println!();
    twin
}

#[test]
#[ignore = "a measurement of some minutes"]
fn half_a_million_agents() {
    println!("{AGENTS} agents, 2 threads; MB, and ms of the fastest of {REPEATS}, of one sync");
    print!("scene        MB");
    for part in ["new", "again", "write", "sync", "read", "check", "restore"] {
        print!(" {part:>8}");
    }
    println!();
    for scene in Scene::ALL {
        let mut sim = pool(2).install(|| {
            let mut sim = run(scene, AGENTS);
            advance(&mut sim, BEFORE);
            sim
        });
        let mut twin = pool(2).install(|| measure(&sim));
        twin.set_simd(SimdLevel::SCALAR);
        for round in 1..=4 {
            pool(1).install(|| advance(&mut twin, AFTER / 4));
            pool(2).install(|| advance(&mut sim, AFTER / 4));
            assert_same(&twin, &sim, &format!("{scene}, {} steps later", round * AFTER / 4));
        }
    }
}
