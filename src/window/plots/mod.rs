//! The plots of the panel: the observables that a user has chosen, and what theory expects of them.
//!
//! ```text
//! step ───► follow  agents, for their displacement         each step
//! figures ► sample  everything else                         as often as the panel is measured
//! ```
//!
//! A plot that is not chosen, or not in sight, costs nothing. A plot claims its memory when it is
//! chosen, and starts empty with another run and after going back.

mod lags;

use std::ops::RangeInclusive;

use self::lags::Lags;
use super::run_stats::StateFigures;
use crate::{
    observe::{
        Meter, Mixture, Observable, ObservableEntry, RadialDistribution, RunSample, ValueSource,
        is_gas, mean_diameter, profile_of, theory,
    },
    sim::Sim,
};

/// Points of a plot along the time of the run; the oldest one leaves.
const HISTORY: usize = 240;

/// Largest numbers of agents of samples: agents around which others are searched, agents of a
/// profile, and agents whose radii theory gets.
const LOOKING: usize = 2_048;
const PROFILED: usize = 65_536;
const RADII: usize = 16_384;

/// Strips of a profile.
const STRIPS: usize = 40;

/// Bins of g per diameter, and of all.
const BINS_PER_DIAMETER: usize = 16;
const RADIAL_BINS: usize = 4 * BINS_PER_DIAMETER;

/// The weight that earlier samples of g keep at the next sample.
const FADING: f64 = 0.8;

/// Smallest height of a plot along the time of the run, as a share of its values: less is noise.
const SHARE_MIN: f64 = 0.05;

/// A plot that is shown.
#[derive(Clone, Debug)]
pub(super) struct ShownPlot {
    pub(super) observable: Observable,
    /// Its heading; empty until the first sample, if it belongs to a run.
    pub(super) title: String,
    /// The measured and the expected values: one curve, and a second one for velocities.
    pub(super) measured: [Vec<[f64; 2]>; 2],
    pub(super) expected: Vec<[f64; 2]>,
    /// The step of the last sample.
    pub(super) step: Option<u64>,
}

impl ShownPlot {
    pub(super) fn new(observable: Observable) -> Self {
        let curve = || Vec::with_capacity(HISTORY);
        let (title, measured) = (observable.plot.title.to_owned(), [curve(), Vec::new()]);
        Self { observable, title, measured, expected: curve(), step: None }
    }

    fn clear(&mut self) {
        self.measured.iter_mut().chain([&mut self.expected]).for_each(Vec::clear);
        self.step = None;
    }

    /// Adds a point to a plot along the time of the run.
    fn push(&mut self, time: f64, value: f64, expected: f64) {
        let values = [(&mut self.measured[0], value), (&mut self.expected, expected)];
        // There is no theory without a value.
        for (curve, value) in values.into_iter().take_while(|(_, value)| value.is_finite()) {
            if curve.len() == HISTORY {
                curve.remove(0);
            }
            curve.push([time, value]);
        }
    }

    /// True if there is something to show and to save.
    pub(super) fn has_points(&self) -> bool {
        !self.measured[0].is_empty()
    }

    /// The ranges of both axes.
    pub(super) fn bounds(&self) -> [RangeInclusive<f64>; 2] {
        let points = || self.measured.iter().chain([&self.expected]).flatten();
        let range = |axis: usize| {
            points().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], point| {
                [low.min(point[axis]), high.max(point[axis])]
            })
        };
        let ([from, to], values) = (range(0), range(1));
        let [low, high] = (self.observable.plot.ends)(values);
        let middle = 0.5 * (low + high);
        let least = (SHARE_MIN * middle.abs()).max(f64::MIN_POSITIVE.sqrt());
        let half = (0.5 * (high - low) * 1.1).max(0.5 * least);
        let below = if low == 0.0 { 0.0 } else { middle - half };
        let across = (to - from).max(f64::EPSILON * to.abs()).max(1e-9);
        [to - across..=to, below..=middle + half]
    }

    /// The name of the expected values.
    pub(super) fn line(&self) -> &'static str {
        if self.observable == Observable::TWIN { "fit" } else { "theory" }
    }

    /// The plot as it is saved.
    pub(super) fn data(&self) -> PlotData<'_> {
        let [first, second] = &self.measured;
        let curves = [("measured", first), ("second", second), (self.line(), &self.expected)];
        let filled = curves.into_iter().filter(|(_, points)| !points.is_empty());
        PlotData {
            title: &self.title,
            curves: filled.map(|(name, points)| (name, &points[..])).collect(),
            bounds: self.bounds(),
        }
    }

    /// Replaces a curve.
    pub(super) fn replace(curve: &mut Vec<[f64; 2]>, points: impl Iterator<Item = [f64; 2]>) {
        curve.clear();
        curve.extend(points.filter(|point| point.iter().all(|value| value.is_finite())));
    }
}

/// A plot to be saved.
pub(crate) struct PlotData<'a> {
    /// Its heading.
    pub(crate) title: &'a str,
    /// The names of its curves, and their points.
    pub(crate) curves: Vec<(&'static str, &'a [[f64; 2]])>,
    /// The ranges of both axes.
    pub(crate) bounds: [RangeInclusive<f64>; 2],
}

/// The plots, and what they are computed from.
#[derive(Default)]
pub(super) struct Plots {
    /// In the order of the observables.
    shown: Vec<ShownPlot>,
    /// True while the panel is in sight.
    watched: bool,
    meter: Option<Meter>,
    lags: Option<Lags>,
    /// With the diameter of its bins.
    radial: Option<(RadialDistribution, f64)>,
    /// With the number of agents that it is for.
    mixture: Option<(usize, Mixture)>,
    /// The step of the last sample, and the temperature that is expected then.
    last: Option<(u64, f64)>,
}

impl Plots {
    /// The plots that are shown.
    pub(super) fn shown(&self) -> &[ShownPlot] {
        &self.shown
    }

    /// Whether an observable is shown.
    pub(super) fn shows(&self, observable: Observable) -> bool {
        self.shown.iter().any(|plot| plot.observable == observable)
    }

    /// Shows an observable, or hides it.
    pub(super) fn toggle(&mut self, observable: Observable) {
        match self.shown.binary_search_by_key(&observable, |plot| plot.observable) {
            Ok(at) => {
                self.shown.remove(at);
            }
            Err(at) => self.shown.insert(at, ShownPlot::new(observable)),
        }
        // Frees memory that no plot needs any more.
        if !self.follows() {
            self.lags = None;
        }
        if !self.needs(|source| matches!(source, ValueSource::Radial)) {
            self.radial = None;
        }
        if self.shown.is_empty() {
            *self = Self { watched: self.watched, ..Self::default() };
        }
    }

    /// Shows these observables, besides those that are shown.
    pub(super) fn show(&mut self, observables: &[Observable]) {
        for &observable in observables {
            if !self.shows(observable) {
                self.toggle(observable);
            }
        }
    }

    /// The observables that are shown.
    pub(super) fn observables(&self) -> impl Iterator<Item = Observable> {
        self.shown.iter().map(|plot| plot.observable)
    }

    /// The names of the observables that are shown, or `none`.
    pub(super) fn names(&self, sim: &Sim) -> String {
        let name = |it: Observable| it.name_in(sim).unwrap_or(it.name());
        let names: Vec<&str> = self.observables().map(name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// The panel is in sight, or not.
    pub(super) fn watch(&mut self, watched: bool) {
        if self.watched && !watched {
            self.restart();
        }
        self.watched = watched;
    }

    /// Empties all plots.
    pub(super) fn restart(&mut self) {
        self.shown.iter_mut().for_each(ShownPlot::clear);
        let (shown, watched) = (std::mem::take(&mut self.shown), self.watched);
        *self = Self { shown, watched, ..Self::default() };
    }

    /// The user has changed the speeds: theory begins with those that agents have now.
    pub(super) fn forget_temperature(&mut self) {
        self.last = None;
        self.lags = None;
    }

    fn needs(&self, is_it: fn(&ValueSource) -> bool) -> bool {
        self.observables().any(|observable| is_it(&observable.source))
    }

    fn follows(&self) -> bool {
        self.needs(|source| matches!(source, ValueSource::Motion(_)))
    }

    /// Follows the agents after a step.
    pub(super) fn follow(&mut self, sim: &Sim) {
        if let Some(lags) = &mut self.lags {
            lags.follow(sim);
        }
    }

    /// Adds a sample to each plot that has none of this step.
    pub(super) fn sample(&mut self, sim: &Sim, figures: &StateFigures) {
        let steps = sim.steps();
        if !self.watched || self.shown.iter().all(|plot| plot.step == Some(steps)) {
            return;
        }
        let temperature = figures.temperature();
        self.find_mixture(sim);
        let mixture = self.mixture.as_ref().map(|(_, mixture)| mixture);
        if self.follows() && self.lags.is_none() {
            let rate = mixture.map_or(0.0, |mixture| mixture.collision_rate(temperature));
            self.lags = Some(Lags::new(sim, rate));
        }
        let reading = match &mut self.meter {
            None => {
                self.meter = Some(Meter::new(sim));
                None
            }
            // A plot that was just chosen waits for a step.
            Some(_) if self.last.is_some_and(|(last, _)| last == steps) => None,
            Some(meter) => Some(meter.read(sim)),
        };
        let gas = mixture.filter(|_| is_gas(sim));
        let cooled = match (self.last, gas) {
            (Some((last, before)), Some(gas)) => {
                let seconds = (steps - last.min(steps)) as f64 * f64::from(sim.dt());
                let rate = gas.collision_rate(before);
                before * theory::haff(sim.setup().restitution.into(), rate, seconds)
            }
            _ => temperature,
        };
        self.last = Some((steps, cooled));
        let every = |most| sim.agents().len().div_ceil(most).max(1);
        let measures = figures.measures;
        let moment = RunSample { sim, measures, reading, every: every(LOOKING), cooled };
        for plot in self.shown.iter_mut().filter(|plot| plot.step != Some(steps)) {
            plot.step = Some(steps);
            let ObservableEntry { source, plot: texts, .. } = &*plot.observable;
            let expected =
                |after| gas.map_or(f64::NAN, |gas| (texts.expected)(&moment, gas, after));
            match source {
                ValueSource::Number(number) => {
                    let time = steps as f64 * f64::from(sim.dt());
                    plot.push(time, number(&moment), expected(time));
                }
                ValueSource::Observed => {
                    plot.observable.name_in(sim).unwrap_or_default().clone_into(&mut plot.title);
                    let time = steps as f64 * f64::from(sim.dt());
                    plot.push(time, plot.observable.value_in(sim), f64::NAN);
                }
                ValueSource::Motion(mean) => {
                    let Some(lags) = &self.lags else { continue };
                    let means = lags.means(sim).map(|(after, moved)| [after, mean(&moved)]);
                    ShownPlot::replace(&mut plot.measured[0], means);
                    let theory = lags.means(sim).map(|(after, _)| [after, expected(after)]);
                    ShownPlot::replace(&mut plot.expected, theory);
                }
                ValueSource::Radial => {
                    let (radial, diameter) = self.radial.get_or_insert_with(|| {
                        let diameter = mean_diameter(sim);
                        let width = diameter / BINS_PER_DIAMETER as f64;
                        (RadialDistribution::new(width as f32, RADIAL_BINS), diameter)
                    });
                    radial.fade(FADING);
                    radial.add_of(sim, every(LOOKING));
                    let curve = radial.curve().map(|[at, g]| [at / *diameter, g]);
                    ShownPlot::replace(&mut plot.measured[0], curve);
                    let touching = Some(expected(0.0)).filter(|g| g.is_finite());
                    let bar = touching.into_iter().flat_map(|g| [[1.0, 0.0], [1.0, g]]);
                    ShownPlot::replace(&mut plot.expected, bar);
                }
                ValueSource::Profile(axis, _, [_, values]) => {
                    let strips = profile_of(sim, *axis, STRIPS, every(PROFILED));
                    for (component, curve) in plot.measured.iter_mut().enumerate() {
                        let points = strips.iter().map(|it| [it.at, values(it)[component]]);
                        ShownPlot::replace(curve, points);
                    }
                    let mean = strips.iter().map(|strip| [strip.at, expected(0.0)]);
                    ShownPlot::replace(&mut plot.expected, mean);
                }
            }
        }
    }

    /// Finds what theory gets, if the number of agents has changed.
    fn find_mixture(&mut self, sim: &Sim) {
        let radii = &sim.agents().radius;
        if self.mixture.as_ref().is_some_and(|(count, _)| *count == radii.len()) {
            return;
        }
        let every = radii.len().div_ceil(RADII).max(1);
        let sample: Vec<f32> = radii.iter().step_by(every).copied().collect();
        let share = sample.len() as f64 / radii.len().max(1) as f64;
        let size = sim.world().size().as_dvec2();
        let mixture = Mixture::new(&sample, size.x * size.y * share);
        self.mixture = (!sample.is_empty()).then_some((radii.len(), mixture));
    }
}

#[cfg(test)]
mod tests;
