//! The flags of all commands, parsed and checked. Ranges of physical values are checked by the
//! library ([`crate::Setup::validate`]).

pub(crate) mod bench;
pub(crate) mod names;
pub(crate) mod picture;
pub(crate) mod rate;
pub(crate) mod record;
pub(crate) mod run;
mod usage;
pub(crate) mod values;
pub(crate) mod world;

use clap::{Args, Parser, Subcommand};

pub(crate) use bench::BenchArgs;
pub(crate) use picture::StyleArgs;
pub(crate) use record::RecordArgs;
pub(crate) use run::RunArgs;
pub(crate) use usage::sentence;
pub(crate) use world::WorldArgs;

/// Half a million discs bouncing off each other, every step, through a loose/tight double grid.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
#[command(args_override_self = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<CommandArgs>,
    #[command(flatten)]
    watch: WatchArgs,
}

const EXAMPLES: &str = "\
Without a command, jostle opens a window: `jostle --agents 50k --scene burst`.

  jostle --scene pile                                  watch a pile settle
  jostle run --steps 300 --json                        measure 300 steps
  jostle run --agents 50k --steps 600 --frame end.png  draw the final state
  jostle bench --agents 1k,10k,100k --svg indexes.svg  compare spatial indexes
  jostle record --scene burst burst.gif                record a film";

const FILMS: &str = "\
Films:
  jostle record --steps 180 --size 640x360 gas.gif
  jostle record --scene pile --fps 60 - | ffmpeg -i - -pix_fmt yuv420p pile.mp4
  jostle record --scene giants frame-%05d.png

A film has floor(steps x fps / hz) + 1 frames. If Ctrl-C or a full disk stops the recording, the
film is shorter, and plays.";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum CommandArgs {
    /// Show the simulation in a window; without a display, run 600 steps and draw jostle.png
    #[cfg_attr(feature = "window", command(after_help = keys()))]
    Watch(WatchArgs),
    /// Run without a window, measure the steps, and print a summary or JSON
    Run(RunArgs),
    /// Compare spatial indexes over scenes, numbers of agents and threads: a table, JSON, CSV or a
    /// chart
    Bench(BenchArgs),
    /// Record a film: GIF, APNG, y4m for ffmpeg, or numbered PNGs
    #[command(after_help = FILMS)]
    Record(RecordArgs),
    /// List the scenes
    Scenes,
}

/// The keys of the window.
#[cfg(feature = "window")]
fn keys() -> String {
    format!("Keys:\n{}", crate::window::keys::help())
}

/// `jostle watch`.
#[derive(Args, Clone, Debug)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    #[command(flatten)]
    pub(crate) style: StyleArgs,
}

/// Parses the command line; no command means `watch`.
pub(crate) fn parse() -> Result<CommandArgs, clap::Error> {
    let cli = Cli::try_parse()?;
    Ok(cli.command.unwrap_or(CommandArgs::Watch(cli.watch)))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn flags_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
