//! Rules of a caller's own: what agents do beside physics, as code over an agent and its neighbors.
//!
//! [`Rules`] are given to a run by [`Sim::set_rules`](crate::Sim::set_rules). They run once per
//! step, before contacts are found:
//!
//! ```text
//! columns ─► pair rules    all agents at once: K sums over the neighbors within range
//!            x y vx vy     (walk: candidates ─► gather: neighbors, packed ─► sums)
//!            radius
//!            species, own
//!               │
//!               ▼
//! sums    ─► agent rule    all agents at once: each reads its sums and its old columns, and
//!                          changes its velocity, its species and its own columns
//! ```
//!
//! ```
//! use jostle::{
//!     OwnColumns, Scene, Setup, Sim, Vec2,
//!     rules::{RuleColumn, PairRule, RulePair, RuledAgent, Rules},
//!     scene,
//! };
//!
//! /// Agents of a kind attract each other, and others repel each other.
//! struct Kinship;
//!
//! impl PairRule<1, 2> for Kinship {
//!     fn range(&self) -> f32 {
//!         4.0
//!     }
//!     fn reads(&self) -> [RuleColumn; 1] {
//!         [RuleColumn::Species]
//!     }
//!     #[inline(always)]
//!     fn pair(&self, pair: &RulePair<1>) -> [f32; 2] {
//!         let sign = if pair.i == pair.j { 1.0 } else { -1.0 };
//!         [sign * pair.dx, sign * pair.dy]
//!     }
//! }
//!
//! let setup = Setup { agents: 1_000, ..Setup::new(Scene::Gas) };
//! let mut start = scene::place(&setup)?;
//! let species = start.agents.id.iter().map(|&id| (id % 2) as u8).collect();
//! start.agents.own = Some(Box::new(OwnColumns::new().with_species(species)));
//!
//! let mut sim = Sim::from_start(&setup, start)?;
//! sim.set_rules(Rules::new().with_pairs(Kinship).with_agents(|agent: &mut RuledAgent<'_>| {
//!     agent.velocity += agent.moment.dt * Vec2::from_array(agent.sums(0));
//! }))?;
//! sim.step()?;
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! **Invariant**: the same bits for any number of threads, SIMD level and index, and after save and
//! load. A sum is 16 lanes: the n-th neighbor of an agent, by slot, is added to lane n mod 16, and
//! then lane l + 8 to lane l, l + 4 to l, l + 2 to l, l + 1 to l. The order of the slots belongs to
//! the state of a run.
//!
//! Rules are code, so no snapshot has them: set them again on a run that was restored. The columns
//! that they read are in the snapshot.
//!
//! Rules may also be text: [`Formulas`] compile to such rules.
//!
//! To read: `pair` and `agent` (what a rule sees), `set` (rules put together), `walk` (candidates),
//! `gather`, `stream` and `picks` (neighbors and sums), `any` (rules of any type), `active` (the rules of a
//! run), `ranks` (rules on several of them); `formulas` (rules as text), `source` (the world file that has them).

mod active;
mod agent;
mod any;
mod formulas;
mod gather;
mod pair;
mod picks;
mod ranks;
mod set;
#[cfg(feature = "cli")]
mod source;
mod stream;
mod sums;
mod walk;

pub(crate) use self::{
    active::{ActiveRules, RuleCounts},
    ranks::OtherRanks,
};
pub use self::{
    agent::{AgentRule, RuleMoment, RuledAgent},
    formulas::{AgentFormulas, BirthFormulas, Formula, Formulas, PairFormulas},
    pair::{PairRule, PickRule, RuleColumn, RulePair},
    set::Rules,
};
#[cfg(feature = "cli")]
pub(crate) use self::{
    formulas::{Observed, ObservedFold, ObservedFormula, PlacedProgram, meaning_fault, name_fault},
    source::{GroupTable, RuleSource, WorldMatrix, WorldParam, WorldValues, cell_name},
};
pub use crate::formula::{FormulaError, SpeciesMatrix};
