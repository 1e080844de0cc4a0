//! `jostle check physics`: the table, its status, and the chart.

use crate::harness::{Place, parse};

#[test]
fn quick_physics_holds() {
    let place = Place::new();
    let ended = place.jostle("check physics --quick --json --svg physics.svg");
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{}", ended.stdout);
    let report = parse(&ended.stdout);
    assert_eq!((&report["holds"], &report["quick"]), (&true.into(), &true.into()));
    let cases = report["cases"].as_array().expect("cases");
    let number = |case: &serde_json::Value, key: &str| case[key].as_f64().expect("a number");
    for case in cases {
        let (measured, expected) = (number(case, "measured"), number(case, "expected"));
        let unit = if expected == 0.0 { 1.0 } else { expected };
        let off = (measured - expected).abs() / unit;
        assert!(case["tolerance"].as_f64().is_none_or(|most| off <= most), "{case}");
        assert!(!case["source"].as_str().expect("a source").is_empty());
    }
    let named = |part: &str| {
        cases.iter().any(|case| case["case"].as_str().is_some_and(|name| name.contains(part)))
    };
    for part in [
        "Z",
        "collision rate",
        "g at contact",
        "C'(0)",
        "walls",
        "mixed",
        "e 0.95",
        "energy",
        "epidemic",
    ] {
        assert!(named(part), "{part}");
    }
    let chart = std::fs::read_to_string(place.path("physics.svg")).expect("the chart");
    // Five points of each way of collisions, and a pressure for each of two densities.
    let points = chart.matches("<circle").count();
    assert!(chart.starts_with("<svg") && points >= 12, "{points} points");
}

#[test]
fn bad_checks_are_one_sentence() {
    let place = Place::new();
    for (args, part) in [
        ("check", "WHAT"),
        ("check chemistry", "physics"),
        ("check physics --threads 0", "--threads 0"),
        ("check physics --svg a.png", "ends in .svg"),
        ("check physics --json --svg -", "both write to stdout"),
        ("check world a.toml --json", "--json has no effect on `check world`"),
    ] {
        let ended = place.jostle(args);
        assert_eq!(ended.status, Some(2), "{args}: {ended:?}");
        assert!(ended.stderr.contains(part), "{args}: {ended:?}");
    }
}
