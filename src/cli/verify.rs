//! `jostle verify`: whether two snapshots hold the same state of a run, or two journals lead to the
//! same states, and where they first differ.
//!
//! Differences are looked for from the cause to the effect: the set-up, the step, the agents by their
//! ids, then the sections in the order of the file. Start colors, the random numbers of a window's
//! tools and the list of contacts that was found last are no state of the run. Journals are replayed side by side, and compared after each step.

use std::{collections::BTreeMap, path::Path, thread};

use super::{
    DIFFERENT, Failure, Outcome,
    args::VerifyArgs,
    format, interrupt, print,
    replays::{ReplayedFile, Turn},
    snapshots::{Beginning, SavedFile, SavedRun},
};
use crate::{
    Sim, Snapshot,
    agents::{Agents, Units},
    parallel::pool,
};

/// Compares two files, and prints that they are the same or where they first differ.
///
/// # Errors
/// If a file can't be read, or is neither the snapshot of a run nor a journal, or one is a snapshot
/// and the other a journal, or stdout can't be written.
pub(super) fn verify(args: &VerifyArgs) -> Outcome<u8> {
    let [first, second] = [&args.first, &args.second];
    let names = format!("{} and {}", first.display(), second.display());
    let names = format::printable(&names);
    let (same, difference) = match (SavedFile::read(first)?, SavedFile::read(second)?) {
        (SavedFile::Snapshot(one), SavedFile::Snapshot(other)) => {
            let (one, other) = (State::restore(first, one)?, State::restore(second, other)?);
            let same = format!("hold the same state, after step {}", one.sim.steps());
            (same, one.difference(&other))
        }
        (SavedFile::Journal(one), SavedFile::Journal(other)) => {
            let same = format!("lead to the same states: {}", one.summary());
            let files = (ReplayedFile::new(first, one)?, ReplayedFile::new(second, other)?);
            let pool = pool(thread::available_parallelism().map_or(1, usize::from))?;
            (same, pool.install(|| journals(files))?)
        }
        _ => {
            return Err(Failure::usage(format!(
                "{names} can't be compared: one is a snapshot and the other a journal; name two files \
                 of a kind"
            )));
        }
    };
    let Some(difference) = difference else { return print(&format!("{names} {same}\n")) };
    print(&format!("{names} differ: {difference}\n"))?;
    Ok(DIFFERENT)
}

/// Replays two journals side by side, and returns their first difference.
fn journals((mut one, mut other): (ReplayedFile, ReplayedFile)) -> Outcome<Option<String>> {
    let mut sims = [begun(&one.begin()?)?, begun(&other.begin()?)?];
    let mut runs = 1;
    while interrupt::asked().is_none() {
        let [ours, theirs] = &mut sims;
        let nexts = (one.next(ours)?, other.next(theirs)?);
        let which = |difference: String| {
            if runs > 1 { format!("run {runs}, {difference}") } else { difference }
        };
        if ours.state_hash() != theirs.state_hash() || ours.setup() != theirs.setup() {
            let [ours, theirs] = sims;
            let difference = State::of(ours)?.difference(&State::of(theirs)?);
            return Ok(difference.map(which));
        }
        match nexts {
            (Turn::Step, Turn::Step) => {
                ours.step().map_err(Failure::midway)?;
                theirs.step().map_err(Failure::midway)?;
            }
            (Turn::Run(first), Turn::Run(second)) => {
                sims = [begun(&first)?, begun(&second)?];
                runs += 1;
            }
            (Turn::End, Turn::End) => break,
            (ours_next, _) => {
                let differs = [&one, &other].into_iter().find_map(ReplayedFile::difference);
                let differs = differs.map(|difference| difference.to_string());
                let shorter = if matches!(ours_next, Turn::Step) { "second" } else { "first" };
                let ends = || format!("the {shorter} ends its run after step {}", ours.steps());
                return Ok(Some(which(differs.unwrap_or_else(ends))));
            }
        }
    }
    let differs = [&one, &other].into_iter().find_map(ReplayedFile::difference);
    Ok(differs.map(|difference| difference.to_string()))
}

/// A run that a journal begins with.
fn begun(beginning: &Beginning) -> Outcome<Sim> {
    beginning.admit(&|_| 0, rayon::current_num_threads())?;
    beginning.sim()
}

/// The state of a run, and its snapshot.
struct State {
    snapshot: Box<Snapshot>,
    sim: Sim,
}

impl State {
    /// Restores the run, so that all of the file is checked.
    fn restore(path: &Path, snapshot: Snapshot) -> Outcome<Self> {
        let run = SavedRun::new(path, snapshot)?;
        run.admit(&|_| 0, rayon::current_num_threads())?;
        let sim = run.sim()?;
        Ok(Self { snapshot: run.snapshot, sim })
    }

    fn of(sim: Sim) -> Outcome<Self> {
        Ok(Self { snapshot: Box::new(sim.snapshot().map_err(Failure::midway)?), sim })
    }

    /// The first difference, as a clause that names it and both values.
    fn difference(&self, other: &Self) -> Option<String> {
        let [setup, others] = [self, other].map(|run| run.sim.setup().to_text());
        let lines = setup.lines().zip(others.lines()).find(|(one, other)| one != other);
        if let Some((one, other)) = lines {
            let (field, value) = one.split_once(" = ").unwrap_or((one, ""));
            let other = other.split_once(" = ").map_or(other, |(_, value)| value);
            return Some(format!("{field} of the set-up is {value} and {other}"));
        }
        let [steps, others] = [self, other].map(|run| run.sim.steps());
        if steps != others {
            return Some(format!("they are after step {steps} and after step {others}"));
        }
        let after = |what: String| format!("after step {steps}, {what}");
        agents(self.sim.agents(), other.sim.agents()).or_else(|| self.section(other)).map(after)
    }

    /// The first section that differs.
    fn section(&self, other: &Self) -> Option<String> {
        let state = |run: &Self| -> Vec<_> {
            let sections = run.snapshot.sections().iter();
            sections.filter(|section| section.is_state()).cloned().collect()
        };
        let (ours, theirs) = (state(self), state(other));
        let differs = ours.iter().zip(&theirs).find(|(one, other)| {
            (&one.tag, one.count, one.checksum) != (&other.tag, other.count, other.checksum)
        });
        match differs {
            Some((one, other)) if one.tag == other.tag => {
                let tag = &one.tag;
                Some(format!(
                    "section {tag} differs, with {} and {} values",
                    one.count, other.count
                ))
            }
            Some((one, other)) => Some(format!("a section is {} and {}", one.tag, other.tag)),
            None if ours.len() == theirs.len() => None,
            None => Some(format!("there are {} and {} sections", ours.len(), theirs.len())),
        }
    }
}

/// The first agent by id that differs, and its first column that does; else the first slot that has
/// another agent.
fn agents(one: &Agents, other: &Agents) -> Option<String> {
    let [ours, theirs] = [one, other].map(|agents| -> BTreeMap<u32, usize> {
        agents.id.iter().enumerate().map(|(slot, &id)| (id, slot)).collect()
    });
    let ids = ours.keys().chain(theirs.keys().filter(|id| !ours.contains_key(id)));
    let first = ids.filter_map(|id| {
        let difference = match (ours.get(id), theirs.get(id)) {
            (Some(&slot), Some(&other_slot)) => column(one, slot, other, other_slot)?,
            (Some(_), None) => "exists only in the first".to_owned(),
            _ => "exists only in the second".to_owned(),
        };
        Some((*id, difference))
    });
    if let Some((id, difference)) = first.min() {
        return Some(format!("agent {id} {difference}"));
    }
    let slot = one.id.iter().zip(&other.id).position(|(one, other)| one != other)?;
    Some(format!("slot {slot} holds agent {} and agent {}", one.id[slot], other.id[slot]))
}

/// The first column in which two agents differ, bit by bit, and both values. Columns of a caller's own are compared
/// where both have them.
fn column(one: &Agents, slot: usize, other: &Agents, other_slot: usize) -> Option<String> {
    let both = values(one, slot).zip(values(other, other_slot));
    let mut same = both.filter(|((name, _), (other, _))| name == other);
    let differing = same.find(|((_, value), (_, other))| value.to_bits() != other.to_bits());
    differing.map(|((name, value), (_, other))| format!("has {name} {value} and {other}"))
}

/// The values of an agent, each with the name of its column.
fn values(agents: &Agents, slot: usize) -> impl Iterator<Item = (&str, f32)> {
    let Agents { x, y, vx, vy, radius, units, own, .. } = agents;
    let numbers = [("x", x), ("y", y), ("vx", vx), ("vy", vy), ("radius", radius)];
    let units = units
        .iter()
        .flat_map(|Units { faction, health }| [("faction", faction), ("health", health)]);
    let species = own.iter().filter_map(|own| Some(("species", own.species.as_ref()?)));
    let bytes = units.chain(species).map(move |(name, column)| (name, f32::from(column[slot])));
    let own = own.iter().flat_map(|own| &own.numbers);
    let own = own.map(move |column| (column.name.as_str(), column.values[slot]));
    numbers.map(|(name, column)| (name, column[slot])).into_iter().chain(bytes).chain(own)
}
