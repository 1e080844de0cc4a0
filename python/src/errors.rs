//! Errors and notes of the library as exceptions and warnings.

use std::ffi::CString;

use jostle::cli::host::{HostError, HostResult};
use pyo3::{
    exceptions::{PyMemoryError, PyOSError, PyUserWarning, PyValueError},
    prelude::*,
};

/// The exception for an error.
pub(crate) fn exception(error: HostError) -> PyErr {
    match error {
        HostError::Value(sentence) => PyValueError::new_err(sentence),
        HostError::File(sentence) => PyOSError::new_err(sentence),
        HostError::Memory(sentence) => PyMemoryError::new_err(sentence),
    }
}

/// What came of a call of the library, whose notes are warnings.
///
/// # Errors
/// As the call, or if warnings are exceptions.
pub(crate) fn told<T>(py: Python<'_>, call: (HostResult<T>, Vec<String>)) -> PyResult<T> {
    let (outcome, notes) = call;
    let outcome = outcome.map_err(exception)?;
    warn(py, notes)?;
    Ok(outcome)
}

/// Warns of what the library has noted.
///
/// # Errors
/// If warnings are exceptions.
pub(crate) fn warn(py: Python<'_>, notes: Vec<String>) -> PyResult<()> {
    for note in notes {
        let note = CString::new(note.replace('\0', " ")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &note, 1)?;
    }
    Ok(())
}
