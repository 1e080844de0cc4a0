//! The flags of `bench`: what is compared, how long it is measured, what is left behind.

use std::path::PathBuf;

use crate::{Scene, Setup, index::IndexKind, simd::SimdLevel};
use clap::Args;

use super::{
    complaint::quoted,
    names::{self, Input, Simd},
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
    pub(crate) length: LengthArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What is compared: each with each.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Compared")]
pub(crate) struct ComparedArgs {
    /// Which indexes, with commas between: all, double-grid, linked-double-grid, loose-quadtree, quadtree,
    /// unit-grid, spatial-hash, naive
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = indexes, allow_hyphen_values = true)]
    pub(crate) index: List<IndexKind>,
    /// How many agents: 1k,10k,100k
    #[arg(long, value_name = "N,N", default_value = "1k,10k,100k,500k", value_parser = list(values::agents), allow_hyphen_values = true)]
    pub(crate) agents: List<u32>,
    /// On how many worker threads: 1,2; an index that works on one takes no more
    #[arg(long, value_name = "N,N", default_value = "1", value_parser = list(values::threads), allow_hyphen_values = true)]
    pub(crate) threads: List<usize>,
    /// How they start: all, or some of the scenes: gas,mixed
    #[arg(long, value_name = "NAMES", default_value = "gas", value_parser = scenes, allow_hyphen_values = true)]
    pub(crate) scene: List<Scene>,
    /// The order in which an index gets the agents: id, which says nothing about where they are, or cell,
    /// in which neighbours in the world were neighbours in memory when the measurement began
    #[arg(long, value_name = "ORDER", default_value = "id", value_parser = names::input, allow_hyphen_values = true)]
    pub(crate) input: Input,
    /// Instructions of the kernels: auto, avx512, avx2, neon, scalar
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = names::simd, allow_hyphen_values = true)]
    simd: Simd,
    #[command(flatten)]
    cells: CellArgs,
}

/// How long it is measured.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Length")]
pub(crate) struct LengthArgs {
    /// Steps of a repeat
    #[arg(long, value_name = "N", default_value = "20", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) steps: u64,
    /// Repeats, each going on where the one before it ended
    #[arg(long, value_name = "N", default_value = "3", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) repeats: u64,
    /// Steps before them that are not measured
    #[arg(long, value_name = "N", default_value = "100", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) warmup: u64,
    /// An index that is foretold to take longer a step is skipped, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = values::seconds, allow_hyphen_values = true)]
    pub(crate) limit: f32,
}

/// What is left behind.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Print one JSON object instead of a table
    #[arg(long, conflicts_with_all = ["csv", "markdown"])]
    pub(crate) json: bool,
    /// Print CSV instead of a table
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) csv: bool,
    /// Print a table in Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Draw milliseconds over agents, both logarithmic, into this file
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,
}

impl BenchArgs {
    /// The set-up of one case, as [`super::WorldArgs::setup`].
    pub(crate) fn setup(&self, scene: Scene, agents: u32) -> crate::Result<Setup> {
        self.start.setup(scene, Some(agents), &self.compared.cells)
    }

    /// The instructions to work with: those asked for, if this machine has them.
    pub(crate) fn simd(&self) -> SimdLevel {
        self.compared.simd.usable()
    }

    /// A line if it asks for instructions that there aren't.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.compared.simd.note().into_iter().collect()
    }
}

/// Values between commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

/// Reads each of the values between commas. Of several, the one that can't be used is named.
fn each<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    let part = |part: &str| {
        read(part).map_err(|reason| {
            let alone = part == text;
            if alone { reason } else { format!("has {}, which {reason}", quoted(part)) }
        })
    };
    text.split(',').map(part).collect()
}

/// Reads numbers between commas, smallest first, each once.
fn list<T: Ord>(
    read: impl Fn(&str) -> Result<T, String> + Clone,
) -> impl Fn(&str) -> Result<List<T>, String> + Clone {
    move |text| {
        let mut values = each(text, &read)?;
        values.sort();
        values.dedup();
        Ok(List(values))
    }
}

/// Names between commas, or `all`; each once, in the order in which they were written.
fn named<T: Copy + PartialEq>(
    text: &str,
    all: impl Iterator<Item = T>,
    find: impl Fn(&str) -> Result<T, String>,
) -> Result<List<T>, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(List(all.collect()));
    }
    let mut values = Vec::new();
    for value in each(text, find)? {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok(List(values))
}

fn indexes(text: &str) -> Result<List<IndexKind>, String> {
    named(text, IndexKind::all(), names::index)
}

fn scenes(text: &str) -> Result<List<Scene>, String> {
    named(text, Scene::ALL.into_iter(), names::scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_people_write_them() {
        let agents = list(values::agents);
        assert_eq!(agents("10k,1k,10_000"), Ok(List(vec![1_000, 10_000])));
        assert!(agents("1k,").is_err() && agents("").is_err() && agents("1k,x").is_err());
        assert_eq!(scenes("all").map(|list| list.0.len()), Ok(Scene::ALL.len()));
        assert_eq!(scenes("pile,GAS,pile"), Ok(List(vec![Scene::Pile, Scene::Gas])));
        let names = indexes("naive,double-grid").map(|list| list.0);
        assert_eq!(names.map(|list| list[0].name), Ok("naive"));
        let reason = indexes("naive,quadtre").unwrap_err();
        assert!(
            reason.starts_with("has quadtre, which is no index that jostle knows; did you mean")
        );
        assert!(agents("1k,").unwrap_err().starts_with("has \"\", which is not a count; "));
        assert!(agents("x").unwrap_err().starts_with("is not a count; "));
    }
}
