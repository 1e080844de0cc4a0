//! `jostle record` on several ranks: each steps its part of the run, and rank 0 draws the whole of it.

use super::{Filmed, begin, film::FilmInProgress, memory_beside, plan::FilmPlan};
use crate::{
    Setup,
    cli::{
        Outcome,
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
    cluster::{self, Link, MpiLink},
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
        let begun = begin(args)?;
        cluster::check(begun.1.setup())?;
        Ok(begun)
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
    let kept = film.as_ref().map(FilmInProgress::kept).unwrap_or_default();
    let drawn = ranks::awaited(link, drawn, &kept);
    agreed(link, || match (film, drawn) {
        (Some(film), Ok(Some(drawn))) => film.end(drawn).map(drop),
        // It has no frame, and leaves no file.
        (Some(film), Err(failure)) => film.end(Err(failure)).map(drop),
        (_, drawn) => drawn.map(drop),
    })?;
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
    let (mut rank, _) = ranks::begin(beginning, &args.world, args.warmup)?;
    let mut whole = gather(&mut rank)?;
    let mut begin = || film.as_mut().zip(whole.as_ref()).map(|(film, sim)| film.begin(sim));
    let mut renderer = agreed(rank.link(), || begin().transpose())?;
    let progress = Progress::of("recording", plan.frames, "frames");
    let (mut taken, mut frames, mut failure) = (0, 0, None);
    loop {
        let shown = if taken < steps { plan.before(taken + 1) } else { plan.until(steps) };
        if taken > 0 {
            let is_due = shown > frames || args.is_due(taken);
            whole = if is_due { gather(&mut rank)? } else { None };
        }
        let mut is_left = false;
        if let (Some(film), Some(sim), Some(renderer)) = (&mut film, &whole, &mut renderer) {
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
    let whole = gather(&mut rank)?;
    Ok(whole.map(|sim| failure.map_or(Ok((sim, None)), Err)))
}
