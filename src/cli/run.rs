//! `jostle run`: a measured run without a window.
//!
//! Everything that can be rejected is rejected first, then the output files are created, and only
//! then the run starts: all of it inside the pool, which is entered once.

use std::time::Instant;

use crate::{
    Setup, Sim,
    index::IndexKind,
    limits::SUBSTEPS_MAX,
    parallel::pool,
    raster::{Frame, Style},
    simd::SimdLevel,
    timing::StepClock,
};

use super::{
    Completion, Failure, Outcome,
    args::{RunArgs, run::RunLengthArgs},
    export::TableFormat,
    format::{four_digits, grouped},
    frames::{self, FrameRenderer, write_png},
    interrupt, memory,
    output::Output,
    print,
    progress::Progress,
    report::{Measurements, Report},
    say, summary,
};

/// A run that has ended.
struct Finished {
    report: Report,
    sim: Sim,
    frame: Option<Frame>,
    measured: Measurements,
}

/// Runs, prints the results, and writes the requested files.
///
/// # Errors
/// If a flag can't be used, memory or a file can't be had, or a file can't be written. In that last
/// case the results are printed all the same.
pub(super) fn run(args: &RunArgs) -> Outcome<Completion> {
    run_into(args, None)
}

/// As [`run`], with a file for the frame that is open already.
///
/// # Errors
/// As [`run`].
pub(super) fn run_into(args: &RunArgs, frame: Option<Output>) -> Outcome<Completion> {
    let setup = args.world.setup()?;
    let draws = args.draw.draws()?;
    let threads = args.world.threads();
    let drawing = if draws { frames::bytes_for(args.draw.picture.size()) } else { 0 };
    let beside = |setup: &Setup| drawing + memory::index(setup, args.world.index());
    memory::check_with(&setup, &beside, threads)?;
    let style = args.draw.picture.style.style(&setup)?;
    let style = draws.then_some(style);
    interrupt::listen();
    let path = args.draw.frame.as_deref();
    let open = |path| Output::open_as("--frame", path, &["png"]).map(|(file, _)| file);
    let frame_file = frame.map(Ok).or_else(|| path.map(open)).transpose()?;
    let export = args.output.export.as_deref().map(TableFormat::open).transpose()?;
    for note in args.world.notes() {
        say(&note);
    }

    let pool = pool(threads)?;
    let finished = pool.install(|| measure(args, &setup, pool.current_num_threads(), style))?;
    let Finished { report, sim, frame, measured } = &finished;
    warn(&setup, measured);
    // A failure to write one of them does not keep the others from being written.
    let printed = print(&if args.output.json {
        report.json()
    } else {
        summary::summary(report, sim, args.length.steps)
    });
    let framed =
        frame_file.zip(frame.as_ref()).map(|(file, frame)| file.write(|to| write_png(frame, to)));
    let exported = export.map(|(file, format)| file.write(|to| format.write(sim, to)));
    printed?;
    if let (Some(placed), Some(path)) = (framed.transpose()?, path)
        && placed != path
    {
        say(&format!("{} exists by now; wrote {} instead", path.display(), placed.display()));
    }
    exported.transpose()?;
    Ok(interrupt::asked().map_or(Completion::Done, Completion::Signal))
}

/// Places the agents. From here on a signal ends the command after the current step.
///
/// # Errors
/// If there is not enough memory.
pub(super) fn place(setup: &Setup, simd: SimdLevel, index: IndexKind) -> Outcome<Sim> {
    let _placing = Progress::wait("placing", format!("{} agents", grouped(setup.agents)));
    let mut sim = Sim::new(setup)?;
    sim.set_simd(simd);
    sim.set_index(index)?;
    interrupt::begun();
    Ok(sim)
}

/// Runs the steps before the measured ones, until they are done or interrupted.
///
/// # Errors
/// If a step fails.
pub(super) fn warm_up(sim: &mut Sim, steps: u64) -> Outcome<()> {
    let progress = Progress::steps("warm-up", steps);
    while sim.steps() < steps && interrupt::asked().is_none() {
        sim.step().map_err(Failure::midway)?;
        progress.step();
    }
    Ok(())
}

/// Places the agents and steps them, until they are done or interrupted.
fn measure(
    args: &RunArgs,
    setup: &Setup,
    threads: usize,
    style: Option<Style>,
) -> Outcome<Finished> {
    let RunLengthArgs { steps, warmup } = args.length;
    let mut sim = place(setup, args.world.simd(), args.world.index())?;
    let [width, height] = args.draw.picture.size();
    let mut drawing = match style {
        Some(style) => {
            let style = Style { order: args.draw.order(), ..style };
            let view = args.draw.picture.view;
            let renderer = FrameRenderer::new([width, height], view, style, &sim)?;
            Some((renderer, Frame::new(width, height)?))
        }
        None => None,
    };
    warm_up(&mut sim, warmup)?;

    let mut run = Measurements { threads, warmup: sim.steps(), ..Measurements::default() };
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
        if let (true, Some((renderer, frame))) = (args.draw.each, &mut drawing) {
            let start = Instant::now();
            renderer.draw(frame, &sim);
            run.draw.record(start.elapsed());
        }
        progress.step();
    }
    drop(progress);

    run.collisions = sim.counters().collisions - before.collisions;
    run.tunnelled = sim.counters().tunnelled - before.tunnelled;
    if let Some((renderer, frame)) = &mut drawing {
        run.frame_bytes = frames::bytes_for([width, height]);
        // The final state is drawn already if each step was drawn.
        if run.draw.is_empty() {
            let start = Instant::now();
            renderer.draw(frame, &sim);
            if !args.draw.each {
                run.draw.record(start.elapsed());
            }
        }
    }
    let report = Report::new(setup, &mut sim, &run).map_err(Failure::midway)?;
    Ok(Finished { report, sim, frame: drawing.map(|(_, frame)| frame), measured: run })
}

/// Warns of agents that may have passed through others.
fn warn(setup: &Setup, run: &Measurements) {
    if run.tunnelled > 0 && is_hurried(setup) {
        let moves = f64::from(setup.agents) * run.steps as f64 * f64::from(setup.substeps);
        say(&format!(
            "{} % of all moves ({}) were longer than the smallest radius and may have passed \
             through another agent; {}",
            four_digits((run.tunnelled as f64 / moves * 100.0) as f32),
            grouped(run.tunnelled),
            remedy(setup, run)
        ));
    }
}

/// True if a flag changed how far agents move in a step. The scene's own choice gives no warning;
/// the summary shows it.
fn is_hurried(setup: &Setup) -> bool {
    let own = Setup::with_agents(setup.scene, setup.agents);
    let hurry = |it: &Setup| (it.radius, it.speed, it.gravity, it.hz, it.substeps);
    hurry(setup) != hurry(&own)
}

/// The number of substeps that keeps moves below the smallest radius.
fn remedy(setup: &Setup, run: &Measurements) -> String {
    let times = run.fastest.unwrap_or(0.0) / setup.radius[0];
    let enough = ((times * setup.substeps as f32).floor() as u32).saturating_add(1);
    match enough.max(setup.substeps + 1) {
        enough if enough <= SUBSTEPS_MAX => format!("try --substeps {enough}"),
        _ => format!("--substeps {SUBSTEPS_MAX}, the limit, is too few; try slower agents"),
    }
}
