//! Replays: a journal changes the run instead of the user, who may look, pause and end it.

use super::Session;
use crate::{
    journal::{Due, Replay, RunOrigin},
    program::{ProgramError, ProgramResult as Result},
    sim::Sim,
    window::event::{Event, sentence},
};

/// The journal that is replayed.
pub(super) struct Playback {
    /// What changes the run instead of the user, until its end.
    pub(super) replay: Option<Replay>,
    /// The number of its run in the window, from 0.
    run: usize,
    /// True if the run has come to another state than its journal.
    differs: bool,
}

impl Playback {
    pub(super) fn new(replay: Option<Replay>) -> Self {
        Self { replay, run: 0, differs: false }
    }
}

impl Session {
    /// True while a journal changes the run.
    pub(in crate::window) fn is_replaying(&self) -> bool {
        self.playback.replay.is_some()
    }

    /// How far the replay has come in its run, in simulated seconds; `None` without a replay.
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

    /// True if a replay has come to another state than its journal.
    pub(in crate::window) fn differs(&self) -> bool {
        self.playback.differs
    }

    /// Completes the journal: the window is closed.
    pub(in crate::window) fn close_journal(&mut self) {
        self.sim.close_journal();
        self.report_journal();
    }

    /// Says so if the journal can't be written any more.
    pub(super) fn report_journal(&mut self) {
        if let Some(error) = self.sim.take_trouble() {
            let lost = format!("the journal can't be written any more ({error}); it ends here");
            self.events.push(Event::Notice(lost));
        }
    }

    /// Goes on where a replay has no step to take: with another run, or without the replay.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    pub(super) fn turn_replay(&mut self, turn: Result<Due>) -> Result<()> {
        let ended = match turn {
            Ok(Due::Step) => return Ok(()),
            Ok(Due::Begin(origin)) => match self.begin_replayed(origin) {
                Ok(()) => return Ok(()),
                Err(error) => self.refuse_replay(error)?,
            },
            Ok(Due::Nothing) => {
                let summary =
                    self.playback.replay.as_ref().map(|replay| replay.journal().summary());
                summary.map_or(String::new(), |summary| format!("replayed {summary}: all the same"))
            }
            Ok(Due::Differs(difference)) => {
                self.playback.differs = true;
                difference.to_string()
            }
            Err(error) => self.refuse_replay(error)?,
        };
        self.playback.replay = None;
        if !self.timestep.is_paused() {
            self.timestep.toggle_pause();
        }
        self.events.push(Event::Notice(ended));
        Ok(())
    }

    /// Shows another run of the journal.
    fn begin_replayed(&mut self, origin: RunOrigin) -> Result<()> {
        let (index, simd) = (self.sim.index(), self.sim.simd());
        let (mut sim, snapshot) = self.pool.install(|| match origin {
            RunOrigin::Setup(setup) => Sim::new(&setup).map(|sim| (sim, None)),
            RunOrigin::Snapshot(snapshot) => {
                Sim::restore(&snapshot).map(|sim| (sim, Some(snapshot)))
            }
        })?;
        sim.set_simd(simd);
        self.pool.install(|| sim.set_index(index))?;
        self.playback.run += 1;
        self.adapt_to(&sim);
        self.show(sim, snapshot.as_ref());
        self.events.push(self.run_event());
        Ok(())
    }

    /// The sentence for what the run refuses, though it was done in that of the journal.
    fn refuse_replay(&mut self, error: ProgramError) -> Result<String> {
        self.playback.differs = true;
        let step = self.sim.steps();
        let Event::Notice(why) = Event::notice_of(error)? else { return Ok(String::new()) };
        Ok(format!("the replay can't go on after step {step}: {why}"))
    }

    /// Ends the replay; the run goes on from here.
    pub(super) fn leave_replay(&mut self) -> Event {
        self.playback.replay = None;
        Event::Notice(format!("the replay was left after step {}", self.sim.steps()))
    }
}

/// The event of a command that would change a run that is being replayed.
pub(in crate::window) fn replaying() -> Event {
    let error = ProgramError::refused(
        "a journal is being replayed; press Esc to leave it and go on from here",
    );
    Event::Refused(sentence(&error))
}
