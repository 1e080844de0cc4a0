//! The impulse solver: one sequential impulse per contact, which is exact for a gas.
//!
//! Pairs are resolved in canonical order or in its reverse, in turns, from the current positions:
//!
//! ```text
//! near pairs   of even bands, on all threads of the pool
//! near pairs   of odd bands, likewise
//! others       pairs with an outlier, then those across the seam, on the calling thread
//! ```
//!
//! If the two agents of a pair approach, they get an impulse along the normal, which conserves
//! momentum and, with restitution 1, kinetic energy; with friction, one along the tangent, too. Then the overlap is removed from the
//! positions, shared by mass.

use glam::Vec2;

use super::{
    band_sums::BandSums,
    motion::Motion,
    pair_contact::{Exchange, PairContact},
};
use crate::{
    agents::{Agents, AgentsMut},
    contacts::{ContactList, ContactSink, PARITIES, Pair},
    solver::coulomb::Roughness,
};

/// The direction in which pairs are resolved. A push passes along a row of touching agents through
/// all of the row in this direction, and only to the next agent in the other. With one direction,
/// agents would lie closer at one wall than at the opposite one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// The direction of a substep, by the number of substeps before it.
    pub(crate) fn of_substep(number: u64) -> Self {
        if number % 2 == 1 { Self::Backward } else { Self::Forward }
    }

    /// Calls `work` with each item in this direction.
    #[inline(always)]
    pub(crate) fn each<I: DoubleEndedIterator>(self, items: I, work: impl FnMut(I::Item)) {
        match self {
            Self::Forward => items.for_each(work),
            Self::Backward => items.rev().for_each(work),
        }
    }
}

/// Pairs that are resolved one after another.
#[derive(Clone, Copy)]
enum Group {
    /// The near pairs of the bands of one parity.
    Near(usize),
    Outliers,
    AcrossSeam,
}

/// Resolves all contacts in a direction, and logs them; returns the impulses, added up.
pub(crate) fn resolve(
    agents: &mut Agents,
    contacts: &mut ContactList,
    direction: Direction,
    motion: &Motion,
    log: &impl ContactSink,
) -> Exchange {
    // A loop of its own for smooth agents, which need no spins.
    if motion.roughness.friction > 0.0 {
        resolve_all::<true>(agents, contacts, direction, motion, log)
    } else {
        resolve_all::<false>(agents, contacts, direction, motion, log)
    }
}

fn resolve_all<const ROUGH: bool>(
    agents: &mut Agents,
    contacts: &mut ContactList,
    direction: Direction,
    Motion { restitution, roughness, space, .. }: &Motion,
    log: &impl ContactSink,
) -> Exchange {
    let losses = (*restitution, *roughness);
    let inside =
        |agents: &mut AgentsMut<'_>, pair| impulse::<ROUGH>(agents, pair, losses, |d| d, log);
    let nearest = |displacement| space.minimum_image(displacement);
    let [even, odd] = PARITIES;
    let groups = [Group::Near(even), Group::Near(odd), Group::Outliers, Group::AcrossSeam];
    let mut sums = BandSums::default();
    direction.each(groups.into_iter(), |group| {
        let mut agents = agents.view_mut();
        match group {
            Group::Near(parity) => {
                near(agents, contacts, parity, direction, &mut sums.near, &inside);
            }
            Group::Outliers => direction.each(contacts.bands().iter(), |band| {
                let mut sum = Exchange::default();
                let pairs = &contacts.pairs()[band.outliers()];
                direction.each(pairs.iter(), |&pair| sum += inside(&mut agents, pair));
                sums.late[band.index] = sum;
            }),
            Group::AcrossSeam => direction.each(contacts.across_seam().iter(), |&pair| {
                sums.across += impulse::<ROUGH>(&mut agents, pair, losses, nearest, log);
            }),
        }
    });
    sums.total(contacts.bands().len())
}

/// Resolves the near pairs of the bands of one parity, each by `inside`; sets the impulses of each band.
#[inline(always)]
fn near(
    agents: AgentsMut<'_>,
    contacts: &mut ContactList,
    parity: usize,
    direction: Direction,
    of_bands: &mut [Exchange],
    inside: &(impl Fn(&mut AgentsMut<'_>, Pair) -> Exchange + Sync),
) {
    contacts.retain_near(parity, agents, &mut [], of_bands, &|agents, pairs, _, of_band| {
        let mut sum = Exchange::default();
        direction.each(pairs.iter(), |&pair| sum += inside(agents, pair));
        *of_band = sum;
        pairs.len()
    });
}

/// Resolves the near pairs of the bands of one parity; sets the impulses of each band.
pub(crate) fn resolve_near(
    agents: &mut Agents,
    contacts: &mut ContactList,
    parity: usize,
    direction: Direction,
    motion: &Motion,
    of_bands: &mut [Exchange],
) {
    let losses = (motion.restitution, motion.roughness);
    let agents = agents.view_mut();
    if motion.roughness.friction > 0.0 {
        let rough =
            |agents: &mut AgentsMut<'_>, pair| impulse::<true>(agents, pair, losses, |d| d, &());
        near(agents, contacts, parity, direction, of_bands, &rough);
    } else {
        let smooth =
            |agents: &mut AgentsMut<'_>, pair| impulse::<false>(agents, pair, losses, |d| d, &());
        near(agents, contacts, parity, direction, of_bands, &smooth);
    }
}

/// Resolves a pair. `nearest` turns the displacement between the two into the displacement between the
/// copies that may touch.
#[inline(always)]
pub(crate) fn resolve_pair(
    agents: &mut AgentsMut<'_>,
    pair: Pair,
    Motion { restitution, roughness, .. }: &Motion,
    nearest: impl Fn(Vec2) -> Vec2,
) -> Exchange {
    let losses = (*restitution, *roughness);
    if roughness.friction > 0.0 {
        impulse::<true>(agents, pair, losses, nearest, &())
    } else {
        impulse::<false>(agents, pair, losses, nearest, &())
    }
}

/// Resolves one pair with restitution and friction; returns the impulse, if the two approached.
/// `nearest` is as for [`resolve_pair`].
#[inline(always)]
fn impulse<const ROUGH: bool>(
    agents: &mut AgentsMut<'_>,
    pair: Pair,
    (restitution, roughness): (f32, Roughness),
    nearest: impl Fn(Vec2) -> Vec2,
    log: &impl ContactSink,
) -> Exchange {
    let Some(contact) = PairContact::overlapping(agents, pair, nearest) else {
        return Exchange::default();
    };
    let speed = contact.separation_speed(agents);
    let mut exchange = Exchange::default();
    if speed < 0.0 {
        let change = -(1.0 + restitution) * speed;
        contact.push_velocities(agents, change);
        if ROUGH {
            contact.rub(agents, change, roughness);
        }
        exchange = contact.exchange(agents, change);
        log.record(|| contact.record(agents, change));
    } else {
        log.record(|| contact.record(agents, 0.0));
    }
    contact.push_positions(agents, contact.overlap);
    exchange
}
