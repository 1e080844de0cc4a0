//! The columns of a table, and where its rows are in the file.

use std::path::{Path, PathBuf};

use crate::{alloc, cli::Failure};

/// The purpose of the memory, for errors.
const PART: &str = "the table";

/// A column that a caller asks for.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) enum ColumnSpec<'a> {
    Number(&'a str),
    Count(&'a str),
    /// A name among some, or its number.
    Choice(&'a str, &'a [String]),
}

/// The values of a column.
#[derive(Debug)]
pub(super) enum Column {
    Numbers(Vec<f32>),
    Counts(Vec<u32>),
}

/// The columns that were asked for and found, each with one value per row.
#[derive(Debug)]
pub(in crate::cli) struct ColumnTable {
    pub(super) path: PathBuf,
    pub(super) columns: Vec<(String, Column)>,
    /// Every name in the file.
    pub(super) names: Vec<String>,
    pub(super) rows: usize,
    pub(super) places: Places,
}

/// Where the rows are in their file.
#[derive(Debug)]
pub(super) enum Places {
    /// In these lines: a row, and its line, wherever it is not the line after that of the row
    /// before.
    Lines(Vec<(usize, u64)>),
    /// At the index of the row.
    Indices,
}

impl<'a> ColumnSpec<'a> {
    pub(in crate::cli) fn name(self) -> &'a str {
        match self {
            Self::Number(name) | Self::Count(name) | Self::Choice(name, _) => name,
        }
    }

    pub(super) fn column(self) -> Column {
        match self {
            Self::Number(_) => Column::Numbers(Vec::new()),
            Self::Count(_) | Self::Choice(..) => Column::Counts(Vec::new()),
        }
    }

    /// The number of a name, if it may have names.
    pub(super) fn choice(self, text: &[u8]) -> Option<f64> {
        let Self::Choice(_, names) = self else { return None };
        names.iter().position(|name| name.as_bytes() == text).map(|number| number as f64)
    }

    /// What its values are.
    pub(super) fn kind(self) -> String {
        const WHOLE: &str = "a whole number from 0 to 4,294,967,295";
        match self {
            Self::Number(_) => "a number".to_owned(),
            Self::Count(_) => WHOLE.to_owned(),
            Self::Choice(_, names) => format!("the number or the name of one of {}", listed(names)),
        }
    }
}

impl Column {
    /// Appends a value. False if it is none of the column's.
    pub(super) fn push(&mut self, value: f64) -> crate::Result<bool> {
        match self {
            Self::Numbers(numbers) => alloc::push(numbers, value as f32, PART)?,
            Self::Counts(counts)
                if value.fract() == 0.0 && (0.0..4_294_967_296.0).contains(&value) =>
            {
                alloc::push(counts, value as u32, PART)?;
            }
            Self::Counts(_) => return Ok(false),
        }
        Ok(true)
    }
}

impl ColumnTable {
    /// The number of rows.
    pub(in crate::cli) fn rows(&self) -> usize {
        self.rows
    }

    /// True if the file has a column.
    pub(in crate::cli) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|(own, _)| own == name)
    }

    /// Every name in the file.
    pub(in crate::cli) fn names(&self) -> &[String] {
        &self.names
    }

    /// Takes a column of numbers.
    pub(in crate::cli) fn take_numbers(&mut self, name: &str) -> Option<Vec<f32>> {
        match self.take(name)? {
            Column::Numbers(numbers) => Some(numbers),
            Column::Counts(_) => None,
        }
    }

    /// Takes a column of whole numbers.
    pub(in crate::cli) fn take_counts(&mut self, name: &str) -> Option<Vec<u32>> {
        match self.take(name)? {
            Column::Counts(counts) => Some(counts),
            Column::Numbers(_) => None,
        }
    }

    fn take(&mut self, name: &str) -> Option<Column> {
        let place = self.columns.iter().position(|(own, _)| own == name)?;
        Some(self.columns.swap_remove(place).1)
    }

    /// The failure for a row.
    pub(in crate::cli) fn fault(&self, row: usize, reason: &str) -> Failure {
        self.places.fault(&self.path, row, reason)
    }
}

impl Places {
    pub(super) fn fault(&self, path: &Path, row: usize, reason: &str) -> Failure {
        let place = match self {
            Self::Indices => format!("index {row}"),
            Self::Lines(lines) => {
                let before = lines.partition_point(|&(first, _)| first <= row).saturating_sub(1);
                let (first, line) = lines.get(before).copied().unwrap_or_default();
                format!("line {}", line + (row - first) as u64)
            }
        };
        Failure::usage(format!("{}, {place}: {reason}", path.display()))
    }
}

/// The failure for a file that is no table.
pub(super) fn refused(path: &Path, reason: &str) -> Failure {
    Failure::usage(format!("{} can't be used: {reason}", path.display()))
}

/// Names from a file, as a message shows them.
pub(in crate::cli) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 60;
    let all = names.join(", ");
    let clean = all.chars().filter(|char| !char.is_control());
    let mut shown: String = clean.clone().take(SHOWN).collect();
    if clean.count() > SHOWN {
        shown.push('…');
    }
    shown
}
