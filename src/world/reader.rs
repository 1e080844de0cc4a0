//! Values of a TOML text with their places; what is wrong with them is collected.

use std::{collections::BTreeSet, ops::Range};

use glam::Vec2;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::fault::WorldFault;
use crate::{
    formula::{FormulaError, NameUse},
    limits::AGENTS_MAX,
    names::{near, with_list},
    rules::Formula,
};

/// A value with its place.
pub(crate) type Item<'a> = Spanned<DeValue<'a>>;

/// Tables by what they are called in faults, each with an example.
const TABLES: [(&str, &str); 10] = [
    ("world", "`world = { size = [400, 400], agents = 10_000 }`"),
    ("species", "`species = { red = 1, blue = 2 }`"),
    ("columns", "`columns = { age = 0 }`"),
    ("pair", "`[pair.NAME]` and its keys"),
    ("a pair", "`[pair.NAME]` and its keys"),
    ("let", "`let.NAME = \"2 * r\"`"),
    ("sum", "`sum.NAME = \"1\"`"),
    ("set", "`set.COLUMN = \"age + dt\"`"),
    ("becomes", "`becomes.SPECIES = \"random(1) < dt\"`"),
    ("births", "`births.SPECIES = \"0.5 * dt\"`"),
];

/// A text, and its faults.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(super) text: &'a str,
    /// Without a place, those of values that are set beside the text.
    /// Places and messages, with all names that are possible where one is unknown.
    faults: Vec<(Option<usize>, String, Option<String>)>,
    /// Names whose values are wrong: what uses them is no second fault.
    spoiled: Vec<String>,
    /// What has a name, with the place of that name.
    pub(super) named: Vec<NameUse>,
    /// True if a whole section is no table: any name may be one that it was to have.
    is_torn: bool,
}

/// An entry of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TomlEntry<'t> {
    pub(crate) key: &'t str,
    /// The byte where the key begins.
    pub(crate) at: usize,
    pub(crate) value: &'t Item<'t>,
}

/// The tables of a text.
///
/// # Errors
/// The fault that makes it no TOML.
pub(crate) fn parsed(text: &str) -> Result<Spanned<DeTable<'_>>, Vec<WorldFault>> {
    DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().next().unwrap_or("it is no TOML").to_owned();
        if let Some((at, number, plain)) = spoken_number(text, at) {
            let message = format!("{number} is no number in TOML; write {plain}");
            return vec![WorldFault::at(text, at, message)];
        }
        let found = error.span().and_then(|span| text.get(span)).unwrap_or_default().trim();
        let is_word =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let message = match message.split(',').next() {
            Some("duplicate key") => format!("the key `{found}` is there twice; leave one out"),
            Some("string values must be quoted") if !found.is_empty() && is_word(found) => {
                format!("{found} is no value in TOML; write \"{found}\"")
            }
            _ => message,
        };
        vec![WorldFault::at(text, at, message)]
    })
}

/// A number with commas or a unit, as `2,000` and `2k`, in the line of a byte: where it is, as it is
/// written, and as TOML has it.
fn spoken_number(text: &str, at: usize) -> Option<(usize, &str, String)> {
    let begin = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text[begin..].lines().next()?;
    line.match_indices('=').find_map(|(equals, _)| {
        let value = line[equals + 1..].trim_start();
        let at = begin + line.len() - value.len();
        let is_end = |letter: char| !(letter.is_ascii_alphanumeric() || "_.,".contains(letter));
        let word = &value[..value.find(is_end).unwrap_or(value.len())];
        let number = word.trim_end_matches(',');
        let groups: Vec<&str> = number.split(',').collect();
        let is_digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let are_thousands = groups[1..].iter().all(|part| part.len() == 3 && is_digits(part));
        if groups.len() > 1 && are_thousands && (1..4).contains(&groups[0].len()) {
            return is_digits(&groups[0]).then(|| (at, number, groups.join("_")));
        }
        let zeros = [('k', "_000"), ('M', "_000_000")];
        let (unit, zeros) = zeros.into_iter().find(|(unit, _)| number.ends_with(*unit))?;
        let digits = number.strip_suffix(unit)?;
        let is_whole = !digits.is_empty() && is_digits(&digits);
        is_whole.then(|| (at, number, format!("{digits}{zeros}")))
    })
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, faults: Vec::new(), spoiled: Vec::new(), named: Vec::new(), is_torn: false }
    }

    /// Adds a fault.
    pub(crate) fn fault(&mut self, at: usize, message: impl Into<String>) {
        self.faults.push((Some(at), message.into(), None));
    }

    /// Adds the fault of a value that is set beside the text. The message begins with its name.
    pub(super) fn fault_of_setting(&mut self, message: impl Into<String>) {
        self.faults.push((None, message.into(), None));
    }

    /// Adds the faults of formulas, with what is possible in place of a name that is unknown.
    pub(super) fn formulas(&mut self, faults: Vec<FormulaError>) {
        // Names were checked where they are given; a formula has a place.
        let named = self.has_faults();
        for FormulaError { at, message, unknown: name, twice } in faults {
            if let Some(both) = twice {
                self.there_twice(*both);
                continue;
            }
            let is_spoiled = |name: &str| {
                let own = name.rsplit('.').next().unwrap_or(name);
                self.is_torn || self.spoiled.iter().any(|spoiled| spoiled == own)
            };
            let follows = name.as_ref().is_some_and(|(name, _)| is_spoiled(name));
            if (at == 0 && named) || follows {
                continue;
            }
            let name = name.filter(|(_, known)| !known.is_empty());
            let (near, all) = name.map_or_else(Default::default, |(name, known)| {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                (near(&name, &known), Some(known.join(", ")))
            });
            self.faults.push((Some(at), message + &near, all));
        }
    }

    /// Adds the fault of a name that two things have, at the second of them.
    fn there_twice(&mut self, both: [NameUse; 2]) {
        let mut both = both.map(|one| {
            let mut named = self.named.iter();
            let known = named.find(|it| it.kind == one.kind && it.name == one.name);
            let at = known.map_or(one.at, |known| known.at);
            NameUse { at, ..one }
        });
        both.sort_by_key(|one| one.at);
        let [first, second] = both;
        let line = WorldFault::at(self.text, first.at, String::new()).line;
        self.fault(
            second.at,
            format!(
                "`{}` is there twice, as {} in line {line} and as {} here; name one of them otherwise",
                first.name, first.kind, second.kind
            ),
        );
    }

    /// All faults, in the order of the text. Names that are possible are listed once.
    pub(crate) fn into_faults(self) -> Vec<WorldFault> {
        let Self { text, mut faults, .. } = self;
        faults.sort();
        faults.dedup();
        let mut listed = BTreeSet::new();
        let fault = |(at, message, names): (Option<usize>, String, Option<String>)| {
            let names = names.filter(|names| listed.insert(names.clone()));
            let message = match names {
                Some(names) => with_list(message, &names),
                None => message,
            };
            match at {
                Some(at) => WorldFault::at(text, at, message),
                None => WorldFault::of_setting(message),
            }
        };
        faults.into_iter().map(fault).collect()
    }

    pub(crate) fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// The number of faults so far: what lacks a part that is wrong has no second fault.
    pub(crate) fn count_faults(&self) -> usize {
        self.faults.len()
    }

    /// Notes that a whole section is wrong.
    pub(super) fn tear(&mut self) {
        self.is_torn = true;
    }

    /// True if a whole section is wrong.
    pub(super) fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// The entries of a table in the order of the text.
    pub(crate) fn entries<'t>(&mut self, item: &'t Item<'t>, what: &str) -> Vec<TomlEntry<'t>> {
        if let DeValue::Table(table) = item.get_ref() {
            return entries(table);
        }
        self.is_torn = true;
        let expected = match TABLES.iter().find(|(section, _)| *section == what) {
            Some((_, example)) => format!("a table, such as {example}"),
            None => "a table".to_owned(),
        };
        self.wrong(item, what, &expected);
        Vec::new()
    }

    /// The entries of a table whose keys are all known.
    pub(super) fn known<'t>(
        &mut self,
        item: &'t Item<'t>,
        what: &str,
        known: &[&str],
    ) -> Vec<TomlEntry<'t>> {
        let entries = self.entries(item, what);
        for entry in &entries {
            let may_be_torn = self.is_torn && matches!(entry.value.get_ref(), DeValue::Table(_));
            if !known.contains(&entry.key) && !may_be_torn {
                self.unknown(entry, "key", known);
            }
        }
        entries
    }

    /// Adds the fault of an unknown name.
    pub(crate) fn unknown(&mut self, entry: &TomlEntry<'_>, what: &str, known: &[&str]) {
        if !(self.is_torn && known.is_empty()) {
            self.no_such(entry.at, entry.key, what, known);
        }
    }

    /// Adds the fault of a name at a place, which is none of some names.
    pub(super) fn no_such(&mut self, at: usize, name: &str, what: &str, known: &[&str]) {
        let message = format!("`{name}` is no known {what}{}", near(name, known));
        self.faults.push((Some(at), message, Some(known.join(", "))));
    }

    /// Adds the fault of a value of another type.
    pub(crate) fn wrong(&mut self, item: &Item<'_>, what: &str, expected: &str) {
        let found = self.text.get(item.span()).unwrap_or_default();
        let found: String = found.lines().next().unwrap_or_default().chars().take(40).collect();
        self.fault(item.span().start, format!("{what} {found} can't be used: expected {expected}"));
    }

    /// The items of a key that is there once for each of its tables, as `[[group]]`.
    pub(super) fn tables_of<'t>(
        &mut self,
        item: &'t Item<'t>,
        name: &str,
        at: usize,
    ) -> &'t [Item<'t>] {
        match (array(item), item.get_ref()) {
            (Some(items), _) => return items,
            (None, DeValue::Table(_)) => {
                let message =
                    format!("a file may have several of `{name}`; write [[{name}]] above each");
                self.fault(at, message);
            }
            _ => self.wrong(item, name, &format!("tables [[{name}]]")),
        }
        &[]
    }

    pub(super) fn number(&mut self, item: &Item<'_>, what: &str) -> Option<f32> {
        let number = number(item).filter(|number| number.is_finite());
        if number.is_none() {
            let is_text = matches!(item.get_ref(), DeValue::String(_));
            let why = if is_text { ", as only formulas read params and other values" } else { "" };
            self.wrong(item, what, &format!("a number{why}"));
        }
        number
    }

    /// The value with which a column begins.
    pub(super) fn initial(&mut self, column: &TomlEntry<'_>) -> Option<f32> {
        let TomlEntry { key, value, .. } = *column;
        if matches!(value.get_ref(), DeValue::String(_)) {
            let expected = format!(
                "a number; a formula for the start is `columns.{key} = \"…\"` of a [[group]], or in \
                 [agent] `set.{key} = \"select(step == 0, …, {key})\"`"
            );
            self.wrong(value, key, &expected);
            return None;
        }
        self.number(value, key)
    }

    pub(super) fn numbers<const N: usize>(
        &mut self,
        item: &Item<'_>,
        what: &str,
        expected: &str,
    ) -> Option<[f32; N]> {
        let all =
            array(item).and_then(|items| items.iter().map(number).collect::<Option<Vec<f32>>>());
        let numbers = all.and_then(|all| <[f32; N]>::try_from(all).ok());
        let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
        if numbers.is_none() {
            self.wrong(item, what, expected);
        }
        numbers
    }

    /// Width and height.
    pub(super) fn size(&mut self, item: &Item<'_>) -> Option<Vec2> {
        const SIZE: &str = "two numbers above 0 [width, height]";
        let [width, height] = self.numbers::<2>(item, "size", SIZE)?;
        if width > 0.0 && height > 0.0 {
            return Some(Vec2::new(width, height));
        }
        self.wrong(item, "size", SIZE);
        None
    }

    /// A whole number.
    pub(crate) fn count(&mut self, item: &Item<'_>, what: &str, range: Range<u64>) -> Option<u64> {
        let count = match item.get_ref() {
            DeValue::Integer(integer) if integer.radix() == 10 => {
                integer.as_str().replace('_', "").trim_start_matches('+').parse().ok()
            }
            _ => None,
        };
        let count = count.filter(|count| range.contains(count));
        if count.is_none() {
            let last = range.end.saturating_sub(1);
            let is_text = matches!(item.get_ref(), DeValue::String(_));
            let why = if is_text { ", without quotes" } else { "" };
            self.wrong(item, what, &format!("a whole number from {} to {last}{why}", range.start));
        }
        count
    }

    /// A number of agents.
    pub(super) fn agent_count(&mut self, item: &Item<'_>, what: &str) -> Option<u32> {
        self.count(item, what, 1..u64::from(AGENTS_MAX) + 1).map(|agents| agents as u32)
    }

    pub(super) fn switch(&mut self, item: &Item<'_>, what: &str) -> Option<bool> {
        if let DeValue::Boolean(on) = item.get_ref() {
            return Some(*on);
        }
        self.wrong(item, what, "true or false");
        None
    }

    pub(super) fn string<'t>(
        &mut self,
        item: &'t Item<'t>,
        what: &str,
        expected: &str,
    ) -> Option<&'t str> {
        if let DeValue::String(text) = item.get_ref() {
            return Some(text);
        }
        self.wrong(item, what, expected);
        None
    }

    /// One of some names.
    pub(super) fn choice(&mut self, item: &Item<'_>, what: &str, names: &[&str]) -> Option<String> {
        let text = self.string(item, what, "a name in quotes")?;
        if names.contains(&text) {
            return Some(text.to_owned());
        }
        self.no_such(item.span().start, text, what, names);
        None
    }

    /// A formula: a text, or a number.
    pub(super) fn formula(&mut self, item: &Item<'_>, what: &str) -> Option<Formula> {
        let span = item.span();
        if let DeValue::String(text) = item.get_ref() {
            // Where the text has no escapes, its bytes are those of the file.
            let raw = self.text.get(span.clone()).unwrap_or_default();
            let shift = raw.find(&**text).unwrap_or(0);
            return Some(Formula::new(&**text, span.start + shift));
        }
        if number(item).is_some() {
            let digits = self.text[span.clone()].trim_start_matches('+').replace('_', "");
            return Some(Formula::new(digits, span.start));
        }
        self.wrong(item, what, "a formula in quotes");
        None
    }

    /// A formula with its name.
    pub(super) fn named_formula(&mut self, entry: &TomlEntry<'_>) -> Option<(String, Formula)> {
        let name = entry.key.to_owned();
        let formula = self.formula(entry.value, entry.key);
        if formula.is_none() {
            self.spoiled.push(name.clone());
        }
        Some((name, formula?))
    }

    /// Two formulas, along x and y.
    pub(super) fn formula_pair(&mut self, item: &Item<'_>, what: &str) -> Option<[Formula; 2]> {
        let Some([x, y]) = array(item) else {
            self.wrong(item, what, "two formulas [\"x\", \"y\"]");
            return None;
        };
        let [x, y] = [x, y].map(|item| self.formula(item, what));
        Some([x?, y?])
    }
}

/// The entries of a table in the order of the text.
pub(crate) fn entries<'t>(table: &'t DeTable<'t>) -> Vec<TomlEntry<'t>> {
    let entry = |(key, value): (&'t Spanned<_>, &'t Item<'t>)| {
        let name: &'t std::borrow::Cow<'t, str> = key.get_ref();
        TomlEntry { key: name, at: key.span().start, value }
    };
    let mut all: Vec<TomlEntry<'t>> = table.iter().map(entry).collect();
    all.sort_by_key(|entry| entry.at);
    all
}

/// The items of an array.
pub(crate) fn array<'t>(item: &'t Item<'t>) -> Option<&'t [Item<'t>]> {
    if let DeValue::Array(items) = item.get_ref() { Some(items) } else { None }
}

fn number(item: &Item<'_>) -> Option<f32> {
    match item.get_ref() {
        DeValue::Integer(integer) if integer.radix() == 10 => {
            integer.as_str().replace('_', "").parse().ok()
        }
        DeValue::Float(float) => float.as_str().replace('_', "").parse().ok(),
        _ => None,
    }
}
