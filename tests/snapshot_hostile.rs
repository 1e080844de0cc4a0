//! Snapshots that no run has written: cut, flipped, swapped, grown, or with right checksums and
//! wrong contents. Each is refused in one sentence, or restores a run that can be stepped and
//! saved.
//!
//! `JOSTLE_SOAK_SNAPSHOTS` asks for another number of mutations, `JOSTLE_SOAK_SEED` for another
//! seed.

use std::alloc::System;

use jostle::{Scene, Setup, Sim, Snapshot, sim::ContactRecording};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed, TestRunner},
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use xxhash_rust::xxh3::xxh3_64;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Offsets in the header and in the head of a section.
const HEADER: usize = 48;
const LENGTH: usize = 16;
const HEAD: usize = 40;

/// Bytes that restoring a snapshot may allocate beside its memory estimate: a constant, and a
/// number per byte of the snapshot.
const BASE: usize = 4 << 20;
const PER_BYTE: usize = 16;

/// A number from the environment.
fn asked(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Snapshots of every scene, at rest, in motion, and right after agents left.
fn originals() -> Vec<Vec<u8>> {
    let mut originals = Vec::new();
    for scene in Scene::ALL {
        let setup = Setup { spare_agents: 20, ..Setup::with_agents(scene, 120) };
        let mut sim = Sim::new(&setup).expect("the scene can be placed");
        for steps in [30, 400] {
            (0..steps).for_each(|_| sim.step().expect("there is memory"));
            originals.push(sim.snapshot().expect("there is memory").into_bytes());
        }
        sim.remove(&[3, 5, 8]).expect("there is memory");
        originals.push(sim.snapshot().expect("there is memory").into_bytes());
    }
    originals
}

/// A section: its tag, bytes per value, and values.
#[derive(Clone)]
struct Part {
    tag: [u8; 16],
    element: u32,
    count: u64,
    data: Vec<u8>,
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

fn parts(bytes: &[u8]) -> Vec<Part> {
    let (mut parts, mut at) = (Vec::new(), HEADER);
    while at < bytes.len() {
        let element = u64_at(bytes, at + 24) as u32;
        let count = u64_at(bytes, at + 32);
        let size = element as usize * count as usize;
        let data = bytes[at + HEAD..at + HEAD + size].to_vec();
        parts.push(Part {
            tag: bytes[at + 8..at + 24].try_into().expect("a tag"),
            element,
            count,
            data,
        });
        at += HEAD + size.next_multiple_of(8);
    }
    parts
}

/// The parts with right checksums.
fn sealed(original: &[u8], parts: &[Part]) -> Vec<u8> {
    let mut bytes = original[..HEADER].to_vec();
    for part in parts {
        let start = bytes.len();
        bytes.extend([0; 8]);
        bytes.extend(part.tag);
        bytes.extend(part.element.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(part.count.to_le_bytes());
        bytes.extend(&part.data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let sum = xxh3_64(&bytes[start + 8..]);
        bytes[start..start + 8].copy_from_slice(&sum.to_le_bytes());
    }
    let length = bytes.len() as u64;
    bytes[12..LENGTH].copy_from_slice(&(parts.len() as u32).to_le_bytes());
    bytes[LENGTH..LENGTH + 8].copy_from_slice(&length.to_le_bytes());
    let sum = xxh3_64(&bytes[..HEAD]);
    bytes[HEAD..HEADER].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// A mutation of a snapshot: one of the mutations below, and the numbers that it uses.
type Mutation = (u8, u32, u32, u64);

/// Values at the ends of their ranges and beyond.
fn odd(number: u64) -> u64 {
    let floats = [f32::NAN, f32::INFINITY, f32::MAX, -1.0, -0.0, 1e-30].map(f32::to_bits);
    match number % 12 {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => u64::from(u32::MAX) - 1,
        4 => 1 << 31,
        5 => 1 << 40,
        index @ 6..12 => u64::from(floats[index as usize - 6]),
        _ => number,
    }
}

/// Damages bytes that keep their checksums.
fn damage(bytes: &mut Vec<u8>, (kind, one, other, number): Mutation) {
    let at = |number: u32| number as usize % bytes.len().max(1);
    let (from, to) = (at(one).min(at(other)), at(one).max(at(other)));
    match kind % 6 {
        _ if bytes.is_empty() => bytes.push(number as u8),
        0 => bytes[from] ^= 1 << (number % 8),
        1 => bytes.truncate(from),
        2 => bytes[from..to.min(from + 64)].fill(number as u8),
        3 => bytes.extend((0..one % 100).map(|n| n as u8)),
        4 => bytes.swap(from, to),
        _ => drop(bytes.drain(from..to.min(from + 16))),
    }
}

/// Changes contents that get right checksums.
fn forge(parts: &mut Vec<Part>, (kind, one, other, number): Mutation) {
    let count = parts.len();
    let Some(part) = parts.get_mut(one as usize % count.max(1)) else { return };
    let size = part.element as usize;
    let values = part.data.len() / size;
    match kind % 11 {
        // Changes a value by a little, or to another one of the section: most are in their range.
        9 | 10 if size > 1 && values > 0 => {
            let (at, other) = (other as usize % values * size, number as usize % values * size);
            let mut value = [0; 8];
            value[..size].copy_from_slice(&part.data[other..other + size]);
            let more = if kind % 11 == 9 { 0 } else { number % 9 };
            let value = u64::from_le_bytes(value).wrapping_add(more);
            part.data[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        }
        // Changes a value, or all values from one on.
        0..=2 if size > 1 && values > 0 => {
            let from = other as usize % values;
            let until = if kind % 11 == 2 { values } else { from + 1 };
            let odd = if kind % 11 == 1 { number } else { odd(number) };
            for value in part.data[from * size..until * size].chunks_exact_mut(size) {
                value.copy_from_slice(&odd.to_le_bytes()[..size]);
            }
        }
        // Changes a byte of text, or of small values.
        0..=2 if values > 0 => part.data[other as usize % values] = number as u8,
        // Changes a number in a line of text.
        3 | 4 if size == 1 => {
            let text = String::from_utf8_lossy(&part.data).into_owned();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            if lines.is_empty() {
                return;
            }
            let line = other as usize % lines.len();
            let key = lines[line].split(" = ").next().unwrap_or_default().to_owned();
            let texts =
                ["none", "NaN", "inf", "-1", "1e38", "0", "true", "1 2", "99999999999999999999"];
            let value = match number % 3 {
                0 => odd(number / 3).to_string(),
                1 => texts[number as usize / 3 % texts.len()].to_owned(),
                _ => (number >> 40).to_string(),
            };
            lines[line] = format!("{key} = {value}");
            part.data = (lines.join("\n") + "\n").into_bytes();
            part.count = part.data.len() as u64;
        }
        3 | 4 => part.data.rotate_left(other as usize % values.max(1) * size),
        5 => {
            part.count = u64::from(other) % (values as u64 + 1);
            part.data.truncate(part.count as usize * size);
        }
        6 => drop(parts.remove(one as usize % count)),
        7 => {
            let other = other as usize % count;
            let tag = parts[other].tag;
            parts[other].tag = std::mem::replace(&mut parts[one as usize % count].tag, tag);
        }
        // The sections in another order mean the same.
        _ => parts.swap(one as usize % count, other as usize % count),
    }
}

/// Checks that bytes are refused in one sentence, or restored, stepped and saved.
fn check(bytes: &[u8]) -> Result<bool, TestCaseError> {
    let region = Region::new(ALLOCATOR);
    let snapshot = Snapshot::from_bytes(bytes.to_vec());
    let stated = snapshot.as_ref().map_or(0, |snapshot| {
        // A refused snapshot allocates nothing.
        Sim::memory_to_restore(snapshot).unwrap_or(0)
    });
    let restored = snapshot.and_then(|snapshot| Sim::restore(&snapshot));
    let allocated = region.change().bytes_allocated;
    let allowed = BASE + PER_BYTE * bytes.len();
    prop_assert!(
        allocated as u64 <= stated.saturating_add(allowed as u64),
        "{} MB for {} bytes that are said to take {} MB",
        allocated >> 20,
        bytes.len(),
        stated >> 20
    );
    match restored {
        Err(error) => {
            let sentence = error.to_string();
            let is_one = !sentence.is_empty() && !sentence.contains('\n') && sentence.len() < 300;
            prop_assert!(is_one, "{sentence}");
            Ok(false)
        }
        Ok(mut sim) => {
            sim.record_contacts(ContactRecording::EveryStep);
            // A thousand substeps are valid, and take as long as they take.
            for _ in 0..60 / sim.setup().substeps_per_step() {
                // Memory may run out if many discs touch, but nothing may panic.
                if sim.step().is_err() {
                    return Ok(true);
                }
            }
            prop_assert!(sim.snapshot().is_ok());
            Ok(true)
        }
    }
}

/// A run with room for that many agents that has some hundred of them: the room is stated, and the
/// file is small.
fn with_room(bytes: &[u8], parts: &[Part], room: u64) -> Vec<u8> {
    let mut parts = parts.to_vec();
    let run = parts.iter_mut().find(|part| part.tag.starts_with(b"run\0")).expect("the run");
    let text = String::from_utf8(run.data.clone()).expect("text");
    let roomy = text.lines().map(|line| match line.split_once(" = ") {
        Some((key @ ("capacity" | "next_id"), _)) => format!("{key} = {room}\n"),
        _ => format!("{line}\n"),
    });
    run.data = roomy.collect::<String>().into_bytes();
    run.count = run.data.len() as u64;
    sealed(bytes, &parts)
}

#[test]
fn mutated_snapshots_are_refused_or_restore_a_run() {
    let originals = originals();
    let split: Vec<_> = originals.iter().map(|bytes| parts(bytes)).collect();
    for (bytes, parts) in originals.iter().zip(&split) {
        assert!(sealed(bytes, parts) == *bytes, "the test writes the format");
        assert!(matches!(check(bytes), Ok(true)), "the originals are restored");
        assert_eq!(
            check(&with_room(bytes, parts, 1_000_000)).map_err(|error| error.to_string()),
            Ok(true)
        );
    }
    let mutation = || (any::<u8>(), any::<u32>(), any::<u32>(), any::<u64>());
    let cases = asked("JOSTLE_SOAK_SNAPSHOTS", 10_000) as u32;
    let mut runner = TestRunner::new(Config {
        cases,
        rng_seed: RngSeed::Fixed(asked("JOSTLE_SOAK_SEED", 17)),
        failure_persistence: None,
        ..Config::default()
    });
    let strategy = (any::<u16>(), any::<bool>(), prop::collection::vec(mutation(), 1..3));
    let restored = std::cell::Cell::new(0_u32);
    let outcome = runner.run(&strategy, |(original, sealing, mutations)| {
        let original = usize::from(original) % originals.len();
        let bytes = if sealing {
            let mut parts = split[original].clone();
            for mutation in mutations {
                forge(&mut parts, mutation);
            }
            sealed(&originals[original], &parts)
        } else {
            let mut bytes = originals[original].clone();
            for mutation in mutations {
                damage(&mut bytes, mutation);
            }
            bytes
        };
        let unchanged = bytes == originals[original];
        let was_restored = check(&bytes)?;
        prop_assert!(sealing || was_restored == unchanged, "a checksum finds every damage");
        restored.set(restored.get() + u32::from(was_restored));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let share = f64::from(restored.get()) / f64::from(cases);
    assert!((0.02..0.6).contains(&share), "both are tested: {share} were restored");
}

/// The memory of the stated room is weighed before any of it is taken: reading a small file takes a
/// small part of a gigabyte, or is refused.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_states_much_room_is_refused_before_it_takes_memory() {
    let bytes = originals().swap_remove(0);
    let forged = with_room(&bytes, &parts(&bytes), 10_000_000);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.jostle"), forged).expect("a file");
    for command in ["info", "run --threads 1 --steps 1 --load"] {
        let script =
            format!("ulimit -v 600000 && exec {} {command} a.jostle", env!("CARGO_BIN_EXE_jostle"));
        let mut shell = std::process::Command::new("sh");
        let ended =
            shell.args(["-c", &script]).current_dir(folder.path()).output().expect("a shell");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{command}: {said}");
        let begins = "jostle: a.jostle can't be loaded: its run of gas has room for 10,000,000 agents \
                      and would take ";
        assert!(said.starts_with(begins) && said.lines().count() == 1, "{command}: {said}");
    }
}
