//! Writing: sections are appended to one buffer, which becomes the snapshot.
//!
//! A run in a window takes a snapshot several times a second, so arrays are copied, and checksums
//! computed, on all threads of the pool that the caller is in.

use super::{
    format::{ALIGN, CHECKSUM, HEAD, HEADER, MAGIC, Scalar, checksum, header, padded_name},
    reader::{Section, Snapshot},
};
use crate::{
    alloc,
    error::Result,
    parallel::{self, Split},
};

/// The purpose of the memory, for errors.
pub(crate) const PART: &str = "the snapshot";

/// Bytes that are copied in one piece.
const PIECE: usize = 1 << 20;

/// Entries per piece where one field of each is copied.
const ENTRIES: usize = 1 << 12;

/// Values of an iterator that are appended in one piece.
const CHUNK: usize = 1_024;

/// A snapshot that is being written.
#[derive(Debug)]
pub(crate) struct Writer {
    /// The written bytes, and zeros or older bytes behind them.
    bytes: Vec<u8>,
    /// The end of the written bytes.
    end: usize,
    sections: Vec<Section>,
    /// The number of the next section in a series; 0 for all sections of a snapshot.
    number: u32,
    /// False for a snapshot that stays in memory.
    has_checksums: bool,
}

impl Writer {
    /// Begins a snapshot of about `expected` bytes in a buffer, whose contents are lost.
    ///
    /// # Errors
    /// If there is not enough memory, as in all functions here.
    pub(crate) fn new(mut bytes: Vec<u8>, expected: usize) -> Result<Self> {
        // A reused buffer is mapped already, so it keeps its length instead of being cleared.
        if bytes.capacity() < expected + HEADER {
            bytes = alloc::zeroed(expected + HEADER, PART)?;
        }
        bytes.resize(bytes.capacity(), 0);
        Ok(Self { bytes, end: HEADER, sections: Vec::new(), number: 0, has_checksums: true })
    }

    /// The same for a snapshot that stays in memory: it has no checksums.
    ///
    /// # Errors
    /// As [`Self::new`].
    #[cfg(feature = "window")]
    pub(crate) fn for_memory(bytes: Vec<u8>, expected: usize) -> Result<Self> {
        Ok(Self { has_checksums: false, ..Self::new(bytes, expected)? })
    }

    /// Begins section `number` of a series in a buffer, whose contents are lost.
    #[cfg(feature = "window")]
    pub(super) fn numbered(bytes: Vec<u8>, number: u32) -> Self {
        Self { bytes, end: 0, sections: Vec::new(), number, has_checksums: true }
    }

    /// The sections so far.
    #[cfg(feature = "window")]
    pub(super) fn into_sections(mut self) -> Vec<u8> {
        self.seal();
        self.bytes
    }

    /// Appends a section of text.
    pub(crate) fn text(&mut self, tag: &'static str, text: &str) -> Result<()> {
        self.array(tag, text.as_bytes())
    }

    /// Appends a section with the values of an array.
    pub(crate) fn array<T: Scalar>(&mut self, tag: &'static str, values: &[T]) -> Result<()> {
        self.arrays(tag, std::iter::once(values))
    }

    /// Appends a section with the values of some arrays, one after the other.
    pub(crate) fn arrays<'a, T: Scalar>(
        &mut self,
        tag: &'static str,
        arrays: impl Iterator<Item = &'a [T]>,
    ) -> Result<()> {
        self.section(tag, size_of::<T>(), |to| {
            arrays.into_iter().try_for_each(|values| to.append(values))
        })
    }

    /// Appends a section with the values of an iterator.
    pub(crate) fn values<T: Scalar>(
        &mut self,
        tag: &'static str,
        mut values: impl Iterator<Item = T>,
    ) -> Result<()> {
        self.section(tag, size_of::<T>(), |to| {
            let mut chunk = [T::zeroed(); CHUNK];
            loop {
                let mut count = 0;
                for (place, value) in chunk.iter_mut().zip(values.by_ref()) {
                    *place = value;
                    count += 1;
                }
                if count == 0 {
                    return Ok(());
                }
                to.append(&chunk[..count])?;
            }
        })
    }

    /// Appends a section with the values of one field of the entries of some arrays, one after the
    /// other.
    pub(crate) fn fields<'a, E: Sync + 'a, T: Scalar, const N: usize>(
        &mut self,
        tag: &'static str,
        arrays: impl Iterator<Item = &'a [E]>,
        field: impl Fn(&E) -> [T; N] + Sync,
    ) -> Result<()> {
        self.section(tag, size_of::<T>(), |to| {
            for entries in arrays {
                let to = to.room(entries.len() * size_of::<[T; N]>())?;
                let copy = |_, FieldCopy { to, entries }: FieldCopy<E>| {
                    for (to, entry) in to.chunks_exact_mut(size_of::<[T; N]>()).zip(entries) {
                        let values = field(entry).map(Scalar::little_endian);
                        to.copy_from_slice(bytemuck::cast_slice(&values));
                    }
                };
                parallel::pieces(FieldCopy { to, entries }, ENTRIES, &copy, &|(), ()| ());
            }
            Ok(())
        })
    }

    /// Completes the snapshot.
    pub(crate) fn finish(mut self) -> Snapshot {
        if self.has_checksums {
            self.seal();
        } else {
            self.bytes.truncate(self.end);
        }
        let Self { mut bytes, sections, .. } = self;
        let length = bytes.len() as u64;
        bytes[..HEADER].copy_from_slice(&header(MAGIC, sections.len() as u32, length));
        Snapshot::new(bytes, sections)
    }

    /// Cuts the buffer behind the written bytes, and writes the checksums of the sections.
    fn seal(&mut self) {
        let Self { bytes, end, sections, .. } = self;
        bytes.truncate(*end);
        parallel::pieces(
            &mut sections[..],
            1,
            &|_, sections| {
                for section in sections {
                    section.checksum = checksum(&bytes[section.checked()]);
                }
            },
            &|(), ()| (),
        );
        for section in sections {
            let start = section.checked().start - CHECKSUM;
            bytes[start..start + CHECKSUM].copy_from_slice(&section.checksum.to_le_bytes());
        }
    }

    fn section(
        &mut self,
        tag: &'static str,
        element: usize,
        fill: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let start = self.end;
        self.append(&[0_u8; HEAD])?;
        fill(self)?;
        let data = start + HEAD..self.end;
        let count = data.len() / element;
        let padding = data.end.next_multiple_of(ALIGN) - data.end;
        self.append(&[0_u8; ALIGN][..padding])?;
        let head = &mut self.bytes[start..start + HEAD];
        head[8..24].copy_from_slice(&padded_name(tag));
        head[24..28].copy_from_slice(&(element as u32).to_le_bytes());
        head[28..32].copy_from_slice(&self.number.to_le_bytes());
        head[32..40].copy_from_slice(&(count as u64).to_le_bytes());
        let (tag, number) = (tag.to_owned(), self.number);
        self.sections.push(Section { tag, element, count, checksum: 0, number, data });
        Ok(())
    }

    /// Appends values.
    #[inline]
    fn append<T: Scalar>(&mut self, values: &[T]) -> Result<()> {
        let to = self.room(size_of_val(values))?;
        if cfg!(target_endian = "little") {
            let values: &[u8] = bytemuck::cast_slice(values);
            let copy = |_, (to, values): (&mut [u8], &[u8])| to.copy_from_slice(values);
            parallel::pieces((to, values), PIECE, &copy, &|(), ()| ());
        } else {
            for (to, value) in to.chunks_exact_mut(size_of::<T>()).zip(values) {
                to.copy_from_slice(bytemuck::bytes_of(&value.little_endian()));
            }
        }
        Ok(())
    }

    /// The next bytes to write to.
    #[inline]
    fn room(&mut self, length: usize) -> Result<&mut [u8]> {
        let from = self.end;
        self.end += length;
        if self.bytes.len() < self.end {
            // Grows by a half, so that a buffer with a low estimate is copied a few times only.
            alloc::grow_to(&mut self.bytes, self.end + from / 2, 0, PART)?;
        }
        Ok(&mut self.bytes[from..self.end])
    }
}

/// Entries, and the bytes that hold one field of each.
struct FieldCopy<'a, E> {
    to: &'a mut [u8],
    entries: &'a [E],
}

impl<E: Sync> Split for FieldCopy<'_, E> {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let size = self.to.len() / self.entries.len().max(1);
        let (to, to2) = self.to.split_at_mut(at * size);
        let (entries, entries2) = self.entries.split_at(at);
        (Self { to, entries }, Self { to: to2, entries: entries2 })
    }
}
