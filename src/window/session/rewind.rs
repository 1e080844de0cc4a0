//! Rewind: the run goes to another step of its timeline, to a moment at once and from there as fast
//! as the machine computes.

use std::time::{Duration, Instant};

use super::{Session, apply::refused};
use crate::{
    error::Error,
    program::{ProgramError, ProgramResult as Result},
    raster::View,
    window::{
        command::Jump,
        event::Event,
        hud::TimelinePlace,
        tool::{Held, UndoTurn},
    },
};

/// Longest time for steps between two frames on the way.
const SLICE: Duration = Duration::from_millis(40);

/// A way to another step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seek {
    /// The first step of the way and the last one.
    from: u64,
    to: u64,
}

impl Session {
    /// Whether steps are due, or will be.
    pub(in crate::window) fn is_active(&self) -> bool {
        self.timestep.is_running() || self.seek.is_some()
    }

    /// Whether the run follows the timeline instead of the time.
    pub(super) fn is_rewinding(&self) -> bool {
        self.seek.is_some() || self.tool_state.held == Held::Timeline
    }

    /// The place of the timeline in the frame; `None` if nothing is kept or there is no room.
    pub(super) fn timeline_place(&self) -> Option<TimelinePlace> {
        let timeline = self.sim.timeline();
        let place = TimelinePlace::new(self.size, self.beside, self.text_scale, timeline.ends());
        place.filter(|_| timeline.is_kept())
    }

    /// How much of the way is done, in percent.
    pub(super) fn progress(&self) -> Option<u64> {
        let Seek { from, to } = self.seek?;
        let done = self.sim.steps().saturating_sub(from);
        Some((done * 100).checked_div(to - from).unwrap_or(100))
    }

    /// Goes to another step.
    pub(super) fn jump(&mut self, jump: Jump) -> Event {
        let timeline = self.sim.timeline();
        if !timeline.is_kept() {
            return refused(&ProgramError::refused(
                "no history is kept of this run; start jostle with a --history that has room for it",
            ));
        }
        let now = self.seek.map_or(self.sim.steps(), |seek| seek.to);
        let steps = match jump {
            Jump::Step => {
                if !self.timestep.is_paused() {
                    self.timestep.toggle_pause();
                }
                -1
            }
            Jump::Seconds(seconds) => (seconds * f64::from(self.setup().hz)).round() as i64,
            Jump::End => i64::MAX,
        };
        self.go_to(now.saturating_add_signed(steps))
    }

    /// Goes to the step under the pointer.
    pub(super) fn follow_pointer(&mut self) -> Option<Event> {
        let place = self.timeline_place()?;
        let to = place.step_at(self.cursor);
        let now = self.seek.map_or(self.sim.steps(), |seek| seek.to);
        (to != now).then(|| self.go_to(to))
    }

    /// Goes to a step, or to the first or last one that the timeline has.
    fn go_to(&mut self, step: u64) -> Event {
        let [first, end] = self.sim.timeline().ends();
        let to = step.clamp(first, end);
        let Self { pool, sim, .. } = self;
        let restored = match pool.install(|| sim.approach(to)) {
            Ok(restored) => restored,
            Err(error) => {
                self.seek = None;
                return refused(&error.into());
            }
        };
        self.set_out(restored, to);
        // It is about another moment.
        self.message.clear();
        Event::set("going to step", to)
    }

    /// Begins the way from the state that is shortest to a step.
    fn set_out(&mut self, restored: bool, to: u64) {
        let from = self.sim.steps();
        if restored || from != to {
            // Other states have other agents: what strokes did to these can't be undone there.
            let held = self.tool_state.held;
            self.tool_state.restart();
            if held == Held::Timeline {
                self.tool_state.held = held;
            }
            self.plots.restart();
        }
        if restored {
            self.renderer.record_starts(&View::from_sim(&self.sim));
            self.overlap = None;
            self.timestep.restart();
            self.forget_warnings();
        }
        self.seek = Some(Seek { from, to });
    }

    /// Brings back the future that a change has left, or the one that this has left in turn; `None`
    /// if there is none.
    pub(super) fn bring_future_back(&mut self, turn: UndoTurn) -> Option<Event> {
        let Self { pool, sim, .. } = self;
        match pool.install(|| sim.bring_back(turn)) {
            Ok(step) => {
                let step = step?;
                self.set_out(true, step);
                let what = match turn {
                    UndoTurn::Undo => format!("back to step {step} and what came after it"),
                    UndoTurn::Redo => format!("the change at step {step} and what came after it"),
                };
                Some(Event::Turned(turn, Some(what)))
            }
            Err(error) => Some(refused(&error.into())),
        }
    }

    /// Takes steps on the way, for at most [`SLICE`]. Returns their number.
    ///
    /// # Errors
    /// As [`Sim::step`](crate::Sim::step).
    pub(super) fn go_on_rewinding(&mut self, now: Instant) -> Result<u32> {
        let Some(Seek { to, .. }) = self.seek else { return Ok(0) };
        let Self { pool, sim, frame_stats, .. } = self;
        let taken = pool.install(|| {
            let (begin, mut taken) = (Instant::now(), 0);
            while sim.steps() < to && begin.elapsed() < SLICE {
                sim.step_with(frame_stats)?;
                taken += 1;
            }
            Ok::<_, Error>(taken)
        })?;
        self.record_remade();
        if self.sim.steps() >= to {
            self.seek = None;
            self.skip_time();
            self.events.push(Event::Moment(self.sim.steps()));
        }
        self.sim.write_journal(now);
        self.report_journal();
        Ok(taken)
    }

    /// Records where the agents began that an edit of the timeline has spawned again.
    pub(super) fn record_remade(&mut self) {
        if self.sim.take_remade() {
            self.renderer.record_starts(&View::from_sim(&self.sim));
        }
    }

    /// Ends a way that is not over: the user does something else here.
    pub(super) fn stay(&mut self) {
        self.seek = None;
    }

    /// Says so once if the run has no room for a way back.
    pub(super) fn report_history(&mut self) {
        let timeline = self.sim.timeline();
        if timeline.budget() > 0 && !timeline.is_kept() {
            let [needed, budget] = [self.sim.moment_bytes(), timeline.budget()]
                .map(|bytes| crate::format::bytes(bytes as u64));
            self.events.push(Event::Notice(format!(
                "no history is kept: a moment of this run takes {needed}, and --history is {budget}"
            )));
        }
    }
}
