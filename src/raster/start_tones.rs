//! The tones of the positions that agents started from, by id, for the color mode that shows mixing.
//!
//! ```text
//!  first  [ 17 | 114 | 17 …             one tone per id, for the agents of the first call: ids from 0
//!  later  [ 512: 3 | 513: 9 | 600: 4 …  id and tone of agents that came later and still exist, by id
//! ```
//!
//! No id is used twice, so ids grow for as long as agents come and go. The memory does not.

use crate::raster::{color_table::start_tone, view::View};

/// The start tones of the agents that were seen.
#[derive(Debug, Default)]
pub(crate) struct StartTones {
    first: Vec<u8>,
    later: Vec<(u32, u8)>,
}

impl StartTones {
    /// Adds the agents that are new, and drops agents of later calls that no longer exist.
    pub(crate) fn record(&mut self, view: &View<'_>) {
        let agents = view.agents;
        let tone = |slot: usize| {
            let agent = agents.get(slot);
            start_tone(agent.position, agent.id, &view.world)
        };
        let ids = || agents.id.iter().copied().enumerate();
        if self.first.is_empty() {
            self.first = vec![0; agents.len()];
            for (slot, id) in ids() {
                if let Some(first) = self.first.get_mut(id as usize) {
                    *first = tone(slot);
                }
            }
        }
        let added_later = ids().filter(|&(_, id)| id as usize >= self.first.len());
        let mut later: Vec<_> = added_later
            .map(|(slot, id)| (id, self.find(id).unwrap_or_else(|| tone(slot))))
            .collect();
        later.sort_unstable_by_key(|&(id, _)| id);
        later.dedup_by_key(|&mut (id, _)| id);
        self.later = later;
    }

    /// The tone of an agent; 0 if no call has seen it.
    #[inline(always)]
    pub(crate) fn tone(&self, id: u32) -> u32 {
        let tone = self.first.get(id as usize).copied();
        u32::from(tone.or_else(|| self.find(id)).unwrap_or(0))
    }

    /// The tone of an agent that came later.
    fn find(&self, id: u32) -> Option<u8> {
        let (&(least, _), &(most, _)) = self.later.first().zip(self.later.last())?;
        let last = self.later.len() - 1;
        // Ids are consecutive except for gaps, which narrows the search to as many entries as ids are
        // missing.
        let low = last.saturating_sub(most.checked_sub(id)? as usize);
        let high = last.min(id.checked_sub(least)? as usize);
        let near = &self.later[low..=high];
        near.binary_search_by_key(&id, |&(id, _)| id).ok().map(|at| near[at].1)
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.first.capacity() + self.later.capacity() * size_of::<(u32, u8)>()
    }
}
