//! Takes strokes back, the last one first.

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
        tool_state::{Tally, ToolState, ToolStroke},
    },
};

impl Session {
    /// Takes back the last spawn, erase or wall. Who comes back is as it was but for its id, as none is used
    /// twice. What there is no room for now can be brought back later; a stroke of which nothing can be comes
    /// after those before it.
    ///
    /// # Errors
    /// As [`Event::refused`].
    pub(super) fn undo(&mut self) -> Result<Event> {
        let Some(mut stroke) = self.tool_state.take_last() else {
            return Ok(Event::Undone("nothing".into()));
        };
        let Self { pool, sim, renderer, tool_state, .. } = self;
        let mut tally = Tally::default();
        let undone = pool.install(|| take_back(sim, tool_state, &mut stroke, &mut tally));
        let refusal = undone.err().map(Event::refused).transpose()?;
        renderer.record_starts(&View::from_sim(sim));
        let story = tally.story(false);
        let Some(refusal) = refusal else { return Ok(Event::Undone(story)) };
        Ok(Event::Notice(if tally == Tally::default() {
            tool_state.put_off(stroke);
            format!("nothing of it could be taken back, so it is put off: {refusal}")
        } else {
            tool_state.keep(stroke);
            format!("{story}, but not all of it could be taken back: {refusal}")
        }))
    }
}

/// Takes back what a stroke did, and counts how much; what could not be is left in it.
fn take_back(
    sim: &mut Sim,
    tool_state: &mut ToolState,
    stroke: &mut ToolStroke,
    tally: &mut Tally,
) -> Result<()> {
    // Somebody may have erased some of it since.
    tally.walls = sim.remove_statics(&std::mem::take(&mut stroke.walls));
    tally.spawned = sim.remove(&stroke.spawned)?;
    stroke.spawned.clear();
    let agents: Vec<Spawn> = stroke.erased.iter().map(|&(_, spawn)| spawn).collect();
    let (fit, agents) = agents.split_at(agents.len().min(sim.room_left()));
    let ids = sim.spawn(fit)?;
    tally.erased = fit.len();
    let back = stroke.erased.drain(..fit.len()).map(|(id, _)| id);
    tool_state.rename(|before| &mut before.spawned, back.zip(ids));
    let walls: Vec<Static> = stroke.broken.iter().map(|&(_, wall)| wall).collect();
    let (fit, walls) = walls.split_at(walls.len().min(room_for_statics(sim)));
    let ids = build(sim, fit)?;
    tally.broken = fit.len();
    let back = stroke.broken.drain(..fit.len()).map(|(id, _)| id);
    tool_state.rename(|before| &mut before.walls, back.zip(ids));
    refusal(sim, agents, walls)
}

/// Why those that a run has no room for can't come, if there are any.
fn refusal(sim: &mut Sim, agents: &[Spawn], walls: &[Static]) -> Result<()> {
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

    /// Takes back the last stroke, and says what became of it.
    fn undo(session: &mut Session) -> String {
        apply(session, Command::Undo)
    }

    #[test]
    fn undone_in_a_row_strokes_leave_what_was_there() {
        for (makes, what) in [(Tool::Spawn, "agents"), (Tool::Wall, "disc")] {
            let mut session = session(Scene::Gas);
            stroke(&mut session, Tool::Erase);
            let counts =
                |session: &Session| [session.sim().agents().len(), session.sim().statics().len()];
            let bare = counts(&session);
            stroke(&mut session, makes);
            let made = counts(&session);
            assert_ne!(made, bare, "{what}");
            stroke(&mut session, Tool::Erase);
            assert_eq!(counts(&session), bare);
            undo(&mut session);
            assert_eq!(counts(&session), made);
            let undone = undo(&mut session);
            assert_eq!(counts(&session), bare, "{undone}");
            assert!(undone.starts_with("undone: removed ") && undone.contains(what), "{undone}");
        }
    }

    #[test]
    fn what_was_erased_since_is_not_removed_again() {
        let mut session = session(Scene::Gas);
        stroke(&mut session, Tool::Spawn);
        stroke(&mut session, Tool::Erase);
        session.tool_state.take_last();
        assert_eq!(undo(&mut session), "undone: nothing");
    }

    #[test]
    fn what_there_is_no_room_for_comes_back_later() {
        let mut session = session_with_statics(Scene::Gas, 1);
        stroke(&mut session, Tool::Wall);
        let erased = stroke(&mut session, Tool::Erase);
        assert!(erased.contains("broke 1 wall"), "{erased}");
        let agents = session.sim().agents().len();
        let corner = session.sim().world().min + 3.0;
        let other = session.sim.add_statics(&[Static::disc(corner, 1.0)]).unwrap();
        assert!(undo(&mut session).contains("not all of it"));
        assert!(session.sim().agents().len() >= agents, "the agents are back");
        assert_eq!(session.sim.remove_statics(&[other.start]), 1);
        assert_eq!(undo(&mut session), "undone: rebuilt 1 wall");
        assert_eq!(undo(&mut session), "undone: removed 1 disc");
    }

    #[test]
    fn as_many_come_back_as_there_is_room_for_and_older_strokes_stay_in_reach() {
        let mut session = session_with_statics(Scene::Gas, 10);
        stroke(&mut session, Tool::Spawn);
        let agents = session.sim().agents().len();
        let here = session.view.camera().to_world(session.cursor);
        session.sim.add_statics(&[Static::disc(here, 1.0); 10]).unwrap();
        stroke(&mut session, Tool::Erase);
        let corner = session.sim().world().min + 3.0;
        session.sim.add_statics(&[Static::disc(corner, 1.0)]).unwrap();
        let undone = undo(&mut session);
        assert!(undone.contains("rebuilt 9 walls, but not all of it"), "{undone}");
        assert_eq!((session.sim().statics().len(), session.sim().agents().len()), (10, agents));
        let undone = undo(&mut session);
        assert!(undone.contains("nothing of it"), "{undone}");
        let undone = undo(&mut session);
        assert!(undone.starts_with("undone: removed "), "{undone}");
        session.sim.remove_statics(&[10]);
        assert_eq!(undo(&mut session), "undone: rebuilt 1 wall");
        assert_eq!(undo(&mut session), "undone: nothing");
    }

    #[test]
    fn who_comes_back_is_who_was_there() {
        let mut session = session(Scene::Melee);
        // Until some have been struck.
        let struck = |session: &Session| {
            let units = session.sim().agents().units.as_ref().unwrap();
            units.health.iter().position(|&health| health < Units::HEALTH)
        };
        while struck(&session).is_none() {
            session.sim.step().unwrap();
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
        apply(&mut session, Command::MovePointer(pixel));
        stroke(&mut session, Tool::Erase);
        assert!(crowd(&session).len() < before.len());
        undo(&mut session);
        assert!(crowd(&session) == before);
    }
}
