//! `jostle record`: a film of a run. The pictures and films of the window go through the same queue.
//!
//! ```text
//!  step, step, draw ─► queue ─► encode ─► store ─► file, files or a pipe
//!  (the pool)                   (a thread of its own)
//! ```
//!
//! A frame shows the state at its time ([`plan`]). An encoder makes bytes of it ([`encode`]), and a
//! store keeps whole frames only ([`store`]): a film that is stopped by Ctrl-C or a full disk is
//! shorter, and plays. Read [`plan`], [`film`], [`queue`], [`encode`], [`store`], then the formats. On
//! several ranks, each steps its part of the run, and the first one has the film.

#[cfg(feature = "window")]
mod capture;
mod encode;
mod film;
mod format;
mod gif;
mod plan;
mod png;
mod queue;
#[cfg(feature = "mpi")]
mod ranks;
mod store;
mod video;

use crate::{
    Setup,
    parallel::pool,
    timing::StepClock,
    trace::{Activity, timed},
};

#[cfg(feature = "window")]
pub(super) use capture::FILE_CAPTURE;

use self::{
    film::{FilmInProgress, Filmed},
    plan::FilmPlan,
    queue::FRAMES,
};
use super::{
    DIFFERENT, Failure, Outcome,
    args::{RecordArgs, steps_of},
    frames, interrupt,
    launched::Launched,
    memory, notes,
    origin::{Origin, Revision},
    panics::unless_refused,
    progress::Progress,
    replays::{Course, Turn},
    run,
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
    if let Some(launched) = Launched::get() {
        #[cfg(feature = "mpi")]
        return ranks::record(launched, args, revision);
        #[cfg(not(feature = "mpi"))]
        return launched.refuse_without_mpi("leave out mpirun");
    }
    let follows = args.picture.view.is_none();
    let (args, beginning, course) = begin(args)?;
    let args = &args;
    let threads = args.world.threads();
    let beside = |setup: &Setup| {
        memory_beside(args, setup, &beginning) + memory::index(setup, args.world.index)
    };
    beginning.admit(&beside, threads + 1)?;
    let plan = FilmPlan::new(args.fps, course.steps(), beginning.setup())?;
    interrupt::listen(|| ());
    let pool = pool(threads)?;
    let trace = TraceFile::open(&args.trace)?;
    let mut film = FilmInProgress::open(args, &beginning, plan, course.steps())?;
    notes::print(beginning.setup(), threads, args.world.simd);
    let turns = (course, follows);
    let drawn = unless_refused(|| pool.install(|| draw(&mut film, &beginning, turns, &beside)));
    let difference = film.end(drawn)?;
    trace.map(|trace| trace.finish(Origin::new(revision), threads)).transpose()?;
    Ok(if difference.is_some() { DIFFERENT } else { interrupt::status() })
}

/// What the film begins with and its course, and the flags with what follows from these.
fn begin(args: &RecordArgs) -> Outcome<(RecordArgs, Beginning, Course)> {
    args.check_stdout()?;
    let mut args = format::fitted(args);
    let (steps, seconds) = (args.steps, args.seconds);
    let steps = |setup: &Setup| steps_of(steps, seconds, setup);
    let (load, replay) = (args.snapshot.load.as_deref(), args.replay.as_deref());
    let (beginning, course) = Course::open(&args.world, load, replay, steps)?;
    args.picture = beginning.pictured(&args.picture);
    Ok((args, beginning, course))
}

/// Bytes that a film takes beside its run: drawing and encoding frames, and the files beside it.
fn memory_beside(args: &RecordArgs, setup: &Setup, beginning: &Beginning) -> u64 {
    let size = args.picture.size();
    let pixels = u64::from(size[0]) * u64::from(size[1]);
    frames::memory_for(size)
        + pixels * (4 * (FRAMES as u64 - 1) + ENCODER_BYTES)
        + TrajectoryFile::memory_for(&args.trajectory, setup, beginning)
        + TraceFile::memory_for(&args.trace)
}

/// Places the agents, steps them and draws the frames of the film, until it is done or interrupted.
/// The film of a replay has its runs one after the other, each from its first state on. With
/// `follows`, frames show what the window of a replay showed.
fn draw(
    film: &mut FilmInProgress<'_>,
    beginning: &Beginning,
    (mut course, follows): (Course, bool),
    beside: &(dyn Fn(&Setup) -> u64 + Sync),
) -> Outcome<Filmed> {
    let args = film.args;
    let (simd, index) = (args.world.simd.usable(), args.world.index);
    let begin = |beginning: &Beginning, film: &mut FilmInProgress<'_>| {
        let mut sim = run::place(beginning, simd, index)?;
        let renderer = film.renderer(&sim)?;
        run::warm_up(&mut sim, args.warmup)?;
        film.begin(&sim)?;
        Ok::<_, Failure>((sim, renderer))
    };
    let (mut sim, mut renderer) = begin(beginning, film)?;
    let progress = Progress::of("recording", film.plan.frames, "frames");
    let mut steps = 0;
    let mut clock = StepClock::default();
    while interrupt::asked().is_none() {
        let turn = course.next(&mut sim, steps)?;
        let shown = match turn {
            Turn::Step => film.plan.before(steps + 1),
            Turn::Run(_) | Turn::End => film.plan.until(steps),
        };
        if let Some(view) = course.view().filter(|_| follows) {
            renderer.follow(view, &sim);
        }
        if !film.draw_until(shown, &mut renderer, &sim, &progress) {
            return Ok((sim, None));
        }
        match turn {
            Turn::Step => {}
            Turn::End => break,
            Turn::Run(beginning) => {
                beginning.admit(beside, rayon::current_num_threads() + 1)?;
                (sim, renderer) = begin(&beginning, film)?;
                film.begin_run(sim.setup())?;
                steps = 0;
                continue;
            }
        }
        timed(Activity::Step, || sim.step_with(&mut clock)).0.map_err(Failure::midway)?;
        steps += 1;
        film.step(&sim, steps)?;
    }
    Ok((sim, course.end()))
}
