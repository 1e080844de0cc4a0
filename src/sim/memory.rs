//! The memory of a run: what it holds, and what a set-up would take.

use super::Sim;

/// Bytes held, by purpose. If another index finds the contacts, the double grid only sorts the
/// agents, and is counted with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The agents' columns, what sorting them takes, the statics, and the scene's rule.
    pub agents: usize,
    /// The index that finds the contacts.
    pub grid: usize,
    /// The contact list, and what bringing pairs into order takes.
    pub contacts: usize,
}

impl Sim {
    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        let mut bytes = Bytes {
            agents: self.agents.memory()
                + self.regrid.memory()
                + self.statics.memory()
                + self.rule.memory(),
            grid: self.grid.memory(),
            contacts: self.contacts.memory(),
        };
        if let Some([index, discs, order]) = self.finder.memory() {
            bytes.agents += bytes.grid + discs;
            bytes.grid = index;
            bytes.contacts += order;
        }
        bytes
    }
}
