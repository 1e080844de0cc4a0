//! Physics: conservation laws, the statistics of a gas, falls, and piles that come to rest.

use jostle::{Scene, Setup, Sim, Vec2};
use rayon::ThreadPoolBuilder;

fn run(sim: &mut Sim, steps: u32) {
    (0..steps).for_each(|_| sim.step().expect("there is memory"));
}

/// Mean of v², square world units per square second.
fn mean_square_speed(sim: &Sim) -> f64 {
    let squares = sim.agents().vx.iter().zip(&sim.agents().vy);
    let sum: f64 = squares.map(|(&vx, &vy)| f64::from(vx).powi(2) + f64::from(vy).powi(2)).sum();
    sum / sim.agents().len() as f64
}

#[test]
fn a_gas_keeps_its_energy_and_stays_in_its_world() {
    let setup = Setup { agents: 20_000, ..Setup::new(Scene::Gas) };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    let energy = sim.agents().kinetic_energy();
    run(&mut sim, 10_000);
    let drift = sim.agents().kinetic_energy() / energy - 1.0;
    assert!(drift.abs() < 1e-5, "the energy drifted by {drift:e}");
    let (agents, world) = (sim.agents(), sim.world());
    for slot in 0..agents.len() {
        let agent = agents.get(slot);
        assert!(agent.velocity.is_finite());
        assert!(world.expanded(-agent.radius).contains(agent.position), "{agent:?}");
    }
}

#[test]
fn away_from_walls_momentum_is_kept() {
    let setup = Setup { agents: 5_000, ..Setup::new(Scene::Burst) };
    let mut sim = Sim::new(&setup).expect("a burst can be placed");
    let before = sim.agents().momentum();
    run(&mut sim, 60);
    let agents = sim.agents();
    assert!(sim.counters().collisions > 5_000, "they do collide");
    let mut sum = 0.0;
    for slot in 0..agents.len() {
        let agent = agents.get(slot);
        let room = sim.world().expanded(-2.0 * agent.radius);
        assert!(room.contains(agent.position), "no wall is in reach");
        sum += f64::from(agent.radius * agent.radius * agent.velocity.length());
    }
    let after = agents.momentum();
    let lost = (after[0] - before[0]).hypot(after[1] - before[1]) / sum;
    assert!(lost < 1e-6, "momentum changed by {lost:e} of the sum of |p|");
}

/// Pairs are resolved in an order, but no wall draws a dense gas because of it.
#[test]
fn a_dense_gas_does_not_lean_on_a_wall() {
    let setup = Setup { agents: 2_000, radius: [1.0; 2], density: 0.7, ..Setup::new(Scene::Gas) };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    run(&mut sim, 1_000);
    let (world, mut center) = (sim.world(), [0.0; 2]);
    for _ in 0..20 {
        run(&mut sim, 100);
        let agents = sim.agents();
        for (center, column) in center.iter_mut().zip([&agents.x, &agents.y]) {
            let sum: f64 = column.iter().map(|&at| f64::from(at)).sum();
            *center += sum / agents.len() as f64 / 20.0;
        }
    }
    for (axis, center) in center.into_iter().enumerate() {
        let [low, high] = [world.min, world.max].map(|corner| f64::from(corner[axis]));
        let share = (center - low) / (high - low);
        assert!((share - 0.5).abs() < 0.003, "axis {axis}: the center is at {share} of the world");
    }
}

/// Equal discs that start with uniform speeds relax to the Maxwell-Boltzmann distribution, in which
/// v² is exponentially distributed in two dimensions, and collide at Enskog's rate: ν =
/// 2·d·n·χ·√(π·kT/m) per agent and second, with χ = (1 − 7φ/16) / (1 − φ)² (Henderson, 1975).
#[test]
fn a_gas_of_equal_discs_has_the_statistics_of_a_gas() {
    let share = 0.2;
    let setup = Setup {
        agents: 20_000,
        radius: [1.0, 1.0],
        density: share,
        hz: 480.0,
        ..Setup::new(Scene::Gas)
    };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    let below = |sim: &Sim, times: f64| {
        let limit = times * mean_square_speed(sim);
        let speeds = sim.agents().vx.iter().zip(&sim.agents().vy);
        let slow = speeds.filter(|&(&vx, &vy)| f64::from(vx * vx + vy * vy) < limit).count();
        slow as f64 / sim.agents().len() as f64
    };
    let worst = |sim: &Sim| {
        let quantiles = [0.1_f64, 0.3, 0.7, 1.0, 1.5, 2.5, 4.0];
        let off = quantiles.map(|times| (below(sim, times) - (1.0 - (-times).exp())).abs());
        off.into_iter().fold(0.0, f64::max)
    };
    assert!(worst(&sim) > 0.1, "the start is far from equilibrium: {}", worst(&sim));
    let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    pool.install(|| run(&mut sim, 4_000));
    // Four standard deviations of a share of 20,000.
    assert!(worst(&sim) < 0.015, "the speeds are off by {}", worst(&sim));

    let before = sim.counters().collisions;
    let steps = 2_000;
    pool.install(|| run(&mut sim, steps));
    let counted = (sim.counters().collisions - before) as f64;

    let area = f64::from(sim.world().width()) * f64::from(sim.world().height());
    let agents = f64::from(setup.agents);
    let (diameter, density) = (2.0, agents / area);
    let enhancement = (1.0 - 7.0 * share_of(&sim) / 16.0) / (1.0 - share_of(&sim)).powi(2);
    let temperature = mean_square_speed(&sim) / 2.0;
    let rate = 2.0 * diameter * density * enhancement * (std::f64::consts::PI * temperature).sqrt();
    let seconds = f64::from(steps) / f64::from(setup.hz);
    let expected = rate * agents / 2.0 * seconds;
    let off = counted / expected - 1.0;
    assert!(
        off.abs() < 0.05,
        "{counted} collisions, {:+.2} % off Enskog's {expected}",
        off * 100.0
    );
}

/// Share of the world that the discs cover.
fn share_of(sim: &Sim) -> f64 {
    let squares: f64 = sim.agents().radius.iter().map(|&radius| f64::from(radius).powi(2)).sum();
    squares * std::f64::consts::PI
        / (f64::from(sim.world().width()) * f64::from(sim.world().height()))
}

/// Restitution below 1 removes energy, and a gas without gravity never gains any.
#[test]
fn soft_collisions_cool_a_gas() {
    let setup = Setup { agents: 2_000, restitution: 0.8, ..Setup::new(Scene::Gas) };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    let mut energy = sim.agents().kinetic_energy();
    for _ in 0..10 {
        run(&mut sim, 30);
        let cooler = sim.agents().kinetic_energy();
        assert!(cooler < energy);
        energy = cooler;
    }
}

/// A disc falls with constant acceleration, and a wall returns a share of its speed: the
/// restitution.
#[test]
fn a_fall_takes_the_time_it_should() {
    let setup = Setup {
        agents: 1,
        world: Some(Vec2::new(10.0, 1_000.0)),
        gravity: 10.0,
        speed: 0.0,
        restitution: 0.5,
        ..Setup::new(Scene::Gas)
    };
    let mut sim = Sim::new(&setup).expect("one agent can be placed");
    let height = f64::from(sim.agents().y[0] - sim.agents().radius[0]);
    let mut fastest = 0.0_f64;
    while sim.agents().vy[0] <= 0.0 {
        fastest = fastest.max(f64::from(-sim.agents().vy[0]));
        run(&mut sim, 1);
    }
    let expected = (2.0 * 10.0 * height).sqrt();
    assert!((fastest / expected - 1.0).abs() < 0.01, "{fastest} at the floor, {expected} expected");
    let back = f64::from(sim.agents().vy[0]) / fastest;
    assert!((back - 0.5).abs() < 0.01, "the floor gave back {back}");
}

/// How far agents are from the middle, to the left or to the right, as shares of the world's width.
fn from_middle(sim: &Sim) -> Vec<f64> {
    let (middle, width) = (f64::from(sim.world().center().x), f64::from(sim.world().width()));
    sim.agents().x.iter().map(|&x| (f64::from(x) - middle) / width).collect()
}

/// Agents that fall through rows of pegs end up in the bins in a normal distribution.
#[test]
fn pegs_make_a_bell_curve() {
    let setup = Setup { agents: 1_000, ..Setup::new(Scene::Pegs) };
    let mut sim = Sim::new(&setup).expect("the board can be made");
    let n = f64::from(setup.agents);
    ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .expect("threads")
        .install(|| run(&mut sim, 3_600));
    let bins = 0.26 * sim.world().height();
    let above = sim.agents().y.iter().filter(|&&y| y >= bins).count();
    assert_eq!(above, 0, "all have come down");
    let from_middle = from_middle(&sim);
    let mean = from_middle.iter().sum::<f64>() / n;
    let moment = |k: i32| from_middle.iter().map(|x| (x - mean).powi(k)).sum::<f64>() / n;
    let deviation = moment(2).sqrt();
    assert!(mean.abs() < 0.02, "symmetric: the mean is {mean} of the width beside the middle");
    assert!((0.04..0.2).contains(&deviation), "{deviation} of the width");
    let skew = moment(3) / deviation.powi(3);
    assert!(skew.abs() < 0.4, "symmetric: {skew}");
    let within = |k: f64| {
        from_middle.iter().filter(|x| (*x - mean).abs() < k * deviation).count() as f64 / n
    };
    for (k, expected, about) in [(0.5, 0.383, 0.08), (1.0, 0.683, 0.07), (2.0, 0.954, 0.03)] {
        let share = within(k);
        assert!((share - expected).abs() < about, "{share} within {k} deviations, not {expected}");
    }
}

/// A stream of agents does not run down straight gaps between the pegs and pile up where these end.
#[test]
fn a_stream_makes_a_bell_curve_too() {
    let setup = Setup { agents: 5_000, ..Setup::new(Scene::Pegs) };
    let mut sim = Sim::new(&setup).expect("the board can be made");
    ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .expect("threads")
        .install(|| run(&mut sim, 1_900));
    let mut bins = [[0; 2]; 8];
    for x in from_middle(&sim) {
        let side = usize::from(x > 0.0);
        bins[((x.abs() * 30.0) as usize).min(7)][side] += 1;
    }
    let both = bins.map(|[left, right]| left + right);
    assert!(both[..7].is_sorted_by(|nearer, farther| nearer > farther), "it falls: {both:?}");
    assert!(both[0] > 2 * both[3] && both[3] > 2 * both[6], "by more and more: {both:?}");
    for [left, right] in bins.into_iter().take(4).map(|bin| bin.map(f64::from)) {
        assert!((left / right - 1.0).abs() < 0.25, "to both sides alike: {bins:?}");
    }
}
