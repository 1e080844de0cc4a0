//! `jostle run`: a measured run without a window.
//!
//! Everything that can be rejected is rejected first, then the output files are created, and only
//! then the run starts: all of it inside the pool, which is entered once.

use crate::{
    Setup, Sim,
    index::IndexKind,
    journal::Difference,
    parallel::pool,
    raster::{Frame, Style},
    simd::SimdLevel,
    timing::StepClock,
    trace::{Activity, timed},
};

#[cfg(feature = "mpi")]
use super::ranks;
use super::{
    DIFFERENT, Failure, Outcome,
    args::{RunArgs, WatchArgs, parse_run, run_flags, steps_of},
    format::plural,
    frames::{self, FrameRenderer},
    interrupt, launched, memory, notes,
    origin::Revision,
    output::Output,
    outputs::Outputs,
    panics::unless_refused,
    progress::Progress,
    replays::{Course, Turn},
    report::Measurements,
    say,
    snapshots::Beginning,
};

/// Runs, prints the results, and writes the requested files. `frame` is the file for the frame, if
/// it is open already.
///
/// # Errors
/// If a flag can't be used, memory or a file can't be had, or a file can't be written. In that last
/// case the results are printed all the same.
pub(super) fn run(args: &RunArgs, frame: Option<Output>, revision: Revision) -> Outcome<u8> {
    if let Some(launched) = launched::shared(args) {
        #[cfg(feature = "mpi")]
        return ranks::run(launched, args, revision);
        #[cfg(not(feature = "mpi"))]
        return launched.refuse_without_mpi("add --ranks 1 to make each of them a run of its own");
    }
    args.stdout_is_taken()?;
    args.tables_differ()?;
    let steps = |setup: &Setup| steps_of(args.steps, args.seconds, setup);
    let (load, replay) = (args.snapshot.load.as_deref(), args.replay.as_deref());
    let (beginning, course) = Course::open(&args.world, load, replay, steps)?;
    let setup = beginning.setup().clone();
    let draws = args.draws()?;
    let follows = args.picture.view.is_none();
    let args = &RunArgs { picture: beginning.pictured(&args.picture), ..args.clone() };
    let threads = args.world.threads();
    let drawing = if draws { frames::memory_for(args.picture.size()) } else { 0 };
    let beside = |setup: &Setup| {
        let outputs = Outputs::memory_for(args, setup, &beginning);
        drawing + outputs + memory::index(setup, args.world.index)
    };
    beginning.admit(&beside, threads)?;
    args.picture.style.style(&setup)?;
    interrupt::listen(|| ());
    let mut outputs = Outputs::open(args, frame, &beginning, course.steps())?;
    notes::print(&setup, threads, args.world.simd);

    let pool = pool(threads)?;
    let mut run = MeasuredRun { args, draws, follows, outputs: &mut outputs, beside: &beside };
    let measured = unless_refused(|| pool.install(|| run.measure(&beginning, course)));
    let (run, mut sim, frame, difference) =
        measured.map_err(|failure| failure.with(&outputs.kept()))?;
    outputs.finish(&mut sim, &run, frame.as_ref(), revision)?;
    Ok(if difference.is_some() { DIFFERENT } else { interrupt::status() })
}

/// `jostle watch` without a window: `jostle run --steps 600 --frame jostle.png`.
///
/// # Errors
/// As [`run`].
pub(super) fn headless(args: WatchArgs, why: &str, revision: Revision) -> Outcome<u8> {
    let usual = parse_run(&mut run_flags(), &[]).map_err(Failure::usage)?;
    let replay = args.journal.replay;
    let steps = if replay.is_some() {
        "replaying".to_owned()
    } else {
        // A state from a file is checked as it is read.
        if let Beginning::Start(setup) = Beginning::new(&args.world, args.snapshot.load.as_deref())?
        {
            setup.validate()?;
        }
        format!("running {} steps", usual.steps)
    };
    let frame = Output::unique("png")?;
    let path = frame.path().to_path_buf();
    #[cfg(feature = "window")]
    let without = args.journal.journal.as_ref().map_or(String::new(), |path| {
        format!(", without {}: only what is done in a window has a journal", path.display())
    });
    #[cfg(not(feature = "window"))]
    let without = "";
    say(&format!("{why}; {steps} instead and drawing the last to {}{without}", path.display()));
    #[cfg(feature = "window")]
    let picture = args.window.picture(args.style);
    #[cfg(not(feature = "window"))]
    let picture =
        super::args::PictureArgs { size: None, view: None, glow: false, style: args.style };
    let WatchArgs { world, snapshot, trajectory, .. } = args;
    let args = RunArgs { world, frame: Some(path), picture, trajectory, snapshot, replay, ..usual };
    run(&args, Some(frame), revision)
}

/// Places the agents. From here on a signal ends the command after the current step.
///
/// # Errors
/// If there is not enough memory.
pub(super) fn place(beginning: &Beginning, simd: SimdLevel, index: IndexKind) -> Outcome<Sim> {
    let agents = plural(beginning.setup().agents as usize, "agent");
    let _placing = Progress::wait("placing", agents);
    let mut sim = beginning.sim()?;
    beginning.note(&sim)?;
    sim.set_simd(simd);
    sim.set_index(index)?;
    interrupt::begun();
    Ok(sim)
}

/// Runs the steps before the measured ones, until they are done or interrupted; returns their number.
///
/// # Errors
/// If a step fails.
pub(super) fn warm_up(sim: &mut Sim, steps: u64) -> Outcome<u64> {
    let progress = Progress::of("warm-up", steps, "steps");
    let mut done = 0;
    while done < steps && interrupt::asked().is_none() {
        sim.step().map_err(Failure::midway)?;
        done += 1;
        progress.step();
    }
    Ok(done)
}

/// A run that is going to be measured, with the files that it writes.
struct MeasuredRun<'a, 'o> {
    args: &'a RunArgs,
    draws: bool,
    /// True if frames show what the window of a replay showed.
    follows: bool,
    outputs: &'a mut Outputs<'o>,
    /// Bytes beside a run, given its set-up.
    beside: &'a (dyn Fn(&Setup) -> u64 + Sync),
}

impl MeasuredRun<'_, '_> {
    /// Places the agents and steps them, until they are done or interrupted. A replay returns
    /// the measurements of its last run.
    fn measure(
        &mut self,
        beginning: &Beginning,
        mut course: Course,
    ) -> Outcome<(Measurements, Sim, Option<Frame>, Option<Difference>)> {
        let args = self.args;
        let (simd, index) = (args.world.simd.usable(), args.world.index);
        let mut sim = place(beginning, simd, index)?;
        let mut drawing = self.drawing(&sim)?;
        let warmup = warm_up(&mut sim, args.warmup)?;
        let mut run = Measurements::begin(&sim, warmup, course.steps());
        run.hashes.take(&sim, args.hash_every)?;
        self.outputs.begin(&mut sim)?;
        let progress = Progress::of("measured", course.steps(), "steps");
        let mut clock = StepClock::default();
        while interrupt::asked().is_none() && !self.outputs.is_left() {
            let turn = course.next(&mut sim, run.steps)?;
            if let (Some((renderer, _)), Some(view)) = (&mut drawing, course.view())
                && self.follows
            {
                renderer.follow(view, &sim);
            }
            match turn {
                Turn::Step => {}
                Turn::End => break,
                Turn::Run(beginning) => {
                    beginning.admit(self.beside, run.threads)?;
                    sim = place(&beginning, simd, index)?;
                    drawing = self.drawing(&sim)?;
                    run = Measurements::begin(&sim, 0, 0);
                    run.hashes.take(&sim, args.hash_every)?;
                    self.outputs.begin_trajectory(&sim)?;
                    continue;
                }
            }
            let (stepped, took) = timed(Activity::Step, || sim.step_with(&mut clock));
            stepped.map_err(Failure::midway)?;
            run.step.record(took);
            for (samples, took) in run.phases.iter_mut().zip(clock.take()) {
                samples.record(took);
            }
            let displacement = sim.largest_displacement();
            run.fastest = Some(run.fastest.map_or(displacement, |most| most.max(displacement)));
            run.steps += 1;
            run.hashes.take(&sim, args.hash_every)?;
            if let (true, Some((renderer, frame))) = (args.draw, &mut drawing) {
                let ((), took) = timed(Activity::Draw, || renderer.draw(frame, &sim));
                run.draw.record(took);
            }
            self.outputs.step(&mut sim, run.steps)?;
            progress.step();
        }
        drop(progress);

        if let Some((renderer, frame)) = &mut drawing {
            run.frame_bytes = frames::memory_for([frame.width, frame.height]);
            // The final state is drawn already if each step was drawn, unless a journal has changed it, or
            // what is shown of it, since.
            if run.draw.is_empty() || args.replay.is_some() {
                let ((), took) = timed(Activity::Draw, || renderer.draw(frame, &sim));
                if !args.draw {
                    run.draw.record(took);
                }
            }
        }
        let frame = drawing.map(|(_, frame)| frame);
        Ok((run, sim, frame, course.end()))
    }

    /// The renderer and the frame, if the run is drawn.
    fn drawing(&self, sim: &Sim) -> Outcome<Option<(FrameRenderer, Frame)>> {
        let Self { args, draws, .. } = self;
        if !draws {
            return Ok(None);
        }
        let [width, height] = args.picture.size();
        let style = args.picture.style.style(sim.setup())?;
        let style = Style { order: args.draw_order.unwrap_or_default(), ..style };
        let renderer = FrameRenderer::new(&args.picture, style, sim)?;
        Ok(Some((renderer, Frame::new(width, height)?)))
    }
}
