//! The files of a run: opened before it, written on its way and at its end.

use std::path::Path;

use super::{
    Failure, Outcome,
    args::RunArgs,
    export,
    frames::write_png,
    json, notes,
    origin::{Origin, Revision},
    output::Output,
    print, print_beside,
    report::{Measurements, Report},
    saves::SaveFile,
    say,
    series::SeriesFile,
    snapshots::Beginning,
    summary,
    trace::TraceFile,
    trajectory::TrajectoryFile,
};
use crate::{Setup, Sim, raster::Frame};

/// The files that flags of a run name.
#[derive(Debug)]
pub(super) struct Outputs<'a> {
    args: &'a RunArgs,
    stdout_is_taken: bool,
    frame: Option<Output>,
    export: Option<(&'a Path, Output)>,
    trace: Option<TraceFile>,
    save: Option<SaveFile>,
    series: Option<SeriesFile>,
    trajectory: Option<TrajectoryFile>,
}

impl<'a> Outputs<'a> {
    /// The most bytes that they take in a run.
    pub(super) fn memory_for(args: &RunArgs, setup: &Setup, beginning: &Beginning) -> u64 {
        SeriesFile::memory_for(args, setup.agents)
            + TrajectoryFile::memory_for(&args.trajectory, setup, beginning)
            + TraceFile::memory_for(&args.trace)
    }

    /// Opens the files. `frame` is the one for the frame, if it is open already.
    ///
    /// # Errors
    /// If one can't be written.
    pub(super) fn open(
        args: &'a RunArgs,
        frame: Option<Output>,
        beginning: &Beginning,
        steps: u64,
    ) -> Outcome<Self> {
        let open = |path| Output::open_as("--frame", path, &["png"]);
        let frame = frame.map(Ok).or_else(|| args.frame.as_deref().map(open)).transpose()?;
        let open =
            |path| Output::open_as("--export", path, &export::EXTENSIONS).map(|to| (path, to));
        let export = args.export.as_deref().map(open).transpose()?;
        Ok(Self {
            args,
            stdout_is_taken: args.stdout_is_taken()?,
            frame,
            export,
            trace: TraceFile::open(&args.trace)?,
            save: SaveFile::open(&args.snapshot)?,
            series: SeriesFile::open(args)?,
            trajectory: TrajectoryFile::open(&args.trajectory, beginning, Some(steps))?,
        })
    }

    /// Writes what comes before the first measured step.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn begin(&mut self, sim: &mut Sim) -> Outcome<()> {
        if let Some(series) = self.series.as_mut() {
            series.begin(sim)?;
        }
        self.begin_trajectory(sim)
    }

    /// Writes the first frame of a run, if there is a trajectory.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn begin_trajectory(&mut self, sim: &Sim) -> Outcome<()> {
        let begun = self.trajectory.as_mut().map(|trajectory| trajectory.begin(sim));
        begun.transpose().map(drop).map_err(Failure::midway)
    }

    /// Writes what is due after that many measured steps.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn step(&mut self, sim: &mut Sim, steps: u64) -> Outcome<()> {
        if let Some(save) = self.save.as_mut() {
            save.step(sim, steps)?;
        }
        if let Some(series) = self.series.as_mut() {
            series.step(sim, steps)?;
        }
        if let Some(trajectory) = self.trajectory.as_mut() {
            trajectory.step(sim, steps).map_err(Failure::midway)?;
        }
        Ok(())
    }

    /// True once the reader of a series has left.
    pub(super) fn is_left(&self) -> bool {
        self.series.as_ref().is_some_and(SeriesFile::is_closed)
    }

    /// The end of a sentence that names the last snapshot of a run that has failed.
    pub(super) fn kept(&self) -> String {
        self.save.as_ref().map(SaveFile::kept).unwrap_or_default()
    }

    /// Prints the results of a run, and writes what comes at its end.
    ///
    /// # Errors
    /// If there is not enough memory for the final contacts, or a file can't be written. Such a failure
    /// does not keep the results from being printed.
    pub(super) fn finish(
        self,
        sim: &mut Sim,
        run: &Measurements,
        frame: Option<&Frame>,
        revision: Revision,
    ) -> Outcome<()> {
        // Before the report, which looks for the final contacts.
        let saved = self.save.map(|save| save.end(sim));
        let setup = sim.setup().clone();
        let report = Report::new(Origin::new(revision), &setup, sim, run);
        let report = report.map_err(Failure::midway)?;
        notes::print_end(sim, &report);
        // A failure to write one of them does not keep the others from being written.
        let printed = if self.args.json {
            print(&json(&report))
        } else {
            print_beside(self.stdout_is_taken, &summary::summary(&report, sim, run.planned))
        };
        let framed = self.frame.zip(frame).map(|(file, frame)| {
            let path = file.path().to_path_buf();
            file.write(|to| write_png(frame, to)).map(|placed| (path, placed))
        });
        let exported =
            self.export.map(|(path, file)| file.write(|to| export::write(path, sim, to)));
        let followed = self.trajectory.map(TrajectoryFile::finish);
        let traced = self.trace.map(|trace| trace.finish(Origin::new(revision), run.threads));
        printed?;
        if let Some((path, placed)) = framed.transpose()?
            && placed != path
        {
            say(&format!("{} exists by now; wrote {} instead", path.display(), placed.display()));
        }
        exported.transpose()?;
        traced.transpose()?;
        followed.transpose().map_err(Failure::midway)?;
        saved.transpose().map(drop)
    }
}
