//! Snapshots: the bytes that a run can be restored from, as a file holds them.
//!
//! ```text
//! header   magic · format · sections · length · reader · checksum            48 bytes
//! section  checksum · tag · element size · 0 · count │ values │ 0…           40 bytes and the values
//! section  …                                                       each begins at a multiple of 8
//! ```
//!
//! | offset | bytes | header | | offset | bytes | section |
//! |---|---|---|---|---|---|---|
//! | 0 | 8 | `jostle\r\n` | | 0 | 8 | XXH3-64 of the rest of the section |
//! | 8 | 4 | number of the format | | 8 | 16 | tag: ASCII, filled up with 0 |
//! | 12 | 4 | number of sections | | 24 | 4 | bytes per value |
//! | 16 | 8 | length of the snapshot in bytes | | 28 | 4 | 0; in a series, its number from 0 |
//! | 24 | 16 | first version of jostle that reads the format | | 32 | 8 | number of values |
//! | 40 | 8 | XXH3-64 of the 40 bytes before | | 40 | | the values, then 0 up to a multiple of 8 |
//!
//! All numbers are little-endian. Single values are text, in sections of `key = value` lines that a
//! person can read; arrays are plain columns. So nothing depends on the layout of a struct, and
//! every later format can tell an older one apart by its header.
//!
//! This room defines the form of the bytes and not their meaning: each room that owns state of a
//! run writes and reads its own sections, and [`Sim::snapshot`](crate::Sim::snapshot) puts them
//! together. A section that no room asks for is ignored. Sections of the view of a run, which do
//! not decide its future, have a tag that begins with `view.`.
//!
//! A snapshot that stays in memory has no checksums.
//!
//! A series is a file that grows by whole sections, such as a journal: its header begins with
//! `jostlej\n` and has 0 sections and length 0, and a tag may be there more than once.
//!
//! To read: `format` (header and sections), `writer`, `reader`, `series`, `text` (the lines).

mod format;
mod reader;
#[cfg(feature = "cli")]
mod series;
mod text;
mod writer;

pub(crate) use self::reader::require;
pub use self::reader::{Section, Snapshot};
#[cfg(feature = "cli")]
pub(crate) use self::series::Series;
#[cfg(feature = "window")]
pub(crate) use self::series::SeriesWriter;
pub(crate) use self::{
    text::{Lines, Listing, NONE, unreadable, write_line},
    writer::{PART, Writer},
};
