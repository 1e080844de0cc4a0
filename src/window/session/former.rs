//! The runs that others have replaced, so that undo brings them back, and redo the others again.
//!
//! ```text
//! undo   [ run 1 | run 2 ]   run 3   [ run 5 | run 4 ]   redo
//!                            in the window
//! ```
//!
//! Each has the state that was shown, and its way back with strokes and branches. All together take at most
//! half of the memory of the way back; the oldest goes first, and the newest stays.

use super::{Session, apply::refused, runs::restored};
use crate::{
    format,
    program::ProgramResult as Result,
    raster::{ColorBy, Style},
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
}

impl FormerRun {
    fn bytes(&self) -> usize {
        self.snapshot.memory() + self.past.as_ref().map_or(0, RunPast::memory)
    }
}

/// The runs that were replaced.
#[derive(Default)]
pub(super) struct FormerRuns {
    /// By [`UndoTurn`]: the runs that it brings back, the next one last.
    runs: [Vec<FormerRun>; 2],
    /// The edits of the run in the window when a turn has brought it back. After another one there is nothing
    /// to redo.
    edits: usize,
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

    /// Takes the run that a turn brings back, if the one in the window has these edits.
    fn take(&mut self, turn: UndoTurn, edits: usize) -> Option<FormerRun> {
        if edits != self.edits {
            self.runs[UndoTurn::Redo as usize].clear();
        }
        self.runs[turn as usize].pop()
    }

    /// Keeps a run for a turn in at most that many bytes with all others, of which the oldest go first.
    fn keep(&mut self, mut run: FormerRun, by: UndoTurn, most: usize) {
        let room = most.saturating_sub(run.snapshot.memory());
        run.past = run.past.and_then(|past| past.reduced(room));
        self.runs[by as usize].push(run);
        let count = |runs: &[Vec<FormerRun>; 2]| runs.iter().map(Vec::len).sum::<usize>();
        while self.bytes() > most && count(&self.runs) > 1 {
            let other = by.opposite();
            let from = if self.runs[other as usize].is_empty() { by } else { other };
            self.runs[from as usize].remove(0);
        }
    }
}

impl Session {
    /// The run in the window before another one replaces it; `None` if there is no memory to keep
    /// it.
    pub(super) fn former(&mut self) -> Option<FormerRun> {
        let Style { color_by, species, .. } = *self.style();
        let view = self.screen.view.clone();
        let (snapshot, asked) = (self.snapshot().ok()?, self.starts.asked);
        Some(FormerRun { snapshot, past: None, view, color_by, species, asked })
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

    /// Leaves the memory of the runs before and after the one in the window to them.
    pub(super) fn reserve_for_former(&mut self) {
        self.host.sim.reserve(self.starts.former.bytes().cast_signed());
        self.starts.former.edits = self.host.sim.edits();
    }

    /// Shows the run before the last start as it was then ([`UndoTurn::Undo`]), or the started run
    /// again ([`UndoTurn::Redo`]), if it is there. In the past, there is nothing to undo.
    pub(super) fn bring_former_back(&mut self, turn: UndoTurn) -> Option<Event> {
        if turn == UndoTurn::Undo && self.host.sim.is_past() {
            return None;
        }
        let former = self.starts.former.take(turn, self.host.sim.edits())?;
        Some(self.go_back_to(former, turn).unwrap_or_else(|error| refused(&error)))
    }

    /// # Errors
    /// If there is not enough memory; the former run is kept, unless that failed when it was shown, and the
    /// other one is kept already.
    fn go_back_to(&mut self, former: FormerRun, turn: UndoTurn) -> Result<Event> {
        let sim = match restored(&self.starts, &self.host, &former.snapshot) {
            Ok(sim) => sim,
            Err(error) => {
                self.starts.former.runs[turn as usize].push(former);
                return Err(error);
            }
        };
        let FormerRun { snapshot, past, view, color_by, species, asked } = former;
        self.show_saved(&snapshot, sim, Some(turn))?;
        self.screen.restyle(|style| (style.color_by, style.species) = (color_by, species));
        self.screen.view = view;
        self.starts.asked = asked;
        self.screen.view.resize(self.screen.size, self.screen.taken());
        if let Some(past) = past {
            self.host.sim.take_past(past);
            self.recall_strokes();
            self.starts.former.edits = self.host.sim.edits();
        }
        let (name, step) = (self.host.sim.title(), format::grouped(self.host.sim.steps()));
        Ok(Event::Turned(turn, Some(format!("back in {name}, step {step}"))))
    }
}
