//! Random command lines. Flags are those that `--help` names; each gets mostly values of its own
//! kind: common ones, the first and last that are allowed, and those beyond.

use std::{fmt, sync::LazyLock};

use proptest::{prelude::*, sample::select};

use crate::harness::{JOSTLE, Place, ended};

/// Values that are wrong for most flags.
const STRANGE: &[&str] = &[
    "",
    " ",
    "-",
    "--",
    "-1",
    "0",
    "1",
    "abc",
    "1e9",
    "1e39",
    "-1e39",
    "1e-45",
    "NaN",
    "inf",
    "-inf",
    "0x10",
    "1,2",
    "1;2",
    "18446744073709551616",
    "99999999999999999999999999",
    "٣",
    "é",
    "\u{1F600}",
    "a b",
    "1 2",
    "1k",
    "1.5M",
    "1_000",
    "1__0",
    "_1",
    "+1",
    "1e",
    "1e+",
    ".5",
    "5.",
    "all",
    "on",
    "../a",
    "%s%n",
    "$(id)",
    "'",
    "\"",
];

/// Values by the name of the flag.
const KINDS: &[(&[&str], &[&str])] = &[
    (
        &["agents"],
        &[
            "1",
            "2",
            "100",
            "300",
            "1k",
            "1.5k",
            "3_000",
            "1e3",
            "0",
            "-5",
            "1.5",
            "4294967295",
            "1G",
            "100k,200",
        ],
    ),
    (
        &["scene"],
        &[
            "gas",
            "mixed",
            "giants",
            "burst",
            "sparse",
            "pile",
            "pegs",
            "cannon",
            "melee",
            "dam",
            "shear",
            "shock",
            "crystal",
            "cooling",
            "gaz",
            "GAS",
            "gas,mixed",
            "all",
        ],
    ),
    (
        &["radius"],
        &[
            "0.5..1.0", "1", "0.1", "0.5..50", "2..1", "0", "1e-20", "1e20", "0.5..", "..1",
            "1..1e6", "3",
        ],
    ),
    (&["density"], &["0.3", "0.5", "0.9", "1", "0", "1e-9", "0.91", "0.7", "1e-30"]),
    (
        &["world"],
        &[
            "100x100",
            "300x200",
            "1x1",
            "0x5",
            "1e6x1e6",
            "1e30x1e30",
            "100",
            "100x",
            "5x1e5",
            "-3x3",
        ],
    ),
    (&["speed"], &["6", "0", "0.1", "100", "1e6", "1e30", "-1"]),
    (&["restitution"], &["1", "0", "0.5", "1.01", "-0.1"]),
    (&["gravity"], &["0", "10", "60", "-10", "1e6", "1e30"]),
    (&["hz"], &["60", "1", "0.001", "505", "1e6", "0", "1e30"]),
    (&["substeps"], &["1", "2", "64", "0", "1000000"]),
    (&["solver"], &["auto", "impulse", "contact", "resting"]),
    (&["boundary"], &["walls", "periodic", "periodic-x", "torus"]),
    (&["collisions"], &["overlap", "swept", "late"]),
    (&["sleep"], &["on", "off", "maybe"]),
    (&["seed"], &["0", "1", "18446744073709551615", "18446744073709551616"]),
    (&["threads"], &["1", "2", "3", "16", "17", "256", "1000", "0", "1,2"]),
    (
        &["index"],
        &[
            "double-grid",
            "linked-double-grid",
            "loose-quadtree",
            "quadtree",
            "unit-grid",
            "spatial-hash",
            "naive",
            "grid",
            "all",
            "naive,unit-grid",
        ],
    ),
    (&["simd"], &["auto", "avx512", "avx2", "neon", "scalar", "sse"]),
    (&["cell"], &["2", "8", "100", "1e-5", "1e9", "0"]),
    (&["tight"], &["1", "2", "8", "1000", "0"]),
    (&["steps", "warmup", "repeats"], &["0", "1", "3", "10", "1e15", "1e30", "-1"]),
    (&["limit"], &["2", "0.0001", "1e-9", "0", "1e9"]),
    (&["size"], &["64x48", "1x1", "320x180", "16384x1", "20000x20000", "0x0", "64", "1e9x1e9"]),
    (&["view"], &["10,10,20", "0,0,1e9", "1e30,0,1", "5,5,0", "5,5"]),
    (&["color-by"], &["speed", "size", "start", "cell", "contacts", "faction", "color"]),
    (&["palette"], &["inferno", "magma", "plasma", "viridis", "cividis", "plasm"]),
    (&["overlay"], &["none", "loose", "tight", "contacts", "velocities", "density", "cells"]),
    (&["draw-order"], &["cell", "random", "id"]),
    (&["input"], &["id", "cell", "random"]),
    (&["fps"], &["30", "29.97", "30000/1001", "50", "60", "1e9", "1/0", "0.0000001", "100"]),
    (&["film"], &["apng", "gif", "y4m", "mp4"]),
    (&["film-time"], &["simulated", "wall", "real"]),
    (&["film-rate"], &["30", "60", "50"]),
    (&["film-size"], &["window", "1920x1080", "64x48"]),
    (&["present"], &["auto", "gpu", "cpu", "vulkan"]),
    (
        &["frame", "export", "svg", "FILE"],
        &[
            "a.png",
            "a.PNG",
            "a.csv",
            "a.npz",
            "a.svg",
            "a.gif",
            "a.apng",
            "a.y4m",
            "f-%05d.png",
            "f-%d.png",
            "a.mp4",
            "a",
            "-",
            "d",
            "d/a.png",
            "d/a.gif",
            "none/a.csv",
            "kept.png",
            "link.png",
            "dangling.gif",
            "loop.png",
            "/dev/null",
            "/dev/full",
            "/proc/a.png",
        ],
    ),
];

/// Numbers that keep a run short unless the line has others.
const SHORT: &[(&str, &str)] =
    &[("agents", "300"), ("steps", "3"), ("warmup", "1"), ("repeats", "1"), ("size", "64x48")];

/// One flag of a command.
#[derive(Clone, Debug)]
struct Flag {
    name: String,
    takes_value: bool,
}

/// The commands and their flags.
static COMMANDS: LazyLock<Vec<(&str, Vec<Flag>)>> = LazyLock::new(|| {
    ["run", "bench", "record", "watch", "scenes", ""].map(|name| (name, flags(name))).into()
});

/// The flags that `--help` names.
fn flags(command: &str) -> Vec<Flag> {
    let place = Place::new();
    let mut help = place.command(JOSTLE);
    let help = ended(help.args(command.split_whitespace()).arg("--help"));
    assert_eq!(help.status, Some(0), "{help:?}");
    let named = help.stdout.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
    let flags: Vec<Flag> = named
        .map(|line| {
            let mut words = line.split_whitespace();
            let first = words.next().unwrap_or_default();
            // `--panel[=<on|off>]`
            let name = first.split('[').next().unwrap_or_default().to_owned();
            Flag { name, takes_value: words.next().is_some_and(|word| word.starts_with('<')) }
        })
        .collect();
    assert!(flags.len() > 15 || command == "scenes", "{command}: {flags:?}");
    flags
}

/// A command line. `Display` shows it as a shell takes it.
#[derive(Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) command: &'static str,
    /// Flags without `--` and their values; the name is empty for a value that stands alone.
    pub(crate) flags: Vec<(String, Option<String>)>,
}

impl Line {
    /// The arguments of the program: the arguments of the line, and flags that keep the run short.
    pub(crate) fn args(&self) -> Vec<String> {
        let mut args = vec![self.command.to_owned()];
        args.retain(|command| !command.is_empty());
        let known = COMMANDS.iter().find(|(name, _)| *name == self.command);
        let takes = |flag: &str| known.is_some_and(|(_, all)| all.iter().any(|it| it.name == flag));
        for &(name, value) in SHORT {
            // A size without a picture would be refused.
            let fits = name != "size" || self.command == "record" || self.has("frame");
            if takes(name) && fits && !self.has(name) {
                args.extend([format!("--{name}"), value.to_owned()]);
            }
        }
        for (name, value) in &self.flags {
            if !name.is_empty() {
                args.push(format!("--{name}"));
            }
            args.extend(value.clone());
        }
        args
    }

    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|(name, _)| name == flag)
    }

    /// The line with another value of a flag.
    pub(crate) fn set(&mut self, flag: &str, value: Option<String>) {
        self.flags.retain(|(name, _)| name != flag);
        self.flags.push((flag.to_owned(), value));
    }
}

impl fmt::Display for Line {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "jostle")?;
        for arg in self.args() {
            let plain = |char: char| char.is_ascii_alphanumeric() || "-_.,/%=+".contains(char);
            if !arg.is_empty() && arg.chars().all(plain) {
                write!(to, " {arg}")?;
            } else {
                write!(to, " '{}'", arg.replace('\'', r"'\''"))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

/// Any command with up to seven flags, a file for `record`, and seldom a value that stands alone.
pub(crate) fn lines() -> impl Strategy<Value = Line> {
    let commands: Vec<usize> = vec![0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5];
    select(commands).prop_flat_map(|at| {
        let (command, flags) = &COMMANDS[at];
        let pairs = proptest::collection::vec(flag(flags.clone()), 0..7);
        let file = prop_oneof![19 => Just(*command == "record"), 1 => proptest::bool::ANY];
        (pairs, file, value("FILE")).prop_map(|(mut flags, has_file, file)| {
            if has_file {
                flags.push((String::new(), Some(file)));
            }
            Line { command, flags }
        })
    })
}

/// A flag with a value; seldom without one, or with one that it does not take.
fn flag(flags: Vec<Flag>) -> impl Strategy<Value = (String, Option<String>)> {
    (select(flags), 0..30).prop_flat_map(|(flag, chance)| {
        let takes = flag.takes_value != (chance == 0);
        value(&flag.name).prop_map(move |value| (flag.name.clone(), takes.then_some(value)))
    })
}

/// A value for that flag, one in seven a strange one.
fn value(flag: &str) -> impl Strategy<Value = String> + use<> {
    let own = KINDS.iter().find(|(flags, _)| flags.contains(&flag)).map_or(STRANGE, |kind| kind.1);
    prop_oneof![6 => select(own), 1 => select(STRANGE)].prop_map(str::to_owned)
}
