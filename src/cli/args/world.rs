//! The flags that decide what runs and on what: WORLD of the command line.

use crate::{Error, Result, Scene, Setup, Vec2, index::IndexKind, simd::SimdLevel};
use clap::Args;

use super::{
    names::{self, Simd},
    values,
};

/// What runs. A scene sets its own defaults, and a flag overrides one of them.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "World")]
pub(crate) struct WorldArgs {
    /// How many: 500000, 500k, 1.5M [default: 500k]
    #[arg(long, value_name = "N", value_parser = values::agents, allow_hyphen_values = true)]
    agents: Option<u32>,
    /// How they start: gas, mixed, giants, burst, sparse, pile, pegs, cannon, melee; `jostle scenes` tells more
    #[arg(long, value_name = "NAME", default_value = "gas", value_parser = names::scene, allow_hyphen_values = true)]
    scene: Scene,
    /// How the scene starts and goes on.
    #[command(flatten)]
    start: StartArgs,
    /// What it runs on.
    #[command(flatten)]
    machine: MachineArgs,
}

/// How a scene starts and goes on: what overrides the scene's own defaults.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "World")]
pub(super) struct StartArgs {
    /// Radius of all, or smallest and largest, in world units [default: 0.5..1.0, or the scene's]
    #[arg(long, value_name = "R|A..B", value_parser = values::radius, allow_hyphen_values = true)]
    radius: Option<[f32; 2]>,
    /// Share of the world that discs cover; in `burst` and `sparse`, of the clumps [default: 0.30, or
    /// the scene's]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    density: Option<f32>,
    /// Width and height of the world, in world units [default: 16:9, as large as the density asks]
    #[arg(long, value_name = "WxH", value_parser = values::world, allow_hyphen_values = true)]
    world: Option<Vec2>,
    /// Mean speed, in world units a second; each agent has 0.5 to 1.5 of it [default: 6, or the scene's]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    speed: Option<f32>,
    /// Share of the approach speed that a collision gives back, 0 to 1; walls too [default: 1.0, or
    /// the scene's]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    restitution: Option<f32>,
    /// Acceleration towards y = 0, in world units a second squared [default: 0, or the scene's]
    #[arg(long, value_name = "G", value_parser = values::number, allow_hyphen_values = true)]
    gravity: Option<f32>,
    /// Steps a second of simulated time [default: 60, or the scene's]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    hz: Option<f32>,
    /// Parts that a step is computed in, so that fast agents don't jump over others [default: 1, or
    /// the scene's]
    #[arg(long, value_name = "N", value_parser = values::whole::<u32>, allow_hyphen_values = true)]
    substeps: Option<u32>,
    /// Which of the many starts of its kind [default: 0]
    #[arg(long, value_name = "N", value_parser = values::whole::<u64>, allow_hyphen_values = true)]
    seed: Option<u64>,
}

/// What it runs on: changes how long a run takes, never what comes out (but for `--cell`).
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Machine")]
struct MachineArgs {
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = values::threads, allow_hyphen_values = true)]
    threads: Option<usize>,
    /// Instructions of the kernels: auto, avx512, avx2, neon, scalar
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = names::simd, allow_hyphen_values = true)]
    simd: Simd,
    /// What finds the contacts: double-grid, linked-double-grid, loose-quadtree, quadtree, unit-grid,
    /// spatial-hash, naive
    #[arg(long, value_name = "NAME", default_value = "double-grid", value_parser = names::index, allow_hyphen_values = true)]
    index: IndexKind,
    #[command(flatten)]
    cells: CellArgs,
}

/// The cells of the double grid.
#[derive(Args, Clone, Debug)]
pub(super) struct CellArgs {
    /// Side of a loose cell, in world units; may change the state hash [default: chosen from the agents]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    cell: Option<f32>,
    /// Loose cells a side of a tight cell [default: chosen from the agents]
    #[arg(long, value_name = "N", value_parser = values::whole::<u32>, allow_hyphen_values = true)]
    tight: Option<u32>,
}

impl WorldArgs {
    /// The scene's set-up with the flags' values in it.
    ///
    /// # Errors
    /// If flags contradict each other. Whether it can be used is checked with the memory that it takes.
    pub(crate) fn setup(&self) -> Result<Setup> {
        self.start.setup(self.scene, self.agents, &self.machine.cells)
    }

    /// Threads to work with: as many as asked for, or one a core.
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.machine.threads.unwrap_or_else(cores).min(crate::limits::THREADS_MAX)
    }

    /// The instructions to work with: those asked for, if this machine has them.
    pub(crate) fn simd(&self) -> SimdLevel {
        self.machine.simd.usable()
    }

    /// What is to find the contacts.
    pub(crate) fn index(&self) -> IndexKind {
        self.machine.index
    }

    /// A line for each flag that asks for what there isn't.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.machine.simd.note().into_iter().collect()
    }
}

impl StartArgs {
    /// As [`WorldArgs::setup`].
    pub(super) fn setup(
        &self,
        scene: Scene,
        agents: Option<u32>,
        cells: &CellArgs,
    ) -> Result<Setup> {
        let mut setup =
            agents.map_or_else(|| Setup::new(scene), |agents| Setup::with_agents(scene, agents));
        if let (Some(world), Some(density)) = (self.world, self.density) {
            return Err(Error::invalid(format!(
                "--world {}x{} and --density {density} contradict each other; give one of them",
                world.x, world.y
            )));
        }
        put(&mut setup.radius, self.radius);
        put(&mut setup.density, self.density);
        put(&mut setup.speed, self.speed);
        put(&mut setup.restitution, self.restitution);
        put(&mut setup.gravity, self.gravity);
        put(&mut setup.hz, self.hz);
        put(&mut setup.substeps, self.substeps);
        put(&mut setup.seed, self.seed);
        if self.density.is_some() {
            setup.world = None;
        }
        setup.world = self.world.or(setup.world);
        setup.cell = cells.cell.or(setup.cell);
        setup.tight = cells.tight.or(setup.tight);
        Ok(setup)
    }
}

/// Overrides a default by what was given.
fn put<T>(place: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *place = value;
    }
}
