//! Searches: which elements meet a rectangle, a disc, a segment; which are nearest; which pairs are near.
//!
//! All of them call a visitor and allocate nothing. Several discs that lie close together are searched for at
//! once: a *packet* walks the cells of all of them, and holds each element against all discs, a lane each. Every element is visited at most once; the order
//! depends on the grid alone.

use std::ops::Range;

use glam::Vec2;

use super::{Elements, Grid, NONE, OVERFLOW, area::SearchArea, overflow::OverflowCell};
use crate::{
    geometry::{Disc, Rect, Segment, Shape, cells::CellBlock},
    simd::Kernel,
};

/// An element that [`Grid::nearest`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Its index.
    pub element: u32,
    /// From the point to the element, world units; 0 inside.
    pub distance: f32,
}

impl Neighbour {
    /// A place for a result.
    pub const NONE: Self = Self { element: NONE, distance: f32::INFINITY };

    fn before(self, other: Self) -> bool {
        (self.distance, self.element) < (other.distance, other.element)
    }
}

/// What a search goes through, for whoever wants to see its way and not only what it finds. What nobody asks for
/// costs nothing.
pub trait Trace {
    /// These tight cells are looked into, both ends included.
    fn tight(&mut self, _cols: [u32; 2], _rows: [u32; 2]) {}
    /// These loose cells of a row are gone through, both ends included.
    fn loose(&mut self, _row: u32, _cols: [u32; 2]) {}
    /// A wide cell with that AABB is gone through.
    fn wide(&mut self, _aabb: &Rect) {}
    /// An element is held against the area.
    fn tested(&mut self, _element: u32) {}
    /// An element meets it.
    fn found(&mut self, _element: u32) {}
}

/// Nobody looks.
impl Trace for () {}

impl Grid {
    /// Calls `visit` with each element that shares a point with `rect`.
    pub fn visit_rect<E: Elements + ?Sized>(
        &self,
        elements: &E,
        rect: &Rect,
        visit: impl FnMut(u32),
    ) {
        self.visit_hits(elements, rect, visit);
    }

    /// Calls `visit` with each element that has a point at most `radius` away from `center`.
    pub fn visit_disc<E: Elements + ?Sized>(
        &self,
        elements: &E,
        center: Vec2,
        radius: f32,
        visit: impl FnMut(u32),
    ) {
        self.visit_hits(elements, &Disc { center, radius }, visit);
    }

    /// Searches several discs at once: calls `visit(disc, element)` with each disc's index, and each element
    /// that has a point in it, in no order. The results are those of [`Self::visit_disc`] for each.
    ///
    /// It is made for discs that lie close together, such as those around agents that are neighbours in cell
    /// order: 8 or 16 of them take a fraction of the time of as many searches. Discs that don't share enough
    /// cells for that are searched one by one.
    ///
    /// # Panics
    /// Doesn't compile with more than 32 discs.
    pub fn visit_discs<E: Elements + ?Sized, const N: usize>(
        &self,
        elements: &E,
        discs: &[Disc; N],
        mut visit: impl FnMut(usize, u32),
    ) {
        const { assert!(N <= 32, "a packet has a bit for each of at most 32 discs") };
        let bounds = || discs.iter().map(Shape::bounds).filter(|bounds| !bounds.is_empty());
        let Some(around) = bounds().reduce(|all, one| all.union(&one)) else { return };
        let cells = |bounds: Rect| self.block_near(&bounds).len();
        if cells(around) <= bounds().map(cells).sum() {
            self.simd.run(Packet { grid: self, elements, around, discs, visit });
        } else {
            for (index, &Disc { center, radius }) in discs.iter().enumerate() {
                self.visit_disc(elements, center, radius, |element| visit(index, element));
            }
        }
    }

    /// The search of [`Self::visit_disc`], with all that it goes through on the way.
    ///
    /// ```
    /// use jostle::{GridConfig, Grid, Rect, Vec2, grid::{Disc, Trace}};
    ///
    /// #[derive(Default)]
    /// struct Seen { tested: usize, found: Vec<u32> }
    /// impl Trace for Seen {
    ///     fn tested(&mut self, _: u32) { self.tested += 1 }
    ///     fn found(&mut self, element: u32) { self.found.push(element) }
    /// }
    ///
    /// let discs = [(1.0, 1.0), (2.5, 1.0), (8.0, 3.0)]
    ///     .map(|(x, y)| Disc { center: Vec2::new(x, y), radius: 0.5 });
    /// let mut grid = Grid::new(GridConfig::new(Rect::from_size(16.0, 9.0), 2.0, 3))?;
    /// grid.rebuild(&discs[..])?;
    /// let mut seen = Seen::default();
    /// grid.trace_disc(&discs[..], Vec2::ONE, 0.2, &mut seen);
    /// assert_eq!((seen.tested, seen.found), (2, vec![0]));
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn trace_disc<E: Elements + ?Sized>(
        &self,
        elements: &E,
        center: Vec2,
        radius: f32,
        trace: &mut impl Trace,
    ) {
        let disc = Disc { center, radius };
        let hits = |element: u32| disc.hits(&elements.shape(element as usize));
        self.visit_area(&disc, hits, trace, |trace, element, _| trace.found(element));
    }

    /// Calls `visit` with each element that the segment from `a` to `b` passes through or touches, in no
    /// order along it. A ray is a segment that ends beyond the world; what an end far away costs in digits, the
    /// whole segment loses.
    pub fn visit_segment<E: Elements + ?Sized>(
        &self,
        elements: &E,
        a: Vec2,
        b: Vec2,
        visit: impl FnMut(u32),
    ) {
        self.visit_hits(elements, &Segment { a, b }, visit);
    }

    /// Fills `found` with the elements nearest to a point, the nearest first (of two as near, the one
    /// with the lower index); returns how many there are, fewer than `found.len()` only if the grid holds
    /// no more. Looks at discs around the point, each twice as large as the one before.
    pub fn nearest<E: Elements + ?Sized>(
        &self,
        elements: &E,
        point: Vec2,
        found: &mut [Neighbour],
    ) -> usize {
        if found.is_empty() {
            return 0;
        }
        let mut radius = self.config.loose_size.max_element();
        loop {
            let (mut count, mut met) = (0, 0);
            self.visit_disc(elements, point, radius, |element| {
                let distance = elements.shape(element as usize).distance(point);
                let neighbour = Neighbour { element, distance };
                met += 1;
                if count < found.len() {
                    count += 1;
                } else if !neighbour.before(found[count - 1]) {
                    return;
                }
                let place = found[..count - 1].partition_point(|other| other.before(neighbour));
                found[place..count].rotate_right(1);
                found[place] = neighbour;
            });
            let enough = count == found.len() && found[count - 1].distance <= radius;
            if enough || met == self.len || radius == f32::INFINITY {
                return count;
            }
            radius *= 2.0;
        }
    }

    /// Calls `visit(a, b)` once with each pair of elements that are nearer than `within` to each other
    /// (with 0: that overlap), `a < b`, in no order. `within` is at least 0.
    pub fn visit_pairs<E: Elements + ?Sized>(
        &self,
        elements: &E,
        within: f32,
        mut visit: impl FnMut(u32, u32),
    ) {
        self.for_each_element(|a| {
            let shape = elements.shape(a as usize);
            // Boxes and distances round differently; whoever is near must not be missed for that.
            let search = shape.bounds().expanded(within);
            self.visit_rect(elements, &search.expanded(self.margin(&search)), |b| {
                if a < b && shape.is_within(&elements.shape(b as usize), within) {
                    visit(a, b);
                }
            });
        });
    }

    /// Calls `visit` with every element that is in the grid.
    pub fn for_each_element(&self, mut visit: impl FnMut(u32)) {
        for item in 0..self.order.len() {
            let element = self.element(item);
            if self.is_stored(element) {
                visit(element);
            }
        }
        for cell in 0..self.overflow.cells.len() {
            self.overflow.chains.visit(cell, &mut visit);
        }
    }

    /// True if an element of the last rebuild is still where that put it.
    #[inline(always)]
    fn is_stored(&self, element: u32) -> bool {
        !self.edited || self.home[element as usize] < OVERFLOW
    }

    /// Calls `visit` once with each element that the area meets.
    fn visit_hits<E: Elements + ?Sized>(
        &self,
        elements: &E,
        area: &impl SearchArea,
        mut visit: impl FnMut(u32),
    ) {
        let hits = |element: u32| area.hits(&elements.shape(element as usize));
        self.visit_area(area, hits, &mut (), |(), element, _| visit(element));
    }

    /// The cells that near elements which meet a rectangle may live in.
    fn block_near(&self, bounds: &Rect) -> CellBlock {
        let reach = self.reach + self.margin(bounds);
        CellBlock {
            col: self.loose.cols_near(bounds.min.x, bounds.max.x, reach),
            row: self.loose.rows_near(bounds.min.y, bounds.max.y, reach),
        }
    }

    /// Calls `visit` once with each element that has hits, and with these. Who meets the area may have some.
    /// The near ones of a row of cells are one range of items; the far ones are found through the tight grid.
    #[inline(always)]
    fn visit_area<H: Default + PartialEq, T: Trace>(
        &self,
        area: &impl SearchArea,
        hits: impl Fn(u32) -> H,
        trace: &mut T,
        mut visit: impl FnMut(&mut T, u32, H),
    ) {
        let bounds = area.bounds();
        if bounds.is_empty() {
            return;
        }
        let margin = self.margin(&bounds);
        let reach = self.reach + margin;
        let block = self.block_near(&bounds);
        let meets = |aabb: &Rect| area.intersects(&aabb.expanded(margin));

        for row in block.row[0]..=block.row[1] {
            let (low, high) = self.loose.row_extent(row, reach);
            let Some((from, to)) = area.span(low, high) else { continue };
            let [from, to] = self.loose.cols_near(from, to, reach);
            trace.loose(row, [from, to]);
            for item in self.items_between(row, from, to) {
                let element = self.element(item);
                trace.tested(element);
                let hit = hits(element);
                if hit != H::default() && !self.is_far(element) && self.is_stored(element) {
                    visit(trace, element, hit);
                }
            }
        }
        let mut look = |trace: &mut T, element: u32| {
            trace.tested(element);
            let hit = hits(element);
            if hit != H::default() {
                visit(trace, element, hit);
            }
        };
        self.visit_overflow(block, |cell, overflow| {
            if overflow.wide == NONE && meets(&overflow.aabb) {
                self.overflow.chains.visit(cell as usize, |element| look(trace, element));
            }
        });
        let tight = self.tight.layout.block(&bounds.expanded(margin));
        trace.tight(tight.col, tight.row);
        self.tight.visit(tight, |wide| {
            if !wide.aabb.is_empty() && meets(&wide.aabb) {
                trace.wide(&wide.aabb);
                self.for_each_far(wide.home, |element| look(trace, element));
            }
        });
    }

    /// The items of a row of loose cells between two columns, both included.
    #[inline(always)]
    pub(super) fn items_between(&self, row: u32, from: u32, to: u32) -> Range<usize> {
        let cells = self.pages.columns(row, from, to);
        self.starts[cells.start as usize] as usize..self.starts[cells.end as usize] as usize
    }

    /// Calls `visit` with the elements that a wide cell is listed for: of a stored one, the far ones.
    pub(super) fn for_each_far(&self, home: u32, mut visit: impl FnMut(u32)) {
        if home & OVERFLOW == 0 {
            let elements = self.items(home).map(|item| self.element(item));
            elements.filter(|&element| self.is_far(element)).for_each(visit);
        } else {
            self.overflow.chains.visit((home & !OVERFLOW) as usize, &mut visit);
        }
    }

    /// Calls `visit` with each overflow cell in a block: looks each up, or goes through all of them,
    /// whichever are fewer.
    fn visit_overflow(&self, block: CellBlock, mut visit: impl FnMut(u32, &OverflowCell)) {
        if self.overflow.is_empty() {
            return;
        }
        if block.len() < self.overflow.len() as u64 {
            for [col, row] in block.iter() {
                if let Some(cell) = self.overflow.find(col, row) {
                    visit(cell, &self.overflow.cells[cell as usize]);
                }
            }
        } else {
            for (cell, overflow) in self.overflow.cells.iter().enumerate() {
                let used = !self.overflow.chains.is_empty(cell);
                if used && block.contains([overflow.col, overflow.row]) {
                    visit(cell as u32, overflow);
                }
            }
        }
    }
}

/// Some discs, searched at once.
struct Packet<'a, E: ?Sized, V, const N: usize> {
    grid: &'a Grid,
    elements: &'a E,
    /// The smallest rectangle around all discs.
    around: Rect,
    discs: &'a [Disc; N],
    visit: V,
}

impl<E: Elements + ?Sized, V: FnMut(usize, u32), const N: usize> Kernel for Packet<'_, E, V, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { grid, elements, around, discs, mut visit } = self;
        let (x, y) = (discs.map(|disc| disc.center.x), discs.map(|disc| disc.center.y));
        // A disc of a negative radius is nothing, and nothing is less than a NaN.
        let radius = discs.map(|disc| if disc.radius >= 0.0 { disc.radius } else { f32::NAN });
        let hits = |element: u32| {
            let (shape, mut bits) = (elements.shape(element as usize), 0_u32);
            for lane in 0..N {
                let hit = shape.intersects_disc(Vec2::new(x[lane], y[lane]), radius[lane]);
                bits |= u32::from(hit) << lane;
            }
            bits
        };
        grid.visit_area(&around, hits, &mut (), |(), element, mut bits| {
            while bits != 0 {
                visit(bits.trailing_zeros() as usize, element);
                bits &= bits - 1;
            }
        });
    }
}
