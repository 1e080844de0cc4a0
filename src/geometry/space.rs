//! The space of a run: its world, and the axes along which the world repeats.
//!
//! In a periodic world an agent that leaves on one side comes in on the opposite one. Between two
//! sorts its coordinates go on beyond the border, so that neighbors in memory stay neighbors in the
//! world; [`Space::wrapped`] gives the point in the world.

use glam::Vec2;

use super::rect::Rect;
use crate::names::names;

/// The kind of the borders of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// Walls that agents bounce off.
    #[default]
    Walls,
    /// No border: agents that leave on one side come in on the opposite one.
    Periodic,
    /// No border on the left and right; walls below and above.
    PeriodicX,
}

impl Boundary {
    /// Whether the world repeats along x and along y.
    pub(crate) const fn repeats(self) -> [bool; 2] {
        match self {
            Self::Walls => [false, false],
            Self::Periodic => [true, true],
            Self::PeriodicX => [true, false],
        }
    }
}

names!(
    #[doc(hidden)]
    pub Boundary:
    Walls = "walls",
    Periodic = "periodic",
    PeriodicX = "periodic-x",
);

/// A world, and how far it is to its next copy along x and along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    world: Rect,
    /// World units; infinite where there are walls.
    period: Vec2,
}

impl Space {
    /// Largest radius in a periodic world, as a share of its period. Two discs are then less than
    /// half a period wide together, with a margin for rounding: a disc touches no copy of itself,
    /// and no other disc twice.
    pub(crate) const RADIUS_MAX: f32 = 0.249;

    /// The largest distance of coordinates beyond a border without walls, as a share of the period.
    const APRON: f32 = 0.25;

    /// A world with such borders.
    pub fn new(world: Rect, boundary: Boundary) -> Self {
        let [x, y] = boundary.repeats();
        let size = world.size();
        let period = |repeats, side| if repeats { side } else { f32::INFINITY };
        Self { world, period: Vec2::new(period(x, size.x), period(y, size.y)) }
    }

    /// The world.
    pub fn world(&self) -> Rect {
        self.world
    }

    /// Whether the world repeats along x and along y.
    #[inline]
    pub fn repeats(&self) -> [bool; 2] {
        self.period.to_array().map(f32::is_finite)
    }

    /// True if the world repeats along an axis.
    pub(crate) fn is_periodic(&self) -> bool {
        self.repeats() != [false; 2]
    }

    /// The shortest side of the world, world units.
    pub(crate) fn side_min(&self) -> f32 {
        self.world.size().min_element()
    }

    /// The largest radius that a disc may have, world units.
    pub(crate) fn radius_max(&self) -> f32 {
        let walls = 0.5 * self.side_min();
        walls.min(Self::RADIUS_MAX * self.period.min_element())
    }

    /// The rectangle in which the centers of discs of that radius may be.
    pub(crate) fn centers(&self, radius: f32) -> Rect {
        let [x, y] = self.repeats().map(|repeats| if repeats { 0.0 } else { radius });
        let inset = Vec2::new(x, y);
        Rect::new(self.world.min + inset, self.world.max - inset)
    }

    /// The rectangle that discs may reach: the world, and an apron where there are no walls.
    pub(crate) fn reach(&self) -> Rect {
        let apron = |period: f32| if period.is_finite() { Self::APRON * period } else { 0.0 };
        let apron = Vec2::new(apron(self.period.x), apron(self.period.y));
        Rect::new(self.world.min - apron, self.world.max + apron)
    }

    /// The displacement to the nearest copy of a point, from the displacement to the point. Neither
    /// may be farther beyond the world than a quarter of it.
    #[inline(always)]
    pub fn minimum_image(&self, displacement: Vec2) -> Vec2 {
        let nearest = |d: f32, period: f32| {
            let half = 0.5 * period;
            let d = if d > half { d - period } else { d };
            if d < -half { d + period } else { d }
        };
        let Vec2 { x, y } = displacement;
        Vec2::new(nearest(x, self.period.x), nearest(y, self.period.y))
    }

    /// The point of the world that a point is a copy of. Where there are walls, its coordinate
    /// stays as it is.
    pub fn wrapped(&self, point: Vec2) -> Vec2 {
        let [x, y] = [0, 1].map(|axis| self.wrap(axis, point[axis]));
        Vec2::new(x, y)
    }

    /// Wraps a coordinate along an axis.
    #[inline(always)]
    pub(crate) fn wrap(&self, axis: usize, at: f32) -> f32 {
        let (low, high, period) = (self.world.min[axis], self.world.max[axis], self.period[axis]);
        if (at >= low && at < high) || !(period.is_finite() && at.is_finite()) {
            return at;
        }
        let (from, period) = (f64::from(at), f64::from(period));
        let turns = ((from - f64::from(low)) / period).floor();
        let inside = (from - turns * period) as f32;
        // A coordinate slightly below the border rounds to the opposite border, which is the same
        // point.
        if inside >= low && inside < high { inside } else { low }
    }

    /// Wraps coordinates along an axis.
    pub(crate) fn wrap_all(&self, axis: usize, column: &mut [f32]) {
        // Few coordinates are outside, so most pieces are only compared, many numbers at once.
        const PIECE: usize = 64;
        let (low, high) = (self.world.min[axis], self.world.max[axis]);
        for piece in column.chunks_mut(PIECE) {
            if piece.iter().fold(false, |any, &at| any | (at < low) | (at >= high)) {
                for at in piece {
                    *at = self.wrap(axis, *at);
                }
            }
        }
    }

    /// The displacements to the copies of the world around it: 8, or 2 if it repeats along one
    /// axis, or none.
    pub(crate) fn shifts(&self) -> impl Iterator<Item = Vec2> + use<> {
        let steps = |repeats| if repeats { -1..=1 } else { 0..=0 };
        let ([x, y], period) = (self.repeats(), self.period);
        steps(y).flat_map(move |row| steps(x).map(move |col| [col, row])).filter_map(
            move |[col, row]: [i8; 2]| {
                let along = |n: i8, period: f32| if n == 0 { 0.0 } else { f32::from(n) * period };
                let shift = Vec2::new(along(col, period.x), along(row, period.y));
                ([col, row] != [0, 0]).then_some(shift)
            },
        )
    }

    /// The rectangle of all points whose copies, one world away, lie outside `rect`.
    pub(crate) fn out_of_reach(&self, rect: &Rect) -> Rect {
        Rect::new(rect.max - self.period, rect.min + self.period)
    }

    /// The displacements to a rectangle itself, and to its copies that intersect another.
    #[inline]
    pub(crate) fn copies(&self, rect: Rect, other: Rect) -> impl Iterator<Item = Vec2> + use<> {
        let meets = move |shift: &Vec2| rect.shifted(*shift).intersects(&other);
        std::iter::once(Vec2::ZERO).chain(self.shifts().filter(meets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(boundary: Boundary) -> Space {
        Space::new(Rect::new(Vec2::new(-10.0, 5.0), Vec2::new(30.0, 25.0)), boundary)
    }

    #[test]
    fn wraps_into_the_world() {
        for (point, inside) in [
            ([0.0, 7.0], [0.0, 7.0]),
            ([30.0, 25.0], [-10.0, 5.0]),
            ([-10.5, 4.0], [29.5, 24.0]),
            ([111.0, -36.0], [-9.0, 24.0]),
            // A bit below the border is the border.
            ([-10.000_001, 5.0], [-10.0, 5.0]),
        ] {
            let point = Vec2::from_array(point);
            let wrapped = space(Boundary::Periodic).wrapped(point);
            assert_eq!(wrapped.to_array(), inside, "{point}");
            let half = space(Boundary::PeriodicX).wrapped(point);
            assert_eq!(half, Vec2::new(inside[0], point.y));
            assert_eq!(space(Boundary::Walls).wrapped(point), point);
        }
        for at in [1e30_f32, -1e30, f32::MIN_POSITIVE, -1e-30] {
            let point = space(Boundary::Periodic).wrapped(Vec2::splat(at));
            assert!(space(Boundary::Periodic).world().contains(point), "{at}: {point}");
        }
    }

    #[test]
    fn the_nearest_copy_is_at_most_half_a_period_away() {
        for n in -60..=60 {
            let d = Vec2::new(n as f32, -n as f32 * 0.5);
            let image = space(Boundary::Periodic).minimum_image(d);
            assert!(image.x.abs() <= 20.0 && image.y.abs() <= 10.0, "{d}: {image}");
            assert_eq!((d.x - image.x) % 40.0, 0.0);
            assert_eq!(space(Boundary::Periodic).minimum_image(-d), -image, "symmetric");
            assert_eq!(space(Boundary::Walls).minimum_image(d), d);
        }
    }

    #[test]
    fn a_world_has_as_many_copies_around_it_as_it_repeats() {
        let count = |boundary| space(boundary).shifts().count();
        assert_eq!(Boundary::ALL.map(count), [0, 8, 2]);
        let corner = Rect::around(Vec2::new(30.0, 25.0), 1.0);
        let world = space(Boundary::Walls).world();
        assert_eq!(space(Boundary::Periodic).copies(corner, world).count(), 4);
    }
}
