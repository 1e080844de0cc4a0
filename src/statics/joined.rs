//! Joined statics: which points of a surface lie inside a wall of several statics.
//!
//! ```text
//!        ○ →         The disc touches the face below it. The corner of the next box is near, too,
//! ───────┬───────    but it lies in the first box, to which the disc is nearer: nothing can touch
//!  first │ next      the corner from there.
//! ```
//!
//! The normals of a union at a point of several shapes are those that each of the shapes has there.
//! So a point of contact counts only if it is the nearest one of every static that it lies in.

use glam::Vec2;

use super::Statics;
use crate::geometry::{Space, padded};

impl Statics {
    /// True if the point of a static that is nearest to `at` lies in another static, too, which is
    /// nearer to `at`. A disc around `at` then touches the other one, and not this one. Statics
    /// that touch up to rounding are joined.
    #[inline]
    pub(crate) fn is_covered(&self, index: usize, at: Vec2, space: &Space) -> bool {
        self.joined[index] && self.lies_in_nearer(index, at, space)
    }

    #[cold]
    fn lies_in_nearer(&self, index: usize, at: Vec2, space: &Space) -> bool {
        let shape = &self.shapes[index];
        let (point, distance) = shape.nearest(at);
        let around = padded(point.as_vec2(), 0.0);
        // Statics that a caller computed to be side by side are that far apart.
        let rounding = f64::from(around.size().max_element());
        let mut covered = false;
        for shift in space.copies(around, self.world) {
            self.visit_near(&around.shifted(shift), |number| {
                let (other, shift) = (self.shapes[number], shift.as_dvec2());
                let there = other.distance(at.as_dvec2() + shift);
                // Capsules that end in one point are one wall there.
                let same = there == distance && number < index && shape.is_capsule();
                covered |= (there < distance || same) && other.distance(point + shift) <= rounding;
            });
        }
        covered
    }

    /// Marks the statics that may touch another one, and those at the border of the world, where
    /// others may touch them across a seam.
    pub(super) fn mark_joined(&mut self) {
        for index in 0..self.len() {
            let bounds = self.bounds(index);
            let mut near = 0;
            self.visit_near(&bounds, |other| {
                near += usize::from(self.bounds(other).intersects(&bounds));
            });
            let at_border = !(bounds.min.cmpgt(self.world.min) & bounds.max.cmplt(self.world.max));
            // A static is near itself.
            self.joined[index] = near > 1 || at_border.any();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        geometry::{Boundary, Rect},
        statics::Static,
    };

    const WORLD: Rect = Rect::new(Vec2::ZERO, Vec2::new(30.0, 10.0));

    fn rect(min: [f32; 2], max: [f32; 2]) -> Static {
        Static::Box(Rect::new(min.into(), max.into()))
    }

    /// The statics, by index, that a disc around a point can touch.
    fn open(shapes: &[Static], boundary: Boundary, at: Vec2) -> Vec<usize> {
        let statics = Statics::new(WORLD, shapes, 0).expect("they fit");
        let space = Space::new(WORLD, boundary);
        (0..shapes.len()).filter(|&index| !statics.is_covered(index, at, &space)).collect()
    }

    #[test]
    fn corners_within_a_floor_are_covered() {
        let floor: Vec<_> = (0..100)
            .map(|n| rect([0.3 * n as f32, 0.0], [0.3 * n as f32 + 0.3, 2.0]))
            .filter(|shape| shape.bounds().max.x <= 30.0)
            .collect();
        for n in 0..floor.len() - 1 {
            let at = Vec2::new(0.3 * n as f32 + 0.17, 2.45);
            assert_eq!(open(&floor, Boundary::Walls, at), [n], "only the box below");
        }
        // The corners at both ends of two boxes are none that they share.
        let two = [rect([3.0, 0.0], [4.0, 2.0]), rect([4.0, 0.0], [5.0, 2.0])];
        assert_eq!(open(&two, Boundary::Walls, Vec2::new(2.9, 2.3)), [0]);
        assert_eq!(open(&two, Boundary::Walls, Vec2::new(5.1, 2.3)), [1]);
    }

    #[test]
    fn steps_and_inner_corners_are_open() {
        let step = [rect([3.0, 0.0], [6.0, 2.0]), rect([6.0, 0.0], [9.0, 2.01])];
        assert_eq!(open(&step, Boundary::Walls, Vec2::new(5.8, 2.45)), [0, 1], "a step up");
        let corner = [rect([3.0, 0.0], [6.0, 2.0]), rect([6.0, 2.0], [7.0, 5.0])];
        assert_eq!(open(&corner, Boundary::Walls, Vec2::new(5.6, 2.4)), [0, 1], "an inner corner");
        let apart = [rect([3.0, 0.0], [6.0, 2.0]), rect([6.1, 0.0], [9.0, 2.0])];
        assert_eq!(open(&apart, Boundary::Walls, Vec2::new(5.95, 2.4)), [0, 1], "a gap");
    }

    #[test]
    fn capsules_that_share_an_end_are_one_wall_there() {
        let capsule = |to: [f32; 2]| Static::capsule([Vec2::new(10.0, 4.0), to.into()], 0.5);
        let ends = [[6.0, 4.0], [10.0, 1.0], [7.0, 2.0]].map(capsule);
        for [one, other] in [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]] {
            let pair = [ends[one], ends[other]];
            let at = Vec2::new(10.6, 4.8);
            assert_eq!(open(&pair, Boundary::Walls, at), [0], "{one} and {other}");
        }
    }

    #[test]
    fn discs_cover_and_are_covered() {
        let peg = [rect([3.0, 0.0], [6.0, 2.0]), Static::disc(Vec2::new(6.0, 1.5), 0.5)];
        assert_eq!(open(&peg, Boundary::Walls, Vec2::new(5.9, 2.4)), [0], "below the face");
        assert_eq!(open(&peg, Boundary::Walls, Vec2::new(6.9, 1.5)), [1], "beside the face");
    }

    #[test]
    fn statics_are_joined_across_a_seam() {
        let ends = [rect([0.0, 0.0], [4.0, 2.0]), rect([25.0, 0.0], [30.0, 2.0])];
        let at = Vec2::new(30.2, 2.4);
        assert_eq!(open(&ends, Boundary::Walls, at), [0, 1]);
        assert_eq!(open(&ends, Boundary::PeriodicX, at), [0], "the other end begins there");
        let all_around = [rect([0.0, 0.0], [30.0, 2.0])];
        assert_eq!(open(&all_around, Boundary::PeriodicX, at), [] as [usize; 0], "its copy does");
    }
}
