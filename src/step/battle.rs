//! Battle: agents of two sides that march at each other and strike.
//!
//! It follows a step, whose grid is exact for where everybody is. Each unit looks for its nearest enemy; who has
//! one in reach stands and strikes, and everybody else marches on to where the enemy's middle is.
//!
//! ```text
//! row of cells   [ 64 units | 64 units | …     is any enemy near these? far behind the front, nobody is
//! targets        [ ∅ ∅ ∅ … | ∅ 812 ∅ 97 …      whom the unit in each slot strikes
//! health         [ 60 60 … | 60 58 12 31 …     one less for each strike: sums of whole numbers
//! ```
//!
//! Targets are found in all bands at once, of two as near the one with the lower id; the strikes of a step
//! count all at the same time. So nothing depends on threads, or on the order of slots.

use std::ops::Range;

use glam::Vec2;

use super::bands::{self, Band};
use crate::{
    agents::{Agent, Agents, Units},
    alloc,
    error::Result,
    geometry::Rect,
    grid::Grid,
    parallel,
};

/// From rim to rim, how far a unit strikes, world units: over the back of the man in front of it.
const REACH: f32 = 2.0;

/// How soon a unit has the velocity that it wants, a second.
const RESPONSE: f32 = 4.0;

/// How much more a march goes along x, where the armies come from, than straight to the enemy's middle: lines
/// stay lines, and in the end the last ones find each other.
const ALONG: f32 = 4.0;

/// Units side by side that are looked at together.
const TOGETHER: usize = 64;

/// Units that are told where to go together.
const PIECE: usize = 8_192;

/// Nobody.
const NONE: u32 = u32::MAX;

/// Whom everybody strikes.
#[derive(Debug)]
pub struct Battle {
    bands: Vec<Band>,
    targets: Vec<u32>,
}

impl Battle {
    /// Room for so many units, in a grid's bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(capacity: usize, grid: &Grid) -> Result<Self> {
        Ok(Self {
            bands: bands::of(grid),
            targets: alloc::with_capacity(capacity, "the targets of units")?,
        })
    }

    /// A step's strikes, and new velocities for the next. The dead have the id [`Agents::GONE`] afterwards;
    /// returns how many died.
    ///
    /// `speed` is the mean speed of a march, world units a second; `seconds` is what a step lasts.
    pub fn fight(&mut self, agents: &mut Agents, grid: &Grid, speed: f32, seconds: f32) -> usize {
        if agents.units.is_none() {
            return 0;
        }
        self.aim(agents, grid);
        march(agents, &self.targets, speed, (RESPONSE * seconds).min(1.0));
        self.strike(agents)
    }

    /// Finds whom each unit strikes.
    fn aim(&mut self, agents: &Agents, grid: &Grid) {
        let Some(units) = &agents.units else { return };
        let view = View { agents, units, grid };
        let Self { bands, targets } = self;
        bands::assign(bands, grid);
        targets.resize(agents.len(), NONE);
        parallel::parts(
            bands,
            &mut targets[..],
            &|targets, lower, upper| targets.split_at_mut(upper.slots.start - lower.slots.start),
            &|band, targets| {
                for row in band.rows.clone() {
                    let slots = grid.row_slots(row);
                    for first in slots.clone().step_by(TOGETHER) {
                        let some = first..slots.end.min(first + TOGETHER);
                        let place = first - band.slots.start;
                        view.aim(some.clone(), &mut targets[place..place + some.len()]);
                    }
                }
            },
        );
    }

    /// Strikes; returns how many died.
    fn strike(&self, agents: &mut Agents) -> usize {
        let Agents { id, units: Some(Units { health, .. }), .. } = agents else { return 0 };
        let mut dead = 0;
        for &target in self.targets.iter().filter(|&&target| target != NONE) {
            let target = target as usize;
            health[target] = health[target].saturating_sub(1);
            if health[target] == 0 && id[target] != Agents::GONE {
                id[target] = Agents::GONE;
                dead += 1;
            }
        }
        dead
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.targets.capacity() * 4 + self.bands.capacity() * size_of::<Band>()
    }
}

/// What a unit sees.
#[derive(Clone, Copy)]
struct View<'a> {
    agents: &'a Agents,
    units: &'a Units,
    grid: &'a Grid,
}

impl View<'_> {
    /// The targets of some units side by side.
    fn aim(&self, slots: Range<usize>, targets: &mut [u32]) {
        targets.fill(NONE);
        if self.any_enemy(slots.clone()) {
            for (slot, target) in slots.zip(targets) {
                *target = self.nearest_enemy(slot);
            }
        }
    }

    /// True if anybody who may be in reach of some units is not on the side of the first of them.
    fn any_enemy(&self, slots: Range<usize>) -> bool {
        let Self { agents, units, grid } = self;
        let (mut low, mut high, mut radius) = (Vec2::INFINITY, Vec2::NEG_INFINITY, 0.0_f32);
        for slot in slots.clone() {
            let Agent { position, radius: own, .. } = agents.get(slot);
            (low, high, radius) = (low.min(position), high.max(position), radius.max(own));
        }
        let area = Rect::new(low, high).expanded(radius + REACH);
        let own = units.faction[slots.start];
        let mut any = false;
        grid.slots_near(&area, |near| {
            any |= units.faction[near].iter().any(|&faction| faction != own);
        });
        if !any && grid.outlier_count() > 0 {
            let reach = area.size().max_element() * 0.5;
            grid.visit_outliers(area.center(), reach, |far| {
                any |= units.faction[far as usize] != own;
            });
        }
        any
    }

    /// The enemy in reach whose centre is nearest.
    fn nearest_enemy(&self, slot: usize) -> u32 {
        let Self { agents, units, grid } = self;
        let (Agent { position, radius, .. }, own) = (agents.get(slot), units.faction[slot]);
        let (mut nearest, mut least) = (NONE, (f32::INFINITY, NONE));
        grid.visit_disc(*agents, position, radius + REACH, |other| {
            let place = other as usize;
            if units.faction[place] != own {
                let (dx, dy) = (agents.x[place] - position.x, agents.y[place] - position.y);
                let found = (dx * dx + dy * dy, agents.id[place]);
                if found < least {
                    (nearest, least) = (other, found);
                }
            }
        });
        nearest
    }
}

/// Turns velocities by a share to what units want: to stand, who strikes; to march, who doesn't.
fn march(agents: &mut Agents, targets: &[u32], speed: f32, share: f32) {
    let Agents { x, y, vx, vy, id, units: Some(Units { faction, .. }), .. } = agents else {
        return;
    };
    let middles = middles(x, y, faction);
    parallel::pieces(
        ((&mut vx[..], &mut vy[..], &x[..]), (&y[..], &id[..]), (&faction[..], targets)),
        PIECE,
        &|_, ((vx, vy, x), (y, id), (faction, targets)): March<'_>| {
            let velocities = vx.iter_mut().zip(vy);
            let places = x.iter().zip(y).zip(id);
            let units = places.zip(faction.iter().zip(targets));
            for ((vx, vy), (((&x, &y), &id), (&faction, &target))) in velocities.zip(units) {
                let enemy = middles[usize::from(faction ^ 1)];
                let goal = match enemy.filter(|_| target == NONE) {
                    Some([to_x, to_y]) => toward([ALONG * (to_x - x), to_y - y], speed * pace(id)),
                    None => [0.0; 2],
                };
                *vx += (goal[0] - *vx) * share;
                *vy += (goal[1] - *vy) * share;
            }
        },
        &|(), ()| (),
    );
}

/// Velocities, places, ids, sides and targets of some units.
type March<'a> =
    ((&'a mut [f32], &'a mut [f32], &'a [f32]), (&'a [f32], &'a [u32]), (&'a [u8], &'a [u32]));

/// The mean place of each side; none for one that is no more.
fn middles(x: &[f32], y: &[f32], faction: &[u8]) -> [Option<[f32; 2]>; 2] {
    let (mut sums, mut counts) = ([[0.0_f64; 2]; 2], [0_u32; 2]);
    for ((&x, &y), &faction) in x.iter().zip(y).zip(faction) {
        let [sum_x, sum_y] = &mut sums[usize::from(faction)];
        *sum_x += f64::from(x);
        *sum_y += f64::from(y);
        counts[usize::from(faction)] += 1;
    }
    [0, 1].map(|side| {
        let count = f64::from(counts[side]);
        (count > 0.0).then(|| sums[side].map(|sum| (sum / count) as f32))
    })
}

/// A vector of that length in a direction.
fn toward([x, y]: [f32; 2], length: f32) -> [f32; 2] {
    let away = (x * x + y * y).sqrt();
    if away > 0.0 { [x / away * length, y / away * length] } else { [0.0; 2] }
}

/// How fast a unit marches, as a share of the mean: 0.75 to 1.25, by its id, so that lines are ragged.
fn pace(id: u32) -> f32 {
    0.75 + (id.wrapping_mul(0x9e37_79b1) >> 8) as f32 / 33_554_432.0
}

const _: () = assert!(Units::FACTIONS == 2, "an enemy is on the other side");
