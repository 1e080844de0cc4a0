//! `jostle info`: what is in a snapshot.

use std::fmt::Write;

use serde::Serialize;

use super::{
    Outcome,
    args::InfoArgs,
    format::{bytes, four_digits, grouped, plural},
    json, print,
    snapshots::{self, Beginning},
};
use crate::{Sim, Snapshot};

/// What is in a snapshot.
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
    setup: std::collections::BTreeMap<String, String>,
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

/// Restores the run, so that all of it is checked, and prints what it is.
///
/// # Errors
/// If the file can't be read, or is not the snapshot of a run, or stdout can't be written.
pub(super) fn info(args: &InfoArgs) -> Outcome<u8> {
    let snapshot = snapshots::read(&args.file)?;
    let beginning = Beginning::saved(&args.file, snapshot)?;
    beginning.admit(&|_| 0, rayon::current_num_threads())?;
    let sim = beginning.sim()?;
    let Beginning::Saved(_, snapshot, _) = beginning else { unreachable!("it is a saved one") };
    let report = InfoReport::new(&snapshot, &sim);
    print(&if args.json { json(&report) } else { text(&report, &sim) })
}

impl InfoReport {
    fn new(snapshot: &Snapshot, sim: &Sim) -> Self {
        let counters = sim.counters();
        let lines = sim.setup().to_text();
        let fields = lines.lines().filter_map(|line| line.split_once(" = "));
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
            setup: fields.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            sections: sections.collect(),
        }
    }
}

fn text(report: &InfoReport, sim: &Sim) -> String {
    let mut text = String::new();
    let InfoReport { format, steps, agents, statics, state_hash, .. } = report;
    let (agents, statics) = (plural(*agents, "agent"), plural(*statics, "static"));
    let seconds = four_digits(report.seconds as f32);
    // Writing to a string does not fail.
    let _ = writeln!(text, "snapshot      format {format}, {}", bytes(report.bytes));
    let _ = writeln!(text, "state         {agents}, {statics}, step {steps}, {seconds} s");
    let _ = writeln!(text, "state hash    {state_hash}");
    for line in sim.setup().to_text().lines() {
        let (key, value) = line.split_once(" = ").unwrap_or((line, ""));
        let _ = writeln!(text, "{key:13} {value}");
    }
    for SectionReport { tag, count, element, checksum } in &report.sections {
        let count = grouped(*count as u64);
        let _ = writeln!(text, "section       {tag:16} {count:>12} x {element}  {checksum}");
    }
    text
}
