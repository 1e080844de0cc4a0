//! What can be wished for in the panel.

use crate::{
    index::IndexKind,
    raster::{ColorBy, Overlay, Palette},
    scene::Scene,
    window::{timestep::LatePolicy, tool::Tool},
};

/// A change that somebody asked for.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::window) enum Wish {
    /// Another run, of so many agents.
    Run { scene: Scene, agents: u32 },
    /// Something that cannot be, and why: the end of a sentence that begins with what was typed.
    Nonsense(String),
    /// The simulation stands still, or goes on.
    Pause,
    /// One step, and then it stands still.
    Step,
    /// The same start again.
    Restart,
    /// Times the speed of real time.
    Time(f64),
    /// Mean speed of the agents, world units a second.
    Speed(f32),
    /// Share of the approach speed that a collision gives back.
    Restitution(f32),
    /// World units a second squared, downwards.
    Gravity(f32),
    /// What gives way when the machine can't keep up.
    LatePolicy(LatePolicy),
    /// Threads that step and draw.
    Threads(usize),
    /// What finds the contacts.
    Index(IndexKind),
    /// What colors mean.
    ColorBy(ColorBy),
    /// Which colors.
    Palette(Palette),
    /// What is drawn over the agents.
    Overlay(Overlay),
    /// What the mouse does.
    Tool(Tool),
    /// The side of those who are spawned; as it comes, if none.
    Side(Option<u8>),
    /// True if bright places are to glow.
    Glow(bool),
}
