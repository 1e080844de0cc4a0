//! The set-up: everything that decides a run, each scene's own defaults, and the world that follows.

use glam::Vec2;

use super::{Scene, board::Board, radii::Radii, range};
use crate::{geometry::Rect, statics::Static};

/// Share of the world that the disc of `burst` covers at the start.
const BURST_SHARE: f64 = 1.0 / 16.0;

/// Share of the world that the clumps of `sparse` cover, if the world's size is not given.
const SPARSE_SHARE: f64 = 1e-3;

/// Width of a world to its height, if its size is not given: that of a screen, and a Galton board is as high as it
/// is wide.
const SHAPE: f64 = 16.0 / 9.0;
const SHAPE_OF_BOARD: f64 = 1.0;

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
    /// How many more may be alive at a time than at the start: room that is claimed for those to be spawned.
    /// None unless asked for; both together are [`AGENTS_MAX`](crate::limits::AGENTS_MAX) at the most.
    pub spare_agents: u32,
    /// Smallest and largest radius, world units, [`RADIUS_MIN`](crate::limits::RADIUS_MIN) to
    /// [`RADIUS_MAX`](crate::limits::RADIUS_MAX); in `giants`: of the dust, and what follows for the giants is to be in
    /// that range as well.
    pub radius: [f32; 2],
    /// Share of the world that discs cover (in `burst` and `sparse`: of the clumps), above 0 and up to
    /// [`DENSITY_MAX`](crate::limits::DENSITY_MAX). Where the world
    /// is given it only counts for the clumps.
    pub density: f32,
    /// Width and height of the world, world units; if not given, 16:9 (`pegs`: square) and as large as the
    /// density asks.
    pub world: Option<Vec2>,
    /// Mean speed, world units a second, 0 to [`MEAN_SPEED_MAX`](crate::limits::MEAN_SPEED_MAX); each agent's is uniform
    /// in 0.5 to 1.5 of it.
    pub speed: f32,
    /// Share of the approach speed that a collision gives back, 0 to 1; walls too.
    pub restitution: f32,
    /// Downward acceleration, world units a second squared; below 0 it pulls up. Either way
    /// [`GRAVITY_MAX`](crate::limits::GRAVITY_MAX) at the most.
    pub gravity: f32,
    /// Steps a second of simulated time, [`HZ_MIN`](crate::limits::HZ_MIN) to [`HZ_MAX`](crate::limits::HZ_MAX).
    pub hz: f32,
    /// Parts that a step is computed in, 1 to [`SUBSTEPS_MAX`](crate::limits::SUBSTEPS_MAX).
    pub substeps: u32,
    /// Which of the many starts of this kind.
    pub seed: u64,
    /// Side of a loose cell, world units, so that the world is no more than
    /// [`CELLS_PER_SIDE_MAX`](crate::limits::CELLS_PER_SIDE_MAX) of them wide and high; chosen from the scene if not given.
    pub cell: Option<f32>,
    /// Loose cells a side of a tight cell, 1 to [`CELLS_PER_SIDE_MAX`](crate::limits::CELLS_PER_SIDE_MAX); chosen from the
    /// scene if not given.
    pub tight: Option<u32>,
    /// How contacts are resolved.
    pub solver: Solver,
    /// Room for statics that are added while it runs, beside the scene's own: 0 to
    /// [`STATICS_MAX`](crate::limits::STATICS_MAX).
    pub spare_statics: u32,
}

impl Setup {
    /// The scene's own defaults: 500,000 agents of `gas`, and so on.
    pub fn new(scene: Scene) -> Self {
        let gas = Self {
            scene,
            agents: 500_000,
            spare_agents: 0,
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
            spare_statics: 0,
        };
        match scene {
            Scene::Gas | Scene::Giants => gas,
            Scene::Mixed => Self { radius: [0.5, 50.0], ..gas },
            // Twice as fast, because there is a way to go.
            Scene::Burst => Self { density: 0.5, speed: 12.0, ..gas },
            // Denser than `gas`: at 0.30 the world would be wider than f32 is fine for with the origin
            // in a corner, and a program that reads the export may well put it there.
            Scene::Sparse => Self { density: 0.4, ..gas },
            // Fast enough that they meet soon, and hardly bouncing, so that those behind press on.
            Scene::Melee => Self { density: 0.25, speed: 12.0, restitution: 0.2, ..gas },
            // As many as a pile can be watched settling with; half full, so that it has some depth.
            Scene::Pile => Self {
                agents: 50_000,
                density: 0.5,
                speed: 1.0,
                restitution: 0.3,
                gravity: 10.0,
                substeps: 8,
                solver: Solver::Resting,
                ..gas
            },
            // As many as fit the bins, and the hopper as well.
            Scene::Pegs => Self {
                agents: 10_000,
                density: 0.035,
                speed: 1.0,
                restitution: 0.5,
                gravity: 60.0,
                substeps: 8,
                solver: Solver::Resting,
                ..gas
            },
            // In metres. The speed is that of shots: they reach all of the world.
            Scene::Cannon => Self {
                agents: 100,
                radius: [range::BALL; 2],
                world: Some(range::WORLD),
                speed: 9.0,
                restitution: 0.5,
                gravity: 10.0,
                substeps: 8,
                solver: Solver::Resting,
                ..gas
            },
        }
    }

    /// The scene's own defaults for so many agents: those of [`Self::new`], but that the balls of `cannon` get smaller
    /// the more there are, since its world stays as it is, and take shorter steps.
    pub fn with_agents(scene: Scene, agents: u32) -> Self {
        let own = Self { agents, ..Self::new(scene) };
        match scene {
            Scene::Cannon => range::scaled(&own),
            _ => own,
        }
    }

    /// The world's borders: known before anything is placed, and the same for every seed.
    ///
    /// Meaningful where [`Self::validate`] is content.
    pub fn world(&self) -> Rect {
        let size = self.world.unwrap_or_else(|| {
            let shape = if self.scene == Scene::Pegs { SHAPE_OF_BOARD } else { SHAPE };
            let height = (self.area() / shape).sqrt();
            Vec2::new((height * shape) as f32, height as f32)
        });
        if self.scene == Scene::Sparse {
            Rect::new(size * -0.5, size * 0.5)
        } else {
            Rect::from_size(size.x, size.y)
        }
    }

    /// Area of the world that is populated at the start, square world units.
    pub(crate) fn populated(&self) -> f64 {
        match (self.scene, self.world) {
            (Scene::Pegs | Scene::Cannon, _) => {
                let size = self.ground().size().as_dvec2();
                size.x * size.y
            }
            (Scene::Burst | Scene::Sparse, _) | (_, None) => {
                self.covered() / f64::from(self.density)
            }
            (_, Some(size)) => f64::from(size.x) * f64::from(size.y),
        }
    }

    /// The part of the world that agents start in, be it in clumps.
    pub(super) fn ground(&self) -> Rect {
        match self.scene {
            Scene::Pegs => Board::of(self).hopper(),
            Scene::Cannon => range::GROUND,
            _ => self.world(),
        }
    }

    /// What never moves in this scene.
    pub(crate) fn fixed(&self) -> Vec<Static> {
        match self.scene {
            Scene::Pegs => Board::of(self).statics(),
            Scene::Cannon => [range::cannon(), range::targets(self)].concat(),
            _ => Vec::new(),
        }
    }

    /// Pairs an agent that room is claimed for: a gas has one for thirty agents; a pile of discs of like size three
    /// an agent at the most, and a few more while it falls; armies press each other as close where they meet.
    pub fn contacts_per_agent(&self) -> f32 {
        match self.solver {
            Solver::Impulse if !self.scene.has_factions() => 0.25,
            Solver::Impulse | Solver::Resting => 4.0,
        }
    }

    /// Area that all discs cover together, square world units.
    pub(crate) fn covered(&self) -> f64 {
        Radii::of(self).sum_of_squares() * std::f64::consts::PI
    }

    /// The median radius, and the one that every 32nd agent has or a larger one.
    pub(crate) fn typical_radii(&self) -> [f32; 2] {
        [2, 32].map(|of| Radii::of(self).radius(self.agents / of))
    }

    /// Area of a world that is not given.
    fn area(&self) -> f64 {
        self.covered()
            / f64::from(self.density)
            / match self.scene {
                Scene::Burst => BURST_SHARE,
                Scene::Sparse => SPARSE_SHARE,
                _ => 1.0,
            }
    }
}
