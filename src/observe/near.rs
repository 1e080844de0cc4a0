//! Agents around an agent, found by the grid of the run.

use glam::Vec2;

use crate::{Sim, geometry::Rect};

/// How far a neighbor may be, as a share of a side that repeats: up to there, the copies of the world
/// around it have all neighbors. Two discs of the largest radius that such a world admits are
/// neighbors at one and a half times the sum of their radii.
const SIDES: f32 = 0.75;

/// The largest distance at which agents are found, world units; infinite where there are walls.
pub(super) fn farthest(sim: &Sim) -> f32 {
    let (size, repeats) = (sim.world().size(), sim.space().repeats());
    let limit = |axis: usize| if repeats[axis] { SIDES * size[axis] } else { f32::INFINITY };
    limit(0).min(limit(1))
}

/// Calls `visit` with the slot of each agent whose center is closer than `reach` to the center of
/// the agent in `slot`, and with the displacement to it. Where the world repeats, that holds for
/// each copy of an agent, and nothing is found beyond [`farthest`].
pub(super) fn around(sim: &Sim, slot: usize, reach: f32, mut visit: impl FnMut(usize, Vec2)) {
    let (agents, space, grid) = (sim.agents(), sim.space(), sim.grid());
    let center = space.wrapped(agents.get(slot).position);
    let reach = reach.min(farthest(sim));
    let square = reach * reach;
    let bounds = Rect::around(center, reach);
    // Coordinates go on beyond the border for some steps.
    for shift in space.copies(bounds, space.reach()) {
        grid.visit_disc(agents, center + shift, reach, |other| {
            let other = other as usize;
            let apart = agents.get(other).position - (center + shift);
            if other != slot && apart.length_squared() < square {
                visit(other, apart);
            }
        });
    }
}
