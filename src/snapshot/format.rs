//! The format: magic, sizes, checksums, and the values that a section can hold.

use bytemuck::Pod;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of each snapshot. The line break shows that no transfer changed line breaks.
pub(super) const MAGIC: [u8; 8] = *b"jostle\r\n";

/// The first bytes of each journal.
#[cfg(feature = "cli")]
pub(super) const JOURNAL: [u8; 8] = *b"jostlej\n";

/// The format that is written, and the newest that is read.
pub(super) const FORMAT: u32 = 1;

/// The first version of jostle that reads [`FORMAT`].
pub(super) const READER: &str = "0.1.0";

/// Bytes of the header, and how many of them its checksum covers.
pub(super) const HEADER: usize = 48;
pub(super) const HEADER_CHECKED: usize = HEADER - CHECKSUM;

/// Bytes of the head of a section.
pub(super) const HEAD: usize = 40;

/// Bytes of a checksum.
pub(super) const CHECKSUM: usize = 8;

/// Bytes of a tag, and of the version in the header.
pub(super) const NAME: usize = 16;

/// The beginning of the tags of sections that belong to the view and not to the state.
pub(super) const VIEW: &str = "view.";

/// Prefix of the sections about the list of contacts: how far it has grown, and how many pairs the last
/// search has found, which may be one that only measured the run.
pub(super) const OBSERVED: &str = "contacts";

/// The alignment of sections: their offsets are multiples of it.
pub(super) const ALIGN: usize = 8;

/// A header.
pub(super) fn header(magic: [u8; 8], sections: u32, length: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&magic);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[12..16].copy_from_slice(&sections.to_le_bytes());
    header[16..24].copy_from_slice(&length.to_le_bytes());
    header[24..40].copy_from_slice(&padded_name(READER));
    let sum = checksum(&header[..HEADER_CHECKED]);
    header[HEADER_CHECKED..].copy_from_slice(&sum.to_le_bytes());
    header
}

/// The checksum of some bytes.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// A name of at most [`NAME`] bytes, filled up with 0.
pub(super) fn padded_name(name: &str) -> [u8; NAME] {
    let mut padded = [0; NAME];
    padded[..name.len()].copy_from_slice(name.as_bytes());
    padded
}

/// A value of an array.
pub(crate) trait Scalar: Pod {
    /// The value with its bytes in little-endian order, and back.
    fn little_endian(self) -> Self;
}

impl Scalar for u8 {
    fn little_endian(self) -> Self {
        self
    }
}

impl Scalar for u16 {
    #[inline(always)]
    fn little_endian(self) -> Self {
        self.to_le()
    }
}

impl Scalar for u32 {
    #[inline(always)]
    fn little_endian(self) -> Self {
        self.to_le()
    }
}

impl Scalar for u64 {
    #[inline(always)]
    fn little_endian(self) -> Self {
        self.to_le()
    }
}

impl Scalar for f32 {
    #[inline(always)]
    fn little_endian(self) -> Self {
        Self::from_bits(self.to_bits().to_le())
    }
}
