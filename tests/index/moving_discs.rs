//! Discs that a test owns, and the checks of an index over them.

use std::{collections::BTreeSet, fmt::Display};

use jostle::{
    Agents, GridConfig, Rect,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex},
};

/// Discs by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct MovingDiscs {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) radius: Vec<f32>,
    pub(crate) alive: Vec<bool>,
}

impl MovingDiscs {
    /// Living discs of x, y and radius.
    pub(crate) fn new(discs: impl IntoIterator<Item = (f32, f32, f32)>) -> Self {
        let mut all = Self::default();
        for (x, y, radius) in discs {
            all.x.push(x);
            all.y.push(y);
            all.radius.push(radius);
            all.alive.push(true);
        }
        all
    }

    /// The agents of a simulation that began with `count`. An agent that was added later takes an
    /// id that is free.
    pub(crate) fn from_agents(agents: &Agents, count: u32) -> Self {
        let mut discs = Self::new(vec![(0.0, 0.0, 0.0); count as usize]);
        discs.alive.fill(false);
        for slot in agents.slots_by_id() {
            let agent = agents.get(slot as usize);
            let free = || discs.alive.iter().position(|&alive| !alive).expect("an id is free");
            let id = if agent.id < count { agent.id as usize } else { free() };
            discs.set(id as u32, [agent.position.x, agent.position.y, agent.radius]);
            discs.alive[id] = true;
        }
        discs
    }

    /// Sets position and radius of a disc.
    pub(crate) fn set(&mut self, id: u32, [x, y, radius]: [f32; 3]) {
        let id = id as usize;
        (self.x[id], self.y[id], self.radius[id]) = (x, y, radius);
    }

    pub(crate) fn by_id(&self) -> DiscsById<'_> {
        let Self { x, y, radius, alive } = self;
        DiscsById { x, y, radius, alive }
    }

    /// The configuration of an index over these discs.
    pub(crate) fn config(&self, world: Rect, cell: f32) -> IndexConfig {
        let grid = GridConfig::new(world, cell, self.x.len().max(1));
        let (mut low, mut high) = (f32::INFINITY, 0.0_f32);
        for &radius in &self.radius {
            (low, high) = (low.min(radius), high.max(radius));
        }
        let radius = if self.radius.is_empty() { [1.0, 1.0] } else { [low, high] };
        IndexConfig { grid, radius }
    }

    /// The pairs that overlap, found by testing every pair.
    fn pairs(&self) -> BTreeSet<(u32, u32)> {
        let living = || (0..self.x.len()).filter(|&id| self.alive[id]);
        let overlap = |a: usize, b: usize| {
            let (dx, dy) = (self.x[b] - self.x[a], self.y[b] - self.y[a]);
            let reach = self.radius[a] + self.radius[b];
            dx * dx + dy * dy < reach * reach
        };
        living()
            .flat_map(|a| living().filter(move |&b| a < b && overlap(a, b)).map(move |b| (a, b)))
            .map(|(a, b)| (a as u32, b as u32))
            .collect()
    }
}

/// The index with a name.
pub(crate) fn kind(name: &str) -> IndexKind {
    IndexKind::find(name).expect("the index exists")
}

/// An empty index.
pub(crate) fn build(kind: IndexKind, config: &IndexConfig) -> Box<dyn SpatialIndex> {
    kind.build(config).unwrap_or_else(|error| panic!("{}: {error}", kind.name))
}

/// The pairs that an index finds, each once, the lower id first.
pub(crate) fn pairs(index: &mut dyn SpatialIndex, discs: &MovingDiscs) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    let mut visit = |a: u32, b: u32| {
        assert!(pairs.insert((a.min(b), a.max(b))), "the pair {a}, {b} is reported twice");
    };
    index.visit_pairs(&discs.by_id(), &mut visit).expect("there is memory");
    pairs
}

/// Asserts that the index finds the pairs that overlap. Returns their number.
pub(crate) fn check(
    index: &mut dyn SpatialIndex,
    discs: &MovingDiscs,
    what: impl Display,
) -> usize {
    let (expected, found) = (discs.pairs(), pairs(index, discs));
    let missed: Vec<_> = expected.difference(&found).take(5).collect();
    let invented: Vec<_> = found.difference(&expected).take(5).collect();
    assert!(
        missed.is_empty() && invented.is_empty(),
        "{what}: missed {missed:?}, invented {invented:?}"
    );
    expected.len()
}
