//! Gathers a run: all agents come to rank 0, in the order of one process.

use super::{
    Link, Rank,
    border::{AGENT_WORDS, agent_of, push_agent},
};
use crate::{
    agents::Agents,
    alloc,
    error::Result,
    sim::{RunState, Sim},
};

/// Words of an agent with the home cell.
const HOMED_WORDS: usize = AGENT_WORDS + 1;

/// Agents per message, so that no rank needs memory for a copy of all its own.
const PIECE: usize = 1 << 16;

impl<L: Link> Rank<L> {
    /// The whole run, for rank 0, at its current step: bit for bit the run of one process. `None` for the
    /// other ranks. All must call it.
    ///
    /// # Errors
    /// If there is not enough memory; rank 0 then has received all agents, so that the others go on.
    ///
    /// # Panics
    /// If another rank has ended.
    pub fn gather(&mut self) -> Result<Option<Sim>> {
        let Self { link, state, own, grid, regrid, all, simd, .. } = self;
        let counts = link.all_gather(&[*own as u32]);
        if link.rank() > 0 {
            for first in (0..*own).step_by(PIECE) {
                let mut words = Vec::with_capacity(PIECE * HOMED_WORDS);
                for slot in first..(first + PIECE).min(*own) {
                    push_agent(&mut words, &state.agents, slot);
                    words.push(grid.homes()[slot]);
                }
                link.exchange(&[(0, &words)], &[]);
            }
            return Ok(None);
        }
        let mut room = Agents::default();
        let claimed = room.reserve(*all).and_then(|()| alloc::with_capacity(*all, "all agents"));
        let mut whole = claimed.map(|homes| (room, homes));
        if let Ok((agents, homes)) = &mut whole {
            (0..*own).for_each(|slot| agents.push(state.agents.get(slot)));
            homes.extend_from_slice(&grid.homes()[..*own]);
        }
        for (from, count) in counts.iter().enumerate().skip(1) {
            for _ in (0..count[0]).step_by(PIECE) {
                let received = link.exchange(&[], &[from]);
                let Ok((agents, homes)) = &mut whole else { continue };
                for words in received[0].chunks_exact(HOMED_WORDS) {
                    agents.push(agent_of(words));
                    homes.push(words[AGENT_WORDS]);
                }
            }
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
        Ok(Some(sim))
    }
}
