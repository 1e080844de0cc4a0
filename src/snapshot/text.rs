//! Text: single values as `key = value` lines, which people can read and which keep every bit.
//!
//! Numbers are written as Rust writes them: the shortest digits that read back as the same number.
//! The form needs no serde, which only the features `cli` and `window` bring.

use std::{
    collections::BTreeMap,
    fmt::{Display, Write},
    str::FromStr,
};

use crate::error::{Error, Fault, Result};

/// The word for an option without a value.
pub(crate) const NONE: &str = "none";

/// Appends a line.
pub(crate) fn write_line(text: &mut String, key: &str, value: impl Display) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{key} = {value}");
}

/// A list of values as one value: separated by spaces, `none` if there is no list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listing<T, const N: usize>(pub(crate) Option<[T; N]>);

impl<T: Display, const N: usize> Display for Listing<T, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(values) = &self.0 else { return f.write_str(NONE) };
        for (index, value) in values.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{value}")?;
        }
        Ok(())
    }
}

/// The lines of a section, to be taken by their keys.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    part: &'static str,
    values: BTreeMap<&'a str, &'a str>,
}

impl<'a> Lines<'a> {
    /// Splits the text of a section.
    ///
    /// # Errors
    /// If a line is not `key = value`, or a key is there twice.
    pub(crate) fn new(part: &'static str, text: &'a str) -> Result<Self> {
        let mut values = BTreeMap::new();
        for line in text.lines() {
            let (key, value) = line.split_once(" = ").ok_or_else(|| unreadable(part, line))?;
            if values.insert(key, value).is_some() {
                return Err(unreadable(part, line));
            }
        }
        Ok(Self { part, values })
    }

    /// Takes the value of a key.
    ///
    /// # Errors
    /// If there is none, or it is not a `T`.
    pub(crate) fn take<T: FromStr>(&mut self, key: &'static str) -> Result<T> {
        let value = self.text(key)?;
        value.parse().map_err(|_| unreadable(self.part, &format!("{key} = {value}")))
    }

    /// Takes the list of a key.
    ///
    /// # Errors
    /// If there is no such key, or its value is neither `N` values of `T` nor the word for no list.
    pub(crate) fn list<T: FromStr, const N: usize>(
        &mut self,
        key: &'static str,
    ) -> Result<Option<[T; N]>> {
        let value = self.text(key)?;
        if value == NONE {
            return Ok(None);
        }
        let values: Option<Vec<T>> = value.split(' ').map(|value| value.parse().ok()).collect();
        let values = values.and_then(|values| values.try_into().ok());
        values.map(Some).ok_or_else(|| unreadable(self.part, &format!("{key} = {value}")))
    }

    /// Takes the list of a key that must have one.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub(crate) fn values<T: FromStr, const N: usize>(
        &mut self,
        key: &'static str,
    ) -> Result<[T; N]> {
        let none = unreadable(self.part, &format!("{key} = {NONE}"));
        self.list(key)?.ok_or(none)
    }

    /// Drops the line of a key, if there is one: earlier versions wrote it.
    pub(crate) fn ignore(&mut self, key: &str) {
        self.values.remove(key);
    }

    /// Ends the section.
    ///
    /// # Errors
    /// If a line is left: a format that has it would have another number.
    pub(crate) fn end(self) -> Result<()> {
        match self.values.first_key_value() {
            Some((key, value)) => Err(unreadable(self.part, &format!("{key} = {value}"))),
            None => Ok(()),
        }
    }

    /// Takes the text of a key.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn text(&mut self, key: &'static str) -> Result<&'a str> {
        let missing = || Error::Snapshot(Fault::Missing(format!("{}: {key}", self.part)));
        self.values.remove(key).ok_or_else(missing)
    }
}

/// The error of a line that can't be read; a long one is cut.
pub(crate) fn unreadable(part: &str, line: &str) -> Error {
    const SHOWN: usize = 60;
    let line = line.chars().filter(|char| !char.is_control()).take(SHOWN).collect();
    Error::Snapshot(Fault::Line { part: part.to_owned(), line })
}
