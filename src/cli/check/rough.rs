//! The cases of rough discs: what slides comes to roll, pairs keep their angular momentum, heaps
//! stand, and columns collapse as far as those of grains.

use glam::Vec2;

use super::{
    cases::{CheckCase, Checked},
    gas::{Finished, advance},
    row::{CheckRow, row},
};
use crate::{
    Agent, Agents, Rect, Scene, Setup, Sim, Static,
    agents::{OwnColumn, OwnColumns, Spawn},
    rng::Rng,
    scene::{Collisions, Solver, Start},
};

const COULOMB: &str = "Coulomb's law, inertia m r^2/2";
const MOMENTUM: &str = "conservation";
const LUBE: &str = "Lube et al. 2005, Lajeunesse et al. 2005";
const HEAPS: &str = "heaps stand";

const GRAVITY: f32 = 10.0;
const RADIUS: f32 = 0.5;

/// All cases. Quick ones are small, and their tolerances wide.
pub(super) fn all(quick: bool) -> Vec<CheckCase> {
    let mut all: Vec<CheckCase> = Vec::new();
    for solver in [Solver::Contact, Solver::Impulse] {
        all.push(Box::new(move || slides(solver)));
    }
    all.push(Box::new(slope));
    for (solver, collisions) in
        [(Solver::Impulse, Collisions::Swept), (Solver::Contact, Collisions::Overlap)]
    {
        all.push(Box::new(move || angular_momentum(solver, collisions)));
    }
    all.push(Box::new(move || heaps(quick)));
    let aspects: &[f32] = if quick { &[1.0] } else { &[0.7, 1.4, 3.0, 6.0] };
    for &aspect in aspects {
        all.push(Box::new(move || collapse(aspect, quick)));
    }
    all
}

/// Rough discs that do not bounce.
fn rough(friction: f32) -> Setup {
    let gas = Setup::new(Scene::Gas);
    Setup { friction, restitution: 0.0, gravity: GRAVITY, hz: 60.0, ..gas }
}

/// A disc: center, velocity, radius, spin.
type SpinningDisc = (Vec2, Vec2, f32, f32);

/// A run of some discs in a world of that size.
fn run(setup: &Setup, size: Vec2, discs: &[SpinningDisc], statics: Vec<Static>) -> Finished<Sim> {
    let mut agents = Agents::default();
    for (id, &(position, velocity, radius, _)) in (0..).zip(discs) {
        agents.push(Agent { position, velocity, radius, id });
    }
    let spins = discs.iter().map(|&(.., spin)| spin).collect();
    let own = OwnColumns::new().with_numbers(OwnColumn::new("spin", 0.0, spins));
    agents.own = Some(Box::new(own));
    let populated = f64::from(size.x) * f64::from(size.y);
    let setup = Setup { agents: (discs.len() as u32).max(1), ..setup.clone() };
    let world = Rect::new(Vec2::ZERO, size);
    Ok(Sim::from_start(&setup, Start { world, agents, statics, populated })?)
}

/// The agent with an id, and its spin.
fn disc(sim: &Sim, id: u32) -> (Agent, f32) {
    let slot = sim.slot_of(id).unwrap_or_default();
    (sim.agents().get(slot), sim.agents().spins().map_or(0.0, |spins| spins[slot]))
}

/// A disc that is set down sliding: it is slowed by μ·g, and rolls at ⅔ of its speed from v/(3·μ·g)
/// on.
fn slides(solver: Solver) -> Finished<Checked> {
    const SPEED: f32 = 12.0;
    let mut rows = Vec::new();
    for friction in [0.05, 0.1, 0.3, 0.5, 1.0] {
        let setup = Setup { solver, ..rough(friction) };
        let start = (Vec2::new(2.0, RADIUS), Vec2::new(SPEED, 0.0), RADIUS, 0.0);
        let mut sim = run(&setup, Vec2::new(500.0, 20.0), &[start], vec![])?;
        let until = SPEED / (3.0 * friction * GRAVITY);
        let half = (0.5 * until * setup.hz) as u64;
        advance(&mut sim, half)?;
        let seconds = (SPEED - disc(&sim, 0).0.velocity.x) / (friction * GRAVITY);
        advance(&mut sim, half + 60)?;
        let share = disc(&sim, 0).0.velocity.x / SPEED;
        let name = |what: &str| format!("{}, friction {friction}: {what}", solver.name());
        let expected = half as f64 / f64::from(setup.hz);
        rows.extend([
            row(name("seconds of slide"), seconds.into(), expected, 0.005, COULOMB),
            row(name("share that rolls on"), share.into(), 2.0 / 3.0, 0.005, COULOMB),
        ]);
    }
    Ok(Checked { rows, curve: None })
}

/// A disc on a slope of the angle θ rolls with ⅔·g·sin θ up to tan θ = 3·μ, and slips beyond. The
/// slope is the side of a disc so large that the angle changes by little.
fn slope() -> Finished<Checked> {
    const LARGE: f32 = 400.0;
    const STEPS: u64 = 60;
    let mut rows = Vec::new();
    for (angle, friction) in [(0.3_f32, 0.2_f32), (0.6, 0.3), (0.6, 0.1), (0.9, 0.2)] {
        let middle = Vec2::splat(LARGE + 1.0);
        let out = Vec2::new(angle.sin(), angle.cos());
        let at = middle + out * (LARGE + RADIUS);
        let setup = Setup { sleep: false, ..rough(friction) };
        let below = Static::disc(middle, LARGE);
        let size = Vec2::splat(2.0 * LARGE + 10.0);
        let mut sim = run(&setup, size, &[(at, Vec2::ZERO, RADIUS, 0.0)], vec![below])?;
        let begun = disc(&sim, 0).0.velocity.length();
        advance(&mut sim, STEPS)?;
        let gained = disc(&sim, 0).0.velocity.length() - begun;
        let rolls = angle.tan() <= 3.0 * friction;
        let pull = if rolls { angle.sin() / 1.5 } else { angle.sin() - friction * angle.cos() };
        let expected = f64::from(GRAVITY * pull) * STEPS as f64 / f64::from(setup.hz);
        let what = if rolls { "rolls" } else { "slips" };
        let case = format!("slope {angle}, friction {friction}: {what}, speed after 1 s");
        rows.push(row(case, gained.into(), expected, 0.02, COULOMB));
    }
    Ok(Checked { rows, curve: None })
}

/// The mean change of the angular momentum of a pair that meets, as a share of its parts: what is left
/// is the rounding of velocities and places.
fn angular_momentum(solver: Solver, collisions: Collisions) -> Finished<Checked> {
    let pairs = 1_000;
    let total = |sim: &Sim| {
        let parts = [0, 1].map(|id| {
            let (Agent { position, velocity, radius, .. }, spin) = disc(sim, id);
            let mass = f64::from(radius * radius);
            let orbit = mass * position.as_dvec2().perp_dot(velocity.as_dvec2());
            [orbit, 0.5 * mass * mass * f64::from(spin)]
        });
        let all = parts.as_flattened();
        [all.iter().sum::<f64>(), all.iter().map(|part| part.abs()).sum()]
    };
    let mut rng = Rng::new(5);
    let mut sum: f64 = 0.0;
    for _ in 0..pairs {
        let radii = [rng.between(0.3, 2.0), rng.between(0.3, 2.0)];
        let (along, reach) = (rng.direction(), radii[0] + radii[1]);
        let aside = along.perp() * rng.between(-0.8, 0.8) * reach;
        // In many steps, the places would be rounded by more; and walls must be too far to be met.
        let (first, speed) = (Vec2::splat(20.0), rng.between(5.0, 15.0));
        let second = first + along * (reach + 0.1) + aside;
        let spins = [rng.between(-9.0, 9.0), rng.between(-9.0, 9.0)];
        let discs =
            [(first, along * speed, radii[0], spins[0]), (second, Vec2::ZERO, radii[1], spins[1])];
        let setup = Setup {
            gravity: 0.0,
            restitution: rng.between(0.2, 1.0),
            solver,
            collisions,
            rolling: 0.1,
            ..rough(0.5)
        };
        let mut sim = run(&setup, Vec2::splat(40.0), &discs, vec![])?;
        let [before, size] = total(&sim);
        advance(&mut sim, (reach / speed * setup.hz) as u64 + 2)?;
        sum += (total(&sim)[0] - before).abs() / size;
    }
    let name = if collisions == Collisions::Swept { "swept" } else { solver.name() };
    let case = format!("{name}, {pairs} rough pairs: change of angular momentum");
    Ok(Checked { rows: vec![row(case, sum / f64::from(pairs), 0.0, 1e-6, MOMENTUM)], curve: None })
}

/// Heaps that are poured: the slope grows with friction, and stays.
fn heaps(quick: bool) -> Finished<Checked> {
    let (discs, seconds) = if quick { (240, 6) } else { (900, 60) };
    let mut rows = Vec::new();
    let mut slopes = Vec::new();
    for friction in [0.1, 0.3, 0.6] {
        let setup = Setup { rolling: 0.1, spare_agents: discs, ..rough(friction) };
        let mut sim = run(&setup, Vec2::new(240.0, 60.0), &[], vec![])?;
        let mut rng = Rng::new(1);
        for _ in 0..discs / 3 {
            let top = 4.0 + sim.agents().y.iter().fold(0.0_f32, |most, &y| most.max(y));
            let mut spawn = |at: f32| {
                // Discs that fall exactly onto each other stand as a tower.
                let place = Vec2::new(120.0 + at * 1.4 + rng.between(-0.08, 0.08), top.min(58.0));
                Spawn::new(place, Vec2::new(0.0, -2.0), rng.between(0.4, 0.6))
            };
            sim.spawn(&[-1.0, 0.0, 1.0].map(&mut spawn))?;
            advance(&mut sim, 40)?;
        }
        // The last avalanches of what was poured take up to ten seconds.
        advance(&mut sim, 900)?;
        let poured = heap_slope(&sim);
        advance(&mut sim, 60 * seconds)?;
        let stays = heap_slope(&sim) / poured;
        let case = format!("heap, friction {friction}: slope after {seconds} s, as a share");
        rows.push(row(case, stays, 1.0, 0.05, HEAPS));
        rows.push(CheckRow {
            tolerance: None,
            ..row(format!("heap, friction {friction}: tan of the slope"), poured, 0.0, 0.0, HEAPS)
        });
        slopes.push(poured);
    }
    let grows = slopes.windows(2).filter(|pair| pair[1] > pair[0]).count();
    rows.push(row(
        "heaps: times that more friction is steeper".into(),
        grows as f64,
        2.0,
        0.0,
        HEAPS,
    ));
    Ok(Checked { rows, curve: None })
}

/// The slope of a heap from its mean height and its spread: a triangle of the height h over the half
/// base b has the mean height h/3, and its centers the variance b²/6.
fn heap_slope(sim: &Sim) -> f64 {
    let Agents { x, y, .. } = sim.agents();
    let count = x.len() as f64;
    let mean = |values: &[f32]| values.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let (middle, height) = (mean(x), mean(y));
    let spread = x.iter().map(|&x| (f64::from(x) - middle).powi(2)).sum::<f64>() / count;
    3.0 * height / (6.0 * spread).sqrt()
}

/// A column at a wall that collapses when the wall before it goes: how far it runs out, as a share of
/// its width. The measured grains have corners: rolling resistance stands for them, and round discs
/// run out twice as far.
fn collapse(aspect: f32, quick: bool) -> Finished<Checked> {
    let discs = if quick { 400.0 } else { 2_000.0 };
    // Discs cover about 0.82 of a random packing.
    let area = discs * std::f32::consts::PI * 0.25 / 0.82;
    let width = (area / aspect).sqrt();
    let height = aspect * width;
    let setup = Setup { rolling: 0.4, ..rough(0.5) };
    let size = Vec2::new(width * (2.0 + 4.0 * aspect), height * 1.6 + 4.0);
    let wall = Static::Box(Rect::new(Vec2::new(width, 0.0), Vec2::new(width + 1.0, size.y)));
    let mut rng = Rng::new(3);
    let mut column = Vec::new();
    let mut at = Vec2::splat(0.62);
    while column.len() < discs as usize {
        if at.x > width - 0.6 {
            at = Vec2::new(0.62, at.y + 1.2);
        }
        column.push((at + rng.direction() * 0.01, Vec2::ZERO, rng.between(0.4, 0.6), 0.0));
        at.x += 1.22;
    }
    let mut sim = run(&setup, size, &column, vec![wall])?;
    advance(&mut sim, 600)?;
    let top = quantile(&sim.agents().y, 0.99) + RADIUS;
    sim.remove_statics(&[0]);
    advance(&mut sim, 1_800)?;
    let front = quantile(&sim.agents().x, 0.99) + RADIUS;
    let aspect = top / width;
    let expected = if aspect < 2.0 { 1.2 * aspect } else { 1.9 * aspect.powf(2.0 / 3.0) };
    let case = format!("column {aspect:.2} high: run-out");
    let (ran, within) = ((front - width) / width, if quick { 0.4 } else { 0.25 });
    Ok(Checked { rows: vec![row(case, ran.into(), expected.into(), within, LUBE)], curve: None })
}

/// The value that a share of all values is below.
fn quantile(values: &[f32], share: f64) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}
