//! From a set-up to its agents: crowds, places, ids and velocities, in that order.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::Vec2;

use super::{
    Scene, Setup, Start, crowd::crowds, feasibility::Crowded, lattice::lattice, packing::Packing,
    radii::Radii, region::Region, scatter::scatter,
};
use crate::{
    agents::{Agent, Agents, Units},
    error::{Error, Result},
    rng::Rng,
};

/// Share of a region up to which random addition is tried: radii from 1 to 2 reach it in some seconds
/// at half a million, and two thirds of it in a fraction of one.
const RANDOM_MAX: f64 = 0.6;

/// The same for discs of one size, which jam at 0.547 and slow down long before. They have the lattice.
const RANDOM_MAX_EQUAL: f64 = 0.46;

/// So few discs are drawn at any share: they find each other, or not, in an instant.
const FEW: usize = 500;

/// Largest ratio of radii that counts as one size: a lattice for the largest still covers 0.57.
const EQUAL: f32 = 1.25;

/// The agents and the world of a set-up: nothing overlaps, every disc lies in the world whole, and
/// the same set-up gives the same bits on every machine.
///
/// Takes a fraction of a second for 500,000 agents, and 40 bytes an agent beside the agents' own.
///
/// # Errors
/// If the set-up's values are out of range, contradict each other, or leave no room for the agents;
/// the message says which would do.
///
/// ```
/// use jostle::{Scene, Setup, scene};
///
/// let start = scene::place(&Setup { agents: 1_000, ..Setup::new(Scene::Gas) })?;
/// assert!(start.agents.id.iter().copied().eq(0..1_000));
/// # Ok::<(), jostle::Error>(())
/// ```
pub fn place(setup: &Setup) -> Result<Start> {
    place_while(setup, &ALWAYS)
}

/// The same, given up soon after somebody on another thread has set `wanted` to false: millions of agents take
/// seconds.
///
/// # Errors
/// As [`place`]; and if they are not wanted any more.
pub fn place_while(setup: &Setup, wanted: &AtomicBool) -> Result<Start> {
    setup.validate()?;
    let [_, mut deal, mut motion] = streams(setup);
    let go_on = || wanted.load(Ordering::Relaxed).then_some(()).ok_or(Error::Canceled);
    let places = arrange(setup, wanted);
    go_on()?;
    let places = places.map_err(|crowded| setup.refusal(crowded))?;
    let ranks = shuffled(setup.agents, &mut deal);
    let radii = Radii::of(setup);
    let world = setup.world();
    let populated = setup.populated();
    let clump = (populated / std::f64::consts::PI).sqrt() as f32;
    let mut agents = Agents::with_capacity(places.len());
    let mut units = setup.scene.has_factions().then(Units::default);
    for (id, rank) in (0..).zip(ranks) {
        go_on()?;
        let position = places[rank as usize];
        let mut direction = motion.direction();
        if setup.scene == Scene::Burst {
            direction = outward(direction, (position - world.center()) / clump);
        }
        if let Some(units) = &mut units {
            let right = position.x > world.center().x;
            direction = onward(direction, if right { -Vec2::X } else { Vec2::X });
            units.push(u8::from(right), Units::HEALTH);
        }
        let mut velocity = direction * (setup.speed * motion.between(0.5, 1.5));
        if setup.scene == Scene::Cannon {
            velocity = Vec2::ZERO;
        }
        agents.push(Agent { position, velocity, radius: radii.radius(rank), id });
    }
    agents.units = units;
    Ok(Start { world, agents, statics: setup.fixed(), populated })
}

/// For those who wait for what they place.
pub(super) static ALWAYS: AtomicBool = AtomicBool::new(true);

/// Random numbers for places, ids and velocities: a stream for each, so that velocities don't depend
/// on how often a place was drawn.
fn streams(setup: &Setup) -> [Rng; 3] {
    let mut seeds = Rng::new(setup.seed);
    [(); 3].map(|()| Rng::new(seeds.bits()))
}

/// A place for each rank; given up, as if there were no room, once they are not wanted.
pub(super) fn arrange(
    setup: &Setup,
    wanted: &AtomicBool,
) -> std::result::Result<Vec<Vec2>, Crowded> {
    let [mut rng, ..] = streams(setup);
    let crowds = crowds(setup, &mut rng).ok_or(Crowded::Clusters)?;
    let mut places = vec![Vec2::ZERO; setup.agents as usize];
    for (first, crowd) in crowds.iter().enumerate() {
        let packing = fill(&crowd.region, &crowd.radii, &mut rng, wanted).ok_or(Crowded::Discs)?;
        let slots = places.iter_mut().skip(first).step_by(crowds.len());
        packing.places().zip(slots).for_each(|(place, slot)| *slot = place);
    }
    Ok(places)
}

/// Places in a region for discs of these radii, which descend; none if there seem to be none.
fn fill(region: &Region, radii: &[f32], rng: &mut Rng, wanted: &AtomicBool) -> Option<Packing> {
    let squares: f64 = radii.iter().map(|&radius| f64::from(radius) * f64::from(radius)).sum();
    let share = squares * std::f64::consts::PI / region.area();
    let equal = radii.last().zip(radii.first()).is_some_and(|(low, high)| low * EQUAL >= *high);
    let most = if equal { RANDOM_MAX_EQUAL } else { RANDOM_MAX };
    let draw = share <= most || radii.len() <= FEW;
    let random = if draw { scatter(region, radii, rng, wanted) } else { None };
    random.or_else(|| lattice(region, radii, rng, wanted))
}

/// The direction turned away from the middle, not at all there and by half at the rim, where `offset`
/// has length 1.
fn outward(direction: Vec2, offset: Vec2) -> Vec2 {
    let sum = direction + offset;
    let length = (sum.x * sum.x + sum.y * sum.y).sqrt();
    if length > 0.01 { sum / length } else { direction }
}

/// The direction turned to where an army marches, but for a little.
fn onward(direction: Vec2, march: Vec2) -> Vec2 {
    let sum = march * 4.0 + direction;
    sum / (sum.x * sum.x + sum.y * sum.y).sqrt()
}

/// The numbers below `count` in any order (Fisher and Yates).
fn shuffled(count: u32, rng: &mut Rng) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..count).collect();
    for left in (1..count).rev() {
        numbers.swap(left as usize, rng.below(left + 1) as usize);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_are_not_wanted_any_more_are_given_up() {
        let gas = Setup { agents: 1_000, ..Setup::new(Scene::Gas) };
        // As dense as that, they are not drawn.
        let lattice = Setup { radius: [1.0; 2], density: 0.6, ..gas.clone() };
        for setup in [gas, lattice] {
            assert!(arrange(&setup, &ALWAYS).is_ok());
            assert!(arrange(&setup, &AtomicBool::new(false)).is_err());
            let error = place_while(&setup, &AtomicBool::new(false)).unwrap_err();
            assert!(matches!(error, Error::Canceled), "{error}");
        }
    }
}
