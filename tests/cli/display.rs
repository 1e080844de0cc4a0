//! Without a display, `watch` reports it and draws a picture instead.

use crate::harness::Place;

#[test]
fn without_a_display_watch_runs_and_draws() {
    let place = Place::new();
    for (args, name) in [
        ("--agents 100", "jostle.png"),
        ("watch --agents 100", "jostle-2.png"),
        ("watch --agents 100 --palette viridis", "jostle-3.png"),
    ] {
        let ended = place.jostle(args);
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert!(ended.line().contains(name), "{ended:?}");
        assert!(ended.stdout.contains("600"), "the summary of 600 steps: {}", ended.stdout);
        assert!(place.names().iter().any(|there| there == name), "{:?}", place.names());
    }
    // The scene of the window is taken only where it suits the other flags.
    for (args, scene) in [
        ("--agents 100 --gravity 5 --restitution 0.5", "gas, 100 agents"),
        ("--agents 100 --solver contact", "gas, 100 agents"),
        ("--agents 1", "gas, 1 agent"),
        ("--agents 100 --seed 3", "shear, 100 agents"),
    ] {
        let ended = place.jostle(args);
        assert!(ended.stdout.starts_with(scene), "{args}: {ended:?}");
    }
    let ended = place.jostle("run --scene shear --agents 100 --steps 600 --frame run.png");
    assert_eq!(ended.status, Some(0));
    let picture = |name| std::fs::read(place.path(name)).expect("a picture");
    assert_eq!(picture("jostle.png"), picture("run.png"), "as `jostle run` draws it");
}
