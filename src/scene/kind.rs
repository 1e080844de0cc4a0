//! The scenes by name.

use crate::names::names;

/// One line per scene: where its agents start, how they move, their radii, its rule, and its crowd.
macro_rules! traits {
    ($scene:ident:
        $($name:ident $area:ident $motion:ident $radii:ident $rule:ident $crowd:ident;)*
    ) => {
        match $scene {
            $(Self::$name => SceneTraits {
                area: StartArea::$area,
                motion: StartMotion::$motion,
                radii: RadiusLaw::$radii,
                rule: RuleKind::$rule,
                crowd: Crowd::$crowd,
            }),*
        }
    };
}

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
    /// A one-line description without a full stop.
    #[doc(hidden)]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Gas => "discs of about one size bounce all over the world",
            Self::Mixed => "dust to boulders, a hundred times as wide, in one world",
            Self::Giants => "dust, and a dozen giants that weigh as much as all of it",
            Self::Burst => "a dense disc of agents flies apart into an empty world",
            Self::Sparse => "clusters far apart in a huge world, a thousandth of it populated",
            Self::Pile => "agents rain down, bounce a little and come to rest on each other",
            Self::Pegs => {
                "a hopper, rows of pegs and bins, in which agents pile up to a bell curve"
            }
            Self::Cannon => "a cannon fires ball after ball, and targets that are hit go away",
            Self::Melee => {
                "two armies march at each other; agents that are struck too often are removed"
            }
            Self::Dam => "a column of agents collapses and floods steps, pillars and a basin wall",
            Self::Shear => "streams glide past each other, roll up into eddies, and mix",
            Self::Shock => "a piston drives fronts through a gas, which cross and are reflected",
            Self::Crystal => "a dense gas freezes into grains, and large ones swallow small ones",
            Self::Cooling => "a gas that loses energy thins out and gathers in a web of filaments",
        }
    }

    /// The scene `by` places after this one; after the last comes the first.
    #[cfg(feature = "window")]
    pub(crate) const fn after(self, by: usize) -> Self {
        Self::ALL[(self as usize + by) % Self::ALL.len()]
    }

    /// What sets the scene apart.
    pub(super) const fn traits(self) -> SceneTraits {
        traits! { self:
            Gas      World    Random  Uniform None   KnownGas;
            Mixed    World    Random  Cubic   None   KnownGas;
            Giants   World    Random  Giants  None   Usual;
            Burst    Disc     Outward Uniform None   Usual;
            Sparse   Clusters Random  Uniform None   Usual;
            Pile     World    Random  Uniform None   Usual;
            Pegs     Hopper   Random  Uniform None   Usual;
            Cannon   Targets  Rest    Uniform Cannon Usual;
            Melee    Armies   March   Uniform Melee  Usual;
            Dam      Column   Random  Uniform None   Usual;
            Shear    World    Streams Uniform None   Dense;
            Shock    Piston   Random  Uniform Piston Dense;
            Crystal  World    Random  Uniform None   Freezing;
            Cooling  World    Random  Uniform None   Dense;
        }
    }

    /// True if its rules or its statics need the walls of the world.
    pub(super) const fn needs_walls(self) -> bool {
        !matches!(self.traits().area, StartArea::World | StartArea::Disc | StartArea::Clusters)
    }

    /// True if its agents belong to two factions and strike each other.
    pub(crate) const fn has_factions(self) -> bool {
        matches!(self.traits().rule, RuleKind::Melee)
    }

    /// True if it has a world of its own, of a fixed size.
    pub(crate) const fn has_own_world(self) -> bool {
        matches!(self.traits().area, StartArea::Targets)
    }

    /// True if its gas is, or becomes, dense.
    pub(super) const fn is_dense(self) -> bool {
        matches!(self.traits().crowd, Crowd::Dense | Crowd::Freezing)
    }

    /// True for a gas all over the world, of which theory knows something.
    #[cfg(feature = "cli")]
    pub(crate) const fn is_known_gas(self) -> bool {
        matches!(self.traits().crowd, Crowd::KnownGas)
    }
}

/// What sets a scene apart, for the code that sizes, places and moves its agents.
#[derive(Clone, Copy, Debug)]
pub(super) struct SceneTraits {
    pub(super) area: StartArea,
    pub(super) motion: StartMotion,
    pub(super) radii: RadiusLaw,
    pub(super) rule: RuleKind,
    pub(super) crowd: Crowd,
}

/// The part of the world in which agents start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartArea {
    /// All of it.
    World,
    /// A disc in the middle.
    Disc,
    /// Discs far apart.
    Clusters,
    /// The hopper of a Galton board.
    Hopper,
    /// The ground of `cannon`.
    Targets,
    /// Columns on both sides.
    Armies,
    /// A column behind a dam.
    Column,
    /// All but the piston.
    Piston,
}

/// The velocities with which agents start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartMotion {
    /// Random directions.
    Random,
    /// Turned away from the middle.
    Outward,
    /// Turned into the direction of a stream.
    Streams,
    /// Turned towards the other army.
    March,
    /// None.
    Rest,
}

/// The distribution of the radii.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RadiusLaw {
    /// All radii are equally likely.
    Uniform,
    /// As r⁻³, so that each doubling of the radius covers the same area.
    Cubic,
    /// Equally likely, and some giants.
    Giants,
}

/// What a scene does by itself, beside physics: see `SceneRule`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleKind {
    None,
    Cannon,
    Melee,
    Piston,
}

/// What its agents are like together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crowd {
    /// A gas of which theory knows something.
    KnownGas,
    /// Neither that nor dense, unless gravity or a solver makes it so.
    Usual,
    /// Parts of it are, or become, dense.
    Dense,
    /// So dense that it freezes into grains.
    Freezing,
}

names!(
    pub Scene:
    Gas = "gas",
    Mixed = "mixed",
    Giants = "giants",
    Burst = "burst",
    Sparse = "sparse",
    Pile = "pile",
    Pegs = "pegs",
    Cannon = "cannon",
    Melee = "melee",
    Dam = "dam",
    Shear = "shear",
    Shock = "shock",
    Crystal = "crystal",
    Cooling = "cooling",
);
