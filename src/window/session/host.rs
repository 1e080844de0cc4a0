//! The host of a run: its threads, its place in time, and the journal that may change it instead of
//! the user.
//!
//! The clock is read here: the simulation has none. A frame enters the thread pool once for its
//! steps.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rayon::ThreadPool;

use crate::{
    format,
    index::{IndexKind, Naive},
    journal::{Due, JournalView, Position, Replay},
    parallel::pool,
    program::{ProgramError, ProgramResult as Result},
    raster::Interpolation,
    rules::RuleSource,
    scene::Setup,
    sim::{Edit, Sim},
    snapshot::Snapshot,
    window::{
        event::Event,
        frame_stats::FrameStats,
        plots::Plots,
        recorded_sim::{RecordedSim, RunPast},
        timeline::Timeline,
        timestep::Timestep,
        twin::Twin,
    },
};

/// Number of agents up to which all pairs are tested in a fraction of a second; more would block
/// the window.
const NAIVE_MAX: usize = 20_000;

/// Longest time for steps between two frames on the way to another step.
const SLICE: Duration = Duration::from_millis(40);

/// A way to another step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seek {
    /// The first step of the way and the last one.
    pub(super) from: u64,
    pub(super) to: u64,
    /// Whether it ends after the edits that the timeline has there.
    pub(super) with_edits: bool,
}

/// The journal that is replayed.
pub(super) struct Playback {
    /// The source of changes instead of the user, until its end.
    pub(super) replay: Option<Replay>,
    /// The number of its run in the window, from 0.
    pub(super) run: usize,
    /// What the window of the journal showed, as far as this one shows it.
    shown: Option<JournalView>,
    /// Why the replay has ended early.
    pub(super) fault: Option<ReplayFault>,
}

/// Why a replay ends before its journal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplayFault {
    /// The run has reached another state than its journal.
    Differs,
    /// The run refuses a change of the journal.
    Refused,
}

impl Playback {
    /// Begins with the first run of a journal, if there is one.
    pub(super) fn begin(&mut self, replay: Option<Replay>) {
        (self.replay, self.run, self.shown) = (replay, 0, None);
    }
}

/// The run in the window and its place in time.
pub(in crate::window) struct RunHost {
    pub(super) pool: Arc<ThreadPool>,
    pub(super) sim: RecordedSim,
    pub(super) playback: Playback,
    /// The run with another future, while the two are shown.
    pub(in crate::window) twin: Option<Twin>,
    /// The way to another step, while the run is on it.
    pub(super) seek: Option<Seek>,
    /// When steps are due.
    pub(in crate::window) timestep: Timestep,
    /// The time until which steps were taken or dropped.
    pub(super) last_run: Instant,
    /// Time that was played so far, seconds.
    played: f64,
}

impl RunHost {
    pub(super) fn new(pool: Arc<ThreadPool>, sim: RecordedSim, replay: Option<Replay>) -> Self {
        Self {
            pool,
            timestep: Timestep::new(f64::from(sim.setup().hz)),
            sim,
            playback: Playback { replay, run: 0, shown: None, fault: None },
            twin: None,
            seek: None,
            last_run: Instant::now(),
            played: 0.0,
        }
    }

    /// The set-up of the run, changed as the user changed it: a restart starts from it.
    pub(super) fn setup(&self) -> &Setup {
        self.sim.setup()
    }

    /// Replaces the run.
    pub(super) fn begin(&mut self, sim: Sim, from: Option<&Snapshot>) -> RunPast {
        let past = self.sim.begin(sim, from);
        self.seek = None;
        self.timestep.restart();
        past
    }

    /// Threads that step and draw.
    pub(in crate::window) fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Steps and draws with another number of threads.
    ///
    /// # Errors
    /// As [`pool`].
    pub(super) fn set_threads(&mut self, threads: usize) -> Result<()> {
        self.pool = Arc::new(pool(threads)?);
        Ok(())
    }

    /// Simulated time after `steps` steps, in seconds.
    pub(in crate::window) fn seconds(&self, steps: u64) -> f64 {
        steps as f64 / f64::from(self.setup().hz)
    }

    /// Time for which the run was played, in seconds.
    pub(super) fn played(&self) -> f64 {
        self.played
    }

    /// Time since the last call, in which steps may be due.
    pub(super) fn elapse(&mut self, now: Instant) -> Duration {
        let elapsed = now.saturating_duration_since(self.last_run);
        self.last_run = now;
        elapsed
    }

    /// Lets the time until now owe no steps.
    pub(in crate::window) fn skip_time(&mut self) {
        self.last_run = Instant::now();
    }

    /// How far the frame lags behind the last step.
    pub(super) fn interpolation(&self) -> Interpolation {
        self.interpolation_of(&self.sim)
    }

    /// How far the frame lags behind the last step of a run, this one or its twin.
    pub(super) fn interpolation_of(&self, sim: &Sim) -> Interpolation {
        let (lag, substeps) = (self.timestep.lag() as f32, self.setup().substeps_per_step() as f32);
        let farthest = lag * substeps * sim.largest_displacement();
        Interpolation { seconds: lag * sim.dt(), farthest }
    }

    /// Whether the twin has yet to come to the step of the run, which waits for it.
    pub(super) fn twin_lags(&self) -> bool {
        self.twin.as_ref().is_some_and(|twin| twin.sim.steps() != self.sim.steps())
    }

    /// Takes the steps that are due after `elapsed`, each after `before_step`, for at most
    /// [`Timestep::step_time_max`]; drops the others. Returns the number of steps taken, and the
    /// turn of a replay that has no step to take.
    ///
    /// # Errors
    /// As `before_step` and [`Sim::step`].
    pub(super) fn take_due_steps(
        &mut self,
        elapsed: Duration,
        frame_stats: &mut FrameStats,
        plots: &mut Plots,
        mut before_step: impl FnMut(&mut RecordedSim) -> Result<()> + Send,
    ) -> Result<(u32, Option<Result<Due>>)> {
        let due = self.timestep.due(elapsed);
        let Self { pool, sim, playback, timestep, twin, .. } = self;
        let (taken, turn) = pool.install(|| {
            let begin = Instant::now();
            for step in 0..due {
                if step > 0 && begin.elapsed() >= timestep.step_time_max() {
                    return Ok((step, None));
                }
                if let Some(replay) = playback.replay.as_mut().filter(|_| !sim.is_past()) {
                    match sim.replay(replay) {
                        Ok(Due::Step) => {}
                        turn => return Ok((step, Some(turn))),
                    }
                }
                before_step(sim)?;
                match twin {
                    Some(twin) => twin.step_beside(sim, frame_stats)?,
                    None => sim.step_with(frame_stats)?,
                }
                plots.follow(sim);
            }
            Ok::<_, ProgramError>((due, None))
        })?;
        timestep.drop_steps(due - taken);
        self.played += f64::from(taken) / timestep.rate();
        Ok((taken, turn))
    }

    /// Takes steps on the way to another step, for at most [`SLICE`]. Returns their number.
    ///
    /// # Errors
    /// As [`Sim::step`].
    pub(super) fn take_seek_steps(&mut self, frame_stats: &mut FrameStats) -> Result<u32> {
        let Some(Seek { to, with_edits, .. }) = self.seek else { return Ok(0) };
        let Self { pool, sim, .. } = self;
        pool.install(|| {
            let (begin, mut taken) = (Instant::now(), 0);
            while sim.steps() < to && begin.elapsed() < SLICE {
                sim.step_with(frame_stats)?;
                taken += 1;
            }
            if with_edits && sim.steps() == to {
                sim.make_edits()?;
            }
            Ok(taken)
        })
    }

    /// Ends a way to another step that is over; that step.
    pub(super) fn end_seek(&mut self) -> Option<u64> {
        self.seek.take_if(|seek| self.sim.steps() >= seek.to)?;
        self.skip_time();
        Some(self.sim.steps())
    }

    /// How much of the way to another step is done, in percent.
    pub(super) fn seek_progress(&self) -> Option<u64> {
        let Seek { from, to, .. } = self.seek?;
        let done = self.sim.steps().saturating_sub(from);
        Some((done * 100).checked_div(to - from).unwrap_or(100))
    }

    /// The step that the run is at, or on the way to.
    pub(super) fn wanted_step(&self) -> u64 {
        self.seek.map_or(self.sim.steps(), |seek| seek.to)
    }

    /// The kept moments and edits of the run, and its branches.
    pub(in crate::window) fn timeline(&self) -> &Timeline {
        self.sim.timeline()
    }

    /// The branch that the run is on, and its place there.
    pub(in crate::window) fn place(&self) -> (u32, Position) {
        (self.timeline().line().0, self.sim.position())
    }

    /// True while a journal of the run is written.
    pub(in crate::window) fn records_journal(&self) -> bool {
        self.sim.has_journal()
    }

    /// True while a journal changes the run.
    pub(in crate::window) fn is_replaying(&self) -> bool {
        self.playback.replay.is_some()
    }

    /// Why a replay has ended early.
    pub(in crate::window) fn replay_fault(&self) -> Option<ReplayFault> {
        self.playback.fault
    }

    /// What the window of a replayed journal showed, if that has changed since the last call: in between, users
    /// look where they like.
    pub(super) fn take_replayed_view(&mut self) -> Option<JournalView> {
        let Playback { replay, shown, .. } = &mut self.playback;
        let view = replay.as_ref()?.view();
        let has_changed = std::mem::replace(shown, view) != view;
        view.filter(|_| has_changed)
    }

    /// Ends the replay; the run goes on from here.
    pub(super) fn leave_replay(&mut self) -> Event {
        self.playback.replay = None;
        Event::Notice(format!("the replay was left after step {}", self.sim.steps()))
    }

    /// How far a replay has come in its run, in simulated seconds; `None` without a replay.
    pub(super) fn replayed(&self) -> Option<String> {
        let Playback { replay, run, .. } = &self.playback;
        let runs = &replay.as_ref()?.journal().summary().runs;
        let which = if runs.len() > 1 {
            format!(" run {} of {},", run + 1, runs.len())
        } else {
            ",".into()
        };
        let [now, end] = [self.sim.steps(), runs[*run]].map(|steps| self.seconds(steps));
        Some(format!("replay{which} {now:.1} of {end:.1} s"))
    }

    /// Finds contacts with another index.
    ///
    /// # Errors
    /// If the index would block the window, or its memory can't be had.
    pub(super) fn set_index(&mut self, kind: IndexKind) -> Result<()> {
        check_index(kind, self.sim.agents().len())?;
        let Self { pool, sim, .. } = self;
        Ok(pool.install(|| sim.beside_state().set_index(kind))?)
    }

    /// Changes a run that was just placed as the user changed the one before it meanwhile: the
    /// index, and in the same scene or world file the numbers. `then` and `before` are the set-up
    /// and the world file that the run before had when this one was ordered, and `changed` is the
    /// world file that it
    /// has now, if the user has changed it.
    ///
    /// # Errors
    /// If the run refuses one of these: from there on it stays as ordered.
    pub(super) fn catch_up(
        &mut self,
        index: IndexKind,
        [now, then]: [&Setup; 2],
        before: Option<&RuleSource>,
        changed: Option<&RuleSource>,
    ) -> Result<()> {
        if index != self.sim.index() && check_index(index, self.sim.agents().len()).is_ok() {
            self.set_index(index)?;
        }
        let placed = self.sim.rule_source();
        let is_same = placed.map(|source| &source.name) == before.map(|source| &source.name);
        if now.scene != self.setup().scene || !is_same {
            return Ok(());
        }
        if let Some(source) = changed {
            let RuleSource { name, text, settings, .. } = source;
            self.sim.apply(Edit::World(name.clone(), text.clone(), settings.clone()))?;
        }
        if now.restitution != then.restitution {
            self.sim.apply(Edit::Restitution(now.restitution))?;
        }
        if now.friction != then.friction {
            self.sim.apply(Edit::Friction(now.friction))?;
        }
        if now.rolling != then.rolling {
            self.sim.apply(Edit::Rolling(now.rolling))?;
        }
        if now.gravity != then.gravity {
            self.sim.apply(Edit::Gravity(now.gravity))?;
        }
        if now.speed != then.speed {
            // It may be too high for one of the agents.
            self.sim.apply(Edit::ScaleSpeeds(now.speed / then.speed))?;
        }
        Ok(())
    }
}

/// Rejects an index that would block the window with this many agents.
pub(super) fn check_index(kind: IndexKind, agents: usize) -> Result<()> {
    if kind == Naive::KIND && agents > NAIVE_MAX {
        return Err(ProgramError::refused(format!(
            "{} would block the window with {} agents; it takes at most {}; choose another index",
            kind.name,
            format::grouped(agents as u64),
            format::grouped(NAIVE_MAX as u64)
        )));
    }
    Ok(())
}
