//! The heap of a window that stays open for hours and changes runs.
//!
//! glibc maps large blocks on their own and returns them to the system, until the first is freed: from
//! then on it keeps blocks of that size, up to 32 MiB, and they leave holes. After ten minutes of
//! changes of scene and size the window took 195 MB instead of 50. The threshold stays where it is only
//! if it is set, which without `unsafe` takes an environment variable, which glibc reads at the start
//! of a process.

use std::{env, os::unix::process::CommandExt, process::Command};

/// The variable, and the threshold that glibc begins with, bytes.
const THRESHOLD: (&str, &str) = ("MALLOC_MMAP_THRESHOLD_", "131072");

/// Starts the program again in this process, with a threshold that stays. Goes on without one where
/// that fails, and returns at once in the program that was started.
pub(super) fn keep_threshold() {
    let (name, bytes) = THRESHOLD;
    if cfg!(not(target_env = "gnu")) || env::var_os(name).is_some() {
        return;
    }
    let mut words = env::args_os();
    if let (Ok(program), Some(called)) = (env::current_exe(), words.next()) {
        // Returns only if it fails.
        let _ = Command::new(program).arg0(called).args(words).env(name, bytes).exec();
    }
}
