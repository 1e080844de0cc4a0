//! `jostle watch`: the window, or a run and a picture where there is no display.

use std::{
    cell::{Cell, RefCell},
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use bytesize::ByteSize;

use crate::{
    Setup, Snapshot,
    index::IndexKind,
    window::{self, Event, FollowRun, SaveSnapshot, SessionOptions, SnapshotOptions, WatchOptions},
};

use super::{
    DIFFERENT, Failure, Outcome, USAGE,
    args::{StyleArgs, WatchArgs},
    frames, heap,
    hush::Hush,
    interrupt, memory, notes, opened,
    origin::Revision,
    panics::unless_library_fails,
    record::FILE_CAPTURE,
    replays::{self, ReplayedFile},
    run,
    saves::{SaveFile, save_from_window},
    say, settings,
    snapshots::Beginning,
    trajectory::TrajectoryFile,
    worlds,
};

/// Initial size of the window in pixels, for the memory estimate.
const FIRST_SIZE: [u32; 2] = [1280, 720];

/// Bytes of the frame that is drawn while another one is presented.
const SECOND_FRAME: u64 = FIRST_SIZE[0] as u64 * FIRST_SIZE[1] as u64 * 4;

/// Bytes of the way back unless the user chose: an eighth of the memory that is available, within
/// these and at most a quarter. The last ten seconds of a heap of half a million agents take 1.2 GB
/// where a step takes 50 ms.
const HISTORY: [u64; 2] = [1_000_000_000, 3_000_000_000];

/// Bytes beside a run: frames, and what an index takes.
fn beside(setup: &Setup, index: IndexKind) -> u64 {
    frames::memory_for(FIRST_SIZE) + SECOND_FRAME + memory::index(setup, index)
}

/// The files that have the run if it ends by a failure.
struct RunFiles {
    journal: Option<PathBuf>,
    /// The last snapshot.
    snapshot: Arc<Mutex<Option<PathBuf>>>,
}

impl RunFiles {
    /// The journal, if a run has begun in it.
    fn begun(&self) -> Option<&Path> {
        let path = self.journal.as_deref()?;
        let meta = fs::metadata(path).ok()?;
        (meta.len() > Snapshot::HEADER as u64).then_some(path)
    }

    /// Names the journal while that is possible: a kill, or memory refused to a library, ends the
    /// program without a word.
    fn say_where(&self) {
        if let Some(path) = &self.journal {
            say(&format!("all of the run goes to {}, also if it is cut off", path.display()));
        }
    }

    /// Saves snapshots of the window, and keeps the name of the last.
    fn saver(&self, path: Option<PathBuf>) -> SaveSnapshot {
        let saved = Arc::clone(&self.snapshot);
        Box::new(move |snapshot| {
            let path = save_from_window(path.as_deref(), snapshot)?;
            *saved.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.clone());
            Ok(path)
        })
    }

    /// The end of a sentence that names them.
    fn sentence(&self) -> String {
        let snapshot = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        let journal = self.begun().map(|path| format!("; all of the run is in {}", path.display()));
        let saved = snapshot.as_ref();
        let saved = saved.map(|path| format!("; the last snapshot is {}", path.display()));
        journal.unwrap_or_default() + &saved.unwrap_or_default()
    }
}

impl Drop for RunFiles {
    /// Removes a journal without a run.
    fn drop(&mut self) {
        if let (Some(path), None) = (&self.journal, self.begun()) {
            let _ = fs::remove_file(path);
        }
        let sentence = self.sentence();
        if thread::panicking() && !sentence.is_empty() {
            say(&format!("the window has failed{sentence}"));
        }
    }
}

/// Bytes of the way back that the window keeps.
fn history(asked: Option<usize>, threads: usize) -> Outcome<usize> {
    let available = memory::available(threads);
    let [low, high] = HISTORY;
    let usual = (available / 8).clamp(low, high).min(available / 4) as usize;
    match asked {
        Some(asked) if asked as u64 > available => {
            let [asked, available, usual] =
                [asked as u64, available, usual as u64].map(|size| ByteSize(size).display().iec());
            Err(Failure::usage(format!(
                "--history {asked:.0} is more than the {available:.1} of memory that is available; leave \
                 it out for {usual:.0}"
            )))
        }
        asked => Ok(asked.unwrap_or(usual)),
    }
}

/// Writes the run in the window to a trajectory, until the window has closed.
fn follow(trajectory: TrajectoryFile) -> FollowRun {
    struct Followed(Option<TrajectoryFile>);
    impl Drop for Followed {
        fn drop(&mut self) {
            if let Some(Err(error)) = self.0.take().map(TrajectoryFile::finish) {
                say(&Failure::midway(error).message);
            }
        }
    }
    let mut followed = Followed(Some(trajectory));
    Box::new(move |sim, begins| match &mut followed.0 {
        Some(trajectory) if begins => trajectory.begin(sim),
        Some(trajectory) => trajectory.step(sim, sim.steps()),
        None => Ok(()),
    })
}

/// Shows the simulation in a window.
///
/// # Errors
/// If a flag can't be used, memory can't be had, or the display can't be used or is lost.
pub(super) fn watch(args: WatchArgs, revision: Revision) -> Outcome<u8> {
    heap::limit_kept_memory();
    let (beginning, replay) = if let Some(path) = &args.journal.replay {
        let (beginning, file) = ReplayedFile::open(path, &args.world)?;
        (beginning, Some(file.into_replay()))
    } else {
        let beginning = Beginning::new(&args.world, args.snapshot.load.as_deref())?;
        (beginning.with_room_for_tools(), None)
    };
    let (index, threads, simd) = (args.world.index, args.world.threads(), args.world.simd);
    let with_trajectory = |setup: &Setup| {
        TrajectoryFile::memory_for(&args.trajectory, setup, &beginning) + beside(setup, index)
    };
    beginning.admit(&with_trajectory, threads)?;
    let setup = beginning.setup().clone();
    let stated = beginning.styled(&args.style);
    let world_file = beginning.world_file();
    let trajectory = TrajectoryFile::open(&args.trajectory, &beginning, None)?;
    let snapshot = beginning.into_snapshot()?;
    let (last, file, greeting) = settings::load();
    let begun = args.window.settings(&last)?;
    let history = history(args.history, threads)?;
    // A file that can't be written is refused before the window opens.
    drop(SaveFile::open(&args.snapshot)?);
    let journal = args.journal.journal.as_deref().map(replays::create).transpose()?;
    let files = RunFiles { journal: args.journal.journal.clone(), snapshot: Arc::default() };
    let snapshots = SnapshotOptions {
        save: files.saver(args.snapshot.save.clone()),
        open: Box::new(|source, index, threads| {
            opened::open(source, &|setup| beside(setup, index), threads)
        }),
        loaded: args.snapshot.load.clone(),
        at_end: args.snapshot.save.is_some(),
        every: args.snapshot.save_every,
    };
    let style = StyleArgs {
        color_by: stated.color_by,
        palette: stated.palette.or(begun.palette),
        exposure: args.style.exposure,
        overlay: args.style.overlay.or(begun.overlay),
        species: stated.species,
    };
    let chatty = std::env::var_os("JOSTLE_EVENTS").is_some_and(|value| value == "1");
    let noted = setup.clone();
    let hush = RefCell::new(Hush::begin());
    let opened = Cell::new(false);
    let options = WatchOptions {
        session: SessionOptions {
            style: style.style(&setup)?,
            setup,
            snapshot,
            threads,
            simd: simd.usable(),
            index,
            journal,
            follow: trajectory.map(follow),
            replay,
            history,
            admit: |setup, rules, index, threads| {
                let beside = |setup: &Setup| rules.saturating_add(beside(setup, index));
                Ok(memory::check_room(setup, &beside, threads)?)
            },
        },
        presenter: args.window.present.unwrap_or_default(),
        full_screen: args.window.fullscreen,
        tour: args.window.tour,
        settings: begun,
        greeting,
        listen: &|close| {
            interrupt::begun();
            interrupt::listen(close);
        },
        capture: FILE_CAPTURE,
        world_file,
        read_world: worlds::text_for_window,
        snapshots,
        tell: &mut |event| {
            // Without a display, the fallback prints the note.
            if matches!(event, Event::Ready { .. }) {
                opened.set(true);
                hush.borrow_mut().end();
                notes::print(&noted, threads, simd);
                files.say_where();
            }
            let reason =
                if event.is_notice() { hush.borrow_mut().end_with_reason() } else { String::new() };
            tell(event, &reason, chatty);
        },
    };
    let ended = unless_library_fails(|| Ok(window::watch(options)?));
    let reason = hush.borrow_mut().end_with_reason();
    let ended = ended.map_err(|failure| failure.with(&reason).with(&files.sentence()));
    match ended.map_err(|failure| if opened.get() { failure.late() } else { failure })? {
        window::WatchOutcome::Closed { settings: now, replay } => {
            let saved = if now == last { Ok(()) } else { file.save(&now) };
            saved.unwrap_or_else(|why| say(&why));
            Ok(replay.map_or_else(interrupt::status, status_of))
        }
        window::WatchOutcome::NoDisplay(why) => {
            drop(files);
            run::headless(args, &(why + &reason), revision)
        }
    }
}

/// The exit status after a replay that has ended early.
fn status_of(fault: window::ReplayFault) -> u8 {
    match fault {
        window::ReplayFault::Differs => DIFFERENT,
        window::ReplayFault::Refused => USAGE,
    }
}

/// Prints a notice, and what more there is to say of it. Other events are for tests, which wait for
/// them.
fn tell(event: &Event, reason: &str, chatty: bool) {
    if event.is_notice() {
        say(&format!("{event}{reason}"));
    } else if chatty {
        let _ = writeln!(io::stderr(), "{event}");
    }
}
