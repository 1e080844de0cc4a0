//! The heap of a window that stays open for hours and changes runs.
//!
//! glibc maps large blocks on their own and returns them to the system, until the first is freed: from
//! then on it keeps blocks of that size, up to 32 MiB, and they leave holes. After ten minutes of
//! changes of scene and size the window took 195 MB instead of 50. A history of small runs left
//! 16 MB of holes, as its moments were not mapped on their own. It also gives each thread an arena of
//! its own, which keeps what its thread has freed. Both are set by environment variables, which glibc
//! reads at the start of a process; there is no other way without `unsafe`.

use super::system::process;

/// The variables: from how many bytes on blocks are mapped on their own, the smallest snapshot among
/// them; and one arena for all threads. No step and no draw allocates, so neither costs time.
const SETTINGS: [(&str, &str); 2] =
    [("MALLOC_MMAP_THRESHOLD_", "16384"), ("MALLOC_ARENA_MAX", "1")];

/// Starts the program again in this process, with these settings. Goes on without them where that
/// fails, and returns at once in the program that was started.
pub(super) fn limit_kept_memory() {
    if cfg!(target_env = "gnu") {
        process::restart_with(&SETTINGS);
    }
}
