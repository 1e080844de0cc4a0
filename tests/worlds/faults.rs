//! Wrong world files are refused with lines and remedies.

use std::fs;

use tempfile::tempdir;

use crate::{BASE, LIFE, refused, run};

/// The likeliest mistake of an epidemic: the two species the wrong way round.
#[test]
fn what_a_species_reads_and_never_gets_is_said() {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("world.toml");
    let name = file.to_str().expect("a name");
    for (between, reader, is_said) in [
        ("\"red\", \"blue\"", "agent.red", false),
        ("\"blue\", \"red\"", "agent.red", true),
        ("\"blue\", \"red\"", "agent", false),
    ] {
        let text = format!(
            "{BASE}[pair.p]\nrange = 5\nbetween = [{between}]\nsum.n = \"1\"\n[{reader}]\ndrag = \"n\""
        );
        fs::write(&file, text).expect("a file");
        for command in [&["run", "--steps", "1", "--scene", name][..], &["check", "world", name]] {
            let output = run(command);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{errors}");
            let said =
                "[agent.red] reads `n` of [pair.p], which only blue feels: it is always 0 for red";
            assert_eq!(errors.contains(said), is_said, "{errors}");
        }
    }
}

#[test]
fn faults_have_a_line_a_column_and_a_remedy() {
    let folder = tempdir().expect("a folder");
    for (text, expected) in [
        ("wrld = 1", "world.toml:1:1: `wrld` is no known section; did you mean world?"),
        ("[species]\na = 1", "world.toml:1:1: there is no [world]; begin with"),
        ("world = { size = [1, 2", "world.toml:1:"),
        (
            &format!("{BASE}[pair.p]\nrange = 5\nsum.n = \"1 + q\""),
            "world.toml:6:14: there is no value or function `q`; there are",
        ),
        (
            &format!("{BASE}[pair.p]\nrange = 5\nsum.n = \"j.aage\""),
            "world.toml:6:10: there is no value or function `j.aage`; did you mean j.age?",
        ),
        (
            &format!("{BASE}[pair.p]\nrange = 50\nsum.n = \"1\""),
            "world.toml:5:9: range 50 can't be used: expected more than 0, at most 25",
        ),
        (
            &format!("{BASE}[agent]\nacceleration = [\"1\", \"j.vx\"]"),
            "world.toml:5:23: `j.vx` belongs to pairs, and an agent has no neighbor",
        ),
        (
            &format!("{BASE}[agent.green]\ndrag = \"1\""),
            "world.toml:4:8: `green` is no known key; there are let, acceleration,",
        ),
        (
            &format!("{BASE}[matrix.pull]\nred = [1]\nblue = [1, 2]"),
            "world.toml:5:7: the row `red` [1] can't be used: expected 2 numbers",
        ),
        (
            &format!("{BASE}[matrix.pull]\nred = [1, 2]"),
            "world.toml:4:9: the matrix `pull` has 1 rows: expected 2",
        ),
        ("world = { size = [10, 10], agents = 0 }", "world.toml:1:37: agents 0 can't be used"),
        ("world = { size = [10, 10], agents = 5, speed = -1 }", "world.toml:1:40: "),
        (
            &format!("{BASE}[agent]\ndies = \"age\""),
            "world.toml:5:9: `dies` takes a condition, found a number; write `a < b`, or for a rate per second \
             `random(1) < rate * dt`",
        ),
        (
            &format!("{BASE}[agent.red]\nbecomes = \"blue\""),
            "world.toml:5:11: becomes \"blue\" can't be used: expected a table, such as `becomes.SPECIES",
        ),
        (
            &format!("{BASE}[[pair]]\nrange = 2\nsum.n = \"1\""),
            "expected a table, such as `[pair.NAME]` and its keys",
        ),
        (
            &format!("{BASE}[param]\nreach = 3\n[pair.p]\nrange = \"reach\"\nsum.n = \"1\""),
            "world.toml:7:9: range \"reach\" can't be used: expected a number, as only formulas read",
        ),
        (
            "world = { size = [9, 9], agents = 5 }\n[agent]\nset.heat = \"1\"",
            "world.toml:3:13: agents have no column `heat` of their own; add `columns = { heat = 0 }`",
        ),
        (
            &format!("{BASE}[view]\ncolor_by = \"specis\""),
            "world.toml:5:12: `specis` is no known color mode; did you mean species?",
        ),
    ] {
        let found = refused(&folder, text, &[]);
        assert!(found.contains(expected), "{text}\n{found}");
        assert!(!found.contains("panicked"), "{found}");
    }
    let unset = refused(&folder, LIFE, &["--set", "forc=1"]);
    assert!(unset.contains("--set forc is no known param; did you mean force?"), "{unset}");
}

#[test]
fn possible_names_are_listed_once() {
    let folder = tempdir().expect("a folder");
    let text = "world = { size = [9, 9], agents = 5, colr = 1, foo = 2 }\n[veiw]\nx = 1\n[agnt]";
    let found = refused(&folder, text, &[]);
    for line in [
        "`colr` is no known key; did you mean cell? There are start,",
        "`foo` is no known key\n",
        "`veiw` is no known section; did you mean view? There are world,",
        "`agnt` is no known section; did you mean agent?\n",
    ] {
        assert!(found.contains(line), "{line}\n{found}");
    }
}

#[test]
fn all_faults_are_named_at_once_at_most_ten() {
    let folder = tempdir().expect("a folder");
    let sums: Vec<String> = (0..14).map(|n| format!("sum.n{n} = \"q{n}\"")).collect();
    let sums = sums.join("\n");
    let found = refused(&folder, &format!("{BASE}[pair.p]\nrange = 5\n{sums}"), &[]);
    assert_eq!(found.matches("there is no value").count(), 10, "{found}");
    assert!(found.contains("world.toml has 14 faults; these are the first 10"), "{found}");
    let both = format!("{BASE}[pair.p]\nrange = 5\nrnge = 5\nsum.n = \"q\"");
    let found = refused(&folder, &both, &[]);
    assert!(
        found.contains("world.toml:6:1: `rnge`") && found.contains("world.toml:7:10: "),
        "{found}"
    );
}

/// A wrong value is one fault: neither what it lacks nor what uses it is another.
#[test]
fn a_wrong_value_is_one_fault() {
    let folder = tempdir().expect("a folder");
    let pair = "[pair.p]\nrange = 5\nsum.n = \"1\"\n";
    for text in [
        format!("{BASE}[pair.p]\nrange = \"five\"\nsum.n = \"1\"\n[agent]\ndrag = \"n\"\n"),
        format!("{BASE}[pair.p]\nrange = 5\nsum.n = true\n[agent]\ndrag = \"n + p.n\"\n"),
        format!("{BASE}[matrix.pull]\nrde = [1, 2]\nblue = [1, 2]\n"),
        format!("{BASE}[table.bump]\npoints = [[0, \"x\"]]\n{pair}"),
        format!("{BASE}[agent]\nlet.a = true\nset.age = \"a + a\"\n"),
        "world = { size = [9, true] }\n[[group]]\nagents = 9\ndisc = [50, 50, 9]\n\
         [[static]]\npolyline = [[10, 50], [40, 50]]\nthickness = 1\n"
            .to_owned(),
        "world = { size = [-9, 9], agents = 9 }\n[[static]]\ndisc = [5, 5, 1]\n".to_owned(),
        "world = { size = [50, 50], agents = 9 }\nspecies = 3\n[agent.red]\ndrag = \"1\"\n"
            .to_owned(),
        "world = { size = [50, 50], agents = 9 }\ncolumns = 3\n[agent]\nset.age = \"age + 1\"\n"
            .to_owned(),
        "world = { size = [50, 50], agents = 9, capacity = 20 }\nspecies = { red = 1 }\n\
         [agent]\nbirths.red = true\n"
            .to_owned(),
        "world = { size = [50, 50], agents = 9 }\n[param]\np = { value = 3, min = 9, max = 1 }\n"
            .to_owned(),
    ] {
        let found = refused(&folder, &text, &[]);
        assert_eq!(found.lines().count(), 1, "{text}\n{found}");
        assert!(found.contains("world.toml:"), "{found}");
    }
}

/// Whatever a run refuses at its start has a place in the file, and is one fault.
#[test]
fn what_a_run_refuses_has_a_place() {
    let folder = tempdir().expect("a folder");
    let world = "world = { size = [60, 40], agents = 50, radius = 0.4 }\n";
    let group = "[[group]]\nagents = 9\nrectangle = [0, 0, 9, 9]\n";
    for (text, expected) in [
        (&*format!("{world}[[static]]\nbox = [9, 9, 3, 12]\n"), "world.toml:3:7: static box"),
        (&format!("{world}[[static]]\ndisc = [9, 9, -1]\n"), "world.toml:3:8: static disc"),
        (&format!("{world}[[static]]\ndisc = [59, 9, 2]\n"), "world.toml:3:8: static disc"),
        (
            &format!("{world}[[static]]\nbox = [50, 9, 50.000001, 12]\n"),
            "world.toml:3:7: static box from (50, 9) to (50, 12) has no extent",
        ),
        (
            &format!("{world}[[static]]\nthickness = 1e-9\npolyline = [[50, 9], [50, 20]]\n"),
            "world.toml:4:12: static box from (50, 9) to (50, 20) has no extent",
        ),
        (
            &format!(
                "{world}[[static]]\nthickness = 1\npolyline = [[5, 9], [9, 9]]\nclosed = true\n"
            ),
            "world.toml:5:1: `closed` is no known key",
        ),
        (
            &format!("{world}[pair.p]\nrange = 1e-30\nsum.n = \"1\"\n"),
            "world.toml:3:9: range 1e-30 can't be used: expected at least 1e-18",
        ),
        (
            &format!("{world}[view]\ncolor_by = \"spin\"\n"),
            "world.toml:3:12: `spin` needs agents that spin; add `friction = 0.5` to [world]",
        ),
        (&format!("{world}[view]\ncolor_by = \"faction\"\n"), "world.toml:3:12: `faction` needs"),
        (
            &format!("world = {{ size = [1e9, 40], radius = 0.4 }}\n{group}"),
            "world.toml:1:11: world 1e9x40 is too large for agents of radius 0.4",
        ),
        (
            &format!("world = {{ size = [60, 40], radius = 0.4, cell = 1e-5 }}\n{group}"),
            "world.toml:1:42: cell 1e-5 can't divide a world",
        ),
        (
            &format!("{world}[columns]\nage = \"id / 2\"\n"),
            "world.toml:3:7: age \"id / 2\" can't be used: expected a number; a formula for the start \
             is `columns.age = \"…\"` of a [[group]]",
        ),
    ] {
        let found = refused(&folder, text, &[]);
        assert!(found.contains(expected), "{text}\n{found}");
        let faults = found.lines().filter(|line| line.contains("world.toml:")).count();
        assert_eq!(faults, 1, "{text}\n{found}");
    }
    fs::write(folder.path().join("points.csv"), "x,y\n1,1\n5,5\n5,5\n5,5\n5,5\n").expect("a table");
    let from = format!("{world}[[static]]\nthickness = 1\nfrom = \"points.csv\"\n");
    let found = refused(&folder, &from, &[]);
    assert!(found.contains("point 3 of points.csv, [5, 5], can't be used"), "{found}");
    assert!(found.contains("(2 more can't be)") && found.lines().count() == 1, "{found}");
    let set = refused(&folder, world, &["--set", "force=abc"]);
    assert!(set.contains("--set force=abc has no number after =; try force=0.5"), "{set}");
}

/// Radii that the file does not state are those of as many agents as flags ask for.
#[test]
fn flags_of_agents_set_the_radii_that_a_file_leaves_open() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("world.toml");
    let name = path.to_str().expect("a name");
    let text = "world = { size = [100, 100], agents = 200, boundary = \"periodic\" }";
    let radius = |text: &str, more: &[&str]| {
        fs::write(&path, text).expect("a file");
        let output = run(&[&["run", "--scene", name, "--steps", "2", "--json"], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (json["radius"].clone(), json["state_hash"].clone())
    };
    let flagged = radius(text, &["--agents", "20k"]);
    assert_eq!(flagged, radius(&text.replace("200", "20_000"), &[]));
}

/// What other languages write is refused with what a formula has in its place.
#[test]
fn foreign_words_have_their_remedy() {
    let folder = tempdir().expect("a folder");
    for (formula, expected) in [
        ("age > 1 && x > 2", "6:17: a formula has no `&&`; write `and`"),
        ("age > 1 || x > 2", "no `||`; write `or`"),
        ("age = 3", "6:13: a formula has no `=`; compare with `==`"),
        ("age ^ 2 > 1", "no `^`; write `x * x`"),
        ("age ** 2 > 1", "6:13: a formula has no `**`; write `x * x`"),
        ("!(age > 1)", "no `!`; write `not`"),
        ("age % 2 > 1", "no `%`; write `x - y * floor(x / y)`"),
        ("age > 1 ? x : y", "no `?`; write `select(c, a, b)`"),
        ("age => 1", "no `=>`; write `>=`"),
        ("pow(age, 2) > 1", "there is no value or function `pow`; write `x * x`"),
        ("if(age > 1, x, y) > 0", "`if`; write `select(c, a, b)`"),
        ("age > 1 # old", "a formula has no `#`; leave it out"),
    ] {
        let found =
            refused(&folder, &format!("{BASE}[agent]\ndrag = \"0\"\ndies = \"{formula}\""), &[]);
        assert!(found.contains(expected) && found.lines().count() == 1, "{formula}\n{found}");
    }
}

/// What a file can't mean is refused, by a check as by a run.
#[test]
fn files_that_mean_nothing_are_refused() {
    let folder = tempdir().expect("a folder");
    let world = "world = { size = [60, 60], agents = 50, radius = 0.5 }\n";
    // More values at once than a pair has room for.
    let lets: Vec<_> = (0..75).map(|n| format!("let.v{n} = \"dx + {n}.5\"\n")).collect();
    let lets = lets.concat();
    let all: Vec<String> = (0..75).map(|n| format!("v{n}*v{}", (n + 37) % 75)).collect();
    let crowded = format!("[pair.p]\nrange = 5\n{lets}sum.one = \"{}\"\n", all.join(" + "));
    for (text, expected) in [
        (crowded.as_str(), "too many values at once"),
        ("[[static]]\n", "one of disc, box, capsule, polyline and from"),
        (
            "[[static]]\ndisc = [9, 9, 2]\nbox = [1, 1, 3, 3]\n",
            "one of disc, box, capsule, polyline and from",
        ),
        ("[[static]]\nbox = [50, 50, 70, 70]\n", "is out of range"),
        ("[columns]\nfaction = 1\n", "`faction` can't be a name"),
        ("[param]\np = { min = 0 }\n", "the param `p` has no value; add `value = 1`"),
        // The one fault that there is, in one sentence.
        (
            "[param]\np = { value = nan }\n",
            "world.toml:3:15: value nan can't be used: expected a number",
        ),
    ] {
        let found = refused(&folder, &format!("{world}{text}"), &[]);
        assert!(found.contains(expected), "{text}: {found}");
        assert!(!text.contains("nan") || found.lines().count() == 1, "{found}");
        let path = folder.path().join("world.toml");
        let checked = run(&["check", "world", path.to_str().expect("a name")]);
        assert_eq!(checked.status.code(), Some(2), "{text}");
    }
    let found = refused(&folder, "group = []\nworld = { size = [60, 60] }", &[]);
    assert!(found.contains("agents"), "{found}");
    let rolls = "world = { size = [60, 60], agents = 50, rolling = 0.2 }\n";
    assert!(refused(&folder, rolls, &[]).contains("friction"));
}

/// A value that is used before it is known is one fault, which says so; in each kind of table.
#[test]
fn values_in_the_wrong_order_are_one_fault() {
    let folder = tempdir().expect("a folder");
    for (lets, at, expected) in [
        ("let.a = \"a + 1\"", 0, "`a` is defined by itself; write what it is"),
        (
            "let.a = \"b + 1\"\nlet.b = \"2\"",
            0,
            "`b` is defined after its use: move it up, above `a`",
        ),
        (
            "let.a = \"b + 1\"\nlet.b = \"a > 1\"",
            0,
            "`a` is defined by itself through `b`; write one",
        ),
        (
            "let.a = \"c + 1\"\nlet.b = \"a\"\nlet.c = \"select(b > 0, a, 1)\"",
            0,
            "`a` is defined by itself through `c`; write one",
        ),
        ("let.a = \"q\"\nlet.b = \"not a\"", 0, "there is no value or function `q`"),
        (
            "let.v = \"1\"\nlet.a = \"c\"\nlet.c = \"d\"\nlet.d = \"a and v > 2\"",
            1,
            "`a` is defined by itself through `c`, `d`; write one",
        ),
    ] {
        for table in [
            "[pair.p]\nrange = 5\nsum.n = \"select(a, 1, 2)\"\n",
            "[agent]\ndies = \"a\"\n",
            "[agent.red]\nset.age = \"a\"\nbirths.red = \"a\"\n",
        ] {
            // Values come first, so that lines are counted from there.
            let (head, rest) = table.split_once('\n').expect("lines");
            let more =
                if table.contains("births") { "capacity = 900, boundary =" } else { "boundary =" };
            let base = BASE.replace("boundary =", more);
            let found = refused(&folder, &format!("{base}{head}\n{lets}\n{rest}"), &[]);
            let whole = format!("world.toml:{}:", 5 + at);
            let one = found.lines().count() == 1 && found.contains(&whole);
            assert!(found.contains(expected) && one, "{lets}\n{found}");
        }
    }
    let text = format!("{BASE}[agent]\nlet.a = \"1\"\nset.age = \"a\"\n[observe]\nm = \"a + 1\"");
    let found = refused(&folder, &text, &[]);
    assert!(
        found.contains("8:6: `a` is a `let` of agents, which is known within a step alone"),
        "{found}"
    );
    let text = format!("{BASE}[agent]\nlet.a = \"1\"\nlet.a = \"2\"\n");
    let found = refused(&folder, &text, &[]);
    assert!(found.contains("world.toml:6:5: the key `a` is there twice; leave one out"), "{found}");
}

/// What is no number is compared, and nothing else; picks are known where they are.
#[test]
fn picks_and_species_are_no_numbers() {
    let folder = tempdir().expect("a folder");
    let pair = "[pair.p]\nrange = 5\npick = \"1\"\npicked = \"prey\"\n[pair.q]\nrange = 5\n";
    let after = |line: &str| format!("{BASE}{pair}{line}");
    let agent = |line: &str| format!("{BASE}{pair}sum.n = \"1\"\n[agent]\n{line}");
    for (text, expected) in [
        (
            after("sum.n = \"j.prey\""),
            "10:10: `n` takes a number, found an agent; write `select(j.prey",
        ),
        (
            after("sum.n = \"prey\""),
            "10:10: `prey` is picked by the pair `p`; write `i.prey` or `j.prey`",
        ),
        (after("sum.n = \"j.prey + 1\""), "10:17: `+` takes a number on its left, found an agent"),
        (after("sum.n = \"abs(j)\""), "10:10: `abs` takes numbers, found an agent"),
        (
            after("pick = \"j.prey == 3\"\npicked = \"b\""),
            "10:16: `==` takes an agent on its right, found a number; \
          agents are `none`, what a pair has picked, and in pairs `i` and `j`",
        ),
        (
            after("pick = \"j\"\npicked = \"b\""),
            "10:9: `pick` takes a condition, found an agent; write `hunter",
        ),
        (
            after("pick = \"i.b == j\"\npicked = \"b\""),
            "`b` is picked by the pair `q`; read it in a pair below",
        ),
        (
            after("pick = \"1\"\npicked = \"prey\""),
            "10:9: `prey` is there twice, as what a pair picks in line 6 and as what a pair picks here",
        ),
        (after("pick = \"1\"\npicked = \"age\""), "10:9: `age` is there twice"),
        (after("pick = \"1\"\npicked = \"none\""), "10:9: `none` can't be a name"),
        (
            after("pick = \"1\"\npicked = 3"),
            "11:10: picked 3 can't be used: expected a name in quotes",
        ),
        (
            after("pick = \"1\""),
            "8:7: the pair `q` has no name for what it picks; add `picked = \"prey\"`",
        ),
        (
            after("picked = \"b\""),
            "8:7: the pair `q` has no condition for what it picks; add `pick = ",
        ),
        (
            after(
                "sum.n = \"i.later == j\"\n[pair.r]\nrange = 2\npick = \"1\"\npicked = \"later\"",
            ),
            "10:10: `later` is picked by the pair `r`; move that pair above this one",
        ),
        (
            agent("dies = \"prey\""),
            "12:9: `dies` takes a condition, found an agent; write `hunter != none`",
        ),
        (
            agent("dies = \"i.prey == none\""),
            "`i.prey` belongs to pairs, and an agent has no neighbor; write `prey`",
        ),
        (
            agent("dies = \"species == 1\""),
            "12:17: `==` takes a species on its right, found a number; write the \
          name of a species",
        ),
        (
            agent("set.age = \"species\""),
            "`age` takes a number, found a species; write `select(species == red",
        ),
        (
            agent("dies = \"species == rde\""),
            "there is no value or function `rde`; did you mean red?",
        ),
        (agent("dies = \"age == red\""), "`==` takes a species on its left, found a number"),
        (agent("dies = \"prey < none\""), "`<` takes a number on its left, found an agent"),
        (agent("drag = \"min\""), "12:9: `min` is a function; write `min(a, b)`"),
        (agent("drag = \"min(1)\""), "12:9: `min` takes 2 values, found 1"),
        (
            agent("[observe]\nm = \"prey != none\""),
            "13:6: `prey` is what a pair picks, which is known within",
        ),
        (agent("[observe]\nm = \"species\""), "13:6: `of` takes a number, found a species"),
    ] {
        let found = refused(&folder, &text, &[]);
        assert!(found.contains(expected) && found.lines().count() == 1, "{text}\n{found}");
        assert!(!found.contains("did you mean min"), "{found}");
    }
}
