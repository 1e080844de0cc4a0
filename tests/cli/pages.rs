//! Manual pages and completions name every command and every flag that `--help` has.

use std::process::Command;

use crate::harness::Place;

const COMMANDS: [&str; 11] = [
    "watch",
    "run",
    "bench",
    "sweep",
    "record",
    "scenes",
    "info",
    "verify",
    "check",
    "man",
    "completions",
];

/// The commands that `--help` lists.
fn commands(place: &Place) -> Vec<String> {
    let help = place.jostle("--help").stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    // A long description goes on in the next line, which is indented further.
    let lines_with_names = names.filter(|name| COMMANDS.contains(name) || *name == "help");
    lines_with_names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The long flags of a command's help.
fn flags(help: &str) -> Vec<String> {
    let starts = help.lines().filter_map(|line| line.trim_start().split_once("--"));
    let flags = starts.filter(|(before, _)| before.is_empty() || before.ends_with(", "));
    let name = |rest: &str| rest.split([' ', '[', '=', ',']).next().unwrap_or("").to_owned();
    flags.map(|(_, rest)| format!("--{}", name(rest))).collect()
}

#[test]
fn every_command_has_a_page_with_its_flags() {
    let place = Place::new();
    assert_eq!(commands(&place), COMMANDS, "as --help lists them");
    for command in COMMANDS {
        let ended = place.jostle(&format!("man {command}"));
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{command}");
        let page = ended.stdout.replace('\\', "");
        let title =
            format!(".TH jostle-{command} 1 \" \" \"jostle {}\" ", env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&title), "{title}\n{page}");
        let flags = flags(&place.jostle(&format!("{command} --help")).stdout);
        assert!(flags.contains(&"--help".to_owned()), "{command}: {flags:?}");
        for flag in flags {
            assert!(page.contains(&flag), "{command} {flag}\n{page}");
        }
        for other in COMMANDS.iter().filter(|&&other| other != command) {
            assert!(page.contains(&format!("jostle-{other}(1)")), "{command} names {other}");
        }
    }
}

#[test]
fn an_unknown_shell_is_refused_with_those_that_there_are() {
    let ended = Place::new().jostle("completions nosh");
    let told = "jostle: nosh is none of bash, elvish, fish, powershell, zsh\n";
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(2), told));
}

#[test]
fn the_page_of_the_program_names_every_command() {
    let ended = Place::new().jostle("man");
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    let page = ended.stdout.replace('\\', "");
    for command in COMMANDS {
        assert!(page.contains(&format!("jostle-{command}(1)")), "{command}\n{page}");
    }
    assert!(!page.contains("jostle-help"), "which has no page: {page}");
    assert!(page.contains(".SH \"EXIT STATUS\""), "{page}");
    assert!(page.contains("jostle run --steps 300 --json"), "its examples: {page}");
}

#[test]
fn a_page_of_no_command_is_refused() {
    let ended = Place::new().jostle("man walk");
    assert_eq!(ended.status, Some(2));
    assert_eq!(
        ended.stderr,
        format!("jostle: jostle has no command \"walk\"; there are {}\n", COMMANDS.join(", "))
    );
}

#[test]
fn completions_name_every_command_and_flag() {
    let place = Place::new();
    let flags = flags(&place.jostle("run --help").stdout);
    assert!(flags.len() > 20, "{flags:?}");
    for shell in ["bash", "zsh", "fish"] {
        let ended = place.jostle(&format!("completions {shell}"));
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{shell}");
        for command in COMMANDS {
            assert!(ended.stdout.contains(command), "{shell} {command}");
        }
        for flag in &flags {
            // fish has flags without dashes.
            assert!(ended.stdout.contains(&flag[2..]), "{shell} {flag}");
        }
    }
}

/// `jostle run --sc<Tab>` in bash.
#[test]
fn bash_completes_a_flag() {
    let place = Place::new();
    let script = place.jostle("completions bash").stdout
        + "\nCOMP_WORDS=(jostle run --sc) COMP_CWORD=2\n_jostle jostle --sc run\necho \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["--norc", "-c", &script]).output().expect("bash");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "--scene\n", "{output:?}");
}

#[test]
fn a_file_alone_is_opened() {
    let place = Place::new();
    let saved = place.jostle("run --agents 1k --steps 20 --save end.jostle --json");
    assert_eq!(saved.status, Some(0), "{}", saved.stderr);
    // Without a display, the window runs on from the snapshot for 600 steps.
    let opened = place.jostle("end.jostle");
    let loaded = place.jostle("--load end.jostle");
    assert_eq!((opened.status, loaded.status), (Some(0), Some(0)), "{}", opened.stderr);
    assert!(opened.stdout.contains("gas"), "{}", opened.stdout);
    let exported = place.jostle("run --agents 300 --steps 0 --export agents.csv --json");
    assert_eq!(exported.status, Some(0), "{}", exported.stderr);
    for (alone, flag) in [
        ("run agents.csv --steps 9 --json", "run --start agents.csv --steps 9 --json"),
        ("agents.csv --seed 4", "--start agents.csv --seed 4"),
        ("run other.csv", "run --start other.csv"),
        ("--seed 4 agents.csv", "--start agents.csv --seed 4"),
        ("run --steps 9 --json agents.csv", "run --start agents.csv --steps 9 --json"),
        ("run end.jostle --steps 9 --json", "run --load end.jostle --steps 9 --json"),
        ("run other.jostle", "run --load other.jostle"),
    ] {
        let [alone, flag] = [alone, flag].map(|line| place.jostle(line));
        assert_eq!(alone.status, flag.status, "{}", alone.stderr);
        let hash = |text: &str| {
            let word = text.split("state_hash").nth(1);
            word.map(|rest| rest.chars().take(24).collect::<String>())
        };
        assert_eq!(hash(&alone.stdout), hash(&flag.stdout));
        assert_eq!(
            hash(&alone.stdout).is_some(),
            alone.stdout.starts_with('{'),
            "{}",
            alone.stdout
        );
        assert!(!alone.stderr.contains("subcommand"), "{}", alone.stderr);
    }
    let film = place.jostle("record end.jostle --steps 3 --size 160x120 end.gif");
    assert_eq!(film.status, Some(0), "{}", film.stderr);
    let missing = place.jostle("other.jostle");
    assert_eq!(missing.status, place.jostle("--load other.jostle").status);
    assert!(missing.stderr.contains("other.jostle"), "{}", missing.stderr);
}
