//! `jostle watch`: the window; where there is none to be had, a run and a picture.

#[cfg(feature = "window")]
use std::io::Write;

#[cfg(feature = "window")]
use crate::{
    Setup,
    window::{self, Event, Settings, WatchOptions},
};

use super::{Ended, Outcome, output::Output, run, say};
#[cfg(feature = "window")]
use super::{easel, interrupt, memory, studio::Studio};
use crate::cli::args::{RunArgs, WatchArgs};

/// Pixels of the window at first, for the estimate of what it takes.
#[cfg(feature = "window")]
const FIRST_SIZE: [u32; 2] = [1280, 720];

/// Shows the agents.
///
/// # Errors
/// If a flag can't be used, memory can't be had, or the display can't be used or is lost.
#[cfg(feature = "window")]
pub(super) fn watch(args: WatchArgs) -> Outcome<Ended> {
    let setup = window::roomy(&args.world.setup()?);
    let admit = |setup: &Setup, index, threads| {
        memory::check(setup, easel::bytes(FIRST_SIZE) + memory::index(setup, index), threads)
    };
    admit(&setup, args.world.index(), args.world.threads())?;
    let (settings, trouble) = Settings::load();
    let notes = args.world.notes();
    let chatty = std::env::var_os("JOSTLE_EVENTS").is_some_and(|value| value == "1");
    let ended = window::watch(WatchOptions {
        look: args.look.look_again(&setup, &settings)?,
        setup,
        settings: settings.clone(),
        trouble,
        threads: args.world.threads(),
        simd: args.world.simd(),
        index: args.world.index(),
        admit,
        listen: &|close| {
            // What is on show is something that has begun.
            interrupt::begun();
            interrupt::listen_and(close);
        },
        capture: &mut Studio,
        tell: &mut |event| {
            // Without a display it is not the window that has to say it.
            if matches!(event, Event::Ready { .. }) {
                for note in &notes {
                    say(note);
                }
            }
            tell(event, chatty);
        },
    });
    match ended? {
        window::WatchOutcome::Closed(now) => {
            if now != settings
                && let Err(why) = now.save()
            {
                say(&why);
            }
            Ok(interrupt::asked().map_or(Ended::Done, Ended::Signal))
        }
        window::WatchOutcome::NoDisplay(why) => headless(args, &why),
    }
}

/// Notices are for everybody; the other events are for tests, which wait for them.
#[cfg(feature = "window")]
fn tell(event: &Event, chatty: bool) {
    if event.is_notice() {
        say(&event.to_string());
    } else if chatty {
        let _ = writeln!(std::io::stderr(), "{event}");
    }
}

/// A build without a window: checks the flags, and draws.
#[cfg(not(feature = "window"))]
pub(super) fn watch(args: WatchArgs) -> Outcome<Ended> {
    args.world.setup()?.validate()?;
    headless(args, "this build has no window")
}

/// What there is instead of a window: `jostle run --steps 600 --frame jostle.png`.
fn headless(args: WatchArgs, why: &str) -> Outcome<Ended> {
    let frame = Output::free("png")?;
    let path = frame.path().to_path_buf();
    say(&format!("{why}; running 600 steps instead, the last goes to {}", path.display()));
    run::run_into(&RunArgs::headless(args.world, args.look, path), Some(frame))
}
