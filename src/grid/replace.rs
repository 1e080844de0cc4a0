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
    /// all in this row, and ascend. The elements must lie in cell order otherwise, and their outliers be
    /// [recorded](Self::record_outliers); call [`Self::list_outliers`] afterwards.
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
    /// Replaces the homes of the elements in some of `len` slots, which are all of a row, by others, whose
    /// slots are given, too. The windows of these are not set.
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
            behind.iter_mut().for_each(|start| *start = start.wrapping_add(shift));
        }
    }
}
