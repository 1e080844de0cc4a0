//! Errors and notes of the library as exceptions and warnings.

use std::ffi::CString;

use jostle::cli::host::{self, HostError};
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

/// Warns of everything that the library has noted.
///
/// # Errors
/// If warnings are exceptions.
pub(crate) fn warn(py: Python<'_>) -> PyResult<()> {
    for note in host::take_notes() {
        let note = CString::new(note.replace('\0', " ")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &note, 1)?;
    }
    Ok(())
}
