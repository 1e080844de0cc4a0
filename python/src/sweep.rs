//! Sweeps.

use std::path::PathBuf;

use jostle::cli::host::{self, SweepSource};
use pyo3::prelude::*;

use crate::{errors::told, pool::pool};

/// The header and the rows of a sweep, all of them text. Reads a file, or the text of one.
#[pyfunction]
#[pyo3(signature = (file=None, text=None))]
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method has one lifetime alone")]
fn _run_sweep(
    py: Python<'_>,
    file: Option<PathBuf>,
    text: Option<String>,
) -> PyResult<(Vec<String>, Vec<Vec<String>>)> {
    let source = match (&file, &text) {
        (Some(file), _) => SweepSource::File(file),
        (None, text) => SweepSource::Text(text.as_deref().unwrap_or_default()),
    };
    let threads = pool()?.current_num_threads();
    let mut signal = Ok(());
    let table = py.detach(|| {
        host::call(|| {
            host::sweep(source, threads, &mut || {
                signal = Python::attach(|py| py.check_signals());
                signal.is_err()
            })
        })
    });
    signal?;
    let table = told(py, table)?;
    Ok((table.header, table.rows))
}

/// Adds this module's items.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_run_sweep, module)?)
}
