//! The set-up: everything that decides a run, and each scene's defaults.

use glam::Vec2;

use super::Scene;
use crate::{
    geometry::Boundary,
    limits::{HZ_MAX, SUBSTEPS_MAX},
    names::names,
};

/// Width and height of the world of `cannon`, meters: the world of "Broad Phase Collision
/// Detection" in Mario Zechner's *Beginning Android Games*.
pub(super) const CANNON_WORLD: Vec2 = Vec2::new(9.6, 6.4);

/// Radius of a ball of `cannon`, meters, for up to this many balls. More balls are smaller, so that
/// together they cover the same area.
const BALL: f32 = 0.1;
const BALLS: u32 = 100;

/// Least number of steps per simulated second that the Courant rule gives, and what it rounds them
/// up to a multiple of.
const HZ: f32 = 60.0;
const HZ_UNIT: f32 = 20.0;

/// Largest motion of an agent in a step, as a share of the smallest radius.
const COURANT: f32 = 0.9;

/// Speed of the fastest agent of an atmosphere, in multiples of the largest speed without collisions.
const TAIL: f32 = 3.0;

/// Default densities of `crystal`, percent: the first that leaves room for all agents.
const CRYSTAL_DENSITIES: [u8; 14] = [75, 70, 65, 60, 55, 50, 45, 40, 35, 30, 25, 20, 15, 10];

/// The solver of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// The contact solver where agents press on each other: with gravity, and in scenes where
    /// agents drive themselves. Else the impulse solver.
    Auto,
    /// One sequential impulse per contact, then separation: exact for a gas.
    Impulse,
    /// Soft constraints that remember their impulses: holds up what touches for long.
    Contact,
}

names!(#[doc(hidden)] pub Solver: Auto = "auto", Impulse = "impulse", Contact = "contact");

/// When agents collide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Collisions {
    /// At the end of the step in which they came to overlap.
    #[default]
    Overlap,
    /// At the moment of the step in which they touch, with a far smaller error, and several times the
    /// time. Not with the contact solver.
    Swept,
}

names!(#[doc(hidden)] pub Collisions: Overlap = "overlap", Swept = "swept");

/// Everything that decides a run, bit for bit.
///
/// ```
/// use jostle::{Scene, Setup};
///
/// let setup = Setup { agents: 2_000, speed: 10.0, ..Setup::new(Scene::Gas) };
/// setup.validate()?;
/// # Ok::<(), jostle::Error>(())
/// ```
///
/// The defaults are the values of `gas`; [`Setup::new`] has the values of other scenes.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The scene.
    pub scene: Scene,
    /// Number of agents at the start, 1 to 1,000,000,000. Default: 500,000.
    pub agents: u32,
    /// Capacity for agents that are spawned later, beside the agents of the start. Both together
    /// are at most 1,000,000,000. Default: 0.
    pub spare_agents: u32,
    /// Smallest and largest radius, world units, 1e-6 to 1e6. In `giants` these are the radii of
    /// the dust; the giants that follow are within the same limits. Default: 0.5 to 1.
    pub radius: [f32; 2],
    /// Share of the world that discs cover (in `burst` and `sparse`: of the clusters), above 0, at
    /// most 0.9. If the world is given, it counts for clusters alone. Default: 0.3.
    pub density: f32,
    /// Width and height of the world, world units. Default: 16:9 (`pegs`: square) and as large as
    /// the density needs.
    pub world: Option<Vec2>,
    /// The borders of the world. A world that repeats has the impulse solver, scenes with rules
    /// that need no walls, discs of at most 0.249 of its side, and no gravity along that side.
    /// Default: [`Boundary::Walls`].
    pub boundary: Boundary,
    /// Mean speed, world units per second, 0 to 5e8. The speed of an agent is uniform in 0.5 to 1.5
    /// of it. Each step rounds positions to 32-bit numbers: a mean displacement below 64 times the
    /// distance between two such numbers at the far corner of the world changes speeds by a
    /// hundredth and more. Default: 6.
    pub speed: f32,
    /// Coefficient of restitution of agents and walls, 0 to 1. Default: 1.
    pub restitution: f32,
    /// Coefficient of Coulomb friction between agents, and with statics and walls, 0 to 10. With
    /// friction, the agents have the columns `spin` and `angle`. Default: 0.
    pub friction: f32,
    /// Coefficient of rolling resistance, 0 to 10: the largest torque, as a share of the normal force
    /// times the reduced radius of the two. Needs friction. Default: 0.
    pub rolling: f32,
    /// Downward acceleration, world units per second squared, up to 1e9 in either direction.
    /// Default: 0.
    pub gravity: f32,
    /// Steps per simulated second, 0.001 to 100,000. Default: 60.
    pub hz: f32,
    /// Substeps per step, 1 to 1,000: each finds and resolves the contacts. Default: 1, or with the
    /// contact solver the number that the [Courant rule](Self::courant_hz) asks for.
    pub substeps: Option<u32>,
    /// Random seed. Default: 0.
    pub seed: u64,
    /// Side of a loose cell, world units, so large that the world has at most 32,767 of them per
    /// side. Default: from the agents' radii.
    pub cell: Option<f32>,
    /// Loose cells per side of a tight cell, 1 to 32,767. Default: from the agents' radii.
    pub tight: Option<u32>,
    /// The solver of contacts. Default: [`Solver::Auto`].
    pub solver: Solver,
    /// When agents collide. Default: [`Collisions::Overlap`].
    pub collisions: Collisions,
    /// Whether the contact solver leaves out what is at rest. Default: true.
    pub sleep: bool,
    /// Capacity for statics that are added later, beside the scene's own, 0 to 10,000,000. Default:
    /// 0.
    pub spare_statics: u32,
}

impl Setup {
    /// The defaults of a scene.
    pub fn new(scene: Scene) -> Self {
        let gas = Self {
            scene,
            agents: 500_000,
            spare_agents: 0,
            radius: [0.5, 1.0],
            density: 0.30,
            world: None,
            boundary: Boundary::Walls,
            speed: 6.0,
            restitution: 1.0,
            friction: 0.0,
            rolling: 0.0,
            gravity: 0.0,
            hz: 60.0,
            substeps: None,
            seed: 0,
            cell: None,
            tight: None,
            solver: Solver::Auto,
            collisions: Collisions::Overlap,
            sleep: true,
            spare_statics: 0,
        };
        match scene {
            Scene::Gas | Scene::Giants => gas,
            Scene::Mixed => Self { radius: [0.5, 50.0], ..gas },
            // Twice as fast, since there is a distance to cover.
            Scene::Burst => Self { density: 0.5, speed: 12.0, ..gas },
            // Denser than `gas`: at 0.30 the world would be wider than f32 is precise for with the
            // origin in a corner, where a program that reads the export may put it.
            Scene::Sparse => Self { density: 0.4, ..gas },
            // Fast enough that the armies meet soon, and hardly bouncing, so that the rear presses
            // on.
            Scene::Melee => Self { density: 0.25, speed: 12.0, restitution: 0.2, ..gas },
            // As many agents as settle while one watches; half full, so that the pile has some
            // depth.
            Scene::Pile => Self {
                agents: 50_000,
                density: 0.5,
                speed: 1.0,
                restitution: 0.3,
                gravity: 10.0,
                ..gas
            },
            // As many agents as fit into the bins, and into the hopper.
            Scene::Pegs => Self {
                agents: 10_000,
                density: 0.035,
                speed: 1.0,
                restitution: 0.5,
                gravity: 60.0,
                ..gas
            },
            // In meters. The speed is the speed of shots, which reach all of the world.
            Scene::Cannon => Self {
                agents: 100,
                radius: [BALL; 2],
                world: Some(CANNON_WORLD),
                speed: 9.0,
                restitution: 0.5,
                gravity: 10.0,
                ..gas
            },
            // Of one size and dense, so that a stream is thin and eddies are not faster than sound;
            // nearly as fast as discs of that size may be.
            Scene::Shear => Self {
                radius: [0.75; 2],
                density: 0.5,
                boundary: Boundary::PeriodicX,
                speed: 30.0,
                ..gas
            },
            // Loses in collisions what each stroke of the piston brings.
            Scene::Shock => {
                Self { radius: [0.7, 0.8], density: 0.45, speed: 8.0, restitution: 0.999, ..gas }
            }
            // Of one size, and a little denser than need be to freeze. In longer substeps, agents
            // that are late to collide count as smaller, and melt again. Between walls, such
            // collisions make the lower left denser than the upper right.
            Scene::Crystal => Self {
                radius: [0.75; 2],
                density: 0.75,
                boundary: Boundary::Periodic,
                substeps: Some(2),
                ..gas
            },
            // Loses so much that the web is there within seconds, and is thin enough to have voids.
            // A lower restitution gathers agents sooner, in finer filaments. The speed is high,
            // since the gas slows down at once.
            Scene::Cooling => Self {
                radius: [0.75; 2],
                density: 0.25,
                boundary: Boundary::Periodic,
                speed: 30.0,
                restitution: 0.4,
                ..gas
            },
            // As many agents as fit into the column, for every span of radii.
            Scene::Dam => Self { scene, density: 0.16, restitution: 0.2, ..Self::new(Scene::Pile) },
        }
    }

    /// The defaults of a scene for a number of agents: the values of [`Self::new`], but the steps
    /// of scenes in which agents press on each other are as short as the [Courant
    /// rule](Self::courant_hz) asks for; the more balls `cannon` has, the smaller they are, for its
    /// world has a fixed size; and `crystal` is as dense as few agents can be.
    pub fn with_agents(scene: Scene, agents: u32) -> Self {
        let mut own = Self { agents, ..Self::new(scene) };
        if scene == Scene::Cannon {
            let scale = (BALLS as f32 / agents.max(BALLS) as f32).sqrt();
            own.radius = own.radius.map(|radius| radius * scale);
        }
        // Few agents have more border than that, and none may touch another on both sides.
        if scene == Scene::Crystal {
            let densities = CRYSTAL_DENSITIES.map(|percent| f32::from(percent) / 100.0);
            let accepted = |&density: &f32| Self { density, ..own.clone() }.is_accepted();
            own.density = densities.into_iter().find(accepted).unwrap_or(own.density);
        }
        own.hz = own.courant_hz();
        own
    }

    /// Steps per simulated second with one substep each that are short enough for the solver: the
    /// Courant rule.
    ///
    /// With the impulse solver that is 60. With the contact solver, the fastest agent moves at most
    /// 0.9 of the smallest radius per step, where the fastest is the one with the largest speed at
    /// the start that falls through all the height that is free below it. What falls is then seen
    /// before it hits, and what lies at the foot of a pile is hardly pressed: its overlap is
    /// proportional to the height of the pile, to gravity and to the square of the step.
    ///
    /// Elastic agents that fall, which `auto` leaves to the impulse solver, become an atmosphere. It
    /// has agents three times as fast, and longer steps would heat it.
    pub fn courant_hz(&self) -> f32 {
        let tail = match (self.uses_contact_solver(), self.is_atmosphere()) {
            (true, _) => 1.0,
            (_, true) => TAIL,
            _ => return HZ,
        };
        let fall = 2.0 * self.gravity.abs() * self.free_height();
        let fastest = tail * ((1.5 * self.speed).powi(2) + fall).sqrt();
        let hz = fastest / (COURANT * self.radius[0]);
        ((hz / HZ_UNIT).ceil() * HZ_UNIT).clamp(HZ, HZ_MAX)
    }

    /// Substeps of each step: the given number, or the number that the steps need by the Courant
    /// rule.
    pub fn substeps_per_step(&self) -> u32 {
        let ruled = self.uses_contact_solver() || self.is_atmosphere();
        let own = if ruled { self.courant_hz() / self.hz } else { 1.0 };
        self.substeps.unwrap_or((own.ceil() as u32).clamp(1, SUBSTEPS_MAX))
    }

    /// True if agents collide at the moment when they touch.
    pub(crate) fn sweeps(&self) -> bool {
        self.collisions == Collisions::Swept
    }

    /// Contacts per agent that memory is allocated for at the start. A gas has one for thirty
    /// agents; a pile of discs of similar size has at most three per agent, and a few more while it
    /// falls; armies are as close where they meet. Where streams meet, behind a front, and
    /// in filaments, a gas is dense.
    pub(crate) fn contacts_per_agent(&self) -> f32 {
        match self.collisions {
            _ if self.uses_contact_solver() => 2.75,
            _ if self.scene.is_dense() => 1.25,
            // Pairs with paths that come close to each other.
            Collisions::Swept => 0.75,
            Collisions::Overlap => 0.25,
        }
    }

    /// The solver that resolves the contacts, never [`Solver::Auto`]: the contact solver if gravity
    /// pulls the agents onto each other, or if they push each other on, as armies do. Agents that
    /// lose nothing in collisions never come to rest on each other: they need the impulse solver.
    pub fn solver_in_use(&self) -> Solver {
        let drives = self.gravity != 0.0 || self.scene.has_factions();
        let presses = drives && self.restitution < 1.0;
        match self.solver {
            Solver::Auto if presses => Solver::Contact,
            Solver::Auto => Solver::Impulse,
            given => given,
        }
    }

    /// True if elastic agents fall, and `auto` chose the solver and is to choose the steps.
    fn is_atmosphere(&self) -> bool {
        self.solver == Solver::Auto && self.gravity != 0.0 && !self.uses_contact_solver()
    }

    /// True if the contact solver resolves the contacts.
    pub(crate) fn uses_contact_solver(&self) -> bool {
        self.solver_in_use() == Solver::Contact
    }
}
