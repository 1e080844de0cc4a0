//! The agents: a structure of arrays, kept in loose-cell order by the step.
//!
//! ```text
//! slot     0    1    2    3    4   …            row after row of the grid, so that
//! x      [ .. | .. | .. | .. | .. | …  f32      neighbors in the world are neighbors in memory
//! y      [ .. | .. | .. | .. | .. | …  f32
//! vx     [ .. | .. | .. | .. | .. | …  f32      24 bytes per agent
//! vy     [ .. | .. | .. | .. | .. | …  f32
//! radius [ .. | .. | .. | .. | .. | …  f32
//! id     [ 17 |  4 | 90 |  2 | 55 | …  u32      ids are permanent, slots hold until a step or edit
//! ```
//!
//! All columns have the same length, the number of agents alive. The mass of an agent is radius².
//! Some runs have further columns: [`Units`], and a caller's own in `own`.

mod own;
mod slots;
mod spawn;
mod spin;
mod sums;
mod units;

use std::ops::Range;

use glam::Vec2;

pub(crate) use self::spin::SPIN_BYTES;
pub use self::{
    own::{OwnColumn, OwnColumns},
    spawn::Spawn,
    units::Units,
};
use crate::{
    alloc,
    error::Result,
    geometry::{Disc, DiscColumns, Elements},
    limits,
    parallel::{self, Split},
    snapshot::{Snapshot, Writer},
};

/// One agent, gathered from the columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agent {
    /// Center, world units.
    pub position: Vec2,
    /// World units per second.
    pub velocity: Vec2,
    /// World units, above 0.
    pub radius: f32,
    /// Permanent number, below [`Agents::GONE`]; never used twice in a run.
    pub id: u32,
}

/// The agents alive, as columns of one length indexed by slot.
#[derive(Clone, Debug, Default)]
pub struct Agents {
    /// Centers, world units.
    pub x: Vec<f32>,
    /// Centers, world units; y points up.
    pub y: Vec<f32>,
    /// World units per second.
    pub vx: Vec<f32>,
    /// World units per second.
    pub vy: Vec<f32>,
    /// World units, above 0.
    pub radius: Vec<f32>,
    /// Permanent numbers.
    pub id: Vec<u32>,
    /// Factions and health, in scenes that have them.
    pub units: Option<Units>,
    /// Columns of a caller's own, in runs that ask for them.
    pub own: Option<Box<OwnColumns>>,
}

impl Agents {
    /// The reserved id of an agent that has left. The next sort drops its slot.
    pub const GONE: u32 = u32::MAX;

    /// Bytes per agent, and additional bytes per unit.
    const BYTES: usize = 24;
    const UNIT_BYTES: usize = 2;

    /// Creates empty columns with capacity for `capacity` agents.
    #[must_use]
    #[doc(hidden)]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            x: Vec::with_capacity(capacity),
            y: Vec::with_capacity(capacity),
            vx: Vec::with_capacity(capacity),
            vy: Vec::with_capacity(capacity),
            radius: Vec::with_capacity(capacity),
            id: Vec::with_capacity(capacity),
            units: None,
            own: None,
        }
    }

    /// Creates that many agents, of which all columns are 0.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn zeroed(count: usize) -> Result<Self> {
        let column = || alloc::zeroed(count, "the agents' columns");
        Ok(Self {
            x: column()?,
            y: column()?,
            vx: column()?,
            vy: column()?,
            radius: column()?,
            id: alloc::zeroed(count, "the agents' columns")?,
            units: None,
            own: None,
        })
    }

    /// Reserves memory for `capacity` agents in all.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn reserve(&mut self, capacity: usize) -> Result<()> {
        let Self { x, y, vx, vy, radius, id, units, own } = self;
        let what = "the agents' columns";
        let more = capacity.saturating_sub(id.len());
        [x, y, vx, vy, radius]
            .into_iter()
            .try_for_each(|column| alloc::reserve(column, more, what))?;
        if let Some(Units { faction, health }) = units {
            [faction, health]
                .into_iter()
                .try_for_each(|column| alloc::reserve(column, more, what))?;
        }
        if let Some(own) = own {
            own.reserve(more)?;
        }
        alloc::reserve(id, more, what)
    }

    /// Creates no agents, with the columns that these have.
    pub(crate) fn none_alike(&self) -> Self {
        let units = self.units.as_ref().map(|_| Units::default());
        let own = self.own.as_ref().map(|own| Box::new(own.none_alike()));
        Self { units, own, ..Self::default() }
    }

    /// Becomes a copy. Allocates nothing where there is room.
    #[cfg(feature = "cli")]
    pub(crate) fn copy_from(&mut self, from: &Self) {
        let Self { x, y, vx, vy, radius, id, units, own } = self;
        let columns = [(x, &from.x), (y, &from.y), (vx, &from.vx), (vy, &from.vy)];
        for (to, from) in columns.into_iter().chain([(radius, &from.radius)]) {
            to.clone_from(from);
        }
        id.clone_from(&from.id);
        match (units, &from.units) {
            (Some(to), Some(from)) => {
                to.faction.clone_from(&from.faction);
                to.health.clone_from(&from.health);
            }
            (to, from) => to.clone_from(from),
        }
        match (own, &from.own) {
            (Some(to), Some(from)) => to.copy_from(from),
            (to, from) => to.clone_from(from),
        }
    }

    /// True if there are columns of bytes, beside the numbers and ids that all agents have.
    pub(crate) fn has_bytes(&self) -> bool {
        self.units.is_some() || self.own.as_ref().is_some_and(|own| own.species.is_some())
    }

    /// Bytes that [`Self::reserve`] allocates for `capacity` agents without columns of a caller's
    /// own.
    pub(crate) fn memory_for(capacity: usize, units: bool) -> usize {
        capacity * (Self::BYTES + if units { Self::UNIT_BYTES } else { 0 })
    }

    /// Number of agents alive.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// True if no agent is alive.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Returns the agent in a slot.
    ///
    /// # Panics
    /// If `slot >= self.len()`.
    #[must_use]
    pub fn get(&self, slot: usize) -> Agent {
        Agent {
            position: Vec2::new(self.x[slot], self.y[slot]),
            velocity: Vec2::new(self.vx[slot], self.vy[slot]),
            radius: self.radius[slot],
            id: self.id[slot],
        }
    }

    /// Returns the agent in a slot as one that [`Sim::spawn`](crate::Sim::spawn) accepts again.
    /// A velocity beyond 1e9 along x or y is reduced to this limit.
    ///
    /// # Panics
    /// If `slot >= self.len()`.
    #[must_use]
    #[doc(hidden)]
    pub fn respawn(&self, slot: usize) -> Spawn {
        let spawn = self.as_spawn(slot);
        let most = Vec2::splat(limits::SPEED_MAX);
        Spawn { velocity: spawn.velocity.clamp(-most, most), ..spawn }
    }

    /// The agent in a slot without its id.
    pub(crate) fn as_spawn(&self, slot: usize) -> Spawn {
        let Agent { position, velocity, radius, id: _ } = self.get(slot);
        let species = self.own.as_ref().and_then(|own| own.species.as_ref());
        let spawn = Spawn::new(position, velocity, radius)
            .with_species(species.map_or(0, |species| species[slot]));
        match &self.units {
            Some(Units { faction, health }) => {
                spawn.with_faction(faction[slot]).with_health(health[slot])
            }
            None => spawn,
        }
    }

    /// Appends an agent in a new slot. `units` and `own`, where there are any, must be appended to as
    /// well.
    pub fn push(&mut self, agent: Agent) {
        self.x.push(agent.position.x);
        self.y.push(agent.position.y);
        self.vx.push(agent.velocity.x);
        self.vy.push(agent.velocity.y);
        self.radius.push(agent.radius);
        self.id.push(agent.id);
    }

    /// All slots in ascending order of their ids, the order of exports. Allocates; O(n), or O(n log n)
    /// if most ids belonged to agents that have left.
    ///
    /// # Panics
    /// If there is not enough memory.
    #[must_use]
    #[doc(hidden)]
    pub fn slots_by_id(&self) -> Vec<u32> {
        let mut slots = Vec::new();
        self.slots_by_id_in(&mut slots);
        slots
    }

    /// The same in a vector of the caller, which loses what it holds.
    pub(crate) fn slots_by_id_in(&self, slots: &mut Vec<u32>) {
        const NONE: u32 = u32::MAX;
        const PART: &str = "the order of the agents";
        slots.clear();
        let ids = self.id.iter().max().map_or(0, |&most| most as usize + 1);
        if ids <= 4 * self.len() {
            alloc::demanded(alloc::grow_to(slots, ids, NONE, PART));
            for (slot, &id) in (0..).zip(&self.id) {
                slots[id as usize] = slot;
            }
            slots.retain(|&slot| slot != NONE);
            // A caller's own columns may have an id twice.
            if slots.len() == self.len() {
                return;
            }
            slots.clear();
        }
        alloc::demanded(alloc::append(slots, 0..self.len() as u32, PART));
        slots.sort_unstable_by_key(|&slot| self.id[slot as usize]);
    }

    /// Writes the columns, slot by slot.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn save(&self, to: &mut Writer) -> Result<()> {
        let Self { x, y, vx, vy, radius, id, units, own } = self;
        to.array("x", x)?;
        to.array("y", y)?;
        to.array("vx", vx)?;
        to.array("vy", vy)?;
        to.array("radius", radius)?;
        to.array("id", id)?;
        if let Some(Units { faction, health }) = units {
            to.array("faction", faction)?;
            to.array("health", health)?;
        }
        own.as_ref().map_or(Ok(()), |own| own.save(to))
    }

    /// Reads the columns of `count` agents, with capacity for `capacity` agents. Checks only that
    /// the lengths are right and that numbers are finite.
    ///
    /// # Errors
    /// If a column is missing or wrong, or there is not enough memory.
    pub(crate) fn load(from: &Snapshot, count: usize, capacity: usize) -> Result<Self> {
        let numbers = |tag| from.numbers(tag, count, capacity);
        let bytes = |tag| from.array(tag, count, capacity);
        let units = || Ok(Units { faction: bytes("faction")?, health: bytes("health")? });
        let two = |one, other| parallel::join(|| numbers(one), || numbers(other));
        let (((x, y), (vx, vy)), (radius, id)) = parallel::join(
            || parallel::join(|| two("x", "y"), || two("vx", "vy")),
            || parallel::join(|| numbers("radius"), || from.array("id", count, capacity)),
        );
        Ok(Self {
            x: x?,
            y: y?,
            vx: vx?,
            vy: vy?,
            radius: radius?,
            id: id?,
            units: from.has("faction").then(units).transpose()?,
            own: OwnColumns::load(from, count, capacity)?.map(Box::new),
        })
    }

    /// Bytes that the columns hold.
    pub(crate) fn memory(&self) -> usize {
        let units = self.units.as_ref().map_or(0, |units| units.health.capacity());
        self.x.capacity() * (Self::BYTES + self.own_bytes()) + units * Self::UNIT_BYTES
    }

    /// Bytes per agent of the columns of a caller's own.
    pub(crate) fn own_bytes(&self) -> usize {
        self.own.as_ref().map_or(0, |own| own.bytes())
    }

    /// The positions and radii of all slots.
    pub(crate) fn discs(&self) -> DiscColumns<'_> {
        DiscColumns { x: &self.x, y: &self.y, radius: &self.radius }
    }

    /// A view of all slots.
    pub(crate) fn view_mut(&mut self) -> AgentsMut<'_> {
        let Self { x, y, vx, vy, radius, id, own, .. } = self;
        let spin = own.as_deref_mut().and_then(OwnColumns::spins_mut).unwrap_or_default();
        AgentsMut { first: 0, x, y, vx, vy, radius, id, spin }
    }

    /// The same, and the columns of a caller's own.
    pub(crate) fn view_with_own(&mut self) -> (AgentsMut<'_>, Option<&mut OwnColumns>) {
        let Self { x, y, vx, vy, radius, id, own, .. } = self;
        (AgentsMut { first: 0, x, y, vx, vy, radius, id, spin: &mut [] }, own.as_deref_mut())
    }
}

/// The agents as the grid takes them: discs, by slot.
impl Elements for Agents {
    type Shape = Disc;
    fn len(&self) -> usize {
        self.id.len()
    }
    #[inline]
    fn shape(&self, slot: usize) -> Disc {
        Disc { center: Vec2::new(self.x[slot], self.y[slot]), radius: self.radius[slot] }
    }
    #[inline(always)]
    fn extents(&self, range: Range<usize>) -> impl Iterator<Item = (Vec2, f32)> {
        let centers = self.x[range.clone()].iter().zip(&self.y[range.clone()]);
        centers.zip(&self.radius[range]).map(|((&x, &y), &radius)| (Vec2::new(x, y), radius))
    }
}

/// A view of the agents in a range of slots. Positions and velocities can be changed, radii and ids
/// can be read. Threads can split it.
#[derive(Debug)]
pub(crate) struct AgentsMut<'a> {
    /// The slot of the first entry.
    pub first: usize,
    pub x: &'a mut [f32],
    pub y: &'a mut [f32],
    pub vx: &'a mut [f32],
    pub vy: &'a mut [f32],
    pub radius: &'a [f32],
    pub id: &'a [u32],
    /// Radians per second, counterclockwise; empty without a column of spins.
    pub spin: &'a mut [f32],
}

impl Split for AgentsMut<'_> {
    fn len(&self) -> usize {
        self.id.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (x, x2) = self.x.split_at_mut(at);
        let (y, y2) = self.y.split_at_mut(at);
        let (vx, vx2) = self.vx.split_at_mut(at);
        let (vy, vy2) = self.vy.split_at_mut(at);
        let (radius, radius2) = self.radius.split_at(at);
        let (id, id2) = self.id.split_at(at);
        let (spin, spin2) = self.spin.split_at_mut(at.min(self.spin.len()));
        (
            Self { first: self.first, x, y, vx, vy, radius, id, spin },
            Self {
                first: self.first + at,
                x: x2,
                y: y2,
                vx: vx2,
                vy: vy2,
                radius: radius2,
                id: id2,
                spin: spin2,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_in_the_order_of_their_ids() {
        for ids in
            [&[][..], &[0], &[3, 0, 2, 1], &[7, 2, 5], &[900, 3, 40], &[2, 1, 2], &[u32::MAX, 0]]
        {
            let agents = Agents { id: ids.to_vec(), ..Agents::default() };
            let mut sorted = ids.to_vec();
            sorted.sort_unstable();
            let slots = agents.slots_by_id();
            assert!(slots.iter().map(|&slot| ids[slot as usize]).eq(sorted), "{ids:?}: {slots:?}");
        }
    }
}
