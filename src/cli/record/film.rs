//! A film on its way from a run to the encoder, and the files that are written beside it.

use super::{format, plan::FilmPlan, queue::FrameQueue, store::Recording};
use crate::{
    Setup, Sim,
    cli::{
        Failure, Outcome,
        args::{RecordArgs, values::Rate},
        frames::FrameRenderer,
        interrupt, notes,
        progress::Progress,
        saves::SaveFile,
        say,
        snapshots::Beginning,
        trajectory::TrajectoryFile,
    },
    journal::Difference,
    trace::{Activity, timed},
};

/// The run of a film at its end, and its difference from the journal that it replays.
pub(super) type Filmed = (Sim, Option<Difference>);

/// A film that is being recorded.
pub(super) struct FilmInProgress<'a> {
    pub(super) args: &'a RecordArgs,
    /// The frames of the run, or of this run of a replay.
    pub(super) plan: FilmPlan,
    queue: FrameQueue,
    save: Option<SaveFile>,
    trajectory: Option<TrajectoryFile>,
    /// Frames of this run, and of the runs that are over.
    frames: u64,
    frames_before: u64,
}

impl<'a> FilmInProgress<'a> {
    /// Opens the files of a film of `steps` steps.
    ///
    /// # Errors
    /// If the format can't hold the film, or a file can't be written.
    pub(super) fn open(
        args: &'a RecordArgs,
        beginning: &Beginning,
        plan: FilmPlan,
        steps: u64,
    ) -> Outcome<Self> {
        let style = args.picture.style.style(beginning.setup())?;
        let (encoder, numbered) = format::encoder(args, plan, style)?;
        // Players would take a numbered file of another film for a part of this one.
        let next =
            numbered.as_ref().map(|name| name.path(plan.frames)).filter(|path| path.exists());
        let store = format::store(&args.file, numbered)?;
        let save = SaveFile::open(&args.snapshot)?;
        let trajectory = TrajectoryFile::open(&args.trajectory, beginning, Some(steps))?;
        if let Some(next) = next {
            say(&format!(
                "{} belongs to another film, and players will continue with it; remove it",
                next.display()
            ));
        }
        let queue = FrameQueue::start(args.picture.size(), store, encoder, || ());
        let queue = queue.map_err(|error| {
            let remedy = if args.world.threads() > 1 {
                "try --threads 1"
            } else {
                "close other programs, or allow more processes"
            };
            Failure::usage(format!("the encoder's thread can't be started ({error}); {remedy}"))
        })?;
        Ok(Self { args, plan, queue, save, trajectory, frames: 0, frames_before: 0 })
    }

    /// What draws the frames of a run that begins, before the steps that are not recorded.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn renderer(&self, sim: &Sim) -> Outcome<FrameRenderer> {
        let style = self.args.picture.style.style(sim.setup())?;
        Ok(FrameRenderer::new(&self.args.picture, style, sim)?)
    }

    /// Writes the state before the first step that is recorded to the files beside the film.
    ///
    /// # Errors
    /// If one can't be written.
    pub(super) fn begin(&mut self, sim: &Sim) -> Outcome<()> {
        let begun = self.trajectory.as_mut().map(|trajectory| trajectory.begin(sim));
        begun.transpose().map(drop).map_err(Failure::midway)
    }

    /// Begins with the frames of the next run of a replay.
    ///
    /// # Errors
    /// As [`FilmPlan::new`].
    pub(super) fn begin_run(&mut self, setup: &Setup) -> Outcome<()> {
        self.plan = FilmPlan::new(self.args.fps, 0, setup)?;
        self.frames_before += std::mem::take(&mut self.frames);
        Ok(())
    }

    /// Draws the state until the run has that many frames, or is interrupted. False once the film takes no
    /// more.
    pub(super) fn draw_until(
        &mut self,
        frames: u64,
        renderer: &mut FrameRenderer,
        sim: &Sim,
        progress: &Progress,
    ) -> bool {
        while self.frames < frames && interrupt::asked().is_none() {
            if !self.queue.push(|frame| timed(Activity::Draw, || renderer.draw(frame, sim)).0) {
                return false;
            }
            progress.step();
            self.frames += 1;
        }
        true
    }

    /// Writes the files beside the film that are due after that many steps.
    ///
    /// # Errors
    /// If one can't be written.
    pub(super) fn step(&mut self, sim: &Sim, steps: u64) -> Outcome<()> {
        if let Some(save) = &mut self.save {
            save.step(sim, steps)?;
        }
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.step(sim, steps).map_err(Failure::midway)?;
        }
        Ok(())
    }

    /// Waits until all frames are written, says what the film has, and ends the files beside it. Returns the
    /// difference from the journal.
    ///
    /// # Errors
    /// The failure of the run, or of a file.
    pub(super) fn end(self, drawn: Outcome<Filmed>) -> Outcome<Option<Difference>> {
        let kept = self.save.as_ref().map(SaveFile::kept).unwrap_or_default();
        let drawn = drawn.map_err(|failure| failure.with(&kept));
        let Self { args, plan, queue, save, trajectory, frames, frames_before } = self;
        // Of a replay, as far as it has come.
        let planned = if args.replay.is_some() { frames_before + frames } else { plan.frames };
        let recording = queue.finish().map_err(Failure::midway)?;
        let summary = summary(planned, plan.fps, &recording);
        if let Some(error) = recording.failure {
            return Err(Failure { status: 1, message: format!("{error}; {summary}") });
        }
        let (sim, difference) = drawn.map_err(|failure| failure.with(&format!("; {summary}")))?;
        notes::unwritten(&sim);
        if recording.frames == planned {
            say(&summary);
        } else if interrupt::asked().is_some() {
            say(&format!("stopped early; {summary}"));
        } // Otherwise, the reader of a pipe has closed it early.
        let followed = trajectory.map(TrajectoryFile::finish).transpose();
        save.map(|save| save.end(&sim)).transpose()?;
        followed.map_err(Failure::midway)?;
        Ok(difference)
    }
}

/// The contents of a recording, as the end of a message.
fn summary(planned: u64, fps: Rate, recording: &Recording) -> String {
    let name = recording.path.display();
    match (recording.frames, recording.plays) {
        (0, _) => format!("nothing of {name} was written"),
        (_, false) => format!("{} went to {name}", recording.count(planned)),
        (_, true) => {
            format!("{name} has {}", recording.contents(planned, fps.decimal()))
        }
    }
}
