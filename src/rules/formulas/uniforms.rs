//! Numbers that are the same for all agents in a step, by name and number.

use crate::{geometry::Space, rules::agent::RuleMoment};

/// The names, in the order of their numbers.
pub(super) const NAMES: [&str; 5] = ["dt", "time", "step", "width", "height"];

/// The numbers of the walls: left, right, bottom and top.
pub(super) const WALLS: [u16; 4] = [5, 6, 7, 8];

/// The number for all agents in this step. A side without a wall is infinitely far away.
pub(super) fn value(number: u16, moment: RuleMoment, space: &Space) -> f32 {
    let world = space.world();
    let [across, along] = space.repeats();
    let side = |repeats: bool, at: f32, far: f32| if repeats { far } else { at };
    match number {
        0 => moment.dt,
        1 => (moment.step as f64 * f64::from(moment.dt)) as f32,
        2 => moment.step as f32,
        3 => world.width(),
        4 => world.height(),
        5 => side(across, world.min.x, f32::NEG_INFINITY),
        6 => side(across, world.max.x, f32::INFINITY),
        7 => side(along, world.min.y, f32::NEG_INFINITY),
        _ => side(along, world.max.y, f32::INFINITY),
    }
}
