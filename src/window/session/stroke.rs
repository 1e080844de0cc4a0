//! What the tools do to a run while their button is held; undo, which takes strokes back, newest
//! first; and redo, which takes that back.
//!
//! Poke and attract steer agents before each step. Spawn, erase and wall work once per frame, at
//! places along the pointer's path since the last frame, so that a quick stroke leaves no gaps.
//!
//! A wall replaces the agents that it covers. A step would push them out of it at once, into their
//! neighbors, which are thrown away by that.

use std::collections::BTreeMap;

use glam::Vec2;

use super::Session;
use crate::{
    agents::{Agents, Spawn},
    alloc, format,
    geometry::{Disc, Elements, Rect},
    limits::SPEED_MAX,
    program::{ProgramError, ProgramResult as Result},
    raster::{Renderer, View},
    scene::{Setup, coordinate_step},
    sim::Edit,
    statics::Static,
    window::{
        event::{Event, sentence},
        recorded_sim::RecordedSim,
        tool::{Held, History, Tool, ToolStroke, UndoTurn},
    },
};

/// The purpose of the memory for what undo takes back, for errors.
const STROKE: &str = "what undo takes back";

/// Speed that poke and attract steer to, smallest radii per step: slow enough that no agent passes
/// through another.
const RADII_PER_STEP: f32 = 0.5;

/// Distance of the places along a path, as a share of the tool's radius, and their largest number.
pub(super) const SPACING: f32 = 0.75;
const PLACES: usize = 64;

impl Session {
    /// What the held tool does before each step, if it has an effect then: it steers the agents in
    /// reach and returns their number.
    pub(super) fn force(&self) -> Option<impl Fn(&mut RecordedSim) -> Result<usize> + use<>> {
        let sign = match self.tool_state.tool {
            Tool::Poke => 1.0,
            Tool::Attract => -1.0,
            _ => return None,
        };
        let setup = self.setup();
        let center = self.view.camera().to_world(self.cursor);
        let radius = self.tool_radius();
        let speed = sign * (RADII_PER_STEP * setup.radius[0] * setup.hz).min(SPEED_MAX);
        let held = self.tool_state.held == Held::Tool;
        held.then_some(move |sim: &mut RecordedSim| {
            Ok(sim.apply(Edit::Steer(center, radius, speed))?.count())
        })
    }

    /// The tool's radius, world units.
    pub(super) fn tool_radius(&self) -> f32 {
        self.tool_state.radius() * self.text_scale as f32 / self.view.camera().scale
    }

    /// As [`Self::work`]; the event of what is refused for the first time in this stroke.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    pub(super) fn work_on(&mut self) -> Result<Option<Event>> {
        let Err(error) = self.work() else { return Ok(None) };
        let notice = Event::notice_of(error)?;
        let again = std::mem::replace(&mut self.tool_state.stroke.refused, true);
        Ok((!again).then_some(notice))
    }

    /// Uses the held tool once, along the path since the last call of this stroke.
    ///
    /// # Errors
    /// If there is not enough memory or no room for more.
    pub(super) fn work(&mut self) -> Result<()> {
        if self.tool_state.held != Held::Tool {
            return Ok(());
        }
        let here = self.view.camera().to_world(self.cursor);
        let radius = self.tool_radius();
        let (from, begins) = self.tool_state.at.map_or((here, true), |at| (at, false));
        let count = ((from.distance(here) / (radius * SPACING)) as usize).min(PLACES);
        self.tool_state.at = Some(here);
        let places = (0..=count).map(move |n| here.lerp(from, n as f32 / (count + 1) as f32));
        match self.tool_state.tool {
            Tool::Hand | Tool::Inspect => Ok(()),
            Tool::Poke | Tool::Attract => {
                // A paused run takes no step that would steer.
                if let (true, Some(steer)) = (begins, self.force()) {
                    self.tool_state.stroke.steered += steer(&mut self.sim)?;
                }
                Ok(())
            }
            Tool::Spawn => self.spawn_at(places, radius),
            Tool::Erase => self.erase_at(places, radius),
            Tool::Wall => self.build_along(from, here, begins, radius),
        }
    }

    fn spawn_at(&mut self, places: impl Iterator<Item = Vec2>, radius: f32) -> Result<()> {
        let Self { pool, sim, renderer, tool_state, seeds, .. } = self;
        let mut spawns = Vec::new();
        for place in places {
            sim.fill(place, radius, seeds, &mut spawns);
        }
        if sim.capacity_left() == 0 {
            return Err(full("agents", sim.agents().len()));
        }
        if spawns.is_empty() {
            return Ok(());
        }
        if let Some(faction) = tool_state.faction {
            for spawn in &mut spawns {
                *spawn = spawn.with_faction(faction);
            }
        }
        let ids = pool.install(|| sim.apply(Edit::Spawn(spawns)))?.ids();
        renderer.record_starts(&View::from_sim(sim));
        alloc::append(&mut tool_state.stroke.spawned, ids, STROKE)?;
        Ok(())
    }

    fn erase_at(&mut self, places: impl Iterator<Item = Vec2>, radius: f32) -> Result<()> {
        let Self { pool, sim, tool_state, .. } = self;
        let (mut slots, mut walls) = (Vec::new(), BTreeMap::new());
        for place in places {
            sim.visit_disc(place, radius, |slot| slots.push(slot));
            let copies = || sim.space().copies(Rect::around(place, radius), sim.world());
            let meets = |wall: &Static| copies().any(|by| wall.distance(place + by) <= radius);
            let under = sim.statics().iter().filter(|(_, wall)| meets(wall));
            walls.extend(under);
        }
        sim.apply(Edit::RemoveStatics(walls.keys().copied().collect()))?;
        tool_state.stroke.broken.extend(walls);
        pool.install(|| erase(sim, slots, &mut tool_state.stroke))
    }

    /// Builds discs along a path, close enough that nothing passes between them. They lie in the world
    /// whole: near a border they are moved inside, and one wider than the world is made smaller.
    fn build_along(&mut self, from: Vec2, here: Vec2, begins: bool, radius: f32) -> Result<()> {
        let Self { pool, sim, tool_state, .. } = self;
        let world = sim.world();
        // What rounding may move a disc out of the world by.
        let margin = 2.0 * coordinate_step(&world);
        let radius = radius.min(0.5 * world.size().min_element() - margin);
        let inside = world.expanded(-radius - margin);
        let spacing = radius * SPACING;
        let length = from.distance(here);
        let count = (length / spacing) as usize;
        let (mut places, mut walls) = (Vec::new(), Vec::<Static>::new());
        let last = tool_state.stroke.walls.last().and_then(|&id| sim.statics().find(id));
        let mut last = last.map(|wall| wall.bounds().center());
        // The stroke ends at the last disc, not at the pointer: the next path starts there.
        tool_state.at = (!begins).then_some(from);
        let mut end = tool_state.at;
        for n in (usize::from(!begins)..=count).take(PLACES) {
            let place = from.lerp(here, if count == 0 { 0.0 } else { n as f32 * spacing / length });
            let center = place.clamp(inside.min, inside.max);
            let is_there = last.is_some_and(|last| last.distance(center) < 0.5 * spacing);
            // Beyond the border of the world there is a wall already, or the other side of it.
            if world.contains(place) && !is_there {
                places.push(place);
                walls.push(Static::disc(center, radius));
                last = Some(center);
            }
            end = Some(place);
        }
        let (fit, rest) = walls.split_at(walls.len().min(room_for_statics(sim)));
        pool.install(|| build(sim, fit, &mut tool_state.stroke))?;
        tool_state.at = places[..fit.len()].last().copied().or(tool_state.at);
        if !rest.is_empty() {
            return Err(full("statics", sim.statics().capacity()));
        }
        tool_state.at = end;
        Ok(())
    }

    /// Takes the newest stroke back, or the one that has taken the last one back. Restored agents
    /// are as they were but for their ids, as no id is used twice. What there is no room for can be
    /// restored later; a stroke of which nothing can be restored goes to the end of the history.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    pub(super) fn turn(&mut self, turn: UndoTurn) -> Result<Event> {
        if turn == UndoTurn::Undo
            && let Some(Setup { scene, .. }) = self.placement.setup()
        {
            let what = format!("the start of {scene}");
            self.placement.cancel();
            return Ok(Event::Turned(turn, Some(what)));
        }
        let at = turn as usize;
        if self.tool_state.histories[at].0.last().is_none_or(|stroke| stroke.parts)
            && let Some(event) = self.bring_future_back(turn)
        {
            return Ok(event);
        }
        if turn == UndoTurn::Undo && std::mem::take(&mut self.tool_state.steered) {
            return Ok(self.cannot_undo_steering());
        }
        let Self { pool, sim, renderer, tool_state, .. } = self;
        let histories = &mut tool_state.histories;
        let Some(mut stroke) = histories[at].0.pop() else {
            return Ok(self.bring_former_back(turn).unwrap_or(Event::Turned(turn, None)));
        };
        tool_state.steered = false;
        let mut taken = ToolStroke::default();
        let result = pool.install(|| take_back(sim, renderer, histories, &mut stroke, &mut taken));
        renderer.record_starts(&View::from_sim(sim));
        let (what, any) = (taken.taken_back(), taken.is_kept());
        histories[1 - at].push(taken);
        let Err(error) = result else { return Ok(Event::Turned(turn, Some(what))) };
        let refusal = Event::notice_of(error)?;
        Ok(Event::Notice(if any {
            histories[at].push(stroke);
            format!("{what}, but not everything: {refusal}")
        } else {
            // All other strokes are taken back before it.
            histories[at].0.insert(0, stroke);
            format!("can't take this back now, other strokes come first: {refusal}")
        }))
    }

    /// Says what undo does not do, once: the next undo takes the stroke before this one back.
    fn cannot_undo_steering(&self) -> Event {
        let way = if self.sim.timeline().is_kept() {
            "; Left or the bar below the picture goes to a time before it"
        } else {
            ""
        };
        Event::Notice(format!("undo does not take back what poke and attract did{way}"))
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
    // A later stroke may have erased some of it.
    let walls = std::mem::take(&mut stroke.walls);
    taken.broken = sim.statics().iter().filter(|(id, _)| walls.contains(id)).collect();
    sim.apply(Edit::RemoveStatics(walls))?;
    taken.erased = living(sim.agents(), &mut stroke.spawned);
    sim.apply(Edit::Remove(copied(&stroke.spawned)))?;
    stroke.spawned.clear();
    // Agents that touch a restored wall come after it, since it replaces those that are there.
    let statics: Vec<Static> = stroke.broken.iter().map(|&(_, wall)| wall).collect();
    let (fit, statics) = statics.split_at(statics.len().min(room_for_statics(sim)));
    build(sim, fit, taken)?;
    let restored = stroke.broken.drain(..fit.len()).map(|(id, _)| id);
    rename(histories, |stroke| &mut stroke.walls, restored.zip(taken.walls.iter().copied()));
    let agents: Vec<Spawn> = stroke.erased.iter().map(|&(_, spawn)| spawn).collect();
    let (fit, agents) = agents.split_at(agents.len().min(sim.capacity_left()));
    taken.spawned = sim.apply(Edit::Spawn(copied(fit)))?.ids().collect();
    let restored = stroke.erased.drain(..fit.len()).map(|(id, _)| id);
    let renamed: Vec<(u32, u32)> = restored.zip(taken.spawned.iter().copied()).collect();
    renderer.rename_starts(renamed.iter().copied());
    rename(histories, |stroke| &mut stroke.spawned, renamed.into_iter());
    // What is left doesn't fit: the run refuses it with the reason.
    build(sim, statics, taken)?;
    sim.apply(Edit::Spawn(copied(agents)))?;
    Ok(())
}

/// The agents with these ids that are still there, with what restores them.
fn living(agents: &Agents, ids: &mut [u32]) -> Vec<(u32, Spawn)> {
    ids.sort_unstable();
    let [Some(&first), Some(&last)] = [ids.first(), ids.last()] else { return Vec::new() };
    let slots = (0..agents.len()).filter(|&slot| {
        let id = agents.id[slot];
        (first..=last).contains(&id) && ids.binary_search(&id).is_ok()
    });
    slots.map(|slot| (agents.id[slot], agents.respawn(slot))).collect()
}

/// Replaces ids in one column of all strokes, given pairs of former and new id.
fn rename(
    histories: &mut [History; 2],
    column: fn(&mut ToolStroke) -> &mut Vec<u32>,
    renamed: impl Iterator<Item = (u32, u32)>,
) {
    let renamed: BTreeMap<u32, u32> = renamed.collect();
    let strokes = histories.iter_mut().flat_map(|history| &mut history.0);
    for id in strokes.flat_map(column) {
        *id = renamed.get(id).copied().unwrap_or(*id);
    }
}

/// Builds all walls or none, in place of the agents that they cover. Memory that runs out is a
/// refusal here: the run can go on.
fn build(sim: &mut RecordedSim, walls: &[Static], stroke: &mut ToolStroke) -> Result<()> {
    let built = sim.apply(Edit::AddStatics(copied(walls)));
    stroke
        .walls
        .extend(built.map_err(|error| ProgramError::refused(sentence(&error.into())))?.ids());
    let (agents, space, mut covered) = (sim.agents(), sim.space(), Vec::new());
    for wall in walls {
        let bounds = wall.bounds();
        let center = bounds.center();
        sim.visit_disc(center, 0.5 * bounds.size().length(), |slot| {
            let Disc { center: at, radius } = agents.shape(slot as usize);
            let nearest = center + space.minimum_image(at - center);
            covered.extend((wall.distance(nearest) < radius).then_some(slot));
        });
    }
    erase(sim, covered, stroke)
}

/// Removes the agents in these slots, which may name one twice.
fn erase(sim: &mut RecordedSim, mut slots: Vec<u32>, stroke: &mut ToolStroke) -> Result<()> {
    slots.sort_unstable();
    slots.dedup();
    let (agents, space) = (sim.agents(), sim.space());
    let erased: Vec<(u32, Spawn)> = slots
        .into_iter()
        .map(|slot| {
            let spawn = agents.respawn(slot as usize);
            let position = space.wrapped(spawn.position);
            (agents.id[slot as usize], Spawn { position, ..spawn })
        })
        .collect();
    let ids: Vec<u32> = erased.iter().map(|&(id, _)| id).collect();
    sim.apply(Edit::Remove(ids))?;
    stroke.erased.extend(erased);
    Ok(())
}

/// A list for an edit.
fn copied<T: Copy>(list: &[T]) -> Vec<T> {
    alloc::demanded(alloc::collected(list.iter().copied(), "the edits of the run"))
}

/// Number of statics that the run has room for.
fn room_for_statics(sim: &RecordedSim) -> usize {
    sim.statics().capacity() - sim.statics().len()
}

fn full(what: &str, most: usize) -> ProgramError {
    let most = format::grouped(most as u64);
    ProgramError::refused(format!("no room for more {what}: at most {most}; erase some first"))
}
