//! Where agents started from, by their ids: the tones of the coloring that shows how they mix.
//!
//! ```text
//!  first  [ 17 | 114 | 17 …             a tone an id, for as many as there were at first: theirs count from 0
//!  later  [ 512: 3 | 513: 9 | 600: 4 …  id and tone of those who came later and are still there, by id
//! ```
//!
//! No id is used twice, so they grow for as long as agents come and go. What is remembered doesn't.

use crate::raster::{View, palette::start_tone};

/// The tones of the places that agents started from.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    first: Vec<u8>,
    later: Vec<(u32, u8)>,
}

impl Starts {
    /// Takes in whoever is new, and leaves out who came later and is gone.
    pub(crate) fn mark(&mut self, picture: &View<'_>) {
        let agents = picture.agents;
        let tone = |slot: usize| {
            let agent = agents.get(slot);
            start_tone(agent.position, agent.id, &picture.world)
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
        let came_later = ids().filter(|&(_, id)| id as usize >= self.first.len());
        let mut later: Vec<_> = came_later
            .map(|(slot, id)| (id, self.find(id).unwrap_or_else(|| tone(slot))))
            .collect();
        later.sort_unstable_by_key(|&(id, _)| id);
        later.dedup_by_key(|&mut (id, _)| id);
        self.later = later;
    }

    /// The tone of an agent; the first for one that nobody marked.
    #[inline(always)]
    pub(crate) fn tone(&self, id: u32) -> u32 {
        let tone = self.first.get(id as usize).copied();
        u32::from(tone.or_else(|| self.find(id)).unwrap_or(0))
    }

    /// The tone of one that came later.
    fn find(&self, id: u32) -> Option<u8> {
        let (&(least, _), &(most, _)) = self.later.first().zip(self.later.last())?;
        let last = self.later.len() - 1;
        // Ids come in a row, in which some are missing: what is left to search is as wide as they are many.
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
