//! The grid over NumPy arrays.

use pyo3::prelude::*;

/// Adds this module's items.
pub(crate) fn register(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    Ok(())
}
