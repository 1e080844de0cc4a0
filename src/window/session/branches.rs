//! The branches of the run: what a click or a turn goes on as, their names, and those that are given up.

use super::{Session, apply::refused};
use crate::{
    journal::BranchName,
    program::{ProgramError, ProgramResult as Result},
    window::{event::Event, timeline::ShownBranch, tool::UndoTurn},
};

impl Session {
    /// Goes on as a branch, from that step or the one that is nearest to the present.
    ///
    /// # Errors
    /// If there is no such branch.
    pub(super) fn go_to_branch(&mut self, number: u32, step: Option<u64>) -> Result<Event> {
        let now = self.host.sim.steps();
        let branch = self.branch(number)?;
        let [from, end] = branch.ends;
        let resumed = self.resume(number, None).ok_or_else(gone)?;
        if resumed.is_refusal() {
            return Ok(resumed);
        }
        let went = self.go_to(step.unwrap_or(now).clamp(from, end));
        Ok(if went.is_refusal() { went } else { Event::set("branch", branch.name) })
    }

    /// Goes back to the branch that the run was before a change, a choice or a turn; `None` if there is none.
    pub(super) fn bring_future_back(&mut self, turn: UndoTurn) -> Option<Event> {
        let number = self.host.sim.timeline().turned(turn)?;
        self.resume(number, Some(turn))
    }

    /// Goes on as a branch, from where it parts.
    fn resume(&mut self, number: u32, turn: Option<UndoTurn>) -> Option<Event> {
        let pool = &self.host.pool;
        let sim = &mut self.host.sim;
        let step = match pool.install(|| sim.go_to_branch(number, turn)) {
            Ok(step) => step?,
            Err(error) => return Some(refused(&error.into())),
        };
        // The future that it was split from is the run's own now.
        let closed = self.close_split();
        self.reports.events.extend(closed);
        self.set_out(true, step);
        // The change itself is what redo does again.
        if let Some(seek) = &mut self.host.seek {
            seek.with_edits = turn == Some(UndoTurn::Redo);
        }
        let what = match turn {
            Some(UndoTurn::Redo) => format!("the change at step {step} and what came after it"),
            _ => format!("back to step {step} and what came after it"),
        };
        Some(Event::Turned(turn.unwrap_or(UndoTurn::Undo), Some(what)))
    }

    /// Gives the line or a branch another name.
    ///
    /// # Errors
    /// If it is taken.
    pub(super) fn rename_branch(&mut self, number: u32, name: BranchName) -> Result<Event> {
        let renamed = self.host.sim.rename(number, name);
        renamed.map_err(|why| ProgramError::refused(format!("\"{name}\" {why}")))?;
        Ok(Event::set("branch name", name))
    }

    /// Lets the run be shown beside that branch, or else beside the one that was left last.
    pub(super) fn choose_branch(&mut self, number: Option<u32>) -> Event {
        self.host.sim.choose(number);
        let chosen = number.and_then(|number| self.branch(number).ok());
        let name = chosen.map_or("the one left last".to_owned(), |it| it.name.to_string());
        Event::set("branch beside", name)
    }

    /// The branch under the pointer, and its step there.
    pub(super) fn branch_at_pointer(&self) -> Option<(ShownBranch, u64)> {
        let timeline = self.host.sim.timeline();
        self.screen.timeline_place(timeline)?.branch_at(self.tools.cursor, timeline)
    }

    /// Whether the pointer is over a timeline with branches, which have their names where it is.
    pub(super) fn is_on_branches(&self) -> bool {
        self.host.sim.timeline().branches().len() > 0 && self.is_on_timeline()
    }

    /// Takes over the branches of the journal that is replayed, up to its end (true) or less far.
    pub(super) fn adopt_branches(&mut self, is_whole: bool) {
        let playback = &self.host.playback;
        let replay = playback.replay.as_ref();
        let branches = replay.and_then(|replay| replay.journal().branches_of(playback.run));
        if let Some(branches) = branches {
            self.host.sim.adopt(branches, is_whole);
        }
    }

    /// Reports the branches that were given up.
    pub(super) fn report_branches(&mut self) {
        for (name, why) in self.host.sim.take_dropped() {
            self.reports.notice(format!("{name} is gone: {why}"));
        }
    }

    fn branch(&self, number: u32) -> Result<ShownBranch> {
        let mut branches = self.host.sim.timeline().branches();
        branches.find(|branch| branch.number == number).ok_or_else(gone)
    }
}

fn gone() -> ProgramError {
    ProgramError::refused(
        "there is no such branch any more; the bar below the picture has those that are left",
    )
}
