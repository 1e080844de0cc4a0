//! Commands on several ranks. Rank 0 prints and writes for all.
//!
//! What each rank does alone is followed by an agreement: if it failed on one of them, all end with its
//! sentence. Where others may wait for a rank that fails, it says why and ends all of them.

mod run;

use std::{
    fmt::Debug,
    panic,
    sync::atomic::{AtomicUsize, Ordering},
};

use sysinfo::{CpuRefreshKind, RefreshKind, System};
use xxhash_rust::xxh3::xxh3_64;

pub(super) use self::run::run;
use super::{
    Failure, Outcome, args::WorldArgs, format::plural, interrupt, launched::Launched,
    origin::Revision, panics::unless_refused, part, progress::Progress, say, sentence,
    snapshots::Beginning, system::limits,
};
use crate::{
    Error, Result, Setup, Sim,
    cluster::{Link, MpiLink, MpiSession, Rank},
    scene,
    step::Probe,
};

/// Bytes per agent of a start, which each rank places as a whole.
const START: u64 = 28;

/// The rank of this process, if it shares a run.
static RANK: AtomicUsize = AtomicUsize::new(0);

/// True if another rank says what there is to say.
pub(super) fn is_silent() -> bool {
    RANK.load(Ordering::Relaxed) > 0
}

/// Says why this rank fails, and ends all ranks: some may wait for this one.
fn abort(link: &impl Link, message: &str, status: u8) -> ! {
    RANK.store(0, Ordering::Relaxed);
    say(&format!("rank {}: {message}", link.rank()));
    let _names = part::remove_all();
    link.abort(status)
}

/// A panic ends all ranks.
fn abort_on_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        usual(panic);
        // Refused memory is a sentence, later.
        if !panic.payload().is::<Error>() {
            abort(&MpiLink::world(), "a fault of the program; please report it", 101);
        }
    }));
}

/// The outcome of work that each rank does by itself: a failure on all of them if it failed on one.
pub(super) fn agreed<T>(link: &mut impl Link, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let outcome = unless_refused(work);
    let words = match &outcome {
        Ok(_) => Vec::new(),
        Err(Failure { status, message }) => {
            let bytes = message.bytes().map(u32::from);
            std::iter::once(u32::from(*status)).chain(bytes).collect()
        }
    };
    let all = link.all_gather(&words);
    let Some(failed) = all.iter().position(|words| !words.is_empty()) else { return outcome };
    let (status, bytes) = all[failed].split_first().expect("it is not empty");
    let bytes: Vec<_> = bytes.iter().map(|&byte| byte as u8).collect();
    let sentence = String::from_utf8_lossy(&bytes);
    let is_of_all = all.iter().all(|words| *words == all[failed]);
    // Some work only the first rank has.
    let rank = if is_of_all || failed == 0 { String::new() } else { format!("rank {failed}: ") };
    Err(Failure { status: *status as u8, message: format!("{rank}{sentence}") })
}

/// Refuses a run of which this rank has something else than the others.
fn same(link: &mut impl Link, hash: u64) -> Outcome<()> {
    let all = link.all_gather(&[hash as u32, (hash >> 32) as u32]);
    match all.iter().position(|words| *words != all[0]) {
        None => Ok(()),
        Some(rank) => Err(Failure::usage(format!(
            "rank {rank} has another run than rank 0: all of them need the same flags, the same \
             files and the same build"
        ))),
    }
}

/// Refuses a command of which this rank has other flags, another set-up or another build than the others.
pub(super) fn alike(
    link: &mut impl Link,
    args: &impl Debug,
    setup: &Setup,
    revision: Revision,
) -> Outcome<()> {
    let own = format!("{args:?} {setup:?} {} {revision:?}", env!("CARGO_PKG_VERSION"));
    same(link, xxh3_64(own.as_bytes()))
}

/// Refuses a flag that belongs to a run of one process.
pub(super) fn alone(flags: &[(&str, bool)]) -> Outcome<()> {
    match flags.iter().find(|&&(_, given)| given) {
        None => Ok(()),
        Some((flag, _)) => Err(Failure::usage(format!(
            "{flag} belongs to a run of one process; leave it out, or leave out mpirun"
        ))),
    }
}

/// The result of work in which other ranks wait for this one: memory that is refused here ends all.
/// Other errors are those of all ranks.
fn together<T>(link: &mut impl Link, result: Result<T>) -> Outcome<T> {
    match result {
        Err(error @ Error::Memory { .. }) => abort(link, &sentence(&error), 1),
        result => Ok(result?),
    }
}

/// The outcome of work in which other ranks wait for this one: a failure that is not one of all ranks ends
/// all. `kept` is the end of its sentence.
pub(super) fn awaited<T>(link: &impl Link, outcome: Outcome<T>, kept: &str) -> Outcome<T> {
    match outcome {
        Err(failure) if failure.status == 1 => abort(link, &failure.with(kept).message, 1),
        outcome => outcome,
    }
}

/// Does the work of a command on all ranks that were started.
///
/// # Errors
/// As the work, which fails on all ranks alike.
pub(super) fn share(
    launched: Launched,
    work: impl FnOnce(&mut MpiLink) -> Outcome<u8>,
) -> Outcome<u8> {
    let Some(_session) = MpiSession::begin() else {
        return launched.refuse("MPI does not begin; try another version of it");
    };
    let mut link = MpiLink::world();
    if link.ranks() != launched.ranks {
        return launched.refuse(format!(
            "mpirun has started {} processes, but the MPI of this build sees {}; use the mpirun \
             that belongs to it",
            launched.ranks,
            link.ranks()
        ));
    }
    RANK.store(link.rank(), Ordering::Relaxed);
    abort_on_panics();
    let status = work(&mut link);
    // As in `refuse`.
    if link.rank() > 0 { Ok(0) } else { status }
}

/// The exit status of a command that has not failed: that of the signal which has ended it on some rank.
pub(super) fn status(link: &mut impl Link) -> u8 {
    let of_ranks = link.all_gather(&[interrupt::status().into()]);
    of_ranks.iter().map(|words| words[0] as u8).max().unwrap_or(0)
}

/// Threads of this rank, of those on its machine: those that were asked for, or its share of the cores.
pub(super) fn threads(args: &WorldArgs, here: usize) -> usize {
    let cpus = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
    let cores = System::new_with_specifics(cpus).map_or(1, |system| system.cpus().len());
    if args.threads_are_given() {
        return args.threads();
    }
    share_of_cores(args.threads(), [limits::bound_cores().unwrap_or(cores), cores], here)
}

/// The share of one of the ranks of a machine that has so many cores, of which it is bound to some. It has `usable`
/// cores: those that it is bound to, or fewer by a limit of a container, which its ranks share.
fn share_of_cores(usable: usize, [bound, cores]: [usize; 2], here: usize) -> usize {
    let has_its_own = bound < cores && usable == bound;
    let share = if has_its_own { usable.min(cores / here) } else { usable / here };
    share.max(1)
}

/// Bytes that a run takes on a machine with that many ranks.
pub(super) fn memory_for(beginning: &Beginning, setup: &Setup, here: usize) -> u64 {
    let (whole, here) = (Sim::memory_for(setup), here as u64);
    // Before the first step, each rank has the whole start; after the last, one the whole run.
    // Rules that look at neighbors are run on a copy of the own agents and those around.
    let copies = if beginning.has_units() || beginning.rules().is_some() { 2 } else { 1 };
    match beginning {
        // The lists of the contact solver have room for the whole run.
        Beginning::Start(_) if setup.uses_contact_solver() => copies * here * whole,
        Beginning::Start(_) => whole.max(here * copies * u64::from(setup.agents) * START),
        _ => copies * here * whole,
    }
}

/// The rank at the beginning of the run.
pub(super) fn begin(beginning: &Beginning, args: &WorldArgs) -> Outcome<Rank<MpiLink>> {
    // The communicator can't leave its thread.
    let mut rank = place(beginning)?;
    rank.set_simd(args.simd.usable());
    interrupt::begun();
    Ok(rank)
}

/// Takes the steps before the measured ones; returns their number, which is lower where a rank was asked to
/// end.
pub(super) fn warm_up(rank: &mut Rank<MpiLink>, warmup: u64) -> Outcome<u64> {
    let progress = Progress::of("warm-up", warmup, "steps");
    let mut steps = 0;
    while steps < warmup && !is_asked(rank, false) {
        step(rank, &mut ())?;
        steps += 1;
        progress.step();
    }
    Ok(steps)
}

fn place(beginning: &Beginning) -> Outcome<Rank<MpiLink>> {
    let agents = plural(beginning.setup().agents as usize, "agent");
    let _placing = Progress::wait("placing", agents);
    let mut link = MpiLink::world();
    let rank = if let Beginning::Start(setup) = beginning {
        let start = scene::place(setup);
        start.and_then(|start| Rank::from_start(setup, start, MpiLink::world()))
    } else {
        let sim = agreed(&mut link, || {
            let sim = beginning.sim()?;
            beginning.note(&sim)?;
            Ok(sim)
        })?;
        same(&mut link, sim.state_hash())?;
        Rank::from_sim(sim, MpiLink::world())
    };
    together(&mut link, rank)
}

pub(super) fn step(rank: &mut Rank<MpiLink>, probe: &mut impl Probe) -> Outcome<()> {
    let stepped = rank.step_with(probe);
    stepped.or_else(|error| together(rank.link(), Err(error))).map_err(Failure::late)
}

/// The whole run, for rank 0.
pub(super) fn gather(rank: &mut Rank<MpiLink>) -> Outcome<Option<Sim>> {
    let gathered = rank.gather();
    gathered.or_else(|error| together(rank.link(), Err(error))).map_err(Failure::late)
}

/// True if one rank was asked to end the run, or a reader of its files has left.
pub(super) fn is_asked(rank: &mut Rank<MpiLink>, left: bool) -> bool {
    rank.link().sum(u64::from(left || interrupt::asked().is_some())) > 0
}

#[cfg(test)]
mod tests {
    use super::share_of_cores;

    #[test]
    fn ranks_share_cores_that_no_rank_has_alone() {
        for (usable, bound_of_all, here, expected) in [
            (16, [16, 16], 4, 4),
            (4, [4, 16], 4, 4),
            (8, [8, 16], 4, 4),
            // A container with the time of four cores.
            (4, [16, 16], 4, 1),
            (4, [16, 64], 2, 2),
            (2, [2, 2], 8, 1),
        ] {
            assert_eq!(
                share_of_cores(usable, bound_of_all, here),
                expected,
                "{usable} {bound_of_all:?}"
            );
        }
    }
}
