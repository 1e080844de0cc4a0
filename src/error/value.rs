//! Fields, their values, the limits of these, and what helps against a value beyond them.

use std::{fmt, ops::RangeInclusive};

use glam::Vec2;

/// Something that has a value: a field of a set-up, of a start, of an agent, or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// `Setup::scene`.
    Scene,
    /// `Setup::agents`.
    Agents,
    /// `Setup::spare_agents`.
    SpareAgents,
    /// `Setup::spare_statics`.
    SpareStatics,
    /// `Setup::radius`.
    Radius,
    /// `Setup::density`.
    Density,
    /// `Setup::world`.
    World,
    /// `Setup::boundary`.
    Boundary,
    /// `Setup::solver`.
    Solver,
    /// `Setup::collisions`.
    Collisions,
    /// `Setup::sleep`.
    Sleep,
    /// `Setup::speed`.
    Speed,
    /// `Setup::restitution`.
    Restitution,
    /// `Setup::friction`.
    Friction,
    /// `Setup::rolling`.
    Rolling,
    /// `Setup::gravity`.
    Gravity,
    /// `Setup::hz`.
    Hz,
    /// `Setup::substeps`.
    Substeps,
    /// `Setup::seed`.
    Seed,
    /// `Setup::cell`.
    Cell,
    /// `Setup::tight`.
    Tight,
    /// `Start::world`.
    StartWorld,
    /// `Start::populated`.
    Populated,
    /// A column of `Start::agents`, by its name.
    Column(&'static str),
    /// `Agents::units`.
    Units,
    /// An agent's id.
    Id,
    /// An agent's radius.
    AgentRadius,
    /// The center of an agent's disc.
    Position,
    /// An agent's velocity.
    Velocity,
    /// A force on an agent.
    Force,
    /// The range of a pair rule.
    RuleRange,
    /// A unit's faction.
    Faction,
    /// A unit's health.
    Health,
    /// An obstacle that never moves.
    Static,
    /// How many statics there are.
    Statics,
    /// The size of statics.
    StaticSize,
    /// How many elements one call removes.
    Removals,
    /// The factor that scales all speeds.
    SpeedFactor,
    /// The center of the disc in which agents are steered.
    BrushCenter,
    /// The radius of the disc in which agents are steered.
    BrushRadius,
    /// The speed to which agents are steered.
    BrushSpeed,
    /// `GridConfig::bounds`.
    Bounds,
    /// `GridConfig::loose_size`.
    LooseSize,
    /// `GridConfig::tight_size`.
    TightSize,
    /// `GridConfig::capacity`.
    Capacity,
    /// `GridConfig::edits`.
    Edits,
    /// The index of an element of a grid.
    Element,
    /// The center of the element of a grid with this index.
    ElementCenter(u32),
    /// The radius of the element of a grid with this index, or half the shorter side of a box.
    ElementRadius(u32),
    /// Worker threads.
    Threads,
    /// The number of ranks of a run.
    Ranks,
    /// Width and height of a frame.
    FrameSize,
}

impl Field {
    /// The name in plain words, as the library's own messages use it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Scene => "scene",
            Self::Agents => "agents",
            Self::SpareAgents => "spare_agents",
            Self::SpareStatics => "spare_statics",
            Self::Radius | Self::ElementRadius(_) => "radius",
            Self::Density => "density",
            Self::World => "world",
            Self::Boundary => "boundary",
            Self::Solver => "solver",
            Self::Collisions => "collisions",
            Self::Sleep => "sleep",
            Self::Speed => "speed",
            Self::Restitution => "restitution",
            Self::Friction => "friction",
            Self::Rolling => "rolling",
            Self::Gravity => "gravity",
            Self::Hz => "hz",
            Self::Substeps => "substeps",
            Self::Seed => "seed",
            Self::Cell => "cell",
            Self::Tight => "tight",
            Self::StartWorld => "start world",
            Self::Populated => "populated area",
            Self::Column(name) => name,
            Self::Units => "units",
            Self::Id => "agent id",
            Self::AgentRadius => "agent radius",
            Self::Position => "agent position",
            Self::Velocity => "agent velocity",
            Self::Force => "force",
            Self::RuleRange => "range of a rule",
            Self::Faction => "faction",
            Self::Health => "health",
            Self::Static => "static",
            Self::Statics => "statics",
            Self::StaticSize => "size of statics",
            Self::Removals => "removals",
            Self::SpeedFactor => "speed factor",
            Self::BrushCenter => "brush center",
            Self::BrushRadius => "brush radius",
            Self::BrushSpeed => "brush speed",
            Self::Bounds => "grid bounds",
            Self::LooseSize => "loose cell",
            Self::TightSize => "tight cell",
            Self::Capacity => "capacity",
            Self::Edits => "edits",
            Self::Element => "element",
            Self::ElementCenter(_) => "center",
            Self::Threads => "threads",
            Self::Ranks => "ranks",
            Self::FrameSize => "frame size",
        }
    }
}

/// A value of a [`Field`]. Lengths are in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// No value.
    Missing,
    /// The name of a choice.
    Name(&'static str),
    /// On or off.
    Switch(bool),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f32),
    /// The smallest and the largest of several numbers.
    Span([f32; 2]),
    /// Width and height.
    Size(Vec2),
    /// A position or a velocity.
    Point(Vec2),
    /// A disc: its center and its radius.
    Disc(Vec2, f32),
    /// A capsule: the ends of its segment, and its radius.
    Capsule([Vec2; 2], f32),
    /// A rectangle: its lower left and its upper right corner.
    Rect([Vec2; 2]),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let point = |point: Vec2| format!("({}, {})", number(point.x), number(point.y));
        match *self {
            Self::Missing => f.write_str("none"),
            Self::Name(name) => f.write_str(name),
            Self::Switch(on) => f.write_str(if on { "on" } else { "off" }),
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(value) => f.write_str(&number(value)),
            Self::Span([low, high]) if low == high => f.write_str(&number(low)),
            Self::Span([low, high]) => write!(f, "{}..{}", number(low), number(high)),
            Self::Size(size) => write!(f, "{}x{}", number(size.x), number(size.y)),
            Self::Point(at) => f.write_str(&point(at)),
            Self::Disc(center, radius) => {
                write!(f, "disc of radius {} at {}", number(radius), point(center))
            }
            Self::Capsule([a, b], radius) => {
                write!(f, "capsule of radius {} from {} to {}", number(radius), point(a), point(b))
            }
            Self::Rect([min, max]) => write!(f, "box from {} to {}", point(min), point(max)),
        }
    }
}

/// The limit that a value breaks. Lengths are in world units.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Limit {
    /// A range of whole numbers.
    Counts(RangeInclusive<u64>),
    /// A range of numbers.
    Numbers(RangeInclusive<f32>),
    /// The numbers above 0, up to this one.
    Above0(f32),
    /// Every number must be finite.
    Finite,
    /// Every length must be finite and above 0.
    Extent,
    /// The smallest number comes first.
    Ascending,
    /// The value must lie between two corners, the lower left and the upper right one.
    Inside([Vec2; 2]),
    /// This many agents are placed without overlap, which needs a lower density.
    Packing(u32),
    /// The world must have room for its agents.
    Agents {
        /// How many agents there are.
        agents: u32,
        /// The diameter of the largest.
        widest: f32,
        /// The share of the world that they cover.
        share: f32,
    },
    /// The world must have room for its clusters of agents.
    Clusters {
        /// How many clusters there are.
        clusters: u32,
        /// The diameter of one.
        width: f32,
    },
    /// Positions at the far end of the world must be precise enough for the smallest agents.
    Precision {
        /// Width and height of the world.
        world: Vec2,
        /// The smallest radius.
        radius: f32,
    },
    /// Cells divide the world into at most this many per side.
    Cells {
        /// Width and height of the world.
        world: Vec2,
        /// The most cells per side.
        max: u32,
    },
    /// The largest radius that follows from the value.
    Giants {
        /// How many agents there are.
        agents: u32,
        /// The radius that follows.
        radius: f32,
        /// The largest radius.
        max: f32,
    },
    /// The scene has a world of its own.
    OwnWorld {
        /// The name of the scene.
        scene: &'static str,
        /// Width and height of its world.
        world: Vec2,
    },
    /// The scene of this name needs walls.
    NeedsWalls(&'static str),
    /// Nothing would end a fall, for the world repeats along it.
    Endless,
    /// The contact solver, which presses agents together, needs walls.
    ImpulseSolver,
    /// Several ranks can't share such a run.
    OneRank,
    /// Without friction, nothing rolls.
    Friction,
    /// The contact solver knows contacts, and no moments at which they begin.
    Impulses,
    /// In a world that repeats, the largest discs are narrower than half a period.
    Period {
        /// Width and height of the world.
        world: Vec2,
        /// The largest radius.
        radius: f32,
        /// The least width that it needs.
        least: f32,
    },
    /// The scene of this name needs the field.
    Required(&'static str),
    /// Each agent has one value in every column, and there are this many ids.
    Length(u64),
    /// A rule reads the column, which the agents lack.
    RuleColumn,
    /// The name of a column must be a name, and no other column's.
    ColumnName,
    /// Two agents must not have the same value.
    Unique,
    /// The id must be of an agent alive.
    Alive,
    /// A number that the value leads to.
    Reaches {
        /// The number.
        value: f32,
        /// The highest number.
        max: f32,
    },
}

/// The known remedy.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Remedy {
    /// Nothing beyond keeping to the limit.
    #[default]
    None,
    /// Give these fields these values, all of them together; [`Value::Missing`] means to leave the
    /// field unset. Scenes suggest only what they accept.
    Set(Vec<(Field, Value)>),
    /// Change one of these, by how much is not known.
    Adjust(&'static [Adjust]),
}

impl Remedy {
    /// One field and the value to give it.
    pub(crate) fn set(field: Field, value: Value) -> Self {
        Self::Set(vec![(field, value)])
    }
}

/// A direction in which a change helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Adjust {
    /// A smaller or lower value, or fewer of them.
    Lower(Field),
    /// A larger or higher value.
    Raise(Field),
    /// Values that differ less.
    Narrow(Field),
    /// Agents that lie farther apart.
    SpreadAgents,
}

/// A number without a row of zeros where it is very large or very small.
pub(super) fn number(value: f32) -> String {
    let size = value.abs();
    if value.is_finite() && size != 0.0 && !(1e-4..1e7).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// A computed number, to five digits.
pub(super) fn about(value: f32) -> String {
    number(format!("{value:.4e}").parse().unwrap_or(value))
}
