//! Rules as formulas: text that is compiled to the pair rules and the agent rule of a run.
//!
//! ```
//! use jostle::{Scene, Setup, Sim, rules::{AgentFormulas, Formulas, PairFormulas}};
//!
//! let mut crowd = PairFormulas::new("crowd", 4.0);
//! crowd.sums = vec![("fx".into(), "dx / r2".into()), ("fy".into(), "dy / r2".into())];
//! let mut flee = AgentFormulas::new();
//! flee.acceleration = Some(["-fx".into(), "-fy".into()]);
//! flee.speed_max = Some("20".into());
//! let formulas = Formulas { pairs: vec![crowd], agents: vec![flee], ..Formulas::new() };
//!
//! let mut sim = Sim::new(&Setup { agents: 1_000, ..Setup::new(Scene::Gas) })?;
//! sim.set_rules(formulas.compile().expect("they are formulas"))?;
//! sim.step()?;
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! To read: this file (formulas as a caller states them), `names`, `writer` and `compile`
//! (programs), `pairs`, `columns`, `agents` and `births` (the programs at work), `observed`
//! (quantities of a whole run), `placed` (the start), `unheard` (what is read and never there), `unused`
//! (what is there and never read).

mod agents;
mod births;
mod columns;
mod compile;
mod named;
mod names;
#[cfg(feature = "cli")]
mod observed;
mod pairs;
#[cfg(feature = "cli")]
mod placed;
#[cfg(feature = "cli")]
mod unheard;
mod uniforms;
#[cfg(feature = "cli")]
mod unused;
mod writer;

#[cfg(feature = "cli")]
pub(crate) use self::{
    names::{meaning_fault, name_fault},
    observed::{Observed, ObservedFold, ObservedFormula},
    placed::PlacedProgram,
};
use crate::formula::SpeciesMatrix;

/// A text that is a formula.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Formula {
    /// The text.
    pub text: String,
    /// Where it begins in the caller's own text, bytes: errors count on from there.
    pub at: usize,
}

impl Formula {
    /// Creates a formula that begins at a byte of the caller's own text.
    #[must_use]
    pub fn new(text: impl Into<String>, at: usize) -> Self {
        Self { text: text.into(), at }
    }
}

impl From<&str> for Formula {
    fn from(text: &str) -> Self {
        Self::new(text, 0)
    }
}

/// Rules as formulas, with everything that they name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formulas {
    /// The names of the species 0, 1, …; at most 16.
    pub species: Vec<String>,
    /// The names of the agents' own columns, in their order.
    pub columns: Vec<String>,
    /// Named numbers.
    pub params: Vec<(String, f32)>,
    /// Named matrices.
    pub matrices: Vec<(String, SpeciesMatrix)>,
    /// Named functions, each given as 1 to 64 points in ascending order, with straight lines
    /// between them.
    pub tables: Vec<(String, Vec<[f32; 2]>)>,
    /// At most eight.
    pub pairs: Vec<PairFormulas>,
    /// For all agents, or one species each. What a species has of its own takes the place of what
    /// is there for all.
    pub agents: Vec<AgentFormulas>,
    /// True if agents pass through each other.
    pub without_collisions: bool,
}

/// The formulas of a pair rule.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PairFormulas {
    /// Its name, which tells sums of the same name apart.
    pub name: String,
    /// World units within which agents are neighbors.
    pub range: f32,
    /// The species of the agents that have neighbors, and of these.
    pub between: Option<[u8; 2]>,
    /// Values that the following formulas may name.
    pub lets: Vec<(String, Formula)>,
    /// What a neighbor adds to each sum; at most 16, with what is picked.
    pub sums: Vec<(String, Formula)>,
    /// A name for the one neighbor that each agent picks, at random among those for which the
    /// formula holds or is not 0. Later pairs know it as `i.name` and `j.name`, agents as `name`.
    pub pick: Option<(String, Formula)>,
}

impl PairFormulas {
    /// Creates a pair rule without sums.
    #[must_use]
    pub fn new(name: &str, range: f32) -> Self {
        Self { name: name.to_owned(), range, ..Self::default() }
    }
}

/// What agents do, as formulas over their old columns and their sums. All of it takes effect
/// together.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AgentFormulas {
    /// The species that it is for; all of them if there is none.
    pub species: Option<u8>,
    /// Values that the following formulas may name.
    pub lets: Vec<(String, Formula)>,
    /// The new velocity, before acceleration and drag.
    pub velocity: Option<[Formula; 2]>,
    /// World units per second squared.
    pub acceleration: Option<[Formula; 2]>,
    /// The velocity is divided by 1 + this times the seconds of a step. Below 0, agents speed up; a
    /// velocity for which that sum is not above 0 is not written. A number below 0 is refused.
    pub drag: Option<Formula>,
    /// Largest speed, world units per second; values below 0 count as 0, and a number below 0 is
    /// refused.
    pub speed_max: Option<Formula>,
    /// New values of own columns.
    pub set: Vec<(String, Formula)>,
    /// New species, each with its condition. The first whose condition holds is taken.
    pub becomes: Vec<(u8, Formula)>,
    /// The condition on which the agent leaves the run.
    pub dies: Option<Formula>,
    /// Agents that are born of it; at most eight kinds.
    pub births: Vec<BirthFormulas>,
}

/// What is born of an agent, as formulas. Number and conditions are those of the agent before the
/// step. All other formulas read the agent as it is after its own formulas, with the `id` and the
/// random numbers of the newborn one.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BirthFormulas {
    /// The species of the newborn agents.
    pub species: u8,
    /// A condition, or the number of births that is expected per step, up to 15.
    pub number: Formula,
    /// Where, relative to the agent; beside it in a random direction if there are none.
    pub at: Option<[Formula; 2]>,
    /// The velocity; that of the agent if there is none.
    pub velocity: Option<[Formula; 2]>,
    /// Own columns; those that are not set have their initial value.
    pub set: Vec<(String, Formula)>,
}

impl BirthFormulas {
    /// Creates births of a species, as many as a formula says.
    #[must_use]
    pub fn new(species: u8, number: Formula) -> Self {
        Self { species, number, ..Self::default() }
    }
}

impl AgentFormulas {
    /// Creates formulas that change nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Formulas {
    /// Creates no formula: agents collide, and nothing else.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
