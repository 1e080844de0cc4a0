//! A run of the program that always ends. After some seconds it is interrupted, and must then stop
//! at the end of its step. In a step of minutes, as with the naive search or where speed presses
//! all agents into the corners, a second interrupt must end it.

use std::{
    os::unix::fs::symlink,
    process::{Command, Stdio},
    sync::mpsc::channel,
    thread,
    time::Duration,
};

use crate::harness::{Ended, JOSTLE, Place, said, works};

/// Time after which a run is interrupted.
const RUNS: Duration = Duration::from_secs(3);

/// Time within which an interrupted run stops, on a busy machine, too.
const STOPS: Duration = Duration::from_secs(30);

/// Address space in KiB, so that no line takes the memory of the machine.
const MEMORY: &str = "4000000";

/// The former contents of a file.
pub(crate) const KEPT: &str = "kept";

/// A folder with a file, a folder, and links to a file, to nothing, and to themselves.
pub(crate) fn place() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("d")).expect("a folder");
    std::fs::write(place.path("kept.png"), KEPT).expect("a file");
    for (target, name) in
        [("kept.png", "link.png"), ("nothing.gif", "dangling.gif"), ("loop.png", "loop.png")]
    {
        symlink(target, place.path(name)).expect("a link");
    }
    place
}

/// A run and whether it was interrupted.
pub(crate) struct Bounded {
    pub(crate) ended: Ended,
    pub(crate) interrupted: bool,
}

/// The program with limited memory.
pub(crate) fn limited(place: &Place, args: &[String]) -> Command {
    let mut command = place.command("sh");
    command.args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""), JOSTLE]).args(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program; `Err` if it hangs.
pub(crate) fn run(place: &Place, args: &[String]) -> Result<Bounded, String> {
    let has_slow_steps =
        args.iter().any(|arg| matches!(arg.as_str(), "bench" | "--index" | "--speed"));
    let child = limited(place, args).spawn().expect("the program can be started");
    let id = child.id();
    let (done, ended) = channel();
    thread::spawn(move || done.send(child.wait_with_output()));
    let signal = |name: &str| works("sh", &["-c", &format!("kill -{name} {id}")]);
    let (output, interrupted) = if let Ok(output) = ended.recv_timeout(RUNS) {
        (output, false)
    } else {
        signal("INT");
        let mut output = ended.recv_timeout(STOPS);
        if output.is_err() && has_slow_steps {
            signal("INT");
            output = ended.recv_timeout(STOPS);
        }
        let Ok(output) = output else {
            signal("KILL");
            return Err("it hangs".to_owned());
        };
        (output, true)
    };
    Ok(Bounded { ended: said_anyhow(output.expect("its output")), interrupted })
}

/// The output, whose stdout may be a picture.
fn said_anyhow(mut output: std::process::Output) -> Ended {
    if str::from_utf8(&output.stdout).is_err() {
        output.stdout = b"binary".to_vec();
    }
    said(output)
}
