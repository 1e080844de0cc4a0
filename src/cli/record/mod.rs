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

use crate::{Setup, Sim, parallel::pool, raster::Style};

#[cfg(feature = "window")]
pub(super) use capture::FILE_CAPTURE;

use self::{
    plan::FilmPlan,
    queue::{FRAMES, FrameQueue},
    store::Recording,
};
use super::{
    Failure, Outcome,
    args::{RecordArgs, steps_of},
    frames::{self, FrameRenderer},
    interrupt, memory, notes,
    progress::Progress,
    run, say,
    snapshots::{Beginning, SaveFile},
    trajectory::TrajectoryFile,
    unless_refused,
};

/// Bytes per pixel of the largest encoder, without its frames.
const ENCODER_BYTES: u64 = 24;

/// Records a run.
///
/// # Errors
/// If a flag can't be used, memory or the file can't be had, or the file can't be written to the
/// end; then it holds a shorter film.
pub(super) fn record(args: &RecordArgs) -> Outcome<u8> {
    args.check_stdout()?;
    let beginning = Beginning::new(&args.world, args.snapshot.load.as_deref())?;
    let setup = beginning.setup().clone();
    let steps = steps_of(args.steps, args.seconds, &setup)?;
    let mut args = RecordArgs { steps, ..args.clone() };
    args.picture.style = beginning.styled(&args.picture.style);
    let args = &args;
    let threads = args.world.threads();
    let size = args.picture.size();
    let beside = |setup: &Setup| {
        let trajectory = TrajectoryFile::memory_for(&args.trajectory, setup);
        memory_for(size) + trajectory + memory::index(setup, args.world.index)
    };
    beginning.admit(&beside, threads + 1)?;
    let plan = FilmPlan::new(args, &setup)?;
    let style = args.picture.style.style(&setup)?;
    let (encoder, numbered) = format::encoder(args, plan, style.clone())?;
    interrupt::listen(|| ());
    // Players would take a numbered file of another film for a part of this one.
    let next = numbered.as_ref().map(|name| name.path(plan.frames)).filter(|path| path.exists());
    let store = format::store(&args.file, numbered)?;
    let mut save = SaveFile::open(&args.snapshot)?;
    let mut trajectory = TrajectoryFile::open(&args.trajectory, &setup, Some(args.steps))?;
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
    let drawn = unless_refused(|| {
        let files = (&mut save, &mut trajectory);
        pool.install(|| draw_all(args, &beginning, files, &plan, style, &mut queue))
    });
    let kept = || save.as_ref().map(SaveFile::kept).unwrap_or_default();
    let drawn = drawn.map_err(|failure| failure.with(&kept()));
    let recording = queue.finish().map_err(Failure::midway)?;
    let summary = summary(&plan, &recording);
    if let Some(error) = recording.failure {
        return Err(Failure { status: 1, message: format!("{error}; {summary}") });
    }
    let sim = match drawn {
        Ok(sim) => sim,
        Err(failure) => {
            return Err(Failure { message: format!("{}; {summary}", failure.message), ..failure });
        }
    };
    notes::unwritten(&sim);
    if recording.frames == plan.frames {
        say(&summary);
    } else if interrupt::asked().is_some() {
        say(&format!("stopped early; {summary}"));
    } // Otherwise, the reader of a pipe has closed it early.
    let followed = trajectory.map(TrajectoryFile::finish).transpose();
    save.map(|save| save.end(&sim)).transpose()?;
    followed.map_err(Failure::midway)?;
    Ok(interrupt::status())
}

/// Bytes that drawing and encoding frames of that size takes.
fn memory_for(size: [u32; 2]) -> u64 {
    let pixels = u64::from(size[0]) * u64::from(size[1]);
    frames::memory_for(size) + pixels * (4 * (FRAMES as u64 - 1) + ENCODER_BYTES)
}

/// Places the agents, steps them and draws the frames of the film, until it is done or interrupted.
fn draw_all(
    args: &RecordArgs,
    beginning: &Beginning,
    (save, trajectory): (&mut Option<SaveFile>, &mut Option<TrajectoryFile>),
    plan: &FilmPlan,
    style: Style,
    queue: &mut FrameQueue,
) -> Outcome<Sim> {
    let mut sim = run::place(beginning, args.world.simd.usable(), args.world.index)?;
    let mut renderer = FrameRenderer::new(args.picture.size(), args.picture.view, style, &sim)?;
    run::warm_up(&mut sim, args.warmup)?;
    let first = sim.steps();
    if let Some(trajectory) = trajectory {
        trajectory.begin(&sim).map_err(Failure::midway)?;
    }
    let progress = Progress::of("recording", plan.frames, "frames");
    for frame in 0..plan.frames {
        while sim.steps() < first + plan.step(frame) && interrupt::asked().is_none() {
            sim.step().map_err(Failure::midway)?;
            if let Some(save) = save {
                save.step(&sim, sim.steps() - first)?;
            }
            if let Some(trajectory) = trajectory {
                trajectory.step(&sim, sim.steps() - first).map_err(Failure::midway)?;
            }
        }
        if interrupt::asked().is_some() || !queue.push(|frame| renderer.draw(frame, &sim)) {
            break;
        }
        progress.step();
    }
    Ok(sim)
}

/// The contents of a recording, as the end of a message.
fn summary(plan: &FilmPlan, recording: &Recording) -> String {
    let name = recording.path.display();
    match (recording.frames, recording.plays) {
        (0, _) => format!("nothing of {name} was written"),
        (_, false) => format!("{} went to {name}", recording.count(plan.frames)),
        (_, true) => {
            format!("{name} has {}", recording.contents(plan.frames, plan.fps.decimal()))
        }
    }
}
