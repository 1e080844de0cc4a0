//! Can it run here? Whether a set-up can be used, and whether there is memory for it, before any of it is claimed.

use std::iter;

use crate::{Error, Result, Setup, estimate, index::IndexKind};
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, RefreshKind, System};

use super::format;

/// What the program takes before the first agent: code, stacks, what clap and the pool keep.
const BASE: u64 = 16 << 20;

/// Address space that a thread reserves, most of it never used: its stack, and where its allocator
/// takes small pieces from.
const THREAD: u64 = 66 << 20;

/// Bytes an agent that an index takes, beside its cells.
const INDEX: f64 = 64.0;

/// Bytes a cell of an index that has all cells of the world: a head and a box, and a mark.
const CELL: f64 = 28.0;

/// Cells an agent that an index has at most, however empty the world.
const CELLS_MAX: f64 = 64.0;

/// Bytes an agent that an index is lent in a run, and a pair that it finds.
const LENT: f64 = 17.0;
const PAIR: f64 = 8.0;

/// Refuses a set-up that can't be used, or doesn't fit with `frame` bytes of pictures and that many threads beside
/// it.
///
/// # Errors
/// [`Error::Memory`] with both figures, and with a number of agents that would do if there is one; or as
/// [`Setup::validate`].
#[cfg(feature = "window")]
pub(super) fn check(setup: &Setup, frame: u64, threads: usize) -> Result<()> {
    check_with(setup, &|_| frame, threads)
}

/// Refuses a set-up that can't be used, or doesn't fit with what `beside` says of bytes beside it.
///
/// # Errors
/// As [`check`].
pub(super) fn check_with(
    setup: &Setup,
    beside: &dyn Fn(&Setup) -> u64,
    threads: usize,
) -> Result<()> {
    let takes =
        |setup: &Setup| estimate::bytes(setup).saturating_add(beside(setup)).saturating_add(BASE);
    let invalid = setup.validate().err();
    // Agents that don't even fit as the scene itself would have them are too many, whatever else is wrong.
    let weighed = match invalid {
        Some(_) => &Setup::with_agents(setup.scene, setup.agents),
        None => setup,
    };
    let (needed, available) = (takes(weighed), available(threads));
    if needed <= available {
        return invalid.map_or(Ok(()), Err);
    }
    // A world that isn't given shrinks with its agents, and what else there is doesn't: so by trial.
    let fits = |&agents: &u32| takes(&Setup { agents, ..weighed.clone() }) <= available;
    let fewer = iter::successors(Some(setup.agents), |&agents| Some(agents / 16 * 15))
        .take_while(|&agents| agents > 0)
        .map(format::round_down)
        .find(fits);
    Err(Error::Memory {
        what: format!("--agents {} of {}", format::short(setup.agents), setup.scene),
        needed: format::bytes(needed),
        available: format::bytes(available),
        remedy: match fewer {
            Some(fewer) => format!("try --agents {}", format::short(fewer)),
            None => "try --threads 1, a larger --cell or a smaller --size".into(),
        },
    })
}

/// Bytes that a run takes more, at most, if that index finds the contacts.
pub(super) fn index(setup: &Setup, kind: IndexKind) -> u64 {
    if kind == crate::index::DoubleGrid::KIND {
        return 0;
    }
    let pairs = f64::from(setup.contacts_per_agent());
    index_alone(setup) + (places(setup) * (LENT + pairs * PAIR)) as u64
}

/// Bytes that an index takes, at most: the smallest cells are as wide as the largest agent.
pub(super) fn index_alone(setup: &Setup) -> u64 {
    let (size, widest) = (setup.world().size(), f64::from(2.0 * setup.radius[1]));
    let agents = places(setup);
    let cells = f64::from(size.x) * f64::from(size.y) / (widest * widest);
    (agents * INDEX + cells.min(CELLS_MAX * agents) * CELL) as u64
}

/// Agents that there may be at a time.
fn places(setup: &Setup) -> f64 {
    f64::from(setup.agents) + f64::from(setup.spare_agents)
}

/// Bytes that this process may still claim: the least of what the machine has, the container allows
/// and the shell's limits leave.
fn available(threads: usize) -> u64 {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let Ok(mut system) = System::new_with_specifics(memory) else { return u64::MAX };
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0);
    let mut least = machine.unwrap_or(u64::MAX);
    if let Ok(pid) = sysinfo::get_current_pid() {
        let kind = ProcessRefreshKind::nothing().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, kind);
        if let Some(process) = system.process(pid) {
            if let Some(group) = process.cgroup_limits() {
                // A container's page cache counts as used, but is given back when it is needed.
                let without_cache = group.total_memory.saturating_sub(group.rss);
                least = least.min(group.free_memory.max(without_cache));
            }
            // The crew, unless there is none, and the one that listens for Ctrl-C.
            let threads = if threads == 1 { 1 } else { threads as u64 + 1 };
            let reserved = process.virtual_memory() + threads * THREAD;
            least = least.min(address_space().saturating_sub(reserved));
        }
    }
    least
}

/// Bytes of address space that the shell's limit allows: `ulimit -v`.
#[cfg(unix)]
fn address_space() -> u64 {
    rlimit::Resource::AS.get_soft().unwrap_or(u64::MAX)
}

/// Nobody limits it here.
#[cfg(not(unix))]
fn address_space() -> u64 {
    u64::MAX
}
