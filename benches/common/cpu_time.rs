//! The time of a draw: wall time and processor time.

use std::time::{Duration, Instant};

/// A duration, measured by two clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Took {
    /// Wall time.
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
