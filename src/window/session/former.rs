//! The run that another one has replaced: its last state is kept, so that undo brings it back, and redo
//! leaves it again.

use super::{Session, apply::refused};
use crate::{
    format,
    program::ProgramResult as Result,
    raster::{ColorBy, Style},
    sim::SavedState,
    snapshot::Snapshot,
    window::{event::Event, tool::UndoTurn, view_control::ViewControl},
};

/// A run that was replaced.
pub(super) struct FormerRun {
    /// As a file would have it: a journal records it when the run comes back.
    snapshot: Snapshot,
    view: ViewControl,
    color_by: ColorBy,
    /// The number of agents that the user had chosen last.
    asked: Option<u32>,
    /// What brings it back, as long as the run after it has no more edits than so many.
    by: UndoTurn,
    edits: usize,
}

impl Session {
    /// The run in the window before another one replaces it; `None` if there is no memory to keep it.
    pub(super) fn former(&mut self) -> Option<FormerRun> {
        // Only one is kept.
        self.former = None;
        let snapshot = self.snapshot().ok()?;
        let (view, color_by, asked) = (self.view.clone(), self.style().color_by, self.asked);
        Some(FormerRun { snapshot, view, color_by, asked, by: UndoTurn::Undo, edits: 0 })
    }

    /// Keeps the run that the one in the window has replaced.
    pub(super) fn keep_former(&mut self, former: Option<FormerRun>, by: UndoTurn) {
        let edits = self.sim.edits();
        self.former = former.map(|former| FormerRun { by, edits, ..former });
        if self.former.is_none() {
            let lost = "undo can't bring the run before this one back: there was no memory to keep it; save a \
                 run with Ctrl-S before another start";
            self.events.push(Event::Notice(lost.to_owned()));
        }
    }

    /// Takes the last start back ([`UndoTurn::Undo`]) or that ([`UndoTurn::Redo`]): cancels it, or shows
    /// the run before it as it was then. `None` if the user has changed the run since.
    pub(super) fn bring_former_back(&mut self, turn: UndoTurn) -> Option<Event> {
        let edits = self.sim.edits();
        let former = self.former.take_if(|former| (former.by, former.edits) == (turn, edits))?;
        Some(self.go_back_to(&former, turn).unwrap_or_else(|error| {
            // Unless that failed when the run was shown, and the other one is kept already.
            self.former.get_or_insert(former);
            refused(&error)
        }))
    }

    fn go_back_to(&mut self, former: &FormerRun, turn: UndoTurn) -> Result<Event> {
        let FormerRun { snapshot, view, color_by, asked, .. } = former;
        let state = SavedState::read(snapshot)?;
        (self.admit)(&state.room(), self.sim.index(), self.threads())?;
        let sim = self.pool.install(|| state.restore(snapshot))?;
        self.show_saved(snapshot, sim, turn.opposite())?;
        self.renderer.set_style(Style { color_by: *color_by, ..self.style().clone() });
        self.view = view.clone();
        self.asked = *asked;
        self.view.resize(self.size, self.taken());
        let (scene, step) = (self.setup().scene, format::grouped(self.sim.steps()));
        Ok(Event::Turned(turn, Some(format!("back in {scene}, step {step}"))))
    }
}
