//! The impulse solver: one sequential impulse per contact, which is exact for a gas.
//!
//! Pair after pair in canonical order, from the current positions: if the two approach, an impulse
//! along the normal, which conserves momentum and, with restitution 1, kinetic energy. Then the
//! overlap is removed from the positions, shared by mass.

use glam::Vec2;

use super::contact::Contact;
use crate::{
    agents::{Agents, AgentsMut},
    contacts::{Contacts, Pair},
    geometry::Space,
};

/// Resolves all contacts, those across the seam of a world that repeats last; returns the number of
/// impulses.
pub(crate) fn resolve(
    agents: &mut Agents,
    contacts: &mut Contacts,
    restitution: f32,
    space: &Space,
) -> u64 {
    let inside =
        contacts.resolve(agents, &|agents, pair| impulse(agents, pair, restitution, |d| d));
    let mut agents = agents.view_mut();
    let nearest = |displacement| space.minimum_image(displacement);
    let impulse = |&pair| impulse(&mut agents, pair, restitution, nearest);
    inside
        + contacts.across_seam().iter().map(impulse).filter(|&approached| approached).count() as u64
}

/// Resolves one pair; returns whether the two approached.
#[inline(always)]
fn impulse(
    agents: &mut AgentsMut<'_>,
    pair: Pair,
    restitution: f32,
    nearest: impl Fn(Vec2) -> Vec2,
) -> bool {
    let Some(contact) = Contact::overlapping(agents, pair, nearest) else { return false };
    let speed = contact.separation_speed(agents);
    let approaches = speed < 0.0;
    if approaches {
        contact.push_velocities(agents, -(1.0 + restitution) * speed);
    }
    contact.push_positions(agents, contact.overlap);
    approaches
}
