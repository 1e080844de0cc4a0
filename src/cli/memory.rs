//! Admission of a set-up: whether it is valid and fits into memory, before any of it is allocated.

use std::iter;

use super::{
    Failure, Outcome,
    format::bytes,
    system::limits::{self, address_space},
};
use crate::{
    Setup, Sim,
    error::{Adjust, Error, Field, Purpose, Remedy, Result, Value},
    index::IndexKind,
    scene,
};
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, RefreshKind, System};

/// Bytes of the program without agents: code, stacks, flags and the pool.
const BASE: u64 = 16 << 20;

/// Address space that a thread reserves, most of it never used: its stack, and its allocator's
/// arena.
const THREAD: u64 = 66 << 20;

/// Bytes per agent of an index, without its cells.
const INDEX: f64 = 64.0;

/// Bytes per cell of an index with all cells of the world: a head, a box and a mark.
const CELL: f64 = 28.0;

/// The most cells per agent of an index, however empty the world.
const CELLS_MAX: f64 = 64.0;

/// Bytes per agent that a run copies for an index, and bytes per pair that it finds.
const COPIED: f64 = 17.0;
const PAIR: f64 = 8.0;

/// Bytes of stack that the flags and the window take.
const STACK: u64 = 1 << 20;

/// Checks that the process can run at all. To be called first: parsing the flags takes most stack.
///
/// # Errors
/// A sentence with the shell's limit.
pub(super) fn check_process() -> Outcome<()> {
    let stack = limits::stack();
    let problem = if stack < STACK {
        let [stack, needed] = [stack, STACK].map(bytes);
        format!("the stack is limited to {stack}, less than {needed}; raise ulimit -s")
    } else if address_space() < u64::MAX && available(1) == 0 {
        let limit = bytes(address_space());
        format!("the program alone takes the {limit} of address space; raise ulimit -v")
    } else {
        return Ok(());
    };
    Err(Failure { status: 1, message: problem })
}

/// Checks that a set-up is valid and fits into memory beside the bytes that `beside` returns for it
/// and that many threads.
///
/// # Errors
/// [`Error::Memory`] with both figures, and a number of agents that fits if there is one; or as
/// [`Setup::validate`].
pub(super) fn check(setup: &Setup, beside: &dyn Fn(&Setup) -> u64, threads: usize) -> Result<()> {
    let Err(invalid) = setup.validate() else { return check_room(setup, beside, threads) };
    // Agents that don't even fit in the scene's own set-up are too many, whatever else is wrong.
    room_for(&Setup::with_agents(setup.scene, setup.agents), setup, beside, threads)?;
    Err(invalid)
}

/// Checks that a set-up, of agents that were placed or can be, fits into memory, as [`check`].
///
/// # Errors
/// As there.
pub(super) fn check_room(
    setup: &Setup,
    beside: &dyn Fn(&Setup) -> u64,
    threads: usize,
) -> Result<()> {
    room_for(setup, setup, beside, threads)
}

/// Checks that `weighed` fits into memory. With fewer agents, `setup` may be what does.
fn room_for(
    weighed: &Setup,
    setup: &Setup,
    beside: &dyn Fn(&Setup) -> u64,
    threads: usize,
) -> Result<()> {
    let takes =
        |setup: &Setup| Sim::memory_for(setup).saturating_add(beside(setup)).saturating_add(BASE);
    let (needed, available) = (takes(weighed), available(threads));
    if needed <= available {
        return Ok(());
    }
    // By trial, since a world sized by its density shrinks with its agents, and the other parts
    // don't.
    let fits = |&agents: &u32| {
        let own = Setup { agents, ..setup.clone() };
        let fewer = if own.validate().is_ok() { own } else { Setup { agents, ..weighed.clone() } };
        takes(&fewer) <= available
    };
    let fewer = iter::successors(Some(setup.agents), |&agents| Some(agents / 16 * 15))
        .take_while(|&agents| agents > 0)
        .map(scene::round_down)
        .find(fits);
    Err(Error::Memory {
        purpose: Purpose::Run { agents: setup.agents, scene: setup.scene.name() },
        needed,
        available: Some(available),
        remedy: match fewer {
            Some(fewer) => Remedy::set(Field::Agents, Value::Count(fewer.into())),
            None if threads > 1 => Remedy::Adjust(&[
                Adjust::Lower(Field::Threads),
                Adjust::Raise(Field::Cell),
                Adjust::Lower(Field::FrameSize),
            ]),
            None => Remedy::Adjust(&[Adjust::Raise(Field::Cell), Adjust::Lower(Field::FrameSize)]),
        },
    })
}

/// Checks that a run of a snapshot, with what is beside it, fits into memory with that many threads.
///
/// # Errors
/// The bytes that are needed, and those that are available.
pub(super) fn check_saved(needed: u64, threads: usize) -> std::result::Result<(), [String; 2]> {
    let (needed, available) = (needed.saturating_add(BASE), available(threads));
    if needed <= available { Ok(()) } else { Err([needed, available].map(bytes)) }
}

/// The most additional bytes of a run if that index finds the contacts.
pub(super) fn index(setup: &Setup, kind: IndexKind) -> u64 {
    if kind == crate::index::DoubleGrid::KIND {
        return 0;
    }
    let pairs = f64::from(setup.contacts_per_agent());
    index_alone(setup) + (capacity(setup) * (COPIED + pairs * PAIR)) as u64
}

/// The most bytes of an index alone: the smallest cells are as wide as the largest agent.
pub(super) fn index_alone(setup: &Setup) -> u64 {
    let (size, widest) = (setup.world().size(), f64::from(2.0 * setup.radius[1]));
    let agents = capacity(setup);
    let cells = f64::from(size.x) * f64::from(size.y) / (widest * widest);
    (agents * INDEX + cells.min(CELLS_MAX * agents) * CELL) as u64
}

/// The most agents at a time.
fn capacity(setup: &Setup) -> f64 {
    f64::from(setup.agents) + f64::from(setup.spare_agents)
}

/// Bytes that this process can still allocate: the least of the machine's memory, the container's
/// limit and the shell's limit.
pub(super) fn available(threads: usize) -> u64 {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let Ok(mut system) = System::new_with_specifics(memory) else { return u64::MAX };
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0);
    let mut least = machine.unwrap_or(u64::MAX);
    if let Ok(pid) = sysinfo::get_current_pid() {
        let kind = ProcessRefreshKind::nothing().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, kind);
        if let Some(process) = system.process(pid) {
            if let Some(group) = process.cgroup_limits() {
                // A container's page cache counts as used, but is freed on demand.
                let without_cache = group.total_memory.saturating_sub(group.rss);
                least = least.min(group.free_memory.max(without_cache));
            }
            // The pool, and the thread that waits for signals.
            let reserved = process.virtual_memory() + (threads as u64 + 1) * THREAD;
            least = least.min(address_space().saturating_sub(reserved));
        }
    }
    least
}
