//! The candidate windows of a slot, and their packed form; see [`loose`](super::loose).

use std::ops::Range;

/// The candidates of a slot in later slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    /// In the same row, right behind the slot.
    pub(crate) along: Range<usize>,
    /// In the next row.
    pub(crate) below: Range<usize>,
}

impl From<Windows> for [Range<usize>; 2] {
    #[inline(always)]
    fn from(Windows { along, below }: Windows) -> Self {
        [along, below]
    }
}

/// The windows of a slot in one word, if they are short: their lengths, and the distance of the
/// second.
///
/// ```text
/// bit 31      21         10 5     5 0
/// [ more │ distance │ below │ along ]      all ones: too long, computed on demand
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedWindows(pub(crate) u32);

impl PackedWindows {
    /// The number of elements in a window that is searched at once.
    pub(crate) const SHORT: usize = 8;
    const LENGTH: u32 = 5;
    const DISTANCE: u32 = 21;
    const MORE: u32 = 1 << 31;
    pub(super) const LONG: Self = Self(u32::MAX);

    /// Packs the end of the window along the row, and start and end of the window below.
    #[inline(always)]
    pub(super) fn new(slot: u32, along_end: u32, below: [u32; 2]) -> Self {
        let (along, length) = (along_end - slot - 1, below[1] - below[0]);
        // The place of an empty window does not matter.
        let distance = if length == 0 { 0 } else { below[0] - slot };
        let longest = along.max(length);
        let more = if longest > Self::SHORT as u32 { Self::MORE } else { 0 };
        let packed = Self(more | distance << (2 * Self::LENGTH) | length << Self::LENGTH | along);
        let fits = (longest < 1 << Self::LENGTH) & (distance < 1 << Self::DISTANCE);
        if fits { packed } else { Self::LONG }
    }

    /// True if neither window holds more than [`Self::SHORT`] elements.
    #[inline(always)]
    pub(crate) fn is_short(self) -> bool {
        self.0 < Self::MORE
    }

    /// The first slot of the window in the next row.
    #[inline(always)]
    pub(crate) fn below(self, slot: usize) -> usize {
        slot + (self.0 >> (2 * Self::LENGTH) & ((1 << Self::DISTANCE) - 1)) as usize
    }

    /// The windows of a slot; `None` if they are too long for a word.
    #[inline(always)]
    pub(super) fn unpack(self, slot: usize) -> Option<Windows> {
        let below = self.below(slot);
        let mask = (1 << Self::LENGTH) - 1;
        (self != Self::LONG).then(|| Windows {
            along: slot + 1..slot + 1 + (self.0 & mask) as usize,
            below: below..below + (self.0 >> Self::LENGTH & mask) as usize,
        })
    }
}
