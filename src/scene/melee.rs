//! The rule of `melee`: units of two factions march at each other and strike.
//!
//! It runs after a step, with the grid exact. Each unit looks for its nearest enemy within reach. A
//! unit that has one stands and strikes; all others march towards the mean position of the enemy.
//!
//! ```text
//! row of cells   [ 64 units | 64 units | …     is any enemy near? none far behind the front
//! targets        [ ∅ ∅ ∅ … | ∅ 812 ∅ 97 …      the slot that the unit in each slot strikes
//! health         [ 60 60 … | 60 58 12 31 …     one less per strike: sums of whole numbers
//! ```
//!
//! Targets are found in all bands at once; of two enemies at the same distance, the one with the
//! lower id. The strikes of a step all take effect together. So nothing depends on threads or on
//! the order of slots.

use std::ops::Range;

use glam::{DVec2, Vec2};

use super::{context::SceneRanks, setup::Setup};
use crate::{
    agents::{Agent, Agents, Units},
    alloc,
    contacts::{self, Band},
    error::Result,
    geometry::Rect,
    grid::Grid,
    parallel,
};

/// Distance from rim to rim within which a unit strikes, world units: it reaches past the unit in
/// front of it.
const STRIKE_RANGE: f32 = 2.0;

/// Rate at which a unit approaches its goal velocity, per second.
const RESPONSE: f32 = 4.0;

/// Weight of the march along x, the direction between the armies, relative to y. Lines stay lines,
/// and in the end the last units find each other.
const ALONG: f32 = 4.0;

/// Neighboring units that are tested for enemies together.
const GROUP: usize = 64;

/// Slots per task of the march.
const PIECE: usize = 8_192;

/// No target.
const NONE: u32 = u32::MAX;

/// Of each faction: the sums of x and y, and the number of units.
type FactionSums = [[f64; 3]; 2];

/// The targets of own units.
#[derive(Debug)]
pub(crate) struct Melee {
    bands: Vec<Band>,
    targets: Vec<u32>,
    /// Per band and faction: the sums of the positions, and the number of units.
    means: Vec<FactionSums>,
}

impl Melee {
    /// How far from its rim a unit looks for enemies, world units.
    pub(super) const REACH: f32 = STRIKE_RANGE;

    /// Creates the rule for at most `capacity` units, in a grid's bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(capacity: usize, grid: &Grid) -> Result<Self> {
        let targets = alloc::with_capacity(capacity, "the targets of units")?;
        let bands = contacts::bands(grid);
        let means = alloc::with_capacity(bands.len(), "the sums of bands")?;
        Ok(Self { bands, targets, means })
    }

    /// Bytes that [`Self::new`] allocates for a grid of `bands` bands.
    pub(super) fn memory_for(capacity: usize, bands: usize) -> usize {
        capacity * size_of::<u32>() + bands * (size_of::<Band>() + size_of::<FactionSums>())
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.targets.capacity() * size_of::<u32>()
            + self.bands.capacity() * size_of::<Band>()
            + self.means.capacity() * size_of::<FactionSums>()
    }

    /// Applies the strikes of a step, and the velocities for the next. Dead units get the id
    /// [`Agents::GONE`]; returns their number, among the agents of this rank.
    pub(super) fn fight(
        &mut self,
        setup: &Setup,
        agents: &mut Agents,
        grid: &Grid,
        others: &mut impl SceneRanks,
    ) -> usize {
        let Some(units) = &agents.units else { return 0 };
        let own = others.own(agents.len());
        contacts::assign(&mut self.bands, grid);
        let own_bands = others.own_bands(self.bands.len());
        self.aim(agents, grid, own_bands.clone(), own.len());
        let Self { bands, targets, means } = self;
        means.clear();
        means.extend(bands[own_bands].iter().map(|band| {
            let slots = band.slots.clone();
            let columns = [&agents.x[slots.clone()], &agents.y[slots.clone()]];
            sums(columns, &units.faction[slots])
        }));
        others.join(means);
        let share = (RESPONSE * (1.0 / setup.hz)).min(1.0);
        march((agents, own), targets, faction_centers(means), setup.speed, share);
        targets.retain(|target| *target != NONE);
        others.hand_over(targets);
        self.strike(agents)
    }

    /// Finds the targets of the units of these bands, all of this rank.
    fn aim(&mut self, agents: &Agents, grid: &Grid, own_bands: Range<usize>, own: usize) {
        let Some(units) = &agents.units else { return };
        let aim = Aim { agents, units, grid };
        let Self { bands, targets, .. } = self;
        targets.resize(own, NONE);
        parallel::parts(
            &mut bands[own_bands],
            &mut targets[..],
            &|targets, lower, upper| targets.split_at_mut(upper.slots.start - lower.slots.start),
            &|band, targets| {
                for row in band.rows.clone() {
                    let slots = grid.row_slots(row);
                    for first in slots.clone().step_by(GROUP) {
                        let group = first..slots.end.min(first + GROUP);
                        let start = first - band.slots.start;
                        aim.group(group.clone(), &mut targets[start..start + group.len()]);
                    }
                }
            },
        );
    }

    /// Applies all strikes; returns the number of units that died.
    fn strike(&self, agents: &mut Agents) -> usize {
        let Agents { id, units: Some(Units { health, .. }), .. } = agents else { return 0 };
        let mut dead = 0;
        for &target in &self.targets {
            let target = target as usize;
            health[target] = health[target].saturating_sub(1);
            if health[target] == 0 && id[target] != Agents::GONE {
                id[target] = Agents::GONE;
                dead += 1;
            }
        }
        dead
    }
}

/// The search for targets.
#[derive(Clone, Copy, Debug)]
struct Aim<'a> {
    agents: &'a Agents,
    units: &'a Units,
    grid: &'a Grid,
}

impl Aim<'_> {
    /// Finds the targets of some neighboring units.
    fn group(&self, slots: Range<usize>, targets: &mut [u32]) {
        targets.fill(NONE);
        if self.any_enemy(slots.clone()) {
            for (slot, target) in slots.zip(targets) {
                *target = self.nearest_enemy(slot);
            }
        }
    }

    /// True if a unit that may be within reach of some units is not of the faction of the first of
    /// them.
    fn any_enemy(&self, slots: Range<usize>) -> bool {
        let Self { agents, units, grid } = self;
        let (mut low, mut high, mut radius) = (Vec2::INFINITY, Vec2::NEG_INFINITY, 0.0_f32);
        for slot in slots.clone() {
            let Agent { position, radius: own, .. } = agents.get(slot);
            (low, high, radius) = (low.min(position), high.max(position), radius.max(own));
        }
        let area = Rect::new(low, high).expanded(radius + STRIKE_RANGE);
        let own = units.faction[slots.start];
        let mut any = false;
        grid.slots_near(&area, |near| {
            any |= units.faction[near].iter().any(|&faction| faction != own);
        });
        if !any && grid.outlier_count() > 0 {
            let reach = area.size().max_element() * 0.5;
            grid.visit_outliers(area.center(), reach, |slot| {
                any |= units.faction[slot as usize] != own;
            });
        }
        any
    }

    /// The enemy within reach with the nearest center.
    fn nearest_enemy(&self, slot: usize) -> u32 {
        let Self { agents, units, grid } = self;
        let (Agent { position, radius, .. }, own) = (agents.get(slot), units.faction[slot]);
        let (mut nearest, mut least) = (NONE, (f32::INFINITY, NONE));
        grid.visit_disc(*agents, position, radius + STRIKE_RANGE, |other| {
            let slot = other as usize;
            if units.faction[slot] != own {
                let (dx, dy) = (agents.x[slot] - position.x, agents.y[slot] - position.y);
                let found = (dx * dx + dy * dy, agents.id[slot]);
                if found < least {
                    (nearest, least) = (other, found);
                }
            }
        });
        nearest
    }
}

/// Moves the velocity of each own unit by a share towards its goal: 0 for a unit with a target, the
/// march for any other.
fn march(
    (agents, own): (&mut Agents, Range<usize>),
    targets: &[u32],
    centers: [Option<Vec2>; 2],
    speed: f32,
    share: f32,
) {
    let Agents { x, y, vx, vy, id, units: Some(Units { faction, .. }), .. } = agents else {
        return;
    };
    let approach = |first: usize, (vx, vy): (&mut [f32], &mut [f32])| {
        let targets = &targets[first..first + vx.len()];
        let slots = own.start + first..own.start + first + vx.len();
        let [x, y] = [&x[slots.clone()], &y[slots.clone()]];
        let (id, faction) = (&id[slots.clone()], &faction[slots]);
        for (k, (vx, vy)) in vx.iter_mut().zip(vy).enumerate() {
            let enemy = centers[usize::from(faction[k] ^ 1)].filter(|_| targets[k] == NONE);
            let goal = enemy.map_or(Vec2::ZERO, |center| {
                let way = (center - Vec2::new(x[k], y[k])) * Vec2::new(ALONG, 1.0);
                with_length(way, speed * pace(id[k]))
            });
            *vx += (goal.x - *vx) * share;
            *vy += (goal.y - *vy) * share;
        }
    };
    let columns = (&mut vx[own.clone()], &mut vy[own.clone()]);
    parallel::pieces(columns, PIECE, &approach, &|(), ()| ());
}

/// The sums of the positions of units, by faction.
fn sums([x, y]: [&[f32]; 2], faction: &[u8]) -> FactionSums {
    let mut sums = FactionSums::default();
    for ((&x, &y), &faction) in x.iter().zip(y).zip(faction) {
        let [sum_x, sum_y, count] = &mut sums[usize::from(faction)];
        (*sum_x, *sum_y, *count) = (*sum_x + f64::from(x), *sum_y + f64::from(y), *count + 1.0);
    }
    sums
}

/// The mean position of each faction, from the sums of all bands; `None` for one without units.
fn faction_centers(bands: &[FactionSums]) -> [Option<Vec2>; 2] {
    [0, 1].map(|side| {
        let [x, y, count] =
            [0, 1, 2].map(|at| bands.iter().map(|sums| sums[side][at]).sum::<f64>());
        (count > 0.0).then(|| (DVec2::new(x, y) / count).as_vec2())
    })
}

/// The vector of a length in a direction; 0 if there is no direction.
fn with_length(way: Vec2, length: f32) -> Vec2 {
    let own = (way.x * way.x + way.y * way.y).sqrt();
    if own > 0.0 { way / own * length } else { Vec2::ZERO }
}

/// Speed of a unit's march as a share of the mean: 0.75 to 1.25, by its id, so that lines are
/// ragged.
fn pace(id: u32) -> f32 {
    0.75 + (id.wrapping_mul(0x9e37_79b1) >> 8) as f32 / 33_554_432.0
}

const _: () = assert!(Units::FACTIONS == 2, "an enemy is of the other faction");
