//! Ctrl-C: the first one requests an end after the current step, the second one ends the process at
//! once.
//!
//! Before the first step ([`begun`]), the first one ends the process at once, too. SIGTERM counts
//! as well, so `timeout 60 jostle run …` prints its measurements, and so does SIGHUP, so a closed
//! terminal leaves complete files. An ignored SIGHUP, as under `nohup`, stays ignored, and so does an
//! ignored SIGINT, as in the background of a script.

use std::{
    io::{self, IsTerminal},
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use super::{output, progress, say, system::signals};

/// The exit status of the signal that requested an end; 0 for none.
static STATUS: AtomicU8 = AtomicU8::new(0);

/// The time of the first signal.
static FIRST: OnceLock<Instant> = OnceLock::new();

/// Signals within this time are one request: `timeout` signals its child, and then the group of the
/// child. Users don't press keys twice that fast.
const ONE_REQUEST: Duration = Duration::from_millis(100);

/// True when an end would have results to show.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// The exit status for the signal that requested an end, if one did: 130 for Ctrl-C.
pub(super) fn asked() -> Option<u8> {
    Some(STATUS.load(Ordering::Relaxed)).filter(|&status| status != 0)
}

/// The exit status of a command that did not fail.
pub(super) fn status() -> u8 {
    asked().unwrap_or(0)
}

/// The set-up is complete: from now on, a first signal is handled between two steps.
pub(super) fn begun() {
    BEGUN.store(true, Ordering::Relaxed);
}

/// Handles a signal.
fn handle(signal: i32) {
    let status = 128 + signal as u8;
    if let Some(before) = asked() {
        // Service managers send SIGTERM and SIGHUP together, in either order: that is one request.
        let hangup = 128 + signals::HANGUP as u8;
        let again = FIRST.get().is_some_and(|first| first.elapsed() > ONE_REQUEST);
        if again && status != hangup && before != hangup {
            output::exit_without_files(status, progress::clear);
        }
        STATUS.store(status.max(before), Ordering::Relaxed);
        return;
    }
    if !BEGUN.load(Ordering::Relaxed) {
        output::exit_without_files(status, || {
            say("stopped before the first step; no incomplete file is left");
            progress::clear();
        });
    }
    // The hint comes before the request, since the process may end right after it.
    if signal == signals::INTERRUPT && io::stderr().is_terminal() {
        say("stopping; Ctrl-C again exits at once, and leaves no incomplete file");
    }
    let _ = FIRST.set(Instant::now());
    STATUS.store(status, Ordering::Relaxed);
}

/// Handles signals from now on, and calls `notify` after each. Signals that can't be caught end the
/// process, as without this call.
pub(super) fn listen(notify: impl Fn() + Send + 'static) {
    signals::listen(move |signal| {
        handle(signal);
        notify();
    });
}
