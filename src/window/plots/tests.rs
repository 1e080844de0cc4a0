use super::*;
use crate::{
    Boundary,
    agents::{Agent, Agents},
    geometry::Rect,
    observe::Axis,
    scene::{Collisions, Scene, Setup, Start},
    sim::Measures,
    window::run_stats::RunStats,
};
use glam::Vec2;

/// All plots of a run, in sight.
fn all() -> Plots {
    let mut plots = Plots::default();
    for observable in Observable::plotted() {
        plots.toggle(observable);
    }
    plots.watch(true);
    plots
}

fn sample(plots: &mut Plots, sim: &mut Sim) {
    let stats = RunStats::measure(sim).unwrap();
    plots.sample(sim, &stats.figures);
}

fn step(plots: &mut Plots, sim: &mut Sim, steps: u32) {
    for _ in 0..steps {
        sim.step().unwrap();
        plots.follow(sim);
    }
}

fn observable(name: &str) -> Observable {
    Observable::plotted().find(|observable| observable.name() == name).unwrap()
}

fn plot<'a>(plots: &'a Plots, name: &str) -> &'a ShownPlot {
    plots.shown().iter().find(|plot| plot.observable == observable(name)).unwrap()
}

/// A lattice of discs of diameter 1 in the left half of a world of 40 × 20 that repeats, all with
/// one velocity.
fn stream() -> Sim {
    let mut agents = Agents::with_capacity(200);
    for id in 0..200 {
        let position = Vec2::new((id % 10) as f32, (id / 10) as f32) * Vec2::new(2.0, 1.0) + 0.5;
        agents.push(Agent { position, velocity: Vec2::new(0.0, 3.0), radius: 0.4, id });
    }
    let setup = Setup { boundary: Boundary::Periodic, ..Setup::with_agents(Scene::Gas, 200) };
    let world = Rect::from_size(40.0, 20.0);
    Sim::from_start(&setup, Start { world, agents, statics: Vec::new(), populated: 800.0 }).unwrap()
}

#[test]
fn a_stream_has_the_plots_that_are_known() {
    let (mut sim, mut plots) = (stream(), all());
    sample(&mut plots, &mut sim);
    step(&mut plots, &mut sim, 400);
    sample(&mut plots, &mut sim);
    let last = |name| plot(&plots, name).measured[0].last().map(|[_, value]| *value);
    let near = |one: f64, other: f64| (one - other).abs() < 1e-5 * other.abs().max(1.0);
    assert!(near(last("temperature").unwrap(), 0.5 * 0.16 * 9.0));
    assert!(near(last("pressure").unwrap(), 1.0), "a gas of points");
    assert_eq!(last("collisions"), Some(0.0));
    assert_eq!(last("free path"), None);
    // The rate of a gas decides how often they are looked at.
    let squares = &plot(&plots, "displacement").measured[0];
    assert!(squares.len() > 2, "{squares:?}");
    assert!(squares.iter().all(|[time, square]| (square - 9.0 * time * time).abs() < 1e-3));
    let left = &plot(&plots, "autocorrelation").measured[0];
    assert!(left.len() == squares.len() && left.iter().all(|[_, left]| near(*left, 1.0)));
    let [vx, vy] = &plot(&plots, "velocity x").measured;
    // Ten columns of agents, in ten of 40 strips.
    assert!(vx.len() == 10 && vx.iter().all(|[_, value]| *value == 0.0), "{vx:?}");
    assert!(vy.iter().all(|[_, value]| near(*value, 3.0)), "{vy:?}");
    assert_eq!(plot(&plots, "velocity y").measured[0].len(), 20);
    let covered = &plot(&plots, "density x").measured[0];
    let share = std::f64::consts::PI * 0.16;
    for (strip, [at, value]) in covered.iter().enumerate() {
        let expected = if strip % 2 == 0 && strip < 20 { share } else { 0.0 };
        assert!(near(*value, expected) && *at == strip as f64 + 0.5, "{at}: {value}");
    }
    // Diameters of 0.8 in bins of 0.05: the nearest are 1 apart, and what is faded stays as it was.
    let g = &plot(&plots, "g(r)").measured[0];
    assert!(g.iter().take(19).all(|[_, g]| *g == 0.0), "{g:?}");
    assert!(g[19][1] + g[20][1] > 10.0, "{g:?}");
}

#[test]
fn a_gas_has_the_plots_of_theory() {
    let setup = Setup {
        collisions: Collisions::Swept,
        boundary: Boundary::Periodic,
        density: 0.2,
        ..Setup::with_agents(Scene::Gas, 4_000)
    };
    let (mut sim, mut plots) = (Sim::new(&setup).unwrap(), all());
    step(&mut plots, &mut sim, 120);
    for _ in 0..4 {
        sample(&mut plots, &mut sim);
        step(&mut plots, &mut sim, 100);
    }
    sample(&mut plots, &mut sim);
    for (name, most) in [
        ("temperature", 1e-3),
        ("pressure", 0.02),
        ("collisions", 0.03),
        ("free path", 0.03),
        ("density x", 0.3),
        ("displacement", 0.15),
        ("autocorrelation", 0.1),
    ] {
        let ShownPlot { measured, expected, .. } = plot(&plots, name);
        assert!(measured[0].len() >= 4 && expected.len() >= 4, "{name}");
        let pairs = measured[0].iter().rev().zip(expected.iter().rev());
        for ([at, value], [when, theory]) in pairs {
            assert_eq!(at, when, "{name}");
            let unit = if name == "autocorrelation" { 1.0 } else { theory.abs() };
            let off = (value - theory).abs();
            // Values a little above 0 are noise.
            let early = name == "displacement" && *theory < 1e-9;
            assert!(early || off <= most * unit, "{name} at {at}: {value} {theory}");
        }
    }
    let order = plot(&plots, "order").measured[0].last().unwrap()[1];
    assert!(order < 0.1, "{order}");
    let g = &plot(&plots, "g(r)").measured[0];
    let far: f64 = g.iter().skip(40).map(|[_, g]| g / 24.0).sum();
    assert!((far - 1.0).abs() < 0.05, "{far}");
    assert!(plot(&plots, "g(r)").expected.is_empty(), "radii differ");
}

#[test]
fn equal_discs_touch_as_often_as_theory_has_it() {
    let setup = Setup { radius: [0.5; 2], density: 0.3, ..Setup::with_agents(Scene::Gas, 3_000) };
    // In short steps, so that few pairs are about to collide late.
    let setup =
        Setup { boundary: Boundary::Periodic, collisions: Collisions::Swept, hz: 600.0, ..setup };
    let (mut sim, mut plots) = (Sim::new(&setup).unwrap(), all());
    step(&mut plots, &mut sim, 400);
    for _ in 0..20 {
        step(&mut plots, &mut sim, 40);
        sample(&mut plots, &mut sim);
    }
    let ShownPlot { measured, expected, .. } = plot(&plots, "g(r)");
    let touching = expected.last().unwrap()[1];
    let g = measured[0].iter().find(|[at, _]| *at > 1.0).unwrap()[1];
    // The bin reaches a sixteenth of a diameter beyond the contact, where g has fallen by a
    // twentieth.
    assert!((0.85..1.02).contains(&(g / touching)), "{g} {touching}");
    assert!(measured[0].iter().take(14).all(|[_, g]| *g < 0.01), "{:?}", measured[0]);
}

#[test]
fn what_is_not_shown_is_not_measured() {
    let (mut sim, mut plots) = (stream(), all());
    plots.watch(false);
    sample(&mut plots, &mut sim);
    assert!(plots.lags.is_none() && plots.meter.is_none() && plots.radial.is_none());
    plots.watch(true);
    sample(&mut plots, &mut sim);
    assert!(plots.lags.is_some() && plots.radial.is_some());
    for observable in Observable::plotted() {
        plots.toggle(observable);
    }
    assert_eq!(plots.names(&sim), "none");
    assert!(plots.lags.is_none() && plots.meter.is_none() && plots.radial.is_none());
    plots.toggle(observable("temperature"));
    sample(&mut plots, &mut sim);
    step(&mut plots, &mut sim, 3);
    sample(&mut plots, &mut sim);
    assert!(plots.lags.is_none() && plots.radial.is_none());
    assert_eq!(plot(&plots, "temperature").measured[0].len(), 2);
    plots.restart();
    assert!(plot(&plots, "temperature").measured[0].is_empty());
}

#[test]
fn a_sample_is_like_the_whole() {
    let setup = Setup { radius: [0.5; 2], ..Setup::with_agents(Scene::Gas, 30_000) };
    let mut sim = Sim::new(&setup).unwrap();
    (0..30).for_each(|_| sim.step().unwrap());
    let [whole, part] = [1, 10].map(|every| {
        let mut radial = RadialDistribution::new(0.1, 40);
        radial.add_of(&sim, every);
        (radial.curve().collect::<Vec<_>>(), profile_of(&sim, Axis::Y, 10, every))
    });
    for ([at, one], [_, other]) in whole.0.iter().zip(&part.0).skip(12) {
        assert!((one - other).abs() < 0.15, "{at}: {one} {other}");
    }
    for (one, other) in whole.1.iter().zip(&part.1) {
        assert!((one.density / other.density - 1.0).abs() < 0.15, "{one:?} {other:?}");
        assert!((one.covered / other.covered - 1.0).abs() < 0.15, "{one:?} {other:?}");
    }
    let ValueSource::Number(order) = observable("order").source else { panic!("no number") };
    let [whole, part] = [1, 10].map(|every| {
        order(&RunSample {
            sim: &sim,
            measures: Measures::default(),
            reading: None,
            every,
            cooled: 0.0,
        })
    });
    assert!(whole < 0.05 && part < 0.08, "{whole} {part}");
}
