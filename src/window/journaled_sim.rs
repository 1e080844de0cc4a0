//! The run in the window: what changes it goes through here, and into the journal if there is one.
//!
//! Everything can be read of it as of a [`Sim`]. There is no way to a `&mut Sim` but
//! [`JournaledSim::beside_state`], so no change can be forgotten.

use std::{
    io,
    ops::{Deref, Range},
    time::Instant,
};

use glam::Vec2;

use crate::{
    agents::Spawn,
    error::Result,
    journal::{Due, Edit, JournalWriter, Replay},
    sim::Sim,
    snapshot::Snapshot,
    statics::Static,
    step::Probe,
};

/// A run, and the journal of it.
pub(super) struct JournaledSim {
    sim: Sim,
    journal: Option<JournalWriter>,
    /// Why the journal is not written any more, until that is taken.
    trouble: Option<io::Error>,
}

impl Deref for JournaledSim {
    type Target = Sim;

    fn deref(&self) -> &Sim {
        &self.sim
    }
}

impl JournaledSim {
    /// A run that begins, from a snapshot or from its set-up.
    pub(super) fn new(sim: Sim, from: Option<&Snapshot>, journal: Option<JournalWriter>) -> Self {
        let mut journaled = Self { sim, journal, trouble: None };
        journaled.record_begin(from);
        journaled
    }

    /// Another run begins.
    pub(super) fn begin(&mut self, sim: Sim, from: Option<&Snapshot>) {
        let steps = self.sim.steps();
        self.write(|journal, _| journal.end(steps));
        self.sim = sim;
        self.record_begin(from);
    }

    fn record_begin(&mut self, from: Option<&Snapshot>) {
        self.write(|journal, sim| journal.begin(sim.setup(), from));
    }

    /// The run, for what does not change its state: the index, the SIMD level, measurements.
    pub(super) fn beside_state(&mut self) -> &mut Sim {
        &mut self.sim
    }

    /// As [`Sim::step_with`].
    pub(super) fn step_with(&mut self, probe: &mut impl Probe) -> Result<()> {
        self.sim.step_with(probe)?;
        if let Some(journal) = &mut self.journal {
            journal.stepped(&self.sim);
        }
        Ok(())
    }

    /// As [`Replay::due`].
    pub(super) fn replay(&mut self, replay: &mut Replay) -> Result<Due> {
        replay.due(&mut self.sim)
    }

    /// As [`Sim::set_restitution`].
    pub(super) fn set_restitution(&mut self, restitution: f32) -> Result<()> {
        self.sim.set_restitution(restitution)?;
        self.record(|| Edit::Restitution(restitution));
        Ok(())
    }

    /// As [`Sim::set_gravity`].
    pub(super) fn set_gravity(&mut self, gravity: f32) -> Result<()> {
        self.sim.set_gravity(gravity)?;
        self.record(|| Edit::Gravity(gravity));
        Ok(())
    }

    /// As [`Sim::scale_speeds`].
    pub(super) fn scale_speeds(&mut self, factor: f32) -> Result<()> {
        self.sim.scale_speeds(factor)?;
        self.record(|| Edit::ScaleSpeeds(factor));
        Ok(())
    }

    /// As [`Sim::steer`].
    pub(super) fn steer(&mut self, center: Vec2, radius: f32, speed: f32) -> Result<usize> {
        let steered = self.sim.steer(center, radius, speed)?;
        if steered > 0 {
            self.record(|| Edit::Steer(center, radius, speed));
        }
        Ok(steered)
    }

    /// As [`Sim::spawn`].
    pub(super) fn spawn(&mut self, spawns: &[Spawn]) -> Result<Range<u32>> {
        let ids = self.sim.spawn(spawns)?;
        if !ids.is_empty() {
            self.record(|| Edit::Spawn(spawns.to_vec()));
        }
        Ok(ids)
    }

    /// As [`Sim::remove`].
    pub(super) fn remove(&mut self, ids: &[u32]) -> Result<usize> {
        let removed = self.sim.remove(ids)?;
        if removed > 0 {
            self.record(|| Edit::Remove(ids.to_vec()));
        }
        Ok(removed)
    }

    /// As [`Sim::add_statics`].
    pub(super) fn add_statics(&mut self, shapes: &[Static]) -> Result<Range<u32>> {
        let ids = self.sim.add_statics(shapes)?;
        if !ids.is_empty() {
            self.record(|| Edit::AddStatics(shapes.to_vec()));
        }
        Ok(ids)
    }

    /// As [`Sim::remove_statics`].
    pub(super) fn remove_statics(&mut self, ids: &[u32]) -> usize {
        let removed = self.sim.remove_statics(ids);
        if removed > 0 {
            self.record(|| Edit::RemoveStatics(ids.to_vec()));
        }
        removed
    }

    /// Appends what has happened to the file of the journal.
    pub(super) fn write_journal(&mut self, now: Instant) {
        self.write(|journal, sim| journal.write(sim.steps(), now));
    }

    /// Completes the journal: the window is closed.
    pub(super) fn close_journal(&mut self) {
        self.write(JournalWriter::close);
        self.journal = None;
    }

    /// Why the journal is not written any more, once.
    pub(super) fn take_trouble(&mut self) -> Option<io::Error> {
        self.trouble.take()
    }

    fn record(&mut self, edit: impl FnOnce() -> Edit) {
        if let Some(journal) = &mut self.journal {
            journal.edit(self.sim.steps(), &edit());
        }
    }

    /// Writes to the journal. If that fails, the run goes on without it.
    fn write(&mut self, write: impl FnOnce(&mut JournalWriter, &Sim) -> io::Result<()>) {
        if let Some(journal) = &mut self.journal
            && let Err(error) = write(journal, &self.sim)
        {
            self.journal = None;
            self.trouble = Some(error);
        }
    }
}
