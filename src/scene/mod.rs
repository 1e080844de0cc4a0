//! Named starts: what the agents are and where they are at time 0.
//!
//! A [`Setup`] is everything that decides a run, bit for bit; [`place`] makes its agents. Scenes are
//! library code, so that window, tests and benches show the same thing.

use glam::Vec2;

use crate::{agents::Agents, error::Result, rect::Rect};

/// A named start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Discs of about one size, all over the world.
    Gas,
    /// Dust and giants: radii distributed as r⁻³.
    Mixed,
    /// Dust, and a dozen discs hundreds of times as big.
    Giants,
    /// A dense disc of agents that flies apart into an empty world.
    Burst,
    /// Clumps far apart in a huge, nearly empty world.
    Sparse,
    /// Gravity and restitution below 1: agents fall and come to rest.
    Pile,
}

/// How overlaps become velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// One sequential impulse a contact, then separation: exact for a gas.
    Impulse,
    /// Position-based: what pushes two agents apart also changes their velocities, which holds up a
    /// pile.
    Resting,
}

/// Everything that decides a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Which start.
    pub scene: Scene,
    /// How many agents, 1 to [`crate::limits::AGENTS_MAX`].
    pub agents: u32,
    /// Smallest and largest radius, world units.
    pub radius: [f32; 2],
    /// Share of the world that discs cover (in `burst` and `sparse`: of the clumps).
    pub density: f32,
    /// Width and height of the world, world units; if not given, 16:9 and as large as the density asks.
    pub world: Option<Vec2>,
    /// Mean speed, world units a second; each agent's is uniform in 0.5 to 1.5 of it.
    pub speed: f32,
    /// Share of the approach speed that a collision gives back, 0 to 1; walls too.
    pub restitution: f32,
    /// Downward acceleration, world units a second squared.
    pub gravity: f32,
    /// Steps a second of simulated time.
    pub hz: f32,
    /// Parts that a step is computed in.
    pub substeps: u32,
    /// Which of the many starts of this kind.
    pub seed: u64,
    /// Side of a loose cell, world units; chosen from the scene if not given.
    pub cell: Option<f32>,
    /// Loose cells a side of a tight cell; chosen from the scene if not given.
    pub tight: Option<u32>,
    /// How contacts are resolved.
    pub solver: Solver,
}

/// What a scene starts with.
#[derive(Clone, Debug)]
pub struct Start {
    /// The world's borders.
    pub world: Rect,
    /// The agents; ids count from 0.
    pub agents: Agents,
    /// Area of the world that is populated at the start, square world units: cells are sized by it.
    pub populated: f64,
}

impl Setup {
    /// The scene's own defaults: 500,000 agents of `gas`, and so on.
    pub fn new(scene: Scene) -> Self {
        Self {
            scene,
            agents: 500_000,
            radius: [0.5, 1.0],
            density: 0.30,
            world: None,
            speed: 6.0,
            restitution: 1.0,
            gravity: 0.0,
            hz: 60.0,
            substeps: 1,
            seed: 0,
            cell: None,
            tight: None,
            solver: Solver::Impulse,
        }
    }
}

/// The agents and the world of a set-up.
///
/// # Errors
/// If the set-up's values are out of range, contradict each other, or leave no room for the agents;
/// the message says which would do.
pub fn place(setup: &Setup) -> Result<Start> {
    // Skeleton: a jittered lattice; the scenes replace it.
    let area = f64::from(setup.agents) * std::f64::consts::PI * 0.583 / f64::from(setup.density);
    let height = (area * 9.0 / 16.0).sqrt() as f32;
    let width = height * 16.0 / 9.0;
    let mut rng = crate::rng::Rng::new(setup.seed);
    let mut agents = Agents::with_capacity(setup.agents as usize);
    let columns = (f64::from(setup.agents) * 16.0 / 9.0).sqrt().ceil() as u32;
    let rows = setup.agents.div_ceil(columns);
    for id in 0..setup.agents {
        let radius = rng.between(setup.radius[0], setup.radius[1]);
        let direction = rng.direction();
        let speed = setup.speed * rng.between(0.5, 1.5);
        agents.push(crate::agents::Agent {
            position: Vec2::new(
                (id % columns) as f32 / columns as f32 * (width - 2.0) + 1.0,
                (id / columns) as f32 / rows as f32 * (height - 2.0) + 1.0,
            ),
            velocity: direction * speed,
            radius,
            id,
        });
    }
    Ok(Start { world: Rect::from_size(width, height), agents, populated: area })
}
