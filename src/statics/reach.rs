//! When a disc in motion reaches a static.

use glam::Vec2;

use super::{Rounded, Statics};
use crate::geometry::{Disc, Ray, Rect, Space};

/// Share of its speed with which a disc must approach a static to hit it. A slower approach is a
/// rounded one: of a disc that slides along a face, or left a static without restitution.
const GRAZING: f32 = 1e-6;

/// Steps of Newton's method towards a static, and the gap at which it is reached, as a share of the
/// radius.
const NEWTON: usize = 16;
const GAP: f32 = 1e-5;

/// Length of the pieces of a long way, in radii, and the most pieces.
const PIECE: f32 = 8.0;
const PIECES: f32 = 4_096.0;

impl Statics {
    /// The place that a disc gets to on its way to another. It slides along the first static that
    /// it touches, and stops at the next.
    pub(crate) fn stopped(&self, disc: Disc, to: Vec2, space: &Space) -> Vec2 {
        let Disc { mut center, radius } = disc;
        let way = to - center;
        // The statics beside a long way are many, and those beside a piece of it few.
        let mut pieces = (way.length() / (PIECE * radius)).ceil().clamp(1.0, PIECES);
        let mut piece = way / pieces;
        let (mut slides, mut meets) = (false, false);
        while pieces > 0.0 {
            let Some((time, normal)) = self.first_on_way(Disc::new(center, radius), piece, space)
            else {
                center = space.wrapped(center + piece);
                pieces -= 1.0;
                continue;
            };
            meets = true;
            center = space.wrapped(center + piece * time);
            if slides {
                break;
            }
            slides = true;
            piece -= normal * piece.dot(normal);
        }
        if meets { center } else { to }
    }

    /// Where a disc first touches a static on its way: the share of the way, and the normal.
    fn first_on_way(&self, disc: Disc, way: Vec2, space: &Space) -> Option<(f32, Vec2)> {
        let Disc { center, radius } = disc;
        let area = disc.bounds().union(&Disc::new(center + way, radius).bounds());
        let mut first: Option<(f32, Vec2)> = None;
        for shift in space.copies(area, self.world) {
            let disc = Disc::new(center + shift, radius);
            self.visit_near(&area.shifted(shift), |index| {
                let reached = self.rounded(index).reach(disc, way, &self.world);
                if let Some((time, normal)) = reached
                    && first.is_none_or(|(least, _)| time < least)
                {
                    first = Some((time, normal));
                }
            });
        }
        first
    }
}

impl Rounded {
    /// The separation of a disc on a straight path: where it first touches the static, or else comes
    /// nearest to it. The share of the path up to there, the normal, and the gap there.
    pub(crate) fn nearing(
        &self,
        at: Vec2,
        path: Vec2,
        radius: f32,
        world: &Rect,
    ) -> (f32, Vec2, f32) {
        let after = |share: f32| {
            let (normal, gap) = self.separation(at + path * share, radius, world);
            (share, normal, gap)
        };
        // The distance from a convex shape is a convex function of time: Newton's method never goes
        // beyond a touch.
        let mut near = after(0.0);
        for _ in 0..NEWTON {
            let (share, normal, gap) = near;
            let approach = -path.dot(normal);
            if approach <= 0.0 && share > 0.0 {
                return self.passing(at, path, after);
            }
            if approach <= 0.0 || gap <= GAP * radius || share == 1.0 {
                return near;
            }
            near = after((share + gap / approach).min(1.0));
        }
        near
    }

    /// Where a path that touches nothing comes nearest: at a corner.
    fn passing(
        &self,
        at: Vec2,
        path: Vec2,
        after: impl Fn(f32) -> (f32, Vec2, f32),
    ) -> (f32, Vec2, f32) {
        let square = path.length_squared();
        let nearest =
            self.corners().map(|corner| after(((corner - at).dot(path) / square).clamp(0.0, 1.0)));
        let nearer = |a: (f32, Vec2, f32), b: (f32, Vec2, f32)| if b.2 < a.2 { b } else { a };
        nearest.into_iter().reduce(nearer).unwrap_or(nearest[0])
    }

    /// The time at which a disc reaches the static with a velocity, and the unit vector out of it
    /// there. A disc that overlaps it reaches it at once, unless it leaves.
    pub(crate) fn reach(&self, disc: Disc, velocity: Vec2, world: &Rect) -> Option<(f32, Vec2)> {
        let (normal, gap) = self.separation(disc.center, disc.radius, world);
        let (time, normal) = if gap > 0.0 {
            let ray = Ray::new(disc.center, velocity)?;
            let entry = self.expanded_raycast(&ray, disc.radius)?;
            let time = (entry.0 / ray.direction().length()) as f32;
            (time, entry.1.unwrap_or(normal))
        } else {
            (0.0, normal)
        };
        (-velocity.dot(normal) > GRAZING * velocity.length()).then_some((time, normal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rng::Rng, statics::Static};

    const WORLD: Rect = Rect::new(Vec2::splat(-50.0), Vec2::splat(50.0));

    /// Against small steps along the path.
    #[test]
    fn a_disc_reaches_a_static_when_it_first_touches_it() {
        let mut rng = Rng::new(3);
        let (mut hits, mut misses) = (0, 0);
        for _ in 0..2_000 {
            let size = Vec2::new(rng.between(0.01, 6.0), rng.between(0.01, 6.0));
            let shape = match rng.below(3) {
                0 => Rounded::from(Static::Box(Rect::new(-size, size))),
                1 => Rounded::from(Static::disc(Vec2::ZERO, size.x)),
                _ => {
                    let end = rng.direction() * rng.between(0.01, 6.0);
                    Rounded::from(Static::capsule([end, -end], 0.5 * size.y))
                }
            };
            let disc = Disc::new(rng.direction() * rng.between(0.0, 20.0), rng.between(0.1, 3.0));
            let velocity = rng.direction() * 40.0;
            let gap =
                |time: f32| shape.separation(disc.center + velocity * time, disc.radius, &WORLD).1;
            if gap(0.0) < 0.0 {
                continue;
            }
            if let Some((time, normal)) = shape.reach(disc, velocity, &WORLD) {
                assert!((0..100).all(|n| gap(time * n as f32 / 100.0) > -1e-5));
                assert!(gap(time).abs() < 2e-5, "{shape:?} {disc:?} {velocity}");
                let (out, _) = shape.separation(disc.center + velocity * time, 0.0, &WORLD);
                assert!(out.distance(normal) < 1e-4, "{out} {normal}");
                hits += 1;
            } else {
                assert!((0..1_000).all(|n| gap(n as f32 / 500.0) > -1e-5));
                misses += 1;
            }
        }
        assert!(hits > 200 && misses > 200, "{hits} {misses}");
    }

    #[test]
    fn a_disc_that_overlaps_hits_only_what_it_approaches() {
        let shape = Rounded::from(Static::Box(Rect::new(Vec2::ZERO, Vec2::ONE)));
        let disc = Disc::new(Vec2::new(0.5, 1.4), 0.5);
        assert_eq!(shape.reach(disc, Vec2::new(3.0, -1.0), &WORLD), Some((0.0, Vec2::Y)));
        assert_eq!(shape.reach(disc, Vec2::new(3.0, 0.0), &WORLD), None);
        assert_eq!(shape.reach(disc, Vec2::new(3.0, 1.0), &WORLD), None);
        assert_eq!(shape.reach(disc, Vec2::ZERO, &WORLD), None);
    }
}
