//! Replaces the elements of one row of loose cells by others. Elements behind them move to other slots,
//! but keep their cells, and their windows, which are distances.

use std::ops::Range;

use super::{
    Elements, Grid, OutlierScan,
    home::NONE,
    loose::{LooseGrid, PackPiece},
    rebuild::ScanPiece,
};
use crate::parallel::Split;

impl Grid {
    /// Takes over the elements of a row that a caller has replaced by others. `homes` are their home cells,
    /// all in this row, and ascend. The elements must have been in cell order before, and their outliers
    /// [recorded](Self::record_outliers). Call [`Self::list_outliers`] after all rows are replaced.
    ///
    /// # Panics
    /// If the elements do not lie in cell order, some cells are not stored, or there is no room for the
    /// elements.
    pub(crate) fn replace_row<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        row: u32,
        homes: &[u32],
    ) {
        assert!(self.loose.sorted && !self.edited, "the elements must lie in cell order");
        assert!(elements.len() <= self.config.capacity, "there is room for the elements");
        let (old, len, simd) = (self.row_slots(row), self.len, self.simd);
        let new = old.start..old.start + homes.len();
        self.len = len - old.len() + new.len();
        assert_eq!(self.len, elements.len(), "the row has that many elements");
        self.loose.replace_row(row, [&old, &new], len, homes);
        let before = self.row_slots(row.saturating_sub(1)).start;
        let mut windows = std::mem::take(&mut self.loose.items);
        simd.run(PackPiece {
            loose: &self.loose,
            first: before,
            windows: &mut windows[before..new.end],
        });
        self.loose.items = windows;
        self.outliers.shift([&old, &new]);
        let words = new.start / OutlierScan::WORD..new.end.div_ceil(OutlierScan::WORD);
        let first = words.start * OutlierScan::WORD;
        let (_, scan) = self.outlier_scan(elements.len()).split_at(first);
        let (scan, _) = scan.split_at(words.len() * OutlierScan::WORD);
        simd.run(ScanPiece { scan, elements, first });
    }
}

impl LooseGrid {
    /// Replaces the homes of a row's elements, in slots `old` of `len`, by others for the slots `new`. The windows
    /// of these are not set.
    fn replace_row(&mut self, row: u32, [old, new]: [&Range<usize>; 2], len: usize, homes: &[u32]) {
        let width = self.pages.full().expect("all cells are stored");
        let Self { starts, items, home, .. } = self;
        let now = len - old.len() + new.len();
        items.resize(len.max(now), 0);
        items.copy_within(old.end..len, new.end);
        items.truncate(now);
        home.copy_within(old.end..len, new.end);
        home[now..len.max(now)].fill(NONE);
        home[new.clone()].copy_from_slice(homes);
        let first = 1 + (row * width) as usize;
        let (of_row, behind) = starts[first..].split_at_mut(width as usize);
        for (col, start) in (0..).zip(of_row) {
            let before = homes.partition_point(|&home| home < (row << 16 | col));
            *start = (new.start + before) as u32;
        }
        let shift = (new.len() as u32).wrapping_sub(old.len() as u32);
        if shift != 0 {
            for start in behind {
                *start = start.wrapping_add(shift);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::{
        geometry::{Disc, Rect},
        grid::GridConfig,
        rng::Rng,
    };

    /// Rows of some 130 elements, many of them outliers, in a grid with three words per row and more.
    #[test]
    fn a_row_is_replaced_as_if_all_were_placed_again() {
        let world = Rect::from_size(90.0, 20.0);
        let mut rng = Rng::new(5);
        let mut disc = |radius| {
            let at = Vec2::new(rng.unit() * 90.0, rng.unit() * 20.0);
            (Disc::new(at, if rng.unit() < 0.2 { 1.4 } else { radius }), rng.unit())
        };
        let mut discs: Vec<_> = (0..2_600).map(|_| disc(0.3).0).collect();
        let mut grid = Grid::new(GridConfig::new(world, 1.0, 9_000)).unwrap();
        grid.loose.pages.mark_all();
        grid.loose.pages.lay_out().unwrap();
        let order = grid.sort(&discs).unwrap();
        discs = order.iter().map(|&from| discs[from as usize]).collect();
        grid.set_sorted(&discs).unwrap();
        let rows = grid.loose_cells()[1];
        for round in 0..200 {
            let (_, share) = disc(0.3);
            let row = (share * rows as f32) as u32;
            let slots = grid.row_slots(row);
            let bounds = grid.loose_bounds([0, row]);
            let (_, share) = disc(0.3);
            let count = if round % 9 == 0 { 0 } else { (share * 260.0) as usize };
            let mut others: Vec<_> = (0..count)
                .map(|_| {
                    let (Disc { center, radius }, _) = disc(0.3);
                    let y = bounds.min.y + (bounds.max.y - bounds.min.y) * center.y / 20.0;
                    Disc::new(Vec2::new(center.x, y), radius)
                })
                .collect();
            let home = |disc: &Disc| row << 16 | grid.loose.layout.home(disc.center) & 0xffff;
            others.sort_by_key(home);
            let homes: Vec<_> = others.iter().map(home).collect();
            discs.splice(slots, others);
            grid.replace_row(&*discs, row, &homes);
            let outliers = grid.outliers.recount(discs.len());
            grid.list_outliers(&*discs, outliers).unwrap();
            grid.validate(&discs).unwrap();
            let mut placed = grid.clone();
            placed.set_homes(&*discs, grid.homes()).unwrap();
            let all = |grid: &Grid| grid.outliers_in(0..discs.len()).collect::<Vec<_>>();
            assert_eq!(all(&placed), all(&grid), "outliers, round {round}");
            assert_eq!(placed.loose.items, grid.loose.items, "windows, round {round}");
            assert_eq!(placed.loose.starts, grid.loose.starts, "offsets, round {round}");
        }
    }
}
