//! The shell's limits on memory, and the cores that the process is bound to.
//!
//! Fallback: there are none.

/// The limit on the stack of the main thread, in bytes: `ulimit -s`.
#[cfg(unix)]
pub(in crate::cli) fn stack() -> u64 {
    rlimit::Resource::STACK.get_soft().unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
pub(in crate::cli) fn stack() -> u64 {
    u64::MAX
}

/// The limit on address space, in bytes: `ulimit -v`.
#[cfg(unix)]
pub(in crate::cli) fn address_space() -> u64 {
    rlimit::Resource::AS.get_soft().unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
pub(in crate::cli) fn address_space() -> u64 {
    u64::MAX
}

/// The number of cores that the process may run on, without limits on how long; `None` if the system does not say.
#[cfg(all(target_os = "linux", feature = "mpi"))]
pub(in crate::cli) fn bound_cores() -> Option<usize> {
    let cores = rustix::thread::sched_getaffinity(None).ok()?;
    Some(cores.count() as usize)
}

#[cfg(all(not(target_os = "linux"), feature = "mpi"))]
pub(in crate::cli) fn bound_cores() -> Option<usize> {
    None
}
