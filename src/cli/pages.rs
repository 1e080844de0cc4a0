//! `jostle man` and `jostle completions`: what a package installs beside the program, made from the
//! flags themselves.

use std::{fmt::Write as _, io};

use clap::Command;
use clap_mangen::Man;

use super::{
    Failure, Outcome,
    args::{self, CompletionsArgs, ManArgs},
    print,
};

const STATUS: &str = "\
0    done, or stdout was closed
1    failed: a file, memory, or the display
2    flags that can't be parsed, are out of range or contradict each other
3    a check did not hold
130  stopped by Ctrl-C, after what was done was printed";

/// Prints the manual page of the program or of one command.
///
/// # Errors
/// If there is no such command, or stdout can't be written.
pub(super) fn man(args: &ManArgs) -> Outcome<u8> {
    // clap's own `help` has no page. Building gives the commands their full names.
    let mut program = args::program(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
    program.build();
    let names: Vec<_> = program.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    let command = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                return Err(Failure::usage(format!(
                    "jostle has no command {name:?}; there are {}",
                    names.join(", ")
                )));
            }
        },
    };
    let others = names.iter().filter(|&name| Some(name) != args.command.as_ref());
    let mut related: Vec<_> = others.map(|name| format!("jostle-{name}(1)")).collect();
    if args.command.is_some() {
        related.insert(0, "jostle(1)".to_owned());
    }
    // Writing to a vector does not fail.
    let mut page = Vec::new();
    let _ = write_page(command, &related, &mut page);
    print(&String::from_utf8_lossy(&page))
}

/// Prints the completions for a shell.
///
/// # Errors
/// If stdout can't be written.
pub(super) fn completions(args: &CompletionsArgs) -> Outcome<u8> {
    let mut script = Vec::new();
    let mut program = args::program(env!("CARGO_PKG_VERSION"));
    clap_complete::generate(args.shell, &mut program, "jostle", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// The synopsis is the usage of `--help`: a page would list all flags there. What follows the flags
/// in `--help` has columns, which a page would fill into paragraphs.
fn write_page(mut command: Command, related: &[String], page: &mut Vec<u8>) -> io::Result<()> {
    let usage = command.render_usage().to_string();
    let after = command.get_after_help().map(ToString::to_string);
    let is_program = command.get_name() == "jostle";
    let usage = usage.trim_start_matches("Usage:").to_owned();
    let man = Man::new(command.override_usage(usage))
        // No date, which would differ from build to build. An empty one would be left out of the line.
        .date(" ")
        .source(concat!("jostle ", env!("CARGO_PKG_VERSION")))
        .manual("User Commands");
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if is_program {
        man.render_subcommands_section(page)?;
    }
    let mut text = String::new();
    if let Some(after) = after {
        // `Films:` and `Keys:` are headings of their own.
        match after.split_once('\n') {
            Some((first, rest)) if first.ends_with(':') => {
                section(&mut text, first.trim_end_matches(':'), rest);
            }
            _ => section(&mut text, "EXAMPLES", &after),
        }
    }
    section(&mut text, "EXIT STATUS", STATUS);
    let _ = writeln!(text, ".SH \"SEE ALSO\"\n{}", escaped(&related.join(", ")));
    page.extend(text.into_bytes());
    Ok(())
}

/// Appends a section whose lines stay as they are.
fn section(page: &mut String, heading: &str, text: &str) {
    let _ = writeln!(page, ".SH \"{}\"\n.nf", heading.to_uppercase());
    for line in text.lines() {
        // A line that begins with a dot or an apostrophe would be a request.
        let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
        let _ = writeln!(page, "{guard}{}", escaped(line));
    }
    page.push_str(".fi\n");
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('`', "\\`")
}
