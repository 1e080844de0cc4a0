//! A band: some rows of the frame, drawn by one thread and clipped to its borders.
//!
//! ```text
//!   frame
//!   ┌──────────────────┐ ┐
//!   │                  │ ├ band 0: pixels, and as many sums for what is smaller than they are
//!   ├──────────────────┤ ┘
//!   │                  │   band 1
//!   ├──────────────────┤
//! ```
//!
//! What a pixel becomes depends on the agents that meet it and on their order, never on where bands
//! begin: an agent that meets two bands is drawn in both, and each keeps its own rows of it.

use crate::{
    raster::blend::{BLOCK, Block, Lanes, Pixel, Sum, Weight, signed},
    simd::{SimdLevel, pixels},
};

/// Rows of the frame, to be drawn.
#[derive(Debug)]
pub(crate) struct Band<'a> {
    /// Its first row, counted from the frame's top.
    pub(crate) top: i32,
    /// Rows.
    pub(crate) rows: i32,
    /// Pixels a row.
    pub(crate) width: i32,
    /// The instructions to draw with.
    pub(crate) simd: SimdLevel,
    /// Its part of the frame.
    pub(crate) pixels: &'a mut [Pixel],
    /// As many sums, all zero between draws.
    pub(crate) density: &'a mut [Sum],
    /// True if anything was added to them.
    pub(crate) dense: bool,
}

impl Band<'_> {
    /// Row `y` of the frame, which has to be one of the band's.
    #[inline(always)]
    pub(crate) fn row(&mut self, y: i32) -> &mut [Pixel] {
        let at = ((y - self.top) * self.width) as usize;
        &mut self.pixels[at..at + self.width as usize]
    }

    /// Mixes a color into a row from column `x` on; what lies beyond the frame's sides is left out. The
    /// row has to be one of the band's.
    #[inline(always)]
    pub(crate) fn tint(&mut self, [x, y]: [i32; 2], color: Lanes, weights: &[Weight; BLOCK]) {
        let simd = self.simd;
        let row = self.row(y);
        if let Some(block) = block_at(row, x) {
            pixels::tint(simd, block, color, weights);
        } else {
            cut(row, x, |block| pixels::tint(simd, block, color, weights));
        }
    }

    /// Mixes a mean of two colors into a row: the first where its share is 0.
    #[inline(always)]
    pub(crate) fn ink(
        &mut self,
        [x, y]: [i32; 2],
        colors: [Lanes; 2],
        shares: &[Weight; BLOCK],
        weights: &[Weight; BLOCK],
    ) {
        let simd = self.simd;
        let row = self.row(y);
        if let Some(block) = block_at(row, x) {
            pixels::ink(simd, block, colors, shares, weights);
        } else {
            cut(row, x, |block| pixels::ink(simd, block, colors, shares, weights));
        }
    }
}

/// The block that begins at column `x`, if all of it lies in the row.
#[inline(always)]
fn block_at(row: &mut [Pixel], x: i32) -> Option<&mut Block> {
    row.get_mut(usize::try_from(x).ok()?..)?.first_chunk_mut()
}

/// Changes a block that a side of the frame cuts.
#[cold]
fn cut(row: &mut [Pixel], x: i32, change: impl FnOnce(&mut Block)) {
    let mut block = [[0; 4]; BLOCK];
    let (first, end) = (x.max(0), (x + signed(BLOCK)).min(signed(row.len())));
    if first >= end {
        return;
    }
    let inside = (first - x) as usize..(end - x) as usize;
    let row = &mut row[first as usize..end as usize];
    block[inside.clone()].copy_from_slice(row);
    change(&mut block);
    row.copy_from_slice(&block[inside]);
}
