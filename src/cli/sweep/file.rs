//! The file of a sweep: flags that all runs have, and flags with the values that runs differ in.
//!
//! ```toml
//! [run]
//! scene = "gas"
//! agents = 500
//!
//! [sweep]
//! density = [0.1, 0.2]
//! seed = "1..20"
//! ```
//!
//! The flags are those of `jostle run`, asked of the parser of the command line itself; a param of a world
//! file is `set.NAME`.

use std::{collections::BTreeSet, ffi::OsString, path::Path};

use clap::{Arg, Command};
use toml::de::DeValue;

use super::range::{self, RUNS_MAX};
use crate::{
    cli::{Outcome, args, worlds},
    limits::STEPS_MAX,
    names::unknown,
    world::{Item, Reader, TomlEntry, array, entries, parsed},
};

/// Headings of flags that decide what a run does; others say what it draws and writes.
const HEADINGS: [&str; 3] = ["World", "Machine", "Length"];

/// A flag that decides what a run does, under another heading.
const LOAD: &str = "load";

/// A flag that gives a param of the world file another value.
const SET: &str = "set";

/// A flag of all runs together.
const THREADS: &str = "threads";

const SECTIONS: [&str; 3] = ["every", "run", "sweep"];

const VALUE: &str = "a number, or a text in quotes";

/// What a file says.
#[derive(Debug)]
pub(super) struct SweepFile {
    /// Flags with the one value that all runs have.
    pub(super) fixed: Vec<SweepKey>,
    /// Flags with the values that runs differ in.
    pub(super) swept: Vec<SweepKey>,
    /// Steps from one sample to the next, if the file says so.
    pub(super) every: Option<u64>,
    /// Where the table of values begins.
    pub(super) at: usize,
}

/// A flag, or a param of a world file, with its values.
#[derive(Debug)]
pub(super) struct SweepKey {
    pub(super) name: String,
    pub(super) kind: KeyKind,
    pub(super) values: Vec<SweepValue>,
}

/// What a key sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyKind {
    /// A flag with a value.
    Flag,
    /// A flag that may have a file for its value.
    FileFlag,
    /// A flag that is given, or not.
    Switch,
    /// A param of a world file.
    Param,
}

/// A value, with its place in the text.
#[derive(Clone, Debug)]
pub(super) struct SweepValue {
    pub(super) text: String,
    pub(super) at: usize,
}

impl SweepKey {
    /// The argument of the command line for one of the values. Files are relative to `folder`.
    pub(super) fn argument(&self, value: &SweepValue, folder: &Path) -> Option<OsString> {
        let Self { name, kind, .. } = self;
        let text = &value.text;
        Some(match kind {
            KeyKind::Switch => return (text == "true").then(|| format!("--{name}").into()),
            KeyKind::Flag => format!("--{name}={text}").into(),
            KeyKind::Param => format!("--{SET}={name}={text}").into(),
            KeyKind::FileFlag => {
                let mut argument = OsString::from(format!("--{name}="));
                match self.file(value, folder) {
                    Some(path) => argument.push(path),
                    None => argument.push(text),
                }
                argument
            }
        })
    }

    /// The file that a value names.
    pub(super) fn file(&self, value: &SweepValue, folder: &Path) -> Option<std::path::PathBuf> {
        let path = Path::new(&value.text);
        let is_file = self.kind == KeyKind::FileFlag && path.extension().is_some();
        is_file.then(|| folder.join(path))
    }

    /// How messages name it.
    pub(super) fn flags(&self) -> Vec<String> {
        let name = &self.name;
        match self.kind {
            KeyKind::Param => vec![format!("--{SET} {name}"), format!("the param `{name}`")],
            _ => vec![format!("--{name}")],
        }
    }
}

impl SweepFile {
    /// Reads a file, with the flags that `flags` has; returns the reader, for faults of its runs.
    ///
    /// # Errors
    /// If the file is wrong.
    pub(super) fn read<'a>(
        path: &Path,
        text: &'a str,
        flags: &mut Command,
    ) -> Outcome<(Self, Reader<'a>)> {
        let table = parsed(text).map_err(|faults| worlds::refused(path, &faults))?;
        let mut reader = Reader::new(text);
        let known: Vec<&Arg> = flags.get_arguments().filter(|flag| decides(flag)).collect();
        let mut file = Self { fixed: Vec::new(), swept: Vec::new(), every: None, at: 0 };
        let mut has_sweep = false;
        for section in entries(table.get_ref()) {
            match section.key {
                "every" => {
                    file.every = reader.count(section.value, "every", 1..STEPS_MAX + 1);
                }
                "run" => file.fixed = keys(&mut reader, &section, flags, &known, false),
                "sweep" => {
                    (has_sweep, file.at) = (true, section.at);
                    file.swept = keys(&mut reader, &section, flags, &known, true);
                    if file.swept.is_empty() && !reader.has_faults() {
                        reader.fault(section.at, "[sweep] has no flag; add `seed = \"1..4\"`");
                    }
                }
                _ => reader.unknown(&section, "section", &SECTIONS),
            }
        }
        if !has_sweep {
            reader.fault(0, "there is no [sweep]; add one with `seed = \"1..4\"`");
        }
        for key in &file.swept {
            let is_same = |it: &&SweepKey| it.name == key.name;
            let twin = file.fixed.iter().chain(&file.swept).filter(is_same).count() > 1;
            if twin && let Some(value) = key.values.first() {
                let why = format!("`{}` is in the file twice; leave out one of them", key.name);
                reader.fault(value.at, why);
            }
        }
        file.check_values(&mut reader, flags, path.parent().unwrap_or(Path::new("")));
        if reader.has_faults() {
            return Err(worlds::refused(path, &reader.into_faults()));
        }
        Ok((file, reader))
    }
}

impl SweepFile {
    /// Adds the faults of values that are none of their flags, each alone; of a range, of its first value.
    fn check_values(&self, reader: &mut Reader<'_>, flags: &mut Command, folder: &Path) {
        for key in self.fixed.iter().chain(&self.swept) {
            // What a flag needs beside it is another fault, of a run.
            let of_value =
                format!("--{} ", if key.kind == KeyKind::Param { SET } else { &key.name });
            for value in key.values.chunk_by(|one, next| one.at == next.at).map(|range| &range[0]) {
                let argument = key.argument(value, folder);
                let read = args::parse_run(flags, argument.as_slice());
                if let Err(why) = read.map(drop)
                    && why.starts_with(&of_value)
                {
                    reader.fault(value.at, why);
                }
            }
        }
    }
}

/// True for a flag that decides what a run does.
fn decides(flag: &Arg) -> bool {
    let heading = flag.get_help_heading().unwrap_or_default();
    let name = flag.get_long().unwrap_or_default();
    (HEADINGS.contains(&heading) || name == LOAD) && name != THREADS
}

/// The keys of a section; in `[sweep]`, lists and ranges are several values.
fn keys(
    reader: &mut Reader<'_>,
    section: &TomlEntry<'_>,
    flags: &Command,
    known: &[&Arg],
    is_swept: bool,
) -> Vec<SweepKey> {
    let mut keys = Vec::new();
    for entry in reader.entries(section.value, section.key) {
        let flag = known.iter().find(|flag| flag.get_long() == Some(entry.key));
        let Some(flag) = flag else {
            unknown_flag(reader, &entry, flags, known);
            continue;
        };
        if entry.key == SET {
            for param in reader.entries(entry.value, "set") {
                keys.extend(key(reader, &param, KeyKind::Param, is_swept));
            }
            continue;
        }
        let takes_file = || {
            let names = flag.get_value_names().unwrap_or_default();
            names.iter().any(|name| name.contains("FILE"))
        };
        let kind = match flag.get_action().takes_values() {
            false => KeyKind::Switch,
            true if takes_file() => KeyKind::FileFlag,
            true => KeyKind::Flag,
        };
        keys.extend(key(reader, &entry, kind, is_swept));
    }
    keys
}

/// Adds the fault of a key that is no flag, or none of a sweep.
fn unknown_flag(reader: &mut Reader<'_>, entry: &TomlEntry<'_>, flags: &Command, known: &[&Arg]) {
    let name = entry.key;
    let why = if let Some(param) = name.strip_prefix("set.") {
        format!("is one word in quotes; write set.{param} without them")
    } else if name == THREADS {
        "belongs to the command; try jostle sweep --threads".to_owned()
    } else if flags.get_arguments().any(|flag| flag.get_long() == Some(name)) {
        format!("is what a run draws or writes; leave it out, and try it with jostle run --{name}")
    } else {
        let names: Vec<&str> = known.iter().filter_map(|flag| flag.get_long()).collect();
        format!("{}; a param of a world file is set.{name}", unknown(name, "flag", &names))
    };
    reader.fault(entry.at, format!("`{name}` {why}"));
}

/// A key with its values, each of them once.
fn key(
    reader: &mut Reader<'_>,
    entry: &TomlEntry<'_>,
    kind: KeyKind,
    is_swept: bool,
) -> Option<SweepKey> {
    let name = entry.key.to_owned();
    if name.contains(char::is_control) {
        reader.fault(entry.at, "a name with a line break can't be used; write it in one line");
        return None;
    }
    let at = entry.value.span().start;
    let mut values = Vec::new();
    match array(entry.value) {
        Some([]) => reader.wrong(entry.value, &name, "a list of one or more values"),
        Some(_) if !is_swept => {
            reader.wrong(entry.value, &name, "one value; a list belongs to [sweep]");
        }
        Some(items) => {
            for item in items {
                values.extend(value(reader, item, &name, kind));
            }
        }
        None => {
            let single = value(reader, entry.value, &name, kind)?;
            let is_text = matches!(entry.value.get_ref(), DeValue::String(_));
            // The path of a file may have two points.
            let is_range = is_swept && is_text && kind != KeyKind::FileFlag;
            match range::numbers(&single.text).filter(|_| is_range) {
                Some(Ok(numbers)) => {
                    values.extend(numbers.into_iter().map(|text| SweepValue { text, at }));
                }
                Some(Err(why)) => reader.fault(at, format!("{name} \"{}\" {why}", single.text)),
                None => values.push(single),
            }
        }
    }
    if values.len() > RUNS_MAX {
        let count = values.len();
        reader.fault(at, format!("{name} has {count} values: expected at most {RUNS_MAX}"));
        return None;
    }
    let is_switch = |value: &&SweepValue| matches!(value.text.as_str(), "true" | "false");
    if kind == KeyKind::Switch
        && let Some(wrong) = values.iter().find(|value| !is_switch(value))
    {
        reader.fault(
            wrong.at,
            format!("{name} {} can't be used: expected true or false", wrong.text),
        );
        return None;
    }
    let mut once = BTreeSet::new();
    if let Some(twice) = values.iter().find(|value| !once.insert(value.text.as_str())) {
        reader.fault(twice.at, format!("{name} {} is in the list twice", twice.text));
        return None;
    }
    (!values.is_empty()).then_some(SweepKey { name, kind, values })
}

/// A value as the command line takes it. Flags that are no switches are on or off.
fn value(
    reader: &mut Reader<'_>,
    item: &Item<'_>,
    name: &str,
    kind: KeyKind,
) -> Option<SweepValue> {
    let at = item.span().start;
    let text = match item.get_ref() {
        DeValue::String(text) if !text.contains(char::is_control) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => plain(number.as_str()),
        DeValue::Float(number) => plain(number.as_str()),
        DeValue::Boolean(on) if kind == KeyKind::Switch => on.to_string(),
        DeValue::Boolean(on) => if *on { "on" } else { "off" }.to_owned(),
        _ => {
            reader.wrong(item, name, VALUE);
            return None;
        }
    };
    Some(SweepValue { text, at })
}

fn plain(number: &str) -> String {
    number.trim_start_matches('+').replace('_', "")
}
