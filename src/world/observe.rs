//! The section `[observe]`: quantities of the whole run.

use toml::de::DeValue;

use super::reader::{Item, Reader, TomlEntry};
use crate::rules::{Formulas, ObservedFold, ObservedFormula};

/// Quantities that a file may state, beside the number of each species.
const OBSERVED_MAX: usize = 16;

const OBSERVE_KEYS: [&str; 3] = ["of", "over", "as"];

impl Reader<'_> {
    /// The quantities of a file: the number of each species, and what it states. `taken` are names
    /// that other quantities have.
    pub(super) fn observed(
        &mut self,
        section: Option<&TomlEntry<'_>>,
        formulas: &Formulas,
        taken: &[&str],
    ) -> Vec<ObservedFormula> {
        let of_species = (0_u8..).zip(&formulas.species).map(|(species, name)| ObservedFormula {
            name: name.clone(),
            formula: None,
            species: Some(species),
            fold: ObservedFold::Count,
        });
        let mut all: Vec<ObservedFormula> = of_species.collect();
        let Some(section) = section else { return all };
        let entries = self.entries(section.value, "observe");
        if entries.len() > OBSERVED_MAX {
            let count = entries.len();
            let message = format!("there are {count} quantities: expected at most {OBSERVED_MAX}");
            self.fault(section.at, message);
        }
        for entry in entries.into_iter().take(OBSERVED_MAX) {
            self.word(&entry);
            if let Some(why) = taken_by(entry.key, formulas, taken) {
                self.fault(entry.at, format!("`{}` can't be observed: {why}", entry.key));
            }
            all.extend(self.quantity(&entry, formulas));
        }
        all
    }

    fn quantity(&mut self, entry: &TomlEntry<'_>, formulas: &Formulas) -> Option<ObservedFormula> {
        let name = entry.key.to_owned();
        let mut quantity =
            ObservedFormula { name, formula: None, species: None, fold: ObservedFold::Mean };
        if !matches!(entry.value.get_ref(), DeValue::Table(_)) {
            quantity.formula = Some(self.formula(entry.value, entry.key)?);
            return Some(quantity);
        }
        for part in self.known(entry.value, entry.key, &OBSERVE_KEYS) {
            match part.key {
                "of" => quantity.formula = Some(self.formula(part.value, "of")?),
                "over" => quantity.species = Some(self.species(part.value, formulas)?),
                _ => quantity.fold = self.fold(part.value)?,
            }
        }
        if quantity.formula.is_none() && quantity.fold != ObservedFold::Count {
            let message = format!("`{}` has no formula; add `of = \"x\"`", entry.key);
            self.fault(entry.at, message);
            return None;
        }
        Some(quantity)
    }

    fn fold(&mut self, item: &Item<'_>) -> Option<ObservedFold> {
        let known = ObservedFold::ALL.map(ObservedFold::name);
        let name = self.choice(item, "value of `as`", &known)?;
        ObservedFold::ALL.into_iter().find(|fold| fold.name() == name)
    }
}

/// Why a quantity can't have that name.
fn taken_by(name: &str, formulas: &Formulas, taken: &[&str]) -> Option<&'static str> {
    if formulas.species.iter().any(|species| species == name) {
        return Some("the number of that species is observed already");
    }
    taken.contains(&name).then_some("each run has a quantity of that name")
}
