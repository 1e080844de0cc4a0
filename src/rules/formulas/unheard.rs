//! What formulas of a species read and never get, since another species feels it.

use super::{AgentFormulas, Formulas, columns::AgentInput};

impl Formulas {
    /// What agents of one species read that is always 0 for them, as sentences.
    pub(crate) fn unheard(&self) -> Vec<String> {
        let general = self.agents.iter().find(|agents| agents.species.is_none());
        let own = self.agents.iter().filter_map(|own| Some((own.species?, own)));
        own.flat_map(|(species, own)| self.unheard_by(species, general, own)).collect()
    }

    fn unheard_by(
        &self,
        species: u8,
        general: Option<&AgentFormulas>,
        own: &AgentFormulas,
    ) -> Vec<String> {
        let reads = |own| {
            let program = self.program(1 << species, general, own);
            program.map(|program| program.inputs).unwrap_or_default()
        };
        // What is there for all species may read what some of them get.
        let of_all = reads(None);
        let unheard = |input: AgentInput| {
            let (pair, name) = match input {
                AgentInput::Sum { pair, sum } => (pair, &self.pairs[pair].sums.get(sum)?.0),
                AgentInput::Picked(pair) => (pair, &self.pairs[pair].pick.as_ref()?.0),
                _ => return None,
            };
            let feels = self.pairs[pair].between?[0];
            let [reader, feels_name] =
                [species, feels].map(|species| self.species.get(usize::from(species)));
            let (pair, reader, feels_name) = (&self.pairs[pair].name, reader?, feels_name?);
            (feels != species && !of_all.contains(&input)).then(|| {
                format!(
                    "[agent.{reader}] reads `{name}` of [pair.{pair}], which only {feels_name} feels: it is \
                     always 0 for {reader}; turn `between` round, or leave it out"
                )
            })
        };
        reads(Some(own)).into_iter().filter_map(unheard).collect()
    }
}
