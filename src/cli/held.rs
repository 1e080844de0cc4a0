//! Notes that are held for a host: a process that has its own way to say something.

use std::sync::{Mutex, PoisonError};

/// Notes that are held at most; a host that never asks for them does not fill the memory.
const NOTES_MAX: usize = 100;

/// The notes since the last call of [`take`]; `None` in a process of the command line.
static NOTES: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Holds all notes from now on.
pub(super) fn begin() {
    NOTES.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
}

/// Holds a note; false if the process prints its notes.
pub(super) fn hold(note: &str) -> bool {
    let mut notes = NOTES.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(notes) = &mut *notes else { return false };
    if notes.len() < NOTES_MAX {
        notes.push(note.to_owned());
    }
    true
}

/// The notes that are held, which are gone then.
pub(super) fn take() -> Vec<String> {
    let mut notes = NOTES.lock().unwrap_or_else(PoisonError::into_inner);
    notes.as_mut().map(std::mem::take).unwrap_or_default()
}
