//! The firing range of `cannon`: the world that opens "Broad Phase Collision Detection" in Mario Zechner's *Beginning
//! Android Games*, 9.6 × 6.4 m with targets of half a metre.
//!
//! ```text
//! 6.4 ┌─────────────────────┐
//!     │      ■   ●   ■      │   targets, discs and boxes by turns: who is hit goes away
//!     │   ↗    ●      ●   ■ │
//!     │ ╱╱   ■    ■  ●      │
//!     │◯╱ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ │   balls on the ground, to be fired one after the other
//!   0 └─────────────────────┘
//!     0                    9.6
//! ```

use glam::Vec2;

use super::Setup;
use crate::{geometry::Rect, rng::Rng, statics::Static};

/// Where balls lie at the start.
pub(super) const GROUND: Rect = Rect::new(Vec2::new(2.0, 0.0), Vec2::new(9.6, 1.2));

/// Where the middles of targets are, how wide a target is, and how far apart two of them are at least, metres.
const TARGETS: Rect = Rect::new(Vec2::new(3.2, 1.8), Vec2::new(9.1, 5.6));
const TARGET: f32 = 0.5;
const APART: f32 = 0.8;

/// Targets, and how often a place for one is drawn at most.
const COUNT: usize = 20;
const DRAWS: usize = 4_000;

/// The cannon: its wheel and its barrel, a row of discs, in metres.
const WHEEL: (Vec2, f32) = (Vec2::new(0.6, 0.3), 0.3);
const BARREL: [Vec2; 2] = [Vec2::new(0.5, 0.4), Vec2::new(1.1, 1.0)];
const BARREL_RADIUS: f32 = 0.14;
const BARREL_DISCS: u8 = 8;

/// √½: the barrel points upwards by 45 degrees.
const SLANT: f32 = 0.707_106_77;

/// Share of the barrel's width in which balls leave it.
const BORE: f32 = 0.6;

/// The cannon.
pub(super) fn cannon() -> Vec<Static> {
    let (center, radius) = WHEEL;
    let [from, to] = BARREL;
    let barrel = (0..BARREL_DISCS).map(|n| {
        let share = f32::from(n) / f32::from(BARREL_DISCS - 1);
        Static::disc(from + (to - from) * share, BARREL_RADIUS)
    });
    std::iter::once(Static::disc(center, radius)).chain(barrel).collect()
}

/// The targets of a set-up.
pub(crate) fn targets(setup: &Setup) -> Vec<Static> {
    let mut rng = Rng::new(setup.seed);
    let mut middles: Vec<Vec2> = Vec::with_capacity(COUNT);
    for _ in 0..DRAWS {
        let share = Vec2::new(rng.unit(), rng.unit());
        let middle = TARGETS.min + TARGETS.size() * share;
        let free = middles.iter().all(|other| other.distance(middle) >= APART);
        if free && middles.len() < COUNT {
            middles.push(middle);
        }
    }
    let half = 0.5 * TARGET;
    let shapes = middles.into_iter().enumerate();
    shapes
        .map(|(n, middle)| match n % 2 {
            0 => Static::Box(Rect::around(middle, half)),
            _ => Static::disc(middle, half),
        })
        .collect()
}

/// Where a ball of that radius leaves the barrel, and in which direction: somewhere across the bore, and upwards by a
/// third to two and a half of forwards.
pub(crate) fn muzzle(radius: f32, rng: &mut Rng) -> (Vec2, Vec2) {
    let [_, end] = BARREL;
    let side = rng.between(-BORE, BORE) * BARREL_RADIUS;
    let ahead = BARREL_RADIUS + radius;
    let position = end + Vec2::new(ahead - side, ahead + side) * (SLANT * 1.01);
    let slope = rng.between(0.3, 2.5);
    (position, Vec2::new(1.0, slope) / (1.0 + slope * slope).sqrt())
}
