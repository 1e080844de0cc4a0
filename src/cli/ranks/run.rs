//! `jostle run` on several ranks.

use std::time::Duration;

use crate::{
    Setup, Sim,
    cli::{
        Failure, Outcome,
        args::{RunArgs, steps_of},
        frames::{self, FrameRenderer},
        interrupt,
        launched::Launched,
        notes,
        origin::Revision,
        outputs::Outputs,
        panics::unless_refused,
        progress::Progress,
        ranks::{self, agreed, gather, is_asked, step},
        replays::Course,
        report::{Measurements, RankReport},
        snapshots::Beginning,
    },
    cluster::{Link, MpiLink, Rank, Traffic},
    parallel::pool,
    raster::{Frame, Style},
    timing::StepClock,
    trace::{Activity, timed},
};

/// Runs on all ranks that were started.
///
/// # Errors
/// As a run of one process, on all ranks alike.
pub(in crate::cli) fn run(launched: Launched, args: &RunArgs, revision: Revision) -> Outcome<u8> {
    ranks::share(launched, |link| run_part(link, args, revision))
}

/// Runs the part of this rank.
fn run_part(link: &mut MpiLink, args: &RunArgs, revision: Revision) -> Outcome<u8> {
    let (beginning, steps) = agreed(link, || begin(args))?;
    ranks::alike(link, args, beginning.setup(), revision)?;
    let args = &RunArgs { picture: beginning.pictured(&args.picture), ..args.clone() };
    let here = link.ranks_here();
    let threads = ranks::threads(&args.world, here);
    agreed(link, || admit(args, &beginning, here, threads))?;
    interrupt::listen(|| ());
    let first = link.rank() == 0;
    let open = || first.then(|| Outputs::open(args, None, &beginning, steps)).transpose();
    let mut outputs = agreed(link, open)?;
    notes::print(beginning.setup(), here * threads, args.world.simd);

    let pool = agreed(link, || Ok(pool(threads)?))?;
    let measured =
        unless_refused(|| pool.install(|| measure(args, &beginning, steps, outputs.as_mut())));
    let kept = outputs.as_ref().map(Outputs::kept).unwrap_or_default();
    let (run, gathered) = ranks::awaited(link, measured, &kept)?;
    agreed(link, || match outputs.zip(gathered) {
        Some((outputs, (mut sim, frame))) => {
            outputs.finish(&mut sim, &run, frame.as_ref(), revision)
        }
        None => Ok(()),
    })?;
    Ok(ranks::status(link))
}

/// What the run begins with, and its length. Refuses what several ranks can't do.
fn begin(args: &RunArgs) -> Outcome<(Beginning, u64)> {
    args.stdout_is_taken()?;
    args.tables_differ()?;
    args.draws()?;
    ranks::alone(&[
        ("--replay", args.replay.is_some()),
        ("--draw", args.draw),
        ("--trace", args.trace.trace.is_some()),
        ("--index", args.world.index != crate::index::DoubleGrid::KIND),
    ])?;
    let steps = |setup: &Setup| steps_of(args.steps, args.seconds, setup);
    let load = args.snapshot.load.as_deref();
    let (beginning, course) = Course::open(&args.world, load, None, steps)?;
    args.picture.style.style(beginning.setup())?;
    Ok((beginning, course.steps()))
}

/// Checks that the run fits into the memory of the machine, which some ranks share.
fn admit(args: &RunArgs, beginning: &Beginning, here: usize, threads: usize) -> Outcome<()> {
    let drawing = if args.draws()? { frames::memory_for(args.picture.size()) } else { 0 };
    let beside = |setup: &Setup| {
        let run = ranks::memory_for(beginning, setup, here);
        drawing + run + Outputs::memory_for(args, setup, beginning)
    };
    beginning.admit(&beside, threads)
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
    let mut rank = ranks::begin(beginning, &args.world)?;
    let warmup = ranks::warm_up(&mut rank, args.warmup)?;
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
    run.ranks = Some(shared.report(&mut rank));
    let Some(sim) = gather(&mut rank)? else { return Ok((run, None)) };
    drop(rank);
    let frame = args.frame.is_some().then(|| draw(args, &sim, &mut run)).transpose();
    let frame = frame.map_err(Failure::late)?;
    Ok((run, Some((sim, frame))))
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
    row_bytes: u64,
}

impl Shared {
    /// Adds a step with the traffic before and after it.
    fn add(&mut self, before: &Traffic, after: &Traffic, took: Duration) {
        self.steps += took;
        self.traffic += after.time.saturating_sub(before.time);
        self.border_bytes += after.border_bytes - before.border_bytes;
        self.row_bytes += after.row_bytes - before.row_bytes;
    }

    /// What all ranks have shared.
    fn report(&self, rank: &mut Rank<MpiLink>) -> RankReport {
        let own = rank.own_agents();
        let link = rank.link();
        let ranks = link.ranks();
        let agents: Vec<_> =
            link.all_gather(&[own as u32]).iter().map(|it| it[0] as usize).collect();
        let times = [self.traffic, self.steps].map(|time| time.as_nanos() as u64);
        let [traffic, spent] = times.map(|time| link.sum(time) as f64);
        let bytes = [self.border_bytes, self.row_bytes].map(|bytes| link.sum(bytes) as f64);
        let share = |part: f64, whole: f64| Some(part / whole).filter(|it| it.is_finite());
        RankReport {
            ranks,
            agents: [agents.iter().min(), agents.iter().max()].map(|it| it.copied().unwrap_or(0)),
            communication: share(traffic, spent),
            border_rows: share(bytes[0], bytes[1]),
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
