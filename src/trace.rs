//! Spans of time that all threads record while a trace is on: steps, their phases, the rounds of a
//! solver, frames, and the pieces of parallel loops in all of these.
//!
//! A process has at most one trace, because a parallel loop has no owner that it could ask for one.
//! Without a trace a span costs a load and a branch. With one it costs two clock readings and two
//! stores into memory that was claimed before: nothing is allocated, and no thread waits. Spans for
//! which there is no room are dropped.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

static TRACE: OnceLock<Trace> = OnceLock::new();

/// What a thread does during a span. The phases come first, in the order of
/// [`Phase`](crate::step::Phase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    Contacts,
    Order,
    Resolve,
    Integrate,
    Regrid,
    Forces,
    Draw,
    Step,
    Round,
}

impl Activity {
    pub(crate) const ALL: [Self; 9] = [
        Self::Contacts,
        Self::Order,
        Self::Resolve,
        Self::Integrate,
        Self::Regrid,
        Self::Forces,
        Self::Draw,
        Self::Step,
        Self::Round,
    ];

    /// The name in a trace: that of the phase in `phases_ms`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Contacts => "contacts",
            Self::Order => "order",
            Self::Resolve => "resolve",
            Self::Integrate => "integrate",
            Self::Regrid => "regrid",
            Self::Forces => "forces",
            Self::Draw => "draw",
            Self::Step => "step",
            Self::Round => "round",
        }
    }
}

/// A recorded span. Spans of one thread are disjoint, or one contains the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) activity: Activity,
    /// True for a piece of a parallel loop.
    pub(crate) is_piece: bool,
    /// Index of the thread in its pool; 0 outside of a pool.
    pub(crate) thread: u64,
    /// Nanoseconds since the trace began.
    pub(crate) start: u64,
    /// Nanoseconds.
    pub(crate) duration: u64,
}

impl Span {
    /// Start; then from the lowest bit: activity (7 bits), piece (1), thread (16), duration (40).
    fn pack(self) -> [u64; 2] {
        const LONGEST: u64 = (1 << 40) - 1;
        let kind = self.activity as u64 | u64::from(self.is_piece) << 7;
        [self.start, kind | self.thread.min(0xffff) << 8 | self.duration.min(LONGEST) << 24]
    }

    fn unpack([start, rest]: [u64; 2]) -> Self {
        Self {
            activity: Activity::ALL[(rest & 0x7f) as usize],
            is_piece: rest & 0x80 != 0,
            thread: rest >> 8 & 0xffff,
            start,
            duration: rest >> 24,
        }
    }
}

/// A span in memory.
#[derive(Debug, Default)]
pub(crate) struct PackedSpan([AtomicU64; 2]);

impl PackedSpan {
    fn read(&self) -> Span {
        Span::unpack(self.0.each_ref().map(|word| word.load(Relaxed)))
    }
}

/// A trace that is on.
#[derive(Debug)]
pub(crate) struct Trace {
    began: Instant,
    /// Spans in the order in which they ended.
    records: Vec<PackedSpan>,
    /// Number of spans that have ended, with those that are dropped.
    ended: AtomicUsize,
    /// The activity that pieces of loops are part of, plus 1; 0 outside of steps and frames.
    current: AtomicU8,
}

impl Trace {
    fn new(records: Vec<PackedSpan>) -> Self {
        let (ended, current) = (AtomicUsize::new(0), AtomicU8::new(0));
        Self { began: Instant::now(), records, ended, current }
    }

    /// Begins a span within a step or a frame: of a part of it, or of a piece of a loop.
    #[cold]
    #[inline(never)]
    fn open(&self, part: Option<Activity>) -> Option<(Activity, bool, Instant)> {
        let current = usize::from(self.current.load(Relaxed)).checked_sub(1)?;
        Some((part.unwrap_or(Activity::ALL[current]), part.is_none(), Instant::now()))
    }

    fn record(&self, activity: Activity, is_piece: bool, start: Instant, end: Instant) {
        let Some(record) = self.records.get(self.ended.fetch_add(1, Relaxed)) else { return };
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (start, end) = (nanoseconds(start - self.began), nanoseconds(end - self.began));
        let thread = rayon::current_thread_index().unwrap_or(0) as u64;
        let span = Span { activity, is_piece, thread, start, duration: end - start };
        for (to, from) in record.0.iter().zip(span.pack()) {
            to.store(from, Relaxed);
        }
    }

    /// The spans of whole steps and frames, in the order in which they ended, while none is under
    /// way.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> + Clone {
        let kept = self.records.iter().take(self.ended.load(Relaxed));
        let whole = if self.is_full() {
            let outer = |span: Span| [Activity::Step, Activity::Draw].contains(&span.activity);
            let last = kept.clone().rposition(|record| {
                let span = record.read();
                outer(span) && !span.is_piece
            });
            last.map_or(0, |last| last + 1)
        } else {
            kept.len()
        };
        kept.take(whole).map(PackedSpan::read)
    }

    /// True if spans were dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.ended.load(Relaxed) > self.records.len()
    }
}

/// Turns the trace of this process on. It records into `records`; a second call has no effect.
pub(crate) fn turn_on(records: Vec<PackedSpan>) {
    TRACE.get_or_init(|| Trace::new(records));
}

/// The trace of this process, if it is on.
pub(crate) fn get() -> Option<&'static Trace> {
    TRACE.get()
}

/// Says that pieces of loops are part of an activity from now on, or of none.
#[inline]
pub(crate) fn enter(activity: Option<Activity>) {
    if let Some(trace) = TRACE.get() {
        trace.current.store(activity.map_or(0, |activity| activity as u8 + 1), Relaxed);
    }
}

/// Records a span that the caller has measured.
#[inline]
pub(crate) fn record(activity: Activity, start: Instant, end: Instant) {
    if let Some(trace) = TRACE.get() {
        trace.record(activity, false, start, end);
    }
}

/// Does a step or draws a frame, with a span of its own; returns how long that took.
pub(crate) fn timed<R>(activity: Activity, work: impl FnOnce() -> R) -> (R, Duration) {
    enter(Some(activity));
    let start = Instant::now();
    let result = work();
    let end = Instant::now();
    record(activity, start, end);
    enter(None);
    (result, end - start)
}

/// A span that ends when it is dropped.
#[must_use = "the span ends when this is dropped"]
#[derive(Debug)]
pub(crate) struct OpenSpan(Option<(Activity, bool, Instant)>);

/// Begins the span of a piece of a parallel loop, within a step or a frame.
#[inline]
pub(crate) fn piece() -> OpenSpan {
    OpenSpan(TRACE.get().and_then(|trace| trace.open(None)))
}

/// Begins the span of a round of a solver, within a step.
#[inline]
pub(crate) fn round() -> OpenSpan {
    OpenSpan(TRACE.get().and_then(|trace| trace.open(Some(Activity::Round))))
}

impl Drop for OpenSpan {
    #[inline]
    fn drop(&mut self) {
        #[cold]
        #[inline(never)]
        fn close((activity, is_piece, start): (Activity, bool, Instant)) {
            if let Some(trace) = TRACE.get() {
                trace.record(activity, is_piece, start, Instant::now());
            }
        }
        if let Some(open) = self.0 {
            close(open);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace_of(length: usize) -> Trace {
        Trace::new((0..length).map(|_| PackedSpan::default()).collect())
    }

    #[test]
    fn packed_spans_are_unpacked() {
        for (at, activity) in Activity::ALL.into_iter().enumerate() {
            assert_eq!(activity as usize, at);
            for is_piece in [false, true] {
                let (start, duration) = (u64::MAX - 7, (1 << 40) - 1);
                let span = Span { activity, is_piece, thread: 255, start, duration };
                assert_eq!(Span::unpack(span.pack()), span);
            }
        }
    }

    #[test]
    fn a_full_trace_ends_with_a_whole_step() {
        let trace = trace_of(5);
        let at = |n| trace.began + Duration::from_nanos(n);
        for step in 0..3 {
            trace.record(Activity::Contacts, true, at(10 * step + 1), at(10 * step + 2));
            trace.record(Activity::Step, false, at(10 * step), at(10 * step + 9));
        }
        assert!(trace.is_full());
        let found: Vec<_> = trace.spans().map(|span| (span.activity, span.start)).collect();
        let [contacts, step] = [Activity::Contacts, Activity::Step];
        assert_eq!(found, [(contacts, 1), (step, 0), (contacts, 11), (step, 10)]);
    }

    #[test]
    fn a_trace_with_room_has_all_spans() {
        let trace = trace_of(2);
        assert_eq!(trace.spans().count(), 0);
        trace.record(Activity::Step, false, trace.began, trace.began);
        trace.record(Activity::Draw, false, trace.began, trace.began);
        assert!(!trace.is_full());
        assert_eq!(trace.spans().count(), 2);
    }
}
