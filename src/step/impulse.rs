//! The impulse solver: one sequential impulse per contact, which is exact for a gas.
//!
//! Pair after pair in canonical order, from the current positions: if the two approach, an impulse
//! along the normal, which conserves momentum and, with restitution 1, kinetic energy. Then the
//! overlap is removed from the positions, shared by mass.

use glam::Vec2;

use super::contact::Contact;
use crate::{
    agents::{Agents, AgentsMut},
    contacts::{Contacts, Exchange, Pair},
    geometry::Space,
};

/// Resolves all contacts, those across the seam of a world that repeats last; returns the impulses,
/// added up.
pub(crate) fn resolve(
    agents: &mut Agents,
    contacts: &mut Contacts,
    restitution: f32,
    space: &Space,
) -> Exchange {
    let mut all =
        contacts.resolve(agents, &|agents, pair| impulse(agents, pair, restitution, |d| d));
    let mut agents = agents.view_mut();
    let nearest = |displacement| space.minimum_image(displacement);
    for &pair in contacts.across_seam() {
        all += impulse(&mut agents, pair, restitution, nearest);
    }
    all
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
