//! `--trace`: what each thread of a run did when, as a file in the trace event format, which Perfetto and
//! Chromium show.
//!
//! ```text
//! jostle-0   │ step ──────────────────────────────────────────────│ draw ───│
//!            │ contacts ────────│ resolve ──│ integrate │ regrid ─│         │   the phases of `phases_ms`
//!            │ piece │ piece    │ piece     │ piece     │ piece   │ piece   │   parallel loops
//! jostle-1     piece │ piece      piece       piece       piece     piece
//! ```

use std::io;

use serde::{Serialize, Serializer};

use super::{
    Outcome,
    args::TraceArgs,
    format::{grouped, plural},
    origin::Origin,
    output::Output,
    say,
};
use crate::{
    alloc,
    program::ProgramResult,
    trace::{self, Activity, PackedSpan, Span, Trace},
};

/// Spans that a trace has room for: 2,500 steps of 500,000 agents.
const SPANS: usize = 1 << 19;

/// A file that gets the trace of a run.
#[derive(Debug)]
pub(super) struct TraceFile(Output);

impl TraceFile {
    /// Bytes that a trace takes beside a run, if the flag asks for one.
    pub(super) fn memory_for(args: &TraceArgs) -> u64 {
        if args.trace.is_some() { (SPANS * size_of::<PackedSpan>()) as u64 } else { 0 }
    }

    /// Opens the file that the flag names, and turns the trace on.
    ///
    /// # Errors
    /// If the file can't be written, or there is not enough memory.
    pub(super) fn open(args: &TraceArgs) -> Outcome<Option<Self>> {
        let Some(path) = &args.trace else { return Ok(None) };
        let output = Output::open_as("--trace", path, &["json"])?;
        let mut records = alloc::with_capacity(SPANS, "the spans of a trace")?;
        records.resize_with(SPANS, PackedSpan::default);
        trace::turn_on(records);
        Ok(Some(Self(output)))
    }

    /// Writes what was recorded on that many threads.
    ///
    /// # Errors
    /// If it can't be written; then there is no file.
    pub(super) fn finish(self, origin: Origin, threads: usize) -> ProgramResult<()> {
        let Some(trace) = trace::get() else { return Ok(()) };
        if trace.is_full() {
            let is_step = |span: &Span| span.activity == Activity::Step && !span.is_piece;
            let whole = trace.spans().filter(is_step).count();
            say(&format!(
                "{} has the first {}: a trace has room for {} spans; trace fewer steps, after --warmup if later \
                 ones matter",
                self.0.path().display(),
                plural(whole, "step"),
                grouped(SPANS as u64)
            ));
        }
        let events = TraceEvents { trace, threads };
        let contents = TraceContents { events, unit: "ms", origin };
        let written = self.0.write(|to| {
            serde_json::to_writer(&mut *to, &contents).map_err(io::Error::from)?;
            writeln!(to)
        });
        written.map(drop)
    }
}

/// The file.
#[derive(Debug, Serialize)]
struct TraceContents<'a> {
    #[serde(rename = "traceEvents")]
    events: TraceEvents<'a>,
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
    #[serde(rename = "otherData")]
    origin: Origin,
}

/// The names of all threads, and all spans.
#[derive(Debug)]
struct TraceEvents<'a> {
    trace: &'a Trace,
    threads: usize,
}

/// An event of the format. A process has one number, and its threads have those from 1 on.
#[derive(Debug, Serialize)]
struct TraceEvent {
    name: &'static str,
    #[serde(rename = "cat", skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    #[serde(rename = "ph")]
    phase: char,
    pid: u32,
    tid: u64,
    /// Microseconds.
    #[serde(rename = "ts", skip_serializing_if = "Option::is_none")]
    start: Option<f64>,
    #[serde(rename = "dur", skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<EventArgs>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum EventArgs {
    Name(String),
    /// Its number among the steps of the trace.
    Step(u64),
}

impl Serialize for TraceEvents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let names = (0..self.threads as u64).map(|thread| TraceEvent {
            name: "thread_name",
            category: None,
            phase: 'M',
            pid: 1,
            tid: thread + 1,
            start: None,
            duration: None,
            args: Some(EventArgs::Name(format!("jostle-{thread}"))),
        });
        let mut steps = 0;
        let spans = self.trace.spans().map(|span| {
            let category = match span.activity {
                _ if span.is_piece => "piece",
                Activity::Step | Activity::Draw | Activity::Round => span.activity.name(),
                _ => "phase",
            };
            let is_step = span.activity == Activity::Step && !span.is_piece;
            steps += u64::from(is_step);
            let microseconds = |nanoseconds: u64| Some(nanoseconds as f64 / 1e3);
            TraceEvent {
                name: span.activity.name(),
                category: Some(category),
                phase: 'X',
                pid: 1,
                tid: span.thread + 1,
                start: microseconds(span.start),
                duration: microseconds(span.duration),
                args: is_step.then_some(EventArgs::Step(steps)),
            }
        });
        serializer.collect_seq(names.chain(spans))
    }
}
