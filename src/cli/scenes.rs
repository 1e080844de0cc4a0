//! `jostle scenes`: the list of scenes, as lines for people or as JSON for scripts.

use std::fmt::Write;

use crate::{Scene, Setup};
use serde::Serialize;

use super::{Outcome, args::ScenesArgs, json, print};

/// A scene and its own set-up; the flags of the same names change it.
#[derive(Debug, Serialize)]
struct SceneReport {
    name: &'static str,
    summary: &'static str,
    agents: u32,
    radius: [f32; 2],
    world: [f32; 2],
    speed: f32,
    restitution: f32,
    gravity: f32,
    hz: f32,
    substeps: u32,
    solver: &'static str,
}

/// Prints all scenes.
///
/// # Errors
/// If stdout can't be written.
pub(super) fn scenes(args: &ScenesArgs) -> Outcome<u8> {
    if let Some(text) = &args.print {
        return print(text);
    }
    if args.json {
        let all: Vec<_> = Scene::ALL.into_iter().map(SceneReport::new).collect();
        return print(&json(&all));
    }
    let width = Scene::ALL.iter().map(|scene| scene.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for scene in Scene::ALL {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:width$}  {}", scene.name(), scene.summary());
    }
    print(&text)
}

impl SceneReport {
    fn new(scene: Scene) -> Self {
        let setup = Setup::new(scene);
        Self {
            name: scene.name(),
            summary: scene.summary(),
            agents: setup.agents,
            radius: setup.radius,
            world: setup.world().size().to_array(),
            speed: setup.speed,
            restitution: setup.restitution,
            gravity: setup.gravity,
            hz: setup.hz,
            substeps: setup.substeps_per_step(),
            solver: setup.solver_in_use().name(),
        }
    }
}
