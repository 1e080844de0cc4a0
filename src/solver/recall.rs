//! What ranks of a cluster take out of the memory of impulses, and put into it.

use std::ops::Range;

use super::{
    coulomb::Rub,
    memory::{Memory, OutlierEntry},
};
use crate::{contacts::Pair, error::Result};

impl Memory {
    /// Calls `visit` with the near pairs of some slots and all pairs with outliers, and their impulses.
    pub(super) fn visit_all(&self, slots: Range<usize>, mut visit: impl FnMut(Pair, (f32, Rub))) {
        self.visit_near(slots, &mut visit);
        self.visit_far(visit);
    }

    /// Remembers these pairs and no others; a pair that comes twice has the same impulses each time. All
    /// agents were here before.
    pub(super) fn replace(
        &mut self,
        pairs: impl Iterator<Item = OutlierEntry>,
        agents: usize,
    ) -> Result<()> {
        self.clear(agents);
        self.origin.clear();
        self.origin.extend(0..agents as u32);
        self.remember_outliers(pairs)?;
        self.outliers.dedup_by_key(|(pair, _)| *pair);
        Ok(())
    }

    /// Remembers the near pairs of a band, with this first entry.
    pub(super) fn set_band(&mut self, slots: &Range<usize>, first: usize, pairs: &[OutlierEntry]) {
        let view = self.view(slots.end);
        let (_, view) = view.split(slots.start, first);
        view.remember(slots, first, pairs.iter().copied());
    }
}
