//! Discs that have found their place, and whether another one is free: the only judge of overlap.
//!
//! A hierarchical grid: a level for each halving of the radius, with cells as wide as the widest disc
//! of the level. Discs come largest first, so a disc looks at its own level and the coarser ones, and
//! at a few cells of each, be they dust or giants.
//!
//! ```text
//! level 0  radius (R/2, R]    heads [ ·|·|3 ]                       heads: cell → last spot in it
//! level 1  radius (R/4, R/2]  heads [ 7|·|·|9|· ]                   next:  spot → the one before it
//! …                              7 ─► spots[7].next = 5 ─► …        NONE:  no more
//! ```

use glam::Vec2;

use crate::geometry::Rect;

const NONE: u32 = u32::MAX;

/// A disc in its place.
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

/// What a disc would overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// Nothing: the place is free.
    Nothing,
    /// Only discs of the level begun last.
    Peer,
    /// A disc of a coarser level.
    Coarser,
}

/// The discs of a range of radii: some consecutive ones, as they come largest first.
#[derive(Debug)]
struct Level {
    min: Vec2,
    widest: f32,
    cells_a_unit: f32,
    cols: usize,
    rows: usize,
    heads: Vec<u32>,
}

impl Packing {
    /// Nothing yet, and room for that many discs.
    pub(super) fn new(discs: usize) -> Self {
        let none = Spot { x: f32::NAN, y: f32::NAN, radius: 0.0, next: NONE };
        Self { levels: Vec::new(), spots: vec![none; discs] }
    }

    /// Begins a level: the next `count` discs have a radius of `widest` at the most, and of half of it
    /// at least.
    pub(super) fn begin_level(&mut self, bounds: &Rect, widest: f32, count: usize) {
        // At most about two cells a disc, however large the world is.
        let room = (bounds.width() / count as f32 * bounds.height()).sqrt();
        let side = (2.0 * widest).max(room);
        let cells_a_unit = 1.0 / side;
        let cols = (bounds.width() * cells_a_unit) as usize + 1;
        let rows = (bounds.height() * cells_a_unit) as usize + 1;
        let heads = vec![NONE; cols * rows];
        self.levels.push(Level { min: bounds.min, widest, cells_a_unit, cols, rows, heads });
    }

    /// What a disc at `at` would overlap: of what is there, the coarsest counts.
    pub(super) fn meets(&self, at: Vec2, radius: f32) -> Met {
        let own = self.levels.len().saturating_sub(1);
        match self.levels.iter().position(|level| self.overlaps(level, at, radius)) {
            None => Met::Nothing,
            Some(level) if level == own => Met::Peer,
            Some(_) => Met::Coarser,
        }
    }

    /// Puts disc `rank` where [`Self::meets`] found nothing, into the level begun last.
    pub(super) fn put(&mut self, rank: usize, at: Vec2, radius: f32) {
        let Some(level) = self.levels.last_mut() else { return };
        let cell = level.row(at.y) * level.cols + level.col(at.x);
        let next = std::mem::replace(&mut level.heads[cell], rank as u32);
        self.spots[rank] = Spot { x: at.x, y: at.y, radius, next };
    }

    /// The places by rank.
    pub(super) fn places(&self) -> impl ExactSizeIterator<Item = Vec2> {
        self.spots.iter().map(|spot| Vec2::new(spot.x, spot.y))
    }

    fn overlaps(&self, level: &Level, at: Vec2, radius: f32) -> bool {
        // More than the exact reach by what positions may be rounded by.
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
    /// Casts saturate, so that what is outside falls into the border cells.
    fn col(&self, x: f32) -> usize {
        (((x - self.min.x) * self.cells_a_unit) as usize).min(self.cols - 1)
    }

    fn row(&self, y: f32) -> usize {
        (((y - self.min.y) * self.cells_a_unit) as usize).min(self.rows - 1)
    }
}
