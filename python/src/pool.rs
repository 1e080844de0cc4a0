//! The threads of the process: one pool, which all runs share.

use std::{
    process,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use jostle::cli::host;
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::{arguments::count, errors::exception};

/// Most threads that are taken without being asked for.
const THREADS_MAX: usize = 1_024;

/// The pool, and the process that it belongs to: a fork has none of its threads.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The pool of the process: that of the last `set_threads`, or one of all cores.
///
/// # Errors
/// If the system refuses threads.
pub(crate) fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let threads = match &*known {
        Some((owner, pool)) if *owner == process::id() => return Ok(Arc::clone(pool)),
        Some((_, pool)) => pool.current_num_threads(),
        None => thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX),
    };
    let pool = Arc::new(host::pool(threads).map_err(exception)?);
    // A pool of the process before the fork would wait for its threads for ever.
    std::mem::forget(known.replace((process::id(), Arc::clone(&pool))));
    Ok(pool)
}

/// Sets the number of threads that all runs of this process share, 1 to 1,024. The state of a run does
/// not depend on it.
#[pyfunction]
fn set_threads(threads: &Bound<'_, PyAny>) -> PyResult<()> {
    let threads = count("threads", threads)?;
    let pool = Arc::new(host::pool(threads as usize).map_err(exception)?);
    let before = {
        let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        known.replace((process::id(), pool))
    };
    if before.as_ref().is_some_and(|(owner, _)| *owner != process::id()) {
        std::mem::forget(before);
    }
    Ok(())
}

/// The number of threads that all runs of this process share.
#[pyfunction]
fn threads() -> PyResult<usize> {
    Ok(pool()?.current_num_threads())
}

/// Adds this module's items.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(threads, module)?)
}
