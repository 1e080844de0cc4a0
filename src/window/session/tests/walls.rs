//! Where the wall tool builds.

use super::*;

#[test]
fn walls_at_the_border_and_wider_than_the_world_lie_in_it() {
    let mut session = session(Scene::Gas);
    let world = session.sim.world();
    let corner = session.view.camera().to_pixel(world.min + 0.01 * world.size());
    apply(&mut session, Command::MovePointer(corner));
    assert_eq!(stroke(&mut session, Tool::Wall), "wall: built 1 disc");
    assert_eq!(session.sim.statics().get(0).bounds().size().x, 2.0 * session.tool_radius());
    apply(&mut session, Command::MovePointer(corner - 10.0 * Vec2::X));
    assert_eq!(stroke(&mut session, Tool::Wall), "wall: nothing", "beyond the border");
    let center = session.view.camera().to_pixel(world.center());
    apply(&mut session, Command::MovePointer(center));
    apply(&mut session, Command::ResizeTool(20));
    assert!(session.tool_radius() > world.height() / 2.0);
    assert_eq!(stroke(&mut session, Tool::Wall), "wall: built 1 disc");
    let height = session.sim.statics().get(1).bounds().size().y / world.height();
    assert!((0.99..=1.0).contains(&height), "{height} of the world");
}
