//! Names that two things have are refused at both places, and what no formula reads is named.

use std::fs;

use tempfile::tempdir;

use crate::{BASE, kept, refused, run};

/// Whatever has a name in a formula has it alone: the fault is at the second place, and names the first.
#[test]
fn a_name_is_that_of_one_thing() {
    let folder = tempdir().expect("a folder");
    let pair = "[pair.p]\nrange = 3\nsum.n = \"1\"\n";
    let pull = "[matrix.q]\nred = [1, 2]\nblue = [1, 2]\n";
    for (text, expected) in [
        ("[param]\nred = 3\n", "5:1: `red` is there twice, as a species in line 2 and as a param"),
        ("[param]\nage = 3\n", "5:1: `age` is there twice, as a column in line 3 and as a param"),
        (
            "[param]\nq = 3\n[table.q]\npoints = [[0, 1]]\n",
            "6:8: `q` is there twice, as a param in line 5",
        ),
        (&format!("{pull}[table.q]\npoints = [[0, 1]]\n"), "as a matrix in line 4 and as a table"),
        (
            &format!("[param]\nn = 1\n{pair}"),
            "8:10: `n` is there twice, as a param in line 5 and as a sum",
        ),
        (
            &pair.replace('n', "age").replace("raagege", "range"),
            "as a column in line 3 and as a sum",
        ),
        (&pair.replace("sum.n", "sum.red"), "6:12: `red` is there twice, as a species in line 2"),
        (
            "[agent]\nlet.age = \"5\"\nset.age = \"age\"\n",
            "5:12: `age` is there twice, as a column in line 3",
        ),
        ("[agent.red]\nlet.blue = \"5\"\n", "as a species in line 2 and as a `let`"),
        (
            &format!("{pair}[agent]\nlet.n = \"n + 1\"\n"),
            "8:10: `n` is there twice, as a sum in line 6",
        ),
        (&format!("{pull}[agent]\nlet.q = \"1\"\n"), "as a matrix in line 4 and as a `let`"),
        (
            &format!("[param]\nq = 3\n{}", pair.replace("sum", "let.q = \"r\"\nsum")),
            "8:10: `q` is there twice",
        ),
        (
            "[pair.p]\nrange = 3\npick = \"1\"\npicked = \"red\"\n[agent]\ndies = \"red == none\"\n",
            "6:9: `red` is there twice, as a species in line 2 and as what a pair picks",
        ),
    ] {
        let found = refused(&folder, &format!("{BASE}{text}"), &[]);
        assert!(found.contains(expected), "{text}\n{found}");
        assert!(found.contains("; name one of them otherwise"), "{found}");
        assert_eq!(found.lines().count(), 1, "{text}\n{found}");
    }
    for species in ["x", "none", "min", "dt"] {
        let base = BASE.replace("red", species);
        let found = refused(&folder, &format!("{base}[agent]\ndrag = \"{species}\"\n"), &[]);
        let expected =
            format!("world.toml:2:13: `{species}` can't be a species: it has a meaning already");
        assert!(found.contains(&expected), "{found}");
    }
}

/// What never meets in a formula may have one name.
#[test]
fn names_that_do_not_meet_may_be_the_same() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("world.toml");
    // Columns are `i.age` and `j.age` in pairs, and sums of two pairs have the pairs' names before them.
    let text = format!(
        "{BASE}[pair.one]\nrange = 3\nlet.age = \"j.age - i.age\"\nlet.w = \"age * r\"\nsum.n = \"w\"\n\
         sum.x = \"dx\"\n[pair.two]\nrange = 4\nlet.w = \"r\"\nsum.n = \"w\"\n[agent]\nlet.k = \"one.x\"\n\
         [agent.red]\nlet.k = \"2\"\nset.age = \"one.n + two.n + k\"\n[agent.blue]\nset.age = \"k\"\n"
    );
    fs::write(&path, text).expect("a file");
    let output = run(&["run", "--scene", path.to_str().expect("a name"), "--steps", "2"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A list of names in a fault has each of them once.
#[test]
fn lists_of_names_do_not_repeat_them() {
    let folder = tempdir().expect("a folder");
    let text = format!(
        "{BASE}[pair.p]\nrange = 3\nsum.x = \"dx\"\n[agent]\nlet.a = \"1\"\n[agent.red]\nlet.a = \"2\"\n\
         drag = \"zork\"\n"
    );
    let found = refused(&folder, &text, &[]);
    let (_, list) = found.split_once("there are ").expect("a list");
    let mut names: Vec<&str> = list.trim().split(", ").collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "{found}");
    assert!(names.contains(&"p.x") && names.contains(&"a"), "{found}");
}

/// A check names what nothing reads, one line each, and the worlds that are kept have none.
#[test]
fn a_check_names_what_no_formula_reads() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("world.toml");
    let errors = |path: &std::path::Path| {
        let output = run(&["check", "world", path.to_str().expect("a name"), "--threads", "1"]);
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("text")
    };
    let text = format!(
        "{BASE}[param]\nforce = 3\nused = 2\n[table.bump]\npoints = [[0, 1]]\n[matrix.pull]\nred = [1, 2]\n\
         blue = [1, 2]\n[pair.idle]\nrange = 3\nsum.x = \"1\"\n[pair.p]\nrange = 3\nlet.w = \"1\"\n\
         sum = {{ n = \"used\", m = \"1\" }}\n[agent]\nlet.a = \"x\"\ndrag = \"n\"\n"
    );
    fs::write(&path, text).expect("a file");
    let found = errors(&path);
    for expected in [
        "the column `age` is neither set nor read",
        "the param `force` is read by no formula; remove it, or use it",
        "the table `bump` is read by no formula",
        "the matrix `pull` is read by no formula",
        "the pair `idle` is read by no formula",
        "the `let` `w` is read by no formula",
        "the sum or pick `p.m` is read by no formula",
        "the `let` `a` is read by no formula",
    ] {
        assert_eq!(found.matches(expected).count(), 1, "{expected}\n{found}");
    }
    assert_eq!(found.lines().count(), 8, "{found}");
    for path in kept() {
        assert!(!errors(&path).contains("neither set nor read"), "{}", path.display());
        assert!(!errors(&path).contains("read by no formula"), "{}", path.display());
    }
}
