//! The states that all engines start from: moments of one run of jostle.

use std::thread;

use clap::ValueEnum;
use jostle::{
    Agent, Agents, OwnColumn, OwnColumns, Rect, Result, Setup, Sim, Vec2, scene, scene::Start,
};
use rayon::ThreadPoolBuilder;

use crate::bodies::Bodies;

/// Seconds after the start at which the pile falls.
const FALLING: f64 = 1.5;
/// The fall is over once the root of the mean square of the speeds is below this share of its
/// maximum.
const SLOW_SHARE: f64 = 0.05;
/// The pile is at rest once it has been below this share for this long.
const CALM_SHARE: f64 = 0.02;
const CALM_SECONDS: f64 = 1.0;
/// The run ends after this time even if the pile is not at rest.
const SECONDS_MAX: f64 = 120.0;
/// The column of spins.
const SPIN: &str = "spin";

/// Seconds between two moments that are kept.
const SAMPLE: f64 = 0.25;

/// When the state is taken.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// 1.5 simulated seconds after the start
    Falling,
    /// Half of the time until the fall is over
    Settling,
    /// The pile is nearly at rest
    Settled,
}

impl Moment {
    pub(crate) const ALL: [Self; 3] = [Self::Falling, Self::Settling, Self::Settled];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Falling => "falling",
            Self::Settling => "settling",
            Self::Settled => "settled",
        }
    }
}

/// A moment of a run, in the form that every engine starts from.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) moment: Moment,
    /// Simulated seconds since the start of the run.
    pub(crate) seconds: f64,
    /// Length of a step, seconds.
    pub(crate) dt: f32,
    pub(crate) setup: Setup,
    /// The agents are in Morton order, and their ids count from 0.
    pub(crate) start: Start,
}

impl State {
    pub(crate) fn bodies(&self) -> Bodies {
        let mut bodies = Bodies::default();
        for slot in 0..self.start.agents.len() {
            let Agent { position, velocity, .. } = self.start.agents.get(slot);
            bodies.push(position, velocity);
        }
        bodies
    }
}

/// Runs the pile of a set-up until it has settled, or to the last moment that is asked for.
///
/// # Errors
/// The errors of the run.
pub(crate) fn states(setup: &Setup, moments: &[Moment]) -> Result<Vec<State>> {
    let start = scene::place(setup)?;
    let mut sim = Sim::from_start(setup, start.clone())?;
    let settles = moments.iter().any(|&moment| moment != Moment::Falling);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let (samples, fallen) = pool.install(|| samples(&mut sim, settles))?;
    let settled = samples.len() - 1;
    let state = |&moment: &Moment| {
        let index = match moment {
            Moment::Falling => ((FALLING / SAMPLE) as usize).min(settled),
            Moment::Settling => fallen / 2,
            Moment::Settled => settled,
        };
        let (seconds, agents) = &samples[index];
        State {
            moment,
            seconds: *seconds,
            dt: sim.dt(),
            setup: setup.clone(),
            start: Start { agents: in_morton_order(agents, &start.world), ..start.clone() },
        }
    };
    Ok(moments.iter().map(state).collect())
}

/// The agents every quarter of a second, with the simulated time, up to the end of the run; and the
/// index of the first sample after the fall.
fn samples(sim: &mut Sim, settles: bool) -> Result<(Vec<(f64, Agents)>, usize)> {
    let per_sample = (SAMPLE / f64::from(sim.dt())).round().max(1.0) as u64;
    let calm_samples = (CALM_SECONDS / SAMPLE) as u32;
    let mut samples = vec![(0.0, sim.agents().clone())];
    let (mut highest, mut calm, mut fallen) = (0.0_f64, 0, None);
    loop {
        for _ in 0..per_sample {
            sim.step()?;
        }
        let seconds = sim.steps() as f64 * f64::from(sim.dt());
        let rms = rms_speed(sim.agents());
        highest = highest.max(rms);
        calm = if rms < CALM_SHARE * highest { calm + 1 } else { 0 };
        if rms < SLOW_SHARE * highest {
            fallen = fallen.or(Some(samples.len()));
        }
        samples.push((seconds, sim.agents().clone()));
        let falls = seconds < FALLING - SAMPLE / 2.0;
        let enough = !settles || calm >= calm_samples || seconds > SECONDS_MAX;
        if enough && !falls {
            let last = samples.len() - 1;
            return Ok((samples, fallen.unwrap_or(last)));
        }
    }
}

fn rms_speed(agents: &Agents) -> f64 {
    let squares = agents.vx.iter().zip(&agents.vy).map(|(vx, vy)| f64::from(vx * vx + vy * vy));
    (squares.sum::<f64>() / agents.len() as f64).sqrt()
}

/// The agents along a Z-order curve, with ids from 0.
fn in_morton_order(agents: &Agents, world: &Rect) -> Agents {
    let code = |&slot: &usize| {
        let place = (Vec2::new(agents.x[slot], agents.y[slot]) - world.min) / world.size();
        let [x, y] = (place * 65_535.0).to_array().map(|coordinate| spread(coordinate as u16));
        x | y << 1
    };
    let mut slots: Vec<usize> = (0..agents.len()).collect();
    slots.sort_by_cached_key(code);
    let mut ordered = Agents::with_capacity(agents.len());
    for (id, &slot) in (0..).zip(&slots) {
        ordered.push(Agent { id, ..agents.get(slot) });
    }
    if let Some(spins) = spins(agents) {
        let spins = slots.iter().map(|&slot| spins[slot]).collect();
        let own = OwnColumns::new().with_numbers(OwnColumn::new(SPIN, 0.0, spins));
        ordered.own = Some(Box::new(own));
    }
    ordered
}

/// The spins of agents, in runs with friction.
pub(crate) fn spins(agents: &Agents) -> Option<&[f32]> {
    let own = agents.own.as_ref()?;
    own.find(SPIN).map(|column| &own.numbers[column].values[..])
}

/// The bits of a number, with a 0 above each.
fn spread(bits: u16) -> u32 {
    (0..u16::BITS).fold(0, |wide, bit| wide | (u32::from(bits >> bit & 1) << (2 * bit)))
}
