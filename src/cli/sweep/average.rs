//! What a run of a sweep measures: the mean of each observable over samples of its measured steps, with
//! its standard error.
//!
//! Pressure and rates are those since the sample before; everything else is that of the moment. With
//! each observable that theory knows in a gas goes the value of theory.

use super::blocks::BlockedMean;
use crate::{
    Result, Sim,
    observe::{Meter, Mixture, Observable, RunSample, ValueSource, is_gas},
};

/// Observables with a value of theory beside them.
const WITH_THEORY: [&str; 2] = ["collision_rate", "compressibility"];

/// Agents around which others are searched for an order.
const LOOKING: usize = 2_048;

/// Agents whose radii theory gets.
const RADII: usize = 16_384;

/// Bytes that a run takes beside its agents.
pub(super) const BYTES: u64 = 1 << 16;

/// The names of the columns of an observable: its mean, and its error.
pub(super) fn names_of(observable: &str) -> [String; 2] {
    [format!("{observable}_mean"), format!("{observable}_error")]
}

/// The name of the column with the value of theory.
pub(super) fn theory_of(observable: &str) -> String {
    format!("{observable}_theory")
}

/// The names of all columns, of runs whose world files observe these quantities.
pub(super) fn columns(observed: &[String]) -> Vec<String> {
    let mut columns = Vec::new();
    for observable in Observable::averaged() {
        columns.extend(names_of(observable.column));
        if WITH_THEORY.contains(&observable.column) {
            columns.push(theory_of(observable.column));
        }
    }
    columns.extend(observed.iter().flat_map(|name| names_of(name)));
    columns
}

/// Averages that grow with the samples of a run.
#[derive(Debug)]
pub(super) struct RunAverages {
    meter: Meter,
    means: Vec<(Observable, BlockedMean)>,
    observed: Vec<BlockedMean>,
}

impl RunAverages {
    /// None yet of a run that is measured from now on.
    pub(super) fn begin(sim: &Sim) -> Self {
        let none = |observable| (observable, BlockedMean::default());
        Self {
            meter: Meter::new(sim),
            means: Observable::averaged().map(none).collect(),
            observed: sim.observed_names().map(|_| BlockedMean::default()).collect(),
        }
    }

    /// Adds the sample of this moment.
    ///
    /// # Errors
    /// If there is not enough memory for the contacts.
    pub(super) fn sample(&mut self, sim: &mut Sim) -> Result<()> {
        let measures = sim.measure()?;
        let reading = Some(self.meter.read(sim));
        let every = sim.agents().len().div_ceil(LOOKING).max(1);
        let moment = RunSample { sim, measures, reading, every, cooled: f64::NAN };
        for (observable, mean) in &mut self.means {
            if let ValueSource::Number(number) = observable.source {
                mean.add(number(&moment));
            }
        }
        for (which, mean) in (0..).zip(&mut self.observed) {
            mean.add(sim.observe(which));
        }
        Ok(())
    }

    /// The values of all columns; none where one is not available.
    ///
    /// # Errors
    /// If there is not enough memory for the contacts.
    pub(super) fn end(&self, sim: &mut Sim, observed: &[String]) -> Result<Vec<Option<f64>>> {
        let measures = sim.measure()?;
        let mixture = mixture(sim);
        let moment = RunSample { sim, measures, reading: None, every: 1, cooled: f64::NAN };
        let mut values = Vec::new();
        for (observable, mean) in &self.means {
            values.extend([mean.mean(), mean.error()]);
            if WITH_THEORY.contains(&observable.column) {
                let expected = mixture.as_ref().map_or(f64::NAN, |mixture| {
                    (observable.plot.expected)(&moment, mixture, f64::NAN)
                });
                values.push(Some(expected).filter(|value| value.is_finite()));
            }
        }
        for name in observed {
            let mean = sim.observed_names().position(|own| own == name);
            let mean = mean.and_then(|which| self.observed.get(which));
            values.extend(mean.map_or([None; 2], |mean| [mean.mean(), mean.error()]));
        }
        Ok(values)
    }
}

/// What theory knows of a run, if it is a gas without rules of its own.
fn mixture(sim: &Sim) -> Option<Mixture> {
    if !is_gas(sim) || sim.rule_source().is_some() || sim.agents().is_empty() {
        return None;
    }
    let radii = &sim.agents().radius;
    let every = radii.len().div_ceil(RADII).max(1);
    let some: Vec<f32> = radii.iter().step_by(every).copied().collect();
    let size = sim.world().size().as_dvec2();
    let share = some.len() as f64 / radii.len() as f64;
    Some(Mixture::new(&some, size.x * size.y * share))
}
