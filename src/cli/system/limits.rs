//! The shell's limits on memory.
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
