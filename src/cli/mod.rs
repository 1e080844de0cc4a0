//! The command line: flags, one file or folder per command, and shared parts.
//!
//! ```text
//! args ─► watch · run · sweep · bench · record · scenes · info · verify · check · man · completions ─► exit status
//!              │
//!              ├ before a run   snapshots, replays, start (where it begins), memory (does it fit?),
//!              │                output (create files), interrupt (Ctrl-C)
//!              ├ during it      progress, frames
//!              └ after it       report, summary, export, snapshots
//! ```
//!
//! Data goes to stdout, everything else to stderr, one line per message. A closed stdout is no
//! failure.

mod args;
mod bench;
mod chart;
mod check;
mod drawings;
mod export;
mod frames;
mod groups;
mod hashes;
#[cfg(feature = "window")]
mod heap;
mod held;
// Public for the Python package, which is a crate of its own.
pub mod host;
#[cfg(feature = "window")]
mod hush;
mod info;
mod input;
mod interrupt;
mod launched;
mod memory;
mod notes;
#[cfg(feature = "window")]
mod opened;
mod origin;
mod output;
mod outputs;
mod pages;
mod panics;
mod part;
mod pictures;
mod progress;
#[cfg(feature = "mpi")]
mod ranks;
mod record;
mod replays;
mod report;
mod run;
mod saves;
mod scenes;
mod series;
mod series_row;
#[cfg(feature = "window")]
mod settings;
mod snapshots;
mod start;
mod summary;
mod sweep;
mod system;
mod table;
mod trace;
mod trajectory;
mod verify;
mod walls;
#[cfg(feature = "window")]
mod watch;
mod worlds;

use std::{
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

use self::{args::CommandArgs, origin::Revision};
use crate::{
    Error,
    error::{Field, Terms, Value},
    format,
    program::ProgramError,
    simd::SimdLevel,
};
use serde::Serialize;

/// Exit status for flags that can't be parsed, are out of range or contradict each other.
const USAGE: u8 = 2;

/// Exit status for states that should be the same and are not.
const DIFFERENT: u8 = 3;

/// Runs the program: parses the flags, runs the command, and returns its exit status. `revision` is
/// what the program was built from, as `--version` and reports name it; empty if it is not known.
pub fn main(revision: &'static str) -> ExitCode {
    let revision = Some(revision).filter(|revision| !revision.is_empty());
    panics::hush();
    system::signals::report_full_files();
    let outcome =
        memory::check_process().and_then(|()| panics::unless_refused(|| command(revision)));
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            say(&failure.message);
            ExitCode::from(failure.status)
        }
    }
}

/// Runs the command that the flags name; returns its exit status.
fn command(revision: Revision) -> Outcome<u8> {
    match args::parse(&version(revision)) {
        Ok(
            CommandArgs::Watch(_)
            | CommandArgs::Sweep(_)
            | CommandArgs::Bench(_)
            | CommandArgs::Check(_),
        ) if let Some(launched) = launched::Launched::get() => launched.refuse(format!(
            "only jostle run and jostle record share their work with other processes, and mpirun has \
             started {}; leave out mpirun",
            launched.ranks
        )),
        #[cfg(feature = "window")]
        Ok(CommandArgs::Watch(args)) => watch::watch(args, revision),
        #[cfg(not(feature = "window"))]
        Ok(CommandArgs::Watch(args)) => run::headless(args, "this build has no window", revision),
        Ok(CommandArgs::Run(args)) => run::run(&args, None, revision),
        Ok(CommandArgs::Sweep(args)) => sweep::sweep(&args),
        Ok(CommandArgs::Bench(args)) => bench::bench(&args, revision),
        Ok(CommandArgs::Record(args)) => record::record(&args, revision),
        Ok(CommandArgs::Scenes(args)) => scenes::scenes(&args),
        Ok(CommandArgs::Info(args)) => info::info(&args),
        Ok(CommandArgs::Verify(args)) => verify::verify(&args),
        Ok(CommandArgs::Check(args)) => check::check(&args, revision),
        Ok(CommandArgs::Man(args)) => pages::man(&args),
        Ok(CommandArgs::Completions(args)) => pages::completions(&args),
        Err(error) if error.use_stderr() => {
            let sentence = args::sentence(&error);
            match launched::Launched::get() {
                Some(launched) => launched.refuse(sentence),
                None => Err(Failure::usage(sentence)),
            }
        }
        Err(help_or_version) => printed(help_or_version.print()),
    }
}

/// The text of `--version` after the name: the version, the revision and the SIMD level.
fn version(revision: Revision) -> String {
    let revision = revision.map_or(String::new(), |revision| format!("revision {revision}, "));
    format!("{} ({revision}{})", env!("CARGO_PKG_VERSION"), SimdLevel::best().name())
}

/// A command that failed.
#[derive(Debug)]
struct Failure {
    /// The exit status.
    status: u8,
    message: String,
}

/// The result of a command or a part of it. A command that did not fail has an exit status: 0, or
/// the status of the signal that ended it early.
type Outcome<T> = Result<T, Failure>;

impl From<ProgramError> for Failure {
    /// An error before the first step: the flags ask for something impossible, or for too much
    /// memory.
    fn from(error: ProgramError) -> Self {
        let status = match &error {
            ProgramError::File { .. } => 1,
            #[cfg(feature = "window")]
            ProgramError::Display(_) => 1,
            _ => USAGE,
        };
        Self { status, message: error.sentence(&Flags) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        ProgramError::from(error).into()
    }
}

impl Failure {
    /// A flag that can't be used.
    fn usage(message: impl Into<String>) -> Self {
        Self { status: USAGE, message: message.into() }
    }

    /// The same with more to say.
    fn with(self, more: &str) -> Self {
        Self { message: self.message + more, ..self }
    }

    /// An error during the run, which the flags did not predict.
    fn midway(error: impl Into<ProgramError>) -> Self {
        Self::from(error.into()).late()
    }

    /// The same, during the run.
    fn late(self) -> Self {
        Self { status: 1, ..self }
    }
}

/// An error of the library as one sentence that names flags.
fn sentence(error: &Error) -> String {
    error.sentence(&Flags)
}

/// Fields as flags, counts and sizes as people type them.
struct Flags;

impl Terms for Flags {
    fn name(&self, field: Field) -> String {
        match field {
            field if args::world::is_flag(field) => format!("--{}", field.name()),
            Field::FrameSize => "--size".to_owned(),
            _ => field.name().to_owned(),
        }
    }

    fn suggested(&self, field: Field, value: Value) -> String {
        match value {
            Value::Count(count) => format!("{} {}", self.name(field), format::short(count as u32)),
            _ => self.given(field, value),
        }
    }

    fn bytes(&self, bytes: u64) -> String {
        format::bytes(bytes)
    }
}

/// Writes a line to stderr, or holds it for a host. Names of files can't control the terminal. A
/// closed stderr is no failure.
fn say(line: &str) {
    if held::hold(line) {
        return;
    }
    #[cfg(feature = "mpi")]
    if ranks::is_silent() {
        return;
    }
    let line = format::printable(line);
    let _ = progress::aside(|| writeln!(io::stderr(), "jostle: {line}"));
}

/// A report as JSON on one line.
fn json(report: &impl Serialize) -> String {
    serde_json::to_string(report).map_or_else(|error| error.to_string(), |json| json + "\n")
}

/// Writes data to stdout, in color if stdout shows it.
fn print(text: &str) -> Outcome<u8> {
    let mut stdout = anstream::stdout().lock();
    printed(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Writes results to stdout, or to stderr if stdout gets a file.
fn print_beside(stdout_is_taken: bool, text: &str) -> Outcome<u8> {
    if !stdout_is_taken {
        return print(text);
    }
    // A closed stderr is no failure.
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
    Ok(0)
}

/// The outcome of printing to stdout, which may be closed.
fn printed(outcome: io::Result<()>) -> Outcome<u8> {
    match outcome {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => {
            Err(output::file_error("stdout".as_ref(), source).into())
        }
        _ => Ok(0),
    }
}
