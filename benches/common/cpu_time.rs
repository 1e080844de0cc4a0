//! The time that a draw takes, by the wall and by the processor.

use std::time::{Duration, Instant};

/// How long something took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Took {
    /// By the clock on the wall.
    pub(crate) wall: Duration,
    /// Processor time of all threads, which other processes hardly lengthen.
    pub(crate) cpu: Duration,
}

impl Took {
    /// The time that `work` takes.
    pub(crate) fn by(work: impl FnOnce()) -> Self {
        let (start, then) = (Instant::now(), processor_time());
        work();
        let (now, wall) = (processor_time(), start.elapsed());
        let cpu = now.zip(then).map_or(wall, |(now, then)| now.saturating_sub(then));
        Self { wall, cpu }
    }
}

fn processor_time() -> Option<Duration> {
    rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).try_into().ok()
}
