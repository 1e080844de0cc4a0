//! The queries: the elements that intersect a rectangle, a disc or a segment; the nearest elements;
//! the pairs that are close.
//!
//! A query reads the present elements, but the grid has their positions of the last rebuild or
//! update. So elements must not have moved since, or a query may miss them.

use glam::Vec2;

use super::{Elements, Flow, Grid, flow::stop_if_break, home::NONE, search::SearchArea};
use crate::{
    geometry::{Disc, Rect, Segment, Shape},
    simd::Kernel,
};

/// An element that [`Grid::nearest`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The element's index.
    pub element: u32,
    /// The distance from the point to the element, world units; 0 inside.
    pub distance: f32,
}

impl Neighbor {
    /// A placeholder for a result.
    pub const NONE: Self = Self { element: NONE, distance: f32::INFINITY };

    fn before(self, other: Self) -> bool {
        (self.distance, self.element) < (other.distance, other.element)
    }
}

/// Queries. They must get the elements that the last [`rebuild`](Grid::rebuild) or
/// [`update`](Grid::update) got, in the same order, and unmoved: an element that has moved since,
/// and was not [relocated](Grid::relocate), may be missed. A query panics if `elements` is shorter
/// than the elements in the grid.
impl Grid {
    /// Calls `visit` with the index of each element that shares a point with `rect`, in no
    /// particular order, until `visit` stops it; see [`Flow`].
    ///
    /// Takes time in proportion to the elements in the loose cells under the rectangle, and to
    /// those inserted since the last rebuild in the tight cells under it. Elements must not have
    /// moved since the last rebuild or update.
    pub fn visit_rect<E: Elements + ?Sized, R: Flow>(
        &self,
        elements: &E,
        rect: &Rect,
        visit: impl FnMut(u32) -> R,
    ) -> R {
        self.visit_hits(elements, rect, visit)
    }

    /// Calls `visit` with the index of each element that has a point at most `radius` away from
    /// `center`, in no particular order, until `visit` stops it; see [`Flow`].
    ///
    /// Takes time in proportion to the elements in the loose cells under the disc, and to those
    /// inserted since the last rebuild in the tight cells under it. Elements must not have moved
    /// since the last rebuild or update.
    pub fn visit_disc<E: Elements + ?Sized, R: Flow>(
        &self,
        elements: &E,
        center: Vec2,
        radius: f32,
        visit: impl FnMut(u32) -> R,
    ) -> R {
        self.visit_hits(elements, &Disc { center, radius }, visit)
    }

    /// Calls `visit` with the index of each element that shares a point with the segment from `a`
    /// to `b`, in no particular order, until `visit` stops it; see [`Flow`].
    /// [`raycast`](Self::raycast) finds the first one.
    ///
    /// Takes time in proportion to the elements in the cells along the segment. Its ends should not
    /// be much farther away than the world: the whole segment is as imprecise as its farther end.
    /// Elements must not have moved since the last rebuild or update.
    pub fn visit_segment<E: Elements + ?Sized, R: Flow>(
        &self,
        elements: &E,
        a: Vec2,
        b: Vec2,
        visit: impl FnMut(u32) -> R,
    ) -> R {
        self.visit_hits(elements, &Segment { a, b }, visit)
    }

    /// The indices of the elements that share a point with `rect`: [`visit_rect`](Self::visit_rect)
    /// as an iterator. It allocates nothing and looks no farther than it is advanced.
    ///
    /// Elements must not have moved since the last rebuild or update.
    pub fn in_rect<'a, E: Elements + ?Sized>(
        &'a self,
        elements: &'a E,
        rect: Rect,
    ) -> impl Iterator<Item = u32> + 'a {
        self.iter_area(elements, rect)
    }

    /// The indices of the elements that have a point at most `radius` away from `center`:
    /// [`visit_disc`](Self::visit_disc) as an iterator. It allocates nothing and looks no farther
    /// than it is advanced.
    ///
    /// Elements must not have moved since the last rebuild or update.
    pub fn in_disc<'a, E: Elements + ?Sized>(
        &'a self,
        elements: &'a E,
        center: Vec2,
        radius: f32,
    ) -> impl Iterator<Item = u32> + 'a {
        self.iter_area(elements, Disc { center, radius })
    }

    /// Searches several discs at once: calls `visit(disc, element)` with the index of the disc and
    /// of each element that has a point in it, in no particular order. The results are the results
    /// of [`visit_disc`](Self::visit_disc) for each disc; a disc of negative radius has none.
    ///
    /// It serves discs that are close together, such as discs around neighbors: 8 or 16 of them
    /// take a fraction of the time of single searches. Discs that share too few cells are searched
    /// one by one.
    ///
    /// Elements must not have moved since the last rebuild or update.
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
        let bounds = || discs.iter().map(Disc::bounds).filter(|bounds| !bounds.is_empty());
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

    /// The element nearest to a point among those that `accept` returns true for: of two at the
    /// same distance, the one with the lower index. `None` if there is none.
    ///
    /// Searches discs around the point, each twice as large as the one before: O(1) where elements
    /// are spread evenly, and proportional to the elements within twice the distance found.
    /// Elements must not have moved since the last rebuild or update.
    #[must_use]
    pub fn nearest<E: Elements + ?Sized>(
        &self,
        elements: &E,
        point: Vec2,
        accept: impl Fn(u32) -> bool,
    ) -> Option<Neighbor> {
        let mut found = [Neighbor::NONE];
        (self.k_nearest(elements, point, accept, &mut found) > 0).then_some(found[0])
    }

    /// Fills `found` with the elements nearest to a point among those that `accept` returns true
    /// for, the nearest first (of two at the same distance, the one with the lower index). Returns
    /// their number, below `found.len()` only if there are no more.
    ///
    /// Searches as [`nearest`](Self::nearest); elements must not have moved since the last rebuild
    /// or update.
    pub fn k_nearest<E: Elements + ?Sized>(
        &self,
        elements: &E,
        point: Vec2,
        accept: impl Fn(u32) -> bool,
        found: &mut [Neighbor],
    ) -> usize {
        if found.is_empty() {
            return 0;
        }
        let mut radius = self.config.loose_size.max_element();
        loop {
            let (mut count, mut visited) = (0, 0);
            self.visit_disc(elements, point, radius, |element| {
                visited += 1;
                if !accept(element) {
                    return;
                }
                let distance = elements.shape(element as usize).distance(point);
                let neighbor = Neighbor { element, distance };
                if count < found.len() {
                    count += 1;
                } else if !neighbor.before(found[count - 1]) {
                    return;
                }
                let place = found[..count - 1].partition_point(|other| other.before(neighbor));
                found[place..count].rotate_right(1);
                found[place] = neighbor;
            });
            let enough = count == found.len() && found[count - 1].distance <= radius;
            if enough || visited == self.len || radius == f32::INFINITY {
                return count;
            }
            radius *= 2.0;
        }
    }

    /// Calls `visit(a, b)` once with each pair of elements with a gap below `within`, at least 0
    /// (with 0: that overlap), `a < b`, in no particular order, until `visit` stops it; see
    /// [`Flow`].
    ///
    /// One rectangle search per element: O(n) where elements are spread evenly and `within` is
    /// about a cell. Elements must not have moved since the last rebuild or update.
    pub fn visit_pairs<E: Elements + ?Sized, R: Flow>(
        &self,
        elements: &E,
        within: f32,
        mut visit: impl FnMut(u32, u32) -> R,
    ) -> R {
        self.visit_all(|a| {
            let shape = elements.shape(a as usize);
            // Bounds and distances round differently; the margin keeps close pairs.
            let search = shape.bounds().expanded(within);
            self.visit_rect(elements, &search.expanded(self.margin(&search)), |b| {
                if a < b && shape.is_within(&elements.shape(b as usize), within) {
                    stop_if_break!(visit(a, b));
                }
                R::CONTINUE
            })
        })
    }

    /// Calls `visit` once with each element that shares a point with the area.
    fn visit_hits<E: Elements + ?Sized, R: Flow>(
        &self,
        elements: &E,
        area: &impl SearchArea,
        mut visit: impl FnMut(u32) -> R,
    ) -> R {
        let hits = |element: u32| area.hits(&elements.shape(element as usize));
        self.visit_area(area, hits, |element, _| visit(element))
    }
}

/// Several discs, searched at once.
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
        // A disc of negative radius has no points: nothing compares as at most NaN.
        let radius = discs.map(|disc| if disc.radius >= 0.0 { disc.radius } else { f32::NAN });
        let hits = |element: u32| {
            let (shape, mut bits) = (elements.shape(element as usize), 0_u32);
            for lane in 0..N {
                let hit = shape.intersects_disc(Vec2::new(x[lane], y[lane]), radius[lane]);
                bits |= u32::from(hit) << lane;
            }
            bits
        };
        grid.visit_area(&around, hits, |element, mut bits| {
            while bits != 0 {
                visit(bits.trailing_zeros() as usize, element);
                bits &= bits - 1;
            }
        });
    }
}
