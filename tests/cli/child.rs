//! A program that runs beside the test: its progress, signals to it, and its end.
#![cfg(target_os = "linux")]

use std::{fs, os::unix::fs::MetadataExt, process::Child, thread};

use crate::harness::{Ended, Place, said, works};

/// Waits for an effect of a program, which must not end before.
#[track_caller]
pub(crate) fn wait_until(child: &mut Child, is_so: impl Fn(&Child) -> bool) {
    while !is_so(child) {
        let ended = child.try_wait().expect("its state");
        assert!(ended.is_none(), "it ended before: {ended:?}");
        thread::yield_now();
    }
}

/// Waits until a program has used some more hundredths of a second of CPU time. On a busy machine,
/// wall time passes without progress.
#[track_caller]
pub(crate) fn work(child: &mut Child, ticks: u64) {
    let enough = processor_ticks(child) + ticks;
    wait_until(child, |child| processor_ticks(child) >= enough);
}

/// CPU time of a program in hundredths of a second.
fn processor_ticks(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("it has begun");
    let fields = stat.rsplit(") ").next().expect("what comes after the name");
    fields.split(' ').nth(11).and_then(|ticks| ticks.parse().ok()).expect("ticks")
}

/// Bytes of each file in a folder, and of each without a name that a program writes.
pub(crate) fn sizes(place: &Place, child: &Child) -> impl Iterator<Item = u64> {
    let named: Vec<_> = place.names().iter().map(|name| place.path(name)).collect();
    let handles = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
    let nameless = handles
        .map(|handle| handle.path())
        .filter(|path| fs::metadata(path).is_ok_and(|file| file.is_file() && file.nlink() == 0));
    named.into_iter().chain(nameless).map(|path| fs::metadata(path).map_or(0, |file| file.len()))
}

pub(crate) fn signal(child: &Child, name: &str) {
    works("sh", &["-c", &format!("kill -{name} {}", child.id())]);
}

pub(crate) fn end(child: Child) -> Ended {
    said(child.wait_with_output().expect("it ends"))
}
