//! The position solver: resolves contacts by moving agents apart, which holds up a pile.
//!
//! One impulse per contact takes the approach out of two agents, but not the weight of those above:
//! in each step gravity makes the whole pile fall a little, and impulses carry the reaction up by
//! one layer per step. Here the correction of the positions changes the velocities, as in "Small
//! Steps in Physics Simulation" (Macklin et al., 2019): a push of d in a substep of h seconds adds
//! d/h to the separation speed. In a pile at rest gravity and the contacts cancel exactly. Many
//! small substeps with one pass each keep the overlap small: at the foot of a pile of n layers it
//! is proportional to n·g·h².
//!
//! The speed that a correction leaves is not motion. A second pass sets the separation speed of
//! each contact ("Detailed Rigid Body Simulation with Extended Position Based Dynamics", Müller et
//! al., 2020): 0 if the two met slowly, restitution times the approach speed if they met fast, and
//! the speed before if they were separating. It needs the speeds from before the first pass, which
//! are read first.

use super::{contact::Contact, static_contacts};
use crate::{
    agents::{Agents, AgentsMut},
    contacts::Contacts,
    error::Result,
    geometry::Rect,
    statics::Statics,
};

/// Parameters of the solver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PositionSolver {
    /// Share of the approach speed that a collision returns.
    pub restitution: f32,
    /// A slower approach returns nothing, so that agents come to rest; world units per second.
    pub rest_speed: f32,
    /// Seconds per substep.
    pub dt: f32,
}

/// Share of an overlap that one pass removes. An agent in a pile is pushed by four to six others in
/// turn; whole pushes overshoot, and the pile boils. `jostle run --scene pile --agents 20k --steps
/// 1000` ends with a root mean square speed of 1.45 and an overlap of 0.23 with whole pushes, of
/// 0.28 and 0.10 with half ones, of 1.50 and 0.20 with 0.3.
const RELAXATION: f32 = 0.5;

/// Largest push of one pass, as a share of the smaller radius. It undoes a deep overlap, as of
/// agents spawned onto each other, over some substeps instead of in an explosion.
const PUSH_MAX: f32 = 0.2;

impl PositionSolver {
    /// Resolves all contacts; returns the number of collisions faster than the rest speed.
    ///
    /// # Errors
    /// If there is no memory for the contacts' speeds.
    pub(crate) fn resolve(
        self,
        agents: &mut Agents,
        contacts: &mut Contacts,
        world: &Rect,
        statics: &Statics,
    ) -> Result<u64> {
        contacts.read_speeds(agents)?;
        contacts.resolve(agents, &|agents, pair, _| {
            if let Some(contact) = Contact::overlapping(agents, pair) {
                let limit = PUSH_MAX * agents.radius[contact.i].min(agents.radius[contact.j]);
                let push = (RELAXATION * contact.overlap).min(limit);
                contact.push_positions(agents, push);
                contact.push_velocities(agents, push / self.dt);
            }
            false
        });
        static_contacts::push_out(agents, statics, world, self.dt);
        push_inside(&mut agents.view_mut(), world, self.dt);
        let collisions = contacts.resolve(agents, &|agents, pair, approach| {
            let fast = approach > self.rest_speed;
            let contact = Contact::new(agents, pair);
            let target = if fast { self.restitution * approach } else { (-approach).max(0.0) };
            contact.push_velocities(agents, target - contact.separation_speed(agents));
            fast
        });
        Ok(collisions)
    }
}

/// Pushes agents that the pass moved into a wall back, in position and in velocity.
fn push_inside(agents: &mut AgentsMut<'_>, world: &Rect, dt: f32) {
    let axes = [
        (&mut *agents.x, &mut *agents.vx, world.min.x, world.max.x),
        (&mut *agents.y, &mut *agents.vy, world.min.y, world.max.y),
    ];
    for (position, velocity, low, high) in axes {
        for ((position, velocity), &radius) in position.iter_mut().zip(velocity).zip(agents.radius)
        {
            let inside = position.min(high - radius).max(low + radius);
            *velocity += (inside - *position) / dt;
            *position = inside;
        }
    }
}
