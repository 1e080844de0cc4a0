//! The threads of the process: one pool for everything that the package computes.
//!
//! The pool is created when it is first needed. Worker threads do not survive a fork, so a forked
//! process creates a pool of its own. No result depends on the number of threads.

use std::{
    num::NonZero,
    sync::{Arc, Mutex, PoisonError},
};

use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Largest number of threads: more than machines have today.
const THREADS_MAX: i64 = 1_024;

/// The pool, and the process that created it.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Adds this module's items.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(threads, module)?)
}

/// The pool of this process: as many threads as [`set_threads`] said, or one per core.
///
/// # Errors
/// If the system refuses a thread.
pub(crate) fn pool() -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    match pool.take() {
        Some((creator, current)) if creator == process => {
            *pool = Some((process, Arc::clone(&current)));
            Ok(current)
        }
        former => {
            // The threads of a pool from before a fork are gone: nothing may wait for them.
            let threads = former.map(|(_, pool)| {
                let threads = pool.current_num_threads();
                std::mem::forget(pool);
                threads
            });
            let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
            let new = build(threads.unwrap_or_else(cores))?;
            *pool = Some((process, Arc::clone(&new)));
            Ok(new)
        }
    }
}

/// Calls `work` on the threads of the pool, without the GIL. It runs on the calling thread where
/// the pool has a single one.
///
/// # Errors
/// As for [`pool`].
pub(crate) fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let pool = pool()?;
    Ok(py.detach(|| if pool.current_num_threads() > 1 { pool.install(work) } else { work() }))
}

fn build(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("jostle-{index}"))
        .build()
        .map_err(|error| {
            let sentence =
                format!("{threads} threads can't be started ({error}); try jostle.set_threads(1)");
            PyRuntimeError::new_err(sentence)
        })?;
    Ok(Arc::new(pool))
}

/// Sets the number of threads that the package computes on, 1 to 1024. The default is one per core.
///
/// Work under way in another Python thread ends on the threads that it began on. No result depends
/// on the number of threads.
///
/// Raises ValueError if the number is out of range, and RuntimeError if the system refuses a
/// thread.
#[pyfunction]
#[pyo3(signature = (threads, /))]
fn set_threads(threads: i64) -> PyResult<()> {
    if !(1..=THREADS_MAX).contains(&threads) {
        let sentence = format!("threads {threads} is out of range: expected 1 to {THREADS_MAX}");
        return Err(PyValueError::new_err(sentence));
    }
    let new = build(threads as usize)?;
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((creator, former)) = pool.replace((std::process::id(), new))
        && creator != std::process::id()
    {
        std::mem::forget(former);
    }
    Ok(())
}

/// The number of threads that the package computes on.
#[pyfunction]
fn threads() -> PyResult<usize> {
    Ok(pool()?.current_num_threads())
}
