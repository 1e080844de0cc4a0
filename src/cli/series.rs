//! `--series`: the observables of a run as a table, one row every N steps.
//!
//! The file has its name once the agents are placed, and each row is written whole: what a kill leaves
//! is whole up to its last row. A row that the disk has no room for is taken back.

use std::{
    fmt::Write as _,
    io::{ErrorKind, Write as _},
};

use super::{
    Failure, Outcome,
    args::RunArgs,
    output::Output,
    series_columns::{self, SeriesCurve, SeriesCurves},
};
use crate::{
    Sim,
    observe::{Meter, Motions, MotionsSince, Reading, hexagonal_order},
    sim::Measures,
};

/// The columns of every table, before those that are asked for. More may follow; none moves.
const COLUMNS: &str = "step,time,agents,awake,kinetic_energy,temperature,momentum_x,momentum_y,\
    contacts,collisions,max_overlap,pressure_virial,pressure_wall,collision_rate,mean_free_path,\
    square_displacement,velocity_correlation,hexagonal_order";

/// Distance of neighbors for the order of hexagons, in sums of radii.
const NEIGHBORS: f32 = 1.5;

/// Ratio of radii up to which discs can lie in hexagons. Among others, the search for neighbors as far
/// apart as the largest are would find most agents, too.
const ALIKE: f32 = 2.0;

/// Share of a side that repeats, and that an agent may cross before it is followed.
const FOLLOWED: f32 = 0.2;

/// Bytes per agent that a series takes: its path since the first row.
const BYTES_PER_AGENT: u64 = 48;

/// The file, and what its rows are computed from.
#[derive(Debug)]
pub(super) struct SeriesFile {
    file: Output,
    every: u64,
    curves: Vec<SeriesCurve>,
    /// Bytes of whole rows of a regular file; none of what can't be cut, or belongs to others too.
    length: Option<u64>,
    /// True if the reader of a pipe has closed it.
    closed: bool,
    from: Option<Since>,
}

/// What rows are differences from.
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
        let mut names = COLUMNS.to_owned();
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
            since.traveled += sim.fastest() * sim.setup().substeps_per_step() as f32;
            let size = sim.world().size();
            let next = since.traveled + 2.0 * sim.fastest();
            if sim.space().is_periodic() && next > FOLLOWED * size.min_element() {
                since.motions.follow(sim);
                since.traveled = 0.0;
            }
        }
        if steps.is_multiple_of(self.every) { self.row(sim) } else { Ok(()) }
    }

    /// True if nothing reads the rows any more.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    fn row(&mut self, sim: &mut Sim) -> Outcome<()> {
        let Some(since) = &mut self.from else { return Ok(()) };
        let measures = sim.measure().map_err(Failure::midway)?;
        let reading = since.meter.read(sim);
        let moved = since.motions.follow(sim);
        since.traveled = 0.0;
        let radii = &sim.agents().radius;
        let least = radii.iter().copied().fold(f32::INFINITY, f32::min);
        let alike = radii.iter().all(|&radius| radius <= ALIKE * least);
        let order = if alike { hexagonal_order(sim, NEIGHBORS) } else { f64::NAN };
        let mut row = String::new();
        // Writing to a string does not fail.
        let _ = write_row(&mut row, sim, &measures, &reading, moved, order);
        since.curves.write_values(sim, &mut row);
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

fn write_row(
    row: &mut String,
    sim: &Sim,
    measures: &Measures,
    reading: &Reading,
    moved: MotionsSince,
    order: f64,
) -> std::fmt::Result {
    let time = sim.steps() as f64 / f64::from(sim.setup().hz);
    write!(row, "{},{time},{},{}", sim.steps(), sim.agents().len(), sim.awake())?;
    let [x, y] = measures.momentum;
    write!(row, ",{},{},{x},{y}", measures.kinetic_energy, reading.temperature)?;
    write!(row, ",{},{},{}", measures.contacts, reading.collisions, measures.max_overlap)?;
    let rest = [
        reading.pressure_virial.unwrap_or(f64::NAN),
        reading.pressure_wall.unwrap_or(f64::NAN),
        reading.collision_rate,
        reading.mean_free_path,
        moved.square_displacement,
        moved.velocity_correlation,
        order,
    ];
    for value in rest {
        series_columns::value(row, value);
    }
    Ok(())
}
