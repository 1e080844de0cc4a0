//! Merges: elements come and go, and the others keep their home cells and their order.
//!
//! A sort moves elements to new homes. Where few come and go, one pass is enough: the elements between
//! two changes move together.
//!
//! ```text
//! slots    [ 0 | 1 | × | 3 | 4 ] 5   6          2 goes, 5 and 6 come
//! runs       0..2 │ 5 │ 3..5 │ 6                newcomers lie behind the others of their cells
//! merged   [ 0 | 1 | 5 | 3 | 4 | 6 ]
//! ```
//!
//! The offset of a cell changes by the number of newcomers to the cells before, less the number of those
//! that have gone from there.

use std::ops::Range;

use super::{
    Elements, Grid, PackedWindows,
    home::{NONE, split},
    loose::LooseGrid,
};
use crate::{alloc, error::Result, parallel};

/// Slots or cells per task.
const PIECE: usize = 16_384;

/// Purpose of the memory, for errors.
const MERGE: &str = "the agents that come and go";

/// Elements that stay side by side.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The slot of the first one before.
    from: u32,
    /// And now; the run ends where the next one begins.
    to: u32,
}

/// The end of no runs.
const END: Run = Run { from: 0, to: 0 };

/// The slots from which elements move to their new ones.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    /// Ascending, with one behind the last that is empty.
    runs: Vec<Run>,
    /// Cells in which elements came or went, ascending, and how much the offsets behind each change.
    shifts: Vec<(u32, u32)>,
    /// Home and slot of each newcomer.
    come: Vec<(u32, u32)>,
}

impl Merge {
    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.runs.last().map_or(0, |end| end.to as usize)
    }

    /// The new slots of newcomers, which were behind the first `kept` slots.
    pub(crate) fn newcomers(&self, kept: usize) -> impl Iterator<Item = u32> {
        let (_, runs) = self.runs.split_last().unwrap_or((&END, &[]));
        runs.iter().filter(move |run| run.from as usize >= kept).map(|run| run.to)
    }

    /// Gathers the entries of a column that belong in some slots, of which the first is given.
    pub(crate) fn gather<T: Copy>(&self, first: usize, from: &[T], to: &mut [T]) {
        let end = first + to.len();
        let run = self.runs.partition_point(|run| run.to as usize <= first).saturating_sub(1);
        for pair in self.runs[run..].windows(2) {
            let start = first.max(pair[0].to as usize);
            let stop = end.min(pair[1].to as usize);
            if start >= stop {
                break;
            }
            let source = pair[0].from as usize + (start - pair[0].to as usize);
            let to = &mut to[start - first..stop - first];
            match to {
                [one] => *one = from[source],
                _ => to.copy_from_slice(&from[source..source + to.len()]),
            }
        }
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
            + self.shifts.capacity() * size_of::<(u32, u32)>()
            + self.come.capacity() * size_of::<(u32, u32)>()
    }

    /// Appends the elements of some former slots.
    fn push(&mut self, slots: Range<u32>) -> Result<()> {
        // The last run is empty until now.
        let end = self.runs.last_mut().expect("there is an empty one");
        if slots.is_empty() {
            return Ok(());
        }
        end.from = slots.start;
        let to = end.to + (slots.end - slots.start);
        alloc::push(&mut self.runs, Run { from: slots.end, to }, MERGE)
    }
}

impl Grid {
    /// The first half of a merge: finds the cells of the elements behind those in the grid, and drops the
    /// elements in the slots `gone`, which ascend. Gather the elements by `merge`, then call
    /// [`Self::set_merged`]; until then, searches return meaningless results.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Panics
    /// If the elements do not lie in cell order, some cells are not stored, or there are more elements than
    /// the capacity.
    pub(crate) fn merge<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        gone: impl Iterator<Item = usize>,
        merge: &mut Merge,
    ) -> Result<()> {
        assert!(self.loose.sorted && !self.edited, "the elements must lie in cell order");
        let kept = self.len;
        merge.come.clear();
        for (element, (center, _)) in (kept..).zip(elements.extents(kept..elements.len())) {
            let home = self.loose.layout.home(center);
            self.loose.home[element] = home;
            alloc::push(&mut merge.come, (home, element as u32), MERGE)?;
        }
        merge.come.sort_unstable();
        self.find_runs(gone, merge)?;
        self.move_homes(merge);
        self.move_offsets(&merge.shifts);
        self.len = merge.len();
        Ok(())
    }

    /// The second half: the elements now lie in that order. Without `windows`, these are computed on demand
    /// until the next sort, for a caller that hardly searches for contacts.
    ///
    /// # Errors
    /// If there is no memory for the lists of outlier cells.
    pub(crate) fn set_merged<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        windows: bool,
    ) -> Result<()> {
        assert_eq!(elements.len(), self.len, "elements are gathered by the merge");
        if windows {
            self.pack_windows();
        } else {
            self.loose.items.fill(PackedWindows::LONG.0);
        }
        self.scan_outliers(elements)
    }

    /// Computes the windows of all slots again, which a merge may have left out.
    pub(crate) fn pack_windows(&mut self) {
        if self.loose.sorted {
            self.loose.pack_windows(self.simd);
        }
    }

    fn find_runs(&self, gone: impl Iterator<Item = usize>, merge: &mut Merge) -> Result<()> {
        let Self { loose, len, .. } = self;
        let cell = |home: u32| {
            let [col, row] = split(home);
            loose.pages.stored(col, row)
        };
        let come = std::mem::take(&mut merge.come);
        let newcomers = come.iter().map(|&(home, slot)| {
            let cell = cell(home);
            (loose.starts[cell as usize + 1], cell, Some(slot))
        });
        let gone = gone.map(|slot| (slot as u32, cell(loose.home[slot]), None));
        merge.runs.clear();
        merge.shifts.clear();
        alloc::push(&mut merge.runs, END, MERGE)?;
        let (mut next, mut shift) = (0, 0_u32);
        // A newcomer comes before the slot behind its cell.
        let (mut newcomers, mut gone) = (newcomers.peekable(), gone.peekable());
        loop {
            let comes = match (newcomers.peek(), gone.peek()) {
                (Some(newcomer), Some(one)) => newcomer.0 <= one.0,
                (newcomer, _) => newcomer.is_some(),
            };
            let Some((slot, cell, newcomer)) = (if comes { newcomers.next() } else { gone.next() })
            else {
                break;
            };
            merge.push(next..slot)?;
            if let Some(newcomer) = newcomer {
                merge.push(newcomer..newcomer + 1)?;
                next = slot;
                shift = shift.wrapping_add(1);
            } else {
                next = slot + 1;
                shift = shift.wrapping_sub(1);
            }
            alloc::push(&mut merge.shifts, (cell, shift), MERGE)?;
        }
        merge.push(next..*len as u32)?;
        merge.come = come;
        Ok(())
    }

    /// Brings the homes into the new order.
    fn move_homes(&mut self, merge: &Merge) {
        let LooseGrid { items, home, .. } = &mut self.loose;
        items.resize(home.len(), NONE);
        let (moved, others) = items.split_at_mut(merge.len());
        others.fill(NONE);
        parallel::pieces(
            moved,
            PIECE,
            &|first, moved: &mut [u32]| merge.gather(first, home, moved),
            &|(), ()| (),
        );
        std::mem::swap(items, home);
        items.truncate(merge.len());
    }

    /// Changes the offsets of the cells behind those in which elements came or went.
    fn move_offsets(&mut self, shifts: &[(u32, u32)]) {
        parallel::pieces(
            &mut self.loose.starts[..],
            PIECE,
            &|first, mut starts: &mut [u32]| {
                let before = shifts.partition_point(|&(behind, _)| (behind as usize) < first);
                let mut shift = before.checked_sub(1).map_or(0, |last| shifts[last].1);
                let mut cell = first;
                for &(behind, next) in &shifts[before..] {
                    let count = (behind as usize + 1 - cell).min(starts.len());
                    let (some, others) = std::mem::take(&mut starts).split_at_mut(count);
                    move_all(some, shift);
                    (starts, cell, shift) = (others, cell + count, next);
                    if starts.is_empty() {
                        break;
                    }
                }
                move_all(starts, shift);
            },
            &|(), ()| (),
        );
    }
}

/// Adds a shift, which may be negative, to some offsets.
fn move_all(starts: &mut [u32], shift: u32) {
    for start in starts {
        *start = start.wrapping_add(shift);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use glam::Vec2;

    use super::*;
    use crate::{
        geometry::{Disc, Rect},
        grid::GridConfig,
        rng::Rng,
    };

    /// A full grid of discs in cell order.
    fn start(count: usize, rng: &mut Rng) -> (Grid, Vec<Disc>) {
        let world = Rect::from_size(60.0, 90.0);
        let config = GridConfig { capacity: 9_000, ..GridConfig::new(world, 1.0, 1) };
        let mut grid = Grid::new(config).unwrap();
        grid.loose.pages.mark_all();
        grid.loose.pages.lay_out().unwrap();
        let mut discs: Vec<_> = (0..count).map(|_| disc(rng)).collect();
        let order = grid.sort(&discs).unwrap();
        discs = order.iter().map(|&from| discs[from as usize]).collect();
        grid.set_sorted(&discs).unwrap();
        (grid, discs)
    }

    fn disc(rng: &mut Rng) -> Disc {
        let radius = if rng.below(50) == 0 { 0.7 } else { 0.2 };
        Disc::new(Vec2::new(rng.unit() * 62.0 - 1.0, rng.unit() * 90.0), radius)
    }

    /// The windows of all slots. Where an empty one begins has no meaning.
    fn windows(grid: &Grid) -> Vec<[Range<usize>; 2]> {
        let windows = (0..grid.len()).map(|slot| <[Range<usize>; 2]>::from(grid.windows(slot)));
        let range = |range: Range<usize>| if range.is_empty() { 0..0 } else { range };
        windows.map(|windows| windows.map(range)).collect()
    }

    #[test]
    fn newcomers_lie_behind_the_others_of_their_cells() {
        let mut rng = Rng::new(4);
        let mut merge = Merge::default();
        for (count, goes, comes) in
            [(5_000, 20, 50), (3_000, 2, 3_000), (40, 1, 0), (40, 1, 5), (0, 1, 3), (7, 10_000, 9)]
        {
            let (mut grid, mut discs) = start(count, &mut rng);
            for _ in 0..5 {
                for disc in &mut discs {
                    disc.center += Vec2::new(rng.unit() - 0.5, rng.unit() - 0.5);
                }
                grid.update(&discs).unwrap();
                let kept = discs.len();
                let gone: Vec<_> = (0..kept).filter(|_| rng.below(goes) == 0).collect();
                discs.extend((0..comes).map(|_| disc(&mut rng)));
                // Every element with its home, its former slot last.
                let mut expected: Vec<_> = (0..discs.len())
                    .filter(|slot| gone.binary_search(slot).is_err())
                    .map(|slot| {
                        let home = if slot < kept { grid.loose.home[slot] } else { NONE };
                        let new = grid.loose.layout.home(discs[slot].center);
                        (if home == NONE { new } else { home }, slot)
                    })
                    .collect();
                expected.sort_unstable();
                grid.merge(&discs[..], gone.iter().copied(), &mut merge).unwrap();
                let mut merged = vec![disc(&mut rng); merge.len()];
                merge.gather(0, &discs, &mut merged);
                let pieces = [merged.len() / 3, merged.len() / 2];
                for piece in [0..pieces[0], pieces[0]..pieces[1], pieces[1]..merged.len()] {
                    let mut part = merged[piece.clone()].to_vec();
                    merge.gather(piece.start, &discs, &mut part);
                    assert_eq!(part, merged[piece]);
                }
                assert!(merged.iter().eq(expected.iter().map(|&(_, slot)| &discs[slot])));
                let newcomers = (0..).zip(&expected).filter(|(_, (_, slot))| *slot >= kept);
                assert!(merge.newcomers(kept).eq(newcomers.map(|(slot, _)| slot)));
                discs = merged;
                grid.set_merged(&discs[..], false).unwrap();
                let demanded = windows(&grid);
                grid.pack_windows();
                assert!(windows(&grid) == demanded);
                grid.validate(&discs).unwrap();
                assert!(grid.homes().iter().eq(expected.iter().map(|(home, _)| home)));
                let mut restored = grid.clone();
                restored.set_homes(&discs[..], grid.homes()).unwrap();
                assert_eq!(restored.loose.starts, grid.loose.starts);
                assert_eq!(restored.packed_windows(), grid.packed_windows());
            }
        }
    }
}
