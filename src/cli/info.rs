//! `jostle info`: what is in a snapshot or a journal.

use std::{collections::BTreeMap, fmt::Write};

use serde::Serialize;

use super::{
    Outcome,
    args::InfoArgs,
    format::{bytes, four_digits, grouped, plural},
    json, print,
    report::WorldFileReport,
    snapshots::{SavedFile, SavedRun, unloadable},
};
use crate::{
    Setup, Sim, Snapshot,
    error::{Field, Value},
    journal::{FORMER_HASHES, Journal, JournalSummary},
    scene::{FIELDS, Solver, exact},
};

/// The contents of a snapshot.
#[derive(Debug, Serialize)]
struct InfoReport {
    format: u32,
    bytes: u64,
    steps: u64,
    seconds: f64,
    agents: usize,
    statics: usize,
    collisions: u64,
    spawned: u64,
    removed: u64,
    state_hash: String,
    setup: BTreeMap<&'static str, String>,
    world_file: Option<WorldFileReport>,
    sections: Vec<SectionReport>,
}

/// One section.
#[derive(Debug, Serialize)]
struct SectionReport {
    tag: String,
    count: usize,
    element: usize,
    checksum: String,
}

/// The contents of a journal.
#[derive(Debug, Serialize)]
struct JournalReport {
    bytes: usize,
    cut_off_bytes: usize,
    closed: bool,
    changes: usize,
    compared_states: usize,
    runs: Vec<RunReport>,
}

/// One run of a journal.
#[derive(Debug, Serialize)]
struct RunReport {
    last_step: u64,
    branches: Vec<String>,
    world_file: Option<String>,
    setup: BTreeMap<&'static str, String>,
}

/// Prints what is in a file.
///
/// # Errors
/// If the file can't be read, or is neither the snapshot of a run nor a journal, or stdout can't be
/// written.
pub(super) fn info(args: &InfoArgs) -> Outcome<u8> {
    match SavedFile::read(&args.file)? {
        SavedFile::Snapshot(snapshot) => of_snapshot(args, &SavedRun::new(&args.file, snapshot)?),
        SavedFile::Journal(journal) => of_journal(args, &journal),
    }
}

fn of_journal(args: &InfoArgs, journal: &Journal) -> Outcome<u8> {
    let JournalSummary { runs, edits, hashes, has_former_hashes, closed } = journal.summary();
    let setups = journal.setups().map_err(|error| unloadable(&args.file, error))?;
    let [length, cut] = journal.bytes();
    let runs = runs.iter().zip(&setups).zip(journal.branches());
    let report = JournalReport {
        bytes: length,
        cut_off_bytes: cut,
        closed: *closed,
        changes: *edits,
        compared_states: *hashes,
        runs: runs
            .map(|((&last_step, (setup, world)), branches)| RunReport {
                last_step,
                branches: branches.iter().map(ToString::to_string).collect(),
                world_file: world.clone(),
                setup: fields(setup),
            })
            .collect(),
    };
    if args.json {
        return print(&json(&report));
    }
    let mut text = String::new();
    let end = if *closed { "closed" } else { "ends abruptly" };
    // Writing to a string does not fail.
    let _ = writeln!(text, "journal       {}, {end}", bytes(length as u64));
    if cut > 0 {
        let _ = writeln!(text, "cut off       {cut} bytes at the end");
    }
    let _ = writeln!(text, "changes       {}", grouped(*edits as u64));
    let former = if *has_former_hashes { format!("; {FORMER_HASHES}") } else { String::new() };
    let _ = writeln!(text, "compared      {}{former}", plural(*hashes, "state"));
    for (run, (setup, world)) in report.runs.iter().zip(&setups) {
        let last = grouped(run.last_step);
        let _ = writeln!(text, "\nrun           up to step {last}");
        if !run.branches.is_empty() {
            let _ = writeln!(text, "branches      {}", run.branches.join(", "));
        }
        write_fields(&mut text, setup, world.as_deref());
    }
    print(&text)
}

/// Restores the run, so that all of it is checked, and prints what it is.
fn of_snapshot(args: &InfoArgs, run: &SavedRun) -> Outcome<u8> {
    run.admit(&|_| 0, rayon::current_num_threads())?;
    let sim = run.sim()?;
    let report = InfoReport::new(&run.snapshot, &sim);
    print(&if args.json { json(&report) } else { text(&report, &sim) })
}

impl InfoReport {
    fn new(snapshot: &Snapshot, sim: &Sim) -> Self {
        let counters = sim.counters();
        let sections = snapshot.sections().iter().map(|section| SectionReport {
            tag: section.tag.clone(),
            count: section.count,
            element: section.element,
            checksum: format!("{:016x}", section.checksum),
        });
        Self {
            format: snapshot.format(),
            bytes: snapshot.as_bytes().len() as u64,
            steps: sim.steps(),
            seconds: sim.steps() as f64 / f64::from(sim.setup().hz),
            agents: sim.agents().len(),
            statics: sim.statics().len(),
            collisions: counters.collisions,
            spawned: counters.spawned,
            removed: counters.removed,
            state_hash: format!("{:016x}", sim.state_hash()),
            setup: fields(sim.setup()),
            world_file: WorldFileReport::new(sim),
            sections: sections.collect(),
        }
    }
}

fn text(report: &InfoReport, sim: &Sim) -> String {
    let mut text = String::new();
    let InfoReport { format, steps, agents, statics, state_hash, .. } = report;
    let steps = grouped(*steps);
    let (agents, statics) = (plural(*agents, "agent"), plural(*statics, "static"));
    let seconds = four_digits(report.seconds as f32);
    // Writing to a string does not fail.
    let _ = writeln!(text, "snapshot      format {format}, {}", bytes(report.bytes));
    let _ = writeln!(text, "state         {agents}, {statics}, step {steps}, {seconds} s");
    let _ = writeln!(text, "state hash    {state_hash}");
    let file = report.world_file.as_ref();
    for (name, value) in file.iter().flat_map(|file| &file.params) {
        let _ = writeln!(text, "param         {name} = {value}");
    }
    write_fields(&mut text, sim.setup(), file.map(|file| &*file.name));
    for SectionReport { tag, count, element, checksum } in &report.sections {
        let count = grouped(*count as u64);
        let _ = writeln!(text, "section       {tag:16} {count:>12} x {element}  {checksum}");
    }
    text
}

/// The fields of a set-up by their names.
fn fields(setup: &Setup) -> BTreeMap<&'static str, String> {
    FIELDS.iter().map(|entry| (entry.field.name(), exact((entry.get)(setup)))).collect()
}

/// Appends a line for each field of a set-up; what was not given, with what it follows from. A
/// world file takes the place of the scene.
fn write_fields(text: &mut String, setup: &Setup, world_file: Option<&str>) {
    // The set-up of a journal may be one that no run begins with.
    let known = setup.validate().is_ok();
    for entry in FIELDS {
        let value = (entry.get)(setup);
        let meaning = match (entry.field, value) {
            (Field::Scene, _) if world_file.is_some() => {
                format!("{}, a world file", world_file.unwrap_or_default())
            }
            (Field::World, Value::Missing) if known => {
                let size = setup.world().size();
                format!(
                    "{} x {}, from agents and density",
                    four_digits(size.x),
                    four_digits(size.y)
                )
            }
            (Field::World, Value::Missing) => "from agents and density".to_owned(),
            (Field::World, Value::Size(size)) => format!("{} x {}", size.x, size.y),
            (Field::Radius, Value::Span([low, high])) if low == high => low.to_string(),
            (Field::Radius, Value::Span([low, high])) => format!("{low} to {high}"),
            (Field::Substeps, Value::Missing) if known => {
                format!("{}, from solver and hz", setup.substeps_per_step())
            }
            (Field::Substeps, Value::Missing) => "from solver and hz".to_owned(),
            (_, Value::Missing) => "from radii and density".to_owned(),
            (Field::Solver, _) if setup.solver == Solver::Auto => {
                format!("{}, from scene and gravity", setup.solver_in_use().name())
            }
            (_, value) => exact(value),
        };
        let _ = writeln!(text, "{:13} {meaning}", entry.field.name());
    }
}
