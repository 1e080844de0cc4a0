//! The firing range of `cannon`, and its rule: fires the balls in turn, and removes the targets
//! that they hit.
//!
//! The range is the world that opens "Broad Phase Collision Detection" in Mario Zechner's
//! *Beginning Android Games*, 9.6 × 6.4 m with targets of half a meter.
//!
//! ```text
//! 6.4 ┌─────────────────────┐
//!     │      ■   ●   ■      │   targets, discs and boxes by turns, which go away when they are hit
//!     │   ↗    ●      ●   ■ │
//!     │ ╱╱   ■    ■  ●      │
//!     │◯╱ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ │   balls on the ground, to be fired one after the other
//!   0 └─────────────────────┘
//!     0                    9.6
//! ```
//!
//! The cannon removes a ball from its position and fires it as a new agent, so the number of balls
//! stays the same. Balls at rest come first, then the balls that were fired first. Each ball is
//! fired once within [`ROUND`] seconds, on average. A target that a ball touches is removed at
//! once; when none is left, all are put up again. Shots are drawn from the seed and the id of the
//! ball, so that a run needs no state beside its agents and statics.

use glam::Vec2;

use super::{
    context::{RuleContext, SceneRanks},
    setup::Setup,
};
use crate::{
    agents::{Agents, Spawn},
    alloc,
    error::Result,
    geometry::{Rect, Shape},
    grid::{Disc, Grid},
    rng::Rng,
    statics::{FEWER, Static},
};

/// The rectangle of the balls at the start.
pub(super) const GROUND: Rect = Rect::new(Vec2::new(2.0, 0.0), Vec2::new(9.6, 1.2));

/// The rectangle of the middles of targets, the width of a target, and the least distance of two
/// middles, meters.
const TARGETS: Rect = Rect::new(Vec2::new(3.2, 1.8), Vec2::new(9.1, 5.6));
const TARGET: f32 = 0.5;
const APART: f32 = 0.8;

/// Number of targets, and the most positions that are drawn for all of them.
const COUNT: usize = 20;
const DRAWS: usize = 4_000;

/// The cannon: its wheel and its barrel, a row of discs, in meters.
const WHEEL: (Vec2, f32) = (Vec2::new(0.6, 0.3), 0.3);
const BARREL: [Vec2; 2] = [Vec2::new(0.5, 0.4), Vec2::new(1.1, 1.0)];
const BARREL_RADIUS: f32 = 0.14;
const BARREL_DISCS: u8 = 8;

/// √½: the barrel points upwards by 45 degrees.
const SLANT: f32 = 0.707_106_77;

/// Share of the barrel's width in which balls leave it.
const BORE: f32 = 0.6;

/// The most positions across the bore that are drawn for a shot, until one is free.
const MUZZLE_DRAWS: u32 = 32;

/// Seconds in which the number of shots equals the number of balls.
const ROUND: f64 = 25.0;

/// Substeps from one volley to the next. A volley sorts all balls, so shots are collected; and the
/// volley before has left the muzzle by then.
const VOLLEY: u64 = 8;

/// Distance within which a ball touches a target, as a share of the ball's radius.
const TOUCH: f32 = 0.01;

/// The targets, and the lists from which shots are made.
#[derive(Debug)]
pub(crate) struct Cannon {
    targets: Vec<Static>,
    /// Whether a ball moves, in the upper word, and its id: balls are fired in this order.
    turns: Vec<u64>,
    fired: Vec<u32>,
    shots: Vec<Spawn>,
    /// Ids of the targets that a ball touches.
    hit: Vec<u32>,
}

impl Cannon {
    /// Creates the cannon of a set-up with at most `balls` balls.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(setup: &Setup, balls: usize) -> Result<Self> {
        let what = "the balls in the order in which they are fired";
        let targets = targets(setup);
        let statics = targets.len() + setup.spare_statics as usize;
        let volley = volley_max(setup);
        Ok(Self {
            targets,
            hit: alloc::with_remedy(
                alloc::with_capacity(statics, "the targets that are hit"),
                FEWER,
            )?,
            turns: alloc::with_capacity(balls, what)?,
            fired: alloc::with_capacity(volley, what)?,
            shots: alloc::with_capacity(volley, what)?,
        })
    }

    /// Bytes that [`Self::new`] allocates for `balls` balls.
    pub(super) fn memory_for(setup: &Setup, balls: usize) -> usize {
        balls * size_of::<u64>() + volley_max(setup) * (size_of::<u32>() + size_of::<Spawn>())
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.turns.capacity() * size_of::<u64>()
            + (self.fired.capacity() + self.hit.capacity()) * size_of::<u32>()
            + self.shots.capacity() * size_of::<Spawn>()
    }

    /// The ids of the balls that are due in the next step, which are to be removed, and one shot
    /// for each; none if no ball is due.
    pub(super) fn fire(
        &mut self,
        context: &RuleContext<'_>,
        others: &mut impl SceneRanks,
    ) -> Option<(&[u32], &[Spawn])> {
        let &RuleContext { setup, motion, steps, next_id, ref agents, grid, .. } = context;
        let Self { turns, fired, shots, .. } = self;
        let due = shots_before(steps + 1, setup) - shots_before(steps, setup);
        let due = (due as usize).min(others.all(agents.len()));
        if due == 0 {
            return None;
        }
        let still = motion.rest_speed * motion.rest_speed;
        turns.clear();
        turns.extend(others.own(agents.len()).map(|slot| {
            let (vx, vy) = (agents.vx[slot], agents.vy[slot]);
            u64::from(vx * vx + vy * vy > still) << 32 | u64::from(agents.id[slot])
        }));
        first(turns, due);
        others.join(turns);
        first(turns, due);
        fired.clear();
        fired.extend(turns.iter().map(|&turn| turn as u32));
        let near = others.others_in(&muzzle_area(setup.radius[0]), agents, grid);
        shots.clear();
        for number in 0..due as u32 {
            let radius = setup.radius[0];
            let ball = u64::from(next_id.wrapping_add(number));
            let mut rng = Rng::new(setup.seed ^ Rng::new(ball).bits());
            let mut shot = muzzle(radius, &mut rng);
            for _ in 1..MUZZLE_DRAWS {
                if is_free((shot.0, radius), shots, (agents, grid), &near) {
                    break;
                }
                shot = muzzle(radius, &mut rng);
            }
            let (position, direction) = shot;
            let speed = setup.speed * rng.between(0.5, 1.5);
            shots.push(Spawn::new(position, direction * speed, radius));
        }
        Some((fired, shots))
    }

    /// Removes the targets that a ball touches. If none is left, puts up all targets again, as far
    /// as the capacity for statics allows.
    ///
    /// # Errors
    /// If there is not enough memory to list the targets.
    pub(super) fn remove_hit_targets(
        &mut self,
        context: RuleContext<'_>,
        others: &mut impl SceneRanks,
    ) -> Result<()> {
        let RuleContext { motion, agents, statics, grid, .. } = context;
        let Self { targets, hit, .. } = self;
        let within = TOUCH * motion.radius_min;
        let mut standing = 0;
        hit.clear();
        for (id, shape) in statics.iter().filter(|(_, shape)| targets.contains(shape)) {
            standing += 1;
            if is_touched(shape, within, agents, grid) {
                hit.push(id);
            }
        }
        others.join(hit);
        hit.sort_unstable();
        hit.dedup();
        statics.remove(hit);
        if hit.len() < standing {
            return Ok(());
        }
        let room = statics.capacity() - statics.len();
        statics.add(&targets[..targets.len().min(room)]).map(drop)
    }
}

/// Drops all but the balls that are fired first.
fn first(turns: &mut Vec<u64>, due: usize) {
    if due < turns.len() {
        turns.select_nth_unstable(due);
        turns.truncate(due);
    }
}

/// True if a ball would overlap no agent, here or on another rank, and no other shot.
fn is_free(
    (at, radius): (Vec2, f32),
    shots: &[Spawn],
    (agents, grid): (&Agents, &Grid),
    others: &[Disc],
) -> bool {
    let mut free = shots.iter().all(|shot| shot.position.distance(at) >= shot.radius + radius);
    grid.visit_disc(agents, at, radius, |_| free = false);
    free && !others.iter().any(|other| other.intersects_disc(at, radius))
}

/// Shots fired before a number of steps is completed.
fn shots_before(steps: u64, setup: &Setup) -> u64 {
    let volley = (VOLLEY / u64::from(setup.substeps_per_step())).max(1);
    let steps = steps / volley * volley;
    (steps as f64 * f64::from(setup.agents) / (ROUND * f64::from(setup.hz))) as u64
}

/// The most shots that are due at once; one more for the rounding of the two counts.
fn volley_max(setup: &Setup) -> usize {
    (VOLLEY as f64 * f64::from(setup.agents) / (ROUND * f64::from(setup.hz))) as usize + 2
}

/// True if an agent is within a distance of a static.
fn is_touched(shape: Static, within: f32, agents: &Agents, grid: &Grid) -> bool {
    let mut touched = false;
    match shape {
        Static::Disc(Disc { center, radius }) => {
            grid.visit_disc(agents, center, radius + within, |_| touched = true);
        }
        Static::Box(rect) => grid.visit_rect(agents, &rect.expanded(within), |_| touched = true),
        Static::Capsule { .. } => {
            grid.visit_rect(agents, &shape.bounds().expanded(within), |slot| {
                let slot = slot as usize;
                let at = Vec2::new(agents.x[slot], agents.y[slot]);
                touched |= shape.distance(at) <= within + agents.radius[slot];
            });
        }
    }
    touched
}

/// The wheel and the barrel of the cannon.
pub(super) fn body() -> Vec<Static> {
    let (center, radius) = WHEEL;
    let [from, to] = BARREL;
    let barrel = (0..BARREL_DISCS).map(|n| {
        let share = f32::from(n) / f32::from(BARREL_DISCS - 1);
        Static::disc(from + (to - from) * share, BARREL_RADIUS)
    });
    std::iter::once(Static::disc(center, radius)).chain(barrel).collect()
}

/// The targets of a set-up.
pub(super) fn targets(setup: &Setup) -> Vec<Static> {
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
    let shape = |(n, middle)| match n % 2 {
        0 => Static::Box(Rect::around(middle, half)),
        _ => Static::disc(middle, half),
    };
    middles.into_iter().enumerate().map(shape).collect()
}

/// A rectangle around all balls that leave the barrel.
fn muzzle_area(radius: f32) -> Rect {
    let [_, end] = BARREL;
    let middle = end + Vec2::splat((BARREL_RADIUS + radius) * (SLANT * 1.01));
    Rect::around(middle, BARREL_RADIUS + radius)
}

/// The position at which a ball leaves the barrel, and its direction. The position is random across
/// the bore, and the slope random between 0.3 and 2.5.
fn muzzle(radius: f32, rng: &mut Rng) -> (Vec2, Vec2) {
    let [_, end] = BARREL;
    let side = rng.between(-BORE, BORE) * BARREL_RADIUS;
    let ahead = BARREL_RADIUS + radius;
    let position = end + Vec2::new(ahead - side, ahead + side) * (SLANT * 1.01);
    let slope = rng.between(0.3, 2.5);
    (position, Vec2::new(1.0, slope) / (1.0 + slope * slope).sqrt())
}
