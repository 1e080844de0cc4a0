//! The observables of a run at a moment: the values of a row of `--series`.
//!
//! Pressures and rates are means since the moment before, displacements and correlations are those
//! since the first moment, and everything else is of the moment alone.

use crate::{
    Result, Sim,
    observe::{
        Meter, Motions, MotionsSince, Observable, ProfileBin, RadialDistribution, Reading,
        RunSample, ValueSource, mean_diameter, profile,
    },
    sim::Measures,
};

/// Bins of g per mean diameter, and of all.
const BINS_PER_DIAMETER: f32 = 10.0;
const RADIAL_BINS: usize = 50;

/// Strips of a profile.
const STRIPS: usize = 20;

/// Share of a side that repeats, and that an agent may cross before it is followed.
const FOLLOWED: f32 = 0.2;

/// The state at the moment before, and at the first one.
#[derive(Debug)]
pub(super) struct RunObserver {
    meter: Meter,
    motions: Motions,
    /// Width of a bin of g, world units.
    bin: f32,
    /// The farthest that an agent may have come since it was followed, world units.
    traveled: f32,
}

/// What changes from one moment to the next.
#[derive(Debug)]
pub(super) struct ObservedInterval {
    reading: Reading,
    moved: MotionsSince,
}

/// The values of observables at a moment.
pub(super) struct ObservedMoment<'a> {
    now: RunSample<'a>,
    moved: &'a MotionsSince,
    bin: f32,
    profiles: [Option<Vec<ProfileBin>>; 2],
}

impl RunObserver {
    /// Bytes per agent that it takes: its path since the first moment.
    pub(super) const BYTES_PER_AGENT: u64 = 48;

    /// Begins with the first moment; `meter` was begun now, or at an earlier one.
    pub(super) fn new(sim: &Sim, meter: Meter) -> Self {
        // The mean diameter may change later.
        let bin = mean_diameter(sim) as f32 / BINS_PER_DIAMETER;
        Self { meter, motions: Motions::new(sim), bin, traveled: 0.0 }
    }

    /// Follows the agents across the seam; to be called after each step.
    pub(super) fn step(&mut self, sim: &Sim) {
        self.traveled += sim.largest_displacement() * sim.setup().substeps_per_step() as f32;
        let size = sim.world().size();
        let next = self.traveled + 2.0 * sim.largest_displacement();
        if sim.space().is_periodic() && next > FOLLOWED * size.min_element() {
            self.motions.follow(sim);
            self.traveled = 0.0;
        }
    }

    /// Ends an interval at this moment, and begins the next.
    pub(super) fn end_interval(&mut self, sim: &Sim) -> ObservedInterval {
        let (reading, moved) = (self.meter.read(sim), self.motions.follow(sim));
        self.traveled = 0.0;
        ObservedInterval { reading, moved }
    }

    /// The moment at the end of that interval.
    ///
    /// # Errors
    /// If there is not enough memory for the contacts.
    pub(super) fn moment<'a>(
        &self,
        sim: &'a mut Sim,
        interval: &'a ObservedInterval,
    ) -> Result<ObservedMoment<'a>> {
        let measures: Measures = sim.measure()?;
        let reading = Some(interval.reading);
        let now = RunSample { sim, measures, reading, every: 1, cooled: f64::NAN };
        Ok(ObservedMoment { now, moved: &interval.moved, bin: self.bin, profiles: [None, None] })
    }
}

impl ObservedMoment<'_> {
    /// Calls `add` with each value of an observable, a number per column; not a number where it is
    /// not available.
    pub(super) fn values(&mut self, observable: Observable, mut add: impl FnMut(f64)) {
        let Self { now, moved, bin, profiles } = self;
        let sim = now.sim;
        match observable.source {
            ValueSource::Number(number) => add(number(now)),
            ValueSource::Motion(mean) => add(mean(moved)),
            ValueSource::Observed => add(observable.value_in(sim)),
            ValueSource::Radial => {
                let mut radial = RadialDistribution::new(*bin, RADIAL_BINS);
                radial.add(sim);
                radial.curve().for_each(|[_, g]| add(g));
            }
            ValueSource::Profile(axis, columns, [values, _]) => {
                let strips =
                    profiles[axis as usize].get_or_insert_with(|| profile(sim, axis, STRIPS));
                for column in 0..columns.len() {
                    for strip in &*strips {
                        add(values(strip)[column]);
                    }
                }
            }
        }
    }
}

/// The names of the columns of an observable: of a curve, with the middle of each bin.
pub(super) fn names(observable: Observable, sim: &Sim) -> Vec<String> {
    let (prefixes, bins, width): (&[&str], _, _) = match observable.source {
        ValueSource::Number(_) | ValueSource::Motion(_) => {
            return vec![observable.column.to_owned()];
        }
        ValueSource::Observed => {
            return vec![observable.name_in(sim).unwrap_or_default().to_owned()];
        }
        ValueSource::Profile(_, columns, _) => (columns, STRIPS, 1.0 / STRIPS as f64),
        ValueSource::Radial => {
            (&[observable.column], RADIAL_BINS, 1.0 / f64::from(BINS_PER_DIAMETER))
        }
    };
    let name = |prefix: &str, bin: usize| {
        let name = format!("{prefix}_{:.3}", (bin as f64 + 0.5) * width);
        // Two digits where two are exact.
        name.strip_suffix('0').map(str::to_owned).unwrap_or(name)
    };
    prefixes.iter().flat_map(|prefix| (0..bins).map(move |bin| name(prefix, bin))).collect()
}
