//! The program `jostle`.

use std::process::ExitCode;

use git_version::git_version;

/// The revision that this was built from; empty outside of a repository.
const REVISION: &str = git_version!(args = ["--always", "--dirty", "--exclude=*"], fallback = "");

fn main() -> ExitCode {
    jostle::cli::main(REVISION)
}
