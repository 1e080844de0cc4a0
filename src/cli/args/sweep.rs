//! The flags of `sweep`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::{Outcome, output};

use super::{values, world::threads};

/// `jostle sweep`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SweepArgs {
    /// The sweep: a table `[run]` with flags of `jostle run`, and a table `[sweep]` with lists
    /// and ranges of values of others
    #[arg(value_name = "FILE.toml")]
    pub(crate) file: PathBuf,
    /// Table that gets one row per run as soon as it ends; runs of this sweep that it has are not run
    /// again; - for stdout
    #[arg(long, value_name = "FILE.csv|-", required_unless_present = "dry_run")]
    pub(crate) out: Option<PathBuf>,
    /// Threads of all runs together: a run has one, or more if there are fewer runs [default: all
    /// cores]
    #[arg(long, value_name = "N", value_parser = values::threads, allow_hyphen_values = true)]
    threads: Option<usize>,
    /// Draw an observable over the values of a flag or param, with error bars; - for stdout
    #[arg(long, value_name = "FILE.svg|-", requires = "observable", conflicts_with = "dry_run")]
    pub(crate) plot: Option<PathBuf>,
    /// The observable that is drawn: compressibility or another column of --series
    #[arg(long, value_name = "NAME", requires = "plot")]
    pub(crate) observable: Option<String>,
    /// The flag or param along the axis [default: the first of the sweep, but for the seed]
    #[arg(long, value_name = "NAME", requires = "plot")]
    pub(crate) over: Option<String>,
    /// Print the number of runs, their memory and the time that they are going to take, and run none
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl SweepArgs {
    /// Number of threads: the given one, or one per core.
    pub(crate) fn threads(&self) -> usize {
        threads(self.threads)
    }

    /// Checks that stdout does not get the table and the chart.
    ///
    /// # Errors
    /// A usage error if it would.
    pub(crate) fn check_stdout(&self) -> Outcome<()> {
        let takes = |file: &Option<PathBuf>| file.as_deref().is_some_and(output::is_stdout);
        output::stdout_taker(&[("--out -", takes(&self.out)), ("--plot -", takes(&self.plot))])
            .map(drop)
    }
}
