//! Writing: what happens becomes lines, which are appended to the file before the next frame.

use std::{
    fmt::{self, Write as _},
    io::{self, Write},
    time::{Duration, Instant},
};

use super::{
    BranchName, JournalView, LINES, SETUP, SNAPSHOT,
    edit::{EditLine, Quoted},
};
use crate::{
    alloc,
    error::Error,
    scene::Setup,
    sim::{Edit, Sim},
    snapshot::{SeriesWriter, Snapshot},
};

/// Steps from one state hash to the next.
const HASH_EVERY: u64 = 60;

/// Longest time for which the file does not say how far the run has come.
const REACHED_EVERY: Duration = Duration::from_millis(500);

/// A journal that is being written.
pub(crate) struct JournalWriter {
    series: SeriesWriter<Box<dyn Write + Send>>,
    /// Lines that are not in the file yet.
    lines: String,
    /// The step that the file says was reached, and when it said so.
    reached: (u64, Instant),
    /// What the window shows by the last line about that; `None` where the run begins or has gone back.
    view: Option<JournalView>,
}

impl JournalWriter {
    /// Begins a journal.
    ///
    /// # Errors
    /// If it can't be written, as in all functions here.
    pub(crate) fn new(to: Box<dyn Write + Send>) -> io::Result<Self> {
        let series = SeriesWriter::new(to)?;
        Ok(Self { series, lines: String::new(), reached: (0, Instant::now()), view: None })
    }

    /// A run begins with a set-up, or with a snapshot.
    pub(crate) fn begin(&mut self, setup: &Setup, from: Option<&Snapshot>) -> io::Result<()> {
        self.flush()?;
        self.view = None;
        match from {
            None => self.series.section(SETUP, setup.to_text().as_bytes()),
            Some(snapshot) => self.series.section(SNAPSHOT, snapshot.as_bytes()),
        }
    }

    /// The user has changed the run after that step.
    pub(crate) fn edit(&mut self, step: u64, edit: &Edit) {
        self.line(step, EditLine(edit));
    }

    /// The window shows this part of the world while the run takes the step after that one.
    pub(crate) fn view(&mut self, step: u64, view: JournalView) {
        if self.view.is_none_or(|before| view.differs(before)) {
            self.line(step, view);
            self.view = Some(view);
        }
    }

    /// The run has taken a step.
    pub(crate) fn stepped(&mut self, sim: &Sim) {
        if sim.steps().is_multiple_of(HASH_EVERY) {
            self.line(sim.steps(), format_args!("state {:016x}", sim.state_hash()));
        }
    }

    /// Records that the run has reached step `from`, and that the user has gone back to another
    /// step, with `edits` changes made, and makes another change.
    pub(crate) fn rewound(&mut self, from: u64, step: u64, edits: usize) {
        self.reached(from, Instant::now());
        self.line(step, format_args!("rewound {edits}"));
        self.view = None;
    }

    /// What the rewind before has left is a branch.
    pub(crate) fn left(&mut self, step: u64, name: BranchName) {
        self.line(step, format_args!("branch {}", Quoted(name.as_str())));
    }

    /// The line has that name; if it is that of a branch, the line goes on as that.
    pub(crate) fn goes_on_as(&mut self, step: u64, name: BranchName) {
        self.line(step, format_args!("line {}", Quoted(name.as_str())));
    }

    /// The line or a branch has another name.
    pub(crate) fn renamed(&mut self, step: u64, before: BranchName, name: BranchName) {
        let [before, name] = [&before, &name].map(|name| Quoted(name.as_str()));
        self.line(step, format_args!("renamed {before} {name}"));
    }

    /// A branch is given up.
    pub(crate) fn dropped(&mut self, step: u64, name: BranchName) {
        self.line(step, format_args!("dropped {}", Quoted(name.as_str())));
    }

    /// Records that the run comes to that step, as it has before.
    pub(crate) fn comes_to(&mut self, step: u64) {
        self.reached(step, Instant::now());
    }

    /// Appends what is new to the file, and now and then how far the run has come.
    pub(crate) fn write(&mut self, step: u64, now: Instant) -> io::Result<()> {
        let (reached, when) = self.reached;
        if step != reached && now.saturating_duration_since(when) >= REACHED_EVERY {
            self.reached(step, now);
        }
        self.flush()
    }

    /// The run ends after that step, and another begins.
    pub(crate) fn end(&mut self, step: u64) -> io::Result<()> {
        self.reached(step, Instant::now());
        self.flush()
    }

    /// The window is closed, after that step.
    pub(crate) fn close(&mut self, sim: &Sim) -> io::Result<()> {
        self.line(sim.steps(), format_args!("state {:016x}", sim.state_hash()));
        self.line(sim.steps(), "closed");
        self.flush()
    }

    fn reached(&mut self, step: u64, now: Instant) {
        self.line(step, "reached");
        self.reached = (step, now);
    }

    fn line(&mut self, step: u64, what: impl std::fmt::Display) {
        let before = self.lines.len();
        let mut to = Reserved { text: &mut self.lines, refused: None };
        let written = writeln!(to, "{step} {what}");
        if let (Err(_), Some(error)) = (written, to.refused) {
            // A reader would not understand half a line.
            self.lines.truncate(before);
            alloc::demanded::<()>(Err(error));
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.lines.is_empty() {
            self.series.section(LINES, self.lines.as_bytes())?;
            self.lines.clear();
        }
        Ok(())
    }
}

/// A string that grows before it is written to.
struct Reserved<'a> {
    text: &'a mut String,
    /// Why it could not grow.
    refused: Option<Error>,
}

impl fmt::Write for Reserved<'_> {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        alloc::reserve_text(self.text, more.len(), "the lines of the journal").map_err(
            |error| {
                self.refused = Some(error);
                fmt::Error
            },
        )?;
        self.text.push_str(more);
        Ok(())
    }
}

impl Drop for JournalWriter {
    /// After a panic, too: what is not in the file yet shows how it came to that.
    fn drop(&mut self) {
        let _ = self.flush();
    }
}
