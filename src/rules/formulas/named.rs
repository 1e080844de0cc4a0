//! Matrices and tables that formulas name.

use crate::formula::SpeciesMatrix;

/// Matrices and tables, each known by its index.
#[derive(Debug)]
pub(super) struct NamedTables {
    pub(super) matrices: Vec<SpeciesMatrix>,
    pub(super) tables: Vec<Vec<[f32; 2]>>,
}
