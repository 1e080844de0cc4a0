//! The twin of a run: the same run with another future, in step beside it; and how far the two are apart.
//!
//! Runs that differ by little part exponentially, until they differ by as much as any two states do. The
//! exponent of that growth, the largest Lyapunov exponent, is fitted while the distance is small. A change
//! that is large where it is made grows otherwise, and has no exponent.

use std::{
    f64::consts::LN_10,
    time::{Duration, Instant},
};

use glam::{DVec2, Vec2};

use crate::{
    alloc,
    error::{Error, Result},
    journal::Position,
    observe::{Observable, mean_diameter},
    parallel,
    raster::twin_share,
    sim::Sim,
    step::{Phase, Probe},
    window::{plots::ShownPlot, recorded_sim::RecordedSim},
};

/// Slots per task.
const PIECE: usize = 8_192;

/// Points of the growth; then every second leaves, and later ones come half as often.
const POINTS: usize = 480;

/// Mean radii up to which a distance counts as small.
const SMALL: f64 = 0.1;

/// Points, growth, and square of the correlation of time and logarithm that a fit needs.
const LEAST: usize = 12;
const GROWTH: f64 = 100.0;
const CORRELATION: f64 = 0.85;

/// An exponential growth: its exponent per second, a point of its logarithm, and the times of its ends.
#[derive(Clone, Copy, Debug)]
struct Growth {
    exponent: f64,
    middle: DVec2,
    ends: [f64; 2],
}

/// Does not know when a step ends: another one follows.
struct Begun<'a, P>(&'a mut P);

impl<P: Probe> Probe for Begun<'_, P> {
    fn begin(&mut self, phase: Phase) {
        self.0.begin(phase);
    }

    fn end(&mut self) {}
}

/// The twin of a run.
pub(super) struct Twin {
    pub(super) sim: RecordedSim,
    /// Bytes of the way back that are left to it.
    pub(super) history: usize,
    /// Why it can't go on.
    pub(super) failed: Option<Error>,
    /// Tones by slot of both runs: how far an agent is from its twin. An agent without one has the last.
    pub(super) tones: [Vec<u8>; 2],
    /// The slots by id of both runs.
    slots: [SlotsById; 2],
    /// The states that they are of.
    compared: Option<[Position; 2]>,
    /// Root of the mean square distance of an agent from its twin, world units.
    pub(super) distance: f64,
    /// Agents of both runs without a twin.
    pub(super) alone: usize,
    /// Seconds, and logarithms of the distances that are not 0.
    points: Vec<DVec2>,
    /// Steps from one point to the next.
    every: u64,
    /// Mean radius of the agents.
    radius: f64,
    /// The growth of the distance, and its fit, as logarithms to base 10.
    pub(super) plot: ShownPlot,
    growth: Option<Growth>,
}

impl Twin {
    /// The twin of a run of that many agents.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(sim: RecordedSim, history: usize, agents: usize) -> Result<Self> {
        let part = "a run beside the run";
        let [run, twin] = [agents, sim.agents().len()];
        Ok(Self {
            radius: 0.5 * mean_diameter(&sim),
            sim,
            history,
            failed: None,
            tones: [alloc::filled(run, 0, part)?, alloc::filled(twin, 0, part)?],
            slots: [SlotsById::new(run, part)?, SlotsById::new(twin, part)?],
            compared: None,
            distance: 0.0,
            alone: 0,
            points: Vec::with_capacity(POINTS),
            every: 1,
            plot: ShownPlot::new(Observable::TWIN),
            growth: None,
        })
    }

    /// The exponent with which the distance has grown while it was small, per second.
    pub(super) fn exponent(&self) -> Option<f64> {
        self.growth.map(|growth| growth.exponent)
    }

    /// Takes a step of the run, and the same of the twin: as one step, which takes the time of both.
    ///
    /// # Errors
    /// As [`RecordedSim::step_with`], of the run.
    pub(super) fn step_beside(
        &mut self,
        run: &mut RecordedSim,
        probe: &mut impl Probe,
    ) -> Result<()> {
        run.step_with(&mut Begun(probe))?;
        self.failed = self.sim.step_with(probe).err();
        Ok(())
    }

    /// Takes the twin toward a step, for at most that long.
    pub(super) fn follow(&mut self, step: u64, slice: Duration) {
        let begin = Instant::now();
        let mut result = Ok(());
        if self.sim.steps() > step {
            result = self.sim.approach(step).map(drop);
        }
        while result.is_ok() && self.sim.steps() < step && begin.elapsed() < slice {
            result = self.sim.step_with(&mut ());
        }
        self.failed = result.err().or(self.failed.take());
    }

    /// Finds how far the agents of a run at that position are from their twins, unless nothing has changed
    /// since the last call. A state in step that is new adds a point.
    pub(super) fn compare(&mut self, run: &Sim, position: Position) {
        let states = [position, self.sim.position()];
        if self.compared.replace(states) == Some(states) {
            return;
        }
        let twin: &Sim = &self.sim;
        let ([of_run, of_twin], radius) = (&mut self.tones, self.radius as f32);
        let [in_run, in_twin] = &mut self.slots;
        parallel::join(|| in_run.update(run), || in_twin.update(twin));
        let (sum, count) = compare(of_run, [run, twin], in_twin, radius);
        take_over(of_twin, of_run, [run, twin], in_run);
        self.distance = (sum / count.max(1) as f64).sqrt();
        self.alone = run.agents().len() + twin.agents().len() - 2 * count as usize;
        let time = run.steps() as f64 / f64::from(run.setup().hz);
        let last = self.points.last().map_or(f64::NEG_INFINITY, |last| last.x);
        if time < last {
            // The run has gone back.
            (self.every, self.growth) = (1, None);
            self.plot = ShownPlot::new(Observable::TWIN);
            self.points.clear();
        }
        let is_due = run.steps().is_multiple_of(self.every) && time != last;
        if position.0 == self.sim.steps() && self.distance > 0.0 && is_due {
            self.add_point(DVec2::new(time, self.distance.ln()));
        }
    }

    fn add_point(&mut self, point: DVec2) {
        if self.points.len() == POINTS {
            let mut index = 0;
            self.points.retain(|_| {
                index += 1;
                index % 2 == 0
            });
            self.every *= 2;
        }
        self.points.push(point);
        self.plot.step = Some(self.sim.steps());
        if self.distance < SMALL * self.radius {
            self.growth = fit(&self.points);
        }
        self.plot.title = match self.exponent() {
            Some(exponent) => format!("log10 of the distance; exponent {exponent:.2}/s"),
            None => "log10 of the distance".to_owned(),
        };
        let to_base_10 = |point: DVec2| [point.x, point.y / LN_10];
        let measured = self.points.iter().map(|point| to_base_10(*point));
        ShownPlot::replace(&mut self.plot.measured[0], measured);
        let line = self.growth.into_iter().flat_map(|Growth { exponent, middle, ends }| {
            ends.map(|time| to_base_10(DVec2::new(time, middle.y + exponent * (time - middle.x))))
        });
        ShownPlot::replace(&mut self.plot.expected, line);
    }
}

/// The growth through points; none where they are too few, don't grow, or don't lie on a line.
fn fit(points: &[DVec2]) -> Option<Growth> {
    let [first, .., last] = points else { return None };
    if points.len() < LEAST || last.y - first.y < GROWTH.ln() {
        return None;
    }
    let middle = points.iter().sum::<DVec2>() / points.len() as f64;
    let (mut squares, mut both) = (DVec2::ZERO, 0.0);
    for off in points.iter().map(|point| point - middle) {
        squares += off * off;
        both += off.x * off.y;
    }
    let is_line = both * both >= CORRELATION * squares.x * squares.y;
    let growth = Growth { exponent: both / squares.x, middle, ends: [first.x, last.x] };
    is_line.then_some(growth)
}

/// The slots of agents by their ids. All ids of the start are here; those of many later ones are searched in
/// the run.
struct SlotsById(Vec<u32>);

impl SlotsById {
    /// Ids that are here, per agent.
    const IDS_PER_AGENT: usize = 2;

    fn new(agents: usize, part: &'static str) -> Result<Self> {
        Ok(Self(alloc::filled(Self::IDS_PER_AGENT * agents, u32::MAX, part)?))
    }

    fn update(&mut self, sim: &Sim) {
        let ids = &sim.agents().id;
        self.0.clear();
        self.0.resize(Self::IDS_PER_AGENT * ids.len(), u32::MAX);
        for (slot, &id) in (0..).zip(ids) {
            if let Some(entry) = self.0.get_mut(id as usize) {
                *entry = slot;
            }
        }
    }

    fn find(&self, sim: &Sim, id: u32) -> Option<usize> {
        match self.0.get(id as usize) {
            Some(&slot) => (slot != u32::MAX).then_some(slot as usize),
            None => sim.slot_of(id),
        }
    }
}

/// Sets the tones of the slots of a run by the distances from its twin. Returns the sum of their squares,
/// and their number.
fn compare(
    tones: &mut Vec<u8>,
    [run, twin]: [&Sim; 2],
    slots: &SlotsById,
    radius: f32,
) -> (f64, u64) {
    let (agents, others, space) = (run.agents(), twin.agents(), run.space());
    let radius_square = radius * radius;
    tones.resize(agents.len(), 0);
    let piece = |first: usize, tones: &mut [u8]| {
        let (mut sum, mut count) = (0.0, 0);
        for (slot, tone) in (first..).zip(tones) {
            *tone = match slots.find(twin, agents.id[slot]) {
                None => u8::MAX,
                Some(other) => {
                    // Two columns of the twin are read at random places, and not all.
                    let to = Vec2::new(others.x[other], others.y[other]);
                    let apart = Vec2::new(agents.x[slot], agents.y[slot]) - to;
                    let square = space.minimum_image(apart).length_squared();
                    (sum, count) = (sum + f64::from(square), count + 1);
                    (twin_share(square / radius_square) * 255.0) as u8
                }
            };
        }
        (sum, count)
    };
    let merge = |one: (f64, u64), other: (f64, u64)| (one.0 + other.0, one.1 + other.1);
    parallel::pieces(&mut tones[..], PIECE, &piece, &merge)
}

/// Sets the tones of the slots of a twin to those of the agents in the run.
fn take_over(tones: &mut Vec<u8>, of_run: &[u8], [run, twin]: [&Sim; 2], slots: &SlotsById) {
    let ids = &twin.agents().id;
    tones.resize(ids.len(), 0);
    let piece = |first: usize, tones: &mut [u8]| {
        for (tone, &id) in tones.iter_mut().zip(&ids[first..]) {
            *tone = slots.find(run, id).map_or(u8::MAX, |slot| of_run[slot]);
        }
    };
    parallel::pieces(&mut tones[..], PIECE, &piece, &|(), ()| ());
}
