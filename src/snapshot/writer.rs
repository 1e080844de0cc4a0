//! Writing: sections are appended to one buffer, which becomes the snapshot.

use super::{
    format::{ALIGN, CHECKSUM, HEAD, HEADER, MAGIC, Scalar, checksum, header, padded_name},
    reader::{Section, Snapshot},
};
use crate::{alloc, error::Result};

/// The purpose of the memory, for errors.
const PART: &str = "the snapshot";

/// A snapshot that is being written.
#[derive(Debug)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    sections: Vec<Section>,
    /// The number of the next section in a series; 0 for all sections of a snapshot.
    number: u32,
}

impl Writer {
    /// Begins a snapshot of about `expected` bytes in a buffer, which loses what it holds.
    ///
    /// # Errors
    /// If there is not enough memory, as in all functions here.
    pub(crate) fn new(mut bytes: Vec<u8>, expected: usize) -> Result<Self> {
        bytes.clear();
        alloc::reserve(&mut bytes, expected + HEADER, PART)?;
        bytes.resize(HEADER, 0);
        Ok(Self { bytes, sections: Vec::new(), number: 0 })
    }

    /// Begins the section of a series that has that number, in a buffer that loses what it holds.
    #[cfg(feature = "window")]
    pub(super) fn numbered(mut bytes: Vec<u8>, number: u32) -> Self {
        bytes.clear();
        Self { bytes, sections: Vec::new(), number }
    }

    /// The bytes so far.
    #[cfg(feature = "window")]
    pub(super) fn into_bytes(self) -> Vec<u8> {
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
        self.section(tag, size_of::<T>(), |bytes| {
            arrays.into_iter().try_for_each(|values| append(bytes, values))
        })
    }

    /// Appends a section with the values of an iterator.
    pub(crate) fn values<T: Scalar>(
        &mut self,
        tag: &'static str,
        values: impl Iterator<Item = T>,
    ) -> Result<()> {
        self.section(tag, size_of::<T>(), |bytes| {
            let mut values = values;
            values.try_for_each(|value| append(bytes, &[value]))
        })
    }

    /// Completes the snapshot.
    pub(crate) fn finish(self) -> Snapshot {
        let Self { mut bytes, sections, .. } = self;
        let length = bytes.len() as u64;
        bytes[..HEADER].copy_from_slice(&header(MAGIC, sections.len() as u32, length));
        Snapshot::new(bytes, sections)
    }

    fn section(
        &mut self,
        tag: &'static str,
        element: usize,
        fill: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let Self { bytes, sections, number } = self;
        let start = bytes.len();
        append(bytes, &[0_u8; HEAD])?;
        fill(bytes)?;
        let data = start + HEAD..bytes.len();
        let count = data.len() / element;
        let padding = data.end.next_multiple_of(ALIGN) - data.end;
        append(bytes, &[0_u8; ALIGN][..padding])?;
        let head = &mut bytes[start..start + HEAD];
        head[8..24].copy_from_slice(&padded_name(tag));
        head[24..28].copy_from_slice(&(element as u32).to_le_bytes());
        head[28..32].copy_from_slice(&number.to_le_bytes());
        head[32..40].copy_from_slice(&(count as u64).to_le_bytes());
        let checksum = checksum(&bytes[start + CHECKSUM..]);
        bytes[start..start + CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        sections.push(Section {
            tag: tag.to_owned(),
            element,
            count,
            checksum,
            number: *number,
            data,
        });
        Ok(())
    }
}

/// Appends values.
#[inline]
fn append<T: Scalar>(bytes: &mut Vec<u8>, values: &[T]) -> Result<()> {
    let more = size_of_val(values);
    if bytes.capacity() - bytes.len() < more {
        // By a half, so that what was expected too low is copied a few times only.
        alloc::reserve(bytes, more.max(bytes.len() / 2), PART)?;
    }
    if cfg!(target_endian = "little") {
        bytes.extend_from_slice(bytemuck::cast_slice(values));
    } else {
        for &value in values {
            bytes.extend_from_slice(bytemuck::bytes_of(&value.little_endian()));
        }
    }
    Ok(())
}
