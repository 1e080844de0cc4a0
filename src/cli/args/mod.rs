//! The flags of every command, parsed and checked.

pub(crate) mod bench;
mod complaint;
pub(crate) mod look;
pub(crate) mod names;
pub(crate) mod rate;
pub(crate) mod record;
pub(crate) mod run;
pub(crate) mod values;
pub(crate) mod world;

use clap::{Args, Parser, Subcommand};

pub(crate) use bench::BenchArgs;
pub(crate) use complaint::Refused;
pub(crate) use look::LookArgs;
pub(crate) use record::RecordArgs;
pub(crate) use run::RunArgs;
pub(crate) use world::WorldArgs;

/// Half a million discs bouncing off each other, every step, through a loose/tight double grid.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
#[command(args_override_self = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    watch: WatchArgs,
}

const EXAMPLES: &str = "\
Without a command, jostle watches: `jostle --agents 50k --scene burst` opens a window.

  jostle --scene pile                                  see a pile settle
  jostle run --steps 300 --json                        measure the main job
  jostle run --agents 50k --steps 600 --frame end.png  draw how it ends
  jostle bench --agents 1k,10k,100k --svg indexes.svg  compare spatial indexes
  jostle record --scene burst burst.gif                film it";

const FILMS: &str = "\
Films:
  jostle record --steps 180 --size 640x360 gas.gif
  jostle record --scene pile --fps 60 - | ffmpeg -i - -pix_fmt yuv420p pile.mp4
  jostle record --scene giants frame-%05d.png

A film has floor(steps x fps / hz) + 1 frames. One that is stopped by Ctrl-C, or by a full disk, is
shorter, and plays.";

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the agents in a window; where there is no display, run 600 steps and draw jostle.png
    #[cfg_attr(feature = "window", command(after_help = keys()))]
    Watch(WatchArgs),
    /// Run without a window, measure it, and print a summary or JSON
    Run(RunArgs),
    /// Compare spatial indexes, numbers of agents, threads and scenes: a table, JSON, CSV or a chart
    Bench(BenchArgs),
    /// Film a run: GIF, APNG, y4m for ffmpeg, or numbered PNGs
    #[command(after_help = FILMS)]
    Record(RecordArgs),
    /// List the scenes
    Scenes,
}

/// What can be done in the window.
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
    pub(crate) look: LookArgs,
}

/// What the program was asked for; no command means `watch`.
pub(crate) fn parse() -> Result<Command, Refused> {
    let cli = Cli::try_parse()?;
    Ok(cli.command.unwrap_or(Command::Watch(cli.watch)))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_flags_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
