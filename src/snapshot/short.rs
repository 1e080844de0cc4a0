//! Lists that take fewer bytes in a snapshot that stays in memory.
//!
//! ```text
//! places     [ 3 | 900 | none | …        two bytes per value instead of four; none is the largest
//! ascending  [ 255 | 0 | 1 | 0 | 255 …   the difference from the value before in one byte; 255 stands
//! jumps      [ 17 | 70000 …              for a value in this list
//! ```

use super::{
    reader::{Snapshot, VALUES, require},
    writer::{PART, Writer},
};
use crate::{alloc, error::Result, parallel};

/// A place that is none.
pub(crate) const NO_PLACE: u32 = u32::MAX;

/// The difference that stands for a jump.
const JUMP: u8 = u8::MAX;

/// Values per piece.
const PIECE: usize = 1 << 14;

impl Writer {
    /// True if the snapshot stays in memory.
    pub(crate) fn is_short(&self) -> bool {
        self.is_short
    }

    /// Appends a section with the places in one field of the entries of some arrays, one after the
    /// other. All places, but [`NO_PLACE`], are below `end`.
    pub(crate) fn places<'a, E: Sync + 'a, const N: usize>(
        &mut self,
        tag: &'static str,
        arrays: impl Iterator<Item = &'a [E]>,
        end: usize,
        field: impl Fn(&E) -> [u32; N] + Sync,
    ) -> Result<()> {
        if self.is_short && u16::try_from(end).is_ok() {
            // The largest values become the largest values.
            self.fields(tag, arrays, |entry| field(entry).map(|place| place as u16))
        } else {
            self.fields(tag, arrays, field)
        }
    }

    /// Appends a section with values that ascend, and one with their jumps if the list is short.
    pub(crate) fn ascending(
        &mut self,
        [tag, jumps]: [&'static str; 2],
        values: &[u32],
    ) -> Result<()> {
        let Some((&first, others)) = values.split_first().filter(|_| self.is_short) else {
            return self.array(tag, values);
        };
        let mut jumped = alloc::filled(1, first, PART)?;
        self.section(tag, size_of::<u8>(), |to| {
            let (to, rest) = to.room(values.len())?.split_at_mut(1);
            to[0] = JUMP;
            let before = &values[..others.len()];
            let shorten = |_, (to, (before, others)): (&mut [u8], (&[u32], &[u32]))| {
                for ((to, &before), &value) in to.iter_mut().zip(before).zip(others) {
                    *to = value.wrapping_sub(before).min(u32::from(JUMP)) as u8;
                }
                let jumps = to.iter().zip(others).filter(|&(&to, _)| to == JUMP);
                alloc::collected(jumps.map(|(_, &value)| value), PART)
            };
            let data = (rest, (before, others));
            let merge = |one: Result<Vec<u32>>, other: Result<Vec<u32>>| {
                let mut one = one?;
                alloc::append(&mut one, other?, PART)?;
                Ok(one)
            };
            let more = parallel::pieces(data, PIECE, &shorten, &merge)?;
            alloc::append(&mut jumped, more, PART)
        })?;
        self.array(jumps, &jumped)
    }
}

impl Snapshot {
    /// The places of a section of `count` values.
    ///
    /// # Errors
    /// As [`Self::array`].
    pub(crate) fn places(&self, tag: &'static str, count: usize) -> Result<Vec<u32>> {
        if self.element(tag) != Some(size_of::<u16>()) {
            return self.array(tag, count, 0);
        }
        let short: Vec<u16> = self.array(tag, count, 0)?;
        let place = |place| if place == u16::MAX { NO_PLACE } else { u32::from(place) };
        let mut places = alloc::with_capacity(count, VALUES)?;
        places.extend(short.into_iter().map(place));
        Ok(places)
    }

    /// The values of a section of `count` values that ascend.
    ///
    /// # Errors
    /// As [`Self::array`].
    pub(crate) fn ascending(
        &self,
        [tag, jumps]: [&'static str; 2],
        count: usize,
    ) -> Result<Vec<u32>> {
        if self.element(tag) != Some(size_of::<u8>()) {
            return self.array(tag, count, 0);
        }
        let (short, jumps): (Vec<u8>, Vec<u32>) = (self.array(tag, count, 0)?, self.list(jumps)?);
        let mut jumps = jumps.into_iter();
        let (mut value, mut complete) = (0_u32, true);
        let mut values = alloc::with_capacity(count, VALUES)?;
        values.extend(short.into_iter().map(|more| {
            value = if more == JUMP {
                let jump = jumps.next();
                complete &= jump.is_some();
                jump.unwrap_or(0)
            } else {
                value.wrapping_add(u32::from(more))
            };
            value
        }));
        require(complete, tag, "has more jumps than are listed")?;
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lists_hold_the_same_values() {
        let values: Vec<u32> =
            (0..70_000).map(|n| n / 3 + n / 100 * 254 + n / 1_000 * 65_536).collect();
        let places: Vec<u32> = values.iter().map(|n| n % 1_000).chain([NO_PLACE]).collect();
        for (is_short, end, bytes) in [(false, 1_000, 4), (true, 1_000, 2), (true, 65_536, 4)] {
            for values in [&values[..], &values[..1], &[]] {
                let mut to = Writer::new(Vec::new(), 0).unwrap();
                to.is_short = is_short;
                to.ascending(["a", "b"], values).unwrap();
                to.places("c", [&places[..], &places[5..]].into_iter(), end, |&n| [n]).unwrap();
                let from = to.finish();
                assert_eq!(from.ascending(["a", "b"], values.len()).unwrap(), values);
                let found = from.places("c", 2 * places.len() - 5).unwrap();
                assert_eq!(found, [&places[..], &places[5..]].concat());
                assert_eq!(from.element("c"), Some(bytes));
                let shorter = is_short && !values.is_empty();
                assert_eq!(from.element("a"), Some(if shorter { 1 } else { 4 }));
            }
        }
    }
}
