//! Single searches: the grid proposes candidates in f32, and the numbers of the caller decide in f64.

use std::{cmp::Ordering, ops::RangeInclusive};

use jostle::{
    Disc, Rect, Vec2,
    grid::{DiscColumns, Elements},
};

use super::{
    index::{ENLARGED, Index, enlarged, error_of},
    memory::{Failure, Result, push, reserve},
};

/// More neighbors than this are not inserted one by one, but selected among twice as many.
const INSERTED: usize = 64;

/// A point near another one, or on a ray: its distance, and its index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) distance: f64,
    pub(super) id: u32,
}

impl Found {
    fn before(self, other: Self) -> bool {
        self.order(&other).is_lt()
    }

    fn order(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.id.cmp(&other.id))
    }
}

impl Index {
    /// Calls `visit` with each disc that has a point at most `radius` away from `center`: its slot, and
    /// the square of the distance of its center.
    #[inline]
    pub(super) fn visit_disc(
        &self,
        center: [f64; 2],
        radius: f64,
        mut visit: impl FnMut(usize, f64),
    ) {
        let mut test = |slot: usize| {
            let [x, y] = self.exact[slot];
            let (dx, dy) = (x - center[0], y - center[1]);
            let square = dx * dx + dy * dy;
            let reach = radius + self.radii.get(slot);
            if square <= reach * reach {
                visit(slot, square);
            }
        };
        if self.alike() {
            let reach = (radius + self.largest) * ENLARGED;
            let [low, high] = [-reach, reach].map(|by| self.shifted(center.map(|at| at + by)));
            let error = error_of(low.abs().max(high.abs())) as f32;
            let area = Rect::new(low - error, high + error);
            self.grid.visit_center_slots(&area, |slots| slots.for_each(&mut test));
        } else {
            let at = self.shifted(center);
            let error = error_of(at);
            // Everything is nearer than that.
            let all = 4.0 * (self.extent + self.largest) + 2.0 * f64::from(at.abs().max_element());
            let searched = enlarged(radius.min(all) + error);
            self.grid.visit_disc(&self.discs(), at, searched, |slot| test(slot as usize));
        }
    }

    /// True if no disc is so large that a search by centers would look much too far.
    fn alike(&self) -> bool {
        self.largest <= self.cell()
    }

    /// Appends the indices of the discs that share a point with a disc, ascending.
    ///
    /// # Errors
    /// If there is not enough memory, as in all searches.
    #[inline]
    pub(super) fn in_disc(
        &self,
        center: [f64; 2],
        radius: f64,
        found: &mut Vec<u32>,
    ) -> Result<()> {
        let (start, mut failure) = (found.len(), None::<Failure>);
        self.visit_disc(center, radius, |slot, _| {
            if let Err(error) = push(found, self.id[slot]) {
                failure = Some(error);
            }
        });
        found[start..].sort_unstable();
        failure.map_or(Ok(()), Err)
    }

    /// Appends the indices of the discs that share a point with a rectangle, given by its corners,
    /// ascending.
    #[inline]
    pub(super) fn in_rect(&self, [x0, y0, x1, y1]: [f64; 4], found: &mut Vec<u32>) -> Result<()> {
        if x0 > x1 || y0 > y1 {
            return Ok(());
        }
        let (start, mut failure) = (found.len(), None::<Failure>);
        let mut test = |slot: usize| {
            let ([x, y], radius) = (self.exact[slot], self.radii.get(slot));
            let (dx, dy) = ((x0 - x).max(x - x1).max(0.0), (y0 - y).max(y - y1).max(0.0));
            if dx * dx + dy * dy <= radius * radius
                && let Err(error) = push(found, self.id[slot])
            {
                failure = Some(error);
            }
        };
        let (min, max) = (self.shifted([x0, y0]), self.shifted([x1, y1]));
        let error = enlarged(error_of(min.abs().max(max.abs())));
        let searched = Rect::new(min - error, max + error);
        if self.alike() {
            let searched = searched.expanded(enlarged(self.largest));
            self.grid.visit_center_slots(&searched, |slots| slots.for_each(&mut test));
        } else {
            self.grid.visit_rect(&self.discs(), &searched, |slot| test(slot as usize));
        }
        found[start..].sort_unstable();
        failure.map_or(Ok(()), Err)
    }

    /// Finds the `count` discs nearest to a point, the nearest first; of two at the same distance,
    /// the one with the lower index. There are fewer if there are no more.
    #[inline]
    pub(super) fn nearest(
        &self,
        point: [f64; 2],
        count: usize,
        found: &mut Vec<Found>,
    ) -> Result<()> {
        found.clear();
        let count = count.min(self.len());
        if count == 0 {
            return Ok(());
        }
        let inserted = count <= INSERTED;
        let most = if inserted { count } else { (2 * count).min(self.len()) };
        reserve(found, most)?;
        // Cells have about three points.
        let mut radius = self.cell() * (0.2 * count as f64).sqrt().max(0.6) + self.outside(point);
        loop {
            found.clear();
            // The square of the distance that a point without radius must not exceed.
            let (mut visited, mut limit) = (0, f64::INFINITY);
            self.visit_disc(point, radius, |slot, square| {
                visited += 1;
                if square > limit {
                    return;
                }
                let distance = (square.sqrt() - self.radii.get(slot)).max(0.0);
                let new = Found { distance, id: self.id[slot] };
                if inserted {
                    insert(found, count, new);
                } else {
                    found.push(new);
                    if found.len() == 2 * count {
                        select(found, count);
                    } else {
                        return;
                    }
                }
                if found.len() == count {
                    let reach = (found[count - 1].distance + self.largest) * ENLARGED;
                    limit = reach * reach;
                }
            });
            if !inserted {
                select(found, count);
                found.sort_unstable_by(Found::order);
            }
            if found.len() == count || visited == self.len() || radius.is_infinite() {
                return Ok(());
            }
            radius *= 2.0;
        }
    }

    /// A distance that the nearest point has at least, if it lies outside of the bounds of all.
    fn outside(&self, point: [f64; 2]) -> f64 {
        let at = self.shifted(point).abs();
        (f64::from(at.max_element()) - self.extent).max(0.0)
    }

    /// The first disc along a ray, at most `max` away; of two at the same distance, the one with the
    /// lower index.
    #[inline]
    pub(super) fn raycast(&self, ray: [f64; 4], max: f64) -> Option<Found> {
        let [x, y, direction @ ..] = ray;
        let length = (direction[0] * direction[0] + direction[1] * direction[1]).sqrt();
        if length == 0.0 || self.len() == 0 {
            return None;
        }
        let reach = (self.extent + self.largest) * ENLARGED;
        let start = self.centered([x, y]);
        let unit = direction.map(|along| along / length);
        let range = inside(start, unit, reach)?;
        let (mut from, end) = (range.start().max(0.0), range.end().min(max));
        let (mut step, mut first) = (2.0 * self.cell(), None::<Found>);
        while from <= end {
            let to = (from + step).min(end);
            let at = |distance: f64| {
                let [x, y] = [0, 1].map(|axis| start[axis] + unit[axis] * distance);
                Vec2::new(x as f32, y as f32)
            };
            let (from_at, to_at) = (at(from), at(to));
            // A segment is as imprecise as its farther end.
            let error = enlarged(error_of(from_at.abs().max(to_at.abs())));
            let discs = Enlarged { discs: self.discs(), by: error };
            self.grid.visit_segment(&discs, from_at, to_at, |slot| {
                let slot = slot as usize;
                let (center, radius) = (self.exact[slot], self.radii.get(slot));
                let Some(distance) = entry([x, y], direction, length, center, radius) else {
                    return;
                };
                let new = Found { distance, id: self.id[slot] };
                if distance <= max && first.is_none_or(|first| new.before(first)) {
                    first = Some(new);
                }
            });
            if to >= end || first.is_some_and(|first| first.distance <= to) {
                break;
            }
            (from, step) = (to, 2.0 * step);
        }
        first
    }
}

/// Inserts into the `count` nearest, the nearest first.
#[inline(always)]
fn insert(nearest: &mut Vec<Found>, count: usize, new: Found) {
    if nearest.len() < count {
        nearest.push(new);
    } else if !new.before(nearest[count - 1]) {
        return;
    }
    let last = nearest.len() - 1;
    let place = nearest[..last].partition_point(|other| other.before(new));
    nearest[place..].rotate_right(1);
    nearest[place] = new;
}

/// Keeps the `count` nearest, the farthest of them last.
fn select(found: &mut Vec<Found>, count: usize) {
    if found.len() > count {
        found.select_nth_unstable_by(count - 1, Found::order);
        found.truncate(count);
    }
}

/// Discs with a larger radius.
struct Enlarged<'a> {
    discs: DiscColumns<'a>,
    by: f32,
}

impl Elements for Enlarged<'_> {
    type Shape = Disc;
    fn len(&self) -> usize {
        self.discs.len()
    }
    #[inline]
    fn shape(&self, index: usize) -> Disc {
        let disc = self.discs.shape(index);
        Disc { radius: disc.radius + self.by, ..disc }
    }
}

/// The distance at which a ray enters a disc, 0 if it starts there. The direction is not normalized,
/// so that products of short numbers stay exact.
#[inline(always)]
fn entry(
    origin: [f64; 2],
    direction: [f64; 2],
    length: f64,
    center: [f64; 2],
    radius: f64,
) -> Option<f64> {
    let [dx, dy] = [center[0] - origin[0], center[1] - origin[1]];
    if dx * dx + dy * dy <= radius * radius {
        return Some(0.0);
    }
    let along = dx * direction[0] + dy * direction[1];
    let aside = dx * direction[1] - dy * direction[0];
    let half_chord = radius * radius * (length * length) - aside * aside;
    (along >= 0.0 && half_chord >= 0.0).then(|| ((along - half_chord.sqrt()) / length).max(0.0))
}

/// The distances between which a ray is in the square of half side `reach` around 0.
fn inside(start: [f64; 2], direction: [f64; 2], reach: f64) -> Option<RangeInclusive<f64>> {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in [0, 1] {
        if direction[axis] == 0.0 {
            if start[axis].abs() > reach {
                return None;
            }
            continue;
        }
        let [one, other] = [-reach, reach].map(|border| (border - start[axis]) / direction[axis]);
        enter = enter.max(one.min(other));
        leave = leave.min(one.max(other));
    }
    (enter <= leave).then_some(enter..=leave)
}
