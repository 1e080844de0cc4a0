//! Placed discs, and the one test of whether a position is free.
//!
//! A hierarchical grid: one level for each range of radii, with cells as wide as the widest disc of
//! the level. Discs are placed largest first, so a disc is compared with a few cells of its own level
//! and of each coarser one. A cell holds its first disc, and links the others, which are few.
//!
//! ```text
//! level 0  cells [ · | · | 3 ]             3: center and radius of the disc in spot 3
//! level 1  cells [ 7 | · | · | 9 | · ]     next: cell → last spot of the others → spot before it
//! …                └─ next = 12 ─► spots[12].next = 8 ─► …         NONE: no more
//! ```
//!
//! A disc is tried at many positions of which most are taken, and each is another place in memory.
//! So a position is looked at twice: [`Packing::look`] asks the memory for its cells, and
//! [`Packing::look_closer`] reads them, after others have been asked for.
//!
//! Threads place discs of a level at the same time, each in a part of the world so far from the
//! parts of the others that none reads what another one writes. So the numbers of a spot are atomic
//! but in no order, which costs nothing.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use glam::Vec2;

use crate::{
    alloc,
    error::Result,
    geometry::{
        Rect,
        cells::{CellBlock, CellLayout},
    },
    simd,
};

const NONE: u32 = u32::MAX;

/// Discs all over memory that are asked for before the first of them is read.
pub(super) const AT_ONCE: usize = 64;

/// A disc: its radius, and once it is placed its center.
#[derive(Debug)]
struct Spot {
    x: AtomicU32,
    y: AtomicU32,
    radius: f32,
    next: AtomicU32,
}

/// Discs of which some are placed, each in a spot of its own.
#[derive(Debug)]
pub(super) struct Packing {
    levels: Vec<Level>,
    spots: Vec<Spot>,
}

/// The placed discs that a disc at a position overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    /// Nothing: the position is free.
    Nothing,
    /// Only discs of the last level.
    Peer,
    /// A disc of a coarser level.
    Coarser,
}

/// A look at a position for a disc.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub(super) at: Vec2,
    radius: f32,
    /// The cells of the last level around the position.
    block: CellBlock,
    is_on_coarser: bool,
    /// The disc overlaps the first disc of a cell.
    is_on_peer: bool,
    /// [`NONE`] if there is at most one disc in each cell.
    others: u32,
}

/// The discs of a range of radii: some consecutive ones, as they come largest first.
#[derive(Debug)]
struct Level {
    widest: f32,
    layout: CellLayout,
    cells: Vec<Cell>,
}

/// A disc whose center is in the cell, as most cells have at most one; the others are linked.
#[derive(Debug)]
struct Cell {
    x: AtomicU32,
    y: AtomicU32,
    radius: AtomicU32,
    /// The last spot of the others.
    next: AtomicU32,
}

impl Packing {
    /// An empty packing with capacity for `discs` discs.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(discs: usize) -> Result<Self> {
        let spots = alloc::with_capacity(discs, "the positions of agents")?;
        Ok(Self { levels: Vec::new(), spots })
    }

    /// The cells of a level of `count` discs, at most as wide as `widest`.
    pub(super) fn cells(bounds: &Rect, widest: f32, count: usize) -> CellLayout {
        // At most about two cells per disc, for worlds of any size.
        let spacing = (bounds.width() / count as f32 * bounds.height()).sqrt();
        CellLayout::new(bounds, Vec2::splat((2.0 * widest).max(spacing)))
    }

    /// Begins the level of the next discs, which are at most as wide as `widest`.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn begin_level(&mut self, layout: CellLayout, widest: f32) -> Result<()> {
        let mut cells = Vec::new();
        alloc::extend_by(&mut cells, layout.len(), &|_| Cell::empty(), "the cells of positions")?;
        self.levels.push(Level { widest, layout, cells });
        Ok(())
    }

    /// Appends the spots of `count` discs of the last level, which are not placed yet, with the
    /// radius of each.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn append(
        &mut self,
        count: usize,
        radius: &(impl Fn(usize) -> f32 + Sync),
    ) -> Result<()> {
        let spot = |index: usize| Spot {
            x: AtomicU32::new(f32::NAN.to_bits()),
            y: AtomicU32::new(f32::NAN.to_bits()),
            radius: radius(index),
            next: AtomicU32::new(NONE),
        };
        alloc::extend_by(&mut self.spots, count, &spot, "the positions of agents")
    }

    /// A look at a position: at the coarser levels. The memory is asked for the cells of the last one.
    #[inline]
    pub(super) fn look(&self, at: Vec2, radius: f32) -> Look {
        let Some((own, coarser)) = self.levels.split_last() else { return Look::default() };
        let is_on_coarser = coarser.iter().any(|level| {
            let block = level.block(at, radius);
            let overlaps = |cell: &Cell| {
                cell.overlaps(at, radius) || self.links_overlap(cell.next.load(Relaxed), at, radius)
            };
            level.rows(block).any(|row| row.iter().any(overlaps))
        });
        let block = own.block(at, radius);
        if !is_on_coarser {
            for row in own.rows(block) {
                simd::prefetch_item(row, 0);
                simd::prefetch_item(row, row.len() - 1);
            }
        }
        Look { at, radius, block, is_on_coarser, is_on_peer: false, others: NONE }
    }

    /// Looks at the first disc in each cell of the last level. No branch waits for memory, so that
    /// looks at several positions wait together.
    #[inline]
    pub(super) fn look_closer(&self, look: &mut Look) {
        let Look { at, radius, block, is_on_peer, others, .. } = look;
        if let (Some(own), false) = (self.levels.last(), look.is_on_coarser) {
            for row in own.rows(*block) {
                for cell in row {
                    *is_on_peer |= cell.overlaps(*at, *radius);
                    *others &= cell.next.load(Relaxed);
                }
            }
        }
    }

    /// The level of the discs that the disc of a look overlaps; the coarsest of several levels.
    #[inline]
    pub(super) fn overlap(&self, look: &Look) -> Overlap {
        let Look { at, radius, .. } = *look;
        let Some(own) = self.levels.last() else { return Overlap::Nothing };
        let links = |cell: &Cell| self.links_overlap(cell.next.load(Relaxed), at, radius);
        if look.is_on_coarser {
            Overlap::Coarser
        } else if look.is_on_peer
            || look.others != NONE && own.rows(look.block).any(|row| row.iter().any(links))
        {
            Overlap::Peer
        } else {
            Overlap::Nothing
        }
    }

    /// The level of the discs that a disc at `at` overlaps; the coarsest of several levels.
    #[inline]
    pub(super) fn overlap_at(&self, at: Vec2, radius: f32) -> Overlap {
        let mut look = self.look(at, radius);
        self.look_closer(&mut look);
        self.overlap(&look)
    }

    /// Asks the memory for a spot.
    #[inline]
    pub(super) fn prefetch(&self, spot: u32) {
        simd::prefetch_item(&self.spots, spot as usize);
    }

    /// Places the disc of a spot of the last level, where [`Self::overlap_at`] found nothing.
    #[inline]
    pub(super) fn put(&self, spot: usize, center: Vec2) {
        let Some(Level { layout, cells, .. }) = self.levels.last() else { return };
        let cell = &cells[layout.index(layout.cell(center))];
        let Spot { x, y, radius, next } = &self.spots[spot];
        let [center_x, center_y] = center.to_array().map(f32::to_bits);
        x.store(center_x, Relaxed);
        y.store(center_y, Relaxed);
        if cell.is_empty() {
            cell.x.store(center_x, Relaxed);
            cell.y.store(center_y, Relaxed);
            cell.radius.store(radius.to_bits(), Relaxed);
        } else {
            next.store(cell.next.load(Relaxed), Relaxed);
            cell.next.store(spot as u32, Relaxed);
        }
    }

    /// The radius of the disc in a spot.
    #[inline]
    pub(super) fn radius(&self, spot: usize) -> f32 {
        self.spots[spot].radius
    }

    /// The placed discs without the cells.
    pub(super) fn into_discs(self) -> PlacedDiscs {
        PlacedDiscs(self.spots)
    }

    /// True if a disc overlaps one of the linked ones.
    #[inline]
    fn links_overlap(&self, head: u32, at: Vec2, radius: f32) -> bool {
        let mut spot = head;
        while spot != NONE {
            let other = &self.spots[spot as usize];
            let (apart, sum) = (at - other.center(), radius + other.radius);
            if apart.x * apart.x + apart.y * apart.y < sum * sum {
                return true;
            }
            spot = other.next.load(Relaxed);
        }
        false
    }
}

impl Level {
    /// The cells in which discs may be that a disc at `at` overlaps.
    #[inline]
    fn block(&self, at: Vec2, radius: f32) -> CellBlock {
        // A little longer than the exact distance, because positions are rounded.
        let reach = (radius + self.widest) * 1.02;
        self.layout.block(&Rect::new(at - reach, at + reach))
    }

    /// The cells of a block, row by row.
    #[inline]
    fn rows(&self, block: CellBlock) -> impl Iterator<Item = &[Cell]> {
        let CellBlock { col: [left, right], row: [bottom, top] } = block;
        let Self { layout, cells, .. } = self;
        (bottom..=top)
            .map(move |row| &cells[layout.index([left, row])..=layout.index([right, row])])
    }
}

impl Cell {
    /// Infinitely far from any position.
    const fn empty() -> Self {
        Self {
            x: AtomicU32::new(f32::INFINITY.to_bits()),
            y: AtomicU32::new(0),
            radius: AtomicU32::new(0),
            next: AtomicU32::new(NONE),
        }
    }

    fn is_empty(&self) -> bool {
        self.x.load(Relaxed) == f32::INFINITY.to_bits()
    }

    #[inline]
    fn overlaps(&self, at: Vec2, radius: f32) -> bool {
        let [x, y, own] =
            [&self.x, &self.y, &self.radius].map(|bits| f32::from_bits(bits.load(Relaxed)));
        let (dx, dy, sum) = (at.x - x, at.y - y, radius + own);
        dx * dx + dy * dy < sum * sum
    }
}

impl Spot {
    #[inline]
    fn center(&self) -> Vec2 {
        let [x, y] = [&self.x, &self.y].map(|bits| f32::from_bits(bits.load(Relaxed)));
        Vec2::new(x, y)
    }
}

/// Discs of which all are placed.
#[derive(Debug)]
pub(super) struct PlacedDiscs(Vec<Spot>);

impl PlacedDiscs {
    /// Asks the memory for the disc in a spot.
    #[inline]
    pub(super) fn prefetch(&self, spot: u32) {
        simd::prefetch_item(&self.0, spot as usize);
    }

    /// Center and radius of the disc in a spot.
    #[inline]
    pub(super) fn disc(&self, spot: u32) -> (Vec2, f32) {
        let spot = &self.0[spot as usize];
        (spot.center(), spot.radius)
    }

    /// Centers and radii by spot.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Vec2, f32)> {
        self.0.iter().map(|spot| (spot.center(), spot.radius))
    }
}
