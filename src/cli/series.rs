//! `--series`: the observables of a run as a table, one row every N steps.
//!
//! The file gets its name when the agents are placed, and each row is written whole. A run that is
//! killed therefore leaves whole rows. If the disk has no room for a row, its beginning is removed.

use std::io::{ErrorKind, Write as _};

use super::{
    Failure, Outcome,
    args::RunArgs,
    output::Output,
    series_columns::{self, SeriesCurves},
};
use crate::{
    Sim,
    observe::{Meter, Moment, Motions, Observable, Source},
};

/// Share of a side that repeats, and that an agent may cross before it is followed.
const FOLLOWED: f32 = 0.2;

/// Bytes per agent that a series takes: its path since the first row.
const BYTES_PER_AGENT: u64 = 48;

/// The file, and what its rows are computed from.
#[derive(Debug)]
pub(super) struct SeriesFile {
    file: Output,
    every: u64,
    curves: Vec<Observable>,
    /// Bytes of whole rows of a regular file; none of what can't be cut, or belongs to others too.
    length: Option<u64>,
    /// True if the reader of a pipe has closed it.
    closed: bool,
    from: Option<Since>,
}

/// The state since the row before, and since the first row.
#[derive(Debug)]
struct Since {
    meter: Meter,
    motions: Motions,
    curves: SeriesCurves,
    /// The farthest that an agent may have come since it was followed, world units.
    traveled: f32,
}

impl SeriesFile {
    /// About how many bytes a series takes beside a run, if the flags ask for one.
    pub(super) fn bytes_for(args: &RunArgs, agents: u32) -> u64 {
        if args.series.is_some() { u64::from(agents) * BYTES_PER_AGENT } else { 0 }
    }

    /// Opens the file that the flags name, if they do.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn open(args: &RunArgs) -> Outcome<Option<Self>> {
        let Some(path) = &args.series else { return Ok(None) };
        let file = Output::open_as("--series", path, &["csv"])?;
        let (every, curves) = (args.series_every, args.series_columns.clone());
        Ok(Some(Self { file, every, curves, length: None, closed: false, from: None }))
    }

    /// Writes the names of the columns and the row of the beginning.
    ///
    /// # Errors
    /// If they can't be written.
    pub(super) fn begin(&mut self, sim: &mut Sim) -> Outcome<()> {
        self.length = self.file.stream()?.then_some(0);
        let curves = SeriesCurves::new(&self.curves, sim);
        let columns: Vec<&str> =
            Observable::columns().map(|observable| observable.column).collect();
        let mut names = columns.join(",");
        curves.write_names(&mut names);
        names.push('\n');
        self.append(&names)?;
        let (meter, motions) = (Meter::new(sim), Motions::new(sim));
        self.from = Some(Since { meter, motions, curves, traveled: 0.0 });
        self.row(sim)
    }

    /// Follows the agents, and writes a row if `steps` steps after the beginning there is one.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn step(&mut self, sim: &mut Sim, steps: u64) -> Outcome<()> {
        if let Some(since) = &mut self.from {
            since.traveled += sim.largest_displacement() * sim.setup().substeps_per_step() as f32;
            let size = sim.world().size();
            let next = since.traveled + 2.0 * sim.largest_displacement();
            if sim.space().is_periodic() && next > FOLLOWED * size.min_element() {
                since.motions.follow(sim);
                since.traveled = 0.0;
            }
        }
        if steps.is_multiple_of(self.every) { self.row(sim) } else { Ok(()) }
    }

    /// True if the reader of the rows has gone.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    fn row(&mut self, sim: &mut Sim) -> Outcome<()> {
        let Some(since) = &mut self.from else { return Ok(()) };
        let measures = sim.measure().map_err(Failure::midway)?;
        let reading = since.meter.read(sim);
        let moved = since.motions.follow(sim);
        since.traveled = 0.0;
        let moment = Moment { sim, measures, reading: Some(reading), every: 1, cooled: f64::NAN };
        let mut row = String::new();
        for observable in Observable::columns() {
            match observable.source {
                Source::Number(number) => series_columns::value(&mut row, number(&moment)),
                Source::Motion(mean) => series_columns::value(&mut row, mean(&moved)),
                Source::Radial | Source::Profile(..) => {}
            }
        }
        since.curves.write_values(sim, &mut row);
        row.push('\n');
        // There is a comma before each value.
        self.append(&row[1..])
    }

    /// Appends some whole lines, or nothing.
    fn append(&mut self, lines: &str) -> Outcome<()> {
        let file = self.file.file();
        match (file.write_all(lines.as_bytes()), &mut self.length) {
            (Ok(()), length) => {
                *length = length.map(|length| length + lines.len() as u64);
                Ok(())
            }
            (Err(error), None) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            (Err(error), length) => {
                // If that fails too, the error that is reported is the one that matters.
                let _ = length.map(|length| file.set_len(length));
                Err(Failure::midway(self.file.error(error)))
            }
        }
    }
}
