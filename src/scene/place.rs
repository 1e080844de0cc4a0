//! Placement of the agents of a set-up: clusters, positions, ids and velocities, in this order.

use glam::Vec2;

use super::{
    Setup,
    clusters::{Cluster, clusters},
    feasibility::Crowded,
    grains::grains,
    kind::{Crowd, StartMotion},
    lattice::lattice,
    packing::{AT_ONCE, Packing, PlacedDiscs},
    permutation::Permutation,
    progress::{PlacementProgress, PlacementShare},
    region::Region,
    scatter::{RANDOM_MAX, scatter},
    shear,
};
use crate::{
    agents::{Agents, Units},
    alloc,
    error::Result,
    geometry::Rect,
    parallel,
    rng::{Rng, keyed},
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

/// [`RANDOM_MAX`] for discs of one size, which jam at 0.547 and slow down long before. Above it they go
/// on a lattice.
const RANDOM_MAX_EQUAL: f64 = 0.46;

/// Up to this many discs are drawn at any share, since that takes no time.
const FEW: usize = 500;

/// Largest ratio of radii that counts as one size: a lattice for the largest still covers a share
/// of 0.57.
const EQUAL: f32 = 1.25;

/// What the memory of discs is for.
#[cfg(feature = "cli")]
const DISCS: &str = "the radii of agents";

/// Agents that a thread numbers and sets in motion at a time.
const AGENTS_PER_PIECE: usize = 8_192;

/// Places the agents of a set-up: no two overlap, every disc lies in the world, and the same set-up
/// gives the same bits on every machine.
///
/// Runs on all threads of the rayon pool that the caller is in, and takes a fraction of a second for
/// 500,000 agents. It takes about 50 bytes per agent before it allocates those of the agents (`crystal`
/// up to 100), and 16 beside these.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) if the set-up's values are out of range, contradict each other, or leave no
/// room for the agents; [`Error::Memory`](crate::Error::Memory) if there is not
/// enough memory.
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
/// As [`place`], and [`Error::Canceled`](crate::Error::Canceled).
// Public for the window, which places in the background, and the tests.
#[doc(hidden)]
pub fn place_while(setup: &Setup, progress: &PlacementProgress) -> Result<Start> {
    setup.validate()?;
    let keys = PlacementKeys::new(setup);
    let clusters = arrange(setup, keys.positions, progress)?;
    let order = Permutation::new(keys.ids, setup.agents);
    let (world, count) = (setup.world(), setup.agents as usize);
    let mut agents = Agents::zeroed(count)?;
    let Agents { x, y, vx, vy, radius, id, .. } = &mut agents;
    let columns =
        ((&mut x[..], &mut y[..], &mut radius[..]), (&mut vx[..], &mut vy[..], &mut id[..]));
    let fill = |first: usize, ((x, y, radius), (vx, vy, id)): Columns<'_>| {
        progress.go_on()?;
        let each = clusters.len() as u32;
        for (slot, id) in id.iter_mut().enumerate() {
            *id = (first + slot) as u32;
        }
        // Discs are all over memory: it is asked for many of them before the first is read.
        for ahead in (0..id.len()).step_by(AT_ONCE) {
            let mut spots = [(0, 0); AT_ONCE];
            let slots = ahead..(ahead + AT_ONCE).min(id.len());
            for (spot, &id) in spots.iter_mut().zip(&id[slots.clone()]) {
                let place = order.at(id);
                *spot = (place % each, place / each);
                clusters[spot.0 as usize].prefetch(spot.1);
            }
            for (slot, (cluster, spot)) in slots.zip(spots) {
                let (position, size) = clusters[cluster as usize].disc(spot);
                (x[slot], y[slot], radius[slot]) = (position.x, position.y, size);
            }
        }
        for (slot, &id) in id.iter().enumerate() {
            let position = Vec2::new(x[slot], y[slot]);
            (vx[slot], vy[slot]) = keys.velocity(setup, &world, position, id).into();
        }
        Ok(())
    };
    parallel::pieces(columns, AGENTS_PER_PIECE, &fill, &|one: Result<()>, other| one.and(other))?;
    drop(clusters);
    if setup.scene.has_factions() {
        let Agents { x, y, units, .. } = &mut agents;
        let faction = |slot: usize| faction(&world, Vec2::new(x[slot], y[slot]));
        let units = units.insert(Units::default());
        alloc::extend_by(&mut units.faction, count, &faction, "the agents' columns")?;
        alloc::extend_by(&mut units.health, count, &|_| Units::HEALTH, "the agents' columns")?;
    }
    Ok(Start { world, agents, statics: setup.fixed(), populated: setup.populated() })
}

/// Places discs all over the world of a set-up, with radii and mean speeds by their ids; `None` if no
/// room is found for them.
///
/// # Errors
/// If there is not enough memory, or the placement is canceled.
#[cfg(feature = "cli")]
pub(crate) fn place_discs(
    setup: &Setup,
    radii: &[f32],
    speeds: &[f32],
    progress: &PlacementProgress,
) -> Result<Option<Start>> {
    let keys = PlacementKeys::new(setup);
    // The largest first; equal ones at random, so that an id is unrelated to a position.
    let order = Permutation::new(keys.ids, radii.len() as u32);
    let mut ids = alloc::collected((0..radii.len() as u32).map(|place| order.at(place)), DISCS)?;
    ids.sort_by(|&one, &other| radii[other as usize].total_cmp(&radii[one as usize]));
    let descending = alloc::collected(ids.iter().map(|&id| radii[id as usize]), DISCS)?;
    let world = setup.world();
    let share = PlacementShare::new(progress);
    let packing = fill(&Region::Rect(world), &descending, keyed(keys.positions, 1), &share)?;
    let Some(packing) = packing else { return Ok(None) };
    let mut discs = alloc::collected(packing.into_discs().iter(), DISCS)?;
    // A round of tiles has its discs in the order of the tiles. Those of one radius are alike.
    discs.sort_unstable_by(|(a, one), (b, other)| {
        other.total_cmp(one).then(a.x.total_cmp(&b.x)).then(a.y.total_cmp(&b.y))
    });
    let mut agents = Agents::zeroed(radii.len())?;
    for (id, (position, radius)) in ids.into_iter().zip(discs) {
        let slot = id as usize;
        let mut motion = Rng::new(keyed(keys.velocities, id.into()));
        let velocity = motion.direction() * (speeds[slot] * motion.between(0.5, 1.5));
        [agents.x[slot], agents.y[slot], agents.radius[slot]] = [position.x, position.y, radius];
        ([agents.vx[slot], agents.vy[slot]], agents.id[slot]) = (velocity.to_array(), id);
    }
    Ok(Some(Start { world, agents, statics: Vec::new(), populated: setup.populated() }))
}

/// The columns of a piece of the agents: positions and radii, velocities and ids.
type Columns<'a> =
    ((&'a mut [f32], &'a mut [f32], &'a mut [f32]), (&'a mut [f32], &'a mut [f32], &'a mut [u32]));

/// The velocity of an agent that starts at a position, in a random direction unless the scene has
/// one.
fn velocity(setup: &Setup, world: &Rect, position: Vec2, motion: &mut Rng) -> Vec2 {
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

/// Keys of the random numbers for positions, for the order of ids, and for velocities. Each id has
/// a stream for its velocity.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacementKeys {
    pub(super) positions: u64,
    pub(super) ids: u64,
    velocities: u64,
}

impl PlacementKeys {
    pub(super) fn new(setup: &Setup) -> Self {
        let mut seeds = Rng::new(setup.seed);
        let [positions, ids, velocities] = [(); 3].map(|()| seeds.bits());
        Self { positions, ids, velocities }
    }

    /// The velocity of the agent `id`, which starts at a position.
    pub(super) fn velocity(&self, setup: &Setup, world: &Rect, position: Vec2, id: u32) -> Vec2 {
        let mut motion = Rng::new(keyed(self.velocities, id.into()));
        velocity(setup, world, position, &mut motion)
    }
}

/// The discs of each cluster.
fn arrange(setup: &Setup, key: u64, progress: &PlacementProgress) -> Result<Vec<PlacedDiscs>> {
    let refused = |crowded| setup.with_remedy(setup.refusal(crowded));
    // Number 0 is for the places of the clusters.
    let clusters = clusters(setup, keyed(key, 0))?.ok_or_else(|| refused(Crowded::Clusters))?;
    let mut packings: Vec<Option<Packing>> = clusters.iter().map(|_| None).collect();
    let freezes = setup.scene.traits().crowd == Crowd::Freezing;
    let place = |first: usize, (clusters, packings): (&[Cluster], &mut [Option<Packing>])| {
        for ((index, (region, radii)), packing) in (first..).zip(clusters).zip(packings) {
            let share = PlacementShare::new(progress);
            let key = keyed(key, index as u64 + 1);
            if freezes {
                *packing = grains(region, radii, key, &share)?;
            }
            if packing.is_none() {
                share.restart();
                *packing = fill(region, radii, key, &share)?;
            }
        }
        Ok(())
    };
    let (clusters, of) = (&clusters[..], &mut packings[..]);
    parallel::pieces((clusters, of), 1, &place, &|one: Result<()>, other| one.and(other))?;
    packings
        .into_iter()
        .map(|packing| packing.map(Packing::into_discs).ok_or_else(|| refused(Crowded::Discs)))
        .collect()
}

/// Positions in a region for discs of these radii, which descend; none if none are found.
fn fill(
    region: &Region,
    radii: &[f32],
    key: u64,
    progress: &PlacementShare<'_>,
) -> Result<Option<Packing>> {
    let equal = radii.last().zip(radii.first()).is_some_and(|(low, high)| low * EQUAL >= *high);
    let most = if equal { RANDOM_MAX_EQUAL } else { RANDOM_MAX };
    if region.share(radii) <= most || radii.len() <= FEW {
        let random = scatter(region, radii, key, progress)?;
        if random.is_some() {
            return Ok(random);
        }
    }
    progress.restart();
    lattice(region, radii, key, progress)
}

/// The direction turned towards another one; a longer `towards` turns it more.
fn turned(direction: Vec2, towards: Vec2) -> Vec2 {
    let sum = direction + towards;
    let length = (sum.x * sum.x + sum.y * sum.y).sqrt();
    if length > 0.01 { sum / length } else { direction }
}
