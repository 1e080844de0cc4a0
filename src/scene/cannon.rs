//! The rule of `cannon`: fires the balls in turn, and removes the targets that they hit.
//!
//! A ball is taken from where it lies and leaves the barrel as a new agent, so their number stays the same: first balls
//! at rest, then those that were fired first. Within [`ROUND`] seconds as many shots are fired as there are balls. A
//! target that a ball touches is removed at once; when none is left, all are put up again. Shots are drawn from the seed
//! and the id of the ball, so that a run needs no state beside its agents and statics.

use super::{
    range,
    rule_context::{RuleContext, RuleEdits},
    setup::Setup,
};
use crate::{
    agents::{Agents, Spawn},
    alloc,
    error::Result,
    grid::{Disc, Grid},
    rng::Rng,
    statics::{FEWER, Static},
};

/// Seconds in which as many shots are fired as there are balls.
const ROUND: f64 = 25.0;

/// Distance within which a ball touches a target, as a share of the ball's radius.
const TOUCH: f32 = 0.01;

/// The targets, and the lists that shots are made with.
#[derive(Debug)]
pub(crate) struct Cannon {
    targets: Vec<Static>,
    /// Whether a ball moves, and its id: balls are fired in this order.
    ranks: Vec<(bool, u32)>,
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
        let targets = range::targets(setup);
        let statics = targets.len() + setup.spare_statics as usize;
        Ok(Self {
            targets,
            hit: alloc::with_remedy(
                alloc::with_capacity(statics, "the targets that are hit"),
                FEWER,
            )?,
            ranks: alloc::with_capacity(balls, what)?,
            fired: alloc::with_capacity(balls, what)?,
            shots: alloc::with_capacity(balls, what)?,
        })
    }

    /// Bytes that [`Self::new`] allocates for `balls` balls.
    pub(super) fn bytes_for(balls: usize) -> usize {
        balls * (size_of::<(bool, u32)>() + size_of::<u32>() + size_of::<Spawn>())
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.ranks.capacity() * size_of::<(bool, u32)>()
            + (self.fired.capacity() + self.hit.capacity()) * size_of::<u32>()
            + self.shots.capacity() * size_of::<Spawn>()
    }

    /// Takes the balls that are due in the next step, and fires as many.
    pub(super) fn fire(&mut self, context: &RuleContext<'_>) -> RuleEdits<'_> {
        let RuleContext { setup, motion, steps, next_id, ref agents, .. } = *context;
        let Self { ranks, fired, shots, .. } = self;
        let due = shots_before(steps + 1, setup) - shots_before(steps, setup);
        let due = (due as usize).min(agents.len());
        if due == 0 {
            return RuleEdits::None;
        }
        let still = motion.rest_speed * motion.rest_speed;
        ranks.clear();
        ranks.extend((0..agents.len()).map(|slot| {
            let (vx, vy) = (agents.vx[slot], agents.vy[slot]);
            (vx * vx + vy * vy > still, agents.id[slot])
        }));
        if due < ranks.len() {
            ranks.select_nth_unstable(due);
        }
        fired.clear();
        fired.extend(ranks[..due].iter().map(|&(_, id)| id));
        shots.clear();
        for number in 0..due as u32 {
            let radius = setup.radius[0];
            let ball = u64::from(next_id.wrapping_add(number));
            let mut rng = Rng::new(setup.seed ^ Rng::new(ball).bits());
            let (position, direction) = range::muzzle(radius, &mut rng);
            let speed = setup.speed * rng.between(0.5, 1.5);
            shots.push(Spawn::new(position, direction * speed, radius));
        }
        RuleEdits::Replace(fired, shots)
    }

    /// Removes the targets that a ball touches, and puts up all that there is room for if none is left.
    ///
    /// # Errors
    /// If there is not enough memory to list the targets.
    pub(super) fn remove_hit_targets(&mut self, context: RuleContext<'_>) -> Result<()> {
        let Self { targets, hit, .. } = self;
        let RuleContext { motion, agents, statics, grid, .. } = context;
        let within = TOUCH * motion.radius_min;
        let mut left = 0;
        hit.clear();
        for (id, shape) in statics.iter().filter(|(_, shape)| targets.contains(shape)) {
            if is_touched(shape, within, agents, grid) {
                hit.push(id);
            } else {
                left += 1;
            }
        }
        statics.remove(hit);
        if left > 0 {
            return Ok(());
        }
        let room = statics.capacity() - statics.len();
        statics.add(&targets[..targets.len().min(room)]).map(drop)
    }
}

/// Shots fired before a number of steps is completed.
fn shots_before(steps: u64, setup: &Setup) -> u64 {
    (steps as f64 * f64::from(setup.agents) / (ROUND * f64::from(setup.hz))) as u64
}

/// True if an agent is within a distance of a static.
fn is_touched(shape: Static, within: f32, agents: &Agents, grid: &Grid) -> bool {
    let mut touched = false;
    let visit = |_| touched = true;
    match shape {
        Static::Disc(Disc { center, radius }) => {
            grid.visit_disc(agents, center, radius + within, visit);
        }
        Static::Box(rect) => grid.visit_rect(agents, &rect.expanded(within), visit),
    }
    touched
}
