//! A disc, and the one test of whether two discs overlap.

use glam::Vec2;

use super::rect::Rect;

/// A disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// The center, world units.
    pub center: Vec2,
    /// The radius, world units, at least 0.
    pub radius: f32,
}

impl Disc {
    /// A disc with this center and radius.
    pub const fn new(center: Vec2, radius: f32) -> Self {
        Self { center, radius }
    }

    /// The smallest rectangle around the disc.
    pub fn bounds(&self) -> Rect {
        Rect::around(self.center, self.radius)
    }

    /// A square around the disc, padded so that the squares of two discs that overlap intersect
    /// despite rounding.
    #[inline]
    pub(crate) fn padded(&self) -> Rect {
        padded(self.center, self.radius)
    }

    /// True if the two discs overlap. Discs that only touch do not.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        discs_overlap(
            [self.center.x, self.center.y, self.radius],
            [other.center.x, other.center.y, other.radius],
        )
    }
}

/// The square that [`Disc::padded`] returns.
#[inline]
pub(crate) fn padded(center: Vec2, radius: f32) -> Rect {
    // Each sum rounds by at most half a unit in the last place of the larger of the two.
    let rounding = 4.0 * f32::EPSILON;
    let half = Vec2::splat(radius) + (center.abs() + radius) * rounding;
    Rect { min: center - half, max: center + half }
}

/// The one definition of overlap, for two discs given as x, y and radius: in `f32`, in this order
/// of operations, strict. Every search of the crate uses it, so that all of them find the same
/// pairs.
#[inline(always)]
pub(crate) fn discs_overlap([xi, yi, ri]: [f32; 3], [xj, yj, rj]: [f32; 3]) -> bool {
    let (dx, dy, reach) = (xj - xi, yj - yi, ri + rj);
    dx * dx + dy * dy < reach * reach
}

/// The unit vector from the center of a disc to the center of another one, and the distance, from
/// the displacement between the two and the ids of their discs.
#[inline(always)]
pub(crate) fn center_line(displacement: Vec2, ids: [u32; 2]) -> (Vec2, f32) {
    let square = displacement.x * displacement.x + displacement.y * displacement.y;
    let distance = square.sqrt();
    let normal =
        if distance > 0.0 { displacement / distance } else { coincident_normal(ids[0], ids[1]) };
    (normal, distance)
}

/// The normal of two discs with the same center. It depends only on two numbers that identify the
/// discs, and reverses if the two are exchanged.
#[cold]
pub(crate) fn coincident_normal(id_i: u32, id_j: u32) -> Vec2 {
    const DIRECTIONS: [Vec2; 4] =
        [Vec2::new(1.0, 0.0), Vec2::new(0.6, 0.8), Vec2::new(0.0, 1.0), Vec2::new(-0.6, 0.8)];
    let direction = DIRECTIONS[((id_i ^ id_j).wrapping_mul(0x9e37_79b9) >> 30) as usize];
    if id_i < id_j { direction } else { -direction }
}
