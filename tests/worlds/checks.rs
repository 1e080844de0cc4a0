//! What `check world` prints, and what it says of slow rules.

use std::fs;

use tempfile::tempdir;

use crate::{kept, run};
/// A check names all that decides a run: friction, statics, what agents do, and the start of scenes.
#[test]
fn a_check_leaves_nothing_out() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("all.toml");
    let name = path.to_str().expect("a name");
    let checked = |text: &str| {
        fs::write(&path, text).expect("a file");
        let output = run(&["check", "world", name, "--threads", "1"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let found = checked(
        "world = { size = [80, 80], friction = 0.4, rolling = 0.1, restitution = 0.5, gravity = 3 }\n\
         species = { red = 1, blue = 1 }\ncolumns = { age = 0 }\n\
         [matrix.pull]\nred = [1, 2]\nblue = [3, 4]\n[table.bump]\npoints = [[0, 1], [1, 0]]\n\
         [[group]]\nagents = 50\ndisc = [40, 60, 15]\n[[static]]\nbox = [0, 0, 80, 3]\n\
         [[static]]\ndisc = [20, 20, 5]\n[pair.p]\nrange = 3\nbetween = [\"red\", \"blue\"]\n\
         sum.n = \"1\"\n[agent]\nset.age = \"age + n\"\nspeed_max = \"9\"\n\
         [agent.red]\ndrag = \"0.5\"\nbecomes.blue = \"age > 90\"\ndies = \"age > 99\"\n",
    );
    for line in [
        "friction 0.4, rolling 0.1",
        "restitution 0.5",
        "gravity    3",
        "group      50 agents in a disc around 40, 60",
        "statics    1 disc, 1 box",
        "matrix     pull: 2 x 2",
        "table      bump: 2 points",
        "pair       p: range 3, red feel blue, sums n",
        "agent      all: age = age + n",
        "agent      all: speed_max 9",
        "agent      red: drag 0.5",
        "agent      red: becomes blue if age > 90",
        "agent      red: dies if age > 99",
    ] {
        assert!(found.contains(line), "{line}\n{found}");
    }
    let found = checked("world = { start = \"dam\", agents = 800, friction = 0.3 }");
    for line in ["begins as dam", "contact solver", "friction 0.3", "gravity"] {
        assert!(found.contains(line), "{line}\n{found}");
    }
}

#[test]
fn a_check_prints_what_a_file_says() {
    for path in kept() {
        let output = run(&["check", "world", path.to_str().expect("a name")]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("agents "), "{text}");
        assert!(text.contains("\nstep ") && text.contains(" ms at the start"), "{text}");
    }
}

/// A rule that takes seconds per step is named before it runs, and a check does not wait for it.
#[test]
fn a_slow_rule_is_named_before_it_runs() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("slow.toml");
    let name = path.to_str().expect("a name");
    let world =
        "world = { size = [300, 300], agents = 60_000, radius = 0.1, collisions = false }\n";
    for (range, is_slow) in [(100, true), (3, false)] {
        fs::write(&path, format!("{world}[pair.all]\nrange = {range}\nsum.n = \"1\"\n"))
            .expect("a file");
        let output = run(&["check", "world", name]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        assert_eq!(errors.contains("the pair `all` has about"), is_slow, "{errors}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).contains("\nstep "), !is_slow);
    }
}
