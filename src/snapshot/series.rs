//! Series: files that grow by whole sections while a run goes on.
//!
//! A kill may cut off the last section, and nothing else. Sections are numbered, so that none can
//! be missing or change places.

#[cfg(feature = "window")]
use std::io::{self, Write};

use super::{
    format::{ALIGN, HEAD, HEADER, JOURNAL},
    reader::{Section, checked_header, refused, section_at, u32_at, u64_at},
};
#[cfg(feature = "window")]
use super::{
    format::{Scalar, header},
    writer::Writer,
};
use crate::error::{Fault, Result};

/// The sections of a series.
#[derive(Debug)]
pub(crate) struct Series {
    bytes: Vec<u8>,
    sections: Vec<Section>,
    /// Bytes at the end of a section that was cut off.
    cut: usize,
}

impl Series {
    /// True if these bytes begin like a series.
    pub(crate) fn begins(bytes: &[u8]) -> bool {
        bytes.starts_with(&JOURNAL)
    }

    /// Takes the bytes of a series, and checks that they are as they were written, up to a last
    /// section that may be cut off.
    ///
    /// # Errors
    /// If the bytes are no series, are damaged, or need a later version.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        checked_header(&bytes, JOURNAL)?;
        let mut sections: Vec<Section> = Vec::new();
        let mut start = HEADER;
        while start < bytes.len() {
            let section = match section_at(&bytes, start) {
                Ok(section) => section,
                Err(_) if is_last(&bytes, start) => break,
                Err(error) => return Err(error),
            };
            if section.number as usize != sections.len() {
                let reason = "is not in its place";
                return refused(Fault::Content { part: section.tag, reason });
            }
            start = section.data.end.next_multiple_of(ALIGN);
            sections.push(section);
        }
        let cut = bytes.len() - start;
        Ok(Self { bytes, sections, cut })
    }

    /// The tag and the bytes of a section; `None` behind the last.
    pub(crate) fn section(&self, number: usize) -> Option<(&str, &[u8])> {
        let section = self.sections.get(number)?;
        Some((&section.tag, &self.bytes[section.data.clone()]))
    }

    /// The number of bytes in all.
    pub(crate) fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes at the end that are not a whole section.
    pub(crate) fn cut(&self) -> usize {
        self.cut
    }
}

/// True if the section that begins at an offset would end with the bytes or behind them.
fn is_last(bytes: &[u8], start: usize) -> bool {
    let Some(head) = bytes.get(start..start + HEAD) else { return true };
    let size = u64_at(head, 32).checked_mul(u64::from(u32_at(head, 24)));
    size.is_none_or(|size| size > (bytes.len() - start - HEAD).saturating_sub(ALIGN) as u64)
}

/// Writes a series, section by section.
#[cfg(feature = "window")]
#[derive(Debug)]
pub(crate) struct SeriesWriter<W> {
    to: W,
    next: u32,
    buffer: Vec<u8>,
}

#[cfg(feature = "window")]
impl<W: Write> SeriesWriter<W> {
    /// Begins a series.
    ///
    /// # Errors
    /// If it can't be written, as in all functions here.
    pub(crate) fn new(mut to: W) -> io::Result<Self> {
        to.write_all(&header(JOURNAL, 0, 0))?;
        Ok(Self { to, next: 0, buffer: Vec::new() })
    }

    /// Appends a section in one write, so that a kill leaves all of it or none in most cases.
    pub(crate) fn section<T: Scalar>(&mut self, tag: &'static str, values: &[T]) -> io::Result<()> {
        let mut writer = Writer::numbered(std::mem::take(&mut self.buffer), self.next);
        writer.array(tag, values).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.buffer = writer.into_sections();
        self.next += 1;
        self.to.write_all(&self.buffer)
    }
}
