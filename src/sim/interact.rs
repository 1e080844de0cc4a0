//! What a hand can do to the agents in a disc between two steps: steer them, and fill it up.
//!
//! Whoever is in the disc is found through the grid, and what becomes of each depends on nobody else in it. So
//! the same strokes between the same steps give the same bits, like all else.

use glam::Vec2;

use super::{Sim, check};
use crate::{
    agents::{Agents, Spawn},
    error::{Error, Field, Limit, Result, Value},
    geometry::Rect,
    grid::{Disc, DiscColumns},
    limits::SPEED_MAX,
    rng::Rng,
};

/// The share of the way to its new velocity that an agent in the middle of the disc is taken.
const GRIP: f32 = 0.5;

/// Places that are tried for each agent that the disc could hold if nothing were lost between them, and in
/// all; and agents that are found a place for at once.
const TRIES: f32 = 12.0;
const TRIES_MAX: f32 = 16_384.0;
const SPAWNS_MAX: usize = 2_048;

impl Sim {
    /// Steers the agents whose discs meet a disc: away from its centre at `speed`, world units a second, or
    /// towards it if that is below 0. An agent's velocity goes half of the way to that in the middle, and less
    /// towards the border, so that nobody becomes faster than `speed` by it, however often it is done. Who is exactly
    /// in the centre goes nowhere in particular, and stays as they are. Returns how many were steered.
    ///
    /// # Errors
    /// If the disc is not finite, or the speed is beyond [`SPEED_MAX`]; nobody is steered then.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, Vec2};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 500, ..Setup::new(Scene::Gas) })?;
    /// let center = sim.world().center();
    /// let before = sim.agents().momentum();
    /// assert!(sim.steer(center, 10.0, 20.0)? > 10);
    /// assert_ne!(sim.agents().momentum(), before);
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
            let limit = Limit::Numbers { min: -SPEED_MAX, max: SPEED_MAX };
            return Err(Error::invalid(Field::BrushSpeed, Value::Number(speed), limit));
        }
        let agents = &mut self.agents;
        let (x, y, vx, vy) = (&agents.x, &agents.y, &mut agents.vx, &mut agents.vy);
        let discs = DiscColumns { x, y, radius: &agents.radius };
        let mut steered = 0;
        self.grid.visit_disc(&discs, center, radius, |slot| {
            let slot = slot as usize;
            let (dx, dy) = (x[slot] - center.x, y[slot] - center.y);
            let distance = (dx * dx + dy * dy).sqrt();
            if distance > 0.0 {
                let grip = GRIP * (1.0 - distance / radius).max(0.0);
                vx[slot] += (dx / distance * speed - vx[slot]) * grip;
                vy[slot] += (dy / distance * speed - vy[slot]) * grip;
                steered += 1;
            }
        });
        Ok(steered)
    }

    /// Finds places in a disc for more agents, which overlap nobody, and adds them to `spawns`, for
    /// [`Self::spawn`]: with the sizes and sides that others have now, the scene's speeds, and any directions. Draws
    /// from `rng`.
    ///
    /// All that it finds may be spawned together, with what was in the list before, if that may. So it finds no more
    /// than there is room for, nor any that [`Self::spawn`] would refuse; and no more than some thousand at once, the
    /// list included. A disc that is not finite, or smaller than an agent, holds none.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, rng::Rng};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 500, spare_agents: 100, ..Setup::new(Scene::Gas) })?;
    /// let mut spawns = Vec::new();
    /// sim.fill(sim.world().center(), 10.0, &mut Rng::new(1), &mut spawns);
    /// assert!(spawns.len() > 10);
    /// sim.spawn(&spawns)?;
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn fill(&self, center: Vec2, radius: f32, rng: &mut Rng, spawns: &mut Vec<Spawn>) {
        let least = self.motion.radius_min;
        let tries = (TRIES * radius * radius / (least * least)).clamp(1.0, TRIES_MAX) as u32;
        let most = self.room_left().min(SPAWNS_MAX);
        let world = self.world();
        for _ in 0..tries {
            if spawns.len() >= most {
                return;
            }
            let (size, faction) = self.some_build(rng);
            let way = rng.unit().sqrt() * (radius - size);
            let position = center + rng.direction() * way;
            let velocity = rng.direction() * (self.setup.speed * rng.between(0.5, 1.5));
            let disc = Disc { center: position, radius: size };
            let fits = size <= radius && world.expanded(-size).contains(position);
            if fits && self.is_free(disc) && !spawns.iter().any(|other| meets(other, disc)) {
                let spawn = Spawn::new(position, velocity, size).with_faction(faction);
                spawns.extend(check::agent(&spawn, &world).is_ok().then_some(spawn));
            }
        }
    }

    /// Radius and side of one of the agents, as likely as they are among them; a radius of the scene's and the
    /// first side if none is alive.
    fn some_build(&self, rng: &mut Rng) -> (f32, u8) {
        let Agents { radius, units, .. } = &self.agents;
        let [least, most] = self.setup.radius;
        let any = rng.between(least, most);
        let slot = rng.below(radius.len() as u32) as usize;
        let side = units.as_ref().and_then(|units| units.faction.get(slot));
        (radius.get(slot).copied().unwrap_or(any), side.copied().unwrap_or(0))
    }

    /// True if a disc meets no agent and no static.
    fn is_free(&self, disc: Disc) -> bool {
        let mut free = true;
        let Disc { center, radius } = disc;
        self.grid.visit_disc(&self.agents, center, radius, |_| free = false);
        self.statics.visit_near(&Rect::around(center, radius), |place| {
            free &= !self.statics.get(place).intersects_disc(&disc);
        });
        free
    }
}

/// True if an agent to come shares a point with a disc.
fn meets(spawn: &Spawn, disc: Disc) -> bool {
    let reach = spawn.radius + disc.radius;
    spawn.position.distance_squared(disc.center) <= reach * reach
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        scene::{Scene, Setup},
        statics::Static,
    };

    fn sim(scene: Scene) -> Sim {
        let setup = Setup { agents: 600, spare_agents: 300, spare_statics: 4, ..Setup::new(scene) };
        Sim::new(&setup).unwrap()
    }

    #[test]
    fn steering_makes_nobody_faster_than_asked_and_leaves_the_others() {
        let mut sim = sim(Scene::Gas);
        let (center, radius) = (sim.world().center(), 12.0);
        let before = sim.agents().clone();
        for _ in 0..50 {
            assert!(sim.steer(center, radius, 15.0).unwrap() > 10);
        }
        for slot in 0..before.len() {
            let (old, new) = (before.get(slot), sim.agents().get(slot));
            assert_eq!(old.position, new.position);
            let away = old.position - center;
            if away.length() > radius {
                assert_eq!(old.velocity, new.velocity);
            } else {
                assert!(new.velocity.length() <= old.velocity.length().max(15.0) * 1.001);
            }
            if away.length() < 0.5 * radius {
                assert!(new.velocity.dot(away) > 0.0, "away from the centre");
            }
        }
        sim.steer(center, radius, -15.0).unwrap();
        assert_eq!(sim.steer(Vec2::splat(-1e6), 1.0, 1.0).unwrap(), 0);
    }

    #[test]
    fn steering_that_would_leave_no_numbers_is_refused() {
        let mut sim = sim(Scene::Gas);
        let (center, hash) = (sim.world().center(), sim.state_hash());
        for (center, radius, speed) in [
            (center, 9.0, f32::NAN),
            (center, 9.0, 2.0 * SPEED_MAX),
            (center, f32::INFINITY, 1.0),
            (Vec2::splat(f32::INFINITY), 9.0, 1.0),
        ] {
            assert!(sim.steer(center, radius, speed).is_err(), "{center} {radius} {speed}");
        }
        assert_eq!(sim.state_hash(), hash);
    }

    #[test]
    fn who_fills_a_disc_overlaps_nobody_and_is_in_it() {
        for scene in [Scene::Gas, Scene::Mixed] {
            let mut sim = sim(scene);
            sim.add_statics(&[Static::disc(sim.world().center(), 3.0)]).unwrap();
            // The static was put on somebody; that is not what is counted here.
            let before = sim.measure().unwrap().contacts;
            let (center, mut spawns) = (sim.world().center(), Vec::new());
            sim.fill(center, 9.0, &mut Rng::new(3), &mut spawns);
            assert!(spawns.len() > 3, "{scene}: {}", spawns.len());
            for spawn in &spawns {
                assert!(spawn.position.distance(center) + spawn.radius <= 9.001);
                assert!(spawn.position.distance(center) > 3.0 + spawn.radius);
            }
            sim.spawn(&spawns).unwrap();
            assert_eq!(sim.measure().unwrap().contacts, before, "{scene}");
        }
    }

    #[test]
    fn who_fills_a_melee_is_on_either_side() {
        let (sim, mut spawns) = (sim(Scene::Melee), Vec::new());
        sim.fill(sim.world().center(), 1_000.0, &mut Rng::new(3), &mut spawns);
        for side in [0, 1] {
            assert!(spawns.iter().any(|spawn| spawn.faction == side), "{side}");
        }
    }

    #[test]
    fn no_more_come_than_there_is_room_for() {
        let mut sim = sim(Scene::Gas);
        let (center, mut spawns) = (sim.world().center(), Vec::new());
        sim.fill(center, 1_000.0, &mut Rng::new(3), &mut spawns);
        assert!(spawns.len() <= sim.room_left());
        sim.spawn(&spawns).unwrap();
        let mut rng = Rng::new(4);
        for _ in 0..100 {
            spawns.clear();
            sim.fill(center, 30.0, &mut rng, &mut spawns);
            sim.spawn(&spawns).unwrap();
        }
        assert!(sim.agents().len() <= 900);
    }
}
