//! Rooms: how much of a list that is laid out along the slots belongs to each band.
//!
//! ```text
//! list [ band 0: for its slots | band 1: its own, for it needs more | band 2: for its slots | …
//! ```
//!
//! The room of a band goes with its slots, wherever the agents move, so that nothing is allocated as
//! they do. A band whose slots need more than that gets a room of its own, which it keeps: one giant
//! among dust touches as many discs as a thousand others. Rooms decide when a list grows, and no bit
//! of a run.

use std::ops::Range;

use crate::{
    alloc,
    error::Result,
    snapshot::{Snapshot, Writer, require},
};

/// The least room of each band.
#[derive(Clone, Debug)]
pub(crate) struct Rooms(Vec<usize>);

impl Rooms {
    /// Rooms of bands of which none needs more than its slots bring.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(bands: usize) -> Result<Self> {
        Ok(Self(alloc::filled(bands, 0, "the rooms of the bands")?))
    }

    /// Divides a list between the bands, in order. `base` returns the room that the slots of a band
    /// bring, and `part` the part of the list that it has.
    pub(crate) fn divide<B>(
        &self,
        bands: &mut [B],
        base: impl Fn(&B) -> usize,
        part: impl Fn(&mut B) -> &mut Range<usize>,
    ) {
        let mut end = 0;
        for (&own, band) in self.0.iter().zip(bands) {
            let start = end;
            end += own.max(base(band));
            *part(band) = start..end;
        }
    }

    /// The sum of the least rooms: entries that a list needs beside what all slots bring, wherever
    /// these are.
    pub(crate) fn sum(&self) -> usize {
        self.0.iter().sum()
    }

    /// Gives each band room for a quarter more entries than it needs, if its slots bring less. Takes
    /// the room that the slots bring, and the number of entries, of each band.
    pub(crate) fn grow(&mut self, needs: impl Iterator<Item = (usize, usize)>) {
        for (own, (base, needed)) in self.0.iter_mut().zip(needs) {
            let more = needed + needed / 4;
            if more > base {
                *own = more.max(*own);
            }
        }
    }

    /// Writes the rooms.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn save(&self, tag: &'static str, to: &mut Writer) -> Result<()> {
        to.values(tag, self.0.iter().map(|&own| own as u32))
    }

    /// Reads the rooms of bands that have at most `most` entries. Files of earlier versions have
    /// none.
    ///
    /// # Errors
    /// If they were not written so, or there is not enough memory.
    pub(crate) fn load(
        from: &Snapshot,
        tag: &'static str,
        bands: usize,
        most: u64,
    ) -> Result<Self> {
        let mut rooms = Self::new(bands)?;
        if from.has(tag) {
            let saved: Vec<u32> = from.list(tag)?;
            require(saved.len() <= bands, tag, "has more bands than there are")?;
            let sum = saved.iter().map(|&own| u64::from(own)).sum::<u64>();
            require(sum <= most, tag, "is more than any run has")?;
            for (own, saved) in rooms.0.iter_mut().zip(saved) {
                *own = saved as usize;
            }
        }
        Ok(rooms)
    }
}
