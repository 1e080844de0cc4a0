//! The cases of rules: a fluid of Lennard and Jones keeps its energy and its momentum, and an
//! epidemic among agents that mix follows the equations of the mean field.

use super::{
    cases::{CheckCase, Checked},
    gas::{Finished, advance},
    row::{Estimate, row},
};
use crate::{Setup, Sim, world::WorldPlan};

const EXACT: &str = "conservation";
const KERMACK: &str = "Kermack & McKendrick 1927";

/// All cases. Quick ones are small, and their tolerances wide.
pub(super) fn all(quick: bool) -> Vec<CheckCase> {
    vec![Box::new(move || lennard_jones(quick)), Box::new(move || epidemic(quick))]
}

/// The run of a world file that is correct.
fn run(text: &str, seed: u64) -> Finished<Sim> {
    let plan = WorldPlan::read("check", text, &[], None).expect("the worlds of checks are correct");
    let setup = Setup { seed, ..plan.setup.clone() };
    let mut sim = Sim::from_start(&setup, plan.start()?)?;
    sim.set_rules(plan.rules)?;
    Ok(sim)
}

/// The mean of an own column.
fn mean(sim: &Sim, column: usize) -> f64 {
    let numbers = sim.agents().own.as_ref().and_then(|own| own.numbers.get(column));
    let values = numbers.map_or(&[][..], |column| &column.values);
    values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len().max(1) as f64
}

/// Energy and momentum of a fluid. The potential is cut at 2.5 and shifted there; a step is a kick
/// and a drift, so the energy at the positions of a step has the mean of the kinetic energies
/// before and after its kick.
fn lennard_jones(quick: bool) -> Finished<Checked> {
    const BLOCK: u64 = 200;
    let steps = if quick { 2_000 } else { 10_000 };
    let text = r#"
        world = { size = [36, 36], boundary = "periodic", radius = 0.5, speed = 1, hz = 500, collisions = false }
        columns = { energy = 0 }
        [[group]]
        agents = 784
        lattice = [0, 0, 36, 36]
        [pair.atoms]
        range = 2.5
        let.q = "1 / r2"
        let.q3 = "q * q * q"
        let.f = "24 * q * q3 * (1 - 2 * q3)"
        sum = { fx = "f * dx", fy = "f * dy", u = "4 * q3 * (q3 - 1) + 0.016316891" }
        [agent]
        acceleration = ["fx", "fy"]
        let.wx = "vx + fx * dt"
        let.wy = "vy + fy * dt"
        set.energy = "0.5 * u + 0.25 * (vx*vx + vy*vy + wx*wx + wy*wy)"
    "#;
    let mut sim = run(text, 1)?;
    // The lattice melts, and the discarded sum of the drawn velocities is taken as the momentum.
    advance(&mut sim, 1_000)?;
    let block = |sim: &mut Sim| {
        let mut sum = 0.0;
        for _ in 0..BLOCK {
            advance(sim, 1)?;
            sum += mean(sim, 0);
        }
        Finished::Ok(sum / BLOCK as f64)
    };
    let energy = block(&mut sim)?;
    let momentum = sim.agents().momentum();
    advance(&mut sim, steps - BLOCK)?;
    let [px, py] = sim.agents().momentum();
    let kept = (px - momentum[0]).abs().max((py - momentum[1]).abs());
    // The sum of the sizes of all momenta, in an ideal gas of that temperature.
    let count = sim.agents().len() as f64;
    let mass = f64::from(sim.agents().radius[0]).powi(2);
    let all = (2.0 * sim.agents().kinetic_energy() * mass * count).sqrt();
    let drift = (block(&mut sim)? - energy) / energy.abs();
    let row = |what: &str, measured, within| {
        row(format!("Lennard-Jones, {steps} steps: {what}"), measured, 0.0, within, EXACT)
    };
    let rows = vec![
        row("drift of the energy, as a share", drift, 1e-4),
        row("change of the momentum, as a share", kept / all, 1e-6),
    ];
    Ok(Checked { rows, curve: None })
}

/// The largest share of infected, and the share of recovered at the end, of agents that are
/// elsewhere in each step: the mean field step by step.
fn epidemic(quick: bool) -> Finished<Checked> {
    const STEPS: u64 = 900;
    const RANGE: f64 = 2.0;
    const SIDE: f64 = 100.0;
    const DT: f64 = 1.0 / 60.0;
    const INFECTIVITY: f64 = 0.1;
    const RECOVERY: f64 = 1.0;
    let (agents, runs) = if quick { (4_000, 3) } else { (20_000, 8) };
    let infected = agents / 50;
    let text = format!(
        r#"
        world = {{ size = [{SIDE}, {SIDE}], boundary = "periodic", radius = 0.1, collisions = false }}
        species = {{ susceptible = 1, infected = 0, recovered = 0 }}
        [[group]]
        agents = {}
        rectangle = [0, 0, {SIDE}, {SIDE}]
        species = "susceptible"
        [[group]]
        agents = {infected}
        rectangle = [0, 0, {SIDE}, {SIDE}]
        species = "infected"
        [pair.contagion]
        between = ["susceptible", "infected"]
        range = {RANGE}
        sum.near = "1"
        [agent]
        velocity = ["1500 * (random(3) - 0.5)", "1500 * (random(4) - 0.5)"]
        [agent.susceptible]
        becomes.infected = "random(1) < {} * near * dt"
        [agent.infected]
        becomes.recovered = "random(2) < {RECOVERY} * dt"
        "#,
        agents - infected,
        INFECTIVITY * 20_000.0 / f64::from(agents),
    );
    let all = f64::from(agents);
    let share = |sim: &Sim, which: usize| {
        let species = sim.agents().own.as_ref().and_then(|own| own.species.as_deref());
        let count =
            species.unwrap_or_default().iter().filter(|&&one| usize::from(one) == which).count();
        count as f64 / all
    };
    let (mut peaks, mut ends) = (Vec::new(), Vec::new());
    for seed in 0..runs {
        let mut sim = run(&text, seed)?;
        let mut peak: f64 = 0.0;
        for _ in 0..STEPS {
            advance(&mut sim, 1)?;
            peak = peak.max(share(&sim, 1));
        }
        peaks.push(peak);
        ends.push(share(&sim, 2));
    }
    let near = std::f64::consts::PI * RANGE * RANGE * 20_000.0 / (SIDE * SIDE);
    let (mut s, mut i, mut most) =
        (1.0 - f64::from(infected) / all, f64::from(infected) / all, 0.0);
    let begun = 1.0 - (s + i);
    for _ in 0..STEPS {
        let (caught, left) = (s * INFECTIVITY * near * i * DT, i * RECOVERY * DT);
        (s, i) = (s - caught, i + caught - left);
        most = f64::max(most, i);
    }
    let within = if quick { 0.08 } else { 0.02 };
    let row = |values: &[f64], what: &str, expected| {
        let case = format!("epidemic of {agents}: {what}");
        Estimate::of(values).row(case, expected, within, KERMACK)
    };
    let rows = vec![
        row(&peaks, "largest share of infected", most),
        row(&ends, "share of recovered", 1.0 - s - i - begun),
    ];
    Ok(Checked { rows, curve: None })
}
