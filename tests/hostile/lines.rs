//! Random command lines, and their remedies as printed.

use proptest::test_runner::TestCaseError;

use crate::{
    asked,
    harness::{Ended, parse},
    line::{self, Line},
    program::{self, Bounded, KEPT},
    remedy, runner,
};

/// Checks of one run, whatever the line was; the message of the first that fails.
fn check(line: &Line, names_before: &[String]) -> Result<Ended, String> {
    let place = program::place();
    let Bounded { ended, interrupted } = program::run(&place, &line.args())?;
    let fail = |what: &str| Err(format!("{what}: {ended:?}"));
    match (ended.status, interrupted) {
        (Some(0..=3), _) | (Some(130), true) => {}
        _ => return fail("odd status"),
    }
    if ["panicked", "overflow", "RUST_BACKTRACE"].iter().any(|word| ended.stderr.contains(word)) {
        return fail("a panic");
    }
    let messages: Vec<&str> =
        ended.stderr.lines().filter(|line| line.starts_with("jostle: ")).collect();
    let names = place.names();
    if names.iter().any(|name| name.starts_with(".jostle-")) {
        return fail("a part is left");
    }
    if ended.status == Some(2) {
        if !ended.stdout.is_empty() || messages.len() != ended.stderr.lines().count() {
            return fail("not only messages");
        }
        if messages.is_empty() {
            return fail("no message");
        }
        let kept = std::fs::read_to_string(place.path("kept.png"));
        if names != names_before || kept.ok().as_deref() != Some(KEPT) {
            return fail("a refused line has changed files");
        }
    }
    let is_report = line.has("json") && matches!(line.command, "run" | "bench");
    if is_report && matches!(ended.status, Some(0 | 130)) && !ended.stdout.is_empty() {
        parse(&ended.stdout);
    }
    Ok(ended)
}

/// Applies each remedy of a run, and checks that it is not refused for the flag that it is about.
fn check_remedies(line: &Line, ended: &Ended, names_before: &[String]) -> Result<u32, String> {
    let mut applied = 0;
    for message in ended.stderr.lines().filter(|line| line.starts_with("jostle: ")) {
        let Some(mended) = remedy::applied(line, message) else { continue };
        applied += 1;
        let again = check(&mended, names_before).map_err(|why| format!("{mended}: {why}"))?;
        let refusal = again.stderr.lines().next_back().unwrap_or_default();
        // Some refusals don't depend on the value: a flag that does not belong to the command, or
        // the small address space of these tests.
        let same = remedy::subject(message).is_some()
            && remedy::subject(refusal) == remedy::subject(message)
            && !refusal.contains("has no effect")
            && (!refusal.contains("is available") || message.contains("is available"));
        if again.status == Some(2) && (same || refusal == message) {
            return Err(format!("{message}\n  applied: {mended}\n  refused: {refusal}"));
        }
    }
    Ok(applied)
}

#[test]
fn no_line_breaks_the_program_and_no_remedy_is_refused() {
    let names = program::place().names();
    let (mut statuses, mut remedies) = ([0_u32; 5], 0);
    let cell = std::cell::RefCell::new((&mut statuses, &mut remedies));
    let tried = runner(asked("JOSTLE_SOAK_LINES", 150)).run(&line::lines(), |line| {
        let outcome = check(&line, &names).and_then(|ended| {
            let applied = check_remedies(&line, &ended, &names)?;
            let (statuses, remedies) = &mut *cell.borrow_mut();
            statuses[ended.status.map_or(4, |status| status.clamp(0, 4) as usize)] += 1;
            **remedies += applied;
            Ok(())
        });
        outcome.map_err(|why| TestCaseError::fail(format!("{line}\n  {why}")))
    });
    if let Err(error) = tried {
        panic!("{error}");
    }
    let [done, failed, refused, _, interrupted] = statuses;
    println!(
        "lines: {done} done, {refused} refused, {failed} failed, {interrupted} interrupted; \
         {remedies} remedies applied"
    );
    assert!(done > 0 && refused > 0 && remedies > 0, "lines of every kind");
}
