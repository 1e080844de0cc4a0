//! Pieces of elements and bands of rows, by which the bulk rebuild divides its work.

use std::ops::Range;

use crate::{alloc, error::Result};

/// Elements that get their homes together.
pub(super) const PIECE: usize = 1_024;

/// A range of elements.
#[derive(Clone, Debug)]
pub(super) struct SortPiece {
    pub(super) elements: Range<usize>,
    /// The first and the last row of their homes.
    pub(super) rows: [u32; 2],
}

/// Rows of loose cells that are sorted together.
#[derive(Clone, Debug)]
pub(super) struct SortBand {
    pub(super) rows: Range<u32>,
    /// The first stored cell.
    pub(super) cell: usize,
    /// The first item, and the number of items.
    pub(super) item: usize,
    pub(super) len: usize,
}

/// The memory of the bulk rebuild.
#[derive(Clone, Debug)]
pub(super) struct Sorter {
    pub(super) pieces: Vec<SortPiece>,
    pub(super) bands: Vec<SortBand>,
}

impl Sorter {
    pub(super) fn new(capacity: usize, rows: u32, height: u32) -> Result<Self> {
        let bands = (0..rows.div_ceil(height)).map(|band| SortBand {
            rows: band * height..((band + 1) * height).min(rows),
            cell: 0,
            item: 0,
            len: 0,
        });
        Ok(Self {
            pieces: alloc::with_capacity(capacity.div_ceil(PIECE), "the pieces that are sorted")?,
            bands: bands.collect(),
        })
    }

    /// Ensures that there is room for the pieces of `capacity` elements.
    pub(super) fn reserve(&mut self, capacity: usize) -> Result<()> {
        let more = capacity.div_ceil(PIECE).saturating_sub(self.pieces.len());
        alloc::reserve(&mut self.pieces, more, "the pieces that are sorted")
    }

    pub(super) fn memory(&self) -> usize {
        self.pieces.capacity() * size_of::<SortPiece>()
            + self.bands.capacity() * size_of::<SortBand>()
    }

    /// The value of [`Self::memory`] for a capacity and a height.
    pub(super) fn bytes_for(capacity: usize, rows: u32, height: u32) -> usize {
        capacity.div_ceil(PIECE) * size_of::<SortPiece>()
            + rows.div_ceil(height) as usize * size_of::<SortBand>()
    }
}

impl SortPiece {
    /// The number of bands of `height` rows that read the piece.
    pub(super) fn bands(&self, height: u32) -> u32 {
        let [low, high] = self.rows;
        if low > high { 0 } else { high / height - low / height + 1 }
    }
}
