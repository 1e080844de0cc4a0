//! The runs that others have replaced, so that undo brings them back, and redo the others again.
//!
//! ```text
//! undo   [ run 1 | run 2 ]   run 3   [ run 5 | run 4 ]   redo
//!                            in the window
//! ```
//!
//! Each has the state that was shown, and its way back with strokes and branches. All together take at most
//! half of the memory of the way back, in equal shares. Where there is no room for all of them, the ways back
//! go first, and then the runs that are farthest from the one in the window.

use super::{Session, apply::refused};
use crate::{
    format,
    program::ProgramResult as Result,
    raster::{ColorBy, Style},
    sim::Sim,
    snapshot::Snapshot,
    window::{event::Event, recorded_sim::RunPast, tool::UndoTurn, view_control::ViewControl},
};

/// The hint after a start.
pub(super) const WAY_BACK: &str = "Ctrl-Z brings the run before this one back";

/// A run that was replaced.
pub(super) struct FormerRun {
    /// As a file would have it: a journal records it when the run comes back.
    snapshot: Snapshot,
    /// None if it takes too much memory, or a journal is written, which does not have it.
    past: Option<RunPast>,
    view: ViewControl,
    color_by: ColorBy,
    /// The colors of its species.
    species: [[u8; 3]; 16],
    /// The number of agents that the user had chosen last.
    asked: Option<u32>,
    /// True if agents were steered last.
    steered: bool,
}

impl FormerRun {
    fn bytes(&self) -> usize {
        self.snapshot.memory() + self.past.as_ref().map_or(0, RunPast::memory)
    }

    /// Shortens the way back so that the run takes at most that many bytes, as far as possible.
    fn reduce(&mut self, bytes: usize) {
        let room = bytes.saturating_sub(self.snapshot.memory());
        self.past = self.past.take().and_then(|past| past.reduced(room));
    }
}

/// The runs that were replaced.
#[derive(Default)]
pub(super) struct FormerRuns {
    /// By [`UndoTurn`]: the runs that it brings back, the next one last.
    runs: [Vec<FormerRun>; 2],
    /// Changes by the user when a turn brought the run in the window back. After another one there is nothing
    /// to redo.
    changes: u64,
    /// Bytes of them that the way back of the run in the window leaves.
    reserved: usize,
}

impl FormerRuns {
    /// Whether undo brings a run back.
    pub(super) fn is_some(&self) -> bool {
        !self.runs[UndoTurn::Undo as usize].is_empty()
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.runs.iter().flatten().map(FormerRun::bytes).sum()
    }

    fn count(&self) -> usize {
        self.runs.iter().map(Vec::len).sum()
    }

    /// Keeps a run for a turn in at most that many bytes with all others.
    fn keep(&mut self, run: FormerRun, by: UndoTurn, most: usize) {
        self.runs[by as usize].push(run);
        let share = most / self.count();
        self.runs.iter_mut().flatten().for_each(|run| run.reduce(share));
        while self.bytes() > most && self.count() > 1 {
            let other = by.opposite() as usize;
            let is_shorter = self.runs[other].len() < self.runs[by as usize].len();
            let from = if is_shorter { by as usize } else { other };
            self.runs[from].remove(0);
        }
    }
}

impl Session {
    /// The run in the window before another one replaces it; `None` if there is no memory to keep
    /// it.
    pub(super) fn former(&mut self) -> Option<FormerRun> {
        // It comes back alone, with the colors and the view of before.
        self.close_split();
        let Style { color_by, species, .. } = *self.style();
        let (view, steered) = (self.screen.view.clone(), self.tools.state.steered);
        let snapshot = self.snapshot().or_else(|_| {
            // The newest one is worth more than the others.
            self.starts.former.runs = Default::default();
            self.reserve_for_former();
            self.snapshot()
        });
        let asked = self.starts.asked;
        let (snapshot, past) = (snapshot.ok()?, None);
        Some(FormerRun { snapshot, past, view, color_by, species, asked, steered })
    }

    /// Keeps the run that the one in the window has replaced, with its way back, and names the way back to
    /// it. It was replaced by a turn, or by a start.
    pub(super) fn keep_former(
        &mut self,
        former: Option<FormerRun>,
        past: RunPast,
        turn: Option<UndoTurn>,
    ) {
        let back = turn.map_or(UndoTurn::Undo, UndoTurn::opposite);
        if turn.is_none() {
            self.starts.former.runs[UndoTurn::Redo as usize].clear();
        }
        let is_kept = former.is_some();
        if let Some(former) = former {
            let past = (!self.host.sim.has_journal()).then_some(past);
            let most = self.host.sim.timeline().budget() / 2;
            self.starts.former.keep(FormerRun { past, ..former }, back, most);
        }
        self.reserve_for_former();
        if !is_kept {
            let lost = "undo can't bring the run before this one back: there was no memory to keep it; save a \
                 run with Ctrl-S before another start";
            self.reports.notice(lost.to_owned());
        } else if turn.is_none() && self.tour.is_none() {
            // A tour has captions; its end names the way back.
            self.reports.events.push(Event::Hint(WAY_BACK.to_owned()));
        }
    }

    /// Leaves the memory of the other runs to them, in the way back of a run that has just begun.
    pub(super) fn reserve_anew(&mut self) {
        self.starts.former.reserved = 0;
        self.reserve_for_former();
    }

    fn reserve_for_former(&mut self) {
        let bytes = self.starts.former.bytes();
        let before = std::mem::replace(&mut self.starts.former.reserved, bytes);
        self.host.sim.reserve(bytes.cast_signed() - before.cast_signed());
    }

    /// Forgets the runs that undo has left, once the user has changed the one in the window.
    pub(super) fn forget_undone_runs(&mut self) {
        let former = &mut self.starts.former;
        let undone = &mut former.runs[UndoTurn::Redo as usize];
        if former.changes != self.host.sim.changes() && !undone.is_empty() {
            undone.clear();
            self.reserve_for_former();
        }
    }

    /// Does something that is no change by the user, though it may apply edits.
    pub(super) fn unchanged<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.forget_undone_runs();
        let done = work(self);
        self.starts.former.changes = self.host.sim.changes();
        done
    }

    /// Shows the run before the last start as it was then ([`UndoTurn::Undo`]), or the started run
    /// again ([`UndoTurn::Redo`]), if it is there. In the past, there is nothing to undo.
    pub(super) fn bring_former_back(&mut self, turn: UndoTurn) -> Option<Event> {
        if turn == UndoTurn::Undo && self.host.sim.is_past() {
            return None;
        }
        let former = self.starts.former.runs[turn as usize].pop()?;
        let sim = self.starts.restored(&self.host, &former.snapshot);
        Some(match sim.and_then(|sim| self.prepared(sim)) {
            Ok(sim) => {
                let shown = self.go_back_to(former, sim, turn);
                shown.unwrap_or_else(|error| refused(&error))
            }
            Err(error) => {
                self.starts.former.runs[turn as usize].push(former);
                refused(&error)
            }
        })
    }

    /// # Errors
    /// If the additions of the window to its snapshot can't be used; the run is shown all the same.
    fn go_back_to(&mut self, former: FormerRun, sim: Sim, turn: UndoTurn) -> Result<Event> {
        let FormerRun { snapshot, past, view, color_by, species, asked, steered } = former;
        let shown = self.show_saved(&snapshot, sim, Some(turn));
        self.screen.restyle(|style| (style.color_by, style.species) = (color_by, species));
        self.screen.view = view;
        self.starts.asked = asked;
        self.screen.view.resize(self.screen.size, self.screen.taken());
        if let Some(past) = past {
            self.host.sim.take_past(past);
            self.recall_strokes();
            self.tools.state.steered = steered;
        }
        shown?;
        let (name, step) = (self.host.sim.title(), format::grouped(self.host.sim.steps()));
        Ok(Event::Turned(turn, Some(format!("back in {name}, step {step}"))))
    }
}
