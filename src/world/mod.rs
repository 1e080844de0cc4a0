//! World files: a world, its agents and its rules as a text in TOML.
//!
//! ```text
//! text ─► reader ─► plan ─────────────► start   agents and statics
//!         spans     setup, formulas      rules   compiled
//! ```
//!
//! Nothing begins with a file that is wrong: all faults of a text are found at once, each with its line
//! and column. The text is a part of the run. A snapshot has it, and a restored run gets its rules from
//! there.
//!
//! To read: `fault`, `reader` (values with their places), `plan` (the sections), `rules` (pairs and
//! agents), `births` (their room), `observe` (quantities), `groups` (places), `start` (agents).

mod births;
mod fault;
mod groups;
mod observe;
mod plan;
mod reader;
mod rules;
mod start;

pub(crate) use self::{
    fault::{FAULTS_MAX, WorldFault},
    plan::{ViewNames, WorldPlan},
};
