//! The trait of all engines, and the measurement of an engine.

use std::{alloc::System, error::Error, time::Duration};

use rustix::time::{ClockId, clock_gettime};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use crate::{
    bodies::{Bodies, Overlaps},
    spread::{Samples, Spread, time},
    state::State,
};

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// The parameters with which an engine runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    pub(crate) threads: usize,
    pub(crate) sleep: bool,
}

/// An engine with the bodies of a state.
pub(crate) trait Engine {
    fn name(&self) -> &'static str;

    fn step(&mut self) -> Outcome<()>;

    /// Replaces `bodies` by the engine's own.
    fn read(&mut self, bodies: &mut Bodies) -> Outcome<()>;

    /// Bytes held; `counted` of them were allocated through Rust's allocator.
    fn bytes(&self, counted: usize) -> Outcome<usize>;
}

/// The kind of time that is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    /// Processor time of all threads of the process: other processes do not count.
    Process,
    /// Wall time.
    Wall,
}

impl Clock {
    /// The kind for a number of threads. On one thread both kinds are equal, and processor time is
    /// less noisy. Several threads save wall time only.
    pub(crate) fn of(mode: Mode) -> Self {
        if mode.threads == 1 { Self::Process } else { Self::Wall }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Process => "process time",
            Self::Wall => "wall time",
        }
    }

    fn time<R>(self, work: impl FnOnce() -> R) -> (Duration, R) {
        match self {
            Self::Process => {
                let start = process_time();
                let result = work();
                (process_time().saturating_sub(start), result)
            }
            Self::Wall => time(work),
        }
    }
}

fn process_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Bytes allocated through Rust's allocator and not freed.
fn live_bytes() -> isize {
    let stats = COUNTING.stats();
    stats.bytes_allocated.wrapping_sub(stats.bytes_deallocated).cast_signed()
}

/// An engine under measurement.
pub(crate) struct Entry {
    engine: Box<dyn Engine>,
    clock: Clock,
    /// Bytes that its construction and its steps have allocated and not freed.
    counted: isize,
    samples: Samples,
    /// At the end of the last turn, and of the one before.
    pub(crate) bodies: Bodies,
    earlier: Bodies,
    /// At the end of each turn.
    overlaps: Vec<Overlaps>,
}

impl Entry {
    /// Builds an engine and runs it for the steps of its warm-up.
    pub(crate) fn new(
        state: &State,
        warm_up: u32,
        mode: Mode,
        build: impl FnOnce() -> Outcome<Box<dyn Engine>>,
    ) -> Outcome<Self> {
        let before = live_bytes();
        let engine = build()?;
        let mut entry = Self {
            engine,
            clock: Clock::of(mode),
            counted: live_bytes() - before,
            samples: Samples::default(),
            bodies: state.bodies(),
            earlier: Bodies::default(),
            overlaps: Vec::new(),
        };
        entry.advance(warm_up)?;
        Ok(entry)
    }

    pub(crate) fn name(&self) -> &'static str {
        self.engine.name()
    }

    /// Returns the time of these steps.
    fn advance(&mut self, steps: u32) -> Outcome<Duration> {
        let Self { engine, clock, counted, .. } = self;
        let before = live_bytes();
        let (took, done) = clock.time(|| (0..steps).try_for_each(|_| engine.step()));
        *counted += live_bytes() - before;
        done.map(|()| took)
    }

    /// Times some steps, then looks at the bodies.
    pub(crate) fn turn(&mut self, steps: u32, state: &State) -> Outcome<()> {
        let took = self.advance(steps)?;
        self.samples.push(took / steps);
        std::mem::swap(&mut self.earlier, &mut self.bodies);
        self.bodies.clear();
        self.engine.read(&mut self.bodies)?;
        let start = &state.start;
        self.overlaps.push(Overlaps::measure(start.world, &self.bodies, &start.agents.radius)?);
        Ok(())
    }

    /// Nanoseconds per body and step.
    pub(crate) fn spread(&self) -> Spread {
        let Spread { low, median, high } = self.samples.spread().expect("there was a turn");
        let per_body = 1e6 / self.bodies.positions.len() as f64;
        Spread { low: low * per_body, median: median * per_body, high: high * per_body }
    }

    /// The largest overlap at the end of any turn, and the mean of the means.
    pub(crate) fn overlaps(&self) -> Overlaps {
        let largest = self.overlaps.iter().map(|overlaps| overlaps.largest).fold(0.0, f64::max);
        let sum: f64 = self.overlaps.iter().map(|overlaps| overlaps.mean).sum();
        Overlaps { largest, mean: sum / self.overlaps.len() as f64 }
    }

    /// Share of the bodies that the last turn did not move at all.
    pub(crate) fn still(&self) -> f64 {
        self.bodies.still_since(&self.earlier)
    }

    pub(crate) fn bytes_per_body(&self) -> Outcome<f64> {
        let counted = usize::try_from(self.counted).unwrap_or(0);
        Ok(self.engine.bytes(counted)? as f64 / self.bodies.positions.len() as f64)
    }
}
