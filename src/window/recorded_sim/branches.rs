//! The branches of a recorded run: going on as one, in the timeline and in the journal; and the run beside one.

use super::{RecordedSim, restore};
use crate::{
    alloc,
    error::Result,
    journal::{BranchName, BranchTree, Position},
    program::ProgramResult,
    sim::{Edit, Sim},
    snapshot::Snapshot,
    window::{timeline::OtherFuture, tool::UndoTurn},
};

impl RecordedSim {
    /// Goes on as another branch, as a turn of the user or as they chose. The run is where the two part or
    /// before; the step at which they part. `None` if there is no such branch.
    ///
    /// # Errors
    /// As [`Self::approach`].
    pub(in crate::window) fn go_to_branch(
        &mut self,
        number: u32,
        turn: Option<UndoTurn>,
    ) -> Result<Option<u64>> {
        let Some((way, from)) = self.timeline.way(number) else { return Ok(None) };
        // Behind the parting, the state is not one of the other future.
        if self.position() > from {
            let Some(((_, made), snapshot)) = self.timeline.before(from) else { return Ok(None) };
            restore(&mut self.sim, snapshot)?;
            self.made = made;
        }
        let (left, _) = self.timeline.line();
        for branch in way {
            self.resume(branch);
        }
        self.timeline.turn(turn, left);
        self.timeline.restored();
        Ok(Some(from.0))
    }

    /// Lets the line and the journal go on as a branch that parts from the line.
    fn resume(&mut self, branch: u32) {
        let Some((_, from)) = self.timeline.way(branch) else { return };
        self.leave_future(from);
        if self.timeline.resume(branch).is_none() {
            return;
        }
        let ((end, _), (_, line)) = (self.timeline.end(), self.timeline.line());
        let edits = self.timeline.edits_after(from.1);
        if let Some(journal) = &mut self.journal {
            journal.goes_on_as(from.0, line);
            for (step, edit) in edits {
                journal.edit(*step, edit);
            }
            journal.comes_to(end);
        }
        self.written = self.timeline.end();
    }

    /// Gives the line or a branch another name.
    ///
    /// # Errors
    /// As [`Timeline::rename`].
    pub(in crate::window) fn rename(
        &mut self,
        number: u32,
        name: BranchName,
    ) -> std::result::Result<(), &'static str> {
        self.record_dropped();
        let before = self.timeline.rename(number, name)?;
        if let Some(journal) = &mut self.journal {
            journal.renamed(self.written.0, before, name);
        }
        Ok(())
    }

    /// Lets the user see the run beside that branch, or else beside the one that was left last.
    pub(in crate::window) fn choose(&mut self, branch: Option<u32>) {
        self.timeline.choose(branch);
    }

    /// The branches that were given up since the last call, and why.
    pub(in crate::window) fn take_dropped(&mut self) -> Vec<(BranchName, &'static str)> {
        self.record_dropped();
        std::mem::take(&mut self.dropped)
    }

    /// Records the branches that were given up. They are gone before the journal has a line of another
    /// branch, as it has only so many.
    fn record_dropped(&mut self) {
        for (name, why) in self.timeline.take_dropped() {
            if let Some(journal) = &mut self.journal {
                journal.dropped(self.written.0, name);
            }
            self.dropped.push((name, why));
        }
    }

    /// Takes over the branches of the journal that was replayed, up to its end (true) or less far.
    pub(in crate::window) fn adopt(
        &mut self,
        branches: BranchTree<Vec<(u64, Edit)>>,
        is_whole: bool,
    ) {
        self.timeline.adopt(branches, self.sim.steps(), is_whole);
    }

    /// The same run with another future: that of a branch, from a moment before it parts, or without one
    /// the future that the run has, from here. Also the step at which they part.
    ///
    /// # Errors
    /// As `restore`, and if there is not enough memory.
    pub(in crate::window) fn twin(
        &self,
        branch: Option<u32>,
        restore: impl FnOnce(&Snapshot) -> ProgramResult<Sim>,
        history: usize,
    ) -> ProgramResult<(Self, u64)> {
        let kept = |edits: &mut dyn Iterator<Item = &(u64, Edit)>| {
            alloc::collected(edits.cloned(), "the edits of the run")
        };
        let other = branch.and_then(|branch| self.timeline.other_future(branch));
        let (sim, edits, [from, end]) = if let Some(OtherFuture { before, edits, ends }) = other {
            (restore(before)?, kept(&mut edits.into_iter())?, ends)
        } else {
            let edits = kept(&mut self.timeline.edits_after(self.made).iter())?;
            let (end, _) = self.timeline.end();
            (restore(&self.sim.snapshot()?)?, edits, [self.sim.steps(), end])
        };
        let mut twin = Self::new(sim, None, None, history);
        twin.sim.set_simd(self.sim.simd());
        twin.timeline.foresee(edits, end);
        Ok((twin, from))
    }

    /// Records that the journal goes on from a position, and that what it leaves is a branch.
    pub(in crate::window) fn leave_future(&mut self, position: Position) {
        self.record_dropped();
        let (_, line) = self.timeline.line();
        if position < self.written
            && let Some(journal) = &mut self.journal
        {
            journal.rewound(self.written.0, position.0, position.1);
            journal.left(position.0, line);
        }
        self.written = self.written.min(position);
        self.followed = self.followed.min(position);
    }
}
