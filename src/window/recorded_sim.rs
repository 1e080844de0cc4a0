//! The run in the window, with its past: what changes it goes through here, and into the timeline
//! and the journal.
//!
//! Everything can be read of it as of a [`Sim`]. [`RecordedSim::apply`] is the only way to change
//! the state, so that no change can be forgotten.
//!
//! The state is a position on the timeline: a number of steps, and a number of its edits. Before
//! the end, a step makes the edits of the timeline, and a change leaves them for another future.

mod branches;

use std::{
    io,
    ops::Deref,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    alloc,
    error::Result,
    journal::{BranchName, Due, JournalView, JournalWriter, Position, Replay},
    program::{ProgramError, ProgramResult},
    sim::{Applied, Edit, Sim},
    snapshot::Snapshot,
    step::Probe,
    window::{timeline::Timeline, tool::Histories},
};

/// Follows the run in the window: it is called with each state that is new, the first with the run
/// that begins (true). On an error it is not called any more.
pub(crate) type FollowRun = Box<dyn FnMut(&Sim, bool) -> ProgramResult<()> + Send>;

/// The way back of a run that was replaced.
pub(super) struct RunPast {
    timeline: Timeline,
    made: usize,
    /// The step of the run.
    now: u64,
}

impl RunPast {
    /// Bytes that are held.
    pub(super) fn memory(&self) -> usize {
        self.timeline.memory()
    }

    /// The part of it that takes at most that many bytes; `None` if there is no room for a way back.
    pub(super) fn reduced(mut self, bytes: usize) -> Option<Self> {
        self.timeline.set_budget(bytes, self.now);
        (self.timeline.goes_back() && self.memory() <= bytes).then_some(self)
    }
}

/// A run, its timeline, and the journal of it.
pub(super) struct RecordedSim {
    sim: Sim,
    timeline: Timeline,
    /// Edits of the timeline that the state has.
    made: usize,
    /// True if a change has left a future, and if agents were spawned again, until that is taken.
    parted: bool,
    remade: bool,
    journal: Option<JournalWriter>,
    /// What the window shows of the run.
    pub(super) view: JournalView,
    follow: Option<FollowRun>,
    /// How often something was changed, in this run and those before.
    changes: u64,
    /// How far the journal goes: to the end of the line.
    written: Position,
    /// How far the run was followed.
    followed: Position,
    /// Branches that were given up, and why, until that is taken.
    dropped: Vec<(BranchName, &'static str)>,
    /// Why the journal is not written any more, until that is taken.
    trouble: Option<io::Error>,
    /// Why the run is not followed any more, until that is taken.
    lost: Option<ProgramError>,
}

impl Deref for RecordedSim {
    type Target = Sim;

    fn deref(&self) -> &Sim {
        &self.sim
    }
}

impl RecordedSim {
    /// A run that begins, from a snapshot or from its set-up, with a timeline of at most `history`
    /// bytes.
    pub(super) fn new(
        sim: Sim,
        from: Option<&Snapshot>,
        journal: Option<JournalWriter>,
        history: usize,
    ) -> Self {
        let (timeline, written) = (Timeline::new(&sim, 0, history), (sim.steps(), 0));
        let mut recorded = Self {
            sim,
            timeline,
            made: 0,
            parted: false,
            remade: false,
            journal,
            view: JournalView::Whole,
            follow: None,
            changes: 0,
            written,
            followed: written,
            dropped: Vec::new(),
            trouble: None,
            lost: None,
        };
        recorded.record_begin(from);
        recorded
    }

    /// Lets the run be followed, from its present state on.
    pub(super) fn set_follow(&mut self, follow: Option<FollowRun>) {
        self.follow = follow;
        self.follow_on(true);
    }

    /// Another run begins. Returns the way back of the one before.
    pub(super) fn begin(&mut self, sim: Sim, from: Option<&Snapshot>) -> RunPast {
        let (step, _) = self.written.max(self.position());
        self.write(|journal, _| journal.end(step));
        let (now, made, budget) = (self.sim.steps(), self.made, self.timeline.budget());
        let timeline = std::mem::replace(&mut self.timeline, Timeline::new(&sim, 0, budget));
        (self.made, self.parted, self.written) = (0, false, (sim.steps(), 0));
        self.followed = self.written;
        self.sim = sim;
        self.record_begin(from);
        RunPast { timeline: timeline.alone(), made, now }
    }

    /// Goes on with the way back that the run had before it was replaced. No journal is written, which would
    /// not have it.
    pub(super) fn take_past(&mut self, RunPast { timeline, made, .. }: RunPast) {
        let begun = std::mem::replace(&mut self.timeline, timeline);
        self.timeline.take_room_of(&begun, self.sim.steps());
        self.made = made;
        (self.written, self.followed) = (self.position(), self.position());
    }

    /// Leaves so much more of the memory of the way back to other runs, or so much less.
    pub(super) fn reserve(&mut self, bytes: isize) {
        self.timeline.reserve(bytes, self.sim.steps());
    }

    fn record_begin(&mut self, from: Option<&Snapshot>) {
        // A set-up does not have the rules.
        let has_rules = from.is_none() && self.sim.rule_source().is_some();
        self.write(|journal, sim| {
            let own =
                if has_rules { Some(sim.snapshot().map_err(io::Error::other)?) } else { None };
            journal.begin(sim.setup(), from.or(own.as_ref()))
        });
        self.follow_on(true);
    }

    /// Lets the run be followed to its present state.
    fn follow_on(&mut self, begins: bool) {
        if let Some(follow) = &mut self.follow
            && let Err(error) = follow(&self.sim, begins)
        {
            self.follow = None;
            self.lost = Some(error);
        }
    }

    /// The kept moments and edits of the run.
    pub(super) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Keeps a moment after each step, for tests of short runs.
    #[cfg(test)]
    pub(super) fn keep_all(&mut self) {
        self.timeline.keep_all();
    }

    /// Where the run is on its timeline.
    pub(super) fn position(&self) -> Position {
        (self.sim.steps(), self.made)
    }

    /// The first step that the run can go back to.
    pub(super) fn first_step(&self) -> u64 {
        if self.timeline.goes_back() { self.timeline.ends()[0] } else { self.sim.steps() }
    }

    /// The strokes before the present state; `now` where no history is kept.
    pub(super) fn strokes(&self, now: &Histories) -> Histories {
        if !self.timeline.goes_back() {
            return Arc::clone(now);
        }
        self.timeline.strokes(self.position()).cloned().unwrap_or_default()
    }

    /// Keeps the strokes before the present state, if a history is kept.
    pub(super) fn keep_strokes(&mut self, now: &Histories) {
        if self.timeline.goes_back() {
            self.timeline.keep_strokes(self.position(), now);
        }
    }

    /// The time of what the user does now, by the clock of the timeline.
    pub(super) fn tick(&mut self) -> u64 {
        self.timeline.tick()
    }

    /// How often something was changed, in this run and those before.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// True before the end of the timeline.
    pub(super) fn is_past(&self) -> bool {
        self.position() < self.timeline.end()
    }

    /// Goes to the state from which it is shortest to a step: the present one, if that is not
    /// later, or a moment of the timeline. True if the run was restored.
    ///
    /// # Errors
    /// If there is not enough memory for another run; then nothing changes.
    pub(super) fn approach(&mut self, step: u64) -> Result<bool> {
        let Some(((at, made), snapshot)) = self.timeline.nearest(step) else { return Ok(false) };
        let restores = self.position() < (at, made) || self.sim.steps() > step;
        if restores {
            restore(&mut self.sim, snapshot)?;
            self.made = made;
            self.timeline.restored();
        }
        self.end_edits()?;
        Ok(restores)
    }

    /// True if a change has left a future since the last call.
    pub(super) fn take_parted(&mut self) -> bool {
        std::mem::take(&mut self.parted)
    }

    /// True if the timeline has spawned agents again since the last call.
    pub(super) fn take_remade(&mut self) -> bool {
        std::mem::take(&mut self.remade)
    }

    /// Makes the edits of the timeline that are due before the next step, or at the end.
    ///
    /// # Errors
    /// As the functions of [`Sim`], though the same edit was possible before.
    pub(super) fn make_edits(&mut self) -> Result<()> {
        while let Some(edit) = self.timeline.next_edit((self.sim.steps(), self.made)) {
            self.sim.apply(edit)?;
            self.remade |= matches!(edit, Edit::Spawn(_));
            self.made += 1;
        }
        Ok(())
    }

    /// The end of the timeline is the state after all edits.
    fn end_edits(&mut self) -> Result<()> {
        if self.sim.steps() == self.timeline.ends()[1] { self.make_edits() } else { Ok(()) }
    }

    /// The run, for what does not change its state: the index, the SIMD level, measurements.
    pub(super) fn beside_state(&mut self) -> &mut Sim {
        &mut self.sim
    }

    /// As [`Sim::step_with`], after the edits that the timeline has here.
    pub(super) fn step_with(&mut self, probe: &mut impl Probe) -> Result<()> {
        let begin = Instant::now();
        self.make_edits()?;
        let is_new = self.position() >= self.written;
        if let Some(journal) = self.journal.as_mut().filter(|_| is_new) {
            journal.view(self.sim.steps(), self.view);
        }
        self.sim.step_with(probe)?;
        self.stepped(begin.elapsed());
        self.end_edits()
    }

    fn stepped(&mut self, took: Duration) {
        self.timeline.stepped(&self.sim, self.made, took);
        let position = self.position();
        if position > self.written {
            self.written = position;
            if let Some(journal) = &mut self.journal {
                journal.stepped(&self.sim);
            }
        }
        if position > self.followed {
            self.followed = position;
            self.follow_on(false);
        }
    }

    /// As [`Replay::due`].
    pub(super) fn replay(&mut self, replay: &mut Replay) -> ProgramResult<Due> {
        let Self { sim, timeline, made, .. } = self;
        replay.due(sim, |sim, edit| {
            timeline.record((sim.steps(), *made), edit);
            *made += 1;
            timeline.settle(sim, *made);
        })
    }

    /// Makes a change as [`Sim::apply`] does, and records it if there is one.
    pub(super) fn apply(&mut self, edit: Edit) -> Result<Applied> {
        let applied = self.sim.apply(&edit)?;
        if !applied.is_nothing() {
            self.record(edit);
        }
        Ok(applied)
    }

    /// Whether a journal is written.
    pub(super) fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    /// Appends what has happened to the file of the journal.
    pub(super) fn write_journal(&mut self, now: Instant) {
        let (step, _) = self.written;
        self.write(|journal, _| journal.write(step, now));
    }

    /// Completes the journal: the window is closed.
    pub(super) fn close_journal(&mut self) {
        self.leave_future(self.position());
        self.write(JournalWriter::close);
        self.journal = None;
    }

    /// Why the journal is not written any more, once.
    pub(super) fn take_trouble(&mut self) -> Option<io::Error> {
        self.trouble.take()
    }

    /// Why the run is not followed any more, once.
    pub(super) fn take_lost(&mut self) -> Option<ProgramError> {
        self.lost.take()
    }

    /// The user has changed the run.
    fn record(&mut self, edit: Edit) {
        let (step, position) = (self.sim.steps(), self.position());
        self.leave_future(position);
        if let Some(journal) = &mut self.journal {
            journal.edit(step, &edit);
        }
        let parts = self.timeline.record(position, edit);
        let (_, line) = self.timeline.line();
        if let Some(journal) = self.journal.as_mut().filter(|_| parts) {
            journal.goes_on_as(step, line);
        }
        self.parted |= parts;
        self.made += 1;
        self.changes += 1;
        (self.written, self.followed) = (self.position(), self.position());
        self.timeline.settle(&self.sim, self.made);
    }

    /// Writes to the journal. If that fails, the run goes on without it.
    fn write(&mut self, write: impl FnOnce(&mut JournalWriter, &Sim) -> io::Result<()>) {
        if let Some(journal) = &mut self.journal
            && let Err(error) = write(journal, &self.sim)
        {
            self.journal = None;
            self.trouble = Some(error);
        }
    }
}

/// Takes a run to a moment of its own, or changes nothing.
fn restore(sim: &mut Sim, snapshot: &Snapshot) -> Result<()> {
    let (simd, index) = (sim.simd(), sim.index());
    sim.restore_here(snapshot)?;
    sim.set_simd(simd);
    // The old state is gone.
    alloc::demanded(sim.set_index(index));
    Ok(())
}
