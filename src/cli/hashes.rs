//! `--hash-every`: the state hashes of a run on its way.
//!
//! A hash is taken after every N steps, counted from the beginning of the run and not of the command: a run
//! that goes on from a snapshot has hashes of the same steps as the whole run.

use serde::{Serialize, Serializer};

use super::Outcome;
use crate::{Sim, alloc};

/// Steps, and the hash of the state after each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StateHashes(Vec<(u64, u64)>);

impl StateHashes {
    /// Adds the hash of the state, if it is that of one of every `every` steps.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn take(&mut self, sim: &Sim, every: Option<u64>) -> Outcome<()> {
        if every.is_some_and(|every| sim.steps().is_multiple_of(every)) {
            self.push(sim.steps(), sim.state_hash())?;
        }
        Ok(())
    }

    /// Adds the hash of the state after a step.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn push(&mut self, step: u64, hash: u64) -> Outcome<()> {
        Ok(alloc::push(&mut self.0, (step, hash), "the state hashes of a run")?)
    }

    /// The steps and the hashes as people read them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, String)> {
        self.0.iter().map(|&(step, hash)| (step, format!("{hash:016x}")))
    }

    /// The first step after which the states differ.
    pub(super) fn first_difference(&self, other: &Self) -> Option<u64> {
        let mut both = self.0.iter().zip(&other.0);
        both.find(|(one, other)| one != other).map(|(&(step, _), _)| step)
    }
}

impl Serialize for StateHashes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}
