//! The command line: flags, one file per command, and the ways out that they share.
//!
//! Data goes to stdout, everything else to stderr, a line each. A reader that closes its end of stdout
//! has seen enough: that is no failure.

mod args;
mod bench;
mod easel;
mod export;
mod format;
mod interrupt;
mod memory;
mod output;
mod progress;
mod record;
mod report;
mod run;
mod scenes;
#[cfg(feature = "window")]
mod studio;
mod summary;
mod watch;

use std::{
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

use self::args::Command;
use crate::Error;

/// Exit status for flags that can't be parsed, are out of range or contradict each other.
pub(crate) const USAGE: u8 = 2;

/// How a command came to its end without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Everything is done.
    Done,
    /// A signal ended it early; what was done until then is out. Holds the exit status.
    Signal(u8),
}

/// Runs the program: parses the flags, runs the command, and returns its exit status.
pub fn main() -> ExitCode {
    let ended = match args::parse() {
        Ok(command) => dispatch(command),
        Err(refused) if refused.is_help() => printed(refused.print()),
        Err(refused) => {
            say(&refused.sentence());
            return ExitCode::from(USAGE);
        }
    };
    match ended {
        Ok(Ended::Done) => ExitCode::SUCCESS,
        Ok(Ended::Signal(status)) => ExitCode::from(status),
        Err(failure) => {
            say(&failure.sentence);
            ExitCode::from(failure.status)
        }
    }
}

/// Runs one command.
fn dispatch(command: Command) -> Outcome<Ended> {
    match command {
        Command::Watch(args) => watch::watch(args),
        Command::Run(args) => run::run(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Record(args) => record::record(&args),
        Command::Scenes => scenes::scenes(),
    }
}

/// Why a command did not come to its end.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit status.
    pub(crate) status: u8,
    /// What is said about it.
    pub(crate) sentence: String,
}

/// What a command comes to.
type Outcome<T> = Result<T, Failure>;

impl From<Error> for Failure {
    /// Nothing ran yet: memory that isn't there was asked for by a flag.
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Invalid(_) | Error::Memory { .. } => USAGE,
            _ => 1,
        };
        Self { status, sentence: error.to_string() }
    }
}

impl Failure {
    /// It ran, and nobody could foresee the end.
    fn midway(error: Error) -> Self {
        Self { status: 1, ..error.into() }
    }
}

/// A line on stderr. Nobody may be reading it, which is no reason to stop.
pub(crate) fn say(line: &str) {
    let _ = progress::aside(|| writeln!(io::stderr(), "jostle: {line}"));
}

/// Data on stdout, with colors only where they show.
fn print(text: &str) -> Outcome<Ended> {
    let mut stdout = anstream::stdout().lock();
    printed(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// What became of an attempt to print.
pub(crate) fn printed(outcome: io::Result<()>) -> Outcome<Ended> {
    match outcome {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => {
            Err(output::failed("stdout".as_ref(), source).into())
        }
        _ => Ok(Ended::Done),
    }
}
