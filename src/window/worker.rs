//! A background worker: a thread that does one job after the other, so that slow work doesn't block
//! the window.
//!
//! ```text
//! order ─► jobs ─► thread: work ─► done ─► wake the window, take
//! ```

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use crate::program::{ProgramError, ProgramResult as Result};

/// A thread, and the channels to it and from it.
pub(super) struct Worker<Job, Done> {
    jobs: Sender<Job>,
    done: Receiver<Done>,
}

impl<Job: Send + 'static, Done: Send + 'static> Worker<Job, Done> {
    /// Starts a thread that passes each job to `work`, and calls `wake` when there is something to
    /// [`Self::take`]. Of a job for which `work` returns `None` there is nothing to take.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn new(
        name: &str,
        mut work: impl FnMut(Job) -> Option<Done> + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let ((jobs, ordered), (sender, done)) = (channel(), channel());
        let run = move || {
            for job in ordered {
                if let Some(done) = work(job) {
                    // A window that was closed meanwhile takes nothing.
                    let _ = sender.send(done);
                    wake();
                }
            }
        };
        thread::Builder::new()
            .name(format!("jostle-{name}"))
            .spawn(run)
            .map_err(|error| ProgramError::refused(format!("no thread to {name} on ({error})")))?;
        Ok(Self { jobs, done })
    }

    /// Adds a job to the queue.
    pub(super) fn order(&self, job: Job) {
        // The thread ends only with this end of the channel.
        let _ = self.jobs.send(job);
    }

    /// The results since the last call.
    pub(super) fn take(&self) -> impl Iterator<Item = Done> {
        self.done.try_iter()
    }

    /// Waits for the next result.
    pub(super) fn wait(&self) -> Option<Done> {
        self.done.recv().ok()
    }
}

/// Does work that may panic, which is an error then: `failed` as a sentence.
pub(super) fn caught<T>(failed: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(ProgramError::refused(failed)))
}
