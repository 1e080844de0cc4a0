//! `jostle run` on several ranks. Rank 0 prints and writes for all.
//!
//! What each rank does alone is followed by an agreement: if it failed on one of them, all end with its
//! sentence. Where others may wait for a rank that fails, it says why and ends all of them.

use std::{
    panic,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use sysinfo::{CpuRefreshKind, RefreshKind, System};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    Failure, Outcome,
    args::{RunArgs, steps_of},
    format::grouped,
    frames::{self, FrameRenderer},
    interrupt,
    launched::Launched,
    notes,
    origin::Revision,
    outputs::Outputs,
    panics::unless_refused,
    part,
    progress::Progress,
    replays::Course,
    report::{Measurements, RankReport},
    say, sentence,
    snapshots::Beginning,
};
use crate::{
    Error, Result, Setup, Sim,
    cluster::{self, Link, MpiLink, MpiSession, Rank, Traffic},
    parallel::pool,
    raster::{Frame, Style},
    scene,
    timing::StepClock,
    trace::{Activity, timed},
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
fn agreed<T>(link: &mut impl Link, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
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

/// The result of work in which other ranks wait for this one: memory that is refused here ends all.
/// Other errors are those of all ranks.
fn together<T>(link: &mut impl Link, result: Result<T>) -> Outcome<T> {
    match result {
        Err(error @ Error::Memory { .. }) => abort(link, &sentence(&error), 1),
        result => Ok(result?),
    }
}

/// Runs on all ranks that were started.
///
/// # Errors
/// As a run of one process, on all ranks alike.
pub(super) fn run(launched: Launched, args: &RunArgs, revision: Revision) -> Outcome<u8> {
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
    let status = share(&mut link, args, revision);
    // As in `refuse`.
    if link.rank() > 0 { Ok(0) } else { status }
}

/// Runs the part of this rank.
fn share(link: &mut MpiLink, args: &RunArgs, revision: Revision) -> Outcome<u8> {
    let (beginning, steps) = agreed(link, || begin(args))?;
    let own =
        format!("{args:?} {:?} {} {revision:?}", beginning.setup(), env!("CARGO_PKG_VERSION"));
    same(link, xxh3_64(own.as_bytes()))?;
    let args = &RunArgs { picture: beginning.pictured(&args.picture), ..args.clone() };
    let here = link.ranks_here();
    let threads = threads(args, here);
    agreed(link, || admit(args, &beginning, here as u64, threads))?;
    interrupt::listen(|| ());
    let first = link.rank() == 0;
    let open = || first.then(|| Outputs::open(args, None, &beginning, steps)).transpose();
    let mut outputs = agreed(link, open)?;
    notes::print(beginning.setup(), here * threads, args.world.simd);

    let pool = agreed(link, || Ok(pool(threads)?))?;
    let measured =
        unless_refused(|| pool.install(|| measure(args, &beginning, steps, outputs.as_mut())));
    let (run, gathered) = match measured {
        // The failure of this rank, for which others may wait.
        Err(failure) if failure.status == 1 => {
            let kept = outputs.as_ref().map(Outputs::kept).unwrap_or_default();
            abort(link, &failure.with(&kept).message, 1)
        }
        measured => measured?,
    };
    agreed(link, || match outputs.zip(gathered) {
        Some((outputs, (mut sim, frame))) => {
            outputs.finish(&mut sim, &run, frame.as_ref(), revision)
        }
        None => Ok(()),
    })?;
    let status = link.all_gather(&[interrupt::status().into()]);
    Ok(status.iter().map(|words| words[0] as u8).max().unwrap_or(0))
}

/// What the run begins with, and its length. Refuses what several ranks can't do.
fn begin(args: &RunArgs) -> Outcome<(Beginning, u64)> {
    args.stdout_is_taken()?;
    args.tables_differ()?;
    args.draws()?;
    let refused = [
        ("--replay", args.replay.is_some()),
        ("--draw", args.draw),
        ("--trace", args.trace.trace.is_some()),
        ("--index", args.world.index != crate::index::DoubleGrid::KIND),
    ];
    if let Some((flag, _)) = refused.into_iter().find(|&(_, given)| given) {
        return Err(Failure::usage(format!(
            "{flag} belongs to a run of one process; leave it out, or leave out mpirun"
        )));
    }
    let steps = |setup: &Setup| steps_of(args.steps, args.seconds, setup);
    let load = args.snapshot.load.as_deref();
    let (beginning, course) = Course::open(&args.world, load, None, steps)?;
    cluster::check(beginning.setup())?;
    args.picture.style.style(beginning.setup())?;
    Ok((beginning, course.steps()))
}

/// Checks that the run fits into the memory of the machine, which some ranks share.
fn admit(args: &RunArgs, beginning: &Beginning, here: u64, threads: usize) -> Outcome<()> {
    let drawing = if args.draws()? { frames::memory_for(args.picture.size()) } else { 0 };
    let beside = |setup: &Setup| {
        let whole = Sim::memory_for(setup);
        // Before the first step, each rank has the whole start; after the last, one the whole run.
        let copies = match beginning {
            Beginning::Start(_) => whole.max(here * u64::from(setup.agents) * START),
            // Rules are run on a copy of the own agents and their surroundings.
            _ if beginning.rules().is_some() => 2 * here * whole,
            _ => here * whole,
        };
        drawing + copies + Outputs::memory_for(args, setup, beginning)
    };
    beginning.admit(&beside, threads)
}

/// Threads of this rank: those that were asked for, or its share of the machine's cores.
fn threads(args: &RunArgs, here: usize) -> usize {
    let cpus = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
    let cores = System::new_with_specifics(cpus).map_or(1, |system| system.cpus().len());
    let share = if args.world.threads_are_given() { usize::MAX } else { cores / here };
    args.world.threads().min(share).max(1)
}

/// What rank 0 has at the end.
type Gathered = Option<(Sim, Option<Frame>)>;

/// Places the agents and steps them, until they are done or one rank is interrupted.
fn measure(
    args: &RunArgs,
    beginning: &Beginning,
    steps: u64,
    mut outputs: Option<&mut Outputs<'_>>,
) -> Outcome<(Measurements, Gathered)> {
    // The communicator can't leave its thread.
    let mut rank = place(beginning)?;
    rank.set_simd(args.world.simd.usable());
    interrupt::begun();
    let progress = Progress::of("warm-up", args.warmup, "steps");
    let mut warmup = 0;
    while warmup < args.warmup && !is_asked(&mut rank, false) {
        step(&mut rank, &mut ())?;
        warmup += 1;
        progress.step();
    }
    drop(progress);
    let mut gathered = gather(&mut rank)?;
    let mut run = match &gathered {
        Some(sim) => Measurements::begin(sim, warmup, steps),
        None => Measurements::default(),
    };
    if let (Some(outputs), Some(sim)) = (&mut outputs, &mut gathered) {
        outputs.begin(sim).map_err(Failure::late)?;
    }
    drop(gathered);
    take_hash(&mut run, &mut rank, args)?;
    let mut shared = Shared::default();
    let progress = Progress::of("measured", steps, "steps");
    let mut clock = StepClock::default();
    while run.steps < steps {
        let left = outputs.as_ref().is_some_and(|outputs| outputs.is_left());
        let before = rank.traffic();
        let (stepped, took) = timed(Activity::Step, || {
            let ends = is_asked(&mut rank, left);
            if !ends {
                step(&mut rank, &mut clock)?;
            }
            Outcome::Ok(!ends)
        });
        if !stepped? {
            break;
        }
        shared.add(&before, &rank.traffic(), took);
        run.step.record(took);
        for (samples, took) in run.phases.iter_mut().zip(clock.take()) {
            samples.record(took);
        }
        let displacement = rank.largest_displacement();
        run.fastest = Some(run.fastest.map_or(displacement, |most| most.max(displacement)));
        run.steps += 1;
        take_hash(&mut run, &mut rank, args)?;
        if args.is_due(run.steps, beginning.setup()) {
            let gathered = gather(&mut rank)?;
            if let (Some(outputs), Some(mut sim)) = (&mut outputs, gathered) {
                outputs.step(&mut sim, run.steps).map_err(Failure::late)?;
            }
        }
        progress.step();
    }
    drop(progress);
    run.ranks = Some(shared.report(&mut rank, run.steps));
    let Some(sim) = gather(&mut rank)? else { return Ok((run, None)) };
    drop(rank);
    let frame = args.frame.is_some().then(|| draw(args, &sim, &mut run)).transpose();
    let frame = frame.map_err(Failure::late)?;
    Ok((run, Some((sim, frame))))
}

/// The rank at the beginning of the run.
fn place(beginning: &Beginning) -> Outcome<Rank<MpiLink>> {
    let agents = grouped(beginning.setup().agents);
    let _placing = Progress::wait("placing", format!("{agents} agents"));
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

fn step(rank: &mut Rank<MpiLink>, probe: &mut impl crate::step::Probe) -> Outcome<()> {
    let stepped = rank.step_with(probe);
    stepped.or_else(|error| together(rank.link(), Err(error))).map_err(Failure::late)
}

/// The whole run, for rank 0.
fn gather(rank: &mut Rank<MpiLink>) -> Outcome<Option<Sim>> {
    let gathered = rank.gather();
    gathered.or_else(|error| together(rank.link(), Err(error))).map_err(Failure::late)
}

/// True if one rank was asked to end the run, or its reader has left.
fn is_asked(rank: &mut Rank<MpiLink>, left: bool) -> bool {
    rank.link().sum(u64::from(left || interrupt::asked().is_some())) > 0
}

/// Adds the hash of the state, if it is asked for after this step.
fn take_hash(run: &mut Measurements, rank: &mut Rank<MpiLink>, args: &RunArgs) -> Outcome<()> {
    let steps = rank.steps();
    if args.hash_every.is_some_and(|every| steps.is_multiple_of(every)) {
        run.hashes.push(steps, rank.state_hash()).map_err(Failure::late)?;
    }
    Ok(())
}

/// What this rank has shared with others in the measured steps.
#[derive(Debug, Default)]
struct Shared {
    /// Time of the steps, and of what was sent in them.
    steps: Duration,
    traffic: Duration,
    border_bytes: u64,
}

impl Shared {
    /// Adds a step with the traffic before and after it.
    fn add(&mut self, before: &Traffic, after: &Traffic, took: Duration) {
        self.steps += took;
        self.traffic += after.time.saturating_sub(before.time);
        self.border_bytes += after.border_bytes - before.border_bytes;
    }

    /// What all ranks have shared in that many steps.
    fn report(&self, rank: &mut Rank<MpiLink>, steps: u64) -> RankReport {
        let [own, substeps] = [rank.own_agents() as u64, steps * rank.substeps()];
        let row_bytes = rank.row_bytes();
        let link = rank.link();
        let ranks = link.ranks();
        let agents: Vec<_> =
            link.all_gather(&[own as u32]).iter().map(|it| it[0] as usize).collect();
        let times = [self.traffic, self.steps].map(|time| time.as_nanos() as u64);
        let [traffic, spent] = times.map(|time| link.sum(time) as f64);
        let border_bytes = link.sum(self.border_bytes) as f64;
        let crossings = ((ranks - 1) as u64 * substeps) as f64;
        let share = |part: f64, whole: f64| Some(part / whole).filter(|it| it.is_finite());
        RankReport {
            ranks,
            agents: [agents.iter().min(), agents.iter().max()].map(|it| it.copied().unwrap_or(0)),
            communication: share(traffic, spent),
            border_rows: share(border_bytes / crossings, row_bytes),
        }
    }
}

/// Draws the final state.
fn draw(args: &RunArgs, sim: &Sim, run: &mut Measurements) -> Outcome<Frame> {
    let [width, height] = args.picture.size();
    let style = args.picture.style.style(sim.setup())?;
    let style = Style { order: args.draw_order.unwrap_or_default(), ..style };
    let mut renderer = FrameRenderer::new(&args.picture, style, sim)?;
    let mut frame = Frame::new(width, height)?;
    let ((), took) = timed(Activity::Draw, || renderer.draw(&mut frame, sim));
    run.draw.record(took);
    run.frame_bytes = frames::memory_for([width, height]);
    Ok(frame)
}
