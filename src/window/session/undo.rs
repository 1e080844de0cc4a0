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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        agents::Units,
        scene::Scene,
        window::{
            command::Command,
            session::fixture::{apply, session, session_with_statics, stroke},
            tool::Tool,
        },
    };

    fn undo(session: &mut Session) -> String {
        apply(session, Command::Undo)
    }

    /// Adds a wall near a corner of the world; returns its id.
    fn add_wall(session: &mut Session) -> u32 {
        let corner = session.sim().world().min + 3.0;
        session.sim.add_statics(&[Static::disc(corner, 1.0)]).unwrap().start
    }

    #[test]
    fn strokes_are_undone_in_reverse_order() {
        for (makes, noun) in [(Tool::Spawn, "agents"), (Tool::Wall, "disc")] {
            let mut session = session(Scene::Gas);
            stroke(&mut session, Tool::Erase);
            let counts =
                |session: &Session| [session.sim().agents().len(), session.sim().statics().len()];
            let bare = counts(&session);
            stroke(&mut session, makes);
            let made = counts(&session);
            assert_ne!(made, bare, "{noun}");
            stroke(&mut session, Tool::Erase);
            assert_eq!(counts(&session), bare);
            undo(&mut session);
            assert_eq!(counts(&session), made);
            let undone = undo(&mut session);
            assert_eq!(counts(&session), bare, "{undone}");
            assert!(undone.starts_with("undone: removed ") && undone.contains(noun), "{undone}");
        }
    }

    #[test]
    fn erased_agents_are_not_removed_again() {
        let mut session = session(Scene::Gas);
        stroke(&mut session, Tool::Spawn);
        stroke(&mut session, Tool::Erase);
        session.tool_state.history.pop();
        assert_eq!(undo(&mut session), "undone: nothing");
        assert_eq!(undo(&mut session), "nothing to undo");
    }

    #[test]
    fn walls_without_room_are_restored_later() {
        let mut session = session_with_statics(Scene::Gas, 1);
        stroke(&mut session, Tool::Wall);
        let erased = stroke(&mut session, Tool::Erase);
        assert!(erased.contains("broke 1 wall"), "{erased}");
        let agents = session.sim().agents().len();
        let wall = add_wall(&mut session);
        assert!(undo(&mut session).contains("but not everything"));
        assert!(session.sim().agents().len() >= agents, "the agents are restored");
        assert_eq!(session.sim.remove_statics(&[wall]), 1);
        assert_eq!(undo(&mut session), "undone: rebuilt 1 wall");
        assert_eq!(undo(&mut session), "undone: removed 1 disc");
    }

    #[test]
    fn a_stroke_that_cannot_be_undone_lets_the_older_ones_first() {
        let mut session = session_with_statics(Scene::Gas, 10);
        stroke(&mut session, Tool::Spawn);
        let agents = session.sim().agents().len();
        let here = session.view.camera().to_world(session.cursor);
        session.sim.add_statics(&[Static::disc(here, 1.0); 10]).unwrap();
        stroke(&mut session, Tool::Erase);
        let wall = add_wall(&mut session);
        let undone = undo(&mut session);
        assert!(undone.contains("rebuilt 9 walls, but not everything"), "{undone}");
        assert_eq!((session.sim().statics().len(), session.sim().agents().len()), (10, agents));
        let undone = undo(&mut session);
        assert!(undone.contains("can't undo this now"), "{undone}");
        let undone = undo(&mut session);
        assert!(undone.starts_with("undone: removed "), "{undone}");
        session.sim.remove_statics(&[wall]);
        assert_eq!(undo(&mut session), "undone: rebuilt 1 wall");
        assert_eq!(undo(&mut session), "nothing to undo");
    }

    #[test]
    fn restored_agents_are_as_they_were() {
        let mut session = session(Scene::Melee);
        let struck = |session: &Session| {
            let units = session.sim().agents().units.as_ref().unwrap();
            units.health.iter().position(|&health| health < Units::HEALTH)
        };
        while struck(&session).is_none() {
            session.sim.step().unwrap();
        }
        let all = |session: &Session| {
            let agents = session.sim().agents();
            let mut all: Vec<_> = (0..agents.len())
                .map(|slot| {
                    let Spawn { position, velocity, radius, faction, health, .. } =
                        agents.respawn(slot);
                    let bits = [position.x, position.y, velocity.x, velocity.y, radius];
                    (bits.map(f32::to_bits), faction, health)
                })
                .collect();
            all.sort_unstable();
            all
        };
        let before = all(&session);
        let place = session.sim().agents().get(struck(&session).unwrap()).position;
        let pixel = session.view.camera().to_pixel(place);
        apply(&mut session, Command::MovePointer(pixel));
        stroke(&mut session, Tool::Erase);
        assert!(all(&session).len() < before.len());
        undo(&mut session);
        assert!(all(&session) == before);
    }
}
