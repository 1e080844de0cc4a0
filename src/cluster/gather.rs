//! Gathers a run: all agents come to rank 0, in the order of one process.

use super::{
    Link, Rank,
    link::{number_of, words_of},
    words::{agent_words, push_agent, push_words},
};
use crate::{
    alloc,
    error::Result,
    rules::{ActiveRules, RuleCounts},
    sim::{RunState, Sim},
};

/// Agents per message, so that no rank needs memory for a copy of all its own.
const PIECE: usize = 1 << 16;

impl<L: Link> Rank<L> {
    /// The whole run, for rank 0, at its current step: bit for bit the run of one process. `None` for the
    /// other ranks. All must call it. Ranks that are threads of one process share the formulas of their rules, so that
    /// what each formula could not write is then counted several times.
    ///
    /// # Errors
    /// If there is not enough memory; rank 0 then has received all agents, so that the others go on.
    ///
    /// # Panics
    /// If another rank has ended.
    pub fn gather(&mut self) -> Result<Option<Sim>> {
        let solver_words = self.solver_words();
        let Self { link, state, own, grid, regrid, rules, all, simd, .. } = self;
        let counts = link.all_gather(&[*own as u32]);
        let counted = rules.as_deref().map(ActiveRules::counts).unwrap_or_default();
        let [unwritten, refused] =
            [counted.unwritten, counted.refused].map(|count| link.sum(count));
        // Formulas count within a process, and rank 0 knows its own counts.
        let formulas = rules.as_deref().map(ActiveRules::unwritten_formulas).unwrap_or_default();
        let words = formulas.iter().flat_map(|&(at, count)| {
            let [low, high] = words_of(count);
            [at as u32, low, high]
        });
        let formulas = link.all_gather(&words.collect::<Vec<_>>());
        // The words of an agent, and its home cell.
        let length = agent_words(&state.agents) + 1;
        if link.rank() > 0 {
            for first in (0..*own).step_by(PIECE) {
                let mut words = Vec::with_capacity(PIECE * length);
                for slot in first..(first + PIECE).min(*own) {
                    push_words(&mut words, &state.agents, slot);
                    words.push(grid.homes()[slot]);
                }
                link.exchange(&[(0, &words)], &[]);
            }
            link.exchange(&[(0, &solver_words)], &[]);
            return Ok(None);
        }
        let mut room = state.agents.none_alike();
        let claimed = room.reserve(*all).and_then(|()| alloc::with_capacity(*all, "all agents"));
        let mut whole = claimed.map(|homes| (room, homes));
        if let Ok((agents, homes)) = &mut whole {
            agents.splice(0..0, (&state.agents, 0..*own));
            homes.extend_from_slice(&grid.homes()[..*own]);
        }
        let mut of_solvers = vec![(solver_words, counts[0][0])];
        for (from, count) in counts.iter().enumerate().skip(1) {
            for _ in (0..count[0]).step_by(PIECE) {
                let received = link.exchange(&[], &[from]);
                let Ok((agents, homes)) = &mut whole else { continue };
                for words in received[0].chunks_exact(length) {
                    push_agent(agents, words);
                    homes.push(words[length - 1]);
                }
            }
            of_solvers.extend(link.exchange(&[], &[from]).pop().map(|words| (words, count[0])));
        }
        let (agents, homes) = whole?;
        let RunState { setup, statics, .. } = &*state;
        let whole = RunState {
            setup: setup.clone(),
            agents,
            statics: statics.try_clone()?,
            due: regrid.due(),
            ..*state
        };
        let mut sim = Sim::from_state(whole, *grid.config(), &homes)?;
        sim.set_simd(*simd);
        if let Some(rules) = &self.rules {
            sim.set_rules(rules.rules().clone())?;
            let others = formulas.iter().skip(1).flat_map(|words| words.chunks_exact(3));
            let others = others.map(|words| (words[0] as usize, number_of(&words[1..])));
            let former = counted.former.into_iter().chain(others).collect();
            sim.set_counts(RuleCounts { unwritten, refused, former });
        }
        // Rules wake what sleeps.
        self.give_solver(&mut sim, &of_solvers)?;
        Ok(Some(sim))
    }
}
