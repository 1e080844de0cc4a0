//! Scenes: names, what they promise about their starts, and what they refuse.

mod any;
mod cannon;
mod check;
mod promises;
mod refusals;

use check::{check, setup, start};
use jostle::{Scene, Setup};

#[test]
fn scenes_are_found_by_name() {
    for scene in Scene::ALL {
        assert_eq!(Scene::find(scene.name()).unwrap(), scene);
        assert_eq!(format!("{scene:>8}").trim(), scene.name());
        assert!(!scene.summary().is_empty() && !scene.summary().ends_with('.'));
        assert!(Setup::new(scene).validate().is_ok(), "{scene}");
    }
    for (name, nearest) in
        [("gass", "gas"), ("Giant", "giants"), ("spares", "sparse"), ("plie", "pile")]
    {
        let error = Scene::find(name).unwrap_err().to_string();
        assert!(error.contains(&format!("did you mean {nearest}?")), "{error}");
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
