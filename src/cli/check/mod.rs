//! `jostle check physics`: runs against theory, as a table, and as a chart; `jostle check world`.
//!
//! ```text
//! gas        equal discs in equilibrium: pressure, collision rate, g at contact, velocities
//! cases      everything else: walls, mixtures, losses, conservation, the step
//! rough      friction: slides, slopes, pairs, heaps, columns
//! formulas   rules: energy of atoms, an epidemic
//! table      rows as text and as JSON
//! chart      curves as SVG
//! world      what a world file says
//! ```

mod cases;
mod chart;
mod formulas;
mod gas;
mod rough;
mod row;
mod table;
mod world;

use serde::Serialize;

use self::{cases::Checked, gas::Unfinished, row::CheckRow};
use super::{
    DIFFERENT, Failure, Outcome,
    args::CheckArgs,
    interrupt, json,
    origin::{Origin, Revision},
    output::Output,
    print, print_beside,
    progress::Progress,
};
use crate::parallel::pool;

/// The report of a check.
#[derive(Debug, Serialize)]
struct CheckReport {
    #[serde(flatten)]
    origin: Origin,
    quick: bool,
    seconds: f64,
    /// False if a case fails, and if the check was interrupted.
    holds: bool,
    cases: Vec<CheckRow>,
}

/// Runs all cases, prints the table, and writes the chart.
///
/// # Errors
/// If a flag can't be used, there is not enough memory, or a file can't be written.
pub(super) fn check(args: &CheckArgs, revision: Revision) -> Outcome<u8> {
    if let Some(file) = &args.file {
        if args.what == "world" {
            let of_physics =
                [("--quick", args.quick), ("--json", args.json), ("--svg", args.svg.is_some())];
            if let Some((flag, _)) = of_physics.into_iter().find(|(_, is_given)| *is_given) {
                return Err(Failure::usage(format!(
                    "{flag} has no effect on `check world`; leave it out"
                )));
            }
            return world::check(file, args.threads());
        }
        let file = file.display();
        return Err(Failure::usage(format!(
            "`check physics` takes no file; try jostle check world {file}"
        )));
    }
    let stdout_is_taken = args.stdout_is_taken()?;
    interrupt::listen(|| ());
    let open = |path| Output::open_as("--svg", path, &["svg"]);
    let svg = args.svg.as_deref().map(open).transpose()?;
    let pool = pool(args.threads())?;
    interrupt::begun();
    let begun = std::time::Instant::now();
    let mut all = cases::all(args.quick);
    all.extend(rough::all(args.quick));
    all.extend(formulas::all(args.quick));
    let progress = Progress::of("checking", all.len() as u64, "cases");
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for case in all {
        match pool.install(case) {
            Ok(Checked { rows: own, curve }) => {
                rows.extend(own);
                curves.extend(curve);
            }
            Err(Unfinished::Interrupted) => break,
            Err(Unfinished::Failed(error)) => return Err(Failure::midway(error)),
        }
        progress.step();
    }
    drop(progress);
    // A check that is not complete holds nothing, and its chart would replace a whole one.
    let complete = interrupt::asked().is_none();
    let holds = complete && rows.iter().all(CheckRow::holds);
    let seconds = begun.elapsed().as_secs_f64();
    let origin = Origin::new(revision);
    let report = CheckReport { origin, quick: args.quick, seconds, holds, cases: rows };
    let printed = if args.json {
        print(&json(&report))
    } else {
        print_beside(stdout_is_taken, &table::text(&report.cases, seconds, complete))
    };
    if let (Some(file), true) = (svg, complete) {
        let chart = chart::svg(&report.cases, &curves);
        file.write(|to| to.write_all(chart.as_bytes()))?;
    }
    printed?;
    Ok(if holds || !complete { interrupt::status() } else { DIFFERENT })
}
