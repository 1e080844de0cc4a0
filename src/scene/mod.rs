//! Named starts: what the agents are and where they are at time 0.
//!
//! A [`Setup`] is everything that decides a run, bit for bit; [`place`] makes its agents. Scenes are
//! library code, so that window, tests and benches show the same thing.
//!
//! ```text
//! Setup ─► radii ─────► crowds ───────────► scatter, or lattice ─► velocities ─► Start
//!          by rank,     the world, or       no two overlap,        by id
//!          largest 0    discs (clumps)      all inside
//! ```
//!
//! - **Radii** are not drawn: an agent of each n-th of the distribution, with the mean area of that
//!   n-th. So the discs cover the share that was asked for whatever the seed, with two agents too.
//! - **Ids** are dealt to the radii at random, so that an id says nothing about size or place.
//! - **Places**: the largest first, each at a random place that is free; where the density is too high
//!   for that and the sizes are nearly equal, a shaken lattice.
//! - **Velocities**: any direction (in `burst`: away from the middle, rather), a speed of 0.5 to 1.5
//!   times the mean.
//!
//! All of it is + − × ÷ √ of numbers from [`crate::rng`], so that a seed is the same start on every
//! machine. It runs once, on one thread, and allocates.

mod board;
mod crowd;
mod feasibility;
mod lattice;
mod packing;
mod place;
mod radii;
pub(crate) mod range;
mod region;
mod scatter;
mod setup;
mod suggest;
mod validate;

use std::fmt;

use crate::{
    agents::Agents,
    error::{Error, NameKind, Result},
    geometry::Rect,
    statics::Static,
};

pub use place::{place, place_while};
pub use setup::{Setup, Solver};
pub(crate) use validate::coordinate_step;

/// A named start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scene {
    /// Discs of about one size, all over the world.
    Gas,
    /// Dust and giants: radii distributed as r⁻³.
    Mixed,
    /// Dust, and a dozen discs hundreds of times as big that together cover as much as the dust.
    Giants,
    /// A dense disc of agents that flies apart into an empty world.
    Burst,
    /// Clumps far apart in a huge, nearly empty world.
    Sparse,
    /// Gravity and restitution below 1: agents fall and come to rest.
    Pile,
    /// A Galton board: agents fall through rows of pegs into bins.
    Pegs,
    /// A cannon that fires balls at targets, for ever.
    Cannon,
    /// Two armies that march at each other and strike until one is no more.
    Melee,
}

impl Scene {
    /// Every scene, the default first.
    pub const ALL: [Self; 9] = [
        Self::Gas,
        Self::Mixed,
        Self::Giants,
        Self::Burst,
        Self::Sparse,
        Self::Pile,
        Self::Pegs,
        Self::Cannon,
        Self::Melee,
    ];

    /// The name it is asked for by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gas => "gas",
            Self::Mixed => "mixed",
            Self::Giants => "giants",
            Self::Burst => "burst",
            Self::Sparse => "sparse",
            Self::Pile => "pile",
            Self::Pegs => "pegs",
            Self::Cannon => "cannon",
            Self::Melee => "melee",
        }
    }

    /// What there is to see, in one line without a full stop.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Gas => "discs of about one size bounce all over the world",
            Self::Mixed => "dust to boulders, a hundred times as wide, in one world",
            Self::Giants => "dust, and a dozen giants that weigh as much as all of it",
            Self::Burst => "a dense disc of agents flies apart into an empty world",
            Self::Sparse => "clumps far apart in a huge world, a thousandth of it populated",
            Self::Pile => "agents rain down, bounce a little and come to rest on each other",
            Self::Pegs => {
                "a hopper, rows of pegs and bins, in which agents pile up to a bell curve"
            }
            Self::Cannon => "a cannon fires ball after ball, and targets that are hit go away",
            Self::Melee => "two armies march at each other, and who is struck too often leaves",
        }
    }

    /// True if its agents are on two sides and strike each other.
    pub const fn has_factions(self) -> bool {
        matches!(self, Self::Melee)
    }

    /// The scene of that name.
    ///
    /// # Errors
    /// If there is none; the message names those that there are.
    pub fn find(name: &str) -> Result<Self> {
        let wanted = name.trim().to_lowercase();
        if let Some(&scene) = Self::ALL.iter().find(|scene| scene.name() == wanted) {
            return Ok(scene);
        }
        let known = Self::ALL.map(Self::name).to_vec();
        Err(Error::UnknownName { kind: NameKind::Scene, name: name.to_owned(), known })
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a scene starts with.
#[derive(Clone, Debug)]
pub struct Start {
    /// The world's borders; in `sparse` the origin is in the middle, where f32 is finest.
    pub world: Rect,
    /// The agents; from [`place`], in the order of their ids, which count from 0.
    pub agents: Agents,
    /// What never moves; agents start beside it.
    pub statics: Vec<Static>,
    /// Area of the world that is populated at the start, square world units, above 0: cells are sized by it.
    pub populated: f64,
}
