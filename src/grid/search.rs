//! The walk of a search through the grid, from an area to the elements in it:
//!
//! ```text
//! area ─► rows of loose cells, widened by the near limit ─► near elements, by arithmetic
//!      ─► tight cells under the area ─► outlier cells    ─► outliers, and elements inserted since
//!                                                           the rebuild
//! ```
//!
//! Each part yields different elements, so that every element is visited at most once and nothing
//! is marked. The order depends on the grid alone.

use std::ops::Range;

use glam::Vec2;

use super::{Elements, Flow, Grid, flow::stop_if_break, home::INSERTED};
use crate::geometry::{Disc, Rect, Segment, Shape, cells::CellBlock};

/// An area to search.
pub(super) trait SearchArea: Copy {
    /// The smallest rectangle around the area.
    fn bounds(&self) -> Rect;
    /// The range of x that the area covers where `y0 <= y <= y1`, or a larger one, such as the
    /// range of its bounds.
    fn span(&self, y0: f32, y1: f32) -> Option<(f32, f32)>;
    /// True if the area shares a point with the AABB of a cell.
    fn intersects(&self, aabb: &Rect) -> bool;
    /// True if the area shares a point with an element.
    fn hits<S: Shape>(&self, element: &S) -> bool;
}

impl SearchArea for Rect {
    fn bounds(&self) -> Rect {
        *self
    }
    fn span(&self, _: f32, _: f32) -> Option<(f32, f32)> {
        Some((self.min.x, self.max.x))
    }
    fn intersects(&self, aabb: &Rect) -> bool {
        self.intersects(aabb)
    }
    fn hits<S: Shape>(&self, element: &S) -> bool {
        element.intersects_rect(self)
    }
}

impl SearchArea for Disc {
    fn bounds(&self) -> Rect {
        self.bounds()
    }
    fn span(&self, _: f32, _: f32) -> Option<(f32, f32)> {
        Some((self.center.x - self.radius, self.center.x + self.radius))
    }
    fn intersects(&self, aabb: &Rect) -> bool {
        self.intersects_rect(aabb)
    }
    fn hits<S: Shape>(&self, element: &S) -> bool {
        element.intersects_disc(self.center, self.radius)
    }
}

impl SearchArea for Segment {
    fn bounds(&self) -> Rect {
        Rect::new(self.a.min(self.b), self.a.max(self.b))
    }
    fn span(&self, y0: f32, y1: f32) -> Option<(f32, f32)> {
        let slab = Rect::new(Vec2::new(f32::NEG_INFINITY, y0), Vec2::new(f32::INFINITY, y1));
        let (enter, leave) = self.clip(&slab)?;
        let (p, q) = (self.a.lerp(self.b, enter).x, self.a.lerp(self.b, leave).x);
        // Rounding may move the ends by a few units in the last place of the largest coordinate.
        let margin = 4.0 * f32::EPSILON * (self.a.x.abs() + self.b.x.abs());
        Some((p.min(q) - margin, p.max(q) + margin))
    }
    fn intersects(&self, aabb: &Rect) -> bool {
        self.clip(aabb).is_some()
    }
    fn hits<S: Shape>(&self, element: &S) -> bool {
        element.intersects_segment(self.a, self.b)
    }
}

impl Grid {
    /// Calls `visit` once with each element that has hits, and with its hits. Every element that
    /// intersects the area is tested; others may be tested, too.
    #[inline(always)]
    pub(super) fn visit_area<H: Default + PartialEq, R: Flow>(
        &self,
        area: &impl SearchArea,
        hits: impl Fn(u32) -> H,
        mut visit: impl FnMut(u32, H) -> R,
    ) -> R {
        let bounds = area.bounds();
        if bounds.is_empty() {
            return R::CONTINUE;
        }
        let margin = self.margin(&bounds);
        let block = self.block_near(&bounds);
        for row in block.row[0]..=block.row[1] {
            let Some(cols) = self.cols_of(area, row, margin) else { continue };
            for item in self.loose.items_between(row, cols[0], cols[1]) {
                let element = self.loose.element(item);
                // A removed element may have no shape any more.
                if self.is_stored(element) {
                    let hit = hits(element);
                    if hit != H::default() && !self.is_outlier(element) {
                        stop_if_break!(visit(element, hit));
                    }
                }
            }
        }
        let mut look = |element: u32| {
            let hit = hits(element);
            if hit == H::default() { R::CONTINUE } else { visit(element, hit) }
        };
        let tight = self.tight.layout.block(&bounds.expanded(margin));
        for cell in self.tight.in_block(tight) {
            if !cell.aabb.is_empty() && area.intersects(&cell.aabb.expanded(margin)) {
                for element in self.listed_elements(cell.home) {
                    stop_if_break!(look(element));
                }
            }
        }
        R::CONTINUE
    }

    /// The elements that share a point with an area, one by one.
    pub(super) fn iter_area<'a, E: Elements + ?Sized, A: SearchArea + 'a>(
        &'a self,
        elements: &'a E,
        area: A,
    ) -> impl Iterator<Item = u32> + 'a {
        let bounds = area.bounds();
        let margin = self.margin(&bounds);
        let parts = (!bounds.is_empty()).then(|| {
            let block = self.block_near(&bounds);
            let near = (block.row[0]..=block.row[1])
                .filter_map(move |row| Some((row, self.cols_of(&area, row, margin)?)))
                .flat_map(|(row, [from, to])| self.loose.items_between(row, from, to))
                .map(|item| self.loose.element(item))
                .filter(|&element| self.is_near(element));
            let tight = self.tight.layout.block(&bounds.expanded(margin));
            let outliers = self.tight.in_block(tight).filter(move |cell| {
                !cell.aabb.is_empty() && area.intersects(&cell.aabb.expanded(margin))
            });
            near.chain(outliers.flat_map(|cell| self.listed_elements(cell.home)))
        });
        let hits = move |element: &u32| area.hits(&elements.shape(*element as usize));
        parts.into_iter().flatten().filter(hits)
    }

    /// Calls `visit` with every element in the grid, until it stops.
    pub(super) fn visit_all<R: Flow>(&self, mut visit: impl FnMut(u32) -> R) -> R {
        for item in 0..self.loose.items.len() {
            let element = self.loose.element(item);
            if self.is_stored(element) {
                stop_if_break!(visit(element));
            }
        }
        for element in self.tight.inserted() {
            stop_if_break!(visit(element));
        }
        R::CONTINUE
    }

    /// The block of loose cells that are the homes of all near elements which intersect a
    /// rectangle.
    pub(super) fn block_near(&self, bounds: &Rect) -> CellBlock {
        let reach = self.loose.near_limit + self.margin(bounds);
        CellBlock {
            col: self.loose.layout.cols_near(bounds.min.x, bounds.max.x, reach),
            row: self.loose.layout.rows_near(bounds.min.y, bounds.max.y, reach),
        }
    }

    /// The first and the last column of a row that are the homes of all near elements which
    /// intersect an area; `None` if there are none.
    #[inline(always)]
    fn cols_of(&self, area: &impl SearchArea, row: u32, margin: f32) -> Option<[u32; 2]> {
        let reach = self.loose.near_limit + margin;
        let (low, high) = self.loose.layout.row_extent(row, reach);
        let (from, to) = area.span(low, high)?;
        Some(self.loose.layout.cols_near(from, to, reach))
    }

    /// True if the last rebuild stored the element where it still is, and it is near.
    #[inline(always)]
    fn is_near(&self, element: u32) -> bool {
        !self.is_outlier(element) && self.is_stored(element)
    }

    /// True if an element of the last rebuild is still where the rebuild stored it.
    #[inline(always)]
    fn is_stored(&self, element: u32) -> bool {
        !self.edited || self.loose.home[element as usize] < INSERTED
    }

    /// Calls `visit` with each outlier that may intersect the square around a disc, and possibly
    /// with other outliers of the same cells.
    pub(crate) fn visit_outliers(&self, center: Vec2, radius: f32, mut visit: impl FnMut(u32)) {
        let bounds = Rect::around(center, radius);
        let bounds = bounds.expanded(self.margin(&bounds));
        self.tight.visit(self.tight.layout.block(&bounds), |cell| {
            if cell.aabb.intersects(&bounds) {
                if cell.home & INSERTED == 0 {
                    self.outliers_of(cell.home).for_each(&mut visit);
                } else {
                    visit(cell.home & !INSERTED);
                }
            }
        });
    }

    /// The outliers of a stored cell.
    pub(super) fn outliers_of(&self, home: u32) -> impl Iterator<Item = u32> {
        let elements = self.loose.items(home).map(|item| self.loose.element(item));
        elements.filter(|&element| self.is_outlier(element))
    }

    /// The elements that an outlier cell is listed for: the outliers of a stored cell, or an
    /// inserted element.
    #[inline]
    pub(super) fn listed_elements(&self, home: u32) -> impl Iterator<Item = u32> {
        let stored = (home & INSERTED == 0).then(|| self.outliers_of(home));
        let inserted = (home & INSERTED != 0).then_some(home & !INSERTED);
        stored.into_iter().flatten().chain(inserted)
    }

    /// The rows with near elements that may reach into `y0..=y1`.
    pub(crate) fn rows_reaching(&self, y0: f32, y1: f32) -> Range<u32> {
        let [from, to] = self.loose.layout.rows_near(y0, y1, self.search_reach());
        from..to + 1
    }

    /// Calls `visit` with the slots, row by row of loose cells, that hold all near elements which
    /// may reach into a rectangle.
    #[inline(always)]
    pub(crate) fn slots_near(&self, area: &Rect, mut visit: impl FnMut(Range<usize>)) {
        let reach = self.search_reach();
        let [from, to] = self.loose.layout.cols_near(area.min.x, area.max.x, reach);
        let [low, high] = self.loose.layout.rows_near(area.min.y, area.max.y, reach);
        for row in low..=high {
            visit(self.loose.items_between(row, from, to));
        }
    }

    /// The slots of a row of loose cells with near elements that may reach into `x0..=x1`: one
    /// range, in cell order. It includes outliers; [`Self::is_outlier`] tells them apart.
    pub(crate) fn slots_reaching(&self, row: u32, x0: f32, x1: f32) -> Range<usize> {
        let [from, to] = self.loose.layout.cols_near(x0, x1, self.search_reach());
        self.loose.items_between(row, from, to)
    }

    /// The distance beyond an area within which near elements that intersect it have their homes.
    #[inline(always)]
    pub(crate) fn search_reach(&self) -> f32 {
        self.loose.near_limit + self.margin(&self.config.bounds)
    }

    /// The error of the bounds of an element, or of the cell of a point: distances round
    /// differently, by a few units in the last place of the largest coordinate.
    #[inline(always)]
    pub(crate) fn margin(&self, search: &Rect) -> f32 {
        let largest = |rect: &Rect| rect.min.abs().max(rect.max.abs()).max_element();
        8.0 * f32::EPSILON * (largest(search) + largest(&self.config.bounds))
    }
}
