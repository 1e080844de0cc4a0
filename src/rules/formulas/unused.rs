//! What a world has and no formula reads.

use std::collections::HashSet;

use super::{AgentFormulas, BirthFormulas, Formula, Formulas, PairFormulas, names::meaning_fault};
use crate::formula::words;

/// The names in some formulas.
fn words_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> HashSet<String> {
    texts.into_iter().flat_map(words).collect()
}

fn named(all: &[(String, Formula)]) -> impl Iterator<Item = &Formula> {
    all.iter().map(|(_, formula)| formula)
}

fn texts_of(pair: &PairFormulas) -> impl Iterator<Item = &str> {
    let PairFormulas { lets, sums, pick, .. } = pair;
    let pick = pick.iter().map(|(_, formula)| formula);
    named(lets).chain(named(sums)).chain(pick).map(|formula| formula.text.as_str())
}

fn texts_of_agents(agents: &AgentFormulas) -> impl Iterator<Item = &str> {
    let AgentFormulas { lets, velocity, acceleration, drag, speed_max, .. } = agents;
    let AgentFormulas { set, becomes, dies, births, .. } = agents;
    let of_births = births.iter().flat_map(|birth| {
        let BirthFormulas { number, at, velocity, set, .. } = birth;
        [at, velocity].into_iter().flatten().flatten().chain(named(set)).chain([number])
    });
    let vectors = [velocity, acceleration].into_iter().flatten().flatten();
    let single = [drag, speed_max, dies].into_iter().flatten();
    let becomes = becomes.iter().map(|(_, formula)| formula);
    let all = named(lets).chain(vectors).chain(single).chain(named(set)).chain(becomes);
    all.chain(of_births).map(|formula| formula.text.as_str())
}

impl Formulas {
    /// What no formula reads, as sentences. `beside` are the texts of other formulas, and `filled` the
    /// columns that have values from elsewhere.
    pub(crate) fn unused(&self, beside: &[&str], filled: &[usize]) -> Vec<String> {
        let of_pairs = words_of(self.pairs.iter().flat_map(texts_of));
        let of_agents = self.agents.iter().flat_map(texts_of_agents);
        let of_agents = words_of(of_agents.chain(beside.iter().copied()));
        let is_read = |name: &str| of_pairs.contains(name) || of_agents.contains(name);
        let is_read_of =
            |name: &str| ["i", "j"].iter().any(|side| of_pairs.contains(&format!("{side}.{name}")));
        let unread = |what: &str, name: &str| {
            format!("the {what} `{name}` is read by no formula; remove it, or use it")
        };
        let mut unused = Vec::new();
        for (column, name) in self.columns.iter().enumerate() {
            let births = self.agents.iter().flat_map(|agents| &agents.births);
            let sets = self.agents.iter().map(|agents| &agents.set);
            let mut set = sets.chain(births.map(|birth| &birth.set)).flatten();
            let is_set = set.any(|(other, _)| other == name) || filled.contains(&column);
            if !is_set && !of_agents.contains(name) && !is_read_of(name) {
                unused.push(format!(
                    "the column `{name}` is neither set nor read; remove it, or use it"
                ));
            }
        }
        let params = self.params.iter().map(|(name, _)| ("param", name));
        let matrices = self.matrices.iter().map(|(name, _)| ("matrix", name));
        let tables = self.tables.iter().map(|(name, _)| ("table", name));
        let all = params.chain(matrices).chain(tables).filter(|(_, name)| !is_read(name));
        unused.extend(all.map(|(what, name)| unread(what, name)));
        for pair in &self.pairs {
            let of_pair = words_of(texts_of(pair));
            let lets = pair.lets.iter().map(|(name, _)| name);
            unused.extend(
                lets.filter(|name| !of_pair.contains(*name)).map(|name| unread("`let`", name)),
            );
            // Where another one has its name, the name of the pair is before it.
            let is_alone = |name: &str| {
                let sums = self.pairs.iter().flat_map(|pair| &pair.sums);
                meaning_fault(name).is_none() && sums.filter(|(sum, _)| sum == name).count() == 1
            };
            let is_sum_read = |name: &String| {
                let longer = format!("{}.{name}", pair.name);
                of_agents.contains(&longer) || (is_alone(name) && of_agents.contains(name))
            };
            let sums: Vec<&String> =
                pair.sums.iter().map(|(name, _)| name).filter(|name| !is_sum_read(name)).collect();
            let picks = pair.pick.iter().map(|(name, _)| name);
            let picks: Vec<&String> =
                picks.filter(|name| !of_agents.contains(*name) && !is_read_of(name)).collect();
            if sums.len() + picks.len() == pair.sums.len() + usize::from(pair.pick.is_some()) {
                unused.push(unread("pair", &pair.name));
                continue;
            }
            let parts = sums.into_iter().chain(picks);
            unused
                .extend(parts.map(|name| unread("sum or pick", &format!("{}.{name}", pair.name))));
        }
        let lets = self.agents.iter().flat_map(|agents| &agents.lets).map(|(name, _)| name);
        unused.extend(
            lets.filter(|name| !of_agents.contains(*name)).map(|name| unread("`let`", name)),
        );
        unused
    }
}
