//! Groups and polylines whose places are in a table: a file beside the world file, which the program
//! reads.

use std::fmt;

use crate::rules::GroupTable;

/// What a group asks of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableRequest<'a> {
    /// The name of the file, relative to the world file.
    pub(crate) file: &'a str,
    /// Places are between 0 and these.
    pub(crate) size: [f32; 2],
    /// Number of species; no column of species is read if there are none.
    pub(crate) species: usize,
    /// Names of own columns.
    pub(crate) columns: &'a [String],
}

/// Reads tables, or says what is wrong with one.
#[derive(Clone, Copy)]
pub(crate) struct TableReader<'a>(
    pub(crate) &'a dyn Fn(TableRequest<'_>) -> Result<GroupTable, String>,
);

impl fmt::Debug for TableReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TableReader")
    }
}
