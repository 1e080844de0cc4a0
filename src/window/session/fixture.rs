//! The session that the unit tests of the window drive.

use glam::Vec2;

use super::{Session, SessionOptions};
use crate::{
    index::DoubleGrid,
    raster::Style,
    scene::{Scene, Setup},
    simd::SimdLevel,
    window::{command::Command, tool::Tool},
};

/// A frame of the fixture.
pub(in crate::window) const SIZE: [u32; 2] = [640, 360];

/// 500 agents with room for 200 more and for 8 statics, and the pointer over the center.
pub(in crate::window) fn session(scene: Scene) -> Session {
    session_with_statics(scene, 8)
}

/// The same with room for another number of statics.
pub(in crate::window) fn session_with_statics(scene: Scene, spare_statics: u32) -> Session {
    let setup = Setup { agents: 500, spare_agents: 200, spare_statics, ..Setup::new(scene) };
    session_of(setup)
}

/// The run of a set-up, with the pointer over the center.
pub(in crate::window) fn session_of(setup: Setup) -> Session {
    let mut session = Session::new(SessionOptions {
        style: Style::from_setup(&setup),
        setup,
        threads: 1,
        simd: SimdLevel::best(),
        index: DoubleGrid::KIND,
        admit: |_, _, _| Ok(()),
        wake: Box::new(|| ()),
    })
    .unwrap();
    session.resize(SIZE, 1.0);
    session.apply(Command::MovePointer(Vec2::new(320.0, 180.0))).unwrap();
    session
}

/// Applies a command; the text of its event, empty without one.
pub(in crate::window) fn apply(session: &mut Session, command: Command) -> String {
    session.apply(command).unwrap().map_or(String::new(), |event| event.to_string())
}

/// Uses a tool once at the pointer; the texts of the events, one per line.
pub(in crate::window) fn stroke(session: &mut Session, tool: Tool) -> String {
    apply(session, Command::Tool(tool));
    let events = [Command::PressTool, Command::ReleaseButton].map(|it| apply(session, it));
    events.join("\n").trim_start().to_owned()
}

impl Session {
    /// Waits for the run that was ordered last; the text of its event.
    pub(in crate::window) fn wait_placed(&mut self) -> String {
        loop {
            if let Some(event) = self.placed() {
                return event.to_string();
            }
            std::thread::yield_now();
        }
    }
}
