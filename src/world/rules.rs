//! The sections of rules: pairs and agents.

use toml::de::DeValue;

use super::{
    range::RangeMax,
    reader::{Item, Reader, TomlEntry, array},
};
use crate::{
    formula::{NameKind, NameUse, SpeciesMatrix},
    rules::{
        AgentFormulas, BirthFormulas, Formula, Formulas, PairFormulas, WorldMatrix, cell_name,
        name_fault,
    },
};

/// Keys of what agents do. No species may have such a name.
pub(super) const AGENT_KEYS: [&str; 9] =
    ["let", "acceleration", "velocity", "drag", "speed_max", "set", "becomes", "dies", "births"];

const BIRTH_KEYS: [&str; 4] = ["number", "at", "velocity", "set"];

const PAIR_KEYS: [&str; 6] = ["between", "range", "let", "sum", "pick", "picked"];

/// The index of a species.
fn species(formulas: &Formulas, name: &str) -> Option<u8> {
    formulas.species.iter().position(|known| known == name).map(|index| index as u8)
}

fn names(formulas: &Formulas) -> Vec<&str> {
    formulas.species.iter().map(String::as_str).collect()
}

impl Reader<'_> {
    /// The sections `[matrix.NAME]`, with other values for some cells.
    pub(super) fn matrices(
        &mut self,
        item: &Item<'_>,
        formulas: &mut Formulas,
        settings: &[(String, f32)],
    ) -> Vec<WorldMatrix> {
        let set = |name: String| {
            settings.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| *value)
        };
        let mut matrices = Vec::new();
        for entry in self.entries(item, "matrix") {
            self.name(&entry, NameKind::Matrix);
            let count = formulas.species.len();
            let mut rows = vec![vec![0.0; count]; count];
            let mut places = vec![vec![0..0; count]; count];
            let (mut seen, before) = (0, self.count_faults());
            for row in self.entries(entry.value, "a matrix") {
                let Some(of) = species(formulas, row.key) else {
                    let known = names(formulas);
                    self.unknown(&row, "species", &known);
                    continue;
                };
                let what = format!("the row `{}`", row.key);
                let expected = format!("{count} numbers, one for each species");
                let items = array(row.value).filter(|items| items.len() == count);
                if items.is_none() {
                    self.wrong(row.value, &what, &expected);
                }
                for (at, item) in items.unwrap_or_default().iter().enumerate() {
                    let stated = self.number(item, &what).unwrap_or(0.0);
                    let name = cell_name(entry.key, row.key, &formulas.species[at]);
                    let value = set(name).unwrap_or(stated);
                    if !value.is_finite() {
                        self.wrong(item, &what, "finite numbers");
                    }
                    rows[usize::from(of)][at] = value;
                    places[usize::from(of)][at] = item.span();
                }
                seen += 1;
            }
            if seen != count && self.count_faults() == before {
                let message = format!(
                    "the matrix `{}` has {seen} rows: expected {count}, one for each species",
                    entry.key
                );
                self.fault(entry.at, message);
            }
            let matrix = if count <= SpeciesMatrix::SPECIES {
                let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
                SpeciesMatrix::new(&rows)
            } else {
                SpeciesMatrix::new(&[])
            };
            formulas.matrices.push((entry.key.to_owned(), matrix));
            matrices.push(WorldMatrix { name: entry.key.to_owned(), rows, places });
        }
        matrices
    }

    /// The sections `[table.NAME]`.
    pub(super) fn tables(&mut self, item: &Item<'_>, formulas: &mut Formulas) {
        for entry in self.entries(item, "table") {
            self.name(&entry, NameKind::Table);
            let (mut points, before) = (Vec::new(), self.count_faults());
            for part in self.known(entry.value, "a table", &["points"]) {
                for item in array(part.value).unwrap_or_default() {
                    points.extend(self.numbers::<2>(item, "the point", "two numbers [x, y]"));
                }
            }
            let ascending = points.windows(2).all(|pair| pair[0][0] < pair[1][0]);
            let is_sound = (1..=64).contains(&points.len()) && ascending;
            if !is_sound && self.count_faults() == before {
                let message = format!(
                    "the table `{}` needs `points = [[x, y], …]`, 1 to 64 with ascending x",
                    entry.key
                );
                self.fault(entry.at, message);
            }
            if !is_sound {
                points = vec![[0.0; 2]];
            }
            formulas.tables.push((entry.key.to_owned(), points));
        }
    }

    /// Checks the name of a value of that kind, and keeps its place.
    pub(super) fn name(&mut self, entry: &TomlEntry<'_>, kind: NameKind) {
        self.named.push(NameUse { name: entry.key.to_owned(), kind, at: entry.at });
        self.word(entry);
    }

    /// Checks a name of the file.
    pub(super) fn word(&mut self, entry: &TomlEntry<'_>) {
        if let Some(why) = name_fault(entry.key) {
            self.fault(entry.at, format!("`{}` can't be a name: {why}", entry.key));
        }
    }

    /// Named formulas.
    fn named(&mut self, item: &Item<'_>, what: &str) -> Vec<(String, Formula)> {
        let entries = self.entries(item, what);
        entries.iter().filter_map(|entry| self.named_formula(entry)).collect()
    }

    /// The sections `[pair.NAME]`.
    pub(super) fn pairs(&mut self, item: &Item<'_>, formulas: &mut Formulas, most: RangeMax) {
        for entry in self.entries(item, "pair") {
            let (mut pair, before) = (PairFormulas::new(entry.key, 0.0), self.count_faults());
            let (mut pick, mut picked) = (None, None);
            for part in self.known(entry.value, "a pair", &PAIR_KEYS) {
                match part.key {
                    "range" => {
                        if let Some(range) = self.number(part.value, "range") {
                            if !(range > 0.0 && range <= most.value) {
                                self.wrong(part.value, "range", &most.to_string());
                            } else if !(range * range).is_normal() {
                                self.wrong(part.value, "range", "at least 1e-18");
                            }
                            pair.range = range;
                        }
                    }
                    "between" => pair.between = self.between(part.value, formulas),
                    "let" => pair.lets = self.named(part.value, "let"),
                    "sum" => pair.sums = self.named(part.value, "sum"),
                    "pick" => pick = self.formula(part.value, "pick"),
                    "picked" => {
                        picked = self.string(part.value, "picked", "a name in quotes");
                    }
                    _ => {}
                }
            }
            match (pick, picked) {
                (Some(pick), Some(name)) => pair.pick = Some((name.to_owned(), pick)),
                (None, None) => {}
                (pick, _) if self.count_faults() == before => {
                    let [lacks, remedy] = match pick {
                        Some(_) => ["name for what it picks", "picked = \"prey\""],
                        None => ["condition for what it picks", "pick = \"r < 1\""],
                    };
                    let name = entry.key;
                    self.fault(
                        entry.at,
                        format!("the pair `{name}` has no {lacks}; add `{remedy}`"),
                    );
                }
                _ => {}
            }
            let is_sound = self.count_faults() == before;
            if pair.range == 0.0 && is_sound {
                self.fault(
                    entry.at,
                    format!("the pair `{}` has no range; add `range = 5`", entry.key),
                );
            }
            if pair.sums.is_empty() && pair.pick.is_none() && is_sound {
                let message = format!("the pair `{}` has no sums; add `sum.n = \"1\"`", entry.key);
                self.fault(entry.at, message);
            }
            formulas.pairs.push(pair);
        }
    }

    fn between(&mut self, item: &Item<'_>, formulas: &Formulas) -> Option<[u8; 2]> {
        let Some([i, j]) = array(item) else {
            self.wrong(item, "between", "two species [\"i\", \"j\"]");
            return None;
        };
        let [i, j] = [i, j].map(|item| self.species(item, formulas));
        Some([i?, j?])
    }

    /// A species by its name.
    pub(super) fn species(&mut self, item: &Item<'_>, formulas: &Formulas) -> Option<u8> {
        let name = self.string(item, "species", "the name of a species in quotes")?;
        let found = species(formulas, name);
        if found.is_none() {
            let entry = TomlEntry { key: name, at: item.span().start, value: item };
            self.unknown(&entry, "species", &names(formulas));
        }
        found
    }

    /// The section `[agent]`, with those of species in it.
    pub(super) fn agents(&mut self, item: &Item<'_>, formulas: &mut Formulas) {
        let mut general = AgentFormulas::new();
        let mut own = Vec::new();
        let mut known: Vec<&str> = AGENT_KEYS.to_vec();
        let species_names = formulas.species.clone();
        known.extend(species_names.iter().map(String::as_str));
        for entry in self.known(item, "agent", &known) {
            if AGENT_KEYS.contains(&entry.key) {
                self.agent(&entry, &mut general, formulas);
            } else if let Some(of) = species(formulas, entry.key) {
                let mut agents = AgentFormulas { species: Some(of), ..AgentFormulas::new() };
                for part in self.known(entry.value, "agent", &AGENT_KEYS) {
                    self.agent(&part, &mut agents, formulas);
                }
                own.push(agents);
            }
        }
        if general != AgentFormulas::new() {
            own.push(general);
        }
        formulas.agents = own;
    }

    /// The births of a species: a number, or a table with it.
    fn births(&mut self, entry: &TomlEntry<'_>, species: u8) -> Option<BirthFormulas> {
        let TomlEntry { key, at, value } = *entry;
        if !matches!(value.get_ref(), DeValue::Table(_)) {
            return Some(BirthFormulas::new(species, self.formula(value, key)?));
        }
        let mut births = BirthFormulas { species, ..BirthFormulas::default() };
        let mut number = None;
        for part in self.known(value, "births", &BIRTH_KEYS) {
            match part.key {
                "number" => number = Some(self.formula(part.value, part.key)?),
                "at" => births.at = self.formula_pair(part.value, part.key),
                "velocity" => births.velocity = self.formula_pair(part.value, part.key),
                "set" => births.set = self.named(part.value, part.key),
                _ => {}
            }
        }
        if number.is_none() {
            self.fault(at, format!("the births of `{key}` have no number; add `number = \"dt\"`"));
        }
        Some(BirthFormulas { number: number?, ..births })
    }

    /// One key of what agents do.
    fn agent(&mut self, entry: &TomlEntry<'_>, agents: &mut AgentFormulas, formulas: &Formulas) {
        let TomlEntry { key, value, .. } = *entry;
        match key {
            "let" => agents.lets = self.named(value, key),
            "acceleration" => agents.acceleration = self.formula_pair(value, key),
            "velocity" => agents.velocity = self.formula_pair(value, key),
            "drag" => agents.drag = self.formula(value, key),
            "speed_max" => agents.speed_max = self.formula(value, key),
            "set" => agents.set = self.named(value, key),
            "dies" => agents.dies = self.formula(value, key),
            "births" => {
                for part in self.entries(value, key) {
                    match species(formulas, part.key) {
                        Some(of) => agents.births.extend(self.births(&part, of)),
                        None => self.unknown(&part, "species", &names(formulas)),
                    }
                }
            }
            "becomes" => {
                for part in self.entries(value, key) {
                    let formula = self.formula(part.value, part.key);
                    match species(formulas, part.key) {
                        Some(of) => agents.becomes.extend(formula.map(|formula| (of, formula))),
                        None => self.unknown(&part, "species", &names(formulas)),
                    }
                }
            }
            _ => {}
        }
    }
}
