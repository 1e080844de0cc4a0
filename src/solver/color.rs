//! Colors: eight pairs of a band without a common body share a block.
//!
//! Each pair of a band takes the first color that neither of its bodies has yet, and goes into the
//! open block of that color:
//!
//! ```text
//! pairs   (0,1) (0,2) (1,2) (3,4) …           canonical order
//! colors    0     1     2     0
//! blocks  [ (0,1) (3,4) … ] [ (0,2) … ] [ (1,2) … ]
//! ```
//!
//! The lanes that are left in the last block of a color repeat the bodies of its first lane, with a
//! gap and without an impulse. Bodies are stored from the last lane to the first, so that such a
//! lane changes nothing.

use crate::{
    contacts::Pair,
    simd::pairs::{LANES, PairBlock},
};

/// Colors of a band. A pair for which none is left gets a block of its own.
pub(super) const COLORS: usize = 16;

/// Blocks of one color in a row: independent of each other, so that the processor overlaps them.
pub(super) const CHUNK: usize = 4;

/// Puts a pair into a lane of a block.
#[inline(always)]
pub(super) fn set(block: &mut PairBlock, lane: usize, [i, j]: Pair, share: f32, impulse: f32) {
    let lane = lane % LANES;
    block.i[lane] = i;
    block.j[lane] = j;
    block.share[lane] = share;
    block.impulse[lane] = impulse;
}

/// The blocks of a band's colors, as pairs fill them.
pub(super) struct Coloring {
    /// The open block of each color, the number of its pairs, and the number of blocks behind it.
    open: [(usize, usize, usize); COLORS],
    /// Blocks begun by each color at once.
    chunk: usize,
    used: usize,
}

impl Coloring {
    /// Begins with a band of which the contact list has that many pairs.
    #[inline(always)]
    pub(super) fn new(listed: usize) -> Self {
        let chunk = if listed > 1024 { CHUNK } else { 1 };
        Self { open: [(0, LANES, 0); COLORS], chunk, used: 0 }
    }

    /// The block and lane of a pair, and whether it has the block for itself.
    #[inline(always)]
    fn place(&mut self, colors: &mut [u16], pair: Pair) -> (usize, usize, bool) {
        let [i, j] = pair.map(|slot| slot as usize);
        let color = (colors[i] | colors[j]).trailing_ones() as usize;
        let Some((block, count, more)) = self.open.get_mut(color) else {
            self.used += 1;
            return (self.used - 1, 0, true);
        };
        colors[i] |= 1 << color;
        colors[j] |= 1 << color;
        if *count == LANES {
            if *more == 0 {
                (*block, *count, *more) = (self.used, 0, self.chunk - 1);
                self.used += self.chunk;
            } else {
                (*block, *count, *more) = (*block + 1, 0, *more - 1);
            }
        }
        *count += 1;
        (*block, *count - 1, false)
    }

    /// Puts a pair into a lane. Returns its place, or nothing if there is no such block.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        pair: Pair,
        share: f32,
        impulse: f32,
        colors: &mut [u16],
        blocks: &mut [PairBlock],
    ) -> Option<u32> {
        let (block, lane, alone) = self.place(colors, pair);
        let entry = blocks.get_mut(block)?;
        set(entry, lane, pair, share, impulse);
        if alone {
            entry.pad(1);
        }
        Some((block * LANES + lane) as u32)
    }

    /// Fills the lanes that are left. Returns the number of blocks.
    #[inline(always)]
    pub(super) fn finish(self, blocks: &mut [PairBlock]) -> usize {
        for (block, count, more) in self.open {
            if count < LANES
                && let Some(block) = blocks.get_mut(block)
            {
                block.pad(count);
            }
            for block in block + 1..block + 1 + more {
                if let Some(block) = blocks.get_mut(block) {
                    *block = PairBlock::EMPTY;
                }
            }
        }
        self.used
    }
}
