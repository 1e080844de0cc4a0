//! Undo, which takes strokes back, newest first, and redo, which does them again.
//!
//! What can be undone is a part of each moment of the run: the timeline keeps the strokes before it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Session,
    host::RunHost,
    motion,
    screen::Screen,
    stroke::{Tools, build, copied, room_for_statics},
    world::{current, former},
};
use crate::{
    agents::Spawn,
    program::ProgramResult as Result,
    raster::{Renderer, View},
    sim::Edit,
    statics::Static,
    window::{
        event::Event,
        recorded_sim::RecordedSim,
        tool::{History, ToolStroke, UndoTurn, WorldText},
    },
};

impl Session {
    /// Takes the strokes that lie before the present state, which may be another than that of the
    /// newest stroke.
    pub(super) fn recall_strokes(&mut self) {
        self.tools.state.histories = self.host.sim.strokes(&self.tools.state.histories);
    }

    /// Keeps the strokes for the case that the run comes back to the present state.
    pub(super) fn keep_strokes(&mut self) {
        self.host.sim.keep_strokes(&self.tools.state.histories);
    }

    /// Undoes or does again what the user did last: cancels a start, takes a stroke back, brings
    /// another future or the run before this one back. In the past, it takes no stroke back: that would
    /// be a change there, with another future, which the next undo would take back.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    pub(super) fn turn(&mut self, turn: UndoTurn) -> Result<Event> {
        self.unchanged(|session| session.turn_once(turn))
    }

    fn turn_once(&mut self, turn: UndoTurn) -> Result<Event> {
        if turn == UndoTurn::Undo
            && let Some(event) = self.starts.undo()
        {
            return Ok(event);
        }
        let (state, is_past) = (&self.tools.state, self.host.sim.is_past());
        let newest = state.histories[turn as usize].0.last().filter(|_| !is_past);
        let timeline = self.host.sim.timeline();
        if newest.is_none_or(|stroke| stroke.parts || timeline.turned_after(turn, stroke.at))
            && let Some(event) = self.bring_future_back(turn)
        {
            return Ok(event);
        }
        if turn == UndoTurn::Undo && std::mem::take(&mut self.tools.state.steered) {
            return Ok(self.cannot_undo_steering());
        }
        let (before, setup) = (self.sim().rule_source().cloned(), self.setup().clone());
        let Self { host, screen, tools, .. } = self;
        let event = if is_past { None } else { tools.take_back(turn, host, screen)? };
        self.look_unless(before.as_deref());
        self.look_at_motion(&setup);
        let event = event.or_else(|| self.bring_former_back(turn));
        Ok(event.unwrap_or_else(|| nothing_to(turn, is_past)))
    }

    /// Names the limit of undo, once: the next undo takes the stroke before this one back.
    fn cannot_undo_steering(&self) -> Event {
        let way = if self.host.sim.timeline().goes_back() {
            "; Left or the bar below the picture goes to a time before it"
        } else {
            ""
        };
        Event::Notice(format!("undo does not take back what poke and attract did{way}"))
    }
}

/// That there is nothing to turn, and where changes may be.
fn nothing_to(turn: UndoTurn, is_past: bool) -> Event {
    let event = Event::Turned(turn, None);
    if is_past {
        return Event::Notice(format!("{event} in the past; End goes to the newest step"));
    }
    event
}

impl Tools {
    /// Takes the newest stroke back, or the one that has taken the last one back; `None` if there
    /// is none. Restored agents are as they were but for their ids, as no id is used twice. If
    /// there is no room for some of them, these can be restored later; a stroke of which nothing
    /// can be restored goes to the end of the history.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    fn take_back(
        &mut self,
        turn: UndoTurn,
        RunHost { pool, sim, .. }: &mut RunHost,
        Screen { renderer, .. }: &mut Screen,
    ) -> Result<Option<Event>> {
        let at = turn as usize;
        if self.state.histories[at].0.is_empty() {
            return Ok(None);
        }
        self.state.steered = false;
        let histories = Arc::make_mut(&mut self.state.histories);
        let Some(stroke) = histories[at].0.pop() else { return Ok(None) };
        let mut stroke = Arc::unwrap_or_clone(stroke);
        let mut taken = ToolStroke { at: sim.tick(), ..ToolStroke::default() };
        let result = pool.install(|| take_back(sim, renderer, histories, &mut stroke, &mut taken));
        renderer.record_starts(&View::from_sim(sim));
        let (what, any) = (taken.taken_back(), taken.can_be_undone());
        histories[1 - at].push(taken);
        // The same number set again is another change.
        sim.tick();
        let Err(error) = result else { return Ok(Some(Event::Turned(turn, Some(what)))) };
        let refusal = Event::notice_of(error)?;
        Ok(Some(Event::Notice(if any {
            histories[at].push(stroke);
            format!("{what}, but not everything: {refusal}")
        } else {
            // All other strokes are taken back before it.
            histories[at].0.insert(0, Arc::new(stroke));
            format!("can't take this back now, other strokes come first: {refusal}")
        })))
    }
}

/// Takes a stroke back by another, `taken`; what is not taken back stays in the stroke.
fn take_back(
    sim: &mut RecordedSim,
    renderer: &mut Renderer,
    histories: &mut [History; 2],
    stroke: &mut ToolStroke,
    taken: &mut ToolStroke,
) -> Result<()> {
    if let (Some(source), Some(WorldText(name, text, settings))) =
        (sim.rule_source(), &stroke.world)
    {
        let before = former(source);
        sim.apply(Edit::World(name.clone(), text.clone(), settings.clone()))?;
        (taken.world, stroke.world) = (Some(before), None);
    }
    if let (Some(source), false) = (sim.rule_source(), stroke.values.is_empty()) {
        let before = current(source, &stroke.values);
        sim.apply(Edit::Values(stroke.values.clone()))?;
        (taken.values, stroke.values) = (before, Vec::new());
    }
    if let Some((field, number)) = stroke.motion {
        taken.motion = Some((field, motion::set(sim, field, number)?));
        stroke.motion = None;
    }
    // A later stroke may have erased some of it.
    let walls = std::mem::take(&mut stroke.walls);
    taken.broken = sim.statics().iter().filter(|(id, _)| walls.contains(id)).collect();
    sim.apply(Edit::RemoveStatics(walls))?;
    taken.erased = living(sim, &mut stroke.spawned);
    // Walls that came back may cover some, which the strokes that built these have.
    let [before, undone] = histories;
    take_erased(before, &stroke.spawned, &mut taken.erased);
    before.0.retain(|stroke| stroke.can_be_undone());
    sim.apply(Edit::Remove(copied(&stroke.spawned)))?;
    stroke.spawned.clear();
    // Agents that touch a restored wall come after it, since it replaces those that are there.
    let statics: Vec<Static> = stroke.broken.iter().map(|&(_, wall)| wall).collect();
    let (fit, statics) = statics.split_at(statics.len().min(room_for_statics(sim)));
    build(sim, fit, taken)?;
    let restored = stroke.broken.drain(..fit.len()).map(|(id, _)| id);
    let renamed = restored.zip(taken.walls.iter().copied());
    rename([&mut *before, undone], |stroke| &stroke.walls, |stroke| &mut stroke.walls, renamed);
    // What the walls cover by now comes back when they leave: by the opposite of this turn, or by undo of the
    // stroke that built them. Where several have, the oldest is undone when the walls of all are gone.
    if !taken.erased.is_empty() && !taken.walls.is_empty() {
        let builds =
            |stroke: &&mut Arc<ToolStroke>| stroke.walls.iter().any(|id| taken.walls.contains(id));
        if let Some(builder) = before.0.iter_mut().find(builds) {
            Arc::make_mut(builder).erased.extend_from_slice(&taken.erased);
        }
    }
    // The opposite of the stroke that built such walls may have brought some back already.
    let mut ids: Vec<u32> = stroke.erased.iter().map(|&(id, _)| id).collect();
    let alive: BTreeSet<u32> = living(sim, &mut ids).into_iter().map(|(id, _)| id).collect();
    stroke.erased.retain(|(id, _)| !alive.contains(id));
    let mut agents: Vec<Spawn> = stroke.erased.iter().map(|&(_, spawn)| spawn).collect();
    let room = agents.len().min(sim.capacity_left());
    let (fit, agents) = agents.split_at_mut(room);
    sim.make_room(fit);
    taken.spawned = sim.apply(Edit::Spawn(copied(fit)))?.ids().collect();
    let restored = stroke.erased.drain(..fit.len()).map(|(id, _)| id);
    let renamed: Vec<(u32, u32)> = restored.zip(taken.spawned.iter().copied()).collect();
    renderer.rename_starts(renamed.iter().copied());
    rename_erased(undone, &renamed.iter().copied().collect());
    let mut back: Vec<u32> = renamed.iter().map(|&(former, _)| former).collect();
    back.sort_unstable();
    take_erased(before, &back, &mut Vec::new());
    let renamed = renamed.into_iter();
    rename([before, undone], |stroke| &stroke.spawned, |stroke| &mut stroke.spawned, renamed);
    // The rest doesn't fit: the run refuses it with the reason.
    build(sim, statics, taken)?;
    sim.apply(Edit::Spawn(copied(agents)))?;
    Ok(())
}

/// The agents with these ids that are still there, with what restores them.
fn living(sim: &RecordedSim, ids: &mut [u32]) -> Vec<(u32, Spawn)> {
    let (agents, space) = (sim.agents(), sim.space());
    ids.sort_unstable();
    let [Some(&first), Some(&last)] = [ids.first(), ids.last()] else { return Vec::new() };
    let slots = (0..agents.len()).filter(|&slot| {
        let id = agents.id[slot];
        (first..=last).contains(&id) && ids.binary_search(&id).is_ok()
    });
    let restored = slots.map(|slot| {
        // Agents beyond the seam are wrapped by sorts only.
        let spawn = agents.respawn(slot);
        (agents.id[slot], Spawn { position: space.wrapped(spawn.position), ..spawn })
    });
    restored.collect()
}

/// Moves the agents with these ids, which ascend, from what strokes have erased to `taken`.
fn take_erased(history: &mut History, ids: &[u32], taken: &mut Vec<(u32, Spawn)>) {
    if ids.is_empty() {
        return;
    }
    let is_one = |(id, _): &(u32, Spawn)| ids.binary_search(id).is_ok();
    let changes = history.0.iter_mut().filter(|stroke| stroke.erased.iter().any(is_one));
    for stroke in changes.map(Arc::make_mut) {
        taken.extend(stroke.erased.extract_if(.., |agent| is_one(agent)));
    }
}

/// Replaces the ids of erased agents that are back, given the new id of each former one.
fn rename_erased(history: &mut History, renamed: &BTreeMap<u32, u32>) {
    if renamed.is_empty() {
        return;
    }
    let is_back = |(id, _): &(u32, Spawn)| renamed.contains_key(id);
    let changes = history.0.iter_mut().filter(|stroke| stroke.erased.iter().any(is_back));
    for (id, _) in changes.map(Arc::make_mut).flat_map(|stroke| &mut stroke.erased) {
        *id = renamed.get(id).copied().unwrap_or(*id);
    }
}

/// Replaces ids in one column of all strokes, given pairs of former and new id.
fn rename(
    histories: [&mut History; 2],
    column: fn(&ToolStroke) -> &[u32],
    change: fn(&mut ToolStroke) -> &mut Vec<u32>,
    renamed: impl Iterator<Item = (u32, u32)>,
) {
    let renamed: BTreeMap<u32, u32> = renamed.collect();
    let strokes = histories.into_iter().flat_map(|history| &mut history.0);
    // The histories of other moments keep the former ids, which the agents have there.
    let changes = strokes.filter(|stroke| column(stroke).iter().any(|id| renamed.contains_key(id)));
    for id in changes.map(Arc::make_mut).flat_map(change) {
        *id = renamed.get(id).copied().unwrap_or(*id);
    }
}
