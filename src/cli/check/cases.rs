//! The cases.

use glam::DVec2;

use crate::{
    Agents, Boundary, Scene, Setup, Sim,
    observe::{Meter, Mixture, theory},
    scene::{Collisions, Solver},
};

use super::{
    gas::{
        self, COLLISIONS_PER_STEP, FEW_PER_STEP, Finished, advance, area, covered, gas, pressure,
        temperature,
    },
    row::{CheckCurve, CheckRow, Estimate, row},
};

const CLISBY: &str = "Clisby & McCoy 2006, [5/4] Pade";
const ENSKOG: &str = "Enskog, g of Clisby & McCoy 2006";
const MAXWELL: &str = "Maxwell";
const MANCINI: &str = "Jenkins & Mancini 1987";
const HAFF: &str = "Haff 1983";
const KRAUTH: &str = "Bernard & Krauth 2011";
const BOLTZMANN: &str = "Boltzmann, isothermal";
const EXACT: &str = "conservation";
const SHOWN: &str = "shown, not judged";

/// The results of a case.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) rows: Vec<CheckRow>,
    pub(super) curve: Option<CheckCurve>,
}

/// A case to be run.
pub(super) type CheckCase = Box<dyn FnOnce() -> Finished<Checked> + Send>;

/// All cases, in the order of the table. Quick ones are small, and their tolerances wide.
pub(super) fn all(quick: bool) -> Vec<CheckCase> {
    let mut all: Vec<CheckCase> = Vec::new();
    let etas: &[f64] = if quick { &[0.1, 0.4] } else { &[0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6] };
    for &eta in etas {
        all.push(Box::new(move || equal_discs(eta, quick)));
    }
    let etas: &[f64] = if quick { &[0.2] } else { &[0.1, 0.2, 0.3] };
    for &eta in etas {
        all.push(Box::new(move || walls(eta, quick)));
    }
    for collisions in Collisions::ALL {
        all.push(Box::new(move || default_gas(collisions, quick)));
    }
    for collisions in Collisions::ALL {
        all.push(Box::new(move || shrinking_steps(collisions, quick)));
    }
    all.push(Box::new(move || equipartition(quick)));
    all.push(Box::new(move || haff(quick)));
    for collisions in Collisions::ALL {
        all.push(Box::new(move || conservation(collisions, quick)));
    }
    all.push(Box::new(move || atmosphere(quick)));
    if !quick {
        all.push(Box::new(plateau));
    }
    all
}

/// Pressure, collision rate, g at contact and velocities of a periodic gas.
fn equal_discs(eta: f64, quick: bool) -> Finished<Checked> {
    let agents = if quick { 2_000 } else { 16_384 };
    let per_step = if quick { 4.0 * FEW_PER_STEP } else { FEW_PER_STEP };
    let setup = gas(eta, agents, Boundary::Periodic, Collisions::Swept, per_step);
    let (settling, samples) = if quick { (40.0, 200) } else { (100.0, 2_400) };
    let found = gas::measure(&setup, per_step, settling, samples)?;
    let wide = if quick { 6.0 } else { 1.0 };
    let name = |what: &str| format!("eta {eta}: {what}");
    let eta = found.eta;
    let excess = 2.0 * eta * found.contact.mean;
    let sigma = found.contact.sigma * excess / (1.0 + excess);
    let from_g = Estimate { mean: 1.0 + excess, sigma };
    let z = if eta < 0.31 { 0.003 } else { 0.005 };
    let rows = vec![
        found.compressibility.row(name("Z"), theory::compressibility(eta), z * wide, CLISBY),
        found.rate.row(name("collision rate"), theory::collision_rate(eta), 0.005 * wide, ENSKOG),
        found.contact.row(name("g at contact"), theory::contact(eta), 0.01 * wide, CLISBY),
        found.slope.row(name("-C'(0)/C(0)"), theory::collision_rate(eta), 0.02 * wide, ENSKOG),
        from_g.row(name("Z from g"), found.compressibility.mean, 0.01 * wide, "Z from the virial"),
        found.kurtosis.row(name("<v^4>/<v^2>^2"), 2.0, 0.005 * wide, MAXWELL),
    ];
    let curve = CheckCurve { name: "Z", points: vec![(eta, found.compressibility.mean)] };
    Ok(Checked { rows, curve: Some(curve) })
}

/// The pressure on walls, at the density in the middle: walls adsorb. There are two walls only:
/// beside other walls the gas differs from the middle, and carries less, in a closed box of 2,048 discs
/// by 0.7 % at η = 0.3.
fn walls(eta: f64, quick: bool) -> Finished<Checked> {
    const BLOCKS: u64 = 20;
    const SAMPLE: u64 = 10;
    let agents = if quick { 1_000 } else { 2_048 };
    let setup = gas(eta, agents, Boundary::PeriodicX, Collisions::Swept, COLLISIONS_PER_STEP);
    let mut sim = Sim::new(&setup)?;
    let steps: u64 = if quick { 6_000 } else { 120_000 };
    advance(&mut sim, 1_000)?;
    let (world, mass) = (sim.world(), f64::from(sim.agents().radius[0]).powi(2));
    // Far from the walls, the density is the bulk density.
    let margin = 0.25 * world.size().y;
    let inner = world.min.y + margin..world.max.y - margin;
    let inner_area = f64::from(world.size().x) * f64::from(inner.end - inner.start);
    let (mut meter, mut pressures, mut inside) = (Meter::new(&sim), Vec::new(), 0.0);
    let block = steps / BLOCKS / SAMPLE * SAMPLE;
    for _ in 0..BLOCKS {
        for _ in 0..block / SAMPLE {
            advance(&mut sim, SAMPLE)?;
            inside += sim.agents().y.iter().filter(|y| inner.contains(y)).count() as f64;
        }
        pressures.push(meter.read(&sim).pressure_wall.unwrap_or(f64::NAN));
    }
    let density = inside / (BLOCKS * block / SAMPLE) as f64 / inner_area;
    let kt = temperature(&sim);
    let ratios: Vec<f64> =
        pressures.iter().map(|pressure| pressure / (density * kt * mass)).collect();
    let bulk = density * std::f64::consts::PI / 4.0;
    let expected = theory::compressibility(bulk);
    let tolerance = if quick { 0.03 } else { 0.005 };
    let case = format!("eta {eta}: Z from the walls");
    let rows = vec![Estimate::of(&ratios).row(case, expected, tolerance, CLISBY)];
    Ok(Checked { rows, curve: None })
}

/// The collision rate of the scene `gas` as it is by default, in either mode.
fn default_gas(collisions: Collisions, quick: bool) -> Finished<Checked> {
    const BLOCKS: usize = 10;
    let agents = if quick { 20_000 } else { 500_000 };
    let setup = Setup { collisions, ..Setup::with_agents(Scene::Gas, agents) };
    let mut sim = Sim::new(&setup)?;
    advance(&mut sim, 120)?;
    let (mut meter, mut rates) = (Meter::new(&sim), Vec::new());
    let mut temperature = 0.0;
    for _ in 0..BLOCKS {
        advance(&mut sim, 12)?;
        let reading = meter.read(&sim);
        rates.push(reading.collision_rate);
        temperature = reading.temperature;
    }
    let mixture = Mixture::new(&sim.agents().radius, area(&sim));
    let expected = mixture.collision_rate(temperature);
    let case = format!("gas at 60 Hz, {}: collision rate", collisions.name());
    let row = Estimate::of(&rates).row(case, expected, 0.01, MANCINI);
    let shown = collisions == Collisions::Overlap;
    let tolerance = if shown { None } else { Some(if quick { 0.03 } else { 0.01 }) };
    Ok(Checked { rows: vec![CheckRow { tolerance, ..row }], curve: None })
}

/// The distance of agents from the run in the finest steps as steps shrink, and its order.
fn shrinking_steps(collisions: Collisions, quick: bool) -> Finished<Checked> {
    const ETA: f64 = 0.3;
    let agents = if quick { 2_000 } else { 16_384 };
    // The way of each agent for less than a collision each: for longer, chaos enlarges all errors.
    let per_step = [0.8, 0.4, 0.2, 0.1, 0.05];
    let (finest, span) = (0.025, 0.8);
    let run = |per_step: f64, collisions| -> Finished<Sim> {
        let mut sim = Sim::new(&gas(ETA, agents, Boundary::Periodic, collisions, per_step))?;
        advance(&mut sim, (span / per_step).round() as u64)?;
        Ok(sim)
    };
    let exact = run(finest, Collisions::Swept)?;
    let exact_slots = exact.agents().slots_by_id();
    let mut points = Vec::new();
    for per_step in per_step {
        let sim = run(per_step, collisions)?;
        let apart = |(&one, &other): (&u32, &u32)| -> f64 {
            let at = |agents: &Agents, slot: u32| agents.get(slot as usize).position;
            let apart = at(sim.agents(), one) - at(exact.agents(), other);
            f64::from(sim.space().minimum_image(apart).length())
        };
        let slots = sim.agents().slots_by_id();
        let sum: f64 = slots.iter().zip(&exact_slots).map(apart).sum();
        points.push((per_step, sum / f64::from(agents)));
    }
    // In shorter steps, rounding is as large as the error of swept collisions.
    let order = slope(&points[..3]);
    let expected = if collisions == Collisions::Overlap { 1.0 } else { 2.0 };
    let case = format!("{}: order of convergence", collisions.name());
    let rows = vec![CheckRow { tolerance: None, ..row(case, order, expected, 0.0, SHOWN) }];
    let curve = CheckCurve { name: collisions.name(), points };
    Ok(Checked { rows, curve: Some(curve) })
}

/// The slope of a line through the logarithms of points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logarithms.len() as f64;
    let mean_x = logarithms.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logarithms.iter().map(|(_, y)| y).sum::<f64>() / count;
    let above: f64 = logarithms.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    above / logarithms.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
}

/// The kinetic energy of classes of radius in a mixture.
fn equipartition(quick: bool) -> Finished<Checked> {
    const CLASSES: usize = 4;
    let agents = if quick { 2_000 } else { 8_000 };
    let setup = Setup {
        boundary: Boundary::Periodic,
        collisions: Collisions::Swept,
        ..Setup::with_agents(Scene::Mixed, agents)
    };
    let mut sim = Sim::new(&setup)?;
    advance(&mut sim, if quick { 6_000 } else { 30_000 })?;
    let mut radii = sim.agents().radius.clone();
    radii.sort_by(f32::total_cmp);
    let limits: [f32; CLASSES] =
        std::array::from_fn(|class| radii[(class + 1) * radii.len() / CLASSES - 1]);
    let samples = if quick { 100 } else { 600 };
    let mut means: [Vec<f64>; CLASSES] = Default::default();
    let mut all = 0.0;
    for _ in 0..samples {
        advance(&mut sim, if quick { 10 } else { 30 })?;
        let mut sums = [(0.0, 0.0); CLASSES];
        let agents = sim.agents();
        // Relative to the motion of all, which the heavy have the largest share of.
        let mass: f64 = agents.radius.iter().map(|radius| f64::from(*radius).powi(2)).sum();
        let drift = DVec2::from(agents.momentum()) / mass;
        for slot in 0..agents.len() {
            let agent = agents.get(slot);
            let class = limits.iter().position(|limit| agent.radius <= *limit);
            let velocity = agent.velocity.as_dvec2() - drift;
            let energy = f64::from(agent.radius).powi(2) / 2.0 * velocity.length_squared();
            let (sum, count) = &mut sums[class.unwrap_or(CLASSES - 1)];
            *sum += energy;
            *count += 1.0;
            all += energy / agents.len() as f64 / f64::from(samples);
        }
        for (means, (sum, count)) in means.iter_mut().zip(sums) {
            means.push(sum / count);
        }
    }
    let tolerance = if quick { 0.1 } else { 0.02 };
    let row = |(class, means): (usize, &Vec<f64>)| {
        let blocks: Vec<f64> = means
            .chunks(means.len() / 10)
            .map(|block| block.iter().sum::<f64>() / block.len() as f64)
            .collect();
        let case = format!("mixed: energy of radii up to {}", limits[class]);
        Estimate::of(&blocks).row(case, all, tolerance, "equipartition")
    };
    Ok(Checked { rows: means.iter().enumerate().map(row).collect(), curve: None })
}

/// A gas that loses energy, until its temperature is a tenth.
fn haff(quick: bool) -> Finished<Checked> {
    const ETA: f64 = 0.1;
    const RESTITUTION: f64 = 0.95;
    const MARKS: usize = 10;
    let seeds = if quick { 10 } else { 120 };
    let time = (10.0_f64.sqrt() - 1.0) * 4.0
        / ((1.0 - RESTITUTION * RESTITUTION) * theory::collision_rate(ETA));
    let mut ratios: [Vec<f64>; MARKS] = Default::default();
    for seed in 0..seeds {
        let setup = Setup {
            seed,
            ..gas(ETA, 400, Boundary::Periodic, Collisions::Swept, COLLISIONS_PER_STEP / 2.0)
        };
        let mut sim = Sim::new(&Setup { solver: Solver::Impulse, ..setup })?;
        advance(&mut sim, 500)?;
        sim.set_restitution(RESTITUTION as f32)?;
        let begun = temperature(&sim);
        let steps = (time / begun.sqrt() * f64::from(sim.setup().hz)) as u64;
        for ratios in &mut ratios {
            advance(&mut sim, steps / MARKS as u64)?;
            ratios.push(temperature(&sim) / begun);
        }
    }
    let tolerance = if quick { 0.1 } else { 0.03 };
    let marks = [0, MARKS / 2, MARKS - 1];
    let row = |mark: usize| {
        let at = time * (mark + 1) as f64 / MARKS as f64;
        let expected = theory::haff(RESTITUTION, theory::collision_rate(ETA), at);
        let case = format!("e 0.95: temperature after {at:.0} units");
        Estimate::of(&ratios[mark]).row(case, expected, tolerance, HAFF)
    };
    Ok(Checked { rows: marks.into_iter().map(row).collect(), curve: None })
}

/// Energy and momentum in a world without walls.
fn conservation(collisions: Collisions, quick: bool) -> Finished<Checked> {
    let agents = if quick { 2_000 } else { 16_384 };
    let mut sim = Sim::new(&gas(0.3, agents, Boundary::Periodic, collisions, COLLISIONS_PER_STEP))?;
    let impulse = |agents: &Agents| -> f64 {
        let speeds = agents.vx.iter().zip(&agents.vy).zip(&agents.radius);
        let each = speeds.map(|((vx, vy), radius)| f64::from(radius * radius * vx.hypot(*vy)));
        each.sum()
    };
    let (energy, [x, y]) = (sim.agents().kinetic_energy(), sim.agents().momentum());
    let total = impulse(sim.agents());
    let steps = if quick { 1_000 } else { 10_000 };
    advance(&mut sim, steps)?;
    let [end_x, end_y] = sim.agents().momentum();
    let name = |what| format!("{}, {steps} steps: {what}", collisions.name());
    let row = |case, measured, tolerance| row(case, measured, 0.0, tolerance, EXACT);
    let lost = sim.agents().kinetic_energy() / energy - 1.0;
    let drift = (end_x - x).hypot(end_y - y) / total;
    Ok(Checked {
        rows: vec![
            row(name("change of energy"), lost, 1e-5),
            row(name("of momentum"), drift, 1e-6),
        ],
        curve: None,
    })
}

/// The shares of a thin elastic gas in the quarters of a world with gravity, and its energy, with the
/// solver and the steps that `auto` takes.
fn atmosphere(quick: bool) -> Finished<Checked> {
    const QUARTERS: usize = 4;
    /// Height of the world, in heights through which the density falls to 1/e.
    const DEPTH: f64 = 2.5;
    let base = Setup {
        radius: [0.5; 2],
        density: 0.002,
        speed: 12.0,
        ..Setup::with_agents(Scene::Gas, if quick { 200 } else { 500 })
    };
    let height = f64::from(base.world().height()) - 1.0;
    // Without the fall, k·T/m would be v²/2; with it, it is a little more.
    let gravity = DEPTH * f64::from(base.speed).powi(2) / 2.0 / height;
    let base = Setup { gravity: gravity as f32, ..base };
    let mut sim = Sim::new(&Setup { hz: base.courant_hz(), ..base })?;
    let energy = |sim: &Sim| {
        let Agents { y, radius, .. } = sim.agents();
        let weights = radius.iter().zip(y).map(|(&r, &y)| f64::from(r * r) * f64::from(y));
        sim.agents().kinetic_energy() + gravity * weights.sum::<f64>()
    };
    let begun = energy(&sim);
    advance(&mut sim, 10_000)?;
    let kept = energy(&sim) / begun;
    let (mut shares, mut kt) = ([0.0; QUARTERS], 0.0);
    let samples = if quick { 1_000 } else { 10_000 };
    for _ in 0..samples {
        advance(&mut sim, 20)?;
        kt += temperature(&sim) / f64::from(samples);
        let each = 1.0 / (f64::from(samples) * sim.agents().len() as f64);
        for &y in &sim.agents().y {
            let quarter = (f64::from(y) - 0.5) / height * QUARTERS as f64;
            shares[(quarter as usize).min(QUARTERS - 1)] += each;
        }
    }
    let above = |quarter: usize| (-gravity * height * quarter as f64 / QUARTERS as f64 / kt).exp();
    let expected = |quarter| (above(quarter) - above(quarter + 1)) / (1.0 - above(QUARTERS));
    let tolerance = if quick { 0.15 } else { 0.03 };
    let energy = row("atmosphere: energy after 10000 steps".into(), kept, 1.0, 0.01, EXACT);
    let quarter = |quarter: usize| {
        let case = format!("atmosphere: share of quarter {} from below", quarter + 1);
        row(case, shares[quarter], expected(quarter), tolerance, BOLTZMANN)
    };
    let rows = std::iter::once(energy).chain((0..QUARTERS).map(quarter)).collect();
    Ok(Checked { rows, curve: None })
}

/// The pressure where the liquid is about to order.
fn plateau() -> Finished<Checked> {
    const BLOCKS: usize = 10;
    let agents = 128 * 128;
    let mut setup = gas(0.6, agents, Boundary::Periodic, Collisions::Swept, 0.2);
    setup.density = 0.7;
    let mut sim = Sim::new(&setup)?;
    advance(&mut sim, 60_000)?;
    let mut meter = Meter::new(&sim);
    let mut pressures = Vec::new();
    for _ in 0..BLOCKS {
        advance(&mut sim, 3_000)?;
        let reading = meter.read(&sim);
        pressures.push(pressure(&reading) / reading.temperature);
    }
    let case = format!("eta {:.3}, 128 x 128: pressure", covered(&sim));
    let rows = vec![Estimate::of(&pressures).row(case, 9.185, 0.01, KRAUTH)];
    Ok(Checked { rows, curve: None })
}
