//! Placed discs, and the one test of whether a position is free.
//!
//! A hierarchical grid: one level for each halving of the radius, with cells as wide as the widest
//! disc of the level. Discs are placed largest first, so a disc is compared with a few cells of its
//! own level and of each coarser one.
//!
//! ```text
//! level 0  radius (R/2, R]    heads [ ·|·|3 ]                       heads: cell → last spot in it
//! level 1  radius (R/4, R/2]  heads [ 7|·|·|9|· ]                   next:  spot → previous spot
//! …                              7 ─► spots[7].next = 5 ─► …        NONE:  no more
//! ```

use glam::Vec2;

use crate::geometry::Rect;

const NONE: u32 = u32::MAX;

/// A placed disc.
#[derive(Clone, Copy, Debug)]
struct Spot {
    x: f32,
    y: f32,
    radius: f32,
    next: u32,
}

/// Discs placed so far.
#[derive(Debug)]
pub(super) struct Packing {
    levels: Vec<Level>,
    spots: Vec<Spot>,
}

/// What a disc at a position overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    /// Nothing: the position is free.
    Nothing,
    /// Only discs of the last level.
    Peer,
    /// A disc of a coarser level.
    Coarser,
}

/// The discs of a range of radii: some consecutive ones, as they come largest first.
#[derive(Debug)]
struct Level {
    min: Vec2,
    widest: f32,
    cells_per_unit: f32,
    cols: usize,
    rows: usize,
    heads: Vec<u32>,
}

impl Packing {
    /// An empty packing with capacity for that many discs.
    pub(super) fn new(discs: usize) -> Self {
        let none = Spot { x: f32::NAN, y: f32::NAN, radius: 0.0, next: NONE };
        Self { levels: Vec::new(), spots: vec![none; discs] }
    }

    /// Begins a level: the next `count` discs have a radius of half of `widest` to `widest`.
    pub(super) fn begin_level(&mut self, bounds: &Rect, widest: f32, count: usize) {
        // At most about two cells per disc, for worlds of any size.
        let spacing = (bounds.width() / count as f32 * bounds.height()).sqrt();
        let side = (2.0 * widest).max(spacing);
        let cells_per_unit = 1.0 / side;
        let cols = (bounds.width() * cells_per_unit) as usize + 1;
        let rows = (bounds.height() * cells_per_unit) as usize + 1;
        let heads = vec![NONE; cols * rows];
        self.levels.push(Level { min: bounds.min, widest, cells_per_unit, cols, rows, heads });
    }

    /// What a disc at `at` overlaps; the coarsest of several.
    pub(super) fn overlap_at(&self, at: Vec2, radius: f32) -> Overlap {
        let own = self.levels.len().saturating_sub(1);
        match self.levels.iter().position(|level| self.level_overlaps(level, at, radius)) {
            None => Overlap::Nothing,
            Some(level) if level == own => Overlap::Peer,
            Some(_) => Overlap::Coarser,
        }
    }

    /// Adds disc `rank` to the last level, where [`Self::overlap_at`] found nothing.
    pub(super) fn put(&mut self, rank: usize, at: Vec2, radius: f32) {
        let Some(level) = self.levels.last_mut() else { return };
        let cell = level.row(at.y) * level.cols + level.col(at.x);
        let next = std::mem::replace(&mut level.heads[cell], rank as u32);
        self.spots[rank] = Spot { x: at.x, y: at.y, radius, next };
    }

    /// The positions by rank.
    pub(super) fn positions(&self) -> impl ExactSizeIterator<Item = Vec2> {
        self.spots.iter().map(|spot| Vec2::new(spot.x, spot.y))
    }

    fn level_overlaps(&self, level: &Level, at: Vec2, radius: f32) -> bool {
        // Longer than the exact distance by what positions may be rounded by.
        let reach = (radius + level.widest) * 1.02;
        let [left, right] = [level.col(at.x - reach), level.col(at.x + reach)];
        (level.row(at.y - reach)..=level.row(at.y + reach)).any(|row| {
            level.heads[row * level.cols + left..=row * level.cols + right]
                .iter()
                .any(|&head| self.list_overlaps(head, at, radius))
        })
    }

    fn list_overlaps(&self, head: u32, at: Vec2, radius: f32) -> bool {
        let mut rank = head;
        while rank != NONE {
            let spot = self.spots[rank as usize];
            let (dx, dy, sum) = (at.x - spot.x, at.y - spot.y, radius + spot.radius);
            if dx * dx + dy * dy < sum * sum {
                return true;
            }
            rank = spot.next;
        }
        false
    }
}

impl Level {
    /// Casts saturate, so that positions outside fall into the border cells.
    fn col(&self, x: f32) -> usize {
        (((x - self.min.x) * self.cells_per_unit) as usize).min(self.cols - 1)
    }

    fn row(&self, y: f32) -> usize {
        (((y - self.min.y) * self.cells_per_unit) as usize).min(self.rows - 1)
    }
}
