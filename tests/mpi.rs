//! The program under mpirun: what it prints and writes is that of one process.
//!
//! Needs the feature `mpi`, and `mpirun` of Open MPI.

use std::{
    ffi::OsStr,
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jostle");

/// The program with flags, as that many ranks.
fn on_ranks(ranks: usize, folder: &Path, flags: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new("mpirun");
    // More ranks than cores, and tests that run as root in a container.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    command.args(["-n", &ranks.to_string(), PROGRAM]).args(flags).current_dir(folder);
    command.stdin(Stdio::null());
    command
}

fn alone(folder: &Path, flags: &[impl AsRef<OsStr>]) -> Output {
    let output = Command::new(PROGRAM).args(flags).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn done(mut command: Command) -> Output {
    let output = command.output().expect("mpirun is installed");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn runs_have_the_report_of_one_process() {
    let folder = folder();
    let gas = ["--agents", "20k"];
    let mixed = ["--scene", "mixed", "--density", "0.5", "--agents", "20k"];
    let giants = ["--scene", "giants", "--boundary", "periodic", "--agents", "20k"];
    let warm = ["--warmup", "7", "--hash-every", "5"];
    let giants = [&giants[..], &warm].concat();
    let shear = ["--scene", "shear", "--friction", "0.3", "--agents", "20k"];
    let swept = ["--collisions", "swept", "--boundary", "periodic"];
    let swept = [&mixed[..2], &swept, &gas].concat();
    let pile = ["--scene", "pile", "--friction", "0.4", "--agents", "9k", "--warmup", "60"];
    let dam = ["--scene", "dam", "--agents", "9k"];
    let melee = ["--scene", "melee", "--agents", "9k", "--warmup", "120"];
    let cannon = ["--scene", "cannon", "--agents", "3k", "--warmup", "200"];
    let worlds = ["particle-life", "predators", "epidemic", "hourglass"]
        .map(|name| format!("{}/worlds/{name}.toml", env!("CARGO_MANIFEST_DIR")));
    let [life, predators, epidemic, hourglass] = worlds.each_ref().map(|world| ["--scene", world]);
    let life = [&life[..], &gas].concat();
    let cases = [
        (&gas[..], &[1, 2, 3, 4, 7, 8][..]),
        (&mixed, &[2, 7]),
        (&giants, &[3, 8]),
        (&shear, &[2, 7]),
        (&swept, &[3, 4]),
        (&life, &[2, 3]),
        (&predators, &[3]),
        (&epidemic, &[3]),
        (&pile, &[2, 3, 4]),
        (&dam, &[2]),
        (&melee, &[2, 3]),
        (&cannon, &[2, 3]),
        (&hourglass, &[3]),
    ];
    for (scene, counts) in cases {
        let flags = [&["run", "--steps", "40", "--json"], scene].concat();
        let one = json(&alone(folder.path(), &flags));
        for &ranks in counts {
            let shared = json(&done(on_ranks(ranks, folder.path(), &flags)));
            assert_eq!(shared["ranks"], ranks);
            for (key, value) in one.as_object().unwrap() {
                let own = ["date", "machine", "threads", "bytes", "bytes_per_agent", "steps_per_s"];
                let own = own.contains(&&**key) || key.contains("_ms") || key.contains("rank");
                let own =
                    own || ["agent_steps_per_s", "communication", "border_rows"].contains(&&**key);
                assert!(own || shared[key] == *value, "{key} on {ranks} ranks: {}", shared[key]);
            }
            if ranks > 1 {
                let rows = shared["border_rows"].as_f64().unwrap();
                assert!(rows > 0.0 && rows <= 3.0, "{rows}");
                let share = shared["communication"].as_f64().unwrap();
                assert!(share > 0.0 && share < 1.0, "{share}");
                let of_ranks: [usize; 2] = [0, 1]
                    .map(|at: usize| shared["agents_per_rank"][at].as_u64().unwrap() as usize);
                let mean = shared["agents"].as_u64().unwrap() as usize / ranks;
                assert!(of_ranks[0] <= mean && mean <= of_ranks[1]);
            }
        }
    }
}

#[test]
fn files_are_those_of_one_process() {
    let folder = folder();
    let flags = |name: &str| {
        let names = ["png", "csv", "jostle", "gsd"].map(|extension| format!("{name}.{extension}"));
        let [frame, export, save, trajectory] = names;
        let files = ["--frame", &frame, "--export", &export, "--save", &save, "--trajectory"];
        let series = format!("{name}-series.csv");
        let mut flags: Vec<_> = ["run", "--agents", "9k", "--steps", "30", "--size", "320x180"]
            .into_iter()
            .chain(files)
            .map(str::to_owned)
            .collect();
        flags.extend([trajectory, "--trajectory-every".to_owned(), "10".to_owned()]);
        flags.extend(["--series".to_owned(), series, "--series-every".to_owned(), "6".to_owned()]);
        flags.extend(["--save-every".to_owned(), "20".to_owned()]);
        flags
    };
    alone(folder.path(), &flags("one"));
    done(on_ranks(3, folder.path(), &flags("three")));
    for file in [".png", ".csv", ".gsd", "-series.csv"] {
        let [one, three] = ["one", "three"]
            .map(|name| fs::read(folder.path().join(format!("{name}{file}"))).unwrap());
        assert!(one == three, "{file} differs");
    }
    alone(folder.path(), &["verify", "one.jostle", "three.jostle"]);
    // Ranks of any number go on with the file of any other.
    let on = ["run", "--load", "three.jostle", "--steps", "25", "--json"];
    let expected =
        json(&alone(folder.path(), &["run", "--agents", "9k", "--steps", "55", "--json"]));
    assert_eq!(json(&alone(folder.path(), &on))["state_hash"], expected["state_hash"]);
    for ranks in [2, 4] {
        let shared = json(&done(on_ranks(ranks, folder.path(), &on)));
        assert_eq!(shared["state_hash"], expected["state_hash"]);
    }
}

/// The contact solver remembers impulses, and which agents sleep, also in files.
#[test]
fn piles_go_on_on_any_number_of_ranks() {
    let folder = folder();
    let pile = ["--scene", "pile", "--agents", "3k", "--world", "40x300"];
    let run = |ranks: usize, more: &[&str], begin: &[&str]| {
        let flags = [&["run", "--json"], begin, more].concat();
        match ranks {
            0 => json(&alone(folder.path(), &flags)),
            _ => json(&done(on_ranks(ranks, folder.path(), &flags))),
        }
    };
    let expected = run(0, &["--steps", "340"], &pile);
    run(3, &["--steps", "300", "--save", "three.jostle"], &pile);
    for ranks in [0, 2, 4] {
        let shared = run(ranks, &["--steps", "40"], &["--load", "three.jostle"]);
        assert_eq!(shared["state_hash"], expected["state_hash"], "{ranks} ranks");
    }
}

/// Formulas count within a process: the warning has the values of all.
#[test]
fn what_formulas_could_not_write_is_counted_on_all_ranks() {
    let folder = folder();
    let formula = r#"acceleration = [0, "select(y > height / 2, exp(300), 0)"]"#;
    let text = format!("[world]\nstart = \"gas\"\nagents = 5000\n\n[agent]\n{formula}\n");
    fs::write(folder.path().join("steep.toml"), text).unwrap();
    let flags = ["run", "--scene", "steep.toml", "--steps", "5"];
    let warning = |output: &Output| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        said.lines().find(|line| line.contains("they were not written")).unwrap().to_owned()
    };
    let one = warning(&alone(folder.path(), &flags));
    assert_eq!(warning(&done(on_ranks(3, folder.path(), &flags))), one);
}

#[test]
fn ranks_may_have_runs_of_their_own() {
    let folder = folder();
    let flags = ["run", "--agents", "500", "--steps", "5", "--json", "--ranks", "1"];
    let output = done(on_ranks(3, folder.path(), &flags));
    let reports: Vec<Value> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(reports.len(), 3);
    assert!(reports.iter().all(|report| report["state_hash"] == reports[0]["state_hash"]));
}

/// Frames, trajectory and messages are those of one process.
#[test]
fn films_are_those_of_one_process() {
    let one = folder();
    let flags = "record film.apng --scene shock --agents 9000 --steps 30 --fps 80 --size 160x90 --warmup 20 \
                 --color-by start --trajectory all.gsd --trajectory-every 7 --save-every 25 --save end.jostle";
    let flags: Vec<_> = flags.split_whitespace().collect();
    let said = alone(one.path(), &flags).stderr;
    let said = String::from_utf8_lossy(&said);
    let film = said.lines().find(|line| line.contains("film.apng has 41 frames")).expect("a film");
    for ranks in [2, 5] {
        let shared = folder();
        let output = done(on_ranks(ranks, shared.path(), &flags));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.lines().any(|line| line == film), "{said}");
        for file in ["film.apng", "all.gsd"] {
            let [expected, found] =
                [&one, &shared].map(|at| fs::read(at.path().join(file)).unwrap());
            assert!(expected == found, "{file} of {ranks} ranks differs");
        }
        let of_one = one.path().join("end.jostle");
        alone(shared.path(), &[OsStr::new("verify"), OsStr::new("end.jostle"), of_one.as_ref()]);
    }
}

/// One sentence with what can't be, and status 2; no file is left.
#[test]
fn what_ranks_cannot_do_is_refused_once() {
    let folder = folder();
    for (flags, sentence) in [
        (
            &["run", "--agents", "500", "--frame", "a.png"][..],
            "ranks 4 is out of range: expected 1 to 2",
        ),
        (
            &["run", "--agents", "20k", "--replay", "no.jostle"],
            "--replay belongs to a run of one process",
        ),
        (&["run", "--agents", "20k", "--speed", "nan"], "speed"),
        (&["run", "--agents", "20k", "--ranks", "4"], "mpirun -n 4 starts 4 ranks"),
        (&["run", "--agents", "20k", "--frame", "no/a.png"], "no/a.png"),
        (&["run", "--agents", "20k", "--load", "no/a.jostle"], "no/a.jostle"),
        (&["record", "a.gif", "--replay", "no.jostle"], "--replay belongs to a run of one process"),
        (&["record", "no/a.gif", "--agents", "20k"], "no/a.gif"),
        (&["bench"], "only jostle run and jostle record share their work"),
    ] {
        let output = on_ranks(4, folder.path(), flags).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let status = if sentence.starts_with("no/") { 1 } else { 2 };
        assert_eq!(output.status.code(), Some(status), "{flags:?}: {said}");
        assert!(output.stdout.is_empty(), "{flags:?}: {said}");
        let lines: Vec<_> = said.lines().filter(|line| line.starts_with("jostle: ")).collect();
        assert_eq!(lines.len(), 1, "{flags:?}: {said}");
        assert!(lines[0].contains(sentence), "{flags:?}: {said}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{flags:?}");
    }
}

#[test]
fn ranks_with_other_flags_are_refused() {
    let folder = folder();
    let other = "exec \"$0\" run --agents 20k --json --steps $((5 + OMPI_COMM_WORLD_RANK / 2))";
    let command = on_ranks(3, folder.path(), &[""; 0]);
    let launcher: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let program = launcher.iter().position(|it| it == PROGRAM).unwrap();
    let flags = ["sh", "-c", other, PROGRAM].map(Into::into);
    let arguments = [&launcher[..program], &flags].concat();
    let mut shell = Command::new(command.get_program());
    shell.args(arguments).envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("rank 2 has another run than rank 0"), "{said}");
}

/// A long run that saves often, once it has saved for the first time.
fn begun(folder: &Path) -> Child {
    let flags = ["run", "--agents", "20k", "--steps", "100M", "--json"];
    let saves = ["--save", "a.jostle", "--save-every", "50"];
    let mut command = on_ranks(3, folder, &[&flags[..], &saves].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !folder.join("a.jostle").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "the first snapshot comes");
        std::thread::yield_now();
    }
    child
}

/// The processes of ranks that a launcher has started.
fn ranks_of(launcher: &Child) -> Vec<i32> {
    let children = format!("/proc/{0}/task/{0}/children", launcher.id());
    let direct = fs::read_to_string(children).unwrap();
    let mut all: Vec<i32> = direct.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    let is_rank = |pid: &i32| {
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == Path::new(PROGRAM))
    };
    all.retain(is_rank);
    all
}

fn signal(pid: i32, name: &str) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

fn ended(child: Child) -> (ExitStatus, Output) {
    let output = child.wait_with_output().unwrap();
    (output.status, output)
}

#[test]
fn a_signal_to_one_rank_ends_all_after_the_same_step() {
    let folder = folder();
    let child = begun(folder.path());
    let ranks = ranks_of(&child);
    assert_eq!(ranks.len(), 3, "mpirun has started them itself");
    signal(ranks[1], "-TERM");
    let (status, output) = ended(child);
    let report = json(&output);
    assert_eq!(status.code(), Some(143), "{}", String::from_utf8_lossy(&output.stderr));
    let steps = report["steps"].as_u64().unwrap();
    assert!(steps >= 50);
    let steps = steps.to_string();
    let again =
        json(&alone(folder.path(), &["run", "--agents", "20k", "--steps", &steps, "--json"]));
    assert_eq!(report["state_hash"], again["state_hash"]);
}

#[test]
fn a_killed_rank_leaves_the_last_snapshot() {
    let folder = folder();
    let child = begun(folder.path());
    signal(ranks_of(&child)[2], "-KILL");
    let (status, _) = ended(child);
    assert!(!status.success() && status.signal().is_none(), "{status:?}");
    let info = alone(folder.path(), &["run", "--load", "a.jostle", "--steps", "1", "--json"]);
    assert_eq!(json(&info)["agents"], 20_000);
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(left.iter().any(|name| name == "a.jostle"), "{left:?}");
}
