//! Signals that end the program.
//!
//! Fallback: a thread looks for Ctrl-C and SIGTERM twenty times per second.

use std::sync::Arc;

pub(in crate::cli) use signal_hook::consts::SIGINT as INTERRUPT;

/// SIGHUP, which closes a terminal.
pub(in crate::cli) const HANGUP: i32 = 1;

/// Lets a file that reaches `ulimit -f` fail with an error, like one on a full disk, instead of a
/// signal that ends the program.
pub(in crate::cli) fn report_full_files() {
    // The flag is not read.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Calls `handle` with each signal from now on, on a thread of its own. Signals that can't be caught
/// end the process, as without this call.
#[cfg(unix)]
pub(in crate::cli) fn listen(handle: impl Fn(i32) + Send + 'static) {
    use signal_hook::{consts::SIGTERM, iterator::Signals};
    let ignored = ignored();
    let heard = |signal: i32| ignored.map(|ignored| ignored & 1 << (signal - 1) == 0);
    // Under `nohup`, a run must survive also where the ignored signals can't be found out.
    let signals = [
        Some(SIGTERM),
        Some(INTERRUPT).filter(|&it| heard(it) != Some(false)),
        Some(HANGUP).filter(|&it| heard(it) == Some(true)),
    ];
    let Ok(mut signals) = Signals::new(signals.into_iter().flatten()) else { return };
    spawn_listener(move || signals.forever().for_each(handle));
}

#[cfg(not(unix))]
pub(in crate::cli) fn listen(handle: impl Fn(i32) + Send + 'static) {
    use std::{
        sync::atomic::{AtomicBool, Ordering},
        time::Duration,
    };
    let caught = [INTERRUPT, signal_hook::consts::SIGTERM].map(|signal| {
        let came = Arc::<AtomicBool>::default();
        (signal, signal_hook::flag::register(signal, Arc::clone(&came)).map(|_| came))
    });
    spawn_listener(move || {
        loop {
            for (signal, came) in &caught {
                if came.as_ref().is_ok_and(|came| came.swap(false, Ordering::Relaxed)) {
                    handle(*signal);
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    });
}

fn spawn_listener(listen: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new().name("jostle-signals".into()).spawn(listen);
}

/// The signals that whoever started the process had it ignore, a bit for each; `None` if they can't be
/// found out.
#[cfg(unix)]
fn ignored() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(ignored.trim(), 16).ok()
}
