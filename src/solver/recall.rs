//! What ranks of a cluster take out of the memory of impulses, and put into it.

use std::ops::Range;

use super::{
    coulomb::Rub,
    memory::{ImpulseEntry, Memory, OutlierEntry},
};
use crate::error::Result;

impl Memory {
    /// Calls `visit` with the near pairs of some slots and all pairs with outliers, and with all of their
    /// impulses.
    pub(super) fn visit_all(
        &self,
        slots: Range<usize>,
        mut visit: impl FnMut([u32; 2], (f32, Rub)),
    ) {
        self.visit_near(slots, &mut visit);
        self.visit_far(visit);
    }

    /// The same with near pairs alone.
    pub(super) fn visit_near(
        &self,
        slots: Range<usize>,
        mut visit: impl FnMut([u32; 2], (f32, Rub)),
    ) {
        for slot in slots {
            let first = self.first[slot] as usize;
            for entry in first..first + usize::from(self.count[slot]) {
                let ImpulseEntry { upper, impulse } = self.entries[entry];
                let rub = self.rubs.get(entry).copied().unwrap_or_default();
                visit([slot as u32, upper], (impulse, rub));
            }
        }
    }

    /// The same with pairs with outliers alone.
    pub(super) fn visit_far(&self, mut visit: impl FnMut([u32; 2], (f32, Rub))) {
        self.outliers.iter().for_each(|&(pair, impulses)| visit(pair, impulses));
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
