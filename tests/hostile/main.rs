//! Random command lines, and runs that end at random moments: no panic, no hang, no unknown status,
//! no file lost or left behind, and no remedy that is refused.
//!
//! A few cases with a fixed seed here; `scripts/soak.sh` asks for thousands with any seed:
//!
//! | variable | meaning |
//! |---|---|
//! | `JOSTLE_SOAK_LINES` | number of command lines |
//! | `JOSTLE_SOAK_ENDS` | number of kills, and number of each other signal |
//! | `JOSTLE_SOAK_SEED` | seed of all cases |
#![cfg(target_os = "linux")]

#[path = "../cli/harness.rs"]
#[allow(dead_code)]
mod harness;

mod ends;
mod line;
mod lines;
mod program;
mod remedy;

use proptest::test_runner::{Config, RngSeed, TestRunner};

/// A number from the environment.
fn asked(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Runs `count` cases, the same cases for the same seed.
fn runner(cases: u64) -> TestRunner {
    TestRunner::new(Config {
        cases: cases as u32,
        rng_seed: RngSeed::Fixed(asked("JOSTLE_SOAK_SEED", 17)),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    })
}
