//! The flags of `check`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::{Outcome, output};

use super::{names, values, world::threads};

/// `jostle check`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CheckArgs {
    /// What is checked: physics, or a world file: world FILE.toml
    #[arg(value_name = "WHAT", value_parser = names::checked, allow_hyphen_values = true)]
    pub(crate) what: &'static str,
    /// The world file
    #[arg(value_name = "FILE.toml", required_if_eq("what", "world"))]
    pub(crate) file: Option<PathBuf>,
    /// Small runs and wide tolerances, in seconds instead of minutes
    #[arg(long)]
    pub(crate) quick: bool,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = values::threads, allow_hyphen_values = true)]
    threads: Option<usize>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw a chart into this file; - for stdout
    #[arg(long, value_name = "FILE.svg|-")]
    pub(crate) svg: Option<PathBuf>,
}

impl CheckArgs {
    /// Number of worker threads: the given one, or one per core.
    pub(crate) fn threads(&self) -> usize {
        threads(self.threads)
    }

    /// True if stdout gets the chart, so that the table can't go there.
    ///
    /// # Errors
    /// A usage error if stdout would get JSON, too.
    pub(crate) fn stdout_is_taken(&self) -> Outcome<bool> {
        let svg = self.svg.as_deref().is_some_and(output::is_stdout);
        output::stdout_taker(&[("--json", self.json), ("--svg -", svg)])
    }
}
