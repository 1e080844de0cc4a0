//! The slots of agents by their ids, for callers that know agents by id.
//!
//! The table is built when a slot is first asked for. It follows the sorts of some agents as long as slots
//! are asked for between them, and the next sort of all agents drops it. A run without lookups pays nothing.
//!
//! ```text
//! entry      0      1      2      3     …      at least two per agent, their number a power of two
//! table    [ 41 7 | ∅    | 12 2 | 8 9 | …      an id and its slot are in the first entry of the id, or in
//!                                              one of the entries behind it, before the next empty one
//! ```

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering},
};

use crate::{agents::Agents, alloc, error::Result};

/// An entry without a slot.
const EMPTY: [u32; 2] = [Agents::GONE, u32::MAX];

/// A hash table of ids with their slots.
#[derive(Debug, Default)]
pub(super) struct SlotTable {
    table: OnceLock<Vec<[u32; 2]>>,
    /// True if a slot was asked for since the last update.
    asked: AtomicBool,
}

impl SlotTable {
    /// The slot of an id among the ids of all slots. These equal the ids of the last call since
    /// [`Self::clear`] and the updates since, unless agents are gone. The first call takes time in proportion to their number, the
    /// others don't.
    ///
    /// # Panics
    /// If there is not enough memory.
    pub(super) fn find(&self, ids: &[u32], id: u32) -> Option<usize> {
        alloc::demanded(self.build(ids));
        let table = self.table.get().map_or(&[][..], Vec::as_slice);
        let slot = entry_of(table, id).map(|entry| table[entry][1] as usize);
        // The agent may have been marked as gone since.
        slot.filter(|&slot| ids.get(slot) == Some(&id))
    }

    /// Builds the table, unless it is there.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn build(&self, ids: &[u32]) -> Result<()> {
        self.asked.store(true, Ordering::Relaxed);
        if self.table.get().is_none() {
            // Another thread may have been faster, with the same table.
            let _ = self.table.set(table(ids)?);
        }
        Ok(())
    }

    /// Follows agents that have changed places in some slots.
    pub(super) fn update(&mut self, ids: &[u32], slots: impl Iterator<Item = usize>) {
        if !std::mem::take(self.asked.get_mut()) {
            self.clear();
        }
        let Some(table) = self.table.get_mut() else { return };
        for slot in slots {
            let entry = entry_of(table, ids[slot]).expect("the agents are those of the table");
            table[entry][1] = slot as u32;
        }
    }

    /// Forgets the slots, because agents are in other slots now.
    pub(super) fn clear(&mut self) {
        self.table.take();
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.table.get().map_or(0, |table| table.capacity() * size_of::<[u32; 2]>())
    }
}

fn table(ids: &[u32]) -> Result<Vec<[u32; 2]>> {
    let length = (2 * ids.len()).next_power_of_two().max(2);
    let mut table = alloc::filled(length, EMPTY, "the slots by id")?;
    for (slot, &id) in (0..).zip(ids) {
        let free = entries(length, id).find(|&entry| table[entry] == EMPTY);
        table[free.expect("half of the entries are empty")] = [id, slot];
    }
    Ok(table)
}

/// The entry of an id.
fn entry_of(table: &[[u32; 2]], id: u32) -> Option<usize> {
    let mut entries = entries(table.len(), id).take_while(|&entry| table[entry] != EMPTY);
    entries.find(|&entry| table[entry][0] == id && id != Agents::GONE)
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
    fn updated_tables_find_the_new_slots() {
        let mut table = SlotTable::default();
        let mut ids: Vec<u32> = (0..100).map(|n| 7 * n + 3).collect();
        table.update(&ids, 0..100);
        assert_eq!(table.memory(), 0, "no slot was asked for");
        assert_eq!(table.find(&ids, 73), Some(10));
        ids[10..40].reverse();
        table.update(&ids, 10..40);
        for (slot, &id) in ids.iter().enumerate() {
            assert_eq!(table.find(&ids, id), Some(slot));
        }
        table.update(&ids, 0..1);
        assert!(table.memory() > 0);
        table.update(&ids, 0..1);
        assert_eq!(table.memory(), 0, "no slot was asked for since");
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
