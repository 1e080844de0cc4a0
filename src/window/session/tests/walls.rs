//! Where the wall tool builds, and what it replaces.

use super::*;
use crate::grid::Elements;

#[test]
fn walls_at_the_border_and_wider_than_the_world_lie_in_it() {
    let mut session = session(Scene::Gas);
    let world = session.host.sim.world();
    let corner = session.screen.view.camera().to_pixel(world.min + 0.01 * world.size());
    apply(&mut session, Command::MovePointer(corner));
    assert!(stroke(&mut session, Tool::Wall).ends_with("built 1 wall"));
    assert_eq!(
        session.host.sim.statics().get(0).bounds().size().x,
        2.0 * session.tools.radius(&session.screen)
    );
    apply(&mut session, Command::MovePointer(corner - 10.0 * Vec2::X));
    let outside = "wall: nothing, as the stroke lay outside of the world; draw inside it";
    assert_eq!(stroke(&mut session, Tool::Wall), outside);
    // Of a stroke that leaves the world, the part inside is built.
    apply(&mut session, Command::MovePointer(corner + 40.0 * Vec2::X));
    apply(&mut session, Command::PressTool);
    apply(&mut session, Command::MovePointer(corner - 40.0 * Vec2::X));
    let built = apply(&mut session, Command::ReleaseButton);
    assert!(built.ends_with(", none outside of the world"), "{built}");
    undo(&mut session);
    let center = session.screen.view.camera().to_pixel(world.center());
    apply(&mut session, Command::MovePointer(center));
    apply(&mut session, Command::ResizeTool(20));
    assert!(session.tools.radius(&session.screen) > world.height() / 2.0);
    assert!(stroke(&mut session, Tool::Wall).ends_with("built 1 wall"));
    let height = session.host.sim.statics().get(1).bounds().size().y / world.height();
    assert!((0.99..=1.0).contains(&height), "{height} of the world");
}

#[test]
fn walls_through_settled_piles_throw_no_agents() {
    let pile = Setup { agents: 600, spare_statics: 100, ..Setup::new(Scene::Pile) };
    for sizes in [-20, -2, 0] {
        let mut session = session_of(pile.clone());
        for _ in 0..900 {
            session.host.sim.step_with(&mut ()).unwrap();
        }
        let fastest = |session: &Session| {
            let agents = session.host.sim.agents();
            let squares = agents.vx.iter().zip(&agents.vy).map(|(x, y)| x * x + y * y);
            squares.fold(0.0, f32::max).sqrt()
        };
        assert!(fastest(&session) < 0.1, "it has settled");
        let before = session.host.sim.agents().len();
        apply(&mut session, Command::Tool(Tool::Wall));
        apply(&mut session, Command::ResizeTool(sizes));
        let highest =
            session.host.sim.agents().y.iter().fold(0.0_f32, |highest, y| highest.max(*y));
        let camera = *session.screen.view.camera();
        let row = camera.to_pixel(Vec2::new(0.0, 0.5 * highest)).y;
        let stride = 4.0;
        let speed = stride / camera.scale * session.setup().hz;
        apply(&mut session, Command::MovePointer(Vec2::new(100.0, row)));
        apply(&mut session, Command::PressTool);
        for frame in 1..=100 {
            apply(
                &mut session,
                Command::MovePointer(Vec2::new(100.0 + stride * frame as f32, row)),
            );
            run(&mut session, FRAME);
            let fastest = fastest(&session);
            assert!(fastest < 0.5 * speed, "{fastest} beside a wall of {speed}, frame {frame}");
        }
        assert!(session.host.sim.statics().len() > 10);
        assert!(session.host.sim.agents().len() < before - 50, "they were in the way");
        apply(&mut session, Command::ReleaseButton);
        assert!(undo(&mut session).starts_with("undone: restored "));
        assert_eq!(counts(&session), [before, 0]);
    }
}

#[test]
fn walls_that_come_back_replace_agents_again() {
    let mut session = session(Scene::Gas);
    stroke(&mut session, Tool::Wall);
    let [agents, _] = counts(&session);
    let undone = undo(&mut session);
    assert!(undone.starts_with("undone: restored "), "{undone}");
    for _ in 0..60 {
        session.host.sim.step_with(&mut ()).unwrap();
    }
    apply(&mut session, Command::Turn(UndoTurn::Redo));
    let wall = session.host.sim.statics().get(0);
    let discs =
        || (0..session.host.sim.agents().len()).map(|slot| session.host.sim.agents().shape(slot));
    assert!(discs().all(|disc| wall.distance(disc.center) >= disc.radius));
    assert!(discs().len() < agents, "others came to where it was");
    undo(&mut session);
    assert_eq!(counts(&session), [500, 0]);
}

/// A straight stroke has a straight edge, also where the path of one frame ends and the next begins.
#[test]
fn edges_of_strokes_are_smooth() {
    let room = Setup { agents: 10, spare_statics: 400, ..Setup::new(Scene::Gas) };
    let mut session = session_of(room);
    apply(&mut session, Command::Tool(Tool::Wall));
    apply(&mut session, Command::MovePointer(Vec2::new(100.0, 200.0)));
    apply(&mut session, Command::PressTool);
    for frame in 0..12 {
        apply(&mut session, Command::MovePointer(Vec2::new(100.0 + 37.0 * frame as f32, 200.0)));
        run(&mut session, FRAME);
    }
    apply(&mut session, Command::ReleaseButton);
    let statics: Vec<Static> = session.host.sim.statics().iter().map(|(_, wall)| wall).collect();
    assert!(statics.len() > 3, "{statics:?}");
    let camera = session.screen.view.camera();
    let radius = session.tools.radius(&session.screen);
    let [begin, end] = [100.0, 380.0].map(|x| camera.to_world(Vec2::new(x, 200.0)));
    for share in 0..=500 {
        let edge = begin.lerp(end, share as f32 / 500.0) + 1.5 * radius * Vec2::Y;
        let nearest = statics.iter().map(|wall| wall.distance(edge)).fold(f32::MAX, f32::min);
        assert!((nearest - 0.5 * radius).abs() < 1e-3 * radius, "{nearest} of {radius} at {edge}");
    }
}

#[test]
fn walls_survive_restarts_if_they_are_to() {
    let mut session = session(Scene::Pegs);
    let pegs = session.host.sim.statics().len();
    assert!(stroke(&mut session, Tool::Wall).ends_with("built 1 wall"));
    let wall = session.host.sim.statics().get(pegs);
    for keeps in [true, true, false] {
        apply(&mut session, Command::KeepWalls(keeps));
        apply(&mut session, Command::Restart);
        assert_eq!(wait_placed(&mut session), "restarted");
        let statics = session.host.sim.statics();
        assert_eq!(statics.len(), pegs + usize::from(keeps));
        assert!(!keeps || statics.get(pegs) == wall);
        // It stands in no agent.
        let covered = |slot: &u32| {
            let disc = session.host.sim.agents().shape(*slot as usize);
            keeps && wall.distance(disc.center) < disc.radius
        };
        assert!(!(0..session.host.sim.agents().len() as u32).any(|slot| covered(&slot)));
    }
    // Undo brings the run before back, with the wall.
    assert!(undo(&mut session).contains("back in pegs"));
    assert_eq!(session.host.sim.statics().len(), pegs + 1);
    // Another scene has its own.
    apply(&mut session, Command::KeepWalls(true));
    started(&mut session, Scene::Gas, None);
    assert_eq!(session.host.sim.statics().len(), 0);
}
