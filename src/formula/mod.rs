//! Formulas: text over named numbers, compiled to code that runs over sixteen agents or pairs at once.
//!
//! ```text
//! text ─► token ─► parse ─► graph ─────────────► code ─────────────► run
//!                  types,   equal parts once,    live parts alone,   256 numbers per instruction
//!                  names    constants folded     registers
//! ```
//!
//! **The same bits everywhere**: an operation is + − × ÷ √ of `f32` or `f64`, a comparison, or bits, in
//! the order of the text, and nothing is fused. `ops` defines each operation once; folding of constants
//! and the lanes of `run` share that definition. `functions` has `exp`, `log`, `sin`, `cos` and `atan2`.
//!
//! **Total**: x/0 is 0, and the root of a negative number is 0. A comparison with a number that is not
//! finite is an ordinary comparison. What else can overflow, does, and whoever writes the result looks
//! whether it is finite.
//!
//! To read: `token` and `parse` (the language), `scope` (names), `graph`, `code`, then `run`.

mod code;
mod error;
mod functions;
mod graph;
mod matrix;
mod ops;
mod parse;
mod run;
mod scope;
#[cfg(test)]
mod tests;
mod token;

pub(crate) use self::error::{NameKind, NameUse};
pub(crate) use self::{
    code::{Code, PLANES},
    graph::{Graph, NodeId},
    ops::Op,
    parse::parse,
    run::{BLOCK, Block, NamedData, POINTS_MAX, Workspace},
    scope::{Meaning, Scope, TypedValue, ValueKind, is_function},
    token::words,
};
pub use self::{error::FormulaError, matrix::SpeciesMatrix};
