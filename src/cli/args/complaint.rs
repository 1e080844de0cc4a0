//! What clap has to say, in one line: the value, the limit and the remedy.

use std::{error::Error as _, io};

use crate::names::may_mean;
use clap::{
    Command, CommandFactory,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::Cli;

/// Why there is no command to run: help was asked for, or a flag can't be used.
#[derive(Debug)]
pub(crate) struct Refused(clap::Error);

impl From<clap::Error> for Refused {
    fn from(error: clap::Error) -> Self {
        Self(error)
    }
}

impl Refused {
    /// True if nothing is wrong: help or the version was asked for.
    pub(crate) fn is_help(&self) -> bool {
        matches!(self.0.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
    }

    /// Prints the help or the version to stdout, in color where stdout shows it.
    pub(crate) fn print(&self) -> io::Result<()> {
        self.0.print()
    }

    /// The complaint as one sentence.
    pub(crate) fn sentence(&self) -> String {
        let error = &self.0;
        let flag = self.text(ContextKind::InvalidArg).unwrap_or_default();
        let value = self.text(ContextKind::InvalidValue).unwrap_or_default();
        if let (ErrorKind::ValueValidation, Some(reason)) = (error.kind(), error.source()) {
            let flag = flag.split(' ').next().unwrap_or_default();
            return format!("{flag} {} {reason}", quoted(&value));
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
            (self.text(ContextKind::InvalidSubcommand), self.text(ContextKind::PriorArg))
        {
            return format!("{flag} comes after the command: jostle {command} {flag}");
        }
        let rendered = error.render().to_string();
        let said = rendered.lines().next().unwrap_or_default();
        let said = said.strip_prefix("error: ").unwrap_or(said);
        let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand]
            .into_iter()
            .find_map(|kind| self.text(kind))
            .filter(|name| {
                let typed = said.split('\'').nth(1).unwrap_or_default();
                let [typed, name] = [typed, name].map(|word| word.trim_start_matches('-'));
                may_mean(typed, name)
            })
            .map(|name| format!("did you mean {name}? "));
        format!("{said}; {}try --help", suggested.unwrap_or_default())
    }

    fn text(&self, kind: ContextKind) -> Option<String> {
        match self.0.get(kind)? {
            ContextValue::String(text) => Some(text.clone()),
            ContextValue::Strings(texts) => texts.first().cloned(),
            _ => None,
        }
    }
}

/// The commands that have that flag.
fn owners(flag: &str) -> Vec<String> {
    let has = |command: &&Command| command.get_arguments().any(|arg| arg.get_long() == Some(flag));
    let program = Cli::command();
    let owners = program.get_subcommands().filter(has);
    owners.map(|command| format!("jostle {}", command.get_name())).collect()
}

/// A value as it was written, in quotes where it would not be seen for itself.
pub(super) fn quoted(value: &str) -> String {
    if value.is_empty() || value.contains(char::is_whitespace) {
        format!("{value:?}")
    } else {
        value.to_string()
    }
}
