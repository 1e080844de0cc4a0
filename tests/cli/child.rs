//! A program that runs while the test does: how much it has done, signals to it, and its end.
#![cfg(target_os = "linux")]

use std::{fs, process::Child, thread};

use crate::harness::{Ended, said, works};

/// Waits until something is so that a program does, which is not to end before.
#[track_caller]
pub(crate) fn wait_until(child: &mut Child, is_so: impl Fn(&Child) -> bool) {
    while !is_so(child) {
        let ended = child.try_wait().expect("its state");
        assert!(ended.is_none(), "it has ended before: {ended:?}");
        thread::yield_now();
    }
}

/// Waits until it has worked for so many hundredths of a second more: seconds pass on a busy machine in which a
/// program does nothing.
#[track_caller]
pub(crate) fn work(child: &mut Child, ticks: u64) {
    let enough = processor_ticks(child) + ticks;
    wait_until(child, |child| processor_ticks(child) >= enough);
}

/// Hundredths of a second that it has worked.
fn processor_ticks(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("it has begun");
    let fields = stat.rsplit(") ").next().expect("what comes after the name");
    fields.split(' ').nth(11).and_then(|ticks| ticks.parse().ok()).expect("ticks")
}

pub(crate) fn signal(child: &Child, name: &str) {
    works("sh", &["-c", &format!("kill -{name} {}", child.id())]);
}

pub(crate) fn end(child: Child) -> Ended {
    said(child.wait_with_output().expect("it ends"))
}
