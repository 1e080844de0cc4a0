//! World files as the beginning of a run, and `jostle check world`.

use std::{
    fmt::Write,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{
    Failure, Outcome,
    args::{StyleArgs, WorldArgs, names},
    format::{bytes, four_digits, grouped},
    input::unreadable,
    memory, print, say, sentence,
};
use crate::{
    Setup, Sim,
    agents::Agents,
    error::Field,
    parallel::pool,
    raster::{ColorBy, Palette},
    rules::Formulas,
    scene::Start,
    world::{FAULTS_MAX, ViewNames, WorldFault, WorldPlan},
};

/// Seconds per step of one core from which on a rule is called slow before it runs.
const SECONDS_MAX: f64 = 1.0;

/// Seconds per agent, and per agent and neighbor, that formulas take about (`docs/measurements.md`).
const SECONDS_PER: [f64; 2] = [40e-9, 4e-9];

/// Largest file that is read, bytes.
const BYTES_MAX: u64 = 1 << 20;

/// The beginning that a world file states.
#[derive(Debug)]
pub(super) struct StatedWorld {
    path: PathBuf,
    pub(super) plan: WorldPlan,
}

impl StatedWorld {
    /// Reads a world file, with the values of flags in place of its own.
    ///
    /// # Errors
    /// If the file can't be read or is wrong, or a flag can't be used with it.
    pub(super) fn read(path: &Path, world: &WorldArgs) -> Outcome<Self> {
        let mut plan = read(path, world.params())?;
        let fields = world.fields();
        let stated =
            [(Field::Density, "how large the world is"), (Field::Radius, "how large agents are")];
        let of_groups = plan.has_groups().then_some((Field::Agents, "how many agents there are"));
        for (field, what) in stated.into_iter().chain(of_groups) {
            if world.has(field) {
                return Err(Failure::usage(format!(
                    "--{} has no effect, as {} says {what}; leave it out",
                    field.name(),
                    path.display()
                )));
            }
        }
        if world.state.file.is_some() {
            return Err(Failure::usage(format!(
                "--start and --scene {} both say where agents begin; leave out one of them",
                path.display()
            )));
        }
        plan.setup = plan.setup.with(&fields);
        if fields.is_empty() {
            return Ok(Self { path: path.to_path_buf(), plan });
        }
        let checked = if plan.has_groups() { plan.setup.numbers() } else { plan.setup.validate() };
        checked.map_err(|error| Failure::usage(sentence(&error)))?;
        Ok(Self { path: path.to_path_buf(), plan })
    }

    /// Checks that the run fits into memory, as [`memory::check_saved`].
    ///
    /// # Errors
    /// If it does not.
    pub(super) fn admit(&self, beside: &dyn Fn(&Setup) -> u64, threads: usize) -> Outcome<()> {
        let Self { path, plan } = self;
        let bytes = plan_bytes(plan) + beside(&plan.setup);
        memory::check_saved(bytes, threads).map_err(|[needed, available]| {
            Failure::usage(format!(
                "{} can't be started: its {} agents would take {needed}, and {available} is available; \
                 close other programs, or lower their number",
                path.display(),
                grouped(plan.setup.agents)
            ))
        })
    }

    /// The run at its start.
    ///
    /// # Errors
    /// If the agents can't be placed, or there is not enough memory.
    pub(super) fn sim(&self) -> crate::Result<Sim> {
        let start = self.plan.start()?;
        let Start { agents, statics, .. } = &start;
        let is_inside = |slot: &usize| {
            let center = agents.get(*slot).position;
            statics.iter().any(|shape| shape.distance(center) == 0.0)
        };
        let inside = (0..agents.len()).filter(is_inside).count();
        if inside > 0 {
            say(&format!(
                "{} agents start inside statics, and are pushed out of them in the first step; place \
                 groups beside the statics",
                grouped(inside as u64)
            ));
        }
        for PairCost { name, near, seconds } in costs(&self.plan.formulas, &start) {
            if seconds > SECONDS_MAX {
                say(&format!(
                    "the pair `{name}` has about {near:.0} agents in range of one: a step takes a core \
                     about {seconds:.0} s; make its range shorter, or take fewer agents"
                ));
            }
        }
        let mut sim = Sim::from_start(&self.plan.setup, start)?;
        sim.set_rules(self.plan.rules.clone())?;
        Ok(sim)
    }
}

/// The style of flags, and where they say nothing, that of a world file.
pub(super) fn styled(plan: &WorldPlan, style: &StyleArgs) -> StyleArgs {
    let view = &plan.view;
    let of_species = (!plan.formulas.species.is_empty()).then_some(ColorBy::Species);
    let color_by = view.color_by.as_deref().and_then(|name| names::color_by(name).ok());
    let palette = view.palette.as_deref().and_then(|name| names::palette(name).ok());
    StyleArgs {
        color_by: style.color_by.or(color_by).or(of_species),
        palette: style.palette.or(palette),
        ..style.clone()
    }
}

/// The plan of a text that a run began with.
pub(super) fn again(text: &str, params: &[(String, f32)]) -> Option<WorldPlan> {
    plan(text, params).ok()
}

/// The plan of a text, or all that is wrong with it.
fn plan(text: &str, params: &[(String, f32)]) -> Result<WorldPlan, Vec<WorldFault>> {
    let color_by = ColorBy::ALL.map(ColorBy::name);
    let palette = Palette::ALL.map(Palette::name);
    WorldPlan::read(text, params, Some(ViewNames { color_by: &color_by, palette: &palette }))
}

/// Bytes that a run of a file takes, with a copy of its start.
fn plan_bytes(plan: &WorldPlan) -> u64 {
    let agents = plan.setup.agents as usize;
    let copies = 2 * Agents::memory_for(agents, false) as u64;
    let sums: usize = plan.formulas.pairs.iter().map(|pair| pair.sums.len()).sum();
    let own = 4 * (plan.formulas.columns.len() + sums) as u64 + 2;
    Sim::memory_for(&plan.setup) + copies + own * u64::from(plan.setup.agents)
}

/// Reads and compiles a file.
fn read(path: &Path, params: &[(String, f32)]) -> Outcome<WorldPlan> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_string(&mut text));
    match read {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Err(Failure::usage(format!(
                "{} can't be used: it is not text in UTF-8; save it as such",
                path.display()
            )));
        }
        Err(error) => return Err(unreadable(path, &error)),
        Ok(length) if length as u64 > BYTES_MAX => {
            return Err(Failure::usage(format!(
                "{} can't be used: it is larger than {} bytes; name a world file",
                path.display(),
                grouped(BYTES_MAX)
            )));
        }
        Ok(_) => {}
    }
    plan(&text, params).map_err(|faults| {
        let shown = |fault: &dyn std::fmt::Display| format!("{}:{fault}", path.display());
        if let [fault] = &faults[..] {
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
    })
}

/// What a pair of formulas costs in a step, if agents are spread evenly.
struct PairCost<'a> {
    name: &'a str,
    /// Agents that are felt by one.
    near: f64,
    /// Of one core.
    seconds: f64,
}

/// What each pair of formulas costs in a step.
fn costs<'a>(formulas: &'a Formulas, start: &'a Start) -> impl Iterator<Item = PairCost<'a>> {
    let all = start.agents.len() as f64;
    let species = start.agents.own.as_ref().and_then(|own| own.species.as_deref());
    let count = move |of: u8| {
        species.map_or(all, |all| {
            all.iter().filter(|&&one| usize::from(one) == usize::from(of)).count() as f64
        })
    };
    let area = f64::from(start.world.width()) * f64::from(start.world.height());
    formulas.pairs.iter().map(move |pair| {
        let [feel, felt] = pair.between.map_or([all; 2], |both| both.map(count));
        let near = std::f64::consts::PI * f64::from(pair.range).powi(2) * felt / area;
        let [per_agent, per_pair] = SECONDS_PER;
        PairCost { name: &pair.name, near, seconds: all * per_agent + feel * near * per_pair }
    })
}

/// The least time of a step: of the first ones, in about a second.
fn step_time(sim: &mut Sim) -> crate::Result<Duration> {
    let (begun, mut least) = (Instant::now(), Duration::MAX);
    for _ in 0..20 {
        let step = Instant::now();
        sim.step()?;
        least = least.min(step.elapsed());
        if begun.elapsed().as_secs_f64() > SECONDS_MAX {
            break;
        }
    }
    Ok(least)
}

/// `jostle check world FILE.toml`: prints what a file says, and what it will cost.
///
/// # Errors
/// If the file can't be read or is wrong, the agents can't be placed, or a step fails.
pub(super) fn check(path: &Path, threads: usize) -> Outcome<u8> {
    let stated = StatedWorld { path: path.to_path_buf(), plan: read(path, &[])? };
    stated.admit(&|_| 0, threads)?;
    let pool = pool(threads)?;
    // What a run would refuse is refused here, too.
    let mut sim = pool.install(|| stated.sim())?;
    let plan = &stated.plan;
    let start = plan.start()?;
    let WorldPlan { setup, formulas, .. } = plan;
    let size = start.world.size();
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line("world", format!("{} x {}, {}", size.x, size.y, setup.boundary));
    line("agents", grouped(start.agents.len() as u64));
    let [low, high] = setup.radius;
    line("radius", format!("{} to {}", four_digits(low), four_digits(high)));
    line("collisions", if formulas.without_collisions { "none" } else { "yes" }.to_owned());
    if let Some(species) = start.agents.own.as_ref().and_then(|own| own.species.as_ref()) {
        for (of, name) in formulas.species.iter().enumerate() {
            let count = species.iter().filter(|&&one| usize::from(one) == of).count();
            line("species", format!("{name}: {}", grouped(count as u64)));
        }
    }
    for name in &formulas.columns {
        line("column", name.clone());
    }
    for (name, value) in &formulas.params {
        line("param", format!("{name} = {value}"));
    }
    let mut slow = false;
    for (pair, PairCost { name, near, seconds }) in
        formulas.pairs.iter().zip(costs(formulas, &start))
    {
        let sums: Vec<&str> = pair.sums.iter().map(|(name, _)| name.as_str()).collect();
        let near =
            format!("about {} agents in range if they are spread evenly", four_digits(near as f32));
        line("pair", format!("{name}: range {}, sums {}; {near}", pair.range, sums.join(", ")));
        slow |= seconds > SECONDS_MAX;
    }
    // A step of a slow rule is predicted above, and not waited for.
    if !slow {
        let took = pool.install(|| step_time(&mut sim))?.as_secs_f64();
        let core = if threads == 1 { "one thread" } else { &format!("{threads} threads") };
        line(
            "step",
            format!(
                "{} ms at the start, with {core} of this machine",
                four_digits(1e3 * took as f32)
            ),
        );
    }
    line("memory", bytes(plan_bytes(plan)));
    print(&text)
}
