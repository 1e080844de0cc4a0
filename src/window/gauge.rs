//! How long everything took of late: the last few seconds of each part of the program's work, for the panel.
//!
//! Unlike the [meter](super::meter), whose means are read off a line, it keeps every sample, so that what is
//! rare shows: a step that sorts, a frame that comes late.

use std::time::{Duration, Instant};

use crate::step::{Phase, Probe};

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

/// Samples that are kept of each part.
pub(super) const KEPT: usize = 240;

/// The last samples of one part, milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    ring: [f32; KEPT],
    taken: usize,
}

impl Samples {
    const NONE: Self = Self { ring: [0.0; KEPT], taken: 0 };

    fn push(&mut self, took: Duration) {
        self.ring[self.taken % KEPT] = took.as_secs_f32() * 1e3;
        self.taken += 1;
    }

    /// From the oldest to the newest.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = f32> {
        let (kept, first) = (self.taken.min(KEPT), self.taken.max(KEPT) - KEPT);
        (0..kept).map(move |n| self.ring[(first + n) % KEPT])
    }

    /// The smallest sample that half of them, and that 99 of a hundred, are not above; `None` if there
    /// is none.
    pub(super) fn percentiles(&self) -> Option<[f32; 2]> {
        let mut sorted = self.ring;
        let sorted = &mut sorted[..self.taken.min(KEPT)];
        sorted.sort_unstable_by(f32::total_cmp);
        let rank = |percent: usize| (sorted.len() * percent).div_ceil(100).checked_sub(1);
        Some([sorted[rank(50)?], sorted[rank(99)?]])
    }
}

/// The samples of all parts.
#[derive(Clone, Debug)]
pub(super) struct Gauge {
    parts: [Samples; Part::ALL.len()],
    /// What the phases of the step under way took so far.
    spent: [Duration; Part::ALL.len()],
    open: Option<(Part, Instant)>,
    /// What each part took since it was asked for.
    sums: [Duration; Part::ALL.len()],
}

impl Gauge {
    /// Nothing measured yet.
    pub(super) fn new() -> Self {
        let none = Duration::ZERO;
        Self { parts: [Samples::NONE; 9], spent: [none; 9], open: None, sums: [none; 9] }
    }

    /// That part took so long once more.
    pub(super) fn push(&mut self, part: Part, took: Duration) {
        self.parts[part as usize].push(took);
        self.sums[part as usize] += took;
    }

    /// What a part took in all since this was asked last.
    pub(super) fn take_sum(&mut self, part: Part) -> Duration {
        std::mem::take(&mut self.sums[part as usize])
    }

    /// The last samples of a part.
    pub(super) fn samples(&self, part: Part) -> &Samples {
        &self.parts[part as usize]
    }

    fn close(&mut self, now: Instant) {
        if let Some((part, since)) = self.open.take() {
            self.spent[part as usize] += now - since;
        }
    }
}

/// Clocks a step: phases that come again in the next substep count on, and those that don't come, don't count.
impl Probe for Gauge {
    fn begin(&mut self, phase: Phase) {
        let now = Instant::now();
        self.close(now);
        self.open = Some((Part::of(phase), now));
    }

    fn end(&mut self) {
        self.close(Instant::now());
        let spent = std::mem::take(&mut self.spent);
        self.push(Part::Step, spent.iter().sum());
        for (part, took) in Part::ALL.into_iter().zip(spent) {
            if took > Duration::ZERO {
                self.push(part, took);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_samples_are_kept_in_order() {
        let mut gauge = Gauge::new();
        assert_eq!(gauge.samples(Part::Draw).percentiles(), None);
        for ms in 1..=1000 {
            gauge.push(Part::Draw, Duration::from_millis(ms));
        }
        let samples = gauge.samples(Part::Draw);
        let kept: Vec<f32> = samples.iter().collect();
        let expected: Vec<f32> = (761..=1000_u16).map(f32::from).collect();
        assert_eq!(kept, expected);
        assert_eq!(samples.percentiles(), Some([880.0, 998.0]));
        assert_eq!(gauge.samples(Part::Present).iter().len(), 0);
    }

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
