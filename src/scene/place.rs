//! Placement of the agents of a set-up: clusters, positions, ids and velocities, in this order.

use glam::Vec2;

use super::{
    Setup,
    clusters::clusters,
    feasibility::Crowded,
    grains::grains,
    kind::{Crowd, StartMotion},
    lattice::lattice,
    packing::Packing,
    progress::PlacementProgress,
    radii::Radii,
    region::Region,
    scatter::scatter,
    shear,
};
use crate::{
    agents::{Agent, Agents, Units},
    error::{Error, Result},
    geometry::Rect,
    rng::Rng,
    statics::Static,
};

/// The start of a run, for [`Sim::from_start`](crate::Sim::from_start): what [`place`] returns, or agents
/// that the caller places.
#[derive(Clone, Debug)]
pub struct Start {
    /// The world's borders. In `sparse` the origin is in the middle, where f32 is finest.
    pub world: Rect,
    /// The agents; [`place`] puts them in the order of their ids, which count from 0.
    pub agents: Agents,
    /// Statics, which agents don't overlap.
    pub statics: Vec<Static>,
    /// Area of the world that is populated at the start, square world units, above 0. Sizes the
    /// cells; the area of the whole world if the agents are spread over it.
    pub populated: f64,
}

/// Share of a region up to which random addition is tried. Half a million radii from 1 to 2 reach
/// it in some seconds, and two thirds of it in a fraction of a second.
const RANDOM_MAX: f64 = 0.6;

/// The same for discs of one size, which jam at 0.547 and slow down long before. Above it they go
/// on a lattice.
const RANDOM_MAX_EQUAL: f64 = 0.46;

/// Up to this many discs are drawn at any share, since that takes no time.
const FEW: usize = 500;

/// Largest ratio of radii that counts as one size: a lattice for the largest still covers a share
/// of 0.57.
const EQUAL: f32 = 1.25;

/// Places the agents of a set-up: no two overlap, every disc lies in the world, and the same set-up
/// gives the same bits on every machine.
///
/// Takes a fraction of a second for 500,000 agents, and 40 bytes per agent beside the agents' own.
/// The process ends if there is no memory for these, as with a [`Vec`].
///
/// # Errors
/// [`Error::Invalid`] if the set-up's values are out of range, contradict each other, or leave no
/// room for the agents.
///
/// ```
/// use jostle::{Scene, Setup, scene};
///
/// let start = scene::place(&Setup { agents: 1_000, ..Setup::new(Scene::Gas) })?;
/// assert!(start.agents.id.iter().copied().eq(0..1_000));
/// # Ok::<(), jostle::Error>(())
/// ```
pub fn place(setup: &Setup) -> Result<Start> {
    place_while(setup, &PlacementProgress::new())
}

/// Like [`place`], but another thread sees the progress and can cancel the placement: millions of
/// agents take seconds.
///
/// # Errors
/// As [`place`], and [`Error::Canceled`].
// Public for the window, which places in the background, and the tests.
#[doc(hidden)]
pub fn place_while(setup: &Setup, progress: &PlacementProgress) -> Result<Start> {
    setup.validate()?;
    let [_, mut deal, mut motion] = streams(setup);
    let go_on = || (!progress.is_canceled()).then_some(()).ok_or(Error::Canceled);
    let positions = arrange(setup, progress);
    go_on()?;
    let positions = positions.map_err(|crowded| setup.with_remedy(setup.refusal(crowded)))?;
    let ranks = shuffled(setup.agents, &mut deal);
    let radii = Radii::new(setup);
    let world = setup.world();
    let populated = setup.populated();
    let mut agents = Agents::with_capacity(positions.len());
    let mut units = setup.scene.has_factions().then(Units::default);
    for (id, rank) in (0..).zip(ranks) {
        go_on()?;
        let position = positions[rank as usize];
        let velocity = velocity(setup, &world, position, &mut motion);
        if let Some(units) = &mut units {
            units.push(faction(&world, position), Units::HEALTH);
        }
        agents.push(Agent { position, velocity, radius: radii.radius(rank), id });
    }
    agents.units = units;
    Ok(Start { world, agents, statics: setup.fixed(), populated })
}

/// Places discs all over the world of a set-up, with radii and mean speeds by their ids; `None` if no
/// room is found for them.
///
/// # Errors
/// [`Error::Canceled`].
#[cfg(feature = "cli")]
pub(crate) fn place_discs(
    setup: &Setup,
    radii: &[f32],
    speeds: &[f32],
    progress: &PlacementProgress,
) -> Result<Option<Start>> {
    let [mut rng, mut deal, mut motion] = streams(setup);
    // The largest first; equal ones at random, so that an id is unrelated to a position.
    let mut ids = shuffled(radii.len() as u32, &mut deal);
    ids.sort_by(|&one, &other| radii[other as usize].total_cmp(&radii[one as usize]));
    let descending: Vec<f32> = ids.iter().map(|&id| radii[id as usize]).collect();
    let world = setup.world();
    let packing = fill(&Region::Rect(world), &descending, &mut rng, progress);
    if progress.is_canceled() {
        return Err(Error::Canceled);
    }
    let Some(packing) = packing else { return Ok(None) };
    let mut positions = vec![Vec2::ZERO; radii.len()];
    for (id, position) in ids.into_iter().zip(packing.positions()) {
        positions[id as usize] = position;
    }
    let mut agents = Agents::with_capacity(radii.len());
    for (id, ((position, &radius), &speed)) in
        (0..).zip(positions.into_iter().zip(radii).zip(speeds))
    {
        let velocity = motion.direction() * (speed * motion.between(0.5, 1.5));
        agents.push(Agent { position, velocity, radius, id });
    }
    Ok(Some(Start { world, agents, statics: Vec::new(), populated: setup.populated() }))
}

/// The velocity of an agent that starts at a position, in a random direction unless the scene has
/// one.
pub(super) fn velocity(setup: &Setup, world: &Rect, position: Vec2, motion: &mut Rng) -> Vec2 {
    let random = motion.direction();
    let motion_of_scene = setup.scene.traits().motion;
    let direction = match motion_of_scene {
        StartMotion::Random | StartMotion::Rest => random,
        StartMotion::Outward => {
            // Agents at the rim turn outward by half, agents in the middle not at all.
            let cluster = (setup.populated() / std::f64::consts::PI).sqrt() as f32;
            turned(random, (position - world.center()) / cluster)
        }
        StartMotion::Streams => turned(random, shear::stream(world, position)),
        StartMotion::March => {
            // Almost into the direction in which the army marches.
            let ahead = if faction(world, position) == 1 { -4.0 } else { 4.0 };
            turned(random, Vec2::new(ahead, 0.0))
        }
    };
    let velocity = direction * (setup.speed * motion.between(0.5, 1.5));
    if motion_of_scene == StartMotion::Rest { Vec2::ZERO } else { velocity }
}

/// The side of a unit that starts at a position.
pub(super) fn faction(world: &Rect, position: Vec2) -> u8 {
    u8::from(position.x > world.center().x)
}

/// Random numbers for positions, ids and velocities: one stream for each, so that velocities don't
/// depend on how often a position was drawn.
pub(super) fn streams(setup: &Setup) -> [Rng; 3] {
    let mut seeds = Rng::new(setup.seed);
    [(); 3].map(|()| Rng::new(seeds.bits()))
}

/// A position for each rank. A canceled placement fails as if there were no room.
fn arrange(setup: &Setup, progress: &PlacementProgress) -> std::result::Result<Vec<Vec2>, Crowded> {
    let [mut rng, ..] = streams(setup);
    let clusters = clusters(setup, &mut rng).ok_or(Crowded::Clusters)?;
    let mut positions = vec![Vec2::ZERO; setup.agents as usize];
    for (first, (region, radii)) in clusters.iter().enumerate() {
        let before = progress.placed();
        let freezes = setup.scene.traits().crowd == Crowd::Freezing;
        let packing = freezes.then(|| grains(region, radii, &mut rng, progress)).flatten();
        let packing = packing.or_else(|| {
            progress.set_placed(before);
            fill(region, radii, &mut rng, progress)
        });
        let packing = packing.ok_or(Crowded::Discs)?;
        let ranks = positions.iter_mut().skip(first).step_by(clusters.len());
        packing.positions().zip(ranks).for_each(|(position, rank)| *rank = position);
    }
    Ok(positions)
}

/// Positions in a region for discs of these radii, which descend; none if none are found.
fn fill(
    region: &Region,
    radii: &[f32],
    rng: &mut Rng,
    progress: &PlacementProgress,
) -> Option<Packing> {
    let before = progress.placed();
    let squares: f64 = radii.iter().map(|&radius| f64::from(radius) * f64::from(radius)).sum();
    let share = squares * std::f64::consts::PI / region.area();
    let equal = radii.last().zip(radii.first()).is_some_and(|(low, high)| low * EQUAL >= *high);
    let most = if equal { RANDOM_MAX_EQUAL } else { RANDOM_MAX };
    let draw = share <= most || radii.len() <= FEW;
    let random = if draw { scatter(region, radii, rng, progress) } else { None };
    random.or_else(|| {
        progress.set_placed(before);
        lattice(region, radii, rng, progress)
    })
}

/// The direction turned towards another one; a longer `towards` turns it more.
fn turned(direction: Vec2, towards: Vec2) -> Vec2 {
    let sum = direction + towards;
    let length = (sum.x * sum.x + sum.y * sum.y).sqrt();
    if length > 0.01 { sum / length } else { direction }
}

/// The numbers below `count` in random order (Fisher and Yates).
pub(super) fn shuffled(count: u32, rng: &mut Rng) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..count).collect();
    for left in (1..count).rev() {
        numbers.swap(left as usize, rng.below(left + 1) as usize);
    }
    numbers
}
