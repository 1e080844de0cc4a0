//! The slots of agents by their ids, for callers that know agents by id.
//!
//! The table is built when a slot is first asked for, and dropped by the next sort. A run that never
//! asks pays nothing.
//!
//! ```text
//! entry      0   1   2   3   4   …      at least two per agent, their number a power of two
//! table    [ 7 | ∅ | 2 | 9 | ∅ | …      an id has a first entry; its slot is there or in one of the
//! ids                9: 41              entries behind it, before the next that is empty
//! ```

use std::sync::OnceLock;

use crate::{agents::Agents, alloc, error::Result};

/// An entry without a slot.
const EMPTY: u32 = u32::MAX;

/// A hash table of slots.
#[derive(Debug, Default)]
pub(super) struct SlotTable(OnceLock<Vec<u32>>);

impl SlotTable {
    /// The slot of an id among the ids of all slots. The ids equal the ids of the last call since
    /// [`Self::clear`]. The first call takes time in proportion to their number, the others don't.
    ///
    /// # Panics
    /// If there is not enough memory.
    pub(super) fn find(&self, ids: &[u32], id: u32) -> Option<usize> {
        alloc::demanded(self.build(ids));
        let table = self.0.get().map_or(&[][..], Vec::as_slice);
        let slots = entries(table.len(), id).map(|entry| table[entry]);
        let mut slots = slots.take_while(|&slot| slot != EMPTY).map(|slot| slot as usize);
        slots.find(|&slot| id != Agents::GONE && ids.get(slot) == Some(&id))
    }

    /// Builds the table, unless it is there.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn build(&self, ids: &[u32]) -> Result<()> {
        if self.0.get().is_none() {
            // Another thread may have been faster, with the same table.
            let _ = self.0.set(table(ids)?);
        }
        Ok(())
    }

    /// Forgets the slots, because agents are in other slots now.
    pub(super) fn clear(&mut self) {
        self.0.take();
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.0.get().map_or(0, |table| table.capacity() * size_of::<u32>())
    }
}

fn table(ids: &[u32]) -> Result<Vec<u32>> {
    let length = (2 * ids.len()).next_power_of_two().max(2);
    let mut table = alloc::filled(length, EMPTY, "the slots by id")?;
    for (slot, &id) in (0..).zip(ids) {
        let free = entries(length, id).find(|&entry| table[entry] == EMPTY);
        table[free.expect("half of the entries are empty")] = slot;
    }
    Ok(table)
}

/// The entries in which the slot of an id may be, the first one first. Consecutive ids, such as the
/// ids of a start, get different ones.
fn entries(length: usize, id: u32) -> impl Iterator<Item = usize> {
    let first = id.wrapping_mul(0x9e37_79b9) >> (32 - length.trailing_zeros());
    (0..length).map(move |next| (first as usize + next) & (length - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn every_id_has_its_slot_and_no_other_has_one() {
        let mut rng = Rng::new(1);
        for count in [0, 1, 2, 3, 1_000] {
            let mut ids: Vec<u32> = (0..count).map(|_| rng.below(u32::MAX)).collect();
            ids.extend((0..count).map(|index| 1_000_000 + index));
            ids.sort_unstable();
            ids.dedup();
            let table = SlotTable::default();
            for (slot, &id) in ids.iter().enumerate() {
                assert_eq!(table.find(&ids, id), Some(slot));
            }
            for id in [0, 999_999, 1_000_000 + count, Agents::GONE] {
                assert_eq!(table.find(&ids, id), None, "{id} of {count}");
            }
        }
    }

    #[test]
    fn cleared_tables_find_the_new_slots() {
        let mut table = SlotTable::default();
        assert_eq!(table.find(&[3, 4], 4), Some(1));
        assert!(table.memory() > 0);
        table.clear();
        assert_eq!((table.memory(), table.find(&[4, 3], 4)), (0, Some(0)));
        assert_eq!(table.find(&[Agents::GONE, 3], 4), None);
    }
}
