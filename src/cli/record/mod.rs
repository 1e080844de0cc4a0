//! `jostle record`: a film of a run.
//!
//! ```text
//!  step, step, draw ─► belt ─► encode ─► store ─► file, files or a pipe
//!  (the pool)          (3 frames)  (a thread of its own)
//! ```
//!
//! A film that is stopped, by Ctrl-C or by a full disk, is shorter, and plays. A frame shows the state at
//! its time ([`plan`]). An encoder makes bytes of it, and a store keeps whole frames only ([`reel`]).

mod belt;
mod change;
mod encode;
mod format;
mod gif;
mod gif_colors;
#[cfg(feature = "window")]
mod live;
mod plan;
mod png;
mod reel;
mod stills;
mod y4m;

use std::{
    io::{self, ErrorKind},
    path::Path,
};

use crate::{
    Error, Result, Setup, Sim,
    parallel::pool,
    raster::{Frame, Style},
};

#[cfg(feature = "window")]
pub(super) use live::Live;

use self::{
    belt::{Belt, Coming},
    encode::Encode,
    format::Format,
    plan::Plan,
    reel::{Store, Stored},
};
use super::{
    Ended, Failure, Outcome, easel, easel::Brush, interrupt, memory, progress::Progress, say,
};
use crate::cli::args::RecordArgs;

/// Bytes a pixel that the thirstiest encoder takes beside the frames.
const ENCODER: u64 = 24;

/// What has become of the frames.
#[derive(Debug)]
struct Kept {
    stored: Stored,
    /// Why there aren't more of them.
    failure: Option<Error>,
}

/// Films a run.
///
/// # Errors
/// If a flag can't be used, memory or the file can't be had, or it can't be written to the end; what was
/// written until then is a shorter film.
pub(super) fn record(args: &RecordArgs) -> Outcome<Ended> {
    let setup = args.world.setup()?;
    let threads = args.world.threads();
    let beside =
        |setup: &Setup| bytes(args.picture.size) + memory::index(setup, args.world.index());
    memory::check_with(&setup, &beside, threads + 1)?;
    let plan = Plan::new(&args.length, &setup)?;
    let format = Format::of(&args.file, &plan)?;
    let look = args.picture.look.look(&setup)?;
    interrupt::listen();
    let store = format.open(&args.file)?;
    for note in args.world.notes().into_iter().chain(format.note(&plan)) {
        say(&note);
    }

    let pool = pool(threads)?;
    let (shot, kept) = belt::run(
        args.picture.size,
        |mut belt| pool.install(|| shoot(args, &setup, &plan, look.clone(), &mut belt)),
        |coming| keep(coming, store, || format.encoder(args.picture.size, &plan, &look)),
    )?;
    let told = |stored: &Stored| tell(args, &plan, stored);
    let Kept { stored, failure } = kept?;
    if let Some(error) = failure {
        return Err(Failure { status: 1, sentence: format!("{error}; {}", told(&stored)) });
    }
    if let Err(failure) = shot {
        return Err(Failure {
            sentence: format!("{}; {}", failure.sentence, told(&stored)),
            ..failure
        });
    }
    if let Some(status) = interrupt::asked() {
        let early = if stored.frames < plan.frames { "stopped early; " } else { "" };
        say(&format!("{early}{}", told(&stored)));
        return Ok(Ended::Signal(status));
    }
    // Whoever reads the pipe may have seen enough before.
    if stored.frames == plan.frames {
        say(&told(&stored));
    }
    Ok(Ended::Done)
}

/// Bytes that drawing and encoding frames of that size takes.
fn bytes(size: [u32; 2]) -> u64 {
    let pixels = u64::from(size[0]) * u64::from(size[1]);
    easel::bytes(size) + pixels * (4 * (belt::FRAMES as u64 - 1) + ENCODER)
}

/// Places the agents, steps them, and draws what the film shows, for as long as nobody interrupts.
fn shoot(
    args: &RecordArgs,
    setup: &Setup,
    plan: &Plan,
    look: Style,
    belt: &mut Belt,
) -> Outcome<()> {
    let placing =
        Progress::wait("placing", format!("{} agents", super::format::grouped(setup.agents)));
    let mut sim = Sim::new(setup)?;
    sim.set_simd(args.world.simd());
    sim.set_index(args.world.index())?;
    let mut brush = Brush::new(args.picture.size, args.picture.view, look, &sim);
    drop(placing);
    interrupt::begun();

    let warmup = args.length.warmup;
    let progress = Progress::steps("warm-up", warmup);
    while sim.steps() < warmup && interrupt::asked().is_none() {
        sim.step().map_err(Failure::midway)?;
        progress.step();
    }
    drop(progress);

    let progress = Progress::frames("recording", plan.frames);
    for frame in 0..plan.frames {
        while sim.steps() < warmup + plan.step(frame) && interrupt::asked().is_none() {
            sim.step().map_err(Failure::midway)?;
        }
        if interrupt::asked().is_some() || !belt.put(|frame| brush.draw(frame, &sim)) {
            break;
        }
        progress.step();
    }
    Ok(())
}

/// Encodes and stores what comes, and ends the film.
fn keep(
    coming: Coming,
    mut store: Box<dyn Store + Send>,
    encoder: impl FnOnce() -> io::Result<Box<dyn Encode>>,
) -> Result<Kept> {
    let mut encoder = encoder().map_err(|error| store.failed(error))?;
    let mut bytes = Vec::new();
    let mut failure = None;
    coming.each(|frame: &Frame| {
        bytes.clear();
        let stored = encoder.encode(frame, &mut bytes).and_then(|()| store.append(&bytes));
        failure = stored.err();
        failure.is_none()
    });
    // Whoever reads the pipe has seen enough.
    let failure = failure.filter(|error| error.kind() != ErrorKind::BrokenPipe);
    let failure = failure.map(|error| store.failed(error));
    let stored = store.finish(encoder.ending(), &|frames| encoder.opening(frames))?;
    Ok(Kept { stored, failure })
}

/// What there is at the end, in half a sentence.
fn tell(args: &RecordArgs, plan: &Plan, stored: &Stored) -> String {
    let Stored { frames, bytes, plays, .. } = *stored;
    let name = if format::is_stdout(&args.file) { Path::new("stdout") } else { &args.file };
    let name = name.display();
    let grouped = super::format::grouped;
    let of =
        if frames < plan.frames { format!(" of {}", grouped(plan.frames)) } else { String::new() };
    let s = if plan.frames == 1 { "" } else { "s" };
    match (frames, plays) {
        (0, _) => format!("nothing of {name} is there"),
        (_, false) => format!("{}{of} frame{s} went to {name}", grouped(frames)),
        (_, true) => format!(
            "{name} has {}{of} frame{s}, {:.2} s at {} a second, {}",
            grouped(frames),
            plan.seconds(frames),
            (plan.fps.decimal() * 1000.0).round() / 1000.0,
            super::format::bytes(bytes)
        ),
    }
}
