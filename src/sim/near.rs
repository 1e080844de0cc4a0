//! Agents near a point of the world, across the seam too where the world repeats.

use glam::Vec2;

use super::Sim;
use crate::{
    geometry::{Disc, Elements, Rect, Space},
    grid::Grid,
};

impl Sim {
    /// Calls `visit` once with the slot of each agent that has a point at most `radius` away from
    /// `center`, in no particular order. Where the world repeats, the distance is that to the
    /// nearest copy of the agent.
    pub fn visit_disc(&self, center: Vec2, radius: f32, mut visit: impl FnMut(u32)) {
        let Self { grid, agents, motion, .. } = self;
        visit_copies(grid, agents, &motion.space, Disc { center, radius }, |slot, _| visit(slot));
    }

    /// True if a disc intersects no agent and no static.
    pub(super) fn is_free(&self, disc: Disc) -> bool {
        let mut free = true;
        self.visit_disc(disc.center, disc.radius, |_| free = false);
        let bounds = Rect::around(disc.center, disc.radius);
        for shift in self.motion.space.copies(bounds, self.world()) {
            let copy = Disc { center: disc.center + shift, ..disc };
            self.statics.visit_near(&copy.bounds(), |index| {
                free &= !self.statics.get(index).intersects_disc(&copy);
            });
        }
        free
    }
}

/// Calls `visit` once with each element of a grid that has a point in a disc, and with the
/// displacement from the center of the disc to the nearest copy of the element.
pub(crate) fn visit_copies<E: Elements<Shape = Disc> + ?Sized>(
    grid: &Grid,
    elements: &E,
    space: &Space,
    disc: Disc,
    mut visit: impl FnMut(u32, Vec2),
) {
    let center = space.wrapped(disc.center);
    for shift in std::iter::once(Vec2::ZERO).chain(space.shifts()) {
        grid.visit_disc(elements, center + shift, disc.radius, |slot| {
            let apart = elements.shape(slot as usize).center - center;
            let nearest = space.minimum_image(apart);
            // A disc as wide as the world has several copies of an agent.
            if (nearest - (apart - shift)).abs().max_element() < 0.25 * space.side_min() {
                visit(slot, nearest);
            }
        });
    }
}
