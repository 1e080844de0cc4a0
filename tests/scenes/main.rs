//! Scenes: names, the properties of their starts, and what they reject.

mod any;
mod cannon;
mod check;
mod promises;
mod refusals;

use check::{check, setup, start};
use jostle::{
    Scene, Setup,
    error::{Error, NameKind},
};

#[test]
fn scenes_are_found_by_name() {
    for scene in Scene::ALL {
        assert_eq!(Scene::find(scene.name()).unwrap(), scene);
        assert_eq!(format!("{scene:>8}").trim(), scene.name());
        assert!(!scene.summary().is_empty() && !scene.summary().ends_with('.'));
        assert!(Setup::new(scene).validate().is_ok(), "{scene}");
    }
    let error = Scene::find("gass").unwrap_err();
    let Error::UnknownName { kind: NameKind::Scene, name, known } = &error else {
        panic!("{error}")
    };
    assert_eq!((name.as_str(), known.len()), ("gass", Scene::ALL.len()));
    assert!(error.to_string().starts_with("unknown scene \"gass\": expected one of gas, mixed, "));
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
