//! Resolve by positions: what a pile needs.
//!
//! One impulse a contact takes the approach out of two agents, but not the weight of those above: each
//! step gravity makes the whole pile fall a little, and the impulses pass the news on by one layer a
//! step. Here it is the correction of the positions that changes the velocities, as in "Small Steps in
//! Physics Simulation" (Macklin et al., 2019): what pushes two agents apart by d in a substep of h seconds
//! also changes the speed at which they part by d/h. In a pile at rest gravity's part and the contacts'
//! cancel exactly. Many small substeps with one pass each keep the overlap small: at the foot of a pile
//! of n layers it goes with n·g·h².
//!
//! What a correction leaves of speed is not motion. A second pass gives each contact the speed that it
//! should part with ("Detailed Rigid Body Simulation with Extended Position Based Dynamics", Müller et
//! al., 2020): none if the two met slowly, restitution times the approach if they met fast, what they
//! had if they were parting. It needs the speeds from before the first pass, which are read first.

use super::{
    bands::Slots,
    contacts::Contacts,
    obstacles,
    resolve::{Contact, in_canonical_order},
};
use crate::{agents::Agents, error::Result, geometry::Rect, statics::Statics};

/// What decides a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resting {
    /// Share of the approach speed that a collision gives back.
    pub restitution: f32,
    /// Approach slower than this gives nothing back, world units a second: that is how things come to
    /// rest.
    pub rest_speed: f32,
    /// Seconds a substep.
    pub dt: f32,
}

/// Share of an overlap that one pass takes out. An agent in a pile is pushed by four to six others in
/// turn; whole pushes overshoot, and the pile boils. `jostle run --scene pile --agents 20k --steps 1000`
/// ends with a root mean square speed of 1.45 and an overlap of 0.23 with whole pushes, of 0.28 and 0.10
/// with half ones, of 1.50 and 0.20 with 0.3.
const RELAXATION: f32 = 0.5;

/// Share of the smaller radius that one pass may push two agents apart, so that a deep overlap (agents
/// spawned onto each other) is undone in some substeps and not in an explosion.
const PUSH_MAX: f32 = 0.2;

/// Resolves all contacts; returns the number of collisions faster than the rest speed.
///
/// # Errors
/// If there is no memory for the contacts' speeds.
pub(crate) fn resolve(
    agents: &mut Agents,
    contacts: &mut Contacts,
    world: &Rect,
    statics: &Statics,
    solver: Resting,
) -> Result<u64> {
    contacts.read_speeds(agents)?;
    in_canonical_order(agents, contacts, &|slots, pair, _| {
        if let Some(contact) = Contact::of(slots, pair) {
            let limit = PUSH_MAX * slots.radius[contact.i].min(slots.radius[contact.j]);
            let push = (RELAXATION * contact.overlap).min(limit);
            contact.push_positions(slots, push);
            contact.push_velocities(slots, push / solver.dt);
        }
        false
    });
    obstacles::hold(agents, statics, world, solver.dt);
    walls(&mut Slots::all(agents), world, solver.dt);
    let collisions = in_canonical_order(agents, contacts, &|slots, pair, approach| {
        let fast = approach > solver.rest_speed;
        let contact = Contact::between(slots, pair);
        let target = if fast { solver.restitution * approach } else { (-approach).max(0.0) };
        contact.push_velocities(slots, target - contact.separation_speed(slots));
        fast
    });
    Ok(collisions)
}

/// What the pass pushed into a wall is pushed back, in position and velocity alike.
fn walls(slots: &mut Slots<'_>, world: &Rect, dt: f32) {
    let axes = [
        (&mut *slots.x, &mut *slots.vx, world.min.x, world.max.x),
        (&mut *slots.y, &mut *slots.vy, world.min.y, world.max.y),
    ];
    for (position, velocity, low, high) in axes {
        for ((position, velocity), &radius) in position.iter_mut().zip(velocity).zip(slots.radius) {
            let inside = position.min(high - radius).max(low + radius);
            *velocity += (inside - *position) / dt;
            *position = inside;
        }
    }
}
