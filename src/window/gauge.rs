//! How long everything took of late: the last few seconds of each part of the program's work, for the panel.
//!
//! Unlike the [meter](super::meter), whose means are read off a line, it keeps every sample, so that what is
//! rare shows: a step that sorts, a frame that comes late.

use std::time::Duration;

use crate::{
    step::{Phase, Probe},
    timing::{PHASES, RecentTimes, StepClock},
};

/// What takes time. A step is the sum of its phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Step,
    Contacts,
    Order,
    Resolve,
    Integrate,
    Regrid,
    Draw,
    Panel,
    Present,
}

impl Part {
    /// All of them, in the order in which they happen.
    pub(super) const ALL: [Self; 9] = [
        Self::Step,
        Self::Contacts,
        Self::Order,
        Self::Resolve,
        Self::Integrate,
        Self::Regrid,
        Self::Draw,
        Self::Panel,
        Self::Present,
    ];

    /// A word for it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Contacts => "contacts",
            Self::Order => "order",
            Self::Resolve => "resolve",
            Self::Integrate => "integrate",
            Self::Regrid => "regrid",
            Self::Draw => "draw",
            Self::Panel => "panel",
            Self::Present => "present",
        }
    }

    const fn of(phase: Phase) -> Self {
        match phase {
            Phase::Contacts => Self::Contacts,
            Phase::Order => Self::Order,
            Phase::Resolve => Self::Resolve,
            Phase::Integrate => Self::Integrate,
            Phase::Regrid => Self::Regrid,
        }
    }
}

/// The samples of all parts.
#[derive(Clone, Debug)]
pub(super) struct Gauge {
    parts: [RecentTimes; Part::ALL.len()],
    /// The phases of the step under way.
    clock: StepClock,
    /// What each part took since it was asked for.
    sums: [Duration; Part::ALL.len()],
}

impl Gauge {
    /// Nothing measured yet.
    pub(super) fn new() -> Self {
        Self {
            parts: [RecentTimes::EMPTY; 9],
            clock: StepClock::default(),
            sums: [Duration::ZERO; 9],
        }
    }

    /// That part took so long once more.
    pub(super) fn push(&mut self, part: Part, took: Duration) {
        self.parts[part as usize].record(took);
        self.sums[part as usize] += took;
    }

    /// What a part took in all since this was asked last.
    pub(super) fn take_sum(&mut self, part: Part) -> Duration {
        std::mem::take(&mut self.sums[part as usize])
    }

    /// The last samples of a part.
    pub(super) fn samples(&self, part: Part) -> &RecentTimes {
        &self.parts[part as usize]
    }
}

/// Clocks a step: phases that come again in the next substep count on, and those that don't come, don't count.
impl Probe for Gauge {
    fn begin(&mut self, phase: Phase) {
        self.clock.begin(phase);
    }

    fn end(&mut self) {
        self.clock.end();
        let spent = self.clock.take();
        self.push(Part::Step, spent.iter().sum());
        for (phase, took) in PHASES.into_iter().zip(spent) {
            if took > Duration::ZERO {
                self.push(Part::of(phase), took);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_its_phases_and_those_of_all_substeps() {
        let mut gauge = Gauge::new();
        for _ in 0..2 {
            gauge.begin(Phase::Resolve);
            std::thread::sleep(Duration::from_millis(2));
            gauge.begin(Phase::Regrid);
        }
        gauge.end();
        let only = |part| gauge.samples(part).iter().collect::<Vec<f32>>();
        let [resolve, step] = [Part::Resolve, Part::Step].map(only);
        assert!(resolve.len() == 1 && resolve[0] >= 4.0, "{resolve:?}");
        assert!(step.len() == 1 && step[0] >= resolve[0], "{step:?}");
        assert!(only(Part::Contacts).is_empty());
    }
}
