//! `jostle check world FILE.toml`: what a world file says, and what it will cost.

use std::{
    fmt::Write,
    path::Path,
    time::{Duration, Instant},
};

use super::super::{
    Outcome,
    args::{check_color, names},
    format::{bytes, four_digits, grouped, plural},
    print, say,
    worlds::{PairCost, SECONDS_MAX, StatedWorld, costs},
};
use crate::{
    Setup, Sim,
    parallel::pool,
    rules::{AgentFormulas, Formulas, ObservedFormula},
    statics::Static,
    world::WorldPlan,
};

/// Lines of a report, each with a name.
struct WorldLines(String);

impl WorldLines {
    fn add(&mut self, name: &str, value: impl AsRef<str>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{name:<10} {}", value.as_ref());
    }
}

/// Prints what a file says, and what it will cost.
///
/// # Errors
/// If the file can't be read or is wrong, the agents can't be placed, or a step fails.
pub(super) fn check(path: &Path, threads: usize) -> Outcome<u8> {
    let stated = StatedWorld::of_file(path)?;
    stated.admit(&|_| 0, threads)?;
    let pool = pool(threads)?;
    // What a run would refuse is refused here, too.
    let mut sim = pool.install(|| stated.sim())?;
    stated.note(&sim);
    let plan = &stated.plan;
    for unused in plan.unused() {
        say(&format!("{}: {unused}", path.display()));
    }
    let WorldPlan { setup, formulas, .. } = plan;
    let color_by = plan.view.color_by.as_deref().and_then(|name| names::color_by(name).ok());
    check_color(color_by, setup)?;
    let mut lines = WorldLines(String::new());
    start(&mut lines, plan, &sim);
    motion(&mut lines, setup, formulas);
    values(&mut lines, formulas, &sim);
    let mut slow = false;
    for (pair, PairCost { name, near, seconds }) in
        formulas.pairs.iter().zip(costs(formulas, &sim, 1.0))
    {
        let sums: Vec<&str> = pair.sums.iter().map(|(name, _)| name.as_str()).collect();
        let near =
            format!("about {} agents in range if they are spread evenly", four_digits(near as f32));
        let named = |of: u8| formulas.species.get(usize::from(of)).map_or("", String::as_str);
        let between = pair.between.map_or(String::new(), |[feels, felt]| {
            format!(", {} feel {}", named(feels), named(felt))
        });
        let mut does = Vec::new();
        does.extend((!sums.is_empty()).then(|| format!(", sums {}", sums.join(", "))));
        let picks = pair.pick.as_ref();
        does.extend(picks.map(|(name, formula)| format!(", picks {name} by {}", formula.text)));
        let text = format!("{name}: range {}{between}{}; {near}", pair.range, does.concat());
        lines.add("pair", text);
        slow |= seconds > SECONDS_MAX;
    }
    if plan.has_births() && !formulas.pairs.is_empty() {
        let most = plan.births_max(setup.agents);
        let times = f64::from(most) / f64::from(setup.agents.max(1));
        let seconds: f64 = costs(formulas, &sim, times).map(|cost| cost.seconds).sum();
        let seconds = four_digits(seconds as f32);
        let most = grouped(most);
        lines.add("pairs", format!("{seconds} s of a core per step with all {most} agents"));
    }
    for agents in &formulas.agents {
        rules(&mut lines, agents, formulas);
    }
    for ObservedFormula { name, formula, species, fold } in &plan.observed {
        let of = formula.as_ref().map_or("agents", |formula| formula.text.as_str());
        let species = species.and_then(|species| formulas.species.get(usize::from(species)));
        let over = species.map_or(String::new(), |species| format!(" over {species}"));
        lines.add("observed", format!("{name}: {fold} of {of}{over}"));
    }
    lines.add("memory", bytes(Sim::memory_of_world(plan, setup)));
    // A step of a slow rule is predicted above, and not waited for.
    if !slow {
        let took = pool.install(|| step_time(&mut sim))?.as_secs_f64();
        let core = if threads == 1 { "one thread" } else { &format!("{threads} threads") };
        let ms = four_digits(1e3 * took as f32);
        lines.add("step", format!("{ms} ms at the start, with {core} of this machine"));
    }
    print(&lines.0)
}

/// The world, and where its agents begin.
fn start(lines: &mut WorldLines, plan: &WorldPlan, sim: &Sim) {
    let WorldPlan { setup, formulas, .. } = plan;
    let size = sim.world().size();
    let scene = plan.scene().map_or(String::new(), |scene| format!(", begins as {scene}"));
    lines.add("world", format!("{} x {}, {}{scene}", size.x, size.y, setup.boundary));
    lines.add("agents", grouped(sim.agents().len() as u64));
    if plan.has_births() {
        lines.add(
            "born",
            format!("up to {}", plural(plan.births_max(setup.agents) as usize, "agent")),
        );
    }
    plan.groups_shown().for_each(|group| lines.add("group", group));
    let count =
        |is: fn(&Static) -> bool| sim.statics().iter().filter(|(_, shape)| is(shape)).count();
    let discs = count(|shape| matches!(shape, Static::Disc(_)));
    let boxes = count(|shape| matches!(shape, Static::Box(_)));
    let capsules = count(|shape| matches!(shape, Static::Capsule { .. }));
    let kinds = [
        (discs, plural(discs, "disc")),
        (boxes, if boxes == 1 { "1 box".to_owned() } else { format!("{boxes} boxes") }),
        (capsules, plural(capsules, "slanted wall")),
    ];
    let kinds: Vec<_> =
        kinds.into_iter().filter(|&(count, _)| count > 0).map(|(_, text)| text).collect();
    if !kinds.is_empty() {
        lines.add("statics", kinds.join(", "));
    }
    let [low, high] = setup.radius.map(four_digits);
    let radius = if low == high { low.to_string() } else { format!("{low} to {high}") };
    lines.add("radius", radius);
    if let Some(species) = sim.agents().own.as_ref().and_then(|own| own.species.as_ref()) {
        for (of, name) in formulas.species.iter().enumerate() {
            let count = species.iter().filter(|&&one| usize::from(one) == of).count();
            let start = plan.species_shown(of);
            lines.add("species", format!("{name}: {}{start}", grouped(count as u64)));
        }
    }
}

/// Steps, collisions and what else moves agents without a rule.
fn motion(lines: &mut WorldLines, setup: &Setup, formulas: &Formulas) {
    let Setup { speed, restitution, friction, rolling, gravity, hz, seed, .. } = *setup;
    let substeps = plural(setup.substeps_per_step() as usize, "substep");
    lines.add("time", format!("{hz} steps per second of {substeps}, seed {seed}"));
    if formulas.without_collisions {
        lines.add("collisions", "none");
    } else {
        let solver = setup.solver_in_use();
        let mut text = format!("{}, {solver} solver, restitution {restitution}", setup.collisions);
        for (name, value) in [("friction", friction), ("rolling", rolling)] {
            if value > 0.0 {
                // Writing to a string does not fail.
                let _ = write!(text, ", {name} {value}");
            }
        }
        lines.add("collisions", text);
    }
    for (name, value) in [("speed", speed), ("gravity", gravity)] {
        if value != 0.0 {
            lines.add(name, value.to_string());
        }
    }
}

/// The names that formulas may use.
fn values(lines: &mut WorldLines, formulas: &Formulas, sim: &Sim) {
    for name in &formulas.columns {
        lines.add("column", name);
    }
    for (name, value) in &formulas.params {
        lines.add("param", format!("{name} = {value}"));
    }
    for matrix in sim.rule_source().iter().flat_map(|source| &source.values.matrices) {
        lines.add("matrix", format!("{}: {} x {1}", matrix.name, matrix.rows.len()));
    }
    for (name, points) in &formulas.tables {
        lines.add("table", format!("{name}: {}", plural(points.len(), "point")));
    }
}

/// What agents do.
fn rules(lines: &mut WorldLines, agents: &AgentFormulas, formulas: &Formulas) {
    let name = |of: u8| formulas.species.get(usize::from(of)).map_or("", String::as_str);
    let of = agents.species.map_or("all", name);
    let AgentFormulas { velocity, acceleration, drag, speed_max, set, becomes, dies, .. } = agents;
    let both = [("velocity", velocity), ("acceleration", acceleration)];
    for (key, pair) in both {
        if let Some([x, y]) = pair {
            lines.add("agent", format!("{of}: {key} {}, {}", x.text, y.text));
        }
    }
    let single = [("drag", drag), ("speed_max", speed_max), ("dies if", dies)];
    for (key, formula) in single {
        if let Some(formula) = formula {
            lines.add("agent", format!("{of}: {key} {}", formula.text));
        }
    }
    for (column, formula) in set {
        lines.add("agent", format!("{of}: {column} = {}", formula.text));
    }
    for (species, formula) in becomes {
        lines.add("agent", format!("{of}: becomes {} if {}", name(*species), formula.text));
    }
    for birth in &agents.births {
        lines.add("births", format!("{} of {of}: {}", name(birth.species), birth.number.text));
    }
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
