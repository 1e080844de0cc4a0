//! Reading: bytes become a snapshot once header, lengths and checksums are right.
//!
//! Nothing is allocated by a number that the bytes contain: a section is a range of the bytes, and
//! its array has the values that lie there.

use std::ops::Range;

use super::format::{
    ALIGN, CHECKSUM, FORMAT, HEAD, HEADER, HEADER_CHECKED, MAGIC, NAME, OBSERVED, Scalar, VIEW,
    checksum,
};
use crate::{
    alloc,
    error::{Error, Fault, Result},
};

/// The purpose of the memory, for errors.
const VALUES: &str = "the values of a snapshot";

/// The saved state of a run, in memory or as the bytes of a file.
///
/// [`Sim::snapshot`](crate::Sim::snapshot) takes one, [`Sim::restore`](crate::Sim::restore)
/// continues from it. Its bytes are complete, in one piece, and the same on every machine.
///
/// ```
/// use jostle::{Scene, Setup, Sim, Snapshot};
///
/// let mut sim = Sim::new(&Setup { agents: 500, ..Setup::new(Scene::Gas) })?;
/// sim.step()?;
/// let bytes = sim.snapshot()?.into_bytes();
///
/// let mut restored = Sim::restore(&Snapshot::from_bytes(bytes)?)?;
/// sim.step()?;
/// restored.step()?;
/// assert_eq!(restored.state_hash(), sim.state_hash());
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    bytes: Vec<u8>,
    sections: Vec<Section>,
}

/// A section of a snapshot: one column, or some lines of text.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[doc(hidden)]
pub struct Section {
    /// The name of its contents.
    pub tag: String,
    /// Bytes per value.
    pub element: usize,
    /// Number of values.
    pub count: usize,
    /// XXH3-64 of its head and its values.
    pub checksum: u64,
    /// Its number in a series; 0 in a snapshot.
    pub(super) number: u32,
    /// The range of the values in the bytes.
    pub(super) data: Range<usize>,
}

impl Section {
    /// False for a section that does not decide the future of a run: its view, and what a measurement
    /// changes as a step does.
    #[must_use]
    pub fn is_state(&self) -> bool {
        !self.tag.starts_with(VIEW) && !self.tag.starts_with(OBSERVED)
    }

    /// The range of the bytes that its checksum covers: its head behind the checksum, its values,
    /// and zeros up to the next section.
    pub(super) fn checked(&self) -> Range<usize> {
        self.data.start - HEAD + CHECKSUM..self.data.end.next_multiple_of(ALIGN)
    }
}

impl Snapshot {
    /// Bytes of the header, for [`Self::length`].
    #[doc(hidden)]
    pub const HEADER: usize = HEADER;

    pub(super) fn new(bytes: Vec<u8>, sections: Vec<Section>) -> Self {
        Self { bytes, sections }
    }

    /// The length in bytes that the header of a snapshot states, for a caller that reads a file: a
    /// file of another length is not worth reading.
    ///
    /// # Errors
    /// If these are not the first [`Self::HEADER`] bytes of a snapshot that this version reads.
    #[doc(hidden)]
    pub fn length(header: &[u8]) -> Result<u64> {
        Ok(u64_at(checked_header(header, MAGIC)?, 16))
    }

    /// Takes the bytes of a snapshot, and checks that they are as they were written.
    ///
    /// # Errors
    /// If the bytes are no snapshot, are cut off or damaged, or need a later version.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let expected = Self::length(&bytes)?;
        let found = bytes.len() as u64;
        if found != expected {
            return refused(Fault::Length { found, expected });
        }
        let mut sections: Vec<Section> = Vec::new();
        let mut start = HEADER;
        while start < bytes.len() {
            let section = section_at(&bytes, start)?;
            if section.number != 0 {
                return refused(Fault::Content {
                    part: section.tag,
                    reason: "belongs to a journal",
                });
            }
            if sections.iter().any(|other| other.tag == section.tag) {
                return refused(Fault::Content { part: section.tag, reason: "is there twice" });
            }
            start = section.data.end.next_multiple_of(ALIGN);
            sections.push(section);
        }
        if sections.len() != u32_at(&bytes, 12) as usize {
            return refused(Fault::Damaged("number of sections".to_owned()));
        }
        Ok(Self { bytes, sections })
    }

    /// The bytes, as a file holds them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of memory that the snapshot takes.
    #[cfg(feature = "window")]
    pub(crate) fn memory(&self) -> usize {
        self.bytes.capacity() + self.sections.capacity() * (size_of::<Section>() + NAME)
    }

    /// The bytes, as a file holds them.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The number of the format.
    #[must_use]
    #[doc(hidden)]
    pub fn format(&self) -> u32 {
        u32_at(&self.bytes, 8)
    }

    /// The sections, in the order of the bytes.
    #[must_use]
    #[doc(hidden)]
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// True if there is a section with that tag.
    pub(crate) fn has(&self, tag: &str) -> bool {
        self.sections.iter().any(|section| section.tag == tag)
    }

    /// A section of text.
    ///
    /// # Errors
    /// If there is none, or it is not text.
    pub(crate) fn text(&self, tag: &'static str) -> Result<&str> {
        let (_, bytes) = self.section::<u8>(tag)?;
        std::str::from_utf8(bytes)
            .or_else(|_| refused(Fault::Content { part: tag.to_owned(), reason: "is not text" }))
    }

    /// The values of a section of `count` values, with room for `capacity` values in all.
    ///
    /// # Errors
    /// If there is no such section with `count` values of this type, or not enough memory.
    pub(crate) fn array<T: Scalar>(
        &self,
        tag: &'static str,
        count: usize,
        capacity: usize,
    ) -> Result<Vec<T>> {
        let (section, bytes) = self.section::<T>(tag)?;
        if section.count != count {
            let part = tag.to_owned();
            let (found, expected) = (section.count as u64, count as u64);
            return refused(Fault::Count { part, found, expected });
        }
        let mut values = alloc::with_capacity(capacity.max(count), VALUES)?;
        let elements = bytes.chunks_exact(size_of::<T>());
        values.extend(elements.map(|value| {
            let value: T = bytemuck::pod_read_unaligned(value);
            value.little_endian()
        }));
        Ok(values)
    }

    /// All values of a section.
    ///
    /// # Errors
    /// As [`Self::array`].
    pub(crate) fn list<T: Scalar>(&self, tag: &'static str) -> Result<Vec<T>> {
        let count = self.section::<T>(tag)?.0.count;
        self.array(tag, count, count)
    }

    /// The numbers of a section of `count` values, with room for `capacity` values in all.
    ///
    /// # Errors
    /// The errors of [`Self::array`], and an error if a number is not finite.
    pub(crate) fn numbers(
        &self,
        tag: &'static str,
        count: usize,
        capacity: usize,
    ) -> Result<Vec<f32>> {
        let values: Vec<f32> = self.array(tag, count, capacity)?;
        // Without the sign, the bits of infinite numbers and NaN are the highest.
        let highest = values.iter().fold(0, |most, value| value.abs().to_bits().max(most));
        let reason = "has a number that is not finite";
        require(highest < f32::INFINITY.to_bits(), tag, reason)?;
        Ok(values)
    }

    fn section<T: Scalar>(&self, tag: &'static str) -> Result<(&Section, &[u8])> {
        let Some(section) = self.sections.iter().find(|section| section.tag == tag) else {
            return refused(Fault::Missing(tag.to_owned()));
        };
        require(section.element == size_of::<T>(), tag, "has values of another size")?;
        Ok((section, &self.bytes[section.data.clone()]))
    }
}

/// Refuses a section unless a condition holds. The reason continues the sentence of the error.
///
/// # Errors
/// If the condition does not hold.
pub(crate) fn require(holds: bool, part: &str, reason: &'static str) -> Result<()> {
    if holds { Ok(()) } else { refused(Fault::Content { part: part.to_owned(), reason }) }
}

/// The header that some bytes begin with.
pub(super) fn checked_header(bytes: &[u8], magic: [u8; 8]) -> Result<&[u8]> {
    if bytes.get(..magic.len()) != Some(&magic[..]) {
        return refused(Fault::Foreign);
    }
    let Some(header) = bytes.get(..HEADER) else {
        let (found, expected) = (bytes.len() as u64, HEADER as u64);
        return refused(Fault::Length { found, expected });
    };
    if checksum(&header[..HEADER_CHECKED]) != u64_at(header, HEADER_CHECKED) {
        return refused(Fault::Damaged("header".to_owned()));
    }
    let format = u32_at(header, 8);
    if format == 0 || format > FORMAT {
        let reader = name_at(header, 24).unwrap_or_default();
        return refused(Fault::Format { format, newest: FORMAT, reader });
    }
    Ok(header)
}

/// The section that begins at an offset.
pub(super) fn section_at(bytes: &[u8], start: usize) -> Result<Section> {
    let cut = || Error::Snapshot(Fault::Damaged("last section".to_owned()));
    let head = bytes.get(start..start + HEAD).ok_or_else(cut)?;
    let tag = name_at(head, 8);
    let damaged = || Error::Snapshot(Fault::Damaged(tag.clone().unwrap_or("a tag".to_owned())));
    let (element, number, count) = (u32_at(head, 24) as usize, u32_at(head, 28), u64_at(head, 32));
    let left = bytes.len() - start - HEAD;
    let size = usize::try_from(count).ok().and_then(|count| count.checked_mul(element));
    let size = size.filter(|&size| size <= left && element > 0).ok_or_else(damaged)?;
    let data = start + HEAD..start + HEAD + size;
    let end = data.end.next_multiple_of(ALIGN);
    let checked = bytes.get(start + CHECKSUM..end).ok_or_else(damaged)?;
    let stated = u64_at(head, 0);
    if checksum(checked) != stated {
        return Err(damaged());
    }
    let tag = tag.clone().ok_or_else(damaged)?;
    Ok(Section { tag, element, count: count as usize, checksum: stated, number, data })
}

/// A name from bytes that are filled up with 0; `None` if it is not ASCII without spaces.
fn name_at(bytes: &[u8], at: usize) -> Option<String> {
    let name = &bytes[at..at + NAME];
    let end = name.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let is_name = name[..end].iter().all(u8::is_ascii_graphic);
    (is_name && end > 0).then(|| String::from_utf8_lossy(&name[..end]).into_owned())
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le(bytemuck::pod_read_unaligned(&bytes[at..at + 4]))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le(bytemuck::pod_read_unaligned(&bytes[at..at + 8]))
}

pub(super) fn refused<T>(fault: Fault) -> Result<T> {
    Err(Error::Snapshot(fault))
}
