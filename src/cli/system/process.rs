//! Starting the program again in this process.
//!
//! Fallback: it goes on as it is.

/// Starts the program again with the same arguments and with these variables, unless one of them is
/// set. Returns if it is, or if the system can't.
#[cfg(unix)]
pub(in crate::cli) fn restart_with(variables: &[(&str, &str)]) {
    use std::{env, os::unix::process::CommandExt, process::Command};
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

#[cfg(not(unix))]
pub(in crate::cli) fn restart_with(_: &[(&str, &str)]) {}
