//! How the discs of a level are dealt to tiles, like cards.
//!
//! Each tile gets every n-th rank, so that all tiles have the same number of discs, or one more,
//! and the same sizes. The discs of a tile have consecutive spots, the largest first.
//!
//! ```text
//! ranks, three tiles   0 1 2 | 3 4 5 | 6 7
//! spots                0 3 6 | 1 4 7 | 2 5
//! ```

use std::ops::Range;

/// The spots of the discs of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deal {
    first: u32,
    count: u32,
    tiles: u32,
}

impl Deal {
    /// The ranks of a level, dealt to so many tiles, at least one. Spots begin with the number of
    /// the first rank.
    pub(super) const fn new(ranks: &Range<usize>, tiles: usize) -> Self {
        let count = (ranks.end - ranks.start) as u32;
        Self { first: ranks.start as u32, count, tiles: tiles as u32 }
    }

    /// The first rank, and the first spot.
    pub(super) const fn first(&self) -> usize {
        self.first as usize
    }

    /// The number of discs.
    pub(super) const fn count(&self) -> usize {
        self.count as usize
    }

    /// The spot of a rank.
    #[inline]
    pub(super) const fn spot(&self, rank: u32) -> u32 {
        let card = rank - self.first;
        self.start(card % self.tiles) + card / self.tiles
    }

    /// The rank of the `index`-th spot of the level.
    #[inline]
    pub(super) const fn rank(&self, index: u32) -> u32 {
        let (each, more) = (self.count / self.tiles, self.count % self.tiles);
        // The first tiles have one more.
        let large = more * (each + 1);
        let (tile, turn) = if index < large {
            (index / (each + 1), index % (each + 1))
        } else {
            (more + (index - large) / each, (index - large) % each)
        };
        self.first + turn * self.tiles + tile
    }

    /// The spots of a tile.
    pub(super) const fn of_tile(&self, tile: usize) -> Range<usize> {
        self.start(tile as u32) as usize..self.start(tile as u32 + 1) as usize
    }

    /// The first spot of a tile.
    #[inline]
    const fn start(&self, tile: u32) -> u32 {
        let (each, more) = (self.count / self.tiles, self.count % self.tiles);
        self.first + tile * each + if tile < more { tile } else { more }
    }

    /// The spots of a tile in one of several rounds.
    pub(super) const fn of_round(&self, tile: usize, round: usize, rounds: usize) -> Range<usize> {
        let spots = self.of_tile(tile);
        let count = spots.end - spots.start;
        spots.start + count * round / rounds..spots.start + count * (round + 1) / rounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_spots_are_each_others_inverse() {
        for (count, tiles) in [(1, 1), (8, 3), (9, 3), (2, 5), (1_000, 7)] {
            let deal = Deal::new(&(10..10 + count), tiles);
            let mut spots: Vec<usize> =
                (10..10 + count).map(|rank| deal.spot(rank as u32) as usize).collect();
            for (rank, &spot) in (10..).zip(&spots) {
                assert_eq!(deal.rank(spot as u32 - 10) as usize, rank, "{count} {tiles}");
                assert!(deal.of_tile((rank - 10) % tiles).contains(&spot));
            }
            spots.sort_unstable();
            assert!(spots.into_iter().eq(10..10 + count), "{count} {tiles}");
            let dealt = (0..tiles)
                .flat_map(|tile| (0..4).flat_map(move |round| deal.of_round(tile, round, 4)));
            assert!(dealt.eq(10..10 + count), "{count} {tiles}");
        }
    }
}
