//! `--series`: the observables of a run as a table, one row every N steps.
//!
//! The file gets its name when the agents are placed, and each row is written whole. A run that is
//! killed therefore leaves whole rows. If the disk has no room for a row, its beginning is removed.

use std::{
    fmt::Write as _,
    io::{ErrorKind, Write as _},
};

use super::{Failure, Outcome, args::RunArgs, output::Output};
use crate::{
    Sim,
    observe::{
        Meter, Motions, Observable, RadialDistribution, RunSample, ValueSource, mean_diameter,
        profile,
    },
};

/// Bins of g per mean diameter, and of all.
const BINS_PER_DIAMETER: f32 = 10.0;
const RADIAL_BINS: usize = 50;

/// Strips of a profile.
const STRIPS: usize = 20;

/// Share of a side that repeats, and that an agent may cross before it is followed.
const FOLLOWED: f32 = 0.2;

/// Bytes per agent that a series takes: its path since the first row.
const BYTES_PER_AGENT: u64 = 48;

/// The file, and what its rows are computed from.
#[derive(Debug)]
pub(super) struct SeriesFile {
    file: Output,
    every: u64,
    /// The columns of every table, then the columns of curves, and then what the run observes.
    observables: Vec<Observable>,
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
    /// Width of a bin of g, world units.
    bin: f32,
    /// The farthest that an agent may have come since it was followed, world units.
    traveled: f32,
}

impl SeriesFile {
    /// About how many bytes a series takes beside a run, if the flags ask for one.
    pub(super) fn memory_for(args: &RunArgs, agents: u32) -> u64 {
        if args.series.is_some() { u64::from(agents) * BYTES_PER_AGENT } else { 0 }
    }

    /// Opens the file that the flags name, if they do.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn open(args: &RunArgs) -> Outcome<Option<Self>> {
        let Some(path) = &args.series else { return Ok(None) };
        let file = Output::open_as("--series", path, &["csv"])?;
        let mut observables: Vec<Observable> = Observable::columns().collect();
        for &curve in &args.series_columns {
            if !observables.contains(&curve) {
                observables.push(curve);
            }
        }
        let every = args.series_every;
        Ok(Some(Self { file, every, observables, length: None, closed: false, from: None }))
    }

    /// Writes the names of the columns and the row of the beginning.
    ///
    /// # Errors
    /// If they can't be written.
    pub(super) fn begin(&mut self, sim: &mut Sim) -> Outcome<()> {
        self.length = self.file.stream()?.then_some(0);
        self.observables.extend(Observable::observed(sim));
        let names: Vec<String> = self.observables.iter().flat_map(|&it| names(it, sim)).collect();
        self.append(&(names.join(",") + "\n"))?;
        let (meter, motions) = (Meter::new(sim), Motions::new(sim));
        // The mean diameter may change later.
        let bin = mean_diameter(sim) as f32 / BINS_PER_DIAMETER;
        self.from = Some(Since { meter, motions, bin, traveled: 0.0 });
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
        let moment =
            RunSample { sim, measures, reading: Some(reading), every: 1, cooled: f64::NAN };
        let mut row = String::new();
        let mut value = |value: f64| {
            // A value that is not available is empty. Writing to a string does not fail.
            let _ = if value.is_finite() { write!(row, "{value},") } else { write!(row, ",") };
        };
        let mut profiles = [None, None];
        for observable in &self.observables {
            match observable.source {
                ValueSource::Number(number) => value(number(&moment)),
                ValueSource::Motion(mean) => value(mean(&moved)),
                ValueSource::Observed => value(observable.value_in(sim)),
                ValueSource::Radial => {
                    let mut radial = RadialDistribution::new(since.bin, RADIAL_BINS);
                    radial.add(sim);
                    radial.curve().for_each(|[_, g]| value(g));
                }
                ValueSource::Profile(axis, columns, [values, _]) => {
                    let strips =
                        profiles[axis as usize].get_or_insert_with(|| profile(sim, axis, STRIPS));
                    for column in 0..columns.len() {
                        for strip in &*strips {
                            value(values(strip)[column]);
                        }
                    }
                }
            }
        }
        row.pop();
        row.push('\n');
        self.append(&row)
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

/// The names of the columns of an observable: of a curve, with the middle of each bin.
fn names(observable: Observable, sim: &Sim) -> Vec<String> {
    let (prefixes, bins, width): (&[&str], _, _) = match observable.source {
        ValueSource::Number(_) | ValueSource::Motion(_) => {
            return vec![observable.column.to_owned()];
        }
        ValueSource::Observed => {
            let name = observable.name_in(sim).unwrap_or_default();
            // The name of a species may have any characters.
            let is_plain = !name.contains([',', '"', '\n', '\r']);
            let quoted = || format!("\"{}\"", name.replace('"', "\"\""));
            return vec![if is_plain { name.to_owned() } else { quoted() }];
        }
        ValueSource::Profile(_, columns, _) => (columns, STRIPS, 1.0 / STRIPS as f64),
        ValueSource::Radial => {
            (&[observable.column], RADIAL_BINS, 1.0 / f64::from(BINS_PER_DIAMETER))
        }
    };
    let name = |prefix: &str, bin: usize| {
        let name = format!("{prefix}_{:.3}", (bin as f64 + 0.5) * width);
        // Two digits where two are exact.
        name.strip_suffix('0').map(str::to_owned).unwrap_or(name)
    };
    prefixes.iter().flat_map(|prefix| (0..bins).map(move |bin| name(prefix, bin))).collect()
}
