//! The impulse solver: one sequential impulse per contact, which is exact for a gas.
//!
//! Pair after pair in canonical order or in its reverse, in turns, from the current positions: if the
//! two approach, an impulse along the normal, which conserves momentum and, with restitution 1,
//! kinetic energy. Then the overlap is removed from the positions, shared by mass.

use glam::Vec2;

use super::contact::Contact;
use crate::{
    agents::{Agents, AgentsMut},
    contacts::{Contacts, Direction, Exchange, Pair},
    geometry::Space,
};

/// Resolves all contacts in a direction; returns the impulses, added up.
pub(crate) fn resolve(
    agents: &mut Agents,
    contacts: &mut Contacts,
    direction: Direction,
    restitution: f32,
    space: &Space,
) -> Exchange {
    let nearest = |displacement| space.minimum_image(displacement);
    contacts.resolve(
        agents,
        direction,
        &|agents, pair| impulse(agents, pair, restitution, |displacement| displacement),
        |agents, pair| impulse(agents, pair, restitution, nearest),
    )
}

/// Resolves one pair; returns the impulse, if the two approached.
#[inline(always)]
fn impulse(
    agents: &mut AgentsMut<'_>,
    pair: Pair,
    restitution: f32,
    nearest: impl Fn(Vec2) -> Vec2,
) -> Exchange {
    let Some(contact) = Contact::overlapping(agents, pair, nearest) else {
        return Exchange::default();
    };
    let speed = contact.separation_speed(agents);
    let mut exchange = Exchange::default();
    if speed < 0.0 {
        let change = -(1.0 + restitution) * speed;
        contact.push_velocities(agents, change);
        exchange = contact.exchange(agents, change);
    }
    contact.push_positions(agents, contact.overlap);
    exchange
}
