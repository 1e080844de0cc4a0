//! What the ranks of a cluster tell each other while contacts are solved.

use std::ops::Range;

use super::late::{BodyPart, LateContacts, NumberColumn};

/// The other ranks. All ranks make the same calls in the same order.
pub(crate) trait ContactRanks {
    /// The bands of this rank; `None` if the run is that of one process. The first row of the band behind
    /// them is known here, too.
    fn own_bands(&self) -> Option<Range<usize>>;

    /// The number of agents of lower ranks.
    fn first_slot(&self) -> u32;

    /// The words of all ranks, in the order of the ranks.
    fn all_gather(&mut self, words: &[u32]) -> Vec<Vec<u32>>;

    /// Called before the bands of a parity change these columns; idle ones change nothing.
    fn before(
        &mut self,
        parity: usize,
        is_idle: impl Fn(usize) -> bool,
        columns: [NumberColumn<'_>; 2],
    );

    /// Called after the bands of a parity have changed these columns, to take over what other ranks have
    /// changed in the rows of the borders.
    fn after(
        &mut self,
        parity: usize,
        is_idle: impl Fn(usize) -> bool,
        columns: [NumberColumn<'_>; 2],
    );

    /// Called before pairs are solved with the agents behind the own ones, counted from these on, that pairs,
    /// walls and statics of this rank touch. Other ranks tell of no others until [`Self::settle`].
    fn touch(&mut self, behind: impl FnOnce() -> Vec<u32>);

    /// Called after the last pass, to take over these columns of the agents behind the own ones that nothing
    /// here has touched.
    fn settle(&mut self, is_idle: impl Fn(usize) -> bool, columns: [NumberColumn<'_>; 2]);

    /// The pairs with an outlier, which come back by [`Self::put_late`].
    fn take_late(&mut self) -> Option<Box<LateContacts>>;

    fn put_late(&mut self, late: Box<LateContacts>);

    /// True if any rank has blocks of pairs with outliers.
    fn has_late(&self) -> bool;

    /// Calls `work` with the tied pairs and these columns of their bodies, as all ranks do, and takes over what
    /// has changed. Returns what `work` has counted, on one of the ranks.
    fn with_tied(
        &mut self,
        part: BodyPart,
        columns: [NumberColumn<'_>; 2],
        work: impl FnOnce(&mut LateContacts) -> u64,
    ) -> u64;

    /// True if a flag is set on any rank.
    fn any(&mut self, flag: bool) -> bool {
        match self.own_bands() {
            None => flag,
            Some(_) => self.all_gather(&[flag.into()]).concat().contains(&1),
        }
    }
}

/// None: the run is that of one process.
impl ContactRanks for () {
    fn own_bands(&self) -> Option<Range<usize>> {
        None
    }

    fn first_slot(&self) -> u32 {
        0
    }

    fn all_gather(&mut self, _: &[u32]) -> Vec<Vec<u32>> {
        Vec::new()
    }

    #[inline(always)]
    fn before(&mut self, _: usize, _: impl Fn(usize) -> bool, _: [NumberColumn<'_>; 2]) {}

    #[inline(always)]
    fn after(&mut self, _: usize, _: impl Fn(usize) -> bool, _: [NumberColumn<'_>; 2]) {}

    #[inline(always)]
    fn touch(&mut self, _: impl FnOnce() -> Vec<u32>) {}

    #[inline(always)]
    fn settle(&mut self, _: impl Fn(usize) -> bool, _: [NumberColumn<'_>; 2]) {}

    fn take_late(&mut self) -> Option<Box<LateContacts>> {
        None
    }

    fn put_late(&mut self, _: Box<LateContacts>) {}

    fn has_late(&self) -> bool {
        false
    }

    #[inline(always)]
    fn with_tied(
        &mut self,
        _: BodyPart,
        _: [NumberColumn<'_>; 2],
        _: impl FnOnce(&mut LateContacts) -> u64,
    ) -> u64 {
        0
    }
}
