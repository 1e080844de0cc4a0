//! The flags that define a run: WORLD in the usage of the commands.

use clap::Args;

use crate::{
    Boundary, Scene, Setup, Vec2,
    error::{Field, Value},
    index::IndexKind,
    scene::{Collisions, Solver},
};

use super::{
    names::{self, SimdArg, Switch},
    values,
};

/// The run. A scene sets its own defaults, and a flag overrides one of them.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "World")]
pub(crate) struct WorldArgs {
    /// Number of agents: 500000, 500k, 1.5M [default: 500k]
    #[arg(long, value_name = "N", value_parser = values::agents, allow_hyphen_values = true)]
    agents: Option<u32>,
    /// Scene: gas, mixed, giants, burst, sparse, pile, pegs, cannon, melee, dam, shear, shock,
    /// crystal, cooling; `jostle scenes` describes them [default: gas; in the window shear, if the
    /// other flags suit it]
    #[arg(long, value_name = "NAME", value_parser = names::scene, allow_hyphen_values = true)]
    pub(super) scene: Option<Scene>,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N", help_heading = MACHINE, value_parser = values::threads, allow_hyphen_values = true)]
    threads: Option<usize>,
    /// Spatial index that finds the contacts: double-grid, linked-double-grid, loose-quadtree,
    /// quadtree, unit-grid, spatial-hash, naive
    #[arg(long, value_name = "NAME", help_heading = MACHINE, default_value = "double-grid", value_parser = names::index, allow_hyphen_values = true)]
    pub(crate) index: IndexKind,
    #[command(flatten)]
    pub(crate) start: StartArgs,
}

/// Heading of the flags that change the time of a run but, except for `--cell`, not its result.
const MACHINE: &str = "Machine";

/// Overrides of a scene's defaults.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "World")]
pub(crate) struct StartArgs {
    /// Radius of all agents, or the smallest and the largest, in world units [default: 0.5..1.0, or
    /// the scene's]
    #[arg(long, value_name = "R|A..B", value_parser = values::radius, allow_hyphen_values = true)]
    radius: Option<[f32; 2]>,
    /// Share of the world covered by agents; in `burst` and `sparse`, of the clusters [default:
    /// 0.30, or the scene's]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    density: Option<f32>,
    /// Width and height of the world, in world units [default: 16:9, sized by the density]
    #[arg(long, value_name = "WxH", conflicts_with = "density", value_parser = values::world, allow_hyphen_values = true)]
    world: Option<Vec2>,
    /// What is at the borders of the world: walls, periodic (what leaves on one side comes in on the
    /// opposite one), periodic-x (walls below and above) [default: walls]
    #[arg(long, value_name = "NAME", value_parser = names::boundary, allow_hyphen_values = true)]
    pub(crate) boundary: Option<Boundary>,
    /// Mean initial speed, in world units per second; each agent has 0.5 to 1.5 times that
    /// [default: 6, or the scene's]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    speed: Option<f32>,
    /// Coefficient of restitution, 0 to 1, for agents and walls [default: 1.0, or the scene's]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    restitution: Option<f32>,
    /// Acceleration towards y = 0, in world units per second squared [default: 0, or the scene's]
    #[arg(long, value_name = "G", value_parser = values::number, allow_hyphen_values = true)]
    gravity: Option<f32>,
    /// Steps per simulated second [default: 60; where agents press on each other, so many that none
    /// moves 0.9 of the smallest radius in a step]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    hz: Option<f32>,
    /// Substeps per step, each of which finds and resolves the contacts [default: 1; where agents
    /// press on each other, as many as longer steps need]
    #[arg(long, value_name = "N", value_parser = values::whole::<u32>, allow_hyphen_values = true)]
    substeps: Option<u32>,
    /// Solver of contacts: impulse is for agents that meet and part, contact for agents that press
    /// on each other; auto takes contact with gravity, and in melee [default: auto]
    #[arg(long, value_name = "NAME", value_parser = names::solver, allow_hyphen_values = true)]
    solver: Option<Solver>,
    /// When agents collide: overlap (at the end of the step in which they came to overlap), swept (at
    /// the moment when they touch; not with the contact solver) [default: overlap]
    #[arg(long, value_name = "NAME", value_parser = names::collisions, allow_hyphen_values = true)]
    pub(crate) collisions: Option<Collisions>,
    /// Whether the contact solver leaves out what is at rest: on, off [default: on]
    #[arg(long, value_name = "NAME", value_parser = names::switch, allow_hyphen_values = true)]
    sleep: Option<Switch>,
    /// Random seed [default: 0]
    #[arg(long, value_name = "N", value_parser = values::whole::<u64>, allow_hyphen_values = true)]
    seed: Option<u64>,
    /// Instruction set of the kernels: auto, avx512, avx2, neon, scalar
    #[arg(long, value_name = "NAME", help_heading = MACHINE, default_value = "auto", value_parser = names::simd, allow_hyphen_values = true)]
    pub(crate) simd: SimdArg,
    /// Side of a loose cell, in world units; may change the state hash [default: derived from the
    /// agents]
    #[arg(long, value_name = "F", help_heading = MACHINE, value_parser = values::number, allow_hyphen_values = true)]
    cell: Option<f32>,
    /// Loose cells per side of a tight cell [default: derived from the agents]
    #[arg(long, value_name = "N", help_heading = MACHINE, value_parser = values::whole::<u32>, allow_hyphen_values = true)]
    tight: Option<u32>,
}

impl WorldArgs {
    /// The set-up of the scene with the values of the flags. Whether it can be used is checked
    /// together with the memory that it takes.
    pub(crate) fn setup(&self) -> Setup {
        self.start.setup(self.scene.unwrap_or(Scene::Gas), self.agents)
    }

    /// Takes a scene if none is asked for and the other flags suit it.
    pub(super) fn suggest(&mut self, scene: Scene) {
        if self.scene.is_none() && self.start.setup(scene, self.agents).validate().is_ok() {
            self.scene = Some(scene);
        }
    }

    /// The flags that were given, each with its value and that of a set-up.
    pub(crate) fn given(&self, setup: &Setup) -> Vec<(&'static str, String, String)> {
        let Self { agents, scene, start, threads: _, index: _ } = self;
        let StartArgs { density, boundary, speed, restitution, gravity, hz, seed, solver, .. } =
            start;
        let way = &start.collisions;
        let optional =
            |value: Option<f32>| value.map_or("none".to_owned(), |value| value.to_string());
        let count = |value: Option<u32>| value.map_or("none".to_owned(), |value| value.to_string());
        let size = |[one, other]: [f32; 2], between| format!("{one}{between}{other}");
        let radius = |radius: [f32; 2]| size(radius, "..");
        let world = |world: Option<Vec2>| {
            world.map_or("none".to_owned(), |world| size(world.to_array(), "x"))
        };
        let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
        let number = |value: &Option<f32>| value.map(|value| value.to_string());
        let flags = [
            ("--agents", agents.map(|n| n.to_string()), setup.agents.to_string()),
            ("--scene", scene.map(|scene| scene.name().into()), setup.scene.name().into()),
            ("--radius", start.radius.map(radius), radius(setup.radius)),
            ("--density", number(density), setup.density.to_string()),
            ("--world", start.world.map(|size| world(Some(size))), world(setup.world)),
            ("--boundary", boundary.map(|b| b.name().into()), setup.boundary.name().into()),
            ("--speed", number(speed), setup.speed.to_string()),
            ("--restitution", number(restitution), setup.restitution.to_string()),
            ("--gravity", number(gravity), setup.gravity.to_string()),
            ("--hz", number(hz), setup.hz.to_string()),
            ("--substeps", start.substeps.map(|n| n.to_string()), count(setup.substeps)),
            ("--solver", solver.map(|solver| solver.name().into()), setup.solver.name().into()),
            ("--collisions", way.map(|way| way.name().into()), setup.collisions.name().into()),
            ("--sleep", start.sleep.map(|on| switch(on == Switch::On)), switch(setup.sleep)),
            ("--seed", seed.map(|n| n.to_string()), setup.seed.to_string()),
            ("--cell", number(&start.cell), optional(setup.cell)),
            ("--tight", start.tight.map(|n| n.to_string()), count(setup.tight)),
        ];
        let given = flags.into_iter();
        given.filter_map(|(flag, given, saved)| Some((flag, given?, saved))).collect()
    }

    /// Number of worker threads: the given one, or one per core.
    pub(crate) fn threads(&self) -> usize {
        threads(self.threads)
    }
}

/// The given number of worker threads, or one per core.
pub(super) fn threads(given: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    given.unwrap_or_else(cores).min(crate::limits::THREADS_MAX)
}

impl StartArgs {
    /// Sets what an error suggests; leaves what no scene suggests.
    pub(super) fn set(&mut self, field: Field, value: &Value) {
        let number = match value {
            &Value::Number(number) => Some(number),
            _ => None,
        };
        match (field, value) {
            (Field::Boundary, &Value::Name(name)) => self.boundary = names::boundary(name).ok(),
            (Field::Solver, &Value::Name(name)) => self.solver = names::solver(name).ok(),
            (Field::Collisions, &Value::Name(name)) => {
                self.collisions = names::collisions(name).ok();
            }
            (Field::Gravity, _) => self.gravity = number,
            (Field::Density, _) => self.density = number,
            (Field::Cell, _) => self.cell = number,
            (Field::Radius, &Value::Span(radius)) => self.radius = Some(radius),
            (Field::World, &Value::Size(world)) => self.world = Some(world),
            (Field::World, Value::Missing) => self.world = None,
            _ => {}
        }
    }

    /// As [`WorldArgs::setup`].
    pub(super) fn setup(&self, scene: Scene, agents: Option<u32>) -> Setup {
        let own =
            agents.map_or_else(|| Setup::new(scene), |agents| Setup::with_agents(scene, agents));
        let mut setup = Setup {
            radius: self.radius.unwrap_or(own.radius),
            density: self.density.unwrap_or(own.density),
            world: self.world.or(own.world.filter(|_| self.density.is_none())),
            boundary: self.boundary.unwrap_or(own.boundary),
            speed: self.speed.unwrap_or(own.speed),
            restitution: self.restitution.unwrap_or(own.restitution),
            gravity: self.gravity.unwrap_or(own.gravity),
            hz: self.hz.unwrap_or(own.hz),
            substeps: self.substeps.or(own.substeps),
            seed: self.seed.unwrap_or(own.seed),
            cell: self.cell.or(own.cell),
            tight: self.tight.or(own.tight),
            solver: self.solver.unwrap_or(own.solver),
            collisions: self.collisions.unwrap_or(own.collisions),
            sleep: self.sleep.map_or(own.sleep, |sleep| sleep == Switch::On),
            ..own
        };
        // The rule for their length depends on all the rest.
        if self.hz.is_none() {
            setup.hz = setup.courant_hz();
        }
        setup
    }
}
