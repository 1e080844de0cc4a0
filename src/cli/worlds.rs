//! World files as the beginning of a run.

use std::path::{Path, PathBuf};

#[cfg(feature = "window")]
use crate::program::{ProgramError, ProgramResult};

use super::{
    Failure, Outcome,
    args::{StyleArgs, WorldArgs, check_color, names},
    format::{grouped, plural},
    groups, input, memory, say, sentence,
};
use crate::{
    Setup, Sim,
    error::{Field, Value},
    observe::Observable,
    raster::{ColorBy, Palette},
    rules::Formulas,
    scene::PlacementProgress,
    sim::SavedWorld,
    world::{FAULTS_MAX, TableReader, TableRequest, ViewNames, WorldFault, WorldPlan, title_of},
};

/// Seconds per step of one core from which on a rule is called slow before it runs.
pub(super) const SECONDS_MAX: f64 = 1.0;

/// Seconds per agent, and per agent and neighbor, that formulas take about
/// (`docs/measurements.md`).
const SECONDS_PER: [f64; 2] = [40e-9, 4e-9];

/// Largest file that is read, bytes.
pub(super) const BYTES_MAX: u64 = 1 << 20;

/// The beginning that a world file states.
#[derive(Debug)]
pub(super) struct StatedWorld {
    path: PathBuf,
    pub(super) plan: WorldPlan,
}

impl StatedWorld {
    /// Reads a world file as it is.
    ///
    /// # Errors
    /// If the file can't be read or is wrong.
    pub(super) fn of_file(path: &Path) -> Outcome<Self> {
        Ok(Self { path: path.to_path_buf(), plan: read(path, &[])? })
    }

    /// The files that the world file reads agents and walls from.
    pub(super) fn tables(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let source = self.plan.rules.source().into_iter();
        source.flat_map(|source| &source.tables).map(move |table| folder.join(&table.file))
    }

    /// Reads a world file, with the values of flags in place of its own.
    ///
    /// # Errors
    /// If the file can't be read or is wrong, or a flag can't be used with it.
    pub(super) fn read(path: &Path, flags: &WorldFlags<'_>) -> Outcome<Self> {
        Self::with_flags(path, read(path, flags.params)?, flags)
    }

    /// The same for the text of a world file, called `world`.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn of_text(text: &str, flags: &WorldFlags<'_>) -> Outcome<Self> {
        let path = Path::new("world");
        let plan = plan("world", text, flags.params, Some(Path::new("")));
        Self::with_flags(path, plan.map_err(|faults| refused(path, &faults))?, flags)
    }

    fn with_flags(path: &Path, mut plan: WorldPlan, flags: &WorldFlags<'_>) -> Outcome<Self> {
        let WorldFlags { fields, has_start, .. } = flags;
        let stated =
            [(Field::Density, "how large the world is"), (Field::Radius, "how large agents are")];
        let of_groups = plan.has_groups().then_some((Field::Agents, "how many agents there are"));
        let of_species = plan.has_own_speeds().then_some((Field::Speed, "how fast agents are"));
        for (field, what) in stated.into_iter().chain(of_groups).chain(of_species) {
            if fields.iter().any(|&(given, _)| given == field) {
                return Err(Failure::usage(format!(
                    "--{} has no effect, as a world file says {what}; leave it out, or change {}",
                    field.name(),
                    path.display()
                )));
            }
        }
        if *has_start {
            return Err(Failure::usage(format!(
                "--start and {} both say where agents begin; leave out --start, or name its table in the \
                 world file: [[group]] with from = \"FILE.csv\"",
                path.display()
            )));
        }
        plan.setup = plan.setup.with(fields);
        if fields.is_empty() {
            return Ok(Self { path: path.to_path_buf(), plan });
        }
        plan.settle();
        plan.claim_births();
        let faults =
            [plan.counts_fault(), plan.capacity_fault(), plan.crowd_fault(), plan.range_fault()];
        if let Some(why) = faults.into_iter().flatten().next() {
            return Err(Failure::usage(format!("{}: {why}", path.display())));
        }
        plan.check_setup().map_err(|error| Failure::usage(sentence(&error)))?;
        Ok(Self { path: path.to_path_buf(), plan })
    }

    /// Checks that the run fits into memory, as [`memory::check_saved`].
    ///
    /// # Errors
    /// If it does not.
    pub(super) fn admit(&self, beside: &dyn Fn(&Setup) -> u64, threads: usize) -> Outcome<()> {
        let Self { path, plan } = self;
        let bytes = Sim::memory_of_world(plan, &plan.setup) + beside(&plan.setup);
        let Setup { agents, spare_agents, .. } = plan.setup;
        let (room, remedy) = if plan.has_births() {
            (agents.saturating_add(spare_agents), "lower their number by `capacity`")
        } else {
            (agents, "lower their number")
        };
        memory::check_saved(bytes, threads).map_err(|[needed, available]| {
            Failure::usage(format!(
                "{} can't be started: its {} agents would take {needed}, and {available} is available; \
                 close other programs, or {remedy}",
                path.display(),
                grouped(room)
            ))
        })
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The run at its start.
    ///
    /// # Errors
    /// If the agents can't be placed, or there is not enough memory.
    pub(super) fn sim(&self) -> Outcome<Sim> {
        Sim::of_world(&self.plan, &PlacementProgress::new()).map_err(|error| {
            let Failure { status, message } = Failure::from(error);
            Failure { status, message: format!("{}: {message}", self.path.display()) }
        })
    }

    /// Says which sums are read and never there, which pairs of formulas are slow, and how many agents
    /// start inside statics.
    pub(super) fn note(&self, sim: &Sim) {
        for unheard in self.plan.formulas.unheard() {
            say(&format!("{}: {unheard}", self.path.display()));
        }
        for file in self.plan.tables_without_species() {
            say(&format!(
                "{file} has no column `species`, so that the species of its agents are drawn by the shares \
                 of [species]"
            ));
        }
        for PairCost { name, near, seconds } in costs(&self.plan.formulas, sim, 1.0) {
            if seconds > SECONDS_MAX {
                say(&format!(
                    "the pair `{name}` has about {near:.0} agents in range of one: a step takes a core \
                     about {seconds:.0} s; make its range shorter, or take fewer agents"
                ));
            }
        }
        if !self.plan.has_statics() {
            return;
        }
        let (agents, statics) = (sim.agents(), sim.statics());
        let is_inside = |slot: &usize| {
            let center = agents.get(*slot).position;
            statics.iter().any(|(_, shape)| shape.distance(center) == 0.0)
        };
        let inside = (0..agents.len()).filter(is_inside).count();
        if inside > 0 {
            say(&format!(
                "inside statics at the start: {}, pushed out of them in the first step; place groups \
                 beside the statics",
                plural(inside, "agent")
            ));
        }
    }
}

/// What flags set beside a world file.
#[derive(Default)]
pub(super) struct WorldFlags<'a> {
    pub(super) fields: Vec<(Field, Value)>,
    /// Params and cells of matrices.
    pub(super) params: &'a [(String, f32)],
    /// True if there is `--start`.
    pub(super) has_start: bool,
}

impl<'a> WorldFlags<'a> {
    pub(super) fn new(world: &'a WorldArgs) -> Self {
        let (params, has_start) = (world.params(), world.state.file.is_some());
        Self { fields: world.fields(), params, has_start }
    }
}

/// The style of flags, and where they say nothing, that of a world file.
pub(super) fn styled(plan: &WorldPlan, style: &StyleArgs) -> StyleArgs {
    let view = &plan.view;
    let of_species = (!plan.formulas.species.is_empty()).then_some(ColorBy::Species);
    let color_by = view.color_by.as_deref().and_then(|name| names::color_by(name).ok());
    // Flags may have taken away what its colors show.
    let color_by = color_by.filter(|&color_by| check_color(Some(color_by), &plan.setup).is_ok());
    let palette = view.palette.as_deref().and_then(|name| names::palette(name).ok());
    StyleArgs {
        color_by: style.color_by.or(color_by).or(of_species),
        palette: style.palette.or(palette),
        species: view.colors.clone(),
        ..style.clone()
    }
}

/// The plan of a text that a run began with. Its view may be one of another version, and is left
/// out then.
///
/// # Errors
/// Everything that is wrong with the rest.
pub(super) fn again(
    SavedWorld { name, text, settings }: &SavedWorld,
) -> Result<WorldPlan, Vec<WorldFault>> {
    plan(name, text, settings, None).or_else(|_| WorldPlan::read(name, text, settings, None))
}

/// The plan of a text, or all that is wrong with it. Tables are read if they are in a folder.
fn plan(
    name: &str,
    text: &str,
    params: &[(String, f32)],
    folder: Option<&Path>,
) -> Result<WorldPlan, Vec<WorldFault>> {
    let color_by = ColorBy::ALL.map(ColorBy::name);
    let palette = Palette::ALL.map(Palette::name);
    let observed: Vec<&str> = Observable::columns().map(|observable| observable.column).collect();
    let table = |request: TableRequest<'_>| groups::read(folder.unwrap_or(Path::new("")), request);
    let tables = folder.is_some().then_some(TableReader(&table));
    let names = ViewNames { color_by: &color_by, palette: &palette, observed: &observed, tables };
    WorldPlan::read(name, text, params, Some(names))
}

/// The text of a file that the window watches.
#[cfg(feature = "window")]
pub(super) fn text_for_window(path: &Path) -> ProgramResult<String> {
    text_of(path).map_err(|failure| ProgramError::refused(failure.message))
}

/// The text of a file.
pub(super) fn text_of(path: &Path) -> Outcome<String> {
    input::text(path, BYTES_MAX, "name a smaller file")
}

/// Reads and compiles a file.
fn read(path: &Path, params: &[(String, f32)]) -> Outcome<WorldPlan> {
    let name = title_of(path);
    let text = text_of(path)?;
    let folder = Some(path.parent().unwrap_or(Path::new("")));
    plan(&name, &text, params, folder).map_err(|faults| refused(path, &faults))
}

/// The failure for a file with faults; prints them if there are several.
pub(super) fn refused(path: &Path, faults: &[WorldFault]) -> Failure {
    let shown = |fault: &WorldFault| fault.shown(&path.display(), "--set ");
    if let [fault] = faults {
        return Failure::usage(shown(fault));
    }
    faults.iter().take(FAULTS_MAX).for_each(|fault| say(&shown(fault)));
    let count = faults.len();
    let first = if count > FAULTS_MAX {
        format!("; these are the first {FAULTS_MAX}")
    } else {
        String::new()
    };
    Failure::usage(format!("{} has {count} faults{first}; nothing was started", path.display()))
}

/// What a pair of formulas costs in a step, if agents are spread evenly.
pub(super) struct PairCost<'a> {
    pub(super) name: &'a str,
    /// Agents that are felt by one.
    pub(super) near: f64,
    /// Of one core.
    pub(super) seconds: f64,
}

/// What each pair of formulas costs in a step, with that many times as many agents as there are.
pub(super) fn costs<'a>(
    formulas: &'a Formulas,
    sim: &'a Sim,
    times: f64,
) -> impl Iterator<Item = PairCost<'a>> {
    let all = times * sim.agents().len() as f64;
    let species = sim.agents().own.as_ref().and_then(|own| own.species.as_deref());
    let count = move |of: u8| {
        species.map_or(all, |all| {
            let count = all.iter().filter(|&&one| usize::from(one) == usize::from(of)).count();
            times * count as f64
        })
    };
    let area = f64::from(sim.world().width()) * f64::from(sim.world().height());
    formulas.pairs.iter().map(move |pair| {
        let [feel, felt] = pair.between.map_or([all; 2], |both| both.map(count));
        let disc = std::f64::consts::PI * f64::from(pair.range).powi(2);
        let near = felt * (disc / area).min(1.0);
        let [per_agent, per_pair] = SECONDS_PER;
        PairCost { name: &pair.name, near, seconds: all * per_agent + feel * near * per_pair }
    })
}
