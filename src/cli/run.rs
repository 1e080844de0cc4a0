//! `jostle run`: no window, and every figure there is.
//!
//! Whatever can be refused is refused first, the output files are opened, and only then does it run:
//! all of it inside the pool, which is entered once.

use std::{path::Path, time::Instant};

use crate::{
    Result, Setup, Sim, limits::SUBSTEPS_MAX, parallel::pool, raster::Style, timing::StepClock,
};

use super::{
    Ended, Failure, Outcome,
    easel::{self, Easel},
    export::{self, Format},
    format, interrupt, memory,
    output::{self, Output},
    print,
    progress::Progress,
    report::{Measured, Report},
    say, summary,
};
use crate::cli::args::{RunArgs, run::LengthArgs};

/// What is there when it has run.
struct Finished {
    report: Report,
    sim: Sim,
    easel: Option<Easel>,
    measured: Measured,
}

/// Runs, prints, and writes the files that were asked for.
///
/// # Errors
/// If a flag can't be used, memory or a file can't be had, or a file can't be written. What was
/// measured is printed all the same in that last case.
pub(super) fn run(args: &RunArgs) -> Outcome<Ended> {
    run_into(args, None)
}

/// The same, with a file for the frame that is open already.
///
/// # Errors
/// As [`run`].
pub(super) fn run_into(args: &RunArgs, frame: Option<Output>) -> Outcome<Ended> {
    let setup = args.world.setup()?;
    let draws = args.picture.draws()?;
    let threads = args.world.threads();
    let drawing = if draws { easel::bytes(args.picture.size()) } else { 0 };
    let beside = |setup: &Setup| drawing + memory::index(setup, args.world.index());
    memory::check_with(&setup, &beside, threads)?;
    let look = args.picture.look.look(&setup)?;
    let look = draws.then_some(look);
    interrupt::listen();
    let asked = args.picture.frame.as_deref();
    let frame = frame.map(Ok).or_else(|| asked.map(open_frame)).transpose()?;
    let export = args.output.export.as_deref().map(open_export).transpose()?;
    for note in args.world.notes() {
        say(&note);
    }

    let pool = pool(threads)?;
    let finished = pool.install(|| measure(args, &setup, pool.current_num_threads(), look))?;
    let Finished { report, sim, easel, measured } = &finished;
    warn(&setup, measured);
    // One that can't be written keeps no other from being written.
    let printed = print(&if args.output.json {
        report.json()
    } else {
        summary::of(report, sim, args.length.steps)
    });
    let framed = frame.zip(easel.as_ref()).map(|(output, easel)| output.write(|to| easel.png(to)));
    let exported = export.map(|(output, format)| output.write(|to| format.write(sim, to)));
    printed?;
    if let (Some(placed), Some(asked)) = (framed.transpose()?, asked)
        && placed != asked
    {
        say(&format!("{} is taken by now; it is {}", asked.display(), placed.display()));
    }
    exported.transpose()?;
    Ok(interrupt::asked().map_or(Ended::Done, Ended::Signal))
}

/// Places the agents and steps them, for as long as nobody interrupts.
fn measure(
    args: &RunArgs,
    setup: &Setup,
    threads: usize,
    look: Option<Style>,
) -> Outcome<Finished> {
    let LengthArgs { steps, warmup } = args.length;
    let placing = Progress::wait("placing", format!("{} agents", format::grouped(setup.agents)));
    let mut sim = Sim::new(setup)?;
    sim.set_simd(args.world.simd());
    sim.set_index(args.world.index())?;
    let mut easel = look.map(|look| Easel::new(&args.picture, look, &sim));
    drop(placing);
    interrupt::begun();

    let progress = Progress::steps("warm-up", warmup);
    while sim.steps() < warmup && interrupt::asked().is_none() {
        sim.step().map_err(Failure::midway)?;
        progress.step();
    }
    drop(progress);

    let mut run = Measured { threads, warmup: sim.steps(), ..Measured::default() };
    let before = sim.counters();
    let progress = Progress::steps("measured", steps);
    let mut clock = StepClock::default();
    while run.steps < steps && interrupt::asked().is_none() {
        let start = Instant::now();
        sim.step_with(&mut clock).map_err(Failure::midway)?;
        run.step.record(start.elapsed());
        for (samples, took) in run.phases.iter_mut().zip(clock.take()) {
            samples.record(took);
        }
        run.fastest = Some(run.fastest.map_or(sim.fastest(), |most| most.max(sim.fastest())));
        run.steps += 1;
        if let (true, Some(easel)) = (args.picture.draw, &mut easel) {
            run.draw.record(easel.draw(&sim));
        }
        progress.step();
    }
    drop(progress);

    run.collisions = sim.counters().collisions - before.collisions;
    run.tunnelled = sim.counters().tunnelled - before.tunnelled;
    if let Some(easel) = &mut easel {
        run.frame_bytes = easel.bytes();
        // The last step's draw is the final state's; without one, this is the only draw.
        if run.draw.is_empty() {
            let took = easel.draw(&sim);
            if !args.picture.draw {
                run.draw.record(took);
            }
        }
    }
    let report = Report::new(setup, &mut sim, &run).map_err(Failure::midway)?;
    Ok(Finished { report, sim, easel, measured: run })
}

/// What a reader of the figures should know about them.
fn warn(setup: &Setup, run: &Measured) {
    if run.tunnelled > 0 && is_hurried(setup) {
        let moves = f64::from(setup.agents) * run.steps as f64 * f64::from(setup.substeps);
        say(&format!(
            "{} % of all moves, {} of them, were longer than the smallest radius and may have passed \
             through another agent; {}",
            format::four_digits((run.tunnelled as f64 / moves * 100.0) as f32),
            format::grouped(run.tunnelled),
            slower(setup, run)
        ));
    }
}

/// True if how far agents go in a step was asked for. A scene's own choice is worth no warning; the summary has it.
fn is_hurried(setup: &Setup) -> bool {
    let own = Setup::with_agents(setup.scene, setup.agents);
    let hurry = |it: &Setup| (it.radius, it.speed, it.gravity, it.hz, it.substeps);
    hurry(setup) != hurry(&own)
}

/// What keeps the fastest agent below the smallest radius.
fn slower(setup: &Setup, run: &Measured) -> String {
    let times = run.fastest.unwrap_or(0.0) / setup.radius[0];
    let enough = ((times * setup.substeps as f32).floor() as u32).saturating_add(1);
    match enough.max(setup.substeps + 1) {
        enough if enough <= SUBSTEPS_MAX => format!("--substeps {enough} would do"),
        _ => format!("--substeps goes to {SUBSTEPS_MAX}, which is too few; slower agents would do"),
    }
}

fn open_frame(path: &Path) -> Result<Output> {
    match export::extension(path).as_deref() {
        Some("png") => Output::open(path),
        None if output::is_special(path) => Output::open(path),
        _ => Err(export::unknown("--frame", path, ".png")),
    }
}

fn open_export(path: &Path) -> Result<(Output, Format)> {
    let format = Format::of(path)?;
    Ok((Output::open(path)?, format))
}
