//! Ctrl-C: the first asks for an end after the current step, the second ends at once.
//!
//! SIGTERM counts as one, so that `timeout 60 jostle run …` prints what it measured. SIGHUP is left
//! alone: `nohup` stays in force.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use super::output;

/// The exit status of the first signal that came; 0 for none.
static STATUS: AtomicU8 = AtomicU8::new(0);

/// The exit status for the signal that asked for an end, if one did: 130 for Ctrl-C.
pub(super) fn asked() -> Option<u8> {
    Some(STATUS.load(Ordering::Relaxed)).filter(|&status| status != 0)
}

/// A signal came.
fn hear(signal: i32) {
    let status = 128 + signal as u8;
    if STATUS.swap(status, Ordering::Relaxed) != 0 {
        output::abandon_all();
        std::process::exit(i32::from(status));
    }
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
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    let listener = std::thread::Builder::new().name("jostle-signals".into());
    let _ = listener.spawn(move || {
        signals.forever().for_each(|signal| {
            hear(signal);
            told();
        });
    });
}
