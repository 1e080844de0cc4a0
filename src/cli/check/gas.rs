//! A gas of equal discs in equilibrium. Lengths are in diameters, velocities in √(kT/m).

use crate::{
    Boundary, Error, Scene, Setup, Sim,
    cli::interrupt,
    observe::{Meter, Motions, RadialDistribution, Reading, theory},
    scene::Collisions,
};

use super::row::Estimate;

/// Mean speed at which k·T/m is 1, if speeds are uniform in half to one and a half of it.
const SPEED: f32 = 1.358_732;

/// Collisions of a disc per step: with this number, even three in a row are rare.
pub(super) const COLLISIONS_PER_STEP: f64 = 0.1;

/// Collisions of a disc per step where a single state is measured. At the end of a step, the number of
/// pairs that are about to collide late is the number of discs that collide twice in one.
pub(super) const FEW_PER_STEP: f64 = 0.005;

/// Number of blocks that a run is averaged over.
const BLOCKS: usize = 20;

/// Collisions of a disc from one sample of positions and velocities to the next, and the collisions
/// within which the slope of the autocorrelation is taken.
const SAMPLE: f64 = 0.5;
const SLOPE: f64 = 0.1;

/// Width of the bins of g, and the reach of its extrapolation, in diameters. The bins divide a
/// diameter.
const BIN: f32 = 1.0 / 128.0;
const REACH: f64 = 1.25;

/// The measured values.
#[derive(Debug)]
pub(super) struct GasFigures {
    /// The share of the world that discs cover.
    pub(super) eta: f64,
    pub(super) compressibility: Estimate,
    pub(super) rate: Estimate,
    pub(super) contact: Estimate,
    /// −C′(0)/C(0) of the velocity autocorrelation.
    pub(super) slope: Estimate,
    /// ⟨v⁴⟩/⟨v²⟩².
    pub(super) kurtosis: Estimate,
}

/// A gas of equal discs of diameter 1, with steps in which each collides `per_step` times.
pub(super) fn gas(
    eta: f64,
    agents: u32,
    boundary: Boundary,
    collisions: Collisions,
    per_step: f64,
) -> Setup {
    Setup {
        radius: [0.5; 2],
        density: eta as f32,
        boundary,
        collisions,
        speed: SPEED,
        hz: (theory::collision_rate(eta) / per_step) as f32,
        ..Setup::with_agents(Scene::Gas, agents)
    }
}

/// k·T/m: relative to the motion of all.
pub(super) fn temperature(sim: &Sim) -> f64 {
    let agents = sim.agents();
    let count = agents.len() as f64;
    let mass = f64::from(agents.radius[0]).powi(2);
    let drift: f64 = agents.momentum().iter().map(|p| (p / (count * mass)).powi(2)).sum();
    (2.0 * agents.kinetic_energy() / (count * mass) - drift) / 2.0 * count / (count - 1.0)
}

/// The share of the world that equal discs of diameter 1 cover.
pub(super) fn covered(sim: &Sim) -> f64 {
    sim.agents().len() as f64 * std::f64::consts::PI / 4.0 / area(sim)
}

/// The pressure by the virial: gases have one.
pub(super) fn pressure(reading: &Reading) -> f64 {
    reading.pressure_virial.unwrap_or(f64::NAN)
}

/// The area of the world.
pub(super) fn area(sim: &Sim) -> f64 {
    let size = sim.world().size().as_dvec2();
    size.x * size.y
}

/// The reason for a case without a result.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// The user has asked for an end.
    Interrupted,
    /// A run can't be made or goes no further.
    Failed(Error),
}

impl From<Error> for Unfinished {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The result of a case.
pub(super) type Finished<T> = std::result::Result<T, Unfinished>;

/// Steps a run on.
pub(super) fn advance(sim: &mut Sim, steps: u64) -> Finished<()> {
    for _ in 0..steps {
        if interrupt::asked().is_some() {
            return Err(Unfinished::Interrupted);
        }
        sim.step()?;
    }
    Ok(())
}

/// Measures a gas in which each disc collides `per_step` times in a step: `samples` samples after
/// `settling` collisions of each disc.
pub(super) fn measure(
    setup: &Setup,
    per_step: f64,
    settling: f64,
    samples: usize,
) -> Finished<GasFigures> {
    let mut sim = Sim::new(setup)?;
    let steps_for = |collisions: f64| (collisions / per_step).round() as u64;
    advance(&mut sim, steps_for(settling))?;
    let (eta, kt) = (covered(&sim), temperature(&sim));
    let area_per_agent = area(&sim) / sim.agents().len() as f64;
    let half = steps_for(0.5 * SLOPE);
    let time = half as f64 / f64::from(setup.hz) * kt.sqrt();
    let bins = (REACH / f64::from(BIN)) as usize;
    let mut blocks: [Vec<f64>; 5] = Default::default();
    let mut meter = Meter::new(&sim);
    for _ in 0..BLOCKS {
        let mut radial = RadialDistribution::new(BIN, bins);
        let (mut slope, mut kurtosis) = (0.0, 0.0);
        let samples = samples / BLOCKS;
        for _ in 0..samples {
            radial.add(&sim);
            kurtosis += fourth_moment(&sim);
            let mut motions = Motions::new(&sim);
            advance(&mut sim, half)?;
            let one = 1.0 - motions.follow(&sim).velocity_correlation;
            advance(&mut sim, half)?;
            let two = 1.0 - motions.follow(&sim).velocity_correlation;
            // Taken back to the beginning along a parabola.
            slope += (4.0 * one - two) / (2.0 * time);
            advance(&mut sim, steps_for(SAMPLE) - 2 * half)?;
        }
        let reading = meter.read(&sim);
        let values = [
            pressure(&reading) * area_per_agent / reading.temperature,
            reading.collision_rate / kt.sqrt(),
            radial.at_contact(1.0, REACH),
            slope / samples as f64,
            kurtosis / samples as f64,
        ];
        blocks.iter_mut().zip(values).for_each(|(block, value)| block.push(value));
    }
    let [compressibility, rate, contact, slope, kurtosis] =
        blocks.map(|blocks| Estimate::of(&blocks));
    Ok(GasFigures { eta, compressibility, rate, contact, slope, kurtosis })
}

/// ⟨v⁴⟩/⟨v²⟩²: 2 for Maxwell's distribution in two dimensions.
fn fourth_moment(sim: &Sim) -> f64 {
    let agents = sim.agents();
    let (mut fourth, mut second) = (0.0, 0.0);
    for (vx, vy) in agents.vx.iter().zip(&agents.vy) {
        let square = f64::from(*vx).powi(2) + f64::from(*vy).powi(2);
        second += square;
        fourth += square * square;
    }
    fourth * agents.len() as f64 / (second * second)
}
