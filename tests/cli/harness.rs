//! Runs the real binary in a folder of its own, with no display and no colors in its environment.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// The binary under test.
pub(crate) const JOSTLE: &str = env!("CARGO_BIN_EXE_jostle");

/// Exit status and output.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A temporary folder as the working directory of the program.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder to run in"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Sorted names in the folder, hidden ones included.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder()).expect("the folder can be read");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// A command in this folder.
    pub(crate) fn command(&self, program: &str) -> Command {
        #[cfg(unix)]
        accept_interrupts();
        let mut command = Command::new(program);
        command.current_dir(self.folder()).stdin(Stdio::null());
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "NO_COLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs jostle with arguments that are separated by spaces.
    pub(crate) fn jostle(&self, args: &str) -> Ended {
        ended(&mut jostle(self, args))
    }

    /// Runs `jostle run --json`, which has to succeed without messages, except about fast agents.
    pub(crate) fn json(&self, args: &str) -> Value {
        let ended = self.jostle(&format!("run --json {args}"));
        let quiet = ended.stderr.is_empty() || ended.line().contains("--substeps");
        assert!(ended.status == Some(0) && quiet, "{args}: {ended:?}");
        parse(&ended.stdout)
    }
}

/// Lets programs begin with SIGINT as it is by default, also if the tests run where it is ignored, as
/// behind `nohup` or `&` of a script: a handler of this process ends with it, an ignored signal does
/// not. The handler does what the default does.
#[cfg(unix)]
fn accept_interrupts() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        use signal_hook::{consts::SIGINT, flag::register_conditional_default};
        let always = std::sync::Arc::new(true.into());
        register_conditional_default(SIGINT, always).expect("a handler");
    });
}

/// A jostle command in a folder.
pub(crate) fn jostle(place: &Place, args: &str) -> Command {
    let mut command = place.command(JOSTLE);
    command.args(args.split_whitespace());
    command
}

/// Runs a command to its end.
pub(crate) fn ended(command: &mut Command) -> Ended {
    said(command.output().expect("the program can be started"))
}

/// The output as text.
pub(crate) fn said(Output { status, stdout, stderr }: Output) -> Ended {
    let text = |bytes| String::from_utf8(bytes).expect("what it prints is UTF-8");
    Ended { status: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// One JSON object on one line.
pub(crate) fn parse(stdout: &str) -> Value {
    assert_eq!(stdout.lines().count(), 1, "one line: {stdout}");
    serde_json::from_str(stdout).expect("an object of JSON")
}

impl Ended {
    /// The only line on stderr, a message of jostle and no panic.
    #[track_caller]
    pub(crate) fn line(&self) -> &str {
        let line = self.stderr.strip_suffix('\n').unwrap_or("");
        assert!(line.starts_with("jostle: ") && !line.contains('\n'), "one line: {self:?}");
        assert!(!line.contains("panicked"), "{self:?}");
        line
    }
}

/// True if the system has that program.
pub(crate) fn works(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Prints why a test is skipped.
pub(crate) fn skip(test: &str, why: &str) {
    eprintln!("{test} skipped: {why}");
}
