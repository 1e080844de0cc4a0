//! Impulses of pairs of ids, which agents have on any rank and in any slot, and the slots of ids.

use super::coulomb::Rub;
use crate::contacts::Pair;

/// The impulses of a pair of ids, the lower first; `turned` if the one with the higher id has the lower
/// slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImpulseOfIds {
    ids: Pair,
    turned: bool,
    impulses: (f32, Rub),
}

impl ImpulseOfIds {
    /// Words of a message.
    pub(crate) const WORDS: usize = 5;

    /// Given the ids in the order of the slots.
    pub(crate) fn new([i, j]: Pair, impulses: (f32, Rub)) -> Self {
        Self { ids: [i.min(j), i.max(j)], turned: i > j, impulses }
    }

    /// The impulses as they are for the ids in the order of the slots now.
    pub(super) fn seen_from(&self, [i, j]: Pair) -> (f32, Rub) {
        let (impulse, [tangent, roll]) = self.impulses;
        // A slide is the same from whichever of the two it is seen, and rolling the opposite.
        (impulse, [tangent, if self.turned == (i > j) { roll } else { -roll }])
    }

    pub(crate) fn words(&self) -> [u32; Self::WORDS] {
        let Self { ids: [i, j], turned, impulses: (impulse, [tangent, roll]) } = *self;
        let [i, j] = if turned { [j, i] } else { [i, j] };
        [i, j, impulse.to_bits(), tangent.to_bits(), roll.to_bits()]
    }

    pub(crate) fn from_words(words: &[u32]) -> Self {
        let number = |at: usize| f32::from_bits(words[at]);
        Self::new([words[0], words[1]], (number(2), [number(3), number(4)]))
    }

    /// What the list is sorted by.
    pub(super) fn ids(&self) -> Pair {
        self.ids
    }

    /// The impulses of a pair of ids in the order of the slots now, if they are in a sorted list.
    pub(super) fn find(sorted: &[Self], [i, j]: Pair) -> Option<(f32, Rub)> {
        let key = [i.min(j), i.max(j)];
        let found = sorted.binary_search_by_key(&key, Self::ids).ok()?;
        Some(sorted[found].seen_from([i, j]))
    }

    /// True if the pair is in a sorted list.
    pub(super) fn is_among(&self, sorted: &[Self]) -> bool {
        sorted.binary_search_by_key(&self.ids, Self::ids).is_ok()
    }

    /// The pair of slots with its impulses, if both agents are here.
    pub(super) fn at(&self, slot_of: impl Fn(u32) -> Option<u32>) -> Option<(Pair, (f32, Rub))> {
        let [one, other] = self.ids;
        let slots = [slot_of(one)?, slot_of(other)?];
        if slots[0] < slots[1] {
            Some((slots, self.seen_from([one, other])))
        } else {
            Some(([slots[1], slots[0]], self.seen_from([other, one])))
        }
    }
}

/// Slots by what identifies agents: their ids, or the slots that they had.
pub(super) struct SlotsOfIds(Vec<(u32, u32)>);

impl SlotsOfIds {
    /// Of these ids, each with its slot.
    pub(super) fn new(ids: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut slots: Vec<_> = ids.collect();
        slots.sort_unstable();
        Self(slots)
    }

    /// Of these ids in the order of the slots.
    pub(super) fn of(ids: &[u32]) -> Self {
        Self::new(ids.iter().copied().zip(0..))
    }

    pub(super) fn get(&self, id: u32) -> Option<u32> {
        let found = self.0.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(self.0[found].1)
    }
}
