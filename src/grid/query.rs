//! The queries: which elements intersect a rectangle, a disc or a segment; which are nearest; which
//! is the first along a ray; which pairs are close.
//!
//! A query reads the present elements, but the grid has their positions of the last rebuild or
//! update. So elements must not have moved since, or a query may miss them.
//!
//! A raycast searches the ray in pieces, each twice as long as the one before, so that a hit nearby
//! costs little. A search of one piece finds every element that has a point on it. So the nearest
//! hit of the first piece with a hit inside it is the nearest of all.

use glam::Vec2;

use super::{Elements, Flow, Grid, flow::stop_if_break, home::NONE, search::SearchArea};
use crate::{
    geometry::{Disc, Ray, RayEntry, Rect, Segment, Shape},
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

/// A hit that [`Grid::raycast`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The index of the element.
    pub element: u32,
    /// The point at which the ray enters the element, world units.
    pub point: Vec2,
    /// The unit vector that points out of the element there; zero if the ray starts in the element
    /// or on its border.
    pub normal: Vec2,
    /// The distance from the origin to the point, world units; 0 if the ray starts in the element.
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
    /// `center`, in no particular order, until `visit` stops it; see [`Flow`]. A negative radius has
    /// none.
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
        self.visit_hits(elements, &searched(center, radius), visit)
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
        self.iter_area(elements, searched(center, radius))
    }

    /// Searches several discs at once: calls `visit(disc, element)` with the index of the disc and
    /// of each element that has a point in it, in no particular order. The results are the results
    /// of [`visit_disc`](Self::visit_disc) for each disc.
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

    /// The first element along a ray among those that `accept` returns true for, at most `max`
    /// world units away (which may be infinite): of two at the same distance, the one with the
    /// lower index. `None` if the ray hits nothing.
    ///
    /// The direction may have any length above 0; a zero or not finite direction or origin, and a
    /// `max` that is negative or NaN, hit nothing. Borders belong to elements: a ray that grazes
    /// one hits it. A ray that starts in an element hits it at distance 0; use `accept` to leave
    /// out the element that shoots. `accept` may be called several times for one element.
    ///
    /// Takes time in proportion to the elements in the cells along the ray, up to about twice the
    /// distance of the hit. Elements must not have moved since the last rebuild or update.
    ///
    /// ```
    /// use jostle::{Disc, Grid, GridConfig, Rect, Vec2};
    ///
    /// let discs = [2.0, 6.0, 9.0].map(|x| Disc::new(Vec2::new(x, 4.0), 1.0));
    /// let mut grid = Grid::new(GridConfig::new(Rect::from_size(16.0, 9.0), 2.0, discs.len()))?;
    /// grid.rebuild(&discs)?;
    ///
    /// let shooter = 0;
    /// let origin = discs[shooter].center;
    /// let others = |disc| disc as usize != shooter;
    /// let hit = grid.raycast(&discs, origin, Vec2::X, f32::INFINITY, others);
    /// let hit = hit.expect("the second disc is in the way");
    /// assert_eq!((hit.element, hit.distance), (1, 3.0));
    /// assert_eq!((hit.point, hit.normal), (Vec2::new(5.0, 4.0), Vec2::NEG_X));
    /// # Ok::<(), jostle::Error>(())
    /// ```
    #[must_use]
    pub fn raycast<E: Elements + ?Sized>(
        &self,
        elements: &E,
        origin: Vec2,
        direction: Vec2,
        max: f32,
        accept: impl Fn(u32) -> bool,
    ) -> Option<RayHit> {
        let ray = Ray::new(origin, direction)?;
        if max.is_nan() || max < 0.0 {
            return None;
        }
        let max = f64::from(max);
        // No element reaches out of the hull, but for rounding.
        let (enter, leave, _) = ray.clip(&self.hull.expanded(self.margin(&self.hull)))?;
        let (mut from, end) = (enter.max(0.0), leave.min(max));
        let mut length = 2.0 * f64::from(self.config.loose_size.max_element());
        let mut first: Option<(u32, RayEntry)> = None;
        while from <= end {
            let to = (from + length).min(end);
            let entry = |element: u32| {
                elements.shape(element as usize).raycast(&ray).filter(|entry| entry.distance <= max)
            };
            let piece = Segment { a: ray.at(from), b: ray.at(to) };
            self.visit_area(&piece, entry, |element, entry| {
                let Some(entry) = entry else { return };
                let before = first.is_none_or(|(other, nearest)| {
                    (entry.distance, element) < (nearest.distance, other)
                });
                if before && accept(element) {
                    first = Some((element, entry));
                }
            });
            if to >= end || first.is_some_and(|(_, entry)| entry.distance <= to) {
                break;
            }
            (from, length) = (to, 2.0 * length);
        }
        first.map(|(element, RayEntry { distance, normal })| RayHit {
            element,
            point: ray.at(distance),
            normal,
            distance: distance as f32,
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

/// The disc of a search. One of negative radius has no points: nothing compares as at most NaN.
fn searched(center: Vec2, radius: f32) -> Disc {
    Disc { center, radius: if radius >= 0.0 { radius } else { f32::NAN } }
}

impl<E: Elements + ?Sized, V: FnMut(usize, u32), const N: usize> Kernel for Packet<'_, E, V, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { grid, elements, around, discs, mut visit } = self;
        let (x, y) = (discs.map(|disc| disc.center.x), discs.map(|disc| disc.center.y));
        let radius = discs.map(|disc| searched(disc.center, disc.radius).radius);
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
