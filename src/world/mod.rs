//! World files: a world, its agents and its rules as a text in TOML.
//!
//! ```text
//! text ─► reader ─► plan ─────────────► start   agents and statics
//!         spans     setup, formulas      rules   compiled
//! ```
//!
//! Nothing begins with a file that is wrong: all faults of a text are found at once, each with its
//! line and column. The text is a part of the run. A snapshot has it, and a restored run gets its
//! rules from there.
//!
//! To read: `fault`, `reader` (values with their places), `plan` (the sections), `shares`, `species`,
//! `params`, `view`, `rules` (pairs and agents), `range` (of pairs), `sizes` (radii, and the check of
//! `[world]`), `room` (births, and what fits), `observe` (quantities), `groups` (places), `obstacles`,
//! `tables` (places in other files), `start` (agents), `start_keys` and `print` (scenes as files),
//! `built` (walls of a run as text), `bundled` (those of the program).

#[cfg(feature = "window")]
mod built;
mod bundled;
mod fault;
mod groups;
mod observe;
mod obstacles;
mod params;
mod plan;
mod print;
mod range;
mod reader;
mod room;
mod rules;
mod shares;
mod sizes;
mod species;
mod start;
mod start_keys;
mod tables;
mod view;

#[cfg(feature = "window")]
pub(crate) use self::{
    built::{RunAsText, with_statics},
    view::WorldView,
};
pub(crate) use self::{
    bundled::WORLDS,
    fault::{FAULTS_MAX, WorldFault},
    plan::{WorldPlan, cleaned, title_of},
    print::written,
    reader::{Item, Reader, TomlEntry, array, entries, parsed},
    tables::{TableKind, TableReader, TableRequest},
    view::ViewNames,
};
