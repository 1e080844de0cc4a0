//! Resolve by impulses: what a gas needs.
//!
//! Pair after pair in canonical order, from the present positions: one impulse along the line of centres
//! if the two approach, which conserves momentum and, with restitution 1, kinetic energy; then the
//! overlap is taken out of the positions, shared by mass. Mass is radius².

use std::ops::Range;

use glam::Vec2;

use super::{
    bands::{self, Slots},
    contacts::{Contacts, Lists, Pair},
};
use crate::agents::Agents;

/// Resolves all contacts; returns the number of impulses.
pub(crate) fn resolve(agents: &mut Agents, contacts: &mut Contacts, restitution: f32) -> u64 {
    in_canonical_order(agents, contacts, &|slots, pair, _| impulse(slots, pair, restitution))
}

/// Calls `work` with each pair and its approach speed, if [`Contacts::read_speeds`] read it: those of even
/// bands on all threads of the pool, then those of odd ones, then the far ones. Returns how many it said
/// true for.
pub(super) fn in_canonical_order(
    agents: &mut Agents,
    contacts: &mut Contacts,
    work: &(impl Fn(&mut Slots<'_>, Pair, f32) -> bool + Sync),
) -> u64 {
    let Lists { bands, pairs, speeds } = contacts.lists();
    let resolve = |slots: &mut Slots<'_>, places: Range<usize>| -> u64 {
        let speed = |place: usize| speeds.get(place).copied().unwrap_or(0.0);
        places.map(|place| u64::from(work(slots, pairs[place], speed(place)))).sum()
    };
    for first in 0..bands.len().min(2) {
        let slots = Slots::all(agents).split_at(bands[first].slots.start).1;
        bands::every_second(&mut bands[first..], slots, &|band, slots| {
            band.collisions = resolve(slots, band.near());
        });
    }
    let mut slots = Slots::all(agents);
    bands.iter().map(|band| band.collisions + resolve(&mut slots, band.far())).sum()
}

/// A contact at this moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub(super) i: usize,
    pub(super) j: usize,
    /// Unit vector from i to j.
    pub(super) normal: Vec2,
    /// World units; negative if there is a gap.
    pub(super) overlap: f32,
    /// The share of a correction that i takes, and that j takes: the lighter takes more.
    pub(super) share: [f32; 2],
}

impl Contact {
    /// The contact of a pair, if it still overlaps.
    #[inline(always)]
    pub(super) fn of(slots: &Slots<'_>, pair: Pair) -> Option<Self> {
        let contact = Self::between(slots, pair);
        (contact.overlap > 0.0).then_some(contact)
    }

    /// The line between the two of a pair, whether they overlap or not.
    #[inline(always)]
    pub(super) fn between(slots: &Slots<'_>, pair: Pair) -> Self {
        let [i, j] = pair.map(|slot| slot as usize - slots.first);
        let (ri, rj) = (slots.radius[i], slots.radius[j]);
        let delta = Vec2::new(slots.x[j] - slots.x[i], slots.y[j] - slots.y[i]);
        let distance = (delta.x * delta.x + delta.y * delta.y).sqrt();
        let normal =
            if distance > 0.0 { delta / distance } else { apart(slots.id[i], slots.id[j]) };
        let (mass_i, mass_j) = (ri * ri, rj * rj);
        let total = mass_i + mass_j;
        Self { i, j, normal, overlap: ri + rj - distance, share: [mass_j / total, mass_i / total] }
    }

    /// The speed at which the two move apart along the normal; negative if they approach.
    #[inline(always)]
    pub(super) fn separation_speed(&self, slots: &Slots<'_>) -> f32 {
        let Self { i, j, normal, .. } = *self;
        (slots.vx[j] - slots.vx[i]) * normal.x + (slots.vy[j] - slots.vy[i]) * normal.y
    }

    /// Changes the speed at which they move apart by `change`.
    #[inline(always)]
    pub(super) fn push_velocities(&self, slots: &mut Slots<'_>, change: f32) {
        let Self { i, j, normal, share, .. } = *self;
        slots.vx[i] -= share[0] * change * normal.x;
        slots.vy[i] -= share[0] * change * normal.y;
        slots.vx[j] += share[1] * change * normal.x;
        slots.vy[j] += share[1] * change * normal.y;
    }

    /// Moves them apart by `distance`.
    #[inline(always)]
    pub(super) fn push_positions(&self, slots: &mut Slots<'_>, distance: f32) {
        let Self { i, j, normal, share, .. } = *self;
        slots.x[i] -= share[0] * distance * normal.x;
        slots.y[i] -= share[0] * distance * normal.y;
        slots.x[j] += share[1] * distance * normal.x;
        slots.y[j] += share[1] * distance * normal.y;
    }
}

#[inline(always)]
fn impulse(slots: &mut Slots<'_>, pair: Pair, restitution: f32) -> bool {
    let Some(contact) = Contact::of(slots, pair) else { return false };
    let speed = contact.separation_speed(slots);
    let approaches = speed < 0.0;
    if approaches {
        contact.push_velocities(slots, -(1.0 + restitution) * speed);
    }
    contact.push_positions(slots, contact.overlap);
    approaches
}

/// The direction in which two agents in one place are pushed apart: from their ids, so that it is the
/// same in every run, and the other way round if the two change places.
fn apart(id_i: u32, id_j: u32) -> Vec2 {
    const DIRECTIONS: [Vec2; 4] =
        [Vec2::new(1.0, 0.0), Vec2::new(0.6, 0.8), Vec2::new(0.0, 1.0), Vec2::new(-0.6, 0.8)];
    let direction = DIRECTIONS[((id_i ^ id_j).wrapping_mul(0x9e37_79b9) >> 30) as usize];
    if id_i < id_j { direction } else { -direction }
}
