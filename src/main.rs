//! The program `jostle`: parse, do what was asked for, say how it ended.

mod cli;
mod cmd;

use std::process::ExitCode;

use cmd::{Ended, say};

fn main() -> ExitCode {
    let ended = match cli::parse() {
        Ok(command) => cmd::dispatch(command),
        Err(refused) if refused.is_help() => cmd::printed(refused.print()),
        Err(refused) => {
            say(&refused.sentence());
            return ExitCode::from(cmd::USAGE);
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
