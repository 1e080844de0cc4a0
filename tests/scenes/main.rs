//! Scenes: names, the properties of their starts, and set-ups that they reject.

mod any;
mod cannon;
mod check;
mod crystal;
mod promises;
mod refusals;

use check::{check, setup, start};
use jostle::{
    Error, Scene, Setup,
    scene::{self, PlacementProgress},
};

#[test]
fn scenes_have_names_and_valid_defaults() {
    for scene in Scene::ALL {
        assert_eq!(format!("{scene:>8}").trim(), scene.name());
        assert!(!scene.summary().is_empty() && !scene.summary().ends_with('.'));
        assert!(Setup::new(scene).validate().is_ok(), "{scene}");
    }
}

#[test]
fn placement_stops_once_it_is_not_wanted() {
    let gas = setup(Scene::Gas, 1_000);
    // At this density, positions come from a lattice.
    let lattice = Setup { radius: [1.0; 2], density: 0.6, ..gas.clone() };
    for setup in [gas, lattice] {
        let canceled = PlacementProgress::new();
        canceled.cancel();
        let error = scene::place_while(&setup, &canceled).unwrap_err();
        assert!(matches!(error, Error::Canceled), "{error}");
    }
}

#[test]
#[ignore = "a measurement: cargo test --release --test scenes -- --ignored --nocapture"]
fn time_to_place() {
    for scene in Scene::ALL {
        let setup = setup(scene, 500_000);
        let clock = std::time::Instant::now();
        let start = start(&setup);
        println!(
            "{scene:8} {:7.1} ms, world {}",
            clock.elapsed().as_secs_f64() * 1e3,
            start.world.size()
        );
        check(&setup, &start);
    }
}
