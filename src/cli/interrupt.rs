//! Ctrl-C: the first asks for an end after the current step, the second ends at once.
//!
//! Until there is a step to end after ([`begun`]), the first ends at once, too. SIGTERM counts as one, so that
//! `timeout 60 jostle run …` prints what it measured, and so does SIGHUP, so that a terminal that is closed
//! leaves whole files; where it is ignored, as under `nohup`, it stays so.

use std::{
    io::{self, IsTerminal},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use super::{output, progress, say};

/// The exit status of the first signal that came; 0 for none.
static STATUS: AtomicU8 = AtomicU8::new(0);

/// When it came.
static FIRST: OnceLock<Instant> = OnceLock::new();

/// What comes so soon after the first signal is the same wish: `timeout` signals its child, and then the group that the
/// child is in. Nobody presses keys twice in that time.
const ONE_WISH: Duration = Duration::from_millis(100);

/// True as soon as an end would have something to show.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// The exit status for the signal that asked for an end, if one did: 130 for Ctrl-C.
pub(super) fn asked() -> Option<u8> {
    Some(STATUS.load(Ordering::Relaxed)).filter(|&status| status != 0)
}

/// All is placed and claimed: from now on a first signal is asked for between two steps.
pub(super) fn begun() {
    BEGUN.store(true, Ordering::Relaxed);
}

/// A signal came.
fn hear(signal: i32) {
    let status = 128 + signal as u8;
    if let Some(before) = asked() {
        // Who asks for an end may hang up with it, as service managers do, and the two may come in either order:
        // that is one wish.
        let hangup = 128 + signal_hook::consts::SIGHUP as u8;
        let again = FIRST.get().is_some_and(|first| first.elapsed() > ONE_WISH);
        if again && status != hangup && before != hangup {
            output::leave(status, progress::clear);
        }
        STATUS.store(status.max(before), Ordering::Relaxed);
        return;
    }
    if !BEGUN.load(Ordering::Relaxed) {
        output::leave(status, || {
            say("stopped before the first step; nothing unfinished is left behind");
            progress::clear();
        });
    }
    // Before the end is asked for, which may come at once. Who can't press it again needs no hint.
    if signal == signal_hook::consts::SIGINT && io::stderr().is_terminal() {
        say("stopping; Ctrl-C again ends at once, and leaves nothing unfinished behind");
    }
    let _ = FIRST.set(Instant::now());
    STATUS.store(status, Ordering::Relaxed);
}

/// Listens from now on. Where signals can't be caught, they end the program as they always did.
pub(super) fn listen() {
    listen_and(|| {});
}

/// Listens from now on, and calls `told` when a signal has come, for who doesn't ask.
pub(super) fn listen_and(told: impl Fn() + Send + 'static) {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    // A file that has reached `ulimit -f` is to fail in a sentence, like one on a full disk; nobody reads
    // the flag.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let signals = [SIGINT, SIGTERM].into_iter().chain(hangup());
    let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) else { return };
    let listener = std::thread::Builder::new().name("jostle-signals".into());
    let _ = listener.spawn(move || {
        signals.forever().for_each(|signal| {
            hear(signal);
            told();
        });
    });
}

/// SIGHUP, unless whoever started the program has it ignored, as `nohup` does; nor where that can't be known.
fn hangup() -> Option<i32> {
    use signal_hook::consts::SIGHUP;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    let ignored = u64::from_str_radix(ignored.trim(), 16).ok()?;
    (ignored & 1 << (SIGHUP - 1) == 0).then_some(SIGHUP)
}
