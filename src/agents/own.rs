//! Columns of a caller's own: a species and named numbers per agent, in runs that ask for them.
//!
//! ```text
//! slot        0     1     2    …
//! species  [  2  |  0  |  2  | …   u8    1 byte per agent
//! age      [ 0.5 | 7.1 | 0.0 | …   f32   4 bytes per agent and column
//! ```
//!
//! They go with their agents wherever these go: through a sort, a clone, a snapshot. A step reads the
//! columns `spin` and `angle` alone.

use crate::{
    alloc,
    error::{Error, Field, Limit, Result, Value},
    limits::{OWN_COLUMNS_MAX, OWN_NAME_MAX},
    snapshot::{Snapshot, Writer, require, unreadable, write_line},
};

/// The sections of a snapshot: species, names with initial values, and the values, column after
/// column.
const SPECIES: &str = "species";
const NAMES: &str = "own.names";
const VALUES: &str = "own";

/// Purpose of the memory, for errors.
const PART: &str = "the agents' own columns";

/// Names of the columns that all agents have, and of those that some scenes have.
const TAKEN: [&str; 9] = ["x", "y", "vx", "vy", "radius", "id", SPECIES, "faction", "health"];

/// Columns of a caller's own, of the same length as the other columns of the agents.
///
/// Agents with the columns `spin` and `angle`, as in runs with friction, turn: a step adds the spin times
/// its seconds to the angle, and keeps it between -π and π. Large discs are drawn with a mark at their
/// `angle`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct OwnColumns {
    /// The species of each agent, 0 to 255.
    pub species: Option<Vec<u8>>,
    /// Named numbers, at most 16 columns.
    pub numbers: Vec<OwnColumn>,
}

/// A named column of numbers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OwnColumn {
    /// Letters, digits and `_`, at most 32, not beginning with a digit.
    pub name: String,
    /// The value of an agent that comes later; finite.
    pub initial: f32,
    /// The value of each agent; finite.
    pub values: Vec<f32>,
}

impl OwnColumn {
    /// Creates a column of these values, in which agents that come later have the value `initial`.
    #[must_use]
    pub fn new(name: &str, initial: f32, values: Vec<f32>) -> Self {
        Self { name: name.to_owned(), initial, values }
    }
}

impl OwnColumns {
    /// Creates no column.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the species of all agents, slot by slot.
    #[must_use]
    pub fn with_species(self, species: Vec<u8>) -> Self {
        Self { species: Some(species), ..self }
    }

    /// Adds a column of numbers.
    #[must_use]
    pub fn with_numbers(mut self, column: OwnColumn) -> Self {
        self.numbers.push(column);
        self
    }

    /// The position of the column of that name among [`Self::numbers`].
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.numbers.iter().position(|column| column.name == name)
    }

    /// Bytes per agent.
    pub(super) fn bytes(&self) -> usize {
        usize::from(self.species.is_some()) + size_of::<f32>() * self.numbers.len()
    }

    /// Reserves memory for `more` further agents.
    pub(super) fn reserve(&mut self, more: usize) -> Result<()> {
        if let Some(species) = &mut self.species {
            alloc::reserve(species, more, PART)?;
        }
        let mut numbers = self.numbers.iter_mut();
        numbers.try_for_each(|column| alloc::reserve(&mut column.values, more, PART))
    }

    /// Creates the same columns without values.
    pub(super) fn none_alike(&self) -> Self {
        let empty = |column: &OwnColumn| OwnColumn::new(&column.name, column.initial, Vec::new());
        let species = self.species.as_ref().map(|_| Vec::new());
        Self { species, numbers: self.numbers.iter().map(empty).collect() }
    }

    /// Becomes a copy. Allocates nothing where there is room.
    #[cfg(feature = "cli")]
    pub(super) fn copy_from(&mut self, from: &Self) {
        match (&mut self.species, &from.species) {
            (Some(to), Some(from)) => to.clone_from(from),
            (to, from) => to.clone_from(from),
        }
        self.numbers.truncate(from.numbers.len());
        for (to, from) in self.numbers.iter_mut().zip(&from.numbers) {
            to.name.clone_from(&from.name);
            to.initial = from.initial;
            to.values.clone_from(&from.values);
        }
        let copied = self.numbers.len();
        self.numbers.extend_from_slice(&from.numbers[copied..]);
    }

    /// Appends an agent of that species, with the initial value in each column of numbers.
    pub(crate) fn push(&mut self, species: u8) {
        if let Some(column) = &mut self.species {
            column.push(species);
        }
        for OwnColumn { initial, values, .. } in &mut self.numbers {
            values.push(*initial);
        }
    }

    /// Rejects columns that are not of that length, names that are not names, and numbers that are
    /// not finite.
    pub(crate) fn check(&self, length: usize) -> Result<()> {
        let columns = self.numbers.iter().map(|column| ("own column", column.values.len()));
        let species = self.species.iter().map(|species| (SPECIES, species.len()));
        if let Some((name, found)) = species.chain(columns).find(|&(_, found)| found != length) {
            let limit = Limit::Length(length as u64);
            return Err(Error::invalid(Field::Column(name), Value::Count(found as u64), limit));
        }
        let count = self.numbers.len();
        if count > OWN_COLUMNS_MAX {
            let limit = Limit::Counts(0..=OWN_COLUMNS_MAX as u64);
            let field = Field::Column("number of own columns");
            return Err(Error::invalid(field, Value::Count(count as u64), limit));
        }
        for (index, column) in self.numbers.iter().enumerate() {
            let others = &self.numbers[..index];
            if !is_name(&column.name) || others.iter().any(|other| other.name == column.name) {
                let field = Field::Column("name of own column");
                return Err(Error::invalid(field, Value::Count(index as u64), Limit::ColumnName));
            }
            let mut all = column.values.iter().chain([&column.initial]);
            if let Some(&value) = all.find(|value| !value.is_finite()) {
                let field = Field::Column("value of own column");
                return Err(Error::invalid(field, Value::Number(value), Limit::Finite));
            }
        }
        Ok(())
    }

    /// Writes the columns.
    pub(super) fn save(&self, to: &mut Writer) -> Result<()> {
        if let Some(species) = &self.species {
            to.array(SPECIES, species)?;
        }
        if self.numbers.is_empty() {
            return Ok(());
        }
        let mut names = String::new();
        for OwnColumn { name, initial, .. } in &self.numbers {
            write_line(&mut names, name, initial);
        }
        to.text(NAMES, &names)?;
        to.arrays(VALUES, self.numbers.iter().map(|column| &column.values[..]))
    }

    /// Reads the columns of `count` agents, with capacity for `capacity` agents; none if there are
    /// none.
    pub(super) fn load(from: &Snapshot, count: usize, capacity: usize) -> Result<Option<Self>> {
        if !from.has(SPECIES) && !from.has(NAMES) {
            return Ok(None);
        }
        let species = || from.array(SPECIES, count, capacity);
        let species = from.has(SPECIES).then(species).transpose()?;
        let mut own = Self { species, numbers: Vec::new() };
        if from.has(NAMES) {
            let names = Self::names(from)?;
            let values = from.numbers(VALUES, count * names.len(), 0)?;
            for (index, (name, initial)) in names.into_iter().enumerate() {
                let mut column = alloc::with_capacity(capacity.max(count), PART)?;
                column.extend_from_slice(&values[index * count..(index + 1) * count]);
                own.numbers.push(OwnColumn { name: name.to_owned(), initial, values: column });
            }
        }
        own.check(count)?;
        Ok(Some(own))
    }

    /// Bytes per agent of the columns in a snapshot.
    pub(crate) fn saved_bytes(from: &Snapshot) -> Result<usize> {
        let numbers = if from.has(NAMES) { Self::names(from)?.len() } else { 0 };
        Ok(usize::from(from.has(SPECIES)) + size_of::<f32>() * numbers)
    }

    /// The names in a snapshot, each with the initial value of its column.
    fn names(from: &Snapshot) -> Result<Vec<(&str, f32)>> {
        let text = from.text(NAMES)?;
        require(text.lines().count() <= OWN_COLUMNS_MAX, NAMES, "has more columns than a run")?;
        let line = |line| {
            let (name, initial): (&str, &str) =
                str::split_once(line, " = ").ok_or_else(|| unreadable(NAMES, line))?;
            let initial: f32 = initial.parse().map_err(|_| unreadable(NAMES, line))?;
            if is_name(name) { Ok((name, initial)) } else { Err(unreadable(NAMES, line)) }
        };
        text.lines().map(line).collect()
    }
}

/// True if a column of a caller's own may have that name.
fn is_name(name: &str) -> bool {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let begins = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    letters && begins && name.len() <= OWN_NAME_MAX && !TAKEN.contains(&name)
}
