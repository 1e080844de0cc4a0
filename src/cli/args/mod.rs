//! The flags of all commands, parsed and checked. Ranges of physical values are checked by the
//! library ([`crate::Setup::validate`]).

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod names;
pub(crate) mod picture;
pub(crate) mod run;
pub(crate) mod sweep;
pub(crate) mod values;
#[cfg(feature = "window")]
pub(crate) mod window;
pub(crate) mod world;

use std::{
    env,
    error::Error as _,
    ffi::OsString,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use clap::{
    Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};

pub(crate) use bench::BenchArgs;
pub(crate) use check::CheckArgs;
pub(crate) use names::{is_table, is_world_file};
pub(crate) use picture::{PictureArgs, StyleArgs, check_color};
pub(crate) use run::{RecordArgs, RunArgs, SnapshotArgs, TraceArgs, TrajectoryArgs, steps_of};
pub(crate) use sweep::SweepArgs;
pub(crate) use values::ViewArg;
#[cfg(feature = "window")]
pub(crate) use window::WindowArgs;
#[cfg(feature = "window")]
pub(crate) use world::StartArgs;
pub(crate) use world::{StateArgs, WorldArgs};

use crate::{Scene, journal::Journal, names::may_mean, world::WORLDS};

/// The scene of the window, where none is asked for: the one that shows most in its first seconds.
const FIRST: Scene = Scene::Shear;

/// The commands that have a run, and so a scene or a file to begin with.
const RUNS: [&str; 4] = ["watch", "run", "bench", "record"];

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
  jostle pile.jostle                                   open a snapshot or a journal
  jostle boids.toml                                    open a world file
  jostle run --steps 300 --json                        measure 300 steps
  jostle run --agents 50k --steps 600 --frame end.png  draw the final state
  jostle bench --agents 1k,10k,100k --svg indexes.svg  compare spatial indexes
  jostle sweep pressure.toml --out pressure.csv        run over lists of values
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
    /// Run all combinations of the values in a file: a table of averages with their errors, and a chart
    Sweep(SweepArgs),
    /// Record a film: GIF, APNG, MP4 by ffmpeg, y4m, or numbered PNGs
    #[command(after_help = FILMS)]
    Record(RecordArgs),
    /// List the scenes
    Scenes(ScenesArgs),
    /// Print what is in a snapshot or a journal
    Info(InfoArgs),
    /// Compare two snapshots or two journals: print where they first differ, with exit status 3
    Verify(VerifyArgs),
    /// Compare runs with theory (physics), with exit status 3 if a case fails, or print what a
    /// world file says (world)
    Check(CheckArgs),
    /// Print the manual page of jostle or of a command: `jostle man run | man -l -`
    Man(ManArgs),
    /// Print the completions for a shell: `source <(jostle completions bash)`
    Completions(CompletionsArgs),
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
    #[cfg(feature = "window")]
    #[command(flatten)]
    pub(crate) window: WindowArgs,
    #[command(flatten)]
    pub(crate) snapshot: SnapshotArgs,
    #[command(flatten)]
    pub(crate) trajectory: TrajectoryArgs,
    #[command(flatten)]
    pub(crate) journal: JournalArgs,
    /// Memory of the way back, which Left, Right and the bar below the picture go: 1GB, 512MiB; 0
    /// for none [default: an eighth of the available memory, from 1 to 3 GB, at most a quarter]
    #[cfg(feature = "window")]
    #[arg(long, value_name = "SIZE", value_parser = values::memory, allow_hyphen_values = true)]
    #[arg(help_heading = "Snapshot")]
    pub(crate) history: Option<usize>,
}

/// The flags about journals.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Snapshot")]
pub(crate) struct JournalArgs {
    /// Record all changes that are made to the runs in the window, to be replayed with --replay
    #[cfg(feature = "window")]
    #[arg(long, value_name = "FILE.jostle", conflicts_with = "replay")]
    pub(crate) journal: Option<PathBuf>,
    /// Replay what a window has recorded with --journal; exit status 3 if the run comes to another
    /// state
    #[arg(long, value_name = "FILE.jostle", conflicts_with = "load")]
    pub(crate) replay: Option<PathBuf>,
}

/// `jostle scenes`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ScenesArgs {
    /// Print a JSON array instead of lines
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a scene as a world file, or a world file of the program, such as boids
    #[arg(long, value_name = "NAME", conflicts_with = "json", value_parser = names::printed)]
    pub(crate) print: Option<String>,
}

/// `jostle verify`.
#[derive(Args, Clone, Debug)]
pub(crate) struct VerifyArgs {
    /// A snapshot or a journal
    #[arg(value_name = "A.jostle")]
    pub(crate) first: PathBuf,
    /// The one that it is compared with
    #[arg(value_name = "B.jostle")]
    pub(crate) second: PathBuf,
}

/// `jostle info`.
#[derive(Args, Clone, Debug)]
pub(crate) struct InfoArgs {
    /// A snapshot, as `jostle run --save FILE.jostle` writes it, or a journal, as `jostle watch
    /// --journal FILE.jostle` does
    #[arg(value_name = "FILE.jostle")]
    pub(crate) file: PathBuf,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// `jostle man`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ManArgs {
    /// The command; without one, jostle itself
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

/// `jostle completions`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// The program with all commands and flags. `version` is what `--version` prints.
pub(crate) fn program(version: &str) -> Command {
    Cli::command().version(version.to_owned())
}

/// The flags of `jostle run`, for flags that are in a file.
pub(crate) fn run_flags() -> Command {
    RunArgs::augment_args(Command::new("run").no_binary_name(true).args_override_self(true))
}

/// Parses flags of `jostle run`.
pub(crate) fn parse_run(flags: &mut Command, args: &[OsString]) -> Result<RunArgs, String> {
    let matches =
        flags.try_get_matches_from_mut(args).and_then(|it| RunArgs::from_arg_matches(&it));
    matches.map_err(|error| sentence(&error))
}

/// Parses the command line; no command means `watch`. `version` is what `--version` prints.
pub(crate) fn parse(version: &str) -> Result<CommandArgs, clap::Error> {
    let program = program(version);
    let args = with_flag_of_file(&program, without_help_of_help(env::args_os()));
    let matches = program.try_get_matches_from(args)?;
    let cli = Cli::from_arg_matches(&matches)?;
    let mut command = cli.command.unwrap_or(CommandArgs::Watch(cli.watch));
    if let CommandArgs::Watch(watch) = &mut command {
        // As of one that is dropped on the window.
        watch.world.fits_table = true;
        let is_given = watch.world.state.file.is_some()
            || watch.snapshot.load.is_some()
            || watch.journal.replay.is_some();
        if !is_given {
            watch.world.suggest(FIRST);
        }
    }
    Ok(command)
}

/// The arguments without a `--help` that follows the command `help`, which clap does not know.
fn without_help_of_help(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.collect();
    if args.get(1).is_some_and(|command| command == "help") {
        args.retain(|arg| arg != "--help" && arg != "-h");
    }
    args
}

/// The arguments with `--scene`, `--start`, `--load` or `--replay` before a file that stands alone, as a
/// desktop opens it; also behind flags, and behind a command that has a run.
fn with_flag_of_file(program: &Command, mut args: Vec<OsString>) -> Vec<OsString> {
    let command = args.get(1).and_then(|arg| RUNS.into_iter().find(|it| arg == it));
    let flags = command.and_then(|name| program.find_subcommand(name)).unwrap_or(program);
    let Some(first) = first_word(flags, &args, 1 + usize::from(command.is_some())) else {
        return args;
    };
    // That of a film may come before it.
    let next = (command == Some("record")).then(|| first_word(flags, &args, first + 1));
    for place in [Some(first), next.flatten()].into_iter().flatten() {
        if let Some(flag) = flag_of_file(Path::new(&args[place])) {
            args.insert(place, flag.into());
            break;
        }
    }
    args
}

/// The flag that a file is the value of.
fn flag_of_file(file: &Path) -> Option<&'static str> {
    if is_world_file(file) {
        return Some("--scene");
    }
    if is_table(file) {
        return Some("--start");
    }
    file.extension().filter(|end| *end == "jostle")?;
    let mut begin = Vec::new();
    // A file that can't be read is refused as a snapshot is.
    let read = File::open(file).and_then(|file| file.take(64).read_to_end(&mut begin));
    let is_journal = read.is_ok() && Journal::begins(&begin);
    Some(if is_journal { "--replay" } else { "--load" })
}

/// The place of the first argument from there on that is neither a flag nor the value of one.
fn first_word(flags: &Command, args: &[OsString], from: usize) -> Option<usize> {
    let has_value = |flag: &str| {
        let known = flags.get_arguments().find(|arg| arg.get_long() == flag.strip_prefix("--"));
        known.is_some_and(|arg| arg.get_action().takes_values() && !arg.is_require_equals_set())
    };
    let mut place = from;
    loop {
        let arg = args.get(place)?.to_string_lossy();
        if !arg.starts_with('-') || arg.len() == 1 {
            return Some(place);
        }
        place += 1 + usize::from(has_value(&arg));
    }
}

/// A usage error of clap as one sentence with the value, the limit and the remedy.
pub(crate) fn sentence(error: &clap::Error) -> String {
    let text = |kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    };
    let flag = text(ContextKind::InvalidArg).unwrap_or_default();
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    if let (ErrorKind::ValueValidation, Some(reason)) = (error.kind(), error.source()) {
        let flag = flag.split([' ', '[']).next().unwrap_or_default();
        return format!("{flag} {} {reason}", quoted(&value));
    }
    if let (ErrorKind::InvalidValue, false, Some(ContextValue::Strings(all))) =
        (error.kind(), value.is_empty(), error.get(ContextKind::ValidValue))
    {
        return format!("{} is none of {}", quoted(&value), all.join(", "));
    }
    if let (ErrorKind::MissingRequiredArgument, false) = (error.kind(), flag.is_empty()) {
        return format!("{flag} is missing; try --help");
    }
    if let (ErrorKind::UnknownArgument, Some(name)) = (error.kind(), flag.strip_prefix("--"))
        && let owners = owners(name)
        && let Some(first) = owners.first()
    {
        return format!("{flag} belongs to {}; try {first} --help", owners.join(", "));
    }
    if let (Some(command), Some(flag)) =
        (text(ContextKind::InvalidSubcommand), text(ContextKind::PriorArg))
    {
        return misplaced(&command, &flag);
    }
    // A word that is neither a flag nor the value of one.
    let word = match error.kind() {
        ErrorKind::UnknownArgument if !flag.starts_with('-') => Some(flag),
        _ => text(ContextKind::InvalidSubcommand),
    };
    if let Some(sentence) = word.and_then(|word| stray(&word, error)) {
        return sentence;
    }
    let rendered = error.render().to_string();
    let first_line = rendered.lines().next().unwrap_or_default();
    let message = first_line.strip_prefix("error: ").unwrap_or(first_line);
    let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand]
        .into_iter()
        .find_map(text)
        .filter(|name| {
            let typed = message.split('\'').nth(1).unwrap_or_default();
            may_mean(typed.trim_start_matches('-'), name.trim_start_matches('-'))
        })
        .map(|name| format!("did you mean {name}? "));
    format!("{message}; {}try --help", suggested.unwrap_or_default())
}

/// The sentence for a word that stands alone, unless it is a command that is spelled wrong, or the
/// command has neither scene nor file.
fn stray(word: &str, error: &clap::Error) -> Option<String> {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let command = usage.split(' ').nth(2).unwrap_or_default();
    if !command.starts_with('[') && !RUNS.contains(&command) {
        return None;
    }
    let path = Path::new(word);
    if Scene::ALL.iter().any(|scene| scene.name() == word) {
        return Some(format!("{word} is a scene; try --scene {word}"));
    }
    if WORLDS.iter().any(|(name, _)| *name == word) {
        return names::scene_or_file(word).err().map(|why| format!("{word} {why}"));
    }
    if flag_of_file(path).is_some() {
        return Some(second_file(word));
    }
    let is_file = error.kind() == ErrorKind::UnknownArgument
        || path.extension().is_some()
        || path.components().count() > 1
        || path.is_dir();
    is_file.then(|| no_file(word))
}

/// The sentence for a word that follows a flag and is no value of it.
fn misplaced(word: &str, flag: &str) -> String {
    let program = Cli::command();
    if program.find_subcommand(word).is_some() {
        return format!("{flag} comes after the command: jostle {word} {flag}");
    }
    if flag_of_file(Path::new(word)).is_some() {
        return second_file(word);
    }
    let flag = flag.split([' ', '[', '=']).next().unwrap_or_default();
    let known = program.get_arguments().find(|arg| arg.get_long() == flag.strip_prefix("--"));
    if known.is_some_and(clap::Arg::is_require_equals_set) {
        return format!("{flag} has its value behind =; try {flag}={word}");
    }
    no_file(word)
}

/// The sentence for a file after another one.
fn second_file(word: &str) -> String {
    format!("{} is a second file, and jostle opens one; leave one out", quoted(word))
}

/// The sentence for a word that is neither a command nor a file to open.
fn no_file(word: &str) -> String {
    format!(
        "{} is neither a command nor a file that jostle opens: expected a snapshot or a journal (.jostle), \
         a world file (.toml) or a table of agents (.csv, .npz); try --help",
        quoted(word)
    )
}

/// The commands that have that flag.
fn owners(flag: &str) -> Vec<String> {
    let has = |command: &&Command| command.get_arguments().any(|arg| arg.get_long() == Some(flag));
    let program = Cli::command();
    let owners = program.get_subcommands().filter(has);
    owners.map(|command| format!("jostle {}", command.get_name())).collect()
}

/// A value as it was written, in quotes if it is empty or has spaces.
fn quoted(value: &str) -> String {
    if value.is_empty() || value.contains(char::is_whitespace) {
        format!("{value:?}")
    } else {
        value.to_string()
    }
}
