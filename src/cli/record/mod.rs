//! `jostle record`: a film of a run. The pictures and films of the window go through the same queue.
//!
//! ```text
//!  step, step, draw ─► queue ─► encode ─► store ─► file, files or a pipe
//!  (the pool)                   (a thread of its own)
//! ```
//!
//! A frame shows the state at its time ([`plan`]). An encoder makes bytes of it ([`encode`]), and a
//! store keeps whole frames only ([`store`]): a film that is stopped by Ctrl-C or a full disk is
//! shorter, and plays. Read [`plan`], [`queue`], [`encode`], [`store`], then the formats.

#[cfg(feature = "window")]
mod capture;
mod encode;
mod format;
mod gif;
mod plan;
mod png;
mod queue;
mod store;
mod video;

use crate::{
    Setup, Sim,
    journal::Difference,
    parallel::pool,
    timing::StepClock,
    trace::{Activity, timed},
};

#[cfg(feature = "window")]
pub(super) use capture::FILE_CAPTURE;

use self::{
    plan::FilmPlan,
    queue::{FRAMES, FrameQueue},
    store::Recording,
};
use super::{
    DIFFERENT, Failure, Outcome,
    args::{RecordArgs, steps_of, values::Rate},
    frames::{self, FrameRenderer},
    interrupt, memory, notes,
    origin::{Origin, Revision},
    panics::unless_refused,
    progress::Progress,
    replays::{Course, Turn},
    run,
    saves::SaveFile,
    say,
    snapshots::Beginning,
    trace::TraceFile,
    trajectory::TrajectoryFile,
};

/// Bytes per pixel of the largest encoder, without its frames.
const ENCODER_BYTES: u64 = 24;

/// Records a run.
///
/// # Errors
/// If a flag can't be used, memory or the file can't be had, or the file can't be written to the
/// end; then it holds a shorter film.
pub(super) fn record(args: &RecordArgs, revision: Revision) -> Outcome<u8> {
    args.check_stdout()?;
    let mut args = format::fitted(args);
    let (steps, seconds) = (args.steps, args.seconds);
    let steps = |setup: &Setup| steps_of(steps, seconds, setup);
    let (load, replay) = (args.snapshot.load.as_deref(), args.replay.as_deref());
    let (beginning, course) = Course::open(&args.world, load, replay, steps)?;
    let setup = beginning.setup().clone();
    let follows = args.picture.view.is_none();
    args.picture = beginning.pictured(&args.picture);
    let args = &args;
    let threads = args.world.threads();
    let size = args.picture.size();
    let beside = |setup: &Setup| {
        let trajectory = TrajectoryFile::memory_for(&args.trajectory, setup, &beginning);
        let trace = TraceFile::memory_for(&args.trace);
        memory_for(size) + trajectory + trace + memory::index(setup, args.world.index)
    };
    beginning.admit(&beside, threads + 1)?;
    let plan = FilmPlan::new(args.fps, course.steps(), &setup)?;
    let style = args.picture.style.style(&setup)?;
    let (encoder, numbered) = format::encoder(args, plan, style.clone())?;
    interrupt::listen(|| ());
    // Players would take a numbered file of another film for a part of this one.
    let next = numbered.as_ref().map(|name| name.path(plan.frames)).filter(|path| path.exists());
    let store = format::store(&args.file, numbered)?;
    let trace = TraceFile::open(&args.trace)?;
    let mut save = SaveFile::open(&args.snapshot)?;
    let mut trajectory = TrajectoryFile::open(&args.trajectory, &beginning, Some(course.steps()))?;
    notes::print(&setup, threads, args.world.simd);
    if let Some(next) = next {
        say(&format!(
            "{} belongs to another film, and players will continue with it; remove it",
            next.display()
        ));
    }

    let pool = pool(threads)?;
    let mut queue = FrameQueue::start(size, store, encoder, || ()).map_err(|error| {
        let remedy = if threads > 1 {
            "try --threads 1"
        } else {
            "close other programs, or allow more processes"
        };
        Failure::usage(format!("the encoder's thread can't be started ({error}); {remedy}"))
    })?;
    let (files, beside) = ((&mut save, &mut trajectory), &beside);
    let mut recorder =
        Recorder { args, follows, files, beside, plan, queue: &mut queue, frames: 0 };
    let drawn = unless_refused(|| pool.install(|| recorder.record(&beginning, course)));
    let planned = recorder.planned();
    let kept = || save.as_ref().map(SaveFile::kept).unwrap_or_default();
    let drawn = drawn.map_err(|failure| failure.with(&kept()));
    let recording = queue.finish().map_err(Failure::midway)?;
    let summary = summary(planned, plan.fps, &recording);
    if let Some(error) = recording.failure {
        return Err(Failure { status: 1, message: format!("{error}; {summary}") });
    }
    let (sim, difference) = match drawn {
        Ok(drawn) => drawn,
        Err(failure) => {
            return Err(Failure { message: format!("{}; {summary}", failure.message), ..failure });
        }
    };
    notes::unwritten(&sim);
    if recording.frames == planned {
        say(&summary);
    } else if interrupt::asked().is_some() {
        say(&format!("stopped early; {summary}"));
    } // Otherwise, the reader of a pipe has closed it early.
    let followed = trajectory.map(TrajectoryFile::finish).transpose();
    save.map(|save| save.end(&sim)).transpose()?;
    followed.map_err(Failure::midway)?;
    trace.map(|trace| trace.finish(Origin::new(revision), threads)).transpose()?;
    Ok(if difference.is_some() { DIFFERENT } else { interrupt::status() })
}

/// Bytes that drawing and encoding frames of that size takes.
fn memory_for(size: [u32; 2]) -> u64 {
    let pixels = u64::from(size[0]) * u64::from(size[1]);
    frames::memory_for(size) + pixels * (4 * (FRAMES as u64 - 1) + ENCODER_BYTES)
}

/// A film on its way from a run to the encoder.
struct Recorder<'a> {
    args: &'a RecordArgs,
    /// True if frames show what the window of a replay showed.
    follows: bool,
    /// The files that are written beside the film.
    files: (&'a mut Option<SaveFile>, &'a mut Option<TrajectoryFile>),
    /// Bytes beside a run, given its set-up.
    beside: &'a (dyn Fn(&Setup) -> u64 + Sync),
    /// The frames of the run, or of all runs of a replay if they are like the first.
    plan: FilmPlan,
    queue: &'a mut FrameQueue,
    /// Frames of the runs that are over.
    frames: u64,
}

impl Recorder<'_> {
    /// The number of frames of the film; of a replay, as far as it has come.
    fn planned(&self) -> u64 {
        if self.args.replay.is_some() { self.frames } else { self.plan.frames }
    }

    /// Places the agents, steps them and draws the frames of the film, until it is done or
    /// interrupted. The film of a replay has its runs one after the other, each from its first state
    /// on.
    fn record(
        &mut self,
        beginning: &Beginning,
        mut course: Course,
    ) -> Outcome<(Sim, Option<Difference>)> {
        let Self { args, follows, files: (save, trajectory), beside, plan, queue, .. } = self;
        let (simd, index) = (args.world.simd.usable(), args.world.index);
        let begin = |beginning: &Beginning, trajectory: &mut Option<TrajectoryFile>| {
            let mut sim = run::place(beginning, simd, index)?;
            let style = args.picture.style.style(sim.setup())?;
            let renderer = FrameRenderer::new(&args.picture, style, &sim)?;
            run::warm_up(&mut sim, args.warmup)?;
            let begun = trajectory.as_mut().map(|trajectory| trajectory.begin(&sim));
            begun.transpose().map_err(Failure::midway)?;
            Ok::<_, Failure>((sim, renderer))
        };
        let (mut sim, mut renderer) = begin(beginning, trajectory)?;
        let progress = Progress::of("recording", plan.frames, "frames");
        let (mut plan, mut steps, mut frame) = (*plan, 0, 0);
        let mut clock = StepClock::default();
        while interrupt::asked().is_none() {
            let turn = course.next(&mut sim, steps)?;
            let shown = match turn {
                Turn::Step => plan.before(steps + 1),
                Turn::Run(_) | Turn::End => plan.until(steps),
            };
            if let Some(view) = course.view().filter(|_| *follows) {
                renderer.follow(view, &sim);
            }
            while frame < shown && interrupt::asked().is_none() {
                if !queue.push(|frame| timed(Activity::Draw, || renderer.draw(frame, &sim)).0) {
                    self.frames += frame;
                    return Ok((sim, None));
                }
                progress.step();
                frame += 1;
            }
            match turn {
                Turn::Step => {}
                Turn::End => break,
                Turn::Run(beginning) => {
                    beginning.admit(beside, rayon::current_num_threads() + 1)?;
                    (sim, renderer) = begin(&beginning, trajectory)?;
                    plan = FilmPlan::new(args.fps, 0, sim.setup())?;
                    self.frames += frame;
                    (steps, frame) = (0, 0);
                    continue;
                }
            }
            timed(Activity::Step, || sim.step_with(&mut clock)).0.map_err(Failure::midway)?;
            steps += 1;
            if let Some(save) = save {
                save.step(&sim, steps)?;
            }
            if let Some(trajectory) = trajectory {
                trajectory.step(&sim, steps).map_err(Failure::midway)?;
            }
        }
        self.frames += frame;
        Ok((sim, course.end()))
    }
}

/// The contents of a recording, as the end of a message.
fn summary(planned: u64, fps: Rate, recording: &Recording) -> String {
    let name = recording.path.display();
    match (recording.frames, recording.plays) {
        (0, _) => format!("nothing of {name} was written"),
        (_, false) => format!("{} went to {name}", recording.count(planned)),
        (_, true) => {
            format!("{name} has {}", recording.contents(planned, fps.decimal()))
        }
    }
}
