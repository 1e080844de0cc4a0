//! Discs that tests own, and the index of a name over them.

use std::collections::BTreeSet;

use jostle::{
    Agents, GridConfig, Rect, Vec2,
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, Naive, SpatialIndex},
};

/// Discs by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowd {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) radius: Vec<f32>,
    pub(crate) alive: Vec<bool>,
}

impl Crowd {
    pub(crate) fn of(discs: impl IntoIterator<Item = (f32, f32, f32)>) -> Self {
        let mut crowd = Self::default();
        for (x, y, radius) in discs {
            crowd.x.push(x);
            crowd.y.push(y);
            crowd.radius.push(radius);
            crowd.alive.push(true);
        }
        crowd
    }

    /// The agents, by id: so many were given at first. Who has died is not alive, and who came later has the place
    /// of one who is not there.
    pub(crate) fn of_agents(agents: &Agents, ids: u32) -> Self {
        let mut crowd = Self::of(vec![(0.0, 0.0, 0.0); ids as usize]);
        crowd.alive.fill(false);
        for slot in agents.slots_by_id() {
            let agent = agents.get(slot as usize);
            let free = || crowd.alive.iter().position(|&alive| !alive).expect("one left for it");
            let place = if agent.id < ids { agent.id as usize } else { free() };
            (crowd.x[place], crowd.y[place]) = agent.position.into();
            (crowd.radius[place], crowd.alive[place]) = (agent.radius, true);
        }
        crowd
    }

    pub(crate) fn discs(&self) -> DiscsById<'_> {
        let Self { x, y, radius, alive } = self;
        DiscsById { x, y, radius, alive }
    }
}

/// What an index over these discs is made from.
pub(crate) fn config(crowd: &Crowd, world: Rect, cell: f32) -> IndexConfig {
    let grid = GridConfig::new(world, cell, crowd.x.len().max(1));
    let (mut low, mut high) = (f32::INFINITY, 0.0_f32);
    for &radius in &crowd.radius {
        (low, high) = (low.min(radius), high.max(radius));
    }
    let radius = if crowd.radius.is_empty() { [1.0, 1.0] } else { [low, high] };
    IndexConfig { grid, radius }
}

/// An empty index of that name.
pub(crate) fn build(kind: IndexKind, config: &IndexConfig) -> Box<dyn SpatialIndex> {
    kind.build(config).unwrap_or_else(|error| panic!("{}: {error}", kind.name))
}

/// The pairs that an index finds, each once, the lower id first.
pub(crate) fn pairs(index: &mut dyn SpatialIndex, crowd: &Crowd) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    let mut visit = |a: u32, b: u32| {
        assert!(pairs.insert((a.min(b), a.max(b))), "the pair {a}, {b} comes twice");
    };
    index.visit_pairs(&crowd.discs(), &mut visit).expect("there is memory");
    pairs
}

/// What a search finds, each once.
fn found(search: impl FnOnce(&mut dyn FnMut(u32))) -> BTreeSet<u32> {
    let mut ids = BTreeSet::new();
    search(&mut |id| assert!(ids.insert(id), "{id} is found twice"));
    ids
}

/// Asserts that the index is sound and finds what the naive one finds: the pairs, and what some searches
/// around `probes` find. Returns the pairs.
pub(crate) fn check(
    index: &mut dyn SpatialIndex,
    crowd: &Crowd,
    probes: &[(Vec2, f32)],
    what: &str,
) -> BTreeSet<(u32, u32)> {
    let discs = crowd.discs();
    assert_eq!(index.validate(&discs), Ok(()), "{what}");
    let (expected, met) = (pairs(&mut Naive, crowd), pairs(index, crowd));
    let missed: Vec<_> = expected.difference(&met).take(5).collect();
    let invented: Vec<_> = met.difference(&expected).take(5).collect();
    assert!(
        missed.is_empty() && invented.is_empty(),
        "{what}: missed {missed:?}, invented {invented:?}"
    );
    for &(center, size) in probes {
        let disc = Disc { center, radius: size };
        let rect = Rect::new(center - Vec2::new(size, size * 0.3), center + size);
        assert_eq!(
            found(|visit| index.visit_disc(&discs, disc, visit)),
            found(|visit| Naive.visit_disc(&discs, disc, visit)),
            "{what}: {disc:?}"
        );
        assert_eq!(
            found(|visit| index.visit_rect(&discs, &rect, visit)),
            found(|visit| Naive.visit_rect(&discs, &rect, visit)),
            "{what}: {rect:?}"
        );
    }
    assert_eq!(index.validate(&discs), Ok(()), "{what}, after searches");
    expected
}
