//! What the tools do to a run: a stroke goes from the press of a button to its release.
//!
//! Poke and attract steer agents before each step. Spawn, erase and wall work once a frame, at some places
//! along the way that the mouse has gone since the last one, so that a quick hand leaves no gaps.

use std::{collections::BTreeMap, time::Instant};

use glam::Vec2;

use super::Session;
use crate::{
    agents::Spawn,
    app::{
        event::{Event, ViewCause},
        hold::{Held, Hold, Stroke, Tally},
        inspect::Inspection,
        tool::Tool,
    },
    error::Result,
    limits::SPEED_MAX,
    raster::Picture,
    sim::Sim,
    statics::Static,
};

/// The speed that poke and attract steer to, smallest radii a step: nobody passes through another at that.
const RADII_A_STEP: f32 = 0.5;

/// Places along a way, as a share of the tool's radius from each other, and at most.
const APART: f32 = 0.75;
const PLACES: usize = 64;

/// What a double-click magnifies by.
const DOUBLE_ZOOM: f32 = 4.0;

/// Pixels of the radius of an agent under the glass, at least, when it is clicked.
const SEEN: f32 = 14.0;

/// What poke and attract do before a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Force {
    center: Vec2,
    radius: f32,
    speed: f32,
}

impl Force {
    /// Does it once; returns to how many agents.
    ///
    /// # Errors
    /// As [`Sim::steer`].
    pub(super) fn steer(self, sim: &mut Sim) -> Result<usize> {
        sim.steer(self.center, self.radius, self.speed)
    }
}

impl Session {
    /// The view goes its own way from now on.
    pub(in crate::app) fn let_go(&mut self) {
        self.inspection.iter_mut().for_each(|inspection| inspection.follows = false);
    }

    /// True if the cursor has something drawn around it, so that a frame is due wherever it goes.
    pub(in crate::app) fn has_ring(&self) -> bool {
        self.hold.tool != Tool::Hand
    }

    /// Another tool in hand.
    pub(in crate::app) fn take(&mut self, tool: Tool) -> Event {
        self.hold.release();
        self.hold.tool = tool;
        self.inspection = self.inspection.take().filter(|_| tool == Tool::Inspect);
        Event::Tool(tool.name())
    }

    /// The left button goes down.
    pub(in crate::app) fn press(&mut self) -> Option<Event> {
        if let Some(place) = self.map_place().filter(|place| place.contains(self.cursor)) {
            self.hold.held = Held::Map;
            self.view.look_at(place.to_world(self.cursor));
            self.let_go();
            return Some(Event::View(ViewCause::Mapped));
        }
        match self.hold.tool {
            Tool::Hand => {
                self.hold.held = Held::View;
                self.hold.click(Instant::now(), self.cursor).then(|| {
                    self.view.magnify(DOUBLE_ZOOM, self.cursor);
                    Event::View(ViewCause::Zoomed)
                })
            }
            Tool::Inspect => Some(self.inspect()),
            _ => {
                self.hold.held = Held::Tool;
                self.work().err().map(|error| Event::Notice(error.to_string()))
            }
        }
    }

    /// The right or the middle button goes down.
    pub(in crate::app) fn grab(&mut self) {
        self.hold.release();
        self.hold.held = Held::View;
    }

    /// A button goes up.
    pub(in crate::app) fn release(&mut self) -> Option<Event> {
        // As far as the mouse has come: a quick stroke may end before the next frame.
        if let Err(error) = self.work() {
            self.hold.release();
            return Some(Event::Notice(error.to_string()));
        }
        self.hold.release().map(|what| Event::Stroke(self.hold.tool.name(), what))
    }

    /// Takes back the last spawn, erase or wall. Who comes back is as it was but for its id, as none is used
    /// twice. What there is no room for now can be brought back later; a stroke of which nothing can be comes
    /// after those before it.
    pub(in crate::app) fn undo(&mut self) -> Event {
        let Some(mut stroke) = self.hold.take_last() else {
            return Event::Undone("nothing".into());
        };
        let Self { crew, sim, painter, hold, .. } = self;
        let mut tally = Tally::default();
        let undone = crew.run(|| take_back(sim, hold, &mut stroke, &mut tally));
        painter.mark_start(&Picture::of(sim));
        let story = tally.story(false);
        match undone {
            Ok(()) => Event::Undone(story),
            Err(error) if tally == Tally::default() => {
                hold.put_off(stroke);
                Event::Notice(format!(
                    "nothing of it could be taken back, so it is put off: {error}"
                ))
            }
            Err(error) => {
                hold.keep(stroke);
                Event::Notice(format!("{story}, but not all of it could be taken back: {error}"))
            }
        }
    }

    /// What the tool does before each step while it is held.
    pub(super) fn force(&self) -> Option<Force> {
        let away = match self.hold.tool {
            Tool::Poke => 1.0,
            Tool::Attract => -1.0,
            _ => return None,
        };
        let held = self.hold.held == Held::Tool;
        let least = self.setup.radius[0];
        held.then(|| Force {
            center: self.view.camera().to_world(self.cursor),
            radius: self.brush_radius(),
            speed: away * (RADII_A_STEP * least * self.setup.hz).min(SPEED_MAX),
        })
    }

    /// The tool's radius, world units.
    pub(super) fn brush_radius(&self) -> f32 {
        self.hold.size.radius() * self.text_scale as f32 / self.view.camera().scale
    }

    /// What the tool does once a frame while it is held, and when it is pressed.
    ///
    /// # Errors
    /// If there is not enough memory, or no room for more.
    pub(super) fn work(&mut self) -> Result<()> {
        if self.hold.held != Held::Tool {
            return Ok(());
        }
        let here = self.view.camera().to_world(self.cursor);
        let radius = self.brush_radius();
        let (from, begins) = self.hold.at.map_or((here, true), |at| (at, false));
        let count = ((from.distance(here) / (radius * APART)) as usize).min(PLACES);
        self.hold.at = Some(here);
        let places = (0..=count).map(move |n| here.lerp(from, n as f32 / (count + 1) as f32));
        match self.hold.tool {
            Tool::Hand | Tool::Inspect => Ok(()),
            Tool::Poke | Tool::Attract => {
                // Who stands still would not feel it before the next step.
                if let (true, Some(force)) = (begins, self.force()) {
                    self.hold.stroke.steered += force.steer(&mut self.sim)?;
                }
                Ok(())
            }
            Tool::Spawn => self.spawn_at(places, radius),
            Tool::Erase => self.erase_at(places, radius),
            Tool::Wall => self.build_at(here, from, begins, radius),
        }
    }

    fn spawn_at(&mut self, places: impl Iterator<Item = Vec2>, radius: f32) -> Result<()> {
        let Self { crew, sim, painter, hold, seeds, .. } = self;
        let mut spawns = Vec::new();
        for place in places {
            sim.fill(place, radius, seeds, &mut spawns);
        }
        if spawns.is_empty() {
            return Ok(());
        }
        if let Some(side) = hold.side {
            for spawn in &mut spawns {
                *spawn = spawn.of(side);
            }
        }
        let ids = crew.run(|| sim.spawn(&spawns))?;
        painter.mark_start(&Picture::of(sim));
        hold.stroke.spawned.extend(ids);
        Ok(())
    }

    fn erase_at(&mut self, places: impl Iterator<Item = Vec2>, radius: f32) -> Result<()> {
        let Self { crew, sim, hold, .. } = self;
        let (mut slots, mut walls) = (Vec::new(), BTreeMap::new());
        for place in places {
            sim.grid().visit_disc(sim.agents(), place, radius, |slot| slots.push(slot));
            let under = sim.statics().iter().filter(|(_, wall)| wall.distance(place) <= radius);
            walls.extend(under);
        }
        sim.remove_statics(&walls.keys().copied().collect::<Vec<_>>());
        hold.stroke.broken.extend(walls);
        // A slot that two of the discs meet is one agent.
        slots.sort_unstable();
        slots.dedup();
        let agents = sim.agents();
        let erased: Vec<(u32, Spawn)> = slots
            .iter()
            .map(|&slot| (agents.id[slot as usize], agents.again(slot as usize)))
            .collect();
        let ids: Vec<u32> = erased.iter().map(|&(id, _)| id).collect();
        crew.run(|| sim.remove(&ids))?;
        hold.stroke.erased.extend(erased);
        Ok(())
    }

    /// Discs along the way, so near to each other that nothing passes between them.
    fn build_at(&mut self, here: Vec2, from: Vec2, begins: bool, radius: f32) -> Result<()> {
        let Self { sim, hold, .. } = self;
        let apart = radius * APART;
        let length = from.distance(here);
        let count = (length / apart) as usize;
        let first = usize::from(!begins);
        let (mut places, mut walls) = (Vec::new(), Vec::new());
        // Until something is built the stroke has come no farther.
        hold.at = (!begins).then_some(from);
        let mut end = hold.at;
        for n in (first..=count).take(PLACES) {
            let place = from.lerp(here, if count == 0 { 0.0 } else { n as f32 * apart / length });
            let wall = Static::disc(place, radius);
            // Beyond the border there is a wall already.
            if wall.check(&sim.world()).is_ok() {
                places.push(place);
                walls.push(wall);
            }
            end = Some(place);
        }
        let (fit, rest) = walls.split_at(walls.len().min(room_for_statics(sim)));
        hold.stroke.walls.extend(sim.add_statics(fit)?);
        hold.at = places[..fit.len()].last().copied().or(hold.at);
        refusal(sim, &[], rest)?;
        hold.at = end;
        Ok(())
    }

    /// Puts the agent under the cursor under the glass, and the view over it; if there is none, puts the
    /// glass away.
    fn inspect(&mut self) -> Event {
        let (agents, grid) = (self.sim.agents(), self.sim.grid());
        let camera = *self.view.camera();
        let place = camera.to_world(self.cursor);
        self.inspection = Inspection::of(agents, grid, place, camera.scale);
        let found = self.inspection.as_mut().and_then(|it| Some((it.look(agents, grid)?, it.id)));
        let Some((agent, id)) = found else { return Event::Inspect(None) };
        self.view.look_close(agent.position, SEEN * self.text_scale as f32 / agent.radius);
        Event::Inspect(Some(id))
    }
}

/// Takes back what a stroke did, and counts how much; what could not be is left in it.
fn take_back(sim: &mut Sim, hold: &mut Hold, stroke: &mut Stroke, tally: &mut Tally) -> Result<()> {
    // Somebody may have erased some of it since.
    tally.walls = sim.remove_statics(&std::mem::take(&mut stroke.walls));
    tally.spawned = sim.remove(&stroke.spawned)?;
    stroke.spawned.clear();
    let agents: Vec<Spawn> = stroke.erased.iter().map(|&(_, spawn)| spawn).collect();
    let (fit, agents) = agents.split_at(agents.len().min(room_for_agents(sim)));
    let ids = sim.spawn(fit)?;
    tally.erased = fit.len();
    let back = stroke.erased.drain(..fit.len()).map(|(id, _)| id);
    hold.rename(|before| &mut before.spawned, back.zip(ids));
    let walls: Vec<Static> = stroke.broken.iter().map(|&(_, wall)| wall).collect();
    let (fit, walls) = walls.split_at(walls.len().min(room_for_statics(sim)));
    let ids = sim.add_statics(fit)?;
    tally.broken = fit.len();
    let back = stroke.broken.drain(..fit.len()).map(|(id, _)| id);
    hold.rename(|before| &mut before.walls, back.zip(ids));
    refusal(sim, agents, walls)
}

/// How many more agents a run can hold.
fn room_for_agents(sim: &Sim) -> usize {
    sim.grid().config().capacity - sim.agents().len()
}

/// How many more statics a run can hold.
fn room_for_statics(sim: &Sim) -> usize {
    sim.statics().room() - sim.statics().len()
}

/// Why those that a run has no room for can't come, if there are any.
fn refusal(sim: &mut Sim, agents: &[Spawn], walls: &[Static]) -> Result<()> {
    sim.spawn(agents)?;
    sim.add_statics(walls)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        agents::Units,
        index::DoubleGrid,
        raster::Look,
        scene::{Scene, Setup},
        simd::Usable,
    };

    fn session(scene: Scene, statics: u32) -> Session {
        let setup = Setup { agents: 500, room: 200, statics, ..Setup::new(scene) };
        let look = Look::of(&setup);
        let mut session =
            Session::new(setup, look, 1, Usable::best(), DoubleGrid::KIND, || ()).unwrap();
        session.resize([640, 360], 1.0);
        session.point(Vec2::new(320.0, 180.0));
        session
    }

    /// Uses a tool once where the cursor is; says what it did.
    fn stroke(session: &mut Session, tool: Tool) -> String {
        session.take(tool);
        assert!(session.press().is_none());
        session.release().expect("a story").to_string()
    }

    /// How many are on each side.
    fn sides(session: &Session) -> [usize; 2] {
        let factions = &session.sim().agents().units.as_ref().unwrap().faction;
        let right = factions.iter().map(|&faction| usize::from(faction)).sum();
        [factions.len() - right, right]
    }

    #[test]
    fn undone_in_a_row_strokes_leave_what_was_there() {
        for (makes, what) in [(Tool::Spawn, "agents"), (Tool::Wall, "disc")] {
            let mut session = session(Scene::Gas, 8);
            stroke(&mut session, Tool::Erase);
            let counts =
                |session: &Session| [session.sim().agents().len(), session.sim().statics().len()];
            let bare = counts(&session);
            stroke(&mut session, makes);
            let made = counts(&session);
            assert_ne!(made, bare, "{what}");
            stroke(&mut session, Tool::Erase);
            assert_eq!(counts(&session), bare);
            session.undo();
            assert_eq!(counts(&session), made);
            let undone = session.undo().to_string();
            assert_eq!(counts(&session), bare, "{undone}");
            assert!(undone.starts_with("undone: removed ") && undone.contains(what), "{undone}");
        }
    }

    #[test]
    fn what_was_erased_since_is_not_removed_again() {
        let mut session = session(Scene::Gas, 8);
        stroke(&mut session, Tool::Spawn);
        stroke(&mut session, Tool::Erase);
        session.hold.take_last();
        assert_eq!(session.undo().to_string(), "undone: nothing");
    }

    #[test]
    fn what_there_is_no_room_for_comes_back_later() {
        let mut session = session(Scene::Gas, 1);
        stroke(&mut session, Tool::Wall);
        let erased = stroke(&mut session, Tool::Erase);
        assert!(erased.contains("broke 1 wall"), "{erased}");
        let agents = session.sim().agents().len();
        let corner = session.sim().world().min + 3.0;
        let other = session.sim.add_statics(&[Static::disc(corner, 1.0)]).unwrap();
        assert!(session.undo().to_string().contains("not all of it"));
        assert!(session.sim().agents().len() >= agents, "the agents are back");
        assert_eq!(session.sim.remove_statics(&[other.start]), 1);
        assert_eq!(session.undo().to_string(), "undone: rebuilt 1 wall");
        assert_eq!(session.undo().to_string(), "undone: removed 1 disc");
    }

    #[test]
    fn as_many_come_back_as_there_is_room_for_and_older_strokes_stay_in_reach() {
        let mut session = session(Scene::Gas, 10);
        stroke(&mut session, Tool::Spawn);
        let agents = session.sim().agents().len();
        let here = session.view.camera().to_world(session.cursor);
        session.sim.add_statics(&[Static::disc(here, 1.0); 10]).unwrap();
        stroke(&mut session, Tool::Erase);
        let corner = session.sim().world().min + 3.0;
        session.sim.add_statics(&[Static::disc(corner, 1.0)]).unwrap();
        let undone = session.undo().to_string();
        assert!(undone.contains("rebuilt 9 walls, but not all of it"), "{undone}");
        assert_eq!((session.sim().statics().len(), session.sim().agents().len()), (10, agents));
        let undone = session.undo().to_string();
        assert!(undone.contains("nothing of it"), "{undone}");
        let undone = session.undo().to_string();
        assert!(undone.starts_with("undone: removed "), "{undone}");
        session.sim.remove_statics(&[10]);
        assert_eq!(session.undo().to_string(), "undone: rebuilt 1 wall");
        assert_eq!(session.undo().to_string(), "undone: nothing");
    }

    #[test]
    fn a_wall_goes_as_far_as_there_is_room_and_on_from_there_when_there_is_more() {
        let mut session = session(Scene::Gas, 4);
        session.take(Tool::Wall);
        assert!(session.press().is_none());
        session.point(Vec2::new(600.0, 180.0));
        let refusal = session.work().unwrap_err().to_string();
        assert!(refusal.contains("room"), "{refusal}");
        let places = |session: &Session| -> Vec<f32> {
            session.sim().statics().iter().map(|(_, wall)| wall.bounds().center().x).collect()
        };
        let built = places(&session);
        assert_eq!(built.len(), 4);
        session.sim.remove_statics(&[0, 1]);
        assert!(session.work().is_err());
        let more = places(&session);
        assert_eq!(more.len(), 4);
        let apart = session.brush_radius() * APART;
        for pair in [built, more].concat().windows(2).filter(|pair| pair[0] < pair[1]) {
            assert!((pair[1] - pair[0] - apart).abs() < apart / 100.0, "{pair:?}");
        }
    }

    #[test]
    fn who_comes_back_is_who_was_there() {
        let mut session = session(Scene::Melee, 8);
        // Until some have been struck.
        let struck = |session: &Session| {
            let units = session.sim().agents().units.as_ref().unwrap();
            units.health.iter().position(|&health| health < Units::HEALTH)
        };
        while struck(&session).is_none() {
            session.sim.step(&mut ()).unwrap();
        }
        let crowd = |session: &Session| {
            let agents = session.sim().agents();
            let mut all: Vec<_> = (0..agents.len())
                .map(|slot| {
                    let Spawn { position, velocity, radius, faction, health, .. } =
                        agents.again(slot);
                    let bits = [position.x, position.y, velocity.x, velocity.y, radius];
                    (bits.map(f32::to_bits), faction, health)
                })
                .collect();
            all.sort_unstable();
            all
        };
        let before = crowd(&session);
        let agents = session.sim().agents();
        let place = agents.get(struck(&session).unwrap()).position;
        let pixel = session.view.camera().to_pixel(place);
        session.point(pixel);
        stroke(&mut session, Tool::Erase);
        assert!(crowd(&session).len() < before.len());
        session.undo();
        assert!(crowd(&session) == before);
    }

    /// The armies grow as somebody chooses; in a scene without any, nothing is chosen.
    #[test]
    fn who_is_spawned_is_on_the_side_that_was_chosen() {
        let mut session = session(Scene::Melee, 8);
        for (side, other) in [(0, 1), (1, 0)] {
            session.hold.side = Some(side);
            let before = sides(&session);
            stroke(&mut session, Tool::Spawn);
            let after = sides(&session);
            assert!(after[usize::from(side)] > before[usize::from(side)], "{after:?}");
            assert_eq!(after[other], before[other]);
            session.undo();
        }
    }
}
