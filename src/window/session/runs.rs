//! Another run in the window: one that was placed or opened, the next one of a tour, or of a journal; and
//! another step of the same run.

use std::{sync::Arc, time::Instant};

use super::{
    Session,
    apply::refused,
    host::{ReplayFault, Seek, check_index},
    reports::MessageKind,
    starts::{self, not_restarted},
    stroke::rebuild,
    tour::Tour,
    world::LookAt,
};
use crate::{
    format,
    journal::{Due, JournalSummary, RunOrigin},
    program::{ProgramError, ProgramResult as Result},
    raster::{Renderer, View},
    rng::Rng,
    rules::RuleSource,
    sim::Sim,
    snapshot::{Lines, Snapshot, write_line},
    statics::Static,
    window::{
        command::Jump,
        event::{Event, sentence},
        recorded_sim::RunPast,
        snapshot_store::OpenedRun,
        tool::{Held, UndoTurn},
    },
};

/// The section of a snapshot with the random numbers of the tools.
const TOOLS: &str = "view.tools";

/// Replacement of the run.
impl Session {
    /// Shows the run that was ordered last once it is placed, and reports it. If there is no memory
    /// for it, the run in the window goes on.
    pub(in crate::window) fn placed(&mut self) -> Option<Event> {
        let (job, sim) = self.starts.placement.take()?;
        Some(match sim {
            Ok(mut sim) => {
                // Undo after a tour brings the run back that it began with.
                let again = self.tour.as_mut().is_some_and(Tour::replaces);
                let former = if again { None } else { Some(self.former()) };
                sim.set_simd(self.host.sim.simd());
                let is_other = sim.title() != self.host.sim.title();
                let text = |sim: &Sim| sim.rule_source().map(|source| source.text.clone());
                let is_changed = text(&sim) != text(&self.host.sim);
                if !job.again {
                    self.adapt_to(&sim);
                }
                let (index, now) = (self.host.sim.index(), self.host.setup().clone());
                let world = self.host.sim.rule_source().cloned();
                let changed = world.filter(|now| {
                    job.before.as_ref().is_some_and(|before| !Arc::ptr_eq(now, before))
                });
                let keeps_text = |before: &Arc<RuleSource>| {
                    sim.rule_source().is_some_and(|placed| placed.text == before.text)
                };
                let changed = changed.filter(|_| job.before.as_ref().is_some_and(keeps_text));
                let walls = self.walls_to_keep(job.again, &sim);
                let past = self.show(sim, None);
                if let Err(error) = rebuild(&walls, &mut self.host) {
                    self.reports.notice(format!("walls are lost: {}", sentence(&error)));
                }
                if is_other {
                    self.look_as_stated(LookAt::All);
                } else if is_changed {
                    self.look_as_stated(LookAt::Colors);
                }
                self.present_scene();
                if let Err(error) = self.host.catch_up(
                    index,
                    [&now, &job.then],
                    job.before.as_deref(),
                    changed.as_deref(),
                ) {
                    self.reports.show(sentence(&error), MessageKind::Refusal);
                }
                self.reports.forget_warnings(&self.host);
                if let Some(former) = former {
                    self.keep_former(former, past, None);
                }
                if job.again { Event::Restarted } else { self.run_event() }
            }
            Err(error) => {
                if let Some(tour) = &mut self.tour {
                    tour.stay(Instant::now(), self.host.played());
                }
                if job.again { not_restarted(&error) } else { refused(&error) }
            }
        })
    }

    /// The walls that tools have built, if the same run begins again and they stay.
    fn walls_to_keep(&self, again: bool, placed: &Sim) -> Vec<Static> {
        // Ids of the set-up's own come first, and no id is used twice.
        let own = placed.statics().len() as u32;
        let stays = again && self.starts.keep_walls;
        let built = self.host.sim.statics().iter().filter(|&(id, _)| stays && id >= own);
        built.map(|(_, wall)| wall).collect()
    }

    /// Takes a snapshot of the run, with the random numbers and start colors of the window.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(in crate::window) fn snapshot(&self) -> Result<Snapshot> {
        let (sim, renderer, seeds): (&Sim, _, _) =
            (&self.host.sim, &self.screen.renderer, &self.tools.seeds);
        let taken = self.host.pool.install(|| {
            sim.snapshot_with(Vec::new(), |to| {
                let mut text = String::new();
                write_line(&mut text, "random", seeds.state());
                to.text(TOOLS, &text)?;
                renderer.save_starts(to)
            })
        });
        Ok(taken?)
    }

    /// Shows the run of a snapshot, with its additions by a window, and reports it. From then on the journal
    /// changes it, if there is one.
    ///
    /// # Errors
    /// If there is not enough memory for the index; then nothing changes. If the additions can't be
    /// used; the run is shown all the same.
    pub(in crate::window) fn open(&mut self, opened: OpenedRun) -> Result<()> {
        let OpenedRun { snapshot, sim, replay } = opened;
        let sim = self.prepared(sim)?;
        self.show_saved(&snapshot, sim, None)?;
        self.host.playback.begin(replay);
        self.look_as_stated(LookAt::All);
        Ok(())
    }

    /// The run of a snapshot, with the index of the window.
    ///
    /// # Errors
    /// If there is not enough memory for it.
    pub(super) fn prepared(&self, mut sim: Sim) -> Result<Sim> {
        sim.set_simd(self.host.sim.simd());
        let index = self.host.sim.index();
        if check_index(index, sim.agents().len()).is_ok() {
            self.host.pool.install(|| sim.set_index(index))?;
        }
        Ok(sim)
    }

    /// Shows the run of a snapshot that was opened, or to which a turn goes back.
    ///
    /// # Errors
    /// If the additions of a window can't be used; the run is shown all the same.
    pub(super) fn show_saved(
        &mut self,
        snapshot: &Snapshot,
        sim: Sim,
        turn: Option<UndoTurn>,
    ) -> Result<()> {
        // A placement under way would replace this run.
        self.starts.placement.cancel();
        let former = self.former();
        self.adapt_to(&sim);
        let past = self.show(sim, Some(snapshot));
        self.keep_former(former, past, turn);
        self.reports.events.push(self.run_event());
        load_window(snapshot, &mut self.screen.renderer, &mut self.tools.seeds)
    }

    /// The event of another run in the window.
    fn run_event(&self) -> Event {
        let name = self.host.sim.title().to_owned();
        Event::Run { name, agents: self.host.setup().agents }
    }

    /// Adapts view, timestep and style to another run.
    fn adapt_to(&mut self, sim: &Sim) {
        let setup = sim.setup();
        self.screen.adapt_to(sim, self.host.setup().scene);
        self.host.timestep.hz = f64::from(setup.hz);
        self.starts.asked = starts::asked(sim).or(self.starts.asked);
    }

    /// Replaces the run, and drops everything that belongs to the one before: strokes,
    /// measurements, time. Returns its way back.
    fn show(&mut self, sim: Sim, from: Option<&Snapshot>) -> RunPast {
        self.close_split();
        let past = self.host.begin(sim, from);
        self.reserve_anew();
        self.screen.restart(&self.host.sim);
        self.tools.restart(self.host.setup().seed);
        self.report_history();
        self.reports.restart(&self.host);
        self.host.skip_time();
        past
    }
}

/// The journal that is replayed or written.
impl Session {
    /// Completes the journal: the window is closed.
    pub(in crate::window) fn close_journal(&mut self) {
        self.host.sim.close_journal();
        self.report_journal();
    }

    /// Reports it if the journal can't be written any more.
    pub(super) fn report_journal(&mut self) {
        if let Some(error) = self.host.sim.take_trouble() {
            let lost = format!("the journal can't be written any more ({error}); it ends here");
            self.reports.notice(lost);
        }
        if let Some(error) = self.host.sim.take_lost() {
            self.reports.notice(format!("{error}; the trajectory ends here"));
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
                self.adopt_branches(true);
                let summary =
                    self.host.playback.replay.as_ref().map(|replay| replay.journal().summary());
                summary.map_or(String::new(), JournalSummary::replayed)
            }
            Ok(Due::Differs(difference)) => {
                self.adopt_branches(false);
                self.host.playback.fault = Some(ReplayFault::Differs);
                difference.to_string()
            }
            Err(error) => self.refuse_replay(error)?,
        };
        self.host.playback.replay = None;
        if !self.host.timestep.is_paused() {
            self.host.timestep.toggle_pause();
        }
        self.reports.notice(ended);
        Ok(())
    }

    /// Shows another run of the journal.
    fn begin_replayed(&mut self, origin: RunOrigin) -> Result<()> {
        let (index, simd) = (self.host.sim.index(), self.host.sim.simd());
        let pool = self.host.pool.clone();
        let (mut sim, snapshot) = pool.install(|| match origin {
            RunOrigin::Setup(setup) => Sim::new(&setup).map(|sim| (sim, None)),
            RunOrigin::Snapshot(snapshot) => {
                Sim::restore(&snapshot).map(|sim| (sim, Some(snapshot)))
            }
        })?;
        sim.set_simd(simd);
        pool.install(|| sim.set_index(index))?;
        self.host.playback.run += 1;
        self.adapt_to(&sim);
        self.show(sim, snapshot.as_ref());
        self.look_as_stated(LookAt::Colors);
        self.reports.events.push(self.run_event());
        Ok(())
    }

    /// The sentence for an edit that the run refuses, though it was made in the run of the journal.
    fn refuse_replay(&mut self, error: ProgramError) -> Result<String> {
        self.host.playback.fault = Some(ReplayFault::Refused);
        let step = self.host.sim.steps();
        let Event::Notice(why) = Event::notice_of(error)? else { return Ok(String::new()) };
        Ok(format!("the replay can't go on after step {step}: {why}"))
    }
}

/// The way to another step: to a moment at once and from there as fast as the machine computes.
impl Session {
    /// Whether the run follows the timeline instead of the time.
    pub(super) fn is_rewinding(&self) -> bool {
        self.host.seek.is_some() || self.tools.state.held == Held::Timeline
    }

    /// Goes to another step.
    pub(super) fn jump(&mut self, jump: Jump) -> Event {
        if !self.host.sim.timeline().goes_back() {
            return refused(&ProgramError::refused(
                "no history is kept of this run; start jostle with a --history that has room for it",
            ));
        }
        let now = self.host.wanted_step();
        let steps = match jump {
            Jump::Step => {
                if !self.host.timestep.is_paused() {
                    self.host.timestep.toggle_pause();
                }
                -1
            }
            Jump::Seconds(seconds) => (seconds * f64::from(self.host.setup().hz)).round() as i64,
            Jump::End => i64::MAX,
        };
        self.go_to(now.saturating_add_signed(steps))
    }

    /// Goes to the step under the pointer.
    pub(super) fn follow_pointer(&mut self) -> Option<Event> {
        let timeline = self.host.sim.timeline();
        let place = self.screen.timeline_place(timeline)?;
        // A branch may go on where the line has ended.
        let to = place.step_at(self.tools.cursor).min(timeline.ends()[1]);
        (to != self.host.wanted_step()).then(|| self.go_to(to))
    }

    /// Goes to a step, or to the first or last one that the timeline has.
    pub(super) fn go_to(&mut self, step: u64) -> Event {
        let [first, end] = self.host.sim.timeline().ends();
        // A split stays open.
        let begin = self.host.twin.as_ref().map_or(first, |twin| twin.sim.first_step());
        let to = step.clamp(first.max(begin).min(end), end);
        let pool = &self.host.pool;
        let sim = &mut self.host.sim;
        let restored = match pool.install(|| sim.approach(to)) {
            Ok(restored) => restored,
            Err(error) => {
                self.host.seek = None;
                return refused(&error.into());
            }
        };
        self.set_out(restored, to);
        // It is about another moment.
        self.reports.message.clear();
        Event::set("going to step", to)
    }

    /// Begins the way from the nearest state to a step.
    pub(super) fn set_out(&mut self, restored: bool, to: u64) {
        let from = self.host.sim.steps();
        if restored || from != to {
            // Other states have other strokes before them.
            let held = self.tools.state.held;
            self.tools.state.restart();
            self.recall_strokes();
            if held == Held::Timeline {
                self.tools.state.held = held;
            }
            self.reports.plots.restart();
        }
        if restored {
            self.screen.renderer.record_starts(&View::from_sim(&self.host.sim));
            self.host.timestep.restart();
            self.reports.rewind(&self.host);
        }
        self.host.seek = Some(Seek { from, to, with_edits: false });
    }

    /// Reports it once if the run has no room for a way back.
    pub(super) fn report_history(&mut self) {
        let timeline = self.host.sim.timeline();
        if timeline.budget() > 0 && !timeline.goes_back() {
            let [needed, budget] = [self.host.sim.moment_bytes(), timeline.budget()]
                .map(|bytes| format::bytes(bytes as u64));
            self.reports.notice(format!(
                "no history is kept: a moment of this run takes {needed}, and --history is {budget}"
            ));
        }
    }
}

/// Restores the additions of a window to a snapshot, if it has them: random numbers and start
/// colors.
///
/// # Errors
/// If they can't be used.
pub(super) fn load_window(from: &Snapshot, renderer: &mut Renderer, seeds: &mut Rng) -> Result<()> {
    if from.has(TOOLS) {
        let mut lines = Lines::new(TOOLS, from.text(TOOLS)?)?;
        *seeds = Rng::new(lines.take("random")?);
        lines.end()?;
    }
    Ok(renderer.load_starts(from)?)
}
