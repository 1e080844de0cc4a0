//! Starting programs: this one again in its process, and others beside it.
//!
//! Fallback: the program goes on as it is, and a signal to it reaches the others, too.

use std::process::Command;

/// Lets Ctrl-C in a terminal reach this program alone, and not the one that it starts.
#[cfg(unix)]
pub(in crate::cli) fn in_group_of_its_own(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(in crate::cli) fn in_group_of_its_own(_: &mut Command) {}

/// Starts the program again with the same arguments and with these variables, unless one of them is
/// set. Returns if it is, or if the system can't.
#[cfg(all(unix, feature = "window"))]
pub(in crate::cli) fn restart_with(variables: &[(&str, &str)]) {
    use std::{env, os::unix::process::CommandExt};
    if variables.iter().any(|(name, _)| env::var_os(name).is_some()) {
        return;
    }
    let mut words = env::args_os();
    if let (Ok(program), Some(called)) = (env::current_exe(), words.next()) {
        // Returns only if it fails.
        let variables = variables.iter().copied();
        let _ = Command::new(program).arg0(called).args(words).envs(variables).exec();
    }
}

#[cfg(all(not(unix), feature = "window"))]
pub(in crate::cli) fn restart_with(_: &[(&str, &str)]) {}
