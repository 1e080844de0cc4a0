//! The scenes by name.

use std::fmt;

/// A named kind of start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scene {
    /// Discs of similar size all over the world.
    Gas,
    /// Dust and giants: radii distributed as r⁻³.
    Mixed,
    /// Dust, and a dozen discs that together cover as much as the dust.
    Giants,
    /// A dense disc of agents that expands into an empty world.
    Burst,
    /// Clusters far apart in a huge, nearly empty world.
    Sparse,
    /// Agents fall under gravity and come to rest on each other.
    Pile,
    /// A Galton board: agents fall through rows of pegs into bins.
    Pegs,
    /// A cannon that fires balls at targets without end.
    Cannon,
    /// Two armies that march at each other and strike until one has no agents left.
    Melee,
    /// A dam break: a column of agents collapses and floods steps, pillars and a basin wall.
    Dam,
    /// Two streams that glide past each other, roll up and mix.
    Shear,
    /// A piston that drives shock fronts through a gas.
    Shock,
    /// Equal discs so dense that they freeze into grains.
    Crystal,
    /// A gas that loses energy in each collision, and gathers in filaments.
    Cooling,
}

impl Scene {
    /// Every scene, the default first.
    pub const ALL: [Self; 14] = [
        Self::Gas,
        Self::Mixed,
        Self::Giants,
        Self::Burst,
        Self::Sparse,
        Self::Pile,
        Self::Pegs,
        Self::Cannon,
        Self::Melee,
        Self::Dam,
        Self::Shear,
        Self::Shock,
        Self::Crystal,
        Self::Cooling,
    ];

    /// The name.
    pub const fn name(self) -> &'static str {
        self.texts()[0]
    }

    /// A one-line description without a full stop.
    pub const fn summary(self) -> &'static str {
        self.texts()[1]
    }

    const fn texts(self) -> [&'static str; 2] {
        match self {
            Self::Gas => ["gas", "discs of about one size bounce all over the world"],
            Self::Mixed => ["mixed", "dust to boulders, a hundred times as wide, in one world"],
            Self::Giants => ["giants", "dust, and a dozen giants that weigh as much as all of it"],
            Self::Burst => ["burst", "a dense disc of agents flies apart into an empty world"],
            Self::Sparse => {
                ["sparse", "clusters far apart in a huge world, a thousandth of it populated"]
            }
            Self::Pile => {
                ["pile", "agents rain down, bounce a little and come to rest on each other"]
            }
            Self::Pegs => {
                ["pegs", "a hopper, rows of pegs and bins, in which agents pile up to a bell curve"]
            }
            Self::Cannon => {
                ["cannon", "a cannon fires ball after ball, and targets that are hit go away"]
            }
            Self::Melee => [
                "melee",
                "two armies march at each other; agents that are struck too often are removed",
            ],
            Self::Dam => {
                ["dam", "a column of agents collapses and floods steps, pillars and a basin wall"]
            }
            Self::Shear => ["shear", "streams glide past each other, roll up into eddies, and mix"],
            Self::Shock => {
                ["shock", "a piston drives fronts through a gas, which cross and are reflected"]
            }
            Self::Crystal => {
                ["crystal", "a dense gas freezes into grains, and large ones swallow small ones"]
            }
            Self::Cooling => {
                ["cooling", "a gas that loses energy thins out and gathers in a web of filaments"]
            }
        }
    }

    /// The scene `by` places after this one; after the last comes the first.
    #[cfg(feature = "window")]
    pub(crate) const fn after(self, by: usize) -> Self {
        Self::ALL[(self as usize + by) % Self::ALL.len()]
    }

    /// True if its rules or its statics need the walls of the world.
    pub(super) const fn needs_walls(self) -> bool {
        matches!(self, Self::Pegs | Self::Cannon | Self::Melee | Self::Dam | Self::Shock)
    }

    /// True if its agents belong to two factions and strike each other.
    pub(crate) const fn has_factions(self) -> bool {
        matches!(self, Self::Melee)
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
