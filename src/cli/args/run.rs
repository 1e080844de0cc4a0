//! The flags of `run` and `record`: the length, what is drawn, what is written.

use std::path::{self, Path, PathBuf};

use clap::{ArgAction, Args};

use crate::{
    Setup,
    cli::{Failure, Outcome, output},
    limits::STEPS_MAX,
    observe::Observable,
    raster::DrawOrder,
};

use super::{
    names,
    picture::PictureArgs,
    values::{self, Rate},
    world::WorldArgs,
};

/// The flags about snapshots.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Snapshot")]
pub(crate) struct SnapshotArgs {
    /// Continue the run of this snapshot, bit for bit; flags of the world must agree with it
    #[arg(long, value_name = "FILE.jostle")]
    pub(crate) load: Option<PathBuf>,
    /// Write a snapshot of the final state, to be continued with --load; - for stdout
    #[arg(long, value_name = "FILE.jostle|-")]
    pub(crate) save: Option<PathBuf>,
    /// Write it after every N steps, too, in the place of the one before
    #[arg(long, value_name = "N", requires = "save", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) save_every: Option<u64>,
}

/// The flags about trajectories.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct TrajectoryArgs {
    /// Write positions, velocities, diameters, types and ids while the run goes on, for OVITO, HOOMD-blue
    /// and Python
    #[arg(long, value_name = "FILE.gsd")]
    pub(crate) trajectory: Option<PathBuf>,
    /// Steps from one frame of it to the next
    #[arg(long, value_name = "N", default_value = "1", requires = "trajectory", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) trajectory_every: u64,
}

#[cfg(feature = "mpi")]
impl SnapshotArgs {
    /// True if a snapshot is due after that many steps.
    fn is_due(&self, steps: u64) -> bool {
        self.save_every.is_some_and(|every| steps.is_multiple_of(every))
    }
}

#[cfg(feature = "mpi")]
impl TrajectoryArgs {
    /// True if a frame of a trajectory is due after that many steps.
    fn is_due(&self, steps: u64) -> bool {
        self.trajectory.is_some() && steps.is_multiple_of(self.trajectory_every)
    }
}

/// The flag about traces.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct TraceArgs {
    /// Write what each thread did when, to be opened by Perfetto (ui.perfetto.dev); - for stdout
    #[arg(long, value_name = "FILE.json|-")]
    pub(crate) trace: Option<PathBuf>,
}

impl TraceArgs {
    /// True if the trace goes to stdout.
    fn takes_stdout(&self) -> bool {
        self.trace.as_deref().is_some_and(output::is_stdout)
    }
}

/// The number of steps of a run: as it was given, or those of a simulated time in seconds, at least
/// one.
///
/// # Errors
/// A usage error if a run can't take so many.
pub(crate) fn steps_of(steps: u64, seconds: Option<f64>, setup: &Setup) -> Outcome<u64> {
    let Some(seconds) = seconds else { return Ok(steps) };
    let steps = (seconds * f64::from(setup.hz)).round().max(1.0);
    let most = STEPS_MAX as f64;
    if steps > most {
        let (hz, longest) = (setup.hz, (most / f64::from(setup.hz)).floor());
        return Err(Failure::usage(format!(
            "--seconds {seconds} of {hz} steps each are more than {} steps; try at most --seconds \
             {longest}",
            values::grouped(STEPS_MAX)
        )));
    }
    Ok(steps as u64)
}

/// `jostle run`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// Measured steps: 300, 10k; 0 measures nothing
    #[arg(long, value_name = "N", help_heading = "Length", default_value = "600", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) steps: u64,
    /// Simulated seconds to measure, instead of --steps: a step lasts 1/--hz
    #[arg(long, value_name = "F", help_heading = "Length", conflicts_with = "steps", value_parser = values::seconds, allow_hyphen_values = true)]
    pub(crate) seconds: Option<f64>,
    /// Steps before them that are not measured
    #[arg(long, value_name = "N", help_heading = "Length", default_value = "0", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) warmup: u64,
    /// Draw the final state into this file; - for stdout
    #[arg(long, value_name = "FILE.png|-", help_heading = "Picture")]
    pub(crate) frame: Option<PathBuf>,
    /// Draw each step, to measure drawing
    #[arg(long, help_heading = "Picture")]
    pub(crate) draw: bool,
    /// Order in which agents are drawn: cell, random (a baseline for cell order) [default: cell]
    #[arg(long, value_name = "ORDER", help_heading = "Picture", value_parser = names::draw_order, allow_hyphen_values = true)]
    pub(crate) draw_order: Option<DrawOrder>,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
    /// Write the final state: id, x, y, vx, vy, radius, ordered by id, to be read with --start; - for CSV
    /// on stdout
    #[arg(long, value_name = "FILE.csv|.npz|-", help_heading = "Output")]
    pub(crate) export: Option<PathBuf>,
    /// Write observables while the run goes on: energy, temperature, pressure, collisions and more; -
    /// for stdout
    #[arg(long, value_name = "FILE.csv|-", help_heading = "Output", conflicts_with = "replay")]
    pub(crate) series: Option<PathBuf>,
    /// Steps from one row of it to the next
    #[arg(long, value_name = "N", help_heading = "Output", default_value = "1", requires = "series", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) series_every: u64,
    // A doc comment would have to quote the names.
    #[arg(long, value_name = "NAMES", help = "Curves that get a column for each point, too, separated by commas: g, density_x, density_y, velocity_x, velocity_y", help_heading = "Output", requires = "series", value_parser = names::series_curve, value_delimiter = ',', action = ArgAction::Set, allow_hyphen_values = true)]
    pub(crate) series_columns: Vec<Observable>,
    /// Print the state hash after every N steps of the run, too, to find the first step in which two runs
    /// differ
    #[arg(long, value_name = "N", help_heading = "Output", value_parser = values::some_steps, allow_hyphen_values = true)]
    pub(crate) hash_every: Option<u64>,
    #[command(flatten)]
    pub(crate) trajectory: TrajectoryArgs,
    #[command(flatten)]
    pub(crate) trace: TraceArgs,
    #[command(flatten)]
    pub(crate) snapshot: SnapshotArgs,
    /// Replay what a window has recorded with --journal, to its end; exit status 3 if the run comes to
    /// another state
    #[arg(long, value_name = "FILE.jostle", help_heading = "Snapshot", conflicts_with_all = ["load", "steps", "seconds", "warmup"])]
    pub(crate) replay: Option<PathBuf>,
    /// Print one JSON object instead of a summary
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Under mpirun: 1 makes each process a run of its own [default: all processes share one run]
    #[arg(long, value_name = "N", help_heading = "Machine", value_parser = values::ranks, allow_hyphen_values = true)]
    pub(crate) ranks: Option<u32>,
}

impl RunArgs {
    /// True if a file gets the state after that many measured steps.
    #[cfg(feature = "mpi")]
    pub(crate) fn is_due(&self, measured: u64, setup: &Setup) -> bool {
        let Self { series, series_every, trajectory, snapshot, .. } = self;
        // Where the world repeats, a series follows agents over the seam.
        let follows = setup.boundary != crate::Boundary::Walls;
        let series = series.is_some() && (follows || measured.is_multiple_of(*series_every));
        series || trajectory.is_due(measured) || snapshot.is_due(measured)
    }

    /// True if anything is drawn.
    ///
    /// # Errors
    /// A usage error for a flag about drawing if nothing is drawn.
    pub(crate) fn draws(&self) -> Outcome<bool> {
        let draws = self.draw || self.frame.is_some();
        let flags = [
            ("--size", self.picture.size.is_some()),
            ("--view", self.picture.view.is_some()),
            ("--glow", self.picture.glow),
            ("--draw-order", self.draw_order.is_some()),
        ];
        match flags.into_iter().find(|&(_, given)| given) {
            Some((flag, _)) if !draws => Err(Failure::usage(format!(
                "{flag} has no effect, because nothing is drawn; add --frame FILE.png, or --draw"
            ))),
            _ => Ok(draws),
        }
    }

    /// True if stdout gets a file, so that the summary can't go there.
    ///
    /// # Errors
    /// A usage error if stdout would get more than one.
    pub(crate) fn stdout_is_taken(&self) -> Outcome<bool> {
        let stands = |file: &Option<PathBuf>| file.as_deref().is_some_and(output::is_stdout);
        let takers = [
            ("--json", self.json),
            ("--frame -", stands(&self.frame)),
            ("--export -", stands(&self.export)),
            ("--series -", stands(&self.series)),
            ("--save -", stands(&self.snapshot.save)),
            ("--trace -", self.trace.takes_stdout()),
        ];
        output::stdout_taker(&takers)
    }

    /// Refuses one file for two tables.
    ///
    /// # Errors
    /// A usage error.
    pub(crate) fn tables_differ(&self) -> Outcome<()> {
        let whole = |path: &Path| path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        match (self.series.as_deref(), self.export.as_deref()) {
            (Some(series), Some(export)) if whole(series) == whole(export) => {
                Err(Failure::usage(format!(
                    "--series and --export both name {}; name another file after --export",
                    series.display()
                )))
            }
            _ => Ok(()),
        }
    }
}

/// `jostle record`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RecordArgs {
    /// Output: film.gif, film.apng, film.mp4 and others by ffmpeg, film.y4m, numbered pictures as in frame-%05d.png, or - for y4m
    /// on stdout, which ffmpeg turns into video
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// Recorded steps, --hz of them per second: 300, 10k
    #[arg(long, value_name = "N", help_heading = "Length", default_value = "600", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) steps: u64,
    /// Simulated seconds to record, instead of --steps
    #[arg(long, value_name = "F", help_heading = "Length", conflicts_with = "steps", value_parser = values::seconds, allow_hyphen_values = true)]
    pub(crate) seconds: Option<f64>,
    /// Steps before the first frame
    #[arg(long, value_name = "N", help_heading = "Length", default_value = "0", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) warmup: u64,
    /// Frames per second of simulated time: 30, 29.97, 30000/1001; at most 50 in a GIF
    #[arg(long, value_name = "F", help_heading = "Length", default_value = "30", value_parser = values::fps, allow_hyphen_values = true)]
    pub(crate) fps: Rate,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
    #[command(flatten)]
    pub(crate) trajectory: TrajectoryArgs,
    #[command(flatten)]
    pub(crate) trace: TraceArgs,
    #[command(flatten)]
    pub(crate) snapshot: SnapshotArgs,
    /// Film what a window has recorded with --journal, run after run; exit status 3 if a run comes to
    /// another state
    #[arg(long, value_name = "FILE.jostle", help_heading = "Snapshot", conflicts_with_all = ["load", "steps", "seconds", "warmup"])]
    pub(crate) replay: Option<PathBuf>,
}

impl RecordArgs {
    /// Checks that stdout does not get a film and a snapshot.
    ///
    /// # Errors
    /// A usage error if it would.
    pub(crate) fn check_stdout(&self) -> Outcome<()> {
        let saved = self.snapshot.save.as_deref().is_some_and(output::is_stdout);
        let takers = [
            ("the film -", output::is_stdout(&self.file)),
            ("--save -", saved),
            ("--trace -", self.trace.takes_stdout()),
        ];
        output::stdout_taker(&takers).map(drop)
    }

    /// True if a file beside the film is due after that many steps.
    #[cfg(feature = "mpi")]
    pub(crate) fn is_due(&self, steps: u64) -> bool {
        self.trajectory.is_due(steps) || self.snapshot.is_due(steps)
    }
}
