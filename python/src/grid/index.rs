//! The index: points in the cell order of a grid, as f32 for the search and as f64 for the decision.
//!
//! ```text
//! caller     positions, f32 or f64           │ 17 │ 4 │ 90 │ …
//!                                              ╲   ╱
//! x y r      discs in cell order, f32        │ 4 │ 17 │ 2 │ …     12 bytes per point
//! exact      the positions of the caller     │ 4 │ 17 │ 2 │ …     16 bytes per point
//! id         the index of each               │ 4 │ 17 │ 2 │ …      4 bytes per point
//! ```
//!
//! The discs are shifted, so that the middle of the points is at 0, and each is enlarged by more than
//! rounding moves it. So a search of f32 finds all candidates, wherever the caller's origin is, and
//! the numbers of the caller decide. Far points are rounded more than others, and cost these nothing.

use jostle::{Grid, GridConfig, Rect, Vec2, grid::DiscColumns};
use rayon::prelude::*;

use super::{
    input::{LengthView, Rows},
    layout::Layout,
    memory::{Result, collected, reserve, resize, zeroed},
};

/// Points that are worked on together.
const PIECE: usize = 8_192;

/// Error of a coordinate, as a share of the largest: the shift and the conversion each round by at
/// most 2⁻²⁴ of it.
const ERROR: f64 = 1.0 / (1 << 21) as f64;

/// Least error, world units: the square of a length of a search does not vanish in f32.
const ERROR_MIN: f64 = 1e-15;

/// Factor by which lengths of a search are enlarged: sums, squares and conversions round by a few
/// 2⁻²⁴.
pub(super) const ENLARGED: f64 = 1.0 + 1.0 / (1 << 19) as f64;

/// Width of a cell, in radii of large discs: smaller discs stay near their cells.
pub(super) const RADII_PER_CELL: f64 = 2.1;

/// One disc in this many may be too large for its cell.
const LARGE_SHARE: usize = 32;

/// Points of which the median is taken.
const MIDDLE_SAMPLE: usize = 4_096;

/// Points in cell order.
pub(super) struct Index {
    pub(super) grid: Grid,
    layout: Layout,
    pub(super) x: Vec<f32>,
    pub(super) y: Vec<f32>,
    radius: Vec<f32>,
    pub(super) exact: Vec<[f64; 2]>,
    pub(super) radii: Radii,
    /// The index of each point.
    pub(super) id: Vec<u32>,
    /// The point of the caller that is 0 here.
    origin: [f64; 2],
    /// The largest coordinate.
    pub(super) extent: f64,
    /// The radius that nearly all discs have, or less.
    pub(super) large: f64,
    pub(super) largest: f64,
    /// The distance by which the grid knows the discs as enlarged.
    pub(super) within: f64,
}

/// The radii of the caller, in cell order.
pub(super) enum Radii {
    Same(f64),
    Each(Vec<f64>),
}

impl Radii {
    #[inline(always)]
    pub(super) fn get(&self, slot: usize) -> f64 {
        match self {
            Self::Same(radius) => *radius,
            Self::Each(radii) => radii[slot],
        }
    }
}

/// Points in the order of the caller.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) positions: Rows<'a>,
    pub(super) radius: LengthView<'a>,
}

impl Index {
    /// The index of points that are finite and within the limit, in a world given by its corners.
    ///
    /// It takes the grid of a former index, and returns true with it, if that has room, and cells of
    /// the same layout.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(
        source: Source<'_>,
        world: Option<[f64; 4]>,
        former: &mut Option<Self>,
    ) -> Result<(Self, bool)> {
        let count = source.positions.len();
        let hull = hull(source.positions);
        let origin = match world {
            Some([x0, y0, x1, y1]) => [0.5 * (x0 + x1), 0.5 * (y0 + y1)],
            None => middle(source.positions),
        };
        let corners = [hull, world.unwrap_or(hull)];
        let extent = corners
            .iter()
            .flat_map(|&[x0, y0, x1, y1]| {
                [x0 - origin[0], x1 - origin[0], y0 - origin[1], y1 - origin[1]]
            })
            .fold(0.0_f64, |most, coordinate| most.max(coordinate.abs()));
        let (large, largest) = large_radii(count, source.radius)?;
        let at = |index: usize| {
            let [x, y] = source.positions.get(index);
            shifted([x, y], origin)
        };
        let rect = |[x0, y0, x1, y1]: [f64; 4]| {
            Rect::new(shifted([x0, y0], origin), shifted([x1, y1], origin))
        };
        let layout = Layout::new(count, at, rect(hull), world.map(rect));
        let least = RADII_PER_CELL * (large + error_of(layout.bounds.max));
        let layout = layout.with_cells_of_at_least(least as f32);
        let reused = former.take_if(|former| {
            former.layout == layout
                && former.origin == origin
                && count <= former.grid.config().capacity
        });
        let same_grid = reused.is_some();
        let mut index = reused.map_or_else(|| Self::empty(layout, count), Ok)?;
        (index.origin, index.extent, index.large, index.largest) = (origin, extent, large, largest);
        index.sort(source)?;
        Ok((index, same_grid))
    }

    /// An index of the same points with larger cells.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn with_cells(&self, cell: f64) -> Result<Self> {
        let layout = self.layout.with_cells_of_at_least(cell as f32);
        let mut index = Self::empty(layout, self.id.len())?;
        (index.origin, index.extent) = (self.origin, self.extent);
        (index.large, index.largest) = (self.large, self.largest);
        index.place(
            self.discs(),
            |slot| self.exact[slot],
            |slot| self.radii.get(slot),
            matches!(self.radii, Radii::Same(_)),
        )?;
        for id in &mut index.id {
            *id = self.id[*id as usize];
        }
        Ok(index)
    }

    fn empty(layout: Layout, count: usize) -> Result<Self> {
        let config = GridConfig::new(layout.bounds, layout.cell, count);
        Ok(Self {
            grid: Grid::new(config.with_edits(0))?,
            layout,
            x: Vec::new(),
            y: Vec::new(),
            radius: Vec::new(),
            exact: Vec::new(),
            radii: Radii::Same(0.0),
            id: Vec::new(),
            origin: [0.0; 2],
            extent: 0.0,
            large: 0.0,
            largest: 0.0,
            within: 0.0,
        })
    }

    /// Puts the points of the caller into cell order.
    fn sort(&mut self, source: Source<'_>) -> Result<()> {
        let Source { positions, radius } = source;
        let count = positions.len();
        let origin = self.origin;
        let mut columns = [zeroed::<f32>(count)?, zeroed(count)?, zeroed(count)?];
        let [x, y, r] = &mut columns;
        pieces((x, y, r), |first, (x, y, r)| {
            for (at, ((x, y), r)) in x.iter_mut().zip(y).zip(r).enumerate() {
                let point = shifted(positions.get(first + at), origin);
                let radius = enlarged(radius.get(first + at) + error_of(point));
                (*x, *y, *r) = (point.x, point.y, radius);
            }
        });
        let [x, y, r] = &columns;
        let discs = DiscColumns { x, y, radius: r };
        let same = matches!(radius, LengthView::Same(_));
        self.place(discs, |index| positions.get(index), |index| radius.get(index), same)
    }

    /// Sorts discs, with the numbers that they are of, into cells.
    fn place(
        &mut self,
        discs: DiscColumns<'_>,
        position: impl Fn(usize) -> [f64; 2] + Sync,
        radius: impl Fn(usize) -> f64 + Sync,
        same: bool,
    ) -> Result<()> {
        let count = discs.x.len();
        let Self { grid, x, y, radius: r, exact, radii, id, .. } = self;
        let order = grid.sort(&discs)?;
        id.clear();
        reserve(id, count)?;
        id.extend_from_slice(order);
        for column in [&mut *x, y, r] {
            resize(column, count, 0.0)?;
        }
        resize(exact, count, [0.0; 2])?;
        let id = &id[..];
        pieces((x, y, r), |first, (x, y, r)| {
            for (((x, y), r), &id) in x.iter_mut().zip(y).zip(r).zip(&id[first..]) {
                let id = id as usize;
                (*x, *y, *r) = (discs.x[id], discs.y[id], discs.radius[id]);
            }
        });
        let gather = |(first, part): (usize, &mut [[f64; 2]])| {
            for (exact, &id) in part.iter_mut().zip(&id[first * PIECE..]) {
                *exact = position(id as usize);
            }
        };
        if in_pool() {
            exact.par_chunks_mut(PIECE).enumerate().for_each(gather);
        } else {
            exact.chunks_mut(PIECE).enumerate().for_each(gather);
        }
        *radii = if same {
            Radii::Same(if count > 0 { radius(0) } else { 0.0 })
        } else {
            Radii::Each(collected(id.iter().map(|&id| radius(id as usize)))?)
        };
        self.within = 0.0;
        let Self { grid, x, y, radius, .. } = self;
        Ok(grid.set_sorted(&DiscColumns { x, y, radius })?)
    }

    /// The discs of a search.
    pub(super) fn discs(&self) -> DiscColumns<'_> {
        DiscColumns { x: &self.x, y: &self.y, radius: &self.radius }
    }

    /// A point of the caller, for a search.
    #[inline(always)]
    pub(super) fn shifted(&self, point: [f64; 2]) -> Vec2 {
        shifted(point, self.origin)
    }

    /// The same without rounding to f32.
    pub(super) fn centered(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [x - self.origin[0], y - self.origin[1]]
    }

    /// The side of a cell, world units.
    pub(super) fn cell(&self) -> f64 {
        f64::from(self.layout.cell)
    }

    /// The bounds of the cells.
    pub(super) fn bounds(&self) -> Rect {
        self.layout.bounds
    }

    pub(super) fn len(&self) -> usize {
        self.id.len()
    }
}

/// A length of a search that is at least the given one.
#[inline(always)]
pub(super) fn enlarged(length: f64) -> f32 {
    (length * ENLARGED) as f32
}

/// The error of a point, world units.
#[inline(always)]
pub(super) fn error_of(point: Vec2) -> f64 {
    f64::from(point.abs().max_element()) * ERROR + ERROR_MIN
}

#[inline(always)]
fn shifted([x, y]: [f64; 2], origin: [f64; 2]) -> Vec2 {
    Vec2::new((x - origin[0]) as f32, (y - origin[1]) as f32)
}

/// True on a thread of the pool: elsewhere, loops run on the calling thread.
pub(super) fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Calls `work` with the first index and the parts of three columns, on all threads of the pool that
/// the caller is in.
fn pieces(
    (x, y, z): (&mut Vec<f32>, &mut Vec<f32>, &mut Vec<f32>),
    work: impl Fn(usize, (&mut [f32], &mut [f32], &mut [f32])) + Sync,
) {
    if in_pool() {
        let parts =
            x.par_chunks_mut(PIECE).zip(y.par_chunks_mut(PIECE)).zip(z.par_chunks_mut(PIECE));
        parts.enumerate().for_each(|(piece, ((x, y), z))| work(piece * PIECE, (x, y, z)));
    } else {
        work(0, (x, y, z));
    }
}

/// The corners of the smallest rectangle around points; (0, 0) twice if there are none.
fn hull(points: Rows<'_>) -> [f64; 4] {
    const NONE: [f64; 4] = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    let merge =
        |a: [f64; 4], b: [f64; 4]| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])];
    let around = |index: usize| {
        let [x, y] = points.get(index);
        [x, y, x, y]
    };
    if points.len() == 0 {
        return [0.0; 4];
    }
    if in_pool() {
        let indices = (0..points.len()).into_par_iter().with_min_len(PIECE);
        indices.map(around).reduce(|| NONE, merge)
    } else {
        (0..points.len()).map(around).fold(NONE, merge)
    }
}

/// A point in the middle of the others: the median along x and y of a sample.
fn middle(points: Rows<'_>) -> [f64; 2] {
    let stride = points.len().div_ceil(MIDDLE_SAMPLE).max(1);
    [0, 1].map(|axis| {
        let mut sample: Vec<f64> =
            (0..points.len()).step_by(stride).map(|at| points.get::<2>(at)[axis]).collect();
        let half = sample.len() / 2;
        if sample.is_empty() {
            return 0.0;
        }
        *sample.select_nth_unstable_by(half, f64::total_cmp).1
    })
}

/// The radius that all discs but one in [`LARGE_SHARE`] have at most, and the largest radius.
fn large_radii(count: usize, radius: LengthView<'_>) -> Result<(f64, f64)> {
    if let LengthView::Same(radius) = radius {
        return Ok((radius, radius));
    }
    if count == 0 {
        return Ok((0.0, 0.0));
    }
    let mut radii = collected((0..count).map(|index| radius.get(index)))?;
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let place = count - 1 - (count - 1) / LARGE_SHARE;
    let (_, large, _) = radii.select_nth_unstable_by(place, f64::total_cmp);
    Ok((*large, largest))
}
