//! Usage errors: what clap reports, as one line with the value, the limit and the remedy.

use std::error::Error as _;

use clap::{
    Command, CommandFactory, Error,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{Cli, names::may_mean};

/// The error as one sentence.
pub(crate) fn sentence(error: &Error) -> String {
    let text = |kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    };
    let flag = text(ContextKind::InvalidArg).unwrap_or_default();
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
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
        (text(ContextKind::InvalidSubcommand), text(ContextKind::PriorArg))
    {
        return format!("{flag} comes after the command: jostle {command} {flag}");
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
