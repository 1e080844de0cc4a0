//! Items dealt to tiles: each to a random tile, as if its position were drawn in the whole region.
//!
//! So the number of items in a tile is as random as that of uniform positions, in tiles of any
//! number. A counting sort, in pieces of the items, on all threads; no piece decides where an item
//! goes.
//!
//! ```text
//! tile of each item     2 0 2 | 1 0 2        two pieces
//! counts, tile by tile  1 0 2 | 1 1 1        of each piece
//! first places          0 2 3 | 1 2 5
//! items by tile         1 4 | 3 | 0 2 5
//! ```

use std::{
    ops::Range,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use crate::{alloc, error::Result, parallel, rng::keyed_below};

/// Largest number of pieces, and least number of items in one.
const PIECES: usize = 64;
const ITEMS_PER_PIECE: usize = 4_096;

/// What the memory is for.
pub(super) const PART: &str = "the tiles of agents";

/// Items by tile, those of a tile in the order of their numbers.
#[derive(Debug)]
pub(super) struct Deal {
    /// Atomic, as threads write to places all over it. No two write to the same place.
    items: Vec<AtomicU32>,
    /// The first place of each tile, and the end of the last.
    starts: Vec<u32>,
}

impl Deal {
    /// Deals the numbers below `count` to so many tiles, at least one.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(key: u64, count: usize, tiles: usize) -> Result<Self> {
        let tile_of = |item: usize| keyed_below(key, item as u32, tiles as u32) as usize;
        let size = count.div_ceil(PIECES).max(ITEMS_PER_PIECE);
        let pieces = count.div_ceil(size);
        let items_of = |first: usize| {
            let piece = first / tiles;
            piece * size..((piece + 1) * size).min(count)
        };
        let mut places = alloc::filled(pieces * tiles, 0_u32, PART)?;
        let each = |first: usize, counts: &mut [u32]| {
            items_of(first).for_each(|item| counts[tile_of(item)] += 1);
        };
        parallel::pieces(&mut places[..], tiles, &each, &|(), ()| ());
        let mut starts = alloc::with_capacity(tiles + 1, PART)?;
        let mut end = 0;
        for tile in 0..tiles {
            starts.push(end);
            for piece in 0..pieces {
                let place = &mut places[piece * tiles + tile];
                (*place, end) = (end, end + *place);
            }
        }
        starts.push(end);
        let mut items = Vec::new();
        alloc::extend_by(&mut items, count, &|_| AtomicU32::new(0), PART)?;
        let each = |first: usize, places: &mut [u32]| {
            for item in items_of(first) {
                let place = &mut places[tile_of(item)];
                items[*place as usize].store(item as u32, Relaxed);
                *place += 1;
            }
        };
        parallel::pieces(&mut places[..], tiles, &each, &|(), ()| ());
        Ok(Self { items, starts })
    }

    /// The places of the items of a tile.
    pub(super) fn of_tile(&self, tile: usize) -> Range<usize> {
        self.starts[tile] as usize..self.starts[tile + 1] as usize
    }

    /// The item at a place.
    #[inline]
    pub(super) fn item(&self, place: usize) -> usize {
        self.items[place].load(Relaxed) as usize
    }

    /// Puts another number in the place of an item.
    #[inline]
    pub(super) fn replace(&self, place: usize, item: usize) {
        self.items[place].store(item as u32, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_dealt_once_and_in_order() {
        for (count, tiles) in [(0, 3), (1, 1), (9, 3), (2, 5), (100_000, 7), (300_000, 20_000)] {
            let deal = Deal::new(5, count, tiles).expect("there is memory");
            let mut items = Vec::new();
            for tile in 0..tiles {
                let of_tile: Vec<usize> = deal.of_tile(tile).map(|at| deal.item(at)).collect();
                assert!(of_tile.is_sorted(), "{count} {tiles}");
                items.extend(of_tile);
            }
            items.sort_unstable();
            assert!(items.into_iter().eq(0..count), "{count} {tiles}");
        }
    }

    #[test]
    fn threads_deal_alike() {
        let dealt = |threads| {
            let deal = || Deal::new(9, 50_000, 40).expect("there is memory");
            let deal = parallel::pool(threads).expect("threads").install(deal);
            (0..50_000).map(|place| deal.item(place)).collect::<Vec<_>>()
        };
        assert!(dealt(1) == dealt(3));
    }

    /// Numbers of items per tile, by chi-square: 399 degrees of freedom, a standard deviation of 28.
    #[test]
    fn counts_are_those_of_random_tiles() {
        for key in 0..10 {
            let deal = Deal::new(key, 40_000, 400).expect("there is memory");
            let excess = |tile| (deal.of_tile(tile).len() as f64 - 100.0).powi(2) / 100.0;
            let square: f64 = (0..400).map(excess).sum();
            assert!((280.0..540.0).contains(&square), "{key}: {square}");
        }
    }
}
