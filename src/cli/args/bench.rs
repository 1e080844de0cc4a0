//! The flags of `bench`: what it compares, how long it measures, what it prints.

use std::path::PathBuf;

use crate::{Scene, Setup, cli::Outcome, index::IndexKind, simd::SimdLevel};
use clap::Args;

use super::{
    names::{self, InputOrder, SimdArg},
    usage::quoted,
    values,
    world::{CellArgs, StartArgs},
};

/// `jostle bench`.
#[derive(Args, Clone, Debug)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    pub(crate) compared: ComparedArgs,
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    pub(crate) length: BenchLengthArgs,
    #[command(flatten)]
    pub(crate) output: BenchOutputArgs,
}

/// The compared indexes and cases: every combination.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Compared")]
pub(crate) struct ComparedArgs {
    /// Indexes, separated by commas: all, double-grid, linked-double-grid, loose-quadtree,
    /// quadtree, unit-grid, spatial-hash, naive
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = indexes, allow_hyphen_values = true)]
    pub(crate) index: ValueList<IndexKind>,
    /// Numbers of agents: 1k,10k,100k
    #[arg(long, value_name = "N,N", default_value = "1k,10k,100k,500k", value_parser = list(values::agents), allow_hyphen_values = true)]
    pub(crate) agents: ValueList<u32>,
    /// Numbers of worker threads: 1,2; a sequential index uses one
    #[arg(long, value_name = "N,N", default_value = "1", value_parser = list(values::threads), allow_hyphen_values = true)]
    pub(crate) threads: ValueList<usize>,
    /// Scenes: all, or some of them: gas,mixed
    #[arg(long, value_name = "NAMES", default_value = "gas", value_parser = scenes, allow_hyphen_values = true)]
    pub(crate) scene: ValueList<Scene>,
    /// Order in which an index gets the agents: id, which is random in space, or cell, in which
    /// neighbors in space were neighbors in memory when the measurement began
    #[arg(long, value_name = "ORDER", default_value = "id", value_parser = names::input, allow_hyphen_values = true)]
    pub(crate) input: InputOrder,
    /// Instruction set of the kernels: auto, avx512, avx2, neon, scalar
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = names::simd, allow_hyphen_values = true)]
    simd: SimdArg,
    #[command(flatten)]
    cells: CellArgs,
}

/// Length of the measurement.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Length")]
pub(crate) struct BenchLengthArgs {
    /// Steps per repeat
    #[arg(long, value_name = "N", default_value = "20", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) steps: u64,
    /// Repeats; each continues where the one before it ended
    #[arg(long, value_name = "N", default_value = "3", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) repeats: u64,
    /// Steps before them that are not measured
    #[arg(long, value_name = "N", default_value = "100", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) warmup: u64,
    /// Skip an index predicted to take longer than this many seconds per step
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = values::seconds, allow_hyphen_values = true)]
    pub(crate) limit: f32,
}

/// What is printed and written.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct BenchOutputArgs {
    /// Print one JSON object instead of a table
    #[arg(long, conflicts_with_all = ["csv", "markdown"])]
    pub(crate) json: bool,
    /// Print CSV instead of a table
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) csv: bool,
    /// Print a table in Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Write a chart of milliseconds over agents, both logarithmic, to this file
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,
}

impl BenchArgs {
    /// The set-up of one case, as [`super::WorldArgs::setup`].
    pub(crate) fn setup(&self, scene: Scene, agents: u32) -> Outcome<Setup> {
        self.start.setup(scene, Some(agents), &self.compared.cells)
    }

    /// The instruction set: the given one if this machine has it, else the best.
    pub(crate) fn simd(&self) -> SimdLevel {
        self.compared.simd.usable()
    }

    /// One line for each flag with an unavailable value.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.compared.simd.note().into_iter().collect()
    }
}

/// Values that are separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueList<T>(pub(crate) Vec<T>);

/// Parses values that are separated by commas. The error names the invalid one of several.
fn each<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    let part = |part: &str| {
        read(part).map_err(|reason| {
            let alone = part == text;
            if alone { reason } else { format!("has {}, which {reason}", quoted(part)) }
        })
    };
    text.split(',').map(part).collect()
}

/// A parser of numbers that are separated by commas: sorted, without duplicates.
fn list<T: Ord>(
    read: impl Fn(&str) -> Result<T, String> + Clone,
) -> impl Fn(&str) -> Result<ValueList<T>, String> + Clone {
    move |text| {
        let mut values = each(text, &read)?;
        values.sort();
        values.dedup();
        Ok(ValueList(values))
    }
}

/// Parses names that are separated by commas, or `all`: in the given order, without duplicates.
fn named<T: Copy + PartialEq>(
    text: &str,
    all: impl Iterator<Item = T>,
    find: impl Fn(&str) -> Result<T, String>,
) -> Result<ValueList<T>, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(ValueList(all.collect()));
    }
    let mut values = Vec::new();
    for value in each(text, find)? {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok(ValueList(values))
}

fn indexes(text: &str) -> Result<ValueList<IndexKind>, String> {
    named(text, IndexKind::all(), names::index)
}

fn scenes(text: &str) -> Result<ValueList<Scene>, String> {
    named(text, Scene::ALL.into_iter(), names::scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_without_duplicates() {
        let agents = list(values::agents);
        assert_eq!(agents("10k,1k,10_000"), Ok(ValueList(vec![1_000, 10_000])));
        assert!(agents("1k,").is_err() && agents("").is_err() && agents("1k,x").is_err());
        assert_eq!(scenes("all").map(|list| list.0.len()), Ok(Scene::ALL.len()));
        assert_eq!(scenes("pile,GAS,pile"), Ok(ValueList(vec![Scene::Pile, Scene::Gas])));
        let names = indexes("naive,double-grid").map(|list| list.0);
        assert_eq!(names.map(|list| list[0].name), Ok("naive"));
        let reason = indexes("naive,quadtre").unwrap_err();
        assert!(reason.starts_with("has quadtre, which is no known index; did you mean"));
        assert!(agents("1k,").unwrap_err().starts_with("has \"\", which is not a count; "));
        assert!(agents("x").unwrap_err().starts_with("is not a count; "));
    }
}
