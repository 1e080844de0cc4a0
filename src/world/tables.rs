//! Groups and polylines whose places are in another file: a table, a picture or a drawing beside the
//! world file, which the program reads.

use std::{ffi::OsStr, fmt, path::Path};

use crate::rules::GroupTable;

/// What a file is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableKind {
    /// Rows with a place each.
    Table,
    /// Agents lie in its dark pixels.
    Picture,
    /// Lines.
    Drawing,
}

impl TableKind {
    pub(crate) fn of(file: &str) -> Self {
        let end = Path::new(file).extension().map(OsStr::to_ascii_lowercase).unwrap_or_default();
        match end.to_str() {
            Some("png") => Self::Picture,
            Some("svg") => Self::Drawing,
            _ => Self::Table,
        }
    }
}

/// What a group asks of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableRequest<'a> {
    /// The name of the file, relative to the world file.
    pub(crate) file: &'a str,
    pub(crate) kind: TableKind,
    /// Places are between 0 and these.
    pub(crate) size: [f32; 2],
    /// Names of the species; no column of species is read if there are none.
    pub(crate) species: &'a [String],
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
