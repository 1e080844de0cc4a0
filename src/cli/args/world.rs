//! The flags that define a run: WORLD in the usage of the commands.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::{
    Scene, Setup,
    error::{Field, Value},
    index::IndexKind,
    scene::{FieldValue, RunField, exact},
};

use super::{
    names::{self, SceneArg, SimdArg},
    values,
};

/// The run. A scene sets its own defaults, and a flag overrides one of them.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "World")]
pub(crate) struct WorldArgs {
    /// Number of agents: 500000, 500k, 1.5M [default: 500k]
    #[arg(long, value_name = "N", value_parser = values::agents, allow_hyphen_values = true)]
    agents: Option<u32>,
    /// Scene, or a world file FILE.toml; scenes: gas, mixed, giants, burst, sparse, pile, pegs, cannon, melee, dam, shear, shock,
    /// crystal, cooling; `jostle scenes` describes them [default: gas; in the window shear, if the
    /// other flags suit it]
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = names::scene_or_file, allow_hyphen_values = true)]
    pub(super) scene: Option<SceneArg>,
    /// Another value for a param of the world file; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::setting, allow_hyphen_values = true)]
    set: Vec<(String, f32)>,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N", help_heading = MACHINE, value_parser = values::threads, allow_hyphen_values = true)]
    threads: Option<usize>,
    /// Spatial index that finds the contacts: double-grid, linked-double-grid, loose-quadtree,
    /// quadtree, unit-grid, spatial-hash, naive
    #[arg(long, value_name = "NAME", help_heading = MACHINE, default_value = "double-grid", value_parser = names::index, allow_hyphen_values = true)]
    pub(crate) index: IndexKind,
    /// Instruction set of the kernels: auto, avx512, avx2, neon, scalar
    #[arg(long, value_name = "NAME", help_heading = MACHINE, default_value = "auto", value_parser = names::simd, allow_hyphen_values = true)]
    pub(crate) simd: SimdArg,
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    pub(crate) state: StateArgs,
    /// True if a table of agents that does not say how large its world is gets one as large as they need.
    #[arg(skip)]
    pub(crate) fits_table: bool,
}

/// Files that state what a run begins with.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "World")]
pub(crate) struct StateArgs {
    /// Begin with the agents of this table instead of placing them: x, y and any of vx, vy, radius, id,
    /// faction and health, as --export writes them; --world says how large their world is
    #[arg(long = "start", value_name = "FILE.csv|.npz", id = "start")]
    pub(crate) file: Option<PathBuf>,
    /// Walls for them: left, bottom, right and top of boxes, or x, y and radius of discs, or the ends and
    /// the radius of capsules [default: those in the NPZ, or the scene's]
    #[arg(long, value_name = "FILE.csv|.npz", requires = "start")]
    pub(crate) walls: Option<PathBuf>,
}

/// Heading of the flags that change the time of a run but, except for `--cell`, not its result.
pub(super) const MACHINE: &str = "Machine";

/// Overrides of a scene's defaults: fields of a run that flags set, each with its value.
#[derive(Clone, Debug, Default)]
pub(crate) struct StartArgs(Vec<(Field, Value)>);

/// The flag of a field of a run, which has the name of the field.
struct FieldFlag {
    field: Field,
    value_name: &'static str,
    parser: fn(&str) -> Result<Value, String>,
    help: &'static str,
}

/// Makes the table of flags.
macro_rules! flags {
    ($($field:ident $value_name:literal $parser:expr, $help:literal;)*) => {
        &[$(FieldFlag {
            field: Field::$field,
            value_name: $value_name,
            parser: |text| $parser(text).map(FieldValue::to_value),
            help: $help,
        }),*]
    };
}

/// The flags of fields, in the order of the help; number and scene have flags of their own.
const FLAGS: &[FieldFlag] = flags! {
    Radius "R|A..B" values::radius, "Radius of all agents, or the smallest and the largest, in world \
        units [default: 0.5..1.0, or the scene's]";
    Density "F" values::number, "Share of the world covered by agents; in `burst` and `sparse`, of \
        the clusters [default: 0.30, or the scene's]";
    World "WxH" values::world, "Width and height of the world, in world units [default: 16:9, sized \
        by the density]";
    Boundary "NAME" names::boundary, "What is at the borders of the world: walls, periodic (what \
        leaves on one side comes in on the opposite one), periodic-x (walls below and above) \
        [default: walls]";
    Speed "F" values::number, "Mean initial speed, in world units per second; each agent has 0.5 to \
        1.5 times that [default: 6, or the scene's]";
    Restitution "F" values::number, "Coefficient of restitution, 0 to 1, for agents and walls \
        [default: 1.0, or the scene's]";
    Friction "MU" values::number, "Coefficient of friction, 0 to 10, between agents and with walls \
        and statics; agents have a spin then, which --color-by spin shows [default: 0]";
    Rolling "F" values::number, "Coefficient of rolling resistance, 0 to 10; needs friction [default: \
        0]";
    Gravity "G" values::number, "Acceleration towards y = 0, in world units per second squared \
        [default: 0, or the scene's]";
    Hz "F" values::number, "Steps per simulated second [default: 60; where agents press on each \
        other, so many that none moves 0.9 of the smallest radius in a step]";
    Substeps "N" values::whole::<u32>, "Substeps per step, each of which finds and resolves the \
        contacts [default: 1; where agents press on each other, as many as longer steps need]";
    Solver "NAME" names::solver, "Solver of contacts: impulse is for agents that meet and part, \
        contact for agents that press on each other; auto takes contact with gravity, and in melee, \
        if restitution is below 1 [default: auto]";
    Collisions "NAME" names::collisions, "When agents collide: overlap (at the end of the step in \
        which they came to overlap), swept (at the moment when they touch; not with the contact \
        solver) [default: overlap]";
    Sleep "NAME" names::switch, "Whether the contact solver leaves out what is at rest: on, off \
        [default: on]";
    Seed "N" values::seed, "Random seed [default: 0]";
    Cell "F" values::number, "Side of a loose cell, in world units; may change the state hash \
        [default: derived from the agents]";
    Tight "N" values::whole::<u32>, "Loose cells per side of a tight cell [default: derived from the \
        agents]";
};

/// True if a flag of the same name sets the field.
pub(crate) fn is_flag(field: Field) -> bool {
    matches!(field, Field::Agents | Field::Scene | Field::Threads)
        || FLAGS.iter().any(|flag| flag.field == field)
}

/// A value as flags take it.
fn typed(value: Value) -> String {
    match value {
        Value::Span(_) => exact(value).replace(' ', ".."),
        Value::Size(_) => exact(value).replace(' ', "x"),
        Value::Switch(_) => value.to_string(),
        _ => exact(value),
    }
}

impl Args for StartArgs {
    fn augment_args(command: Command) -> Command {
        command.args(FLAGS.iter().map(|flag| {
            let is_of_machine = matches!(flag.field, Field::Cell | Field::Tight);
            let arg = Arg::new(flag.field.name())
                .long(flag.field.name())
                .value_name(flag.value_name)
                .help(flag.help)
                .help_heading(if is_of_machine { MACHINE } else { "World" })
                .allow_hyphen_values(true)
                .value_parser(flag.parser);
            let sizes = flag.field == Field::World;
            if sizes { arg.conflicts_with(Field::Density.name()) } else { arg }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for StartArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |flag: &FieldFlag| Some((flag.field, *matches.get_one(flag.field.name())?));
        Ok(Self(FLAGS.iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl WorldArgs {
    /// The set-up of the scene with the values of the flags. Whether it can be used is checked
    /// together with the memory that it takes.
    pub(crate) fn setup(&self) -> Setup {
        self.start.setup(self.named().unwrap_or(Scene::Gas), self.agents)
    }

    /// The set-up with values that a file states, as [`Self::setup`].
    pub(crate) fn setup_with(&self, known: &[(Field, Value)]) -> Setup {
        self.start.setup_with(self.named().unwrap_or(Scene::Gas), known)
    }

    /// True if a flag sets a field.
    pub(crate) fn has(&self, field: Field) -> bool {
        match field {
            Field::Agents => self.agents.is_some(),
            _ => self.start.get(field).is_some(),
        }
    }

    /// Takes a scene if none is asked for and the other flags suit it.
    pub(super) fn suggest(&mut self, scene: Scene) {
        if self.scene.is_none() && self.start.setup(scene, self.agents).validate().is_ok() {
            self.scene = Some(SceneArg::Scene(scene));
        }
    }

    /// True if a scene or a world file is asked for.
    pub(crate) fn names_scene(&self) -> bool {
        self.scene.is_some()
    }

    /// The scene that is asked for by name.
    fn named(&self) -> Option<Scene> {
        if let Some(SceneArg::Scene(scene)) = self.scene { Some(scene) } else { None }
    }

    /// The world file.
    pub(crate) fn world_file(&self) -> Option<&Path> {
        if let Some(SceneArg::File(path)) = &self.scene { Some(path) } else { None }
    }

    /// The params of the world file that are set.
    pub(crate) fn params(&self) -> &[(String, f32)] {
        &self.set
    }

    /// The fields that flags set, each with its value.
    pub(crate) fn fields(&self) -> Vec<(Field, Value)> {
        let agents = self.agents.map(|agents| (Field::Agents, Value::Count(agents.into())));
        agents.into_iter().chain(self.start.0.iter().copied()).collect()
    }

    /// The flags that were given, each with its value and the value of a set-up.
    pub(crate) fn given(&self, setup: &Setup) -> Vec<(String, String, String)> {
        let agents = self.agents.map(|agents| (Field::Agents, Value::Count(agents.into())));
        let scene = self.named().map(|scene| (Field::Scene, Value::Name(scene.name())));
        let given = agents.into_iter().chain(scene).chain(self.start.0.iter().copied());
        let saved =
            |field| RunField::find(field).map_or(Value::Missing, |entry| (entry.get)(setup));
        let fields = given.map(|(field, value)| {
            (format!("--{}", field.name()), typed(value), typed(saved(field)))
        });
        let own = || "a state of its own".to_owned();
        let files = [("--start", self.state.file.as_deref()), ("--scene", self.world_file())];
        let files = files
            .into_iter()
            .filter_map(|(flag, path)| Some((flag.to_owned(), path?.display().to_string(), own())));
        fields.chain(files).collect()
    }

    /// True if a number of worker threads is given.
    #[cfg(feature = "mpi")]
    pub(crate) fn threads_are_given(&self) -> bool {
        self.threads.is_some()
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
    /// The fields that are given, each with its value.
    pub(super) fn fields(&self) -> &[(Field, Value)] {
        &self.0
    }

    /// The given value of a field.
    pub(crate) fn get(&self, field: Field) -> Option<Value> {
        self.0.iter().find(|given| given.0 == field).map(|given| given.1)
    }

    /// Sets what an error suggests; leaves out what has no flag here.
    pub(super) fn set(&mut self, field: Field, value: Value) {
        self.0.retain(|given| given.0 != field);
        if value != Value::Missing && FLAGS.iter().any(|flag| flag.field == field) {
            self.0.push((field, value));
        }
    }

    /// As [`WorldArgs::setup_with`].
    pub(crate) fn setup_with(&self, scene: Scene, known: &[(Field, Value)]) -> Setup {
        let mut given = self.clone();
        let mut agents = None;
        for &(field, value) in known {
            match (field, value) {
                (Field::Agents, Value::Count(count)) => agents = Some(count as u32),
                _ => given.set(field, value),
            }
        }
        given.setup(scene, agents)
    }

    /// As [`WorldArgs::setup`].
    pub(super) fn setup(&self, scene: Scene, agents: Option<u32>) -> Setup {
        let mut own =
            agents.map_or_else(|| Setup::new(scene), |agents| Setup::with_agents(scene, agents));
        own.world = own.world.filter(|_| self.get(Field::Density).is_none());
        let setup = own.with(&self.0);
        // The rule for their length depends on all the rest.
        let hz = if self.get(Field::Hz).is_some() { setup.hz } else { setup.courant_hz() };
        Setup { hz, ..setup }
    }
}
