//! Panics that are no faults of the program, each as one sentence: memory that is refused in the
//! middle of some work, and libraries of the window that panic where a display or a driver lacks what
//! they expect. Any other panic stays one, with its place.

use std::panic::{self, AssertUnwindSafe};

use super::{Failure, Outcome, sentence};
use crate::{Error, Result};

/// Lets panics that become sentences print nothing.
pub(super) fn hush() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        #[cfg(feature = "window")]
        if libraries::record(panic) {
            return;
        }
        if !panic.payload().is::<Error>() {
            usual(panic);
        }
    }));
}

/// The result of some work; an error if it panics because memory was refused in the middle of it.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T> {
    panic::catch_unwind(AssertUnwindSafe(work))
        .map_err(|panic| *panic.downcast().unwrap_or_else(|other| panic::resume_unwind(other)))
}

/// The outcome of some work; a failure if memory was refused in the middle of it.
pub(super) fn unless_refused<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let refused = |error| Err(Failure { status: 1, message: sentence(&error) });
    caught(work).unwrap_or_else(refused)
}

#[cfg(feature = "window")]
pub(super) use libraries::unless_library_fails;

#[cfg(feature = "window")]
mod libraries {
    use std::{
        panic::{self, AssertUnwindSafe, PanicHookInfo},
        path::Path,
        sync::{Mutex, MutexGuard, PoisonError},
    };

    use super::{Failure, Outcome};

    /// The library that has panicked and what it said, while work with libraries is done.
    static PANICKED: Mutex<Option<String>> = Mutex::new(None);

    fn panicked() -> MutexGuard<'static, Option<String>> {
        PANICKED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`unless_refused`](super::unless_refused), and a failure if a library panics.
    pub(in crate::cli) fn unless_library_fails<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        *panicked() = Some(String::new());
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| super::unless_refused(work)));
        let said = panicked().take().unwrap_or_default();
        outcome.unwrap_or_else(|panic| {
            if said.is_empty() {
                panic::resume_unwind(panic);
            }
            let message = format!("the window has failed ({said}); `jostle run` needs none");
            Err(Failure { status: 1, message })
        })
    }

    /// Records the panic of a library; false for any other.
    pub(super) fn record(panic: &PanicHookInfo<'_>) -> bool {
        let mut said = panicked();
        let (Some(said), Some(library)) = (&mut *said, library(panic)) else { return false };
        let text = panic.payload_as_str().unwrap_or_default();
        // It may quote what it was given, over several lines.
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        *said = format!("{library}: {line}");
        true
    }

    /// The name and version of the library that panics: the folder above its `src`. The program's own
    /// files have relative paths, and the standard library panics for its caller.
    fn library(panic: &PanicHookInfo<'_>) -> Option<String> {
        let file = Path::new(panic.location()?.file());
        let is_library = file.is_absolute() && !file.starts_with("/rustc");
        let mut folders = file.ancestors().filter(|_| is_library);
        let library = folders.find(|folder| folder.ends_with("src"))?.parent()?.file_name()?;
        Some(library.to_string_lossy().into_owned())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_library_that_panics_is_one_sentence() {
            crate::cli::panics::hush();
            let failed = unless_library_fails(|| {
                drop(indicatif::ProgressStyle::default_spinner().tick_chars(""));
                Ok(())
            });
            let Failure { status, message } = failed.expect_err("it panics");
            assert_eq!(status, 1);
            assert!(message.starts_with("the window has failed (indicatif-"), "{message}");
            let own = panic::catch_unwind(|| unless_library_fails::<()>(|| panic!("a fault")));
            assert_eq!(
                own.err().and_then(|own| own.downcast::<&str>().ok()).as_deref(),
                Some(&"a fault")
            );
        }
    }
}
