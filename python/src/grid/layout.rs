//! The layout of the cells: bounds and cell size that make searches of given points fast, clusters
//! and far points included.
//!
//! The points of a sample are sorted along a Morton curve, where the cells of side extent / 2ᵏ are
//! runs with a common prefix. So one pass per level k tells how many points share a cell, and how
//! many pages of cells the grid would store. The level with the lowest cost wins.

use jostle::{Rect, Vec2};

/// Points of a sample.
const SAMPLE: usize = 1 << 14;

/// Deepest level: the grid has less than 2¹⁵ columns.
const DEEPEST: u32 = 15;

/// Levels between a cell and its page of 8 × 8 cells.
const PAGE: u32 = 3;

/// Points per cell beside each point that searches are fastest with.
const MATES: f64 = 2.0;

/// Cost of a stored cell, in points that share a cell.
const COST_PER_CELL: f64 = 0.02;

/// Bits by which the side of a cell is rounded up: three of its fraction stay.
const CELL_DETAIL: u32 = (1 << 20) - 1;

/// Cost per point of a layout that needs no better one.
const GOOD: f64 = 4.0;

/// Share of the points, at either end of either axis, that may lie outside of the bounds if the
/// others are much closer together.
const TAILS: [f64; 3] = [0.0, 0.005, 0.05];

/// The bounds of the cells, and the side of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) bounds: Rect,
    pub(super) cell: f32,
}

impl Layout {
    /// The layout for `count` points, given by a function, that lie in `bounds`, or in `world`, which
    /// the bounds of the cells then are.
    pub(super) fn new(
        count: usize,
        point: impl Fn(usize) -> Vec2,
        bounds: Rect,
        world: Option<Rect>,
    ) -> Self {
        let stride = count.div_ceil(SAMPLE).max(1);
        let sample: Vec<Vec2> = (0..count).step_by(stride).map(point).collect();
        if let Some(world) = world {
            return Self::best(world, &sample, count).0;
        }
        let axis = |of: fn(Vec2) -> f32| {
            let mut values: Vec<f32> = sample.iter().map(|&point| of(point)).collect();
            values.sort_unstable_by(f32::total_cmp);
            values
        };
        let (x, y) = (axis(|point| point.x), axis(|point| point.y));
        let mut best: Option<(Self, f64)> = None;
        for tail in TAILS {
            let inside = if tail == 0.0 || sample.is_empty() {
                bounds
            } else {
                // Most points lie as close together as the bounds let expect.
                if best.is_some_and(|(_, cost)| cost < GOOD) {
                    break;
                }
                let cut = (sample.len() as f64 * tail) as usize;
                let ends = |values: &[f32]| [values[cut], values[values.len() - 1 - cut]];
                let ([x0, x1], [y0, y1]) = (ends(&x), ends(&y));
                Rect::new(Vec2::new(x0, y0), Vec2::new(x1, y1))
            };
            let (layout, cost) = Self::best(inside, &sample, count);
            // Points outside cost more than this estimate knows.
            if best.is_none_or(|(_, former)| cost < 0.25 * former) {
                best = Some((layout, cost));
            }
        }
        best.expect("there are bounds to try").0
    }

    /// The layout with cells of at least this side.
    pub(super) fn with_cells_of_at_least(self, side: f32) -> Self {
        Self { cell: self.cell.max(side), ..self }
    }

    /// The best layout with these bounds, and its cost per point.
    fn best(bounds: Rect, sample: &[Vec2], count: usize) -> (Self, f64) {
        let bounds = with_extent(bounds);
        // A little larger, so that no cell index rounds up to the number of cells.
        let side = bounds.size().max_element() * (1.0 + 1e-4);
        let cells = (1_u32 << DEEPEST) as f32;
        let mut codes: Vec<u32> = sample
            .iter()
            .map(|&point| {
                let cell = ((point - bounds.min) / side * cells)
                    .clamp(Vec2::ZERO, Vec2::splat(cells - 1.0));
                interleave(cell.x as u32) | interleave(cell.y as u32) << 1
            })
            .collect();
        codes.sort_unstable();
        let scale = count as f64 / sample.len().max(1) as f64;
        let levels: Vec<Level> =
            (0..=DEEPEST).map(|level| Level::new(&codes, level, scale)).collect();
        let cost = |level: usize| {
            let pages = levels[level.saturating_sub(PAGE as usize)].occupied;
            let excess = levels[level].mates / MATES;
            let cells = 64.0 * pages / (count.max(1) as f64);
            (excess.max(1.0) + COST_PER_CELL * cells, excess)
        };
        let mut best = (0, f64::INFINITY);
        for level in 0..levels.len() {
            let (cost, excess) = cost(level);
            if cost < best.1 {
                best = (level, cost);
            }
            if excess < 1.0 {
                break;
            }
        }
        let (level, cost) = best;
        // Between two levels: the number of points per cell grows with its area.
        let excess = levels[level].mates / MATES;
        let larger = if excess < 1.0 && level > 0 { (1.0 / excess.max(0.25)).sqrt() } else { 1.0 };
        let cell = f64::from(side) / f64::from(1_u32 << level) * larger;
        // Points that moved a little get the same cells, whose memory then serves again.
        let cell = f32::from_bits(((cell as f32).to_bits() + CELL_DETAIL) & !CELL_DETAIL);
        (Self { bounds, cell }, cost)
    }
}

/// Cells of one size.
struct Level {
    /// The mean number of other points in the cell of a point.
    mates: f64,
    /// The number of cells with points.
    occupied: f64,
}

impl Level {
    /// The cells of a level, of which each point of the sample stands for `scale` points.
    fn new(codes: &[u32], level: u32, scale: f64) -> Self {
        let shift = 2 * (DEEPEST - level);
        let (mut pairs, mut runs, mut single) = (0.0, 0.0, 0.0);
        for run in codes.chunk_by(|one, other| one >> shift == other >> shift) {
            let len = run.len() as f64;
            pairs += len * (len - 1.0);
            runs += 1.0;
            single += f64::from(u8::from(run.len() == 1));
        }
        // A cell with one point of the sample may stand for several that the sample misses.
        let occupied = runs + single * (scale - 1.0);
        Self { mates: pairs * scale / codes.len().max(1) as f64, occupied }
    }
}

/// Bounds with width and height above 0.
fn with_extent(bounds: Rect) -> Rect {
    let size = bounds.size();
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let least = (size.max_element() * 1e-3).max(largest * 1e-5).max(1e-9);
    let half = 0.5 * size.max(Vec2::splat(least));
    let center = bounds.center();
    Rect::new(center - half, center + half)
}

/// The 16 lower bits of a number, at the even places of the result.
fn interleave(number: u32) -> u32 {
    [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)]
        .iter()
        .fold(number & 0xffff, |bits, &(shift, mask)| (bits | bits << shift) & mask)
}
