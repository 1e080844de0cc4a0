//! Report of a run: one object of JSON. Its keys are a contract: every key is present, in this
//! order, and null if its value is not available.

use std::collections::BTreeMap;

use crate::{
    Result, Setup, Sim,
    observe::{Meter, rotation_of},
    sim::Counters,
    timing::{Histogram, PHASES, TimeSummary},
};
use serde::{Serialize, Serializer};

use super::{hashes::StateHashes, origin::Origin};

/// Measurements of a run.
#[derive(Debug, Default)]
pub(super) struct Measurements {
    pub(super) warmup: u64,
    /// Steps that were planned, and those that were taken.
    pub(super) planned: u64,
    pub(super) steps: u64,
    pub(super) step: Histogram,
    /// In the order of [`Phase`](crate::step::Phase).
    pub(super) phases: [Histogram; PHASES],
    pub(super) draw: Histogram,
    /// Counters after the warm-up.
    pub(super) before: Counters,
    /// Averages since then; `None` before a run.
    pub(super) meter: Option<Meter>,
    pub(super) fastest: Option<f32>,
    /// Bytes of the frame and its renderer; 0 if nothing is drawn.
    pub(super) frame_bytes: u64,
    pub(super) threads: usize,
    /// None in one process.
    pub(super) ranks: Option<RankReport>,
    /// State hashes on the way.
    pub(super) hashes: StateHashes,
}

impl Measurements {
    /// None yet of a run of `planned` steps.
    pub(super) fn begin(sim: &Sim, warmup: u64, planned: u64) -> Self {
        let threads = rayon::current_num_threads();
        let meter = Some(Meter::new(sim));
        Self { warmup, planned, before: sim.counters(), meter, threads, ..Self::default() }
    }
}

/// What ranks have shared.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankReport {
    pub(super) ranks: usize,
    /// The least and the most agents of a rank at the end.
    pub(super) agents: [usize; 2],
    /// Share of the time of the measured steps in which ranks sent, received or waited for words, their
    /// mean.
    pub(super) communication: Option<f64>,
    /// Bytes that crossed a border in a substep, in bytes of the agents of the row there: one if all of them
    /// crossed once, with all of their columns.
    pub(super) border_rows: Option<f64>,
}

/// The JSON object.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    pub(super) origin: Origin,
    pub(super) scene: &'static str,
    pub(super) agents: usize,
    pub(super) seed: u64,
    pub(super) threads: usize,
    pub(super) simd: &'static str,
    pub(super) index: &'static str,
    pub(super) solver: &'static str,
    pub(super) boundary: &'static str,
    pub(super) collision_mode: &'static str,
    pub(super) steps: u64,
    pub(super) warmup: u64,
    pub(super) dt: f32,
    pub(super) substeps: u32,
    /// Share of the world that the discs of the agents cover at the end.
    pub(super) density: f64,
    pub(super) radius: [f32; 2],
    pub(super) speed: f32,
    pub(super) gravity: f32,
    pub(super) restitution: f32,
    pub(super) friction: f32,
    pub(super) rolling: f32,
    pub(super) world: WorldReport,
    pub(super) world_file: Option<WorldFileReport>,
    pub(super) grid: GridReport,
    pub(super) step_ms: TimeSummary,
    pub(super) phases_ms: PhaseReport,
    pub(super) draw_ms: TimeSummary,
    pub(super) steps_per_s: Option<f64>,
    pub(super) agent_steps_per_s: Option<f64>,
    pub(super) contacts: u64,
    pub(super) collisions: u64,
    /// Moves longer than the smallest radius.
    #[serde(skip)]
    pub(super) tunnelled: u64,
    pub(super) kinetic_energy: f64,
    pub(super) momentum: [f64; 2],
    /// Of the spins, and about the center of the world with the motion; in runs with spins.
    pub(super) rotational_energy: Option<f64>,
    pub(super) angular_momentum: Option<f64>,
    /// k·T at the end.
    pub(super) temperature: f64,
    /// By the virial, over the measured steps.
    pub(super) pressure: Option<f64>,
    /// Collisions of an agent per second, over the measured steps.
    pub(super) collision_rate: Option<f64>,
    pub(super) max_overlap: f32,
    pub(super) fastest: Option<f32>,
    pub(super) bytes: BytesReport,
    pub(super) bytes_per_agent: f64,
    pub(super) statics: u64,
    pub(super) spawned: u64,
    pub(super) removed: u64,
    /// Births for which there was no room.
    pub(super) refused: u64,
    pub(super) awake: usize,
    /// Processes that have shared the run.
    pub(super) ranks: usize,
    /// As in [`RankReport`]; null in one process.
    pub(super) agents_per_rank: Option<[usize; 2]>,
    pub(super) communication: Option<f64>,
    pub(super) border_rows: Option<f64>,
    /// What the rules of the run observe, at the end; in runs of world files.
    pub(super) observed: Option<ObservedReport>,
    pub(super) state_hash: String,
    /// Steps and the hash of the state after each of them; none unless they were asked for.
    pub(super) hashes: StateHashes,
}

#[derive(Debug, Serialize)]
pub(super) struct WorldReport {
    pub(super) width: f32,
    pub(super) height: f32,
}

/// A world file, with the values of its params.
#[derive(Debug, Serialize)]
pub(super) struct WorldFileReport {
    pub(super) name: String,
    pub(super) params: BTreeMap<String, f32>,
}

impl WorldFileReport {
    /// Of a run that has one.
    pub(super) fn new(sim: &Sim) -> Option<Self> {
        let source = sim.rule_source()?;
        let params = source.values.params.iter().map(|param| (param.name.clone(), param.value));
        Some(Self { name: source.name.clone(), params: params.collect() })
    }
}

#[derive(Debug, Serialize)]
pub(super) struct GridReport {
    pub(super) loose_cols: u32,
    pub(super) loose_rows: u32,
    pub(super) loose_size: [f32; 2],
    pub(super) tight_cols: u32,
    pub(super) tight_rows: u32,
    pub(super) tight_size: [f32; 2],
}

/// The phases of a step.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct PhaseReport {
    pub(super) contacts: TimeSummary,
    pub(super) resolve: TimeSummary,
    pub(super) integrate: TimeSummary,
    pub(super) regrid: TimeSummary,
    pub(super) order: TimeSummary,
    pub(super) forces: TimeSummary,
}

impl PhaseReport {
    /// The samples of all phases, in their order.
    pub(super) fn new(phases: &[Histogram; PHASES]) -> Self {
        let [contacts, order, resolve, integrate, regrid, forces] =
            phases.each_ref().map(Histogram::summary);
        Self { contacts, resolve, integrate, regrid, order, forces }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct BytesReport {
    pub(super) agents: usize,
    pub(super) grid: usize,
    pub(super) contacts: usize,
    pub(super) frame: u64,
    pub(super) total: u64,
}

/// Names and values, an object of JSON.
#[derive(Debug)]
pub(super) struct ObservedReport(pub(super) Vec<(String, Option<f64>)>);

impl ObservedReport {
    fn new(sim: &Sim) -> Self {
        let values = (0..).map(|which| Some(sim.observe(which)).filter(|value| value.is_finite()));
        Self(sim.observed_names().map(str::to_owned).zip(values).collect())
    }
}

impl Serialize for ObservedReport {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Report {
    /// The final state and the measurements of the run.
    ///
    /// # Errors
    /// If there is not enough memory for the final contacts.
    pub(super) fn new(
        origin: Origin,
        setup: &Setup,
        sim: &mut Sim,
        run: &Measurements,
    ) -> Result<Self> {
        let (agents, counters) = (sim.agents().len(), sim.counters());
        let bytes = sim.memory();
        let held = bytes.total() as u64;
        let measures = sim.measure()?;
        let mut meter = run.meter.unwrap_or_else(|| Meter::new(sim));
        let reading = meter.read(sim);
        let [rotational_energy, angular_momentum] = rotation_of(sim);
        let step_ms = run.step.summary();
        let steps_per_s = step_ms.mean.map(|mean| 1000.0 / mean);
        let grid = sim.grid();
        let [loose_cols, loose_rows] = grid.loose_cells();
        let [tight_cols, tight_rows] = grid.tight_cells();
        let [loose_size, tight_size] =
            [grid.config().loose_size, grid.config().tight_size].map(|size| size.to_array());
        let grid =
            GridReport { loose_cols, loose_rows, loose_size, tight_cols, tight_rows, tight_size };
        Ok(Self {
            origin,
            scene: if sim.rule_source().is_some() { "world" } else { setup.scene.name() },
            agents,
            seed: setup.seed,
            threads: run.threads,
            simd: sim.simd().name(),
            index: sim.index().name,
            solver: setup.solver_in_use().name(),
            boundary: setup.boundary.name(),
            collision_mode: setup.collisions.name(),
            steps: run.steps,
            warmup: run.warmup,
            dt: sim.dt(),
            substeps: setup.substeps_per_step(),
            density: sim.density(),
            radius: setup.radius,
            speed: setup.speed,
            gravity: setup.gravity,
            restitution: setup.restitution,
            friction: setup.friction,
            rolling: setup.rolling,
            world_file: WorldFileReport::new(sim),
            world: WorldReport { width: sim.world().width(), height: sim.world().height() },
            grid,
            step_ms,
            phases_ms: PhaseReport::new(&run.phases),
            draw_ms: run.draw.summary(),
            steps_per_s,
            agent_steps_per_s: steps_per_s.map(|rate| rate * agents as f64),
            contacts: measures.contacts,
            collisions: counters.collisions - run.before.collisions,
            tunnelled: counters.tunnelled - run.before.tunnelled,
            kinetic_energy: measures.kinetic_energy,
            momentum: measures.momentum,
            rotational_energy,
            angular_momentum,
            temperature: reading.temperature,
            pressure: reading.pressure_virial,
            collision_rate: Some(reading.collision_rate).filter(|rate| rate.is_finite()),
            max_overlap: measures.max_overlap,
            fastest: run.fastest,
            bytes: BytesReport {
                agents: bytes.agents,
                grid: bytes.grid,
                contacts: bytes.contacts,
                frame: run.frame_bytes,
                total: held + run.frame_bytes,
            },
            bytes_per_agent: held as f64 / agents.max(1) as f64,
            statics: sim.statics().len() as u64,
            spawned: counters.spawned,
            removed: counters.removed,
            refused: sim.refused_births(),
            awake: sim.awake(),
            ranks: run.ranks.map_or(1, |it| it.ranks),
            agents_per_rank: run.ranks.map(|it| it.agents),
            communication: run.ranks.and_then(|it| it.communication),
            border_rows: run.ranks.and_then(|it| it.border_rows),
            observed: sim.rule_source().is_some().then(|| ObservedReport::new(sim)),
            state_hash: format!("{:016x}", sim.state_hash()),
            hashes: run.hashes.clone(),
        })
    }
}
