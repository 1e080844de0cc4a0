//! Arguments of a host as flags of `jostle run`, so that both have the same names, limits and
//! sentences.

use std::ffi::OsString;

use clap::{Arg, Command};

use super::error::{HostError, HostResult};
use crate::{
    cli::args::{RunArgs, parse_run, run_flags},
    names::unknown,
};

/// The value of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostValue {
    /// On or off.
    Switch(bool),
    /// A number, a name or a path, as people type it.
    Text(OsString),
    /// Several numbers: a width and a height, or the smallest and the largest radius.
    List(Vec<String>),
    /// Names with their numbers.
    Settings(Vec<(String, String)>),
}

/// An argument: its name and its value.
pub type HostArgument = (String, HostValue);

/// What arguments are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentScope {
    /// A run, and how its frames look.
    Run,
    /// One frame.
    Frame,
}

impl ArgumentScope {
    /// True if an argument can be a flag.
    fn has(self, flag: &Arg) -> bool {
        let name = flag.get_long().unwrap_or_default();
        match flag.get_help_heading().unwrap_or_default() {
            // They belong to the process, and to the command.
            _ if ["threads", "frame", "draw"].contains(&name) => false,
            "Picture" | "Style" => true,
            "World" | "Machine" => self == Self::Run,
            _ => self == Self::Run && name == "load",
        }
    }
}

/// True if an argument of a run is about its frames alone.
pub(super) fn is_of_frame(name: &str) -> bool {
    find(&run_flags(), ArgumentScope::Frame, name).is_some()
}

/// The flags that arguments stand for.
///
/// # Errors
/// If one has an unknown name, or a value that can't be used.
pub(super) fn parse(scope: ArgumentScope, arguments: &[HostArgument]) -> HostResult<RunArgs> {
    let mut flags = run_flags();
    let mut typed = Vec::new();
    for (name, value) in arguments {
        let Some(flag) = find(&flags, scope, name) else {
            return Err(HostError::Value(unusable(&flags, scope, name)));
        };
        typed.extend(as_typed(flag, name, value)?);
    }
    parse_run(&mut flags, &typed).map_err(|why| HostError::value(&why))
}

fn find<'f>(flags: &'f Command, scope: ArgumentScope, name: &str) -> Option<&'f Arg> {
    let is_it = |flag: &&Arg| {
        scope.has(flag) && flag.get_long().is_some_and(|long| long.replace('-', "_") == name)
    };
    flags.get_arguments().find(is_it)
}

/// Why there is no argument of that name.
fn unusable(flags: &Command, scope: ArgumentScope, name: &str) -> String {
    let is_flag = flags
        .get_arguments()
        .any(|flag| flag.get_long().is_some_and(|long| long.replace('-', "_") == name));
    match name {
        "threads" => "threads belong to the process; call set_threads".to_owned(),
        "steps" | "seconds" | "warmup" => format!("{name} is no argument; call step"),
        _ if is_flag && scope == ArgumentScope::Frame => {
            format!("{name} belongs to a run, not to a frame of it; leave it out")
        }
        _ if is_flag => format!("{name} belongs to the command jostle run; leave it out"),
        _ => {
            let all = flags.get_arguments().filter(|flag| scope.has(flag));
            let all: Vec<_> =
                all.filter_map(|flag| Some(flag.get_long()?.replace('-', "_"))).collect();
            let all: Vec<_> = all.iter().map(String::as_str).collect();
            format!("{name} {}", unknown(name, "argument", &all))
        }
    }
}

/// The arguments of the command line for a value.
fn as_typed(flag: &Arg, name: &str, value: &HostValue) -> HostResult<Vec<OsString>> {
    let long = flag.get_long().unwrap_or_default();
    let with = |value: OsString| {
        let mut typed = OsString::from(format!("--{long}="));
        typed.push(value);
        vec![typed]
    };
    let refused = |why: &str| Err(HostError::Value(format!("{name} {why}")));
    match value {
        HostValue::Switch(on) if !flag.get_action().takes_values() => {
            Ok(if *on { vec![format!("--{long}").into()] } else { Vec::new() })
        }
        _ if !flag.get_action().takes_values() => refused("is a switch: expected true or false"),
        HostValue::Settings(settings) if long == "set" => Ok(settings
            .iter()
            .flat_map(|(name, value)| with(format!("{name}={value}").into()))
            .collect()),
        _ if long == "set" => refused("needs names with numbers, such as {\"pull\": 0.5}"),
        HostValue::Settings(_) => refused("has no names; give it one value"),
        HostValue::Switch(on) => Ok(with(if *on { "on" } else { "off" }.into())),
        HostValue::Text(text) => Ok(with(text.clone())),
        HostValue::List(numbers) => {
            let (separator, count) = match long {
                "radius" => ("..", 2),
                "world" | "size" => ("x", 2),
                "view" => (",", 3),
                _ => return refused("is no list; give it one value"),
            };
            if numbers.len() != count {
                let found = numbers.len();
                return refused(&format!("has {found} numbers: expected {count}"));
            }
            Ok(with(numbers.join(separator).into()))
        }
    }
}
