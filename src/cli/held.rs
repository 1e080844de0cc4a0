//! Notes that are held for a host: a process that has its own way to say something. Each call of a host
//! has notes of its own, since several threads may call at the same time.

use std::{
    cell::RefCell,
    sync::{Arc, Mutex, PoisonError},
};

/// Notes of a call that are held at most.
const NOTES_MAX: usize = 100;

thread_local! {
    /// Where this thread holds its notes; `None` if it prints them.
    static HELD: RefCell<Option<HeldNotes>> = const { RefCell::new(None) };
}

/// The notes of one call; clones share them, for the threads that work for the call.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldNotes(Arc<Mutex<Vec<String>>>);

impl HeldNotes {
    /// The notes, which are gone then.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, note: &str) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < NOTES_MAX {
            notes.push(note.to_owned());
        }
    }
}

/// Where this thread holds its notes, for another one that works for it.
pub(super) fn current() -> Option<HeldNotes> {
    HELD.with_borrow(Clone::clone)
}

/// Does some work whose notes are held there, or printed.
pub(super) fn within<T>(notes: Option<HeldNotes>, work: impl FnOnce() -> T) -> T {
    /// What the thread goes back to, also after a panic.
    struct HeldBefore(Option<HeldNotes>);
    impl Drop for HeldBefore {
        fn drop(&mut self) {
            HELD.set(self.0.take());
        }
    }
    let _before = HeldBefore(HELD.replace(notes));
    work()
}

/// Holds a note; false if this thread prints its notes.
pub(super) fn hold(note: &str) -> bool {
    HELD.with_borrow(|held| held.as_ref().map(|notes| notes.add(note)).is_some())
}

#[cfg(test)]
mod tests {
    use std::{panic, thread};

    use super::*;

    #[test]
    fn each_call_holds_the_notes_of_its_own_threads() {
        let (outer, inner) = (HeldNotes::default(), HeldNotes::default());
        within(Some(outer.clone()), || {
            let failed = panic::catch_unwind(|| {
                within(Some(inner.clone()), || {
                    assert!(hold("of the inner call"));
                    panic::resume_unwind(Box::new(()));
                });
            });
            assert!(failed.is_err() && hold("of the outer call"));
            let notes = current();
            thread::scope(|scope| {
                scope.spawn(|| assert!(!hold("of no call")));
                scope.spawn(|| within(notes, || assert!(hold("of its worker"))));
            });
        });
        assert!(!hold("after the call"));
        assert_eq!(outer.take(), ["of the outer call", "of its worker"]);
        assert_eq!(inner.take(), ["of the inner call"]);
    }
}
