//! `jostle verify`: whether two snapshots hold the same state of a run, and where they first differ.
//!
//! Differences are looked for from the cause to the effect: the set-up, the step, the agents by their
//! ids, then the sections in the order of the file. Start colors and the random numbers of a window's
//! tools are no state of the run.

use std::{collections::BTreeMap, path::Path};

use super::{
    Outcome,
    args::VerifyArgs,
    print,
    snapshots::{self, Beginning},
};
use crate::{Sim, Snapshot, agents::Agents};

/// Exit status if the snapshots differ.
const DIFFERENT: u8 = 3;

/// Sections that don't decide the future of the run.
const BESIDE: [&str; 4] = ["window", "first_tones", "later_ids", "later_tones"];

/// Compares two snapshots, and prints that they are the same or where they first differ.
///
/// # Errors
/// If a file can't be read, or is not the snapshot of a run, or stdout can't be written.
pub(super) fn verify(args: &VerifyArgs) -> Outcome<u8> {
    let [first, second] = [&args.first, &args.second];
    let (one, other) = (Run::open(first)?, Run::open(second)?);
    let names = format!("{} and {}", first.display(), second.display());
    let Some(difference) = one.difference(&other) else {
        return print(&format!("{names} hold the same state, after step {}\n", one.sim.steps()));
    };
    print(&format!("{names} differ: {difference}\n"))?;
    Ok(DIFFERENT)
}

struct Run {
    snapshot: Box<Snapshot>,
    sim: Sim,
}

impl Run {
    /// Restores the run, so that all of the file is checked.
    fn open(path: &Path) -> Outcome<Self> {
        let beginning = Beginning::saved(path, snapshots::read(path)?)?;
        beginning.admit(&|_| 0, rayon::current_num_threads())?;
        let sim = beginning.sim()?;
        let Beginning::Saved(_, snapshot, _) = beginning else { unreachable!("it is a saved one") };
        Ok(Self { snapshot, sim })
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
            sections.filter(|section| !BESIDE.contains(&section.tag.as_str())).cloned().collect()
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

/// The first column in which two agents differ, bit by bit, and both values.
fn column(one: &Agents, slot: usize, other: &Agents, other_slot: usize) -> Option<String> {
    let columns = |agents: &Agents, slot: usize| {
        let Agents { x, y, vx, vy, radius, .. } = agents;
        [("x", x), ("y", y), ("vx", vx), ("vy", vy), ("radius", radius)]
            .map(|(name, column)| (name, column[slot]))
    };
    let numbers = columns(one, slot).into_iter().zip(columns(other, other_slot));
    for ((name, value), (_, other)) in numbers {
        if value.to_bits() != other.to_bits() {
            return Some(format!("has {name} {value} and {other}"));
        }
    }
    let (ours, theirs) = (one.units.as_ref()?, other.units.as_ref()?);
    let columns = [
        ("faction", ours.faction[slot], theirs.faction[other_slot]),
        ("health", ours.health[slot], theirs.health[other_slot]),
    ];
    let differs = columns.into_iter().find(|(_, value, other)| value != other);
    differs.map(|(name, value, other)| format!("has {name} {value} and {other}"))
}
