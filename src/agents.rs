//! The agents: a structure of arrays, kept in loose-cell order by the step.
//!
//! ```text
//! slot     0    1    2    3    4   …            a row of the grid after the other, so that
//! x      [ .. | .. | .. | .. | .. | …  f32      neighbours in the world are neighbours in memory
//! y      [ .. | .. | .. | .. | .. | …  f32
//! vx     [ .. | .. | .. | .. | .. | …  f32      24 bytes an agent
//! vy     [ .. | .. | .. | .. | .. | …  f32
//! radius [ .. | .. | .. | .. | .. | …  f32
//! id     [ 17 |  4 | 90 |  2 | 55 | …  u32      an id is for ever, a slot until the next step
//! ```
//!
//! All six arrays have the same length, the number of agents alive. Mass is radius².

use std::ops::Range;

use glam::Vec2;

use crate::{
    alloc,
    error::Result,
    geometry::{Disc, Elements},
    limits,
};

/// One agent, gathered from the arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agent {
    /// Centre, world units.
    pub position: Vec2,
    /// World units a second.
    pub velocity: Vec2,
    /// World units, above 0.
    pub radius: f32,
    /// The name it keeps; never used twice in a run. Below [`Agents::GONE`].
    pub id: u32,
}

/// An agent to come: all but the id that it will be given.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spawn {
    /// Centre, world units; the disc lies in the world whole.
    pub position: Vec2,
    /// World units a second.
    pub velocity: Vec2,
    /// World units, above 0.
    pub radius: f32,
    /// The side that it is on where there are sides, below [`Units::FACTIONS`].
    pub faction: u8,
    /// Strikes that it can take where there are sides, 1 to [`Units::HEALTH`].
    pub health: u8,
}

impl Spawn {
    /// An agent to come, of the first faction and in full health.
    pub const fn new(position: Vec2, velocity: Vec2, radius: f32) -> Self {
        Self { position, velocity, radius, faction: 0, health: Units::HEALTH }
    }

    /// The same on that side.
    #[must_use]
    pub const fn of(self, faction: u8) -> Self {
        Self { faction, ..self }
    }

    /// The same, able to take that many strikes.
    #[must_use]
    pub const fn in_health(self, health: u8) -> Self {
        Self { health, ..self }
    }
}

/// What agents that fight have beside: columns as long as the others, for scenes that ask for them.
#[derive(Clone, Debug, Default)]
pub struct Units {
    /// The side that each is on.
    pub faction: Vec<u8>,
    /// Strikes that each can still take; who can take none leaves.
    pub health: Vec<u8>,
}

impl Units {
    /// Sides that there are.
    pub const FACTIONS: u8 = 2;

    /// Strikes that a unit in full health can take, about a second of a fight of one against one.
    pub const HEALTH: u8 = 60;

    /// Appends a unit.
    pub fn push(&mut self, faction: u8, health: u8) {
        self.faction.push(faction);
        self.health.push(health);
    }
}

/// The agents alive, as arrays of one length indexed by slot.
#[derive(Clone, Debug, Default)]
pub struct Agents {
    /// Centres, world units.
    pub x: Vec<f32>,
    /// Centres, world units; y points up.
    pub y: Vec<f32>,
    /// World units a second.
    pub vx: Vec<f32>,
    /// World units a second.
    pub vy: Vec<f32>,
    /// World units, above 0.
    pub radius: Vec<f32>,
    /// Stable names.
    pub id: Vec<u32>,
    /// Sides and health, in a scene that has them.
    pub units: Option<Units>,
}

impl Agents {
    /// Bytes of one agent in the arrays.
    pub const BYTES: usize = 24;

    /// Nobody's id: who has it has left, and is in a slot no longer once the agents are sorted.
    pub const GONE: u32 = u32::MAX;

    /// The agent in that slot as it is now, to come again under another id; only if it has become faster along x or y
    /// than [`SPEED_MAX`](limits::SPEED_MAX), which nobody comes with, it is as fast as that.
    ///
    /// # Panics
    /// If there is no such slot.
    pub fn again(&self, slot: usize) -> Spawn {
        let spawn = self.as_spawn(slot);
        let most = Vec2::splat(limits::SPEED_MAX);
        Spawn { velocity: spawn.velocity.clamp(-most, most), ..spawn }
    }

    /// The agent in a slot without its id.
    pub(crate) fn as_spawn(&self, slot: usize) -> Spawn {
        let Agent { position, velocity, radius, id: _ } = self.get(slot);
        let spawn = Spawn::new(position, velocity, radius);
        match &self.units {
            Some(Units { faction, health }) => spawn.of(faction[slot]).in_health(health[slot]),
            None => spawn,
        }
    }

    /// No agents, and room for `capacity` of them.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            x: Vec::with_capacity(capacity),
            y: Vec::with_capacity(capacity),
            vx: Vec::with_capacity(capacity),
            vy: Vec::with_capacity(capacity),
            radius: Vec::with_capacity(capacity),
            id: Vec::with_capacity(capacity),
            units: None,
        }
    }

    /// Claims room for so many agents in all.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn claim(&mut self, capacity: usize) -> Result<()> {
        let Self { x, y, vx, vy, radius, id, units } = self;
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
        alloc::reserve(id, more, what)
    }

    /// How many are alive.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// True if none is alive.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// The agent in a slot.
    ///
    /// # Panics
    /// If `slot >= self.len()`.
    pub fn get(&self, slot: usize) -> Agent {
        Agent {
            position: Vec2::new(self.x[slot], self.y[slot]),
            velocity: Vec2::new(self.vx[slot], self.vy[slot]),
            radius: self.radius[slot],
            id: self.id[slot],
        }
    }

    /// Appends an agent in a new slot.
    pub fn push(&mut self, agent: Agent) {
        self.x.push(agent.position.x);
        self.y.push(agent.position.y);
        self.vx.push(agent.velocity.x);
        self.vy.push(agent.velocity.y);
        self.radius.push(agent.radius);
        self.id.push(agent.id);
    }

    /// The slots in the order of their ids: what exports and hashes go by.
    pub fn slots_by_id(&self) -> Vec<u32> {
        let mut slots: Vec<u32> = (0..self.len() as u32).collect();
        slots.sort_unstable_by_key(|&slot| self.id[slot as usize]);
        slots
    }

    /// Σ ½·m·v², with m = radius²; summed in f64.
    pub fn kinetic_energy(&self) -> f64 {
        (0..self.len())
            .map(|slot| {
                let (vx, vy) = (f64::from(self.vx[slot]), f64::from(self.vy[slot]));
                0.5 * self.mass(slot) * (vx * vx + vy * vy)
            })
            .sum()
    }

    /// Σ m·v along x and y, with m = radius²; summed in f64.
    pub fn momentum(&self) -> [f64; 2] {
        (0..self.len()).fold([0.0; 2], |[px, py], slot| {
            let mass = self.mass(slot);
            [px + mass * f64::from(self.vx[slot]), py + mass * f64::from(self.vy[slot])]
        })
    }

    /// Bytes that the arrays hold.
    pub fn memory(&self) -> usize {
        let units = self.units.as_ref();
        self.x.capacity() * Self::BYTES + units.map_or(0, |units| 2 * units.health.capacity())
    }

    fn mass(&self, slot: usize) -> f64 {
        let radius = f64::from(self.radius[slot]);
        radius * radius
    }
}

/// What the grid sees of them: discs, by slot.
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
