//! Interaction with what is near a point of the world, across the seam too where the world repeats:
//! finds the agents in a disc, steers them, and fills a disc with agents, between two steps.
//!
//! The grid finds the agents in the disc. The effect on each depends on no other agent, so that the
//! same calls between the same steps give the same bits.

use glam::Vec2;

use super::{Sim, check};
use crate::{
    agents::{Agents, Spawn},
    error::{Error, Field, Limit, Result, Value},
    geometry::{Disc, DiscColumns, Elements, Rect, Space},
    grid::Grid,
    limits::SPEED_MAX,
    rng::Rng,
};

/// Share of the difference to the new velocity that an agent in the middle of the disc takes up.
const GRIP: f32 = 0.5;

/// Positions that are tried per agent that the disc could hold if its whole area were covered.
const TRIES: f32 = 12.0;

/// Maximum number of positions that one call tries.
const TRIES_MAX: f32 = 16_384.0;

/// Maximum length of the list of agents to be spawned.
const SPAWNS_MAX: usize = 2_048;

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

    /// Steers the agents with discs that intersect a disc: away from its center at `speed`, in
    /// world units per second, or towards it if `speed` is below 0. Returns the number of agents
    /// steered.
    ///
    /// In the middle of the disc a velocity takes up half of the difference to that speed, and less
    /// towards the border, so that no agent becomes faster than `speed`, however often this is
    /// called. An agent exactly in the center is not steered.
    ///
    /// # Errors
    /// If the disc is not finite, or the speed is beyond 1e9. No agent is steered then.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, Vec2};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 500, ..Setup::new(Scene::Gas) })?;
    /// let center = sim.world().center();
    /// let before = sim.measure()?.momentum;
    /// assert!(sim.steer(center, 10.0, 20.0)? > 10);
    /// assert_ne!(sim.measure()?.momentum, before);
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn steer(&mut self, center: Vec2, radius: f32, speed: f32) -> Result<usize> {
        if !center.is_finite() {
            return Err(Error::invalid(Field::BrushCenter, Value::Point(center), Limit::Finite));
        }
        if !radius.is_finite() {
            return Err(Error::invalid(Field::BrushRadius, Value::Number(radius), Limit::Finite));
        }
        if speed.is_nan() || speed.abs() > SPEED_MAX {
            let limit = Limit::Numbers(-SPEED_MAX..=SPEED_MAX);
            return Err(Error::invalid(Field::BrushSpeed, Value::Number(speed), limit));
        }
        self.forget_ahead();
        let agents = &mut self.agents;
        let (x, y, vx, vy) = (&agents.x, &agents.y, &mut agents.vx, &mut agents.vy);
        let discs = DiscColumns { x, y, radius: &agents.radius };
        let mut steered = 0;
        let disc = Disc { center, radius };
        visit_copies(
            &self.grid,
            &discs,
            &self.motion.space,
            disc,
            |slot, Vec2 { x: dx, y: dy }| {
                let slot = slot as usize;
                let distance = (dx * dx + dy * dy).sqrt();
                if distance > 0.0 {
                    let grip = GRIP * (1.0 - distance / radius).max(0.0);
                    vx[slot] += (dx / distance * speed - vx[slot]) * grip;
                    vy[slot] += (dy / distance * speed - vy[slot]) * grip;
                    steered += 1;
                }
            },
        );
        Ok(steered)
    }

    /// Finds free positions in a disc and appends an agent for each to `spawns`, for
    /// [`Self::spawn`]: with radii and factions like the living agents, the scene's speeds, and
    /// random directions.
    ///
    /// The list may be spawned as a whole if this was so before: it never exceeds the capacity that
    /// is left (nor 2,048 agents), and has no agent that [`Self::spawn`] would reject. A disc that
    /// is not finite, or smaller than an agent, yields none.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, rng::Rng};
    ///
    /// let setup = Setup { agents: 500, spare_agents: 100, ..Setup::new(Scene::Gas) };
    /// let mut sim = Sim::new(&setup)?;
    /// let mut spawns = Vec::new();
    /// sim.fill(sim.world().center(), 10.0, &mut Rng::new(1), &mut spawns);
    /// assert!(spawns.len() > 10);
    /// sim.spawn(&spawns)?;
    /// # Ok::<(), jostle::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn fill(&self, center: Vec2, radius: f32, rng: &mut Rng, spawns: &mut Vec<Spawn>) {
        let least = self.motion.radius_min;
        let tries = (TRIES * radius * radius / (least * least)).clamp(1.0, TRIES_MAX) as u32;
        let most = self.capacity_left().min(SPAWNS_MAX);
        let space = self.space();
        for _ in 0..tries {
            if spawns.len() >= most {
                return;
            }
            let (size, faction) = self.random_build(rng);
            let distance = rng.unit().sqrt() * (radius - size);
            let position = space.wrapped(center + rng.direction() * distance);
            let velocity = rng.direction() * (self.setup.speed * rng.between(0.5, 1.5));
            let disc = Disc { center: position, radius: size };
            let fits = size <= radius && space.centers(size).contains(position);
            let meets = |other: &Spawn| intersects(other, disc, &space);
            if fits && self.is_free(disc) && !spawns.iter().any(meets) {
                let spawn = Spawn::new(position, velocity, size).with_faction(faction);
                spawns.extend(check::agent(&spawn, &space).is_ok().then_some(spawn));
            }
        }
    }

    /// Radius and faction of a random agent; if none is alive, a radius of the set-up and faction
    /// 0.
    fn random_build(&self, rng: &mut Rng) -> (f32, u8) {
        let Agents { radius, units, .. } = &self.agents;
        let [least, most] = self.setup.radius;
        let any = rng.between(least, most);
        let slot = rng.below(radius.len() as u32) as usize;
        let faction = units.as_ref().and_then(|units| units.faction.get(slot));
        (radius.get(slot).copied().unwrap_or(any), faction.copied().unwrap_or(0))
    }
}

/// True if an agent to be spawned shares a point with a disc.
pub(super) fn intersects(spawn: &Spawn, disc: Disc, space: &Space) -> bool {
    let reach = spawn.radius + disc.radius;
    space.minimum_image(spawn.position - disc.center).length_squared() <= reach * reach
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
