//! Searches: which elements meet a rectangle, a disc, a segment; which are nearest; which pairs are near.
//!
//! All of them call a visitor and allocate nothing. Every element is visited at most once; the order
//! depends on the grid alone.

use glam::Vec2;

use super::{
    Elements, LooseTightGrid, NONE, OVERFLOW,
    lattice::Cells,
    overflow::OverflowCell,
    shape::{Area, Disc, Segment, Shape},
};
use crate::rect::Rect;

/// An element that [`LooseTightGrid::nearest`] found.
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

impl LooseTightGrid {
    /// Calls `visit` with each element that shares a point with `rect`.
    pub fn visit_rect<E: Elements + ?Sized>(
        &self,
        elements: &E,
        rect: &Rect,
        visit: impl FnMut(u32),
    ) {
        self.visit_area(elements, rect, visit);
    }

    /// Calls `visit` with each element that has a point at most `radius` away from `center`.
    pub fn visit_disc<E: Elements + ?Sized>(
        &self,
        elements: &E,
        center: Vec2,
        radius: f32,
        visit: impl FnMut(u32),
    ) {
        self.visit_area(elements, &Disc { center, radius }, visit);
    }

    /// Calls `visit` with each element that the segment from `a` to `b` passes through or touches, in no
    /// order along it.
    pub fn visit_segment<E: Elements + ?Sized>(
        &self,
        elements: &E,
        a: Vec2,
        b: Vec2,
        visit: impl FnMut(u32),
    ) {
        self.visit_area(elements, &Segment { a, b }, visit);
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
                let distance = elements.get(element as usize).distance(point);
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
            let shape = elements.get(a as usize);
            // Boxes and distances round differently; whoever is near must not be missed for that.
            let search = shape.bounds().expanded(within);
            self.visit_rect(elements, &search.expanded(self.margin(&search)), |b| {
                if a < b && shape.nearer(&elements.get(b as usize), within) {
                    visit(a, b);
                }
            });
        });
    }

    /// Calls `visit` with every element that is in the grid.
    pub fn for_each_element(&self, mut visit: impl FnMut(u32)) {
        for cell in 0..self.pages.cells() as u32 {
            self.for_each_in(cell, &mut visit);
        }
        for cell in 0..self.overflow.cells.len() {
            self.overflow.chains.visit(cell, &mut visit);
        }
    }

    fn visit_area<E: Elements + ?Sized>(
        &self,
        elements: &E,
        area: &impl Area,
        mut visit: impl FnMut(u32),
    ) {
        self.visit_homes(area, |home| {
            let visit_hit = |element| {
                if area.hits(&elements.get(element as usize)) {
                    visit(element);
                }
            };
            if home & OVERFLOW == 0 {
                self.for_each_in(home, visit_hit);
            } else {
                self.overflow.chains.visit((home & !OVERFLOW) as usize, visit_hit);
            }
        });
    }

    /// Calls `visit` once with each loose cell whose AABB the area meets, as homes name it.
    pub(super) fn visit_homes(&self, area: &impl Area, mut visit: impl FnMut(u32)) {
        let bounds = area.bounds();
        if bounds.is_nothing() {
            return;
        }
        let margin = self.margin(&bounds);
        let meets = |aabb: &Rect| !aabb.is_nothing() && area.meets(&aabb.expanded(margin));
        let reach = self.reach() + margin;
        let block = self.loose.under(&bounds.expanded(reach));

        for row in block.row[0]..=block.row[1] {
            let (low, high) = self.loose.row_extent(row);
            let Some((from, to)) = area.span(low - reach, high + reach) else { continue };
            let (from, to) = (self.loose.col(from - reach), self.loose.col(to + reach));
            for cell in self.pages.columns(row, from, to) {
                if meets(&self.aabbs[cell as usize]) {
                    visit(cell);
                }
            }
        }
        self.visit_overflow(block, |cell, overflow| {
            if overflow.wide == NONE && meets(&overflow.aabb) {
                visit(OVERFLOW | cell);
            }
        });
        self.tight.visit(self.tight.lattice.under(&bounds.expanded(margin)), |wide| {
            if meets(&wide.aabb) {
                visit(wide.home);
            }
        });
    }

    /// How far off a box may be: an AABB and a distance round differently, by a few units in the last
    /// place of the largest coordinate.
    fn margin(&self, search: &Rect) -> f32 {
        let largest = |rect: &Rect| rect.min.abs().max(rect.max.abs()).max_element();
        4.0 * f32::EPSILON * (largest(search) + largest(&self.config.bounds))
    }

    /// Calls `visit` with each overflow cell in a block: looks each up, or goes through all of them,
    /// whichever are fewer.
    fn visit_overflow(&self, block: Cells, mut visit: impl FnMut(u32, &OverflowCell)) {
        if self.overflow.is_empty() {
            return;
        }
        if block.count() < self.overflow.len() as u64 {
            for (col, row) in block.iter() {
                if let Some(cell) = self.overflow.find(col, row) {
                    visit(cell, &self.overflow.cells[cell as usize]);
                }
            }
        } else {
            for (cell, overflow) in self.overflow.cells.iter().enumerate() {
                let used = !self.overflow.chains.is_empty(cell);
                if used && block.contains(overflow.col, overflow.row) {
                    visit(cell as u32, overflow);
                }
            }
        }
    }
}
