//! The flags of `bench`: what it compares, how long it measures, what it prints.

use std::{collections::BTreeSet, path::PathBuf};

use clap::{ArgAction, Args};

use crate::{
    Boundary, Scene, Setup,
    cli::{Outcome, output},
    error::{Field, Value},
    index::IndexKind,
};

use super::{
    names::{self, InputOrder, SceneArg, SimdArg},
    values,
    world::{MACHINE, StartArgs, StateArgs},
};

/// Numbers of agents of scenes where none are given.
const AGENTS: [u32; 4] = [1_000, 10_000, 100_000, 500_000];

/// `jostle bench`: it compares every combination of indexes, agents, threads and scenes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Compared")]
pub(crate) struct BenchArgs {
    /// Indexes, separated by commas: all, double-grid, linked-double-grid, loose-quadtree,
    /// quadtree, unit-grid, spatial-hash, naive
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = names::indexes, value_delimiter = ',', action = ArgAction::Set, allow_hyphen_values = true)]
    index: Vec<Vec<IndexKind>>,
    /// Numbers of agents: 1k,10k,100k; a comma begins the next number [default: 1k,10k,100k,500k, or
    /// those of the world file]
    #[arg(long, value_name = "N,N", conflicts_with = "start", value_parser = values::listed_agents, value_delimiter = ',', action = ArgAction::Set, allow_hyphen_values = true)]
    agents: Vec<u32>,
    /// Numbers of worker threads: 1,2; a sequential index uses one
    #[arg(long, value_name = "N,N", default_value = "1", value_parser = values::threads, value_delimiter = ',', action = ArgAction::Set, allow_hyphen_values = true)]
    threads: Vec<usize>,
    /// Scenes and world files: all scenes, or some of them: gas,mixed,boids.toml
    #[arg(long, value_name = "NAMES|FILE.toml", default_value = "gas", value_parser = names::scenes, value_delimiter = ',', action = ArgAction::Set, allow_hyphen_values = true)]
    scene: Vec<Vec<SceneArg>>,
    /// Another value for a param of the world file; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::setting, allow_hyphen_values = true)]
    set: Vec<(String, f32)>,
    /// Order in which an index gets the agents: id, which is random in space, or cell, in which
    /// neighbors in space were neighbors in memory when the measurement began
    #[arg(long, value_name = "ORDER", default_value = "id", value_parser = names::input, allow_hyphen_values = true)]
    pub(crate) input: InputOrder,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    #[command(flatten)]
    pub(crate) state: StateArgs,
    /// Instruction set of the kernels: auto, avx512, avx2, neon, scalar
    #[arg(long, value_name = "NAME", help_heading = MACHINE, display_order = 0, default_value = "auto", value_parser = names::simd, allow_hyphen_values = true)]
    pub(crate) simd: SimdArg,
    /// Steps per repeat
    #[arg(long, value_name = "N", help_heading = "Length", default_value = "20", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) steps: u64,
    /// Repeats; each continues where the one before it ended
    #[arg(long, value_name = "N", help_heading = "Length", default_value = "3", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) repeats: u64,
    /// Steps before them that are not measured
    #[arg(long, value_name = "N", help_heading = "Length", default_value = "100", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) warmup: u64,
    /// Skip an index predicted to take longer than this many seconds per step of more than 4k
    /// agents
    #[arg(long, value_name = "SECONDS", help_heading = "Length", default_value = "2", value_parser = values::seconds, allow_hyphen_values = true)]
    pub(crate) limit: f64,
    /// Compare the states of all simulations after every N steps, too, and name the first step after which
    /// one differs; --json has the hashes
    #[arg(long, value_name = "N", help_heading = "Output", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) hash_every: Option<u64>,
    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output", conflicts_with_all = ["csv", "markdown"])]
    pub(crate) json: bool,
    /// Print CSV instead of a table
    #[arg(long, help_heading = "Output", conflicts_with = "markdown")]
    pub(crate) csv: bool,
    /// Print a table in Markdown
    #[arg(long, help_heading = "Output")]
    pub(crate) markdown: bool,
    /// Write a chart of milliseconds over agents, both logarithmic, to this file; - for
    /// stdout
    #[arg(long, value_name = "FILE.svg|-", help_heading = "Output")]
    pub(crate) svg: Option<PathBuf>,
}

impl BenchArgs {
    /// The indexes in the given order, each once.
    pub(crate) fn indexes(&self) -> Vec<IndexKind> {
        each_once(self.index.iter().flatten().copied())
    }

    /// The scenes in the given order, each once.
    pub(crate) fn scenes(&self) -> Vec<SceneArg> {
        each_once(self.scene.iter().flatten().cloned())
    }

    /// The scenes among them that have names.
    pub(crate) fn named_scenes(&self) -> impl Iterator<Item = Scene> {
        let name = |scene| if let SceneArg::Scene(scene) = scene { Some(scene) } else { None };
        self.scenes().into_iter().filter_map(name)
    }

    /// The params of world files that are set.
    pub(crate) fn params(&self) -> &[(String, f32)] {
        &self.set
    }

    /// The numbers of agents, ascending.
    pub(crate) fn agents(&self) -> BTreeSet<u32> {
        let given = self.agents.iter().copied();
        if self.agents.is_empty() { AGENTS.into() } else { given.collect() }
    }

    /// For each case of a world file, the fields that flags set: with each number of agents that is
    /// given, or with that of the file.
    pub(crate) fn fields_of_cases(&self) -> Vec<Vec<(Field, Value)>> {
        let fields = self.start.fields();
        if self.agents.is_empty() {
            return vec![fields.to_vec()];
        }
        let with = |agents: u32| {
            let agents = (Field::Agents, Value::Count(agents.into()));
            [agents].into_iter().chain(fields.iter().copied()).collect()
        };
        self.agents().into_iter().map(with).collect()
    }

    /// The numbers of threads, ascending.
    pub(crate) fn threads(&self) -> BTreeSet<usize> {
        self.threads.iter().copied().collect()
    }

    /// True if stdout gets the chart, so that the table can't go there.
    ///
    /// # Errors
    /// A usage error if stdout would get both.
    pub(crate) fn stdout_is_taken(&self) -> Outcome<bool> {
        output::stdout_taker(&[
            ("--json", self.json),
            ("--csv", self.csv),
            ("--markdown", self.markdown),
            ("--svg -", self.svg.as_deref().is_some_and(output::is_stdout)),
        ])
    }

    /// Sets what an error suggests; leaves what no scene suggests.
    pub(crate) fn set(&mut self, field: Field, value: Value) {
        match (field, value) {
            (Field::Agents, Value::Count(agents)) => self.agents = vec![agents as u32],
            (field, value) => self.start.set(field, value),
        }
    }

    /// The set-up of one case, as [`super::WorldArgs::setup`], in a world with walls.
    pub(crate) fn setup(&self, scene: Scene, agents: u32) -> Setup {
        self.setup_with(scene, &[(Field::Agents, Value::Count(agents.into()))])
    }

    /// The set-up with values that a file states.
    pub(crate) fn setup_with(&self, scene: Scene, known: &[(Field, Value)]) -> Setup {
        Setup { boundary: Boundary::Walls, ..self.start.setup_with(scene, known) }
    }
}

/// The values in their order, each once.
pub(crate) fn each_once<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for value in values {
        if !once.contains(&value) {
            once.push(value);
        }
    }
    once
}
