//! Start tones in a snapshot, so that agents keep their colors in a run that is opened.

use super::{renderer::Renderer, tones::SlotTones};
use crate::{
    error::Result,
    snapshot::{Snapshot, Writer, require},
};

/// Sections: the tones by id, and ids and tones of the agents that came later.
const FIRST: &str = "view.first";
const LATER_IDS: &str = "view.later_ids";
const LATER: &str = "view.later";

impl Renderer {
    /// Adds the start tones that [`Self::record_starts`] has recorded to a snapshot.
    pub(crate) fn save_starts(&self, to: &mut Writer) -> Result<()> {
        let SlotTones { first, later, .. } = &self.tones;
        to.array(FIRST, first)?;
        to.values(LATER_IDS, later.iter().map(|&(id, _)| id))?;
        to.values(LATER, later.iter().map(|&(_, tone)| tone))
    }

    /// Replaces the recorded start tones by the start tones of a snapshot, if it has any.
    ///
    /// # Errors
    /// If the snapshot has only a part of them, or there is not enough memory.
    pub(crate) fn load_starts(&mut self, from: &Snapshot) -> Result<()> {
        if !from.has(FIRST) {
            return Ok(());
        }
        let (first, ids) = (from.list(FIRST)?, from.list(LATER_IDS)?);
        let tones = from.array(LATER, ids.len(), 0)?;
        // They are searched by bisection.
        require(ids.is_sorted(), LATER_IDS, "is not in the order of the ids")?;
        self.tones.first = first;
        self.tones.later = ids.into_iter().zip(tones).collect();
        Ok(())
    }
}
