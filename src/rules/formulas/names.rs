//! Which names a caller may give.

use std::cmp::Ordering;

use super::{Formula, Formulas, PairFormulas};
use crate::{
    formula::{FormulaError, NameKind, NameUse, POINTS_MAX, SpeciesMatrix, is_function},
    limits::{BIRTHS_MAX, OWN_COLUMNS_MAX, OWN_NAME_MAX, RULE_PAIRS_MAX},
};

/// Names that stand for something already.
const TAKEN: [&str; 26] = [
    "i", "j", "dx", "dy", "r", "r2", "x", "y", "vx", "vy", "radius", "id", "species", "dt", "time",
    "step", "width", "height", "pi", "wall", "wall_x", "wall_y", "let", "faction", "health",
    "none",
];

/// Why a column, a number, a matrix, a table or a value can't have that name.
pub(crate) fn name_fault(name: &str) -> Option<&'static str> {
    meaning_fault(name).or_else(|| word_fault(name))
}

/// Why a species can't have that name: one that is no word has no meaning in formulas.
pub(crate) fn meaning_fault(name: &str) -> Option<&'static str> {
    (is_function(name) || TAKEN.contains(&name)).then_some("it has a meaning already")
}

/// Why a sum or a pair can't have that name.
pub(super) fn word_fault(name: &str) -> Option<&'static str> {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let begins = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    if is_function(name) {
        return Some("it is a function");
    }
    let is_word = letters && begins && name.len() <= OWN_NAME_MAX;
    (!is_word).then_some(
        "a name has letters, digits and `_`, at most 32, and does not begin with a digit",
    )
}

impl Formulas {
    /// Names that can't be, and lists that are too long.
    pub(super) fn name_faults(&self) -> Vec<FormulaError> {
        let fault = |message: String| FormulaError::new(0, message);
        let mut faults = Vec::new();
        let values = (self.columns.iter())
            .chain(self.params.iter().map(|(name, _)| name))
            .chain(self.matrices.iter().map(|(name, _)| name))
            .chain(self.tables.iter().map(|(name, _)| name));
        for name in values {
            if let Some(why) = name_fault(name) {
                faults.push(fault(format!("`{name}` can't be a name: {why}")));
            }
        }
        for name in &self.species {
            if let Some(why) = meaning_fault(name) {
                faults.push(fault(format!("`{name}` can't be a species: {why}")));
            }
        }
        for (name, formula) in self.pairs.iter().filter_map(|pair| pair.pick.as_ref()) {
            if let Some(why) = name_fault(name) {
                let message = format!("`{name}` can't be a name: {why}");
                faults.push(FormulaError::new(formula.at, message));
            }
        }
        for (name, points) in &self.tables {
            let ascending = points.windows(2).all(|pair| pair[0][0] < pair[1][0]);
            let finite = points.as_flattened().iter().all(|number| number.is_finite());
            if !(1..=POINTS_MAX).contains(&points.len()) || !ascending || !finite {
                let expected = format!("1 to {POINTS_MAX} points `[x, y]` with ascending x");
                faults.push(fault(format!(
                    "the table `{name}` is out of range: expected {expected}"
                )));
            }
        }
        for (index, agents) in self.agents.iter().enumerate() {
            let known = self.species.len();
            let becomes = agents.becomes.iter().map(|(species, _)| *species);
            let born = agents.births.iter().map(|birth| birth.species);
            for species in agents.species.into_iter().chain(becomes).chain(born) {
                if usize::from(species) >= known {
                    let message = format!("there is no species {species}: there are {known}");
                    faults.push(fault(message));
                }
            }
            if agents.births.len() > BIRTHS_MAX {
                let found = agents.births.len();
                let message =
                    format!("there are {found} kinds of births: expected at most {BIRTHS_MAX}");
                faults.push(fault(message));
            }
            if self.agents[..index].iter().any(|other| other.species == agents.species) {
                faults.push(fault("agents of one kind have formulas twice".to_owned()));
            }
        }
        for (what, found, most) in [
            ("species", self.species.len(), SpeciesMatrix::SPECIES),
            ("own columns", self.columns.len(), OWN_COLUMNS_MAX),
            ("pairs", self.pairs.len(), RULE_PAIRS_MAX),
            ("matrices", self.matrices.len(), 256),
            ("tables", self.tables.len(), 256),
        ] {
            if found > most {
                faults.push(fault(format!("there are {found} {what}: expected at most {most}")));
            }
        }
        faults
    }

    /// Checks that no name stands for two things in one formula: it would have no meaning. Sums of
    /// several pairs may have one name, since that of the pair tells them apart.
    pub(super) fn check_twice(&self) -> Result<(), Vec<FormulaError>> {
        let mut faults = Vec::new();
        let mut add = |all: &mut Vec<NameUse>, more: NameUse, known: &[&[NameUse]]| {
            let other =
                known.iter().copied().flatten().chain(&*all).find(|of| of.name == more.name);
            match other {
                Some(other) => faults.push(FormulaError::of_two([other, &more])),
                None => all.push(more),
            }
        };
        let of =
            |kind: NameKind, name: &str, at: usize| NameUse { name: name.to_owned(), kind, at };
        let formula =
            |kind: NameKind, (name, formula): &(String, Formula)| of(kind, name, formula.at);
        // What pairs and agents know.
        let mut all = Vec::new();
        let species = self.species.iter().map(|name| (NameKind::Species, name));
        let params = self.params.iter().map(|(name, _)| (NameKind::Param, name));
        let matrices = self.matrices.iter().map(|(name, _)| (NameKind::Matrix, name));
        let tables = self.tables.iter().map(|(name, _)| (NameKind::Table, name));
        for (kind, name) in species.chain(params).chain(matrices).chain(tables) {
            add(&mut all, of(kind, name, 0), &[]);
        }
        // What agents know beside it, and pairs behind `i.` and `j.`.
        let mut own = Vec::new();
        for name in &self.columns {
            add(&mut own, of(NameKind::Column, name, 0), &[&all]);
        }
        for pick in self.pairs.iter().filter_map(|pair| pair.pick.as_ref()) {
            add(&mut own, formula(NameKind::Pick, pick), &[&all]);
        }
        let mut sums = Vec::new();
        for pair in &self.pairs {
            let mut of_pair = Vec::new();
            for sum in &pair.sums {
                add(&mut of_pair, formula(NameKind::Sum, sum), &[&all, &own]);
            }
            sums.extend(of_pair);
            let mut lets = Vec::new();
            for value in &pair.lets {
                add(&mut lets, formula(NameKind::Let, value), &[&all]);
            }
        }
        for agents in &self.agents {
            let mut lets = Vec::new();
            for value in &agents.lets {
                add(&mut lets, formula(NameKind::Let, value), &[&all, &own, &sums]);
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Says of unknown names in the formulas of a pair that they are sums, or what a pair picks.
    pub(super) fn explain_unknown(&self, number: usize, faults: &mut [FormulaError]) {
        for fault in faults {
            let Some((word, _)) = &fault.unknown else { continue };
            let side = word.strip_prefix("i.").or_else(|| word.strip_prefix("j."));
            let name = side.unwrap_or(word);
            let is_sum = |pair: &PairFormulas| {
                let own = word.strip_prefix(&pair.name).and_then(|rest| rest.strip_prefix('.'));
                pair.sums.iter().any(|(sum, _)| sum == name || own == Some(sum))
            };
            if self.pairs.iter().any(is_sum) {
                fault.message = format!(
                    "`{word}` is a sum, which is known once all neighbors are added up: read it in [agent]"
                );
                fault.unknown = None;
                continue;
            }
            let picks = |pair: &PairFormulas| pair.pick.as_ref().is_some_and(|(of, _)| of == name);
            let Some(by) = self.pairs.iter().position(picks) else { continue };
            let remedy = match by.cmp(&number) {
                Ordering::Less => format!("write `i.{name}` or `j.{name}`"),
                Ordering::Equal => "read it in a pair below this one".to_owned(),
                Ordering::Greater => "move that pair above this one".to_owned(),
            };
            fault.message =
                format!("`{name}` is picked by the pair `{}`; {remedy}", self.pairs[by].name);
            fault.unknown = None;
        }
    }
}
