//! Undo: takes strokes back, newest first.

use super::{
    Session,
    stroke::{build, room_for_statics},
};
use crate::{
    agents::Spawn,
    error::Result,
    raster::View,
    sim::Sim,
    statics::Static,
    window::{
        event::Event,
        history::{History, Tally, ToolStroke},
    },
};

impl Session {
    /// Undoes the newest stroke. Restored agents are as they were but for their ids, as no id is
    /// used twice. What there is no room for can be restored later; a stroke of which nothing can
    /// be restored goes to the end of the history.
    ///
    /// # Errors
    /// As [`Event::refused`].
    pub(super) fn undo(&mut self) -> Result<Event> {
        let Self { pool, sim, renderer, tool_state, .. } = self;
        let history = &mut tool_state.history;
        let Some(mut stroke) = history.pop() else { return Ok(Event::Undone(None)) };
        let mut tally = Tally::default();
        let result = pool.install(|| take_back(sim, history, &mut stroke, &mut tally));
        let refusal = result.err().map(Event::refused).transpose()?;
        renderer.record_starts(&View::from_sim(sim));
        let Some(refusal) = refusal else { return Ok(Event::Undone(Some(tally.undone()))) };
        Ok(Event::Notice(if tally == Tally::default() {
            history.push_oldest(stroke);
            format!("can't undo this now, other strokes come first: {refusal}")
        } else {
            history.push(stroke);
            format!("{}, but not everything: {refusal}", tally.undone())
        }))
    }
}

/// Undoes a stroke and counts what was undone; the rest stays in the stroke.
fn take_back(
    sim: &mut Sim,
    history: &mut History,
    stroke: &mut ToolStroke,
    tally: &mut Tally,
) -> Result<()> {
    // A later stroke may have erased some of it.
    tally.walls = sim.remove_statics(&std::mem::take(&mut stroke.walls));
    tally.spawned = sim.remove(&stroke.spawned)?;
    stroke.spawned.clear();
    let agents: Vec<Spawn> = stroke.erased.iter().map(|&(_, spawn)| spawn).collect();
    let (fit, agents) = agents.split_at(agents.len().min(sim.capacity_left()));
    let ids = sim.spawn(fit)?;
    tally.erased = fit.len();
    let restored = stroke.erased.drain(..fit.len()).map(|(id, _)| id);
    history.rename(|stroke| &mut stroke.spawned, restored.zip(ids));
    let walls: Vec<Static> = stroke.broken.iter().map(|&(_, wall)| wall).collect();
    let (fit, walls) = walls.split_at(walls.len().min(room_for_statics(sim)));
    let ids = build(sim, fit)?;
    tally.broken = fit.len();
    let restored = stroke.broken.drain(..fit.len()).map(|(id, _)| id);
    history.rename(|stroke| &mut stroke.walls, restored.zip(ids));
    // What is left doesn't fit: the run refuses it with the reason.
    sim.spawn(agents)?;
    build(sim, walls)?;
    Ok(())
}
