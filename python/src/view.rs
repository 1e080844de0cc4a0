//! Columns of a run as arrays that view its memory, and the leases that keep the columns where they
//! are.
//!
//! An array holds a lease, and the lease holds the run. As long as a lease lives, nothing may move a
//! column: `step` and all edits ask [`Leases::check`] first. So no array changes under its owner.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{Element, PyArray1, PyArrayMethods, ndarray::ArrayView1};
use pyo3::{exceptions::PyBufferError, prelude::*};

use crate::sim::PySim;

/// The names of the columns that arrays view.
#[derive(Debug, Default)]
pub(crate) struct Leases(Mutex<Vec<String>>);

impl Leases {
    fn names(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses to change a run whose columns are viewed.
    ///
    /// # Errors
    /// If an array views one.
    pub(crate) fn check(&self) -> PyResult<()> {
        let names = self.names();
        let Some(first) = names.first() else { return Ok(()) };
        let count = names.len();
        let others = if count > 1 { format!(", and {} others", count - 1) } else { String::new() };
        Err(PyBufferError::new_err(format!(
            "an array still views the column {first}{others}, and this would change it; delete the \
             array, or take a copy in its place: sim.{first}.copy() or sim.by_id(\"{first}\")"
        )))
    }
}

/// Keeps the columns of a run where they are: the base of an array.
#[pyclass(frozen, module = "jostle")]
struct Lease {
    sim: Py<PySim>,
    name: String,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut names = self.sim.get().leases().names();
        if let Some(at) = names.iter().position(|name| *name == self.name) {
            names.swap_remove(at);
        }
    }
}

/// A read-only array of a column of a run. The caller holds the run's lock.
pub(crate) fn array<'py, T: Element>(
    sim: &Bound<'py, PySim>,
    name: &str,
    column: &[T],
) -> PyResult<Bound<'py, PyAny>> {
    sim.get().leases().names().push(name.to_owned());
    let lease = Lease { sim: sim.clone().unbind(), name: name.to_owned() };
    let lease = Bound::new(sim.py(), lease)?;
    // SAFETY: the column is memory of the run, which the lease keeps alive. The columns are changed
    // through the run's lock alone, and everything that does so asks `Leases::check` first.
    #[expect(unsafe_code, reason = "a view of memory that the lease keeps")]
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(column), lease.into_any()) };
    array.readwrite().make_nonwriteable();
    Ok(array.into_any())
}
