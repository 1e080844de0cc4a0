//! A band: a few rows of the frame. A thread draws a stripe of several bands, each clipped to its
//! borders.
//!
//! ```text
//!   frame
//!   ┌──────────────────┐ ┐
//!   │                  │ ├ band 0: its pixels, and a density sum for each of them
//!   ├──────────────────┤ ┘
//!   │                  │   band 1
//!   ├──────────────────┤
//! ```
//!
//! Invariant: a pixel depends on the agents that meet it and on their order, never on where bands
//! begin. An agent that meets two bands is drawn in both, and each keeps its own rows.

use std::slice::ChunksExactMut;

use crate::{
    raster::blend::{Lanes, Pixel, Sum, Weight, signed},
    simd::{SimdLevel, pixels},
};

/// Rows of the frame, while they are drawn.
#[derive(Debug)]
pub(crate) struct FrameBand<'a> {
    /// First row, counted from the top of the frame.
    pub(crate) top: i32,
    /// Rows.
    pub(crate) rows: i32,
    /// Pixels per row.
    pub(crate) width: i32,
    /// The instructions to draw with.
    pub(crate) simd: SimdLevel,
    /// Its part of the frame.
    pub(crate) pixels: &'a mut [Pixel],
    /// One density sum per pixel, all zero between draws.
    pub(crate) density: &'a mut [Sum],
    /// True if anything was added to the sums.
    pub(crate) has_density: bool,
}

impl FrameBand<'_> {
    /// Row `y` of the frame, which has to be one of the band's.
    #[inline(always)]
    pub(crate) fn row(&mut self, y: i32) -> &mut [Pixel] {
        let at = ((y - self.top) * self.width) as usize;
        &mut self.pixels[at..at + self.width as usize]
    }

    /// The rows of the band from row `y` of the frame on, which has to be one of them.
    #[inline(always)]
    pub(crate) fn rows_from(&mut self, y: i32) -> impl Iterator<Item = &mut [Pixel]> {
        let width = self.width as usize;
        self.pixels[(y - self.top) as usize * width..].chunks_exact_mut(width)
    }
}

/// Mixes a mean of two colors per pixel into the block of a row that begins at column `x`, clipped
/// to the sides of the frame: the first color at share 0 or without shares, the second at share
/// 256.
#[inline(always)]
pub(crate) fn tint<const LEN: usize>(
    simd: SimdLevel,
    row: &mut [Pixel],
    x: i32,
    colors: [Lanes; 2],
    shares: Option<&[Weight; LEN]>,
    weights: &[Weight; LEN],
) {
    if let Some(block) = block_at(row, x) {
        pixels::tint(simd, block, colors, shares, weights);
    } else {
        clip(row, x, |block| pixels::tint(simd, block, colors, shares, weights));
    }
}

/// The block that begins at column `x`, if all of it lies in the row.
#[inline(always)]
fn block_at<const LEN: usize>(row: &mut [Pixel], x: i32) -> Option<&mut [Pixel; LEN]> {
    row.get_mut(usize::try_from(x).ok()?..)?.first_chunk_mut()
}

/// Changes a block that a side of the frame cuts.
#[cold]
fn clip<const LEN: usize>(row: &mut [Pixel], x: i32, change: impl FnOnce(&mut [Pixel; LEN])) {
    let mut block = [[0; 4]; LEN];
    let (first, end) = (x.max(0), (x + signed(LEN)).min(signed(row.len())));
    if first >= end {
        return;
    }
    let inside = (first - x) as usize..(end - x) as usize;
    let row = &mut row[first as usize..end as usize];
    block[inside.clone()].copy_from_slice(row);
    change(&mut block);
    row.copy_from_slice(&block[inside]);
}

/// Changes a square of the frame, clipped to the band. Its rows have `columns` pixels, and its
/// first pixel is at the column and row `first`.
#[inline(always)]
pub(crate) fn clip_square<const LEN: usize>(
    band: &mut FrameBand<'_>,
    first: [i32; 2],
    columns: usize,
    change: impl FnOnce(&mut [Pixel; LEN]),
) {
    let mut square = [[0; 4]; LEN];
    copy_square(band, first, square.chunks_exact_mut(columns), |inside, copy| {
        copy.copy_from_slice(inside);
    });
    change(&mut square);
    copy_square(band, first, square.chunks_exact_mut(columns), |inside, copy| {
        inside.copy_from_slice(copy);
    });
}

/// Calls `copy` for each row of a square that overlaps the band, with the pixels that lie in the
/// band: first as part of the band, then as part of the square.
#[inline(always)]
fn copy_square(
    band: &mut FrameBand<'_>,
    [left, top]: [i32; 2],
    square: ChunksExactMut<'_, Pixel>,
    copy: impl Fn(&mut [Pixel], &mut [Pixel]),
) {
    let rows = band.top..band.top + band.rows;
    for (k, row) in square.enumerate() {
        let y = top.saturating_add(signed(k));
        let columns = left.max(0)..left.saturating_add(signed(row.len())).min(band.width);
        if rows.contains(&y) && !columns.is_empty() {
            let skipped = (columns.start - left) as usize;
            let columns = columns.start as usize..columns.end as usize;
            copy(&mut band.row(y)[columns.clone()], &mut row[skipped..][..columns.len()]);
        }
    }
}
