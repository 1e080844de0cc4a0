//! A simulation.

use pyo3::prelude::*;

/// Adds this module's items.
pub(crate) fn register(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    Ok(())
}
