//! The contacts of the last step with their impulses, recorded for callers that ask for them.

use super::Sim;
use crate::{
    contacts::{self, ContactLog, ContactSink, RecordedContact},
    error::Result,
    geometry::center_line,
};

/// Whether a run records its contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContactRecording {
    /// No contacts are recorded.
    #[default]
    Off,
    /// Each step records its contacts, and forgets the contacts of the step before.
    EveryStep,
}

impl Sim {
    /// Sets whether steps record their contacts for [`Self::recorded_contacts`], off by default.
    /// Recording changes no bit of the run. It is a choice of the caller, as [`Self::set_index`] is:
    /// a clone goes on recording, a snapshot does not have it.
    ///
    /// Nothing is recorded yet when this returns. Off, it costs nothing; on, a step takes about a
    /// tenth of a microsecond longer per contact, as all threads append to one list.
    pub fn record_contacts(&mut self, recording: ContactRecording) {
        self.recorded = match recording {
            ContactRecording::Off => None,
            ContactRecording::EveryStep => Some(Vec::new()),
        };
    }

    /// The pairs of agents that touched in the last step, each once, in ascending order of their
    /// ids; none unless [`Self::record_contacts`] was called before that step. Contacts with walls
    /// and statics are not among them.
    ///
    /// The impulse times the normal is the sum over all contacts of the pair in the step; the overlap
    /// belongs to the last of them. They depend on the solver:
    ///
    /// - The impulse solver resolves pairs that overlap. Normal and overlap are as it found them,
    ///   before it separated the two.
    /// - Swept collisions have the normal of the moment at which the two touched, and an overlap of
    ///   0 up to rounding, unless the two overlapped before.
    /// - The contact solver has the pairs that press on each other, also in their sleep, or have
    ///   hit each other. Normal and overlap are those at the end of the substep. The impulse is the
    ///   force at that time, multiplied by the time of the step, and what a hit exchanged.
    ///
    /// The list stays until the next step: edits neither clear nor change it. A resting contact has an
    /// impulse in every step, so a threshold for hits has to be above m·g·dt of what rests on an agent.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, sim::ContactRecording};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 500, ..Setup::new(Scene::Gas) })?;
    /// sim.record_contacts(ContactRecording::EveryStep);
    /// let before = sim.counters().collisions;
    /// sim.step()?;
    /// let hits = sim.recorded_contacts().iter().filter(|contact| contact.impulse > 0.0);
    /// assert_eq!(hits.count() as u64, sim.counters().collisions - before);
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn recorded_contacts(&self) -> &[RecordedContact] {
        self.recorded.as_deref().unwrap_or_default()
    }

    /// Records what the contact solver did in the last substep.
    pub(super) fn record_presses(&mut self) -> Result<()> {
        if self.recorded.is_none() {
            return Ok(());
        }
        let physics = self.physics();
        let Self { recorded, solver, agents, .. } = self;
        let (Some(list), Some(solver)) = (recorded, solver) else { return Ok(()) };
        let log = ContactLog::new(list);
        solver.visit_presses(&physics, |pair, change| {
            let [i, j] = pair.map(|slot| agents.get(slot as usize));
            let apart = j.position - i.position;
            let [mass_i, mass_j] = [i, j].map(|agent| agent.radius * agent.radius);
            let (normal, distance) = center_line(apart, [i.id, j.id]);
            let overlap = i.radius + j.radius - distance;
            let impulse = change * mass_i * mass_j / (mass_i + mass_j);
            log.record(|| RecordedContact::new([i.id, j.id], normal, overlap, impulse));
        });
        log.end()
    }

    /// Ends the recording of a step.
    pub(super) fn merge_recorded(&mut self) {
        if let Some(list) = &mut self.recorded {
            contacts::merge(list);
        }
    }
}
