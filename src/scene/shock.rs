//! The piston of `shock`: a box at the left wall that goes in and out, and drives fronts through
//! the gas.
//!
//! ```text
//! ┌──────────────────┐
//! │        ╲         │   a stroke is faster than sound, so a front runs ahead of it; the walls
//! │█████    ╲        │   reflect it, and behind the corners of the piston there are eddies
//! │█████►    │       │
//! │█████    ╱        │
//! │        ╱         │
//! └──────────────────┘
//! ```
//!
//! The piston is a static of the world, which the rule moves before each substep. The rule needs no
//! state of its own: the position of the piston follows from the number of substeps. If a user
//! removes the piston, the rule does nothing.
//!
//! A static has no velocity, so that the step alone would push agents aside and not ahead. The rule
//! gives each agent that the piston meets in the substep the velocity with which it would leave a
//! moving wall.

use glam::Vec2;

use super::setup::Setup;
use crate::{
    agents::Agents,
    error::Result,
    geometry::{DiscColumns, Rect},
    grid::Grid,
    statics::{Static, Statics},
    step::motion::Motion,
};

/// Id of the piston, the first static of the scene.
const ID: u32 = 0;

/// Height of the piston, and distance of its face from the left wall at the start, as shares of the
/// world.
const HEIGHT: f32 = 0.4;
const START: f32 = 0.02;

/// Length of a stroke as a share of the world's width, and its speed in mean speeds of the start.
const STROKE: f32 = 0.12;
const SPEED: f32 = 4.0;

/// Duration of a whole cycle, in durations of a stroke: the piston returns at half the speed.
const CYCLE: f32 = 3.0;

/// Distance ahead of the piston in which agents are searched, in largest radii of the set-up.
const REACH: f32 = 4.0;

/// The piston at the start.
pub(super) fn piston(world: &Rect) -> Static {
    let at = |x: f32, y: f32| world.min + Vec2::new(x, y) * world.size();
    Static::Box(Rect::new(at(0.0, 0.5 - 0.5 * HEIGHT), at(START, 0.5 + 0.5 * HEIGHT)))
}

/// The rectangle of the agents at the start: right of the piston.
pub(super) fn ground(world: &Rect) -> Rect {
    Rect::new(world.min + Vec2::new(START * world.width(), 0.0), world.max)
}

/// Moves the piston before substep `substep`, counted from the start of the run, and pushes the
/// agents that it meets in the substep. Returns the area that it moves through; none if there is no
/// piston.
///
/// # Errors
/// If there is not enough memory to list the statics.
pub(super) fn advance(
    setup: &Setup,
    motion: &Motion,
    substep: u64,
    agents: &mut Agents,
    statics: &mut Statics,
    grid: &Grid,
) -> Result<Option<Rect>> {
    let Some(Static::Box(before)) = statics.find(ID) else { return Ok(None) };
    let farthest = SPEED * setup.speed * motion.dt;
    let wanted = face(setup, motion, substep + 1);
    // Without the limit, the piston would jump when a user changes the speed.
    let face = wanted.clamp(before.max.x - farthest, before.max.x + farthest);
    if face == before.max.x {
        return Ok(None);
    }
    let after = Rect::new(before.min, Vec2::new(face, before.max.y));
    statics.replace(ID, Static::Box(after))?;
    let push = (face - before.max.x) / motion.dt;
    let Agents { x, y, vx, radius, .. } = agents;
    let discs = DiscColumns { x: &*x, y: &*y, radius: &*radius };
    let reach = REACH * setup.radius[1];
    let (back, ahead) = (before.max.x.min(face), before.max.x.max(face));
    let [low, high] = [Vec2::new(back, before.min.y), Vec2::new(ahead, before.max.y)];
    let near = Rect::new(low, high).expanded(reach);
    grid.visit_rect(&discs, &near, |slot| {
        let slot = slot as usize;
        let abreast = discs.y[slot] > after.min.y && discs.y[slot] < after.max.y;
        let ahead = discs.x[slot] > before.max.x;
        let rim = discs.x[slot] + vx[slot] * motion.dt - discs.radius[slot];
        if abreast && ahead && rim < face && vx[slot] < push {
            vx[slot] = push + motion.restitution * (push - vx[slot]);
        }
    });
    Ok(Some(near))
}

/// The x of the face of the piston after a number of substeps.
fn face(setup: &Setup, motion: &Motion, substeps: u64) -> f32 {
    let world = motion.world;
    let stroke = STROKE * world.width();
    let seconds = f64::from(stroke / (SPEED * setup.speed));
    let time = substeps as f64 * f64::from(motion.dt) / seconds;
    let phase = (time % f64::from(CYCLE)) as f32;
    let share = if phase < 1.0 { phase } else { (CYCLE - phase) / (CYCLE - 1.0) };
    world.min.x + START * world.width() + share * stroke
}
