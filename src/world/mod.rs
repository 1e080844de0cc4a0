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
//! agents), `room` (births, and what fits), `observe` (quantities), `groups` (places), `obstacles`, `tables` (places in
//! other files), `start` (agents).

mod fault;
mod groups;
mod observe;
mod obstacles;
mod plan;
mod reader;
mod room;
mod rules;
mod start;
mod tables;

pub(crate) use self::{
    fault::{FAULTS_MAX, WorldFault},
    plan::{ViewNames, WorldPlan},
    tables::{GroupTable, TableReader, TableRequest},
};
