//! Threads: a pool of named workers, and loops that run on it when they are called from inside.
//!
//! A loop over bands runs in parallel if and only if its caller already runs on a worker, so that the
//! whole of a run is entered into the pool once ([`Crew::run`]) and not band by band, which would
//! allocate. With one thread there is no pool at all. What the bands are never depends on the number
//! of threads, and neither do the results.

use rayon::prelude::*;

use crate::error::{Error, Result};

/// The workers of a run; none if it has one thread.
#[derive(Debug)]
pub struct Crew(Option<rayon::ThreadPool>);

impl Crew {
    /// A crew of that many threads, named `jostle-0`, `jostle-1`, …
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn new(threads: usize) -> Result<Self> {
        if threads <= 1 {
            return Ok(Self(None));
        }
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("jostle-{index}"))
            .build()
            .map(|pool| Self(Some(pool)))
            .map_err(|error| {
                Error::invalid(format!(
                    "{threads} threads can't be started ({error}); try --threads 1"
                ))
            })
    }

    /// Threads that work when [`Self::run`] does.
    pub fn threads(&self) -> usize {
        self.0.as_ref().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// Runs `work` on the crew: loops over bands that it meets spread over all threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// Calls `work` for each item, on all threads of the crew that the caller runs on.
pub fn for_each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    if rayon::current_thread_index().is_some() {
        items.par_iter_mut().for_each(work);
    } else {
        items.iter_mut().for_each(work);
    }
}

/// Does both, at the same time if the caller runs on a crew: what a recursion over bands splits with.
pub fn join<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if rayon::current_thread_index().is_some() { rayon::join(one, other) } else { (one(), other()) }
}
