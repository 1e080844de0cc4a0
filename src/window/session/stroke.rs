//! The tools at the pointer: strokes, which change a run while the button is held.
//!
//! Poke and attract steer agents before each step. Spawn, erase and wall work once per frame, at
//! places along the pointer's path since the last frame, so that a quick stroke leaves no gaps.
//!
//! A wall replaces the agents that it covers. A step would push them out of it at once, into their
//! neighbors, and throw these away.

use std::collections::BTreeMap;

use glam::Vec2;

use super::{host::RunHost, screen::Screen};
use crate::{
    agents::Spawn,
    alloc, format,
    geometry::{Boundary, Disc, Elements, Rect},
    limits::SPEED_MAX,
    program::{ProgramError, ProgramResult as Result},
    raster::{Stroke, View},
    rng::Rng,
    scene::coordinate_step,
    sim::Edit,
    statics::Static,
    window::{
        event::{Event, sentence},
        hud::{HudCanvas, TEXT_SIZE},
        recorded_sim::RecordedSim,
        tool::{Held, Tool, ToolState, ToolStroke},
    },
};

/// The purpose of the memory for undo, in errors.
const STROKE: &str = "what undo takes back";

/// Speed that poke and attract steer to, smallest radii per step: slow enough that no agent passes
/// through another.
const RADII_PER_STEP: f32 = 0.5;

/// Distance of the places along a path, as a share of the tool's radius, and their largest number.
pub(super) const SPACING: f32 = 0.75;
const PLACES: usize = 64;

/// The ring: light inside dark, so that it shows on any background.
const LIGHT: Stroke = Stroke { color: [255, 255, 255], opacity: 0.95 };
const DARK: Stroke = Stroke { color: [0, 0, 0], opacity: 0.6 };

/// Radius of the ring of a tool without a size, pixels.
const POINT: f32 = 6.0;

/// The pointer and the tool there.
pub(in crate::window) struct Tools {
    /// The tool in use.
    pub(in crate::window) state: ToolState,
    /// The pointer, physical pixels.
    pub(super) cursor: Vec2,
    /// Whether the pointer is over the window.
    pub(in crate::window) pointed: bool,
    /// Whether the panel is under the pointer.
    pub(in crate::window) covered: bool,
    /// Random numbers of spawned agents.
    pub(super) seeds: Rng,
}

impl Tools {
    pub(super) fn new(seeds: Rng) -> Self {
        Self { state: ToolState::new(), cursor: Vec2::ZERO, pointed: false, covered: false, seeds }
    }

    /// Forgets all strokes: another run begins, with other random numbers.
    pub(super) fn restart(&mut self, seed: u64) {
        self.state.restart();
        self.seeds = Rng::new(seed);
    }

    /// Takes another tool.
    pub(super) fn take(&mut self, tool: Tool) -> Event {
        self.state.release();
        self.state.tool = tool;
        Event::set("tool", tool.name())
    }

    /// The work of the held tool before each step, if it has any: it steers the agents in reach and
    /// returns their number.
    pub(super) fn steering(
        &self,
        host: &RunHost,
        screen: &Screen,
    ) -> Option<impl Fn(&mut RecordedSim) -> Result<usize> + use<>> {
        let sign = match self.state.tool {
            Tool::Poke => 1.0,
            Tool::Attract => -1.0,
            _ => return None,
        };
        let setup = host.setup();
        let center = screen.view.camera().to_world(self.cursor);
        let radius = self.radius(screen);
        let speed = sign * (RADII_PER_STEP * setup.radius[0] * setup.hz).min(SPEED_MAX);
        let held = self.state.held == Held::Tool;
        held.then_some(move |sim: &mut RecordedSim| {
            Ok(sim.apply(Edit::Steer(center, radius, speed))?.count())
        })
    }

    /// The tool's radius, world units.
    pub(super) fn radius(&self, screen: &Screen) -> f32 {
        screen.to_world_length(self.state.radius())
    }

    /// As [`Self::work`]; the event of what is refused for the first time in this stroke.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    pub(super) fn work_on(
        &mut self,
        host: &mut RunHost,
        screen: &mut Screen,
    ) -> Result<Option<Event>> {
        let Err(error) = self.work(host, screen) else { return Ok(None) };
        let notice = Event::notice_of(error)?;
        let again = std::mem::replace(&mut self.state.stroke.refused, true);
        Ok((!again).then_some(notice))
    }

    /// Uses the held tool once, along the path since the last call of this stroke.
    ///
    /// # Errors
    /// If there is not enough memory or no room for more.
    pub(super) fn work(&mut self, host: &mut RunHost, screen: &mut Screen) -> Result<()> {
        if self.state.held != Held::Tool {
            return Ok(());
        }
        self.state.stroke.at = host.sim.tick();
        let here = screen.view.camera().to_world(self.cursor);
        let radius = self.radius(screen);
        let (from, begins) = self.state.at.map_or((here, true), |at| (at, false));
        let count = ((from.distance(here) / (radius * SPACING)) as usize).min(PLACES);
        self.state.at = Some(here);
        let places = (0..=count).map(move |n| here.lerp(from, n as f32 / (count + 1) as f32));
        match self.state.tool {
            Tool::Hand | Tool::Inspect => Ok(()),
            Tool::Poke | Tool::Attract => {
                // The press steers at once, since a paused run takes no step.
                if let (true, Some(steer)) = (begins, self.steering(host, screen)) {
                    self.state.stroke.steered += steer(&mut host.sim)?;
                }
                Ok(())
            }
            Tool::Spawn => self.spawn_at(places, radius, host, screen),
            Tool::Erase => self.erase_at(places, radius, host),
            Tool::Wall => self.build_along([from, here], begins, radius, host),
        }
    }

    fn spawn_at(
        &mut self,
        places: impl Iterator<Item = Vec2>,
        radius: f32,
        RunHost { pool, sim, .. }: &mut RunHost,
        screen: &mut Screen,
    ) -> Result<()> {
        let Self { state, seeds, .. } = self;
        let mut spawns = Vec::new();
        let (world, repeats) = (sim.world(), sim.setup().boundary != Boundary::Walls);
        for place in places {
            state.stroke.outside |= !repeats && !world.contains(place);
            sim.fill(place, radius, seeds, &mut spawns);
        }
        if sim.capacity_left() == 0 {
            return Err(full("agents", sim.agents().len()));
        }
        if spawns.is_empty() {
            return Ok(());
        }
        if let Some(faction) = state.faction {
            for spawn in &mut spawns {
                *spawn = spawn.with_faction(faction);
            }
        }
        let ids = pool.install(|| sim.apply(Edit::Spawn(spawns)))?.ids();
        screen.renderer.record_starts(&View::from_sim(sim));
        alloc::append(&mut state.stroke.spawned, ids, STROKE)?;
        Ok(())
    }

    fn erase_at(
        &mut self,
        places: impl Iterator<Item = Vec2>,
        radius: f32,
        RunHost { pool, sim, .. }: &mut RunHost,
    ) -> Result<()> {
        let stroke = &mut self.state.stroke;
        let (mut slots, mut walls) = (Vec::new(), BTreeMap::new());
        for place in places {
            sim.visit_disc(place, radius, |slot| slots.push(slot));
            let copies = || sim.space().copies(Rect::around(place, radius), sim.world());
            let meets = |wall: &Static| copies().any(|by| wall.distance(place + by) <= radius);
            let under = sim.statics().iter().filter(|(_, wall)| meets(wall));
            walls.extend(under);
        }
        sim.apply(Edit::RemoveStatics(walls.keys().copied().collect()))?;
        stroke.broken.extend(walls);
        pool.install(|| erase(sim, slots, stroke))
    }

    /// Builds a wall along a path: a disc where it begins, then capsules, each from the end of the
    /// last. They lie in the world whole: near a border they are moved inside, and one wider than the
    /// world is made smaller.
    fn build_along(
        &mut self,
        [from, here]: [Vec2; 2],
        begins: bool,
        radius: f32,
        RunHost { pool, sim, .. }: &mut RunHost,
    ) -> Result<()> {
        let state = &mut self.state;
        let world = sim.world();
        // Rounding may move a disc out of the world by this much.
        let margin = 2.0 * coordinate_step(&world);
        let radius = radius.min(0.5 * world.size().min_element() - margin);
        let inside = world.expanded(-radius - margin);
        let spacing = radius * SPACING;
        let length = from.distance(here);
        let count = (length / spacing) as usize;
        let (mut places, mut walls) = (Vec::new(), Vec::<Static>::new());
        // The stroke ends at the last place, not at the pointer: the next path starts there.
        state.at = (!begins).then_some(from);
        let clamped = |place: Vec2| place.clamp(inside.min, inside.max);
        let mut last = state.at.filter(|&at| world.contains(at)).map(clamped);
        let mut end = state.at;
        for n in (usize::from(!begins)..=count).take(PLACES) {
            let place = from.lerp(here, if count == 0 { 0.0 } else { n as f32 * spacing / length });
            end = Some(place);
            // Beyond the border of the world there is a wall already, or the other side of it.
            if !world.contains(place) {
                state.stroke.outside = true;
                last = None;
                continue;
            }
            let center = clamped(place);
            let is_there = last.is_some_and(|last| last.distance(center) < 0.5 * spacing);
            if !is_there {
                places.push(place);
                walls.push(match last {
                    Some(last) => Static::capsule([last, center], radius),
                    None => Static::disc(center, radius),
                });
                last = Some(center);
            }
        }
        let (fit, rest) = walls.split_at(walls.len().min(room_for_statics(sim)));
        pool.install(|| build(sim, fit, &mut state.stroke))?;
        state.at = places[..fit.len()].last().copied().or(state.at);
        if !rest.is_empty() {
            return Err(full("walls", sim.statics().capacity()));
        }
        state.at = end;
        Ok(())
    }

    /// Draws the ring, and beside it the name of the tool.
    pub(super) fn draw_ring(&self, canvas: &mut HudCanvas<'_>) {
        let (pen, tool) = (canvas.scale, self.state.tool);
        let radius = if tool.has_size() { self.state.radius() } else { POINT } * pen;
        canvas.shapes.ring(self.cursor, radius, 4.0 * pen, DARK);
        canvas.shapes.ring(self.cursor, radius, 1.5 * pen, LIGHT);
        let beside = self.cursor + Vec2::new(radius + 6.0 * pen, -0.5 * TEXT_SIZE * pen);
        let at = beside.max(Vec2::ONE).to_array().map(|at| at as u32);
        canvas.write(at.map(|side| side + canvas.pen() as u32), [0; 3], tool.name());
        canvas.write(at, LIGHT.color, tool.name());
    }
}

/// Builds all walls or none, in place of the agents that they cover. Memory that runs out is a
/// refusal here: the run can go on.
pub(super) fn build(
    sim: &mut RecordedSim,
    walls: &[Static],
    stroke: &mut ToolStroke,
) -> Result<()> {
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

/// Builds the walls of the run before. Undo brings that run back, and not these walls.
///
/// # Errors
/// If there is no room for them, or not enough memory.
pub(super) fn rebuild(walls: &[Static], RunHost { pool, sim, .. }: &mut RunHost) -> Result<()> {
    pool.install(|| build(sim, walls, &mut ToolStroke::default()))
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
pub(super) fn copied<T: Copy>(list: &[T]) -> Vec<T> {
    alloc::demanded(alloc::collected(list.iter().copied(), "the edits of the run"))
}

/// Number of statics that the run has room for.
pub(super) fn room_for_statics(sim: &RecordedSim) -> usize {
    sim.statics().capacity() - sim.statics().len()
}

fn full(what: &str, most: usize) -> ProgramError {
    if most == 0 {
        let why =
            format!("the run has no room for {what}; R starts it again with room for the tools");
        return ProgramError::refused(why);
    }
    let most = format::grouped(most as u64);
    ProgramError::refused(format!("no room for more {what}: at most {most}; erase some first"))
}
