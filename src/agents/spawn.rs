//! Spawn: an agent that is not in a run yet.

use glam::Vec2;

use super::units::Units;

/// An agent to be added to a run, which gives it an id.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spawn {
    /// Center, world units. The whole disc must lie in the world.
    pub position: Vec2,
    /// World units per second.
    pub velocity: Vec2,
    /// World units, above 0.
    pub radius: f32,
    /// Side of a unit, 0 or 1; ignored in scenes without units.
    pub faction: u8,
    /// Strikes that a unit can take, 1 to [`Units::HEALTH`]; ignored in scenes without units.
    pub health: u8,
    /// Species; ignored in runs without species.
    pub species: u8,
}

impl Spawn {
    /// Creates an agent of faction 0 in full health, of species 0.
    #[must_use]
    pub const fn new(position: Vec2, velocity: Vec2, radius: f32) -> Self {
        Self { position, velocity, radius, faction: 0, health: Units::HEALTH, species: 0 }
    }

    /// Sets the faction.
    #[must_use]
    pub const fn with_faction(self, faction: u8) -> Self {
        Self { faction, ..self }
    }

    /// Sets the health.
    #[must_use]
    pub const fn with_health(self, health: u8) -> Self {
        Self { health, ..self }
    }

    /// Sets the species.
    #[must_use]
    pub const fn with_species(self, species: u8) -> Self {
        Self { species, ..self }
    }
}
