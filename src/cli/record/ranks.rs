//! `jostle record` on several ranks: each steps its part of the run, and rank 0 draws the whole of it.

use super::{
    begin,
    film::{FilmInProgress, Filmed},
    memory_beside,
    plan::FilmPlan,
};
use crate::{
    Setup,
    cli::{
        Failure, Outcome,
        args::RecordArgs,
        interrupt,
        launched::Launched,
        notes,
        origin::Revision,
        panics::unless_refused,
        progress::Progress,
        ranks::{self, agreed, gather, is_asked, step},
        snapshots::Beginning,
    },
    cluster::{Link, MpiLink},
    parallel::pool,
};

/// Records a run on all ranks that were started.
///
/// # Errors
/// As a run of one process, on all ranks alike.
pub(super) fn record(launched: Launched, args: &RecordArgs, revision: Revision) -> Outcome<u8> {
    ranks::share(launched, |link| record_part(link, args, revision))
}

/// Does the part of this rank.
fn record_part(link: &mut MpiLink, args: &RecordArgs, revision: Revision) -> Outcome<u8> {
    let begun = agreed(link, || {
        ranks::alone(&[
            ("--replay", args.replay.is_some()),
            ("--trace", args.trace.trace.is_some()),
            ("--index", args.world.index != crate::index::DoubleGrid::KIND),
        ])?;
        begin(args)
    });
    let (args, beginning, course) = &begun?;
    ranks::alike(link, args, beginning.setup(), revision)?;
    let here = link.ranks_here();
    let threads = ranks::threads(&args.world, here);
    let beside = |setup: &Setup| {
        memory_beside(args, setup, beginning) + ranks::memory_for(beginning, setup, here)
    };
    agreed(link, || beginning.admit(&beside, threads + 1))?;
    let plan = agreed(link, || FilmPlan::new(args.fps, course.steps(), beginning.setup()))?;
    interrupt::listen(|| ());
    let pool = agreed(link, || Ok(pool(threads)?))?;
    let first = link.rank() == 0;
    let open = || FilmInProgress::open(args, beginning, plan, course.steps());
    let mut film = agreed(link, || first.then(open).transpose())?;
    notes::print(beginning.setup(), here * threads, args.world.simd);
    let length = (course.steps(), plan);
    let drawn = unless_refused(|| pool.install(|| draw(args, beginning, length, film.as_mut())));
    let drawn = match (film, drawn) {
        // Its frames so far are a film.
        (Some(film), Err(failure)) => film.end(Err(failure)).map(|_| None),
        (film, drawn) => drawn.map(|drawn| film.zip(drawn)),
    };
    let drawn = ranks::awaited(link, drawn, "")?;
    agreed(link, || drawn.map_or(Ok(()), |(film, drawn)| film.end(drawn).map(drop)))?;
    Ok(ranks::status(link))
}

/// Places the agents and steps them; rank 0 draws. The outcome is that of the film, which ends early where it
/// takes no more or a file beside it can't be written.
fn draw(
    args: &RecordArgs,
    beginning: &Beginning,
    (steps, plan): (u64, FilmPlan),
    mut film: Option<&mut FilmInProgress<'_>>,
) -> Outcome<Option<Outcome<Filmed>>> {
    let mut rank = ranks::begin(beginning, &args.world)?;
    let mut whole = gather(&mut rank)?;
    let renderer = film.as_ref().zip(whole.as_ref()).map(|(film, sim)| film.renderer(sim));
    let (mut renderer, mut failure) = split(renderer.transpose());
    if args.warmup > 0 {
        drop(whole);
        ranks::warm_up(&mut rank, args.warmup)?;
        whole = gather(&mut rank)?;
    }
    if let (Some(film), Some(sim), None) = (&mut film, &whole, &failure) {
        failure = film.begin(sim).err();
    }
    let progress = Progress::of("recording", plan.frames, "frames");
    let (mut taken, mut frames) = (0, 0);
    loop {
        let shown = if taken < steps { plan.before(taken + 1) } else { plan.until(steps) };
        if taken > 0 {
            drop(whole);
            let is_due = shown > frames || args.is_due(taken);
            whole = if is_due { gather(&mut rank)? } else { None };
        }
        let mut is_left = failure.is_some();
        if let (Some(film), Some(sim), Some(renderer), None) =
            (&mut film, &whole, &mut renderer, &failure)
        {
            let written = if taken > 0 { film.step(sim, taken) } else { Ok(()) };
            is_left = written.is_err() || !film.draw_until(shown, renderer, sim, &progress);
            failure = written.err();
        }
        frames = shown;
        if is_asked(&mut rank, is_left) || taken == steps {
            break;
        }
        step(&mut rank, &mut ())?;
        taken += 1;
    }
    drop(whole);
    let whole = gather(&mut rank)?;
    Ok(whole.map(|sim| failure.map_or(Ok((sim, None)), Err)))
}

/// A value, or the failure in its place.
fn split<T>(outcome: Outcome<Option<T>>) -> (Option<T>, Option<Failure>) {
    match outcome {
        Ok(value) => (value, None),
        Err(failure) => (None, Some(failure)),
    }
}
