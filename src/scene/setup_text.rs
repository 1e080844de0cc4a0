//! The set-up as text: one line per field, so that people can read it, and every bit comes back.

use glam::Vec2;

use super::{Collisions, Scene, Setup, Solver};
use crate::{
    error::Result,
    geometry::Boundary,
    snapshot::{Lines, Listing, Snapshot, Writer, require, write_line},
};

/// The section.
const TAG: &str = "setup";

impl Setup {
    /// Writes all fields.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn save(&self, to: &mut Writer) -> Result<()> {
        to.text(TAG, &self.to_text())
    }

    /// Every field as a line `name = value`.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Taken apart, so that no field is forgotten.
        let Self {
            scene,
            agents,
            spare_agents,
            radius,
            density,
            world,
            boundary,
            speed,
            restitution,
            gravity,
            hz,
            substeps,
            seed,
            cell,
            tight,
            solver,
            collisions,
            sleep,
            spare_statics,
        } = self;
        let mut text = String::new();
        write_line(&mut text, "scene", scene.name());
        write_line(&mut text, "agents", agents);
        write_line(&mut text, "spare_agents", spare_agents);
        write_line(&mut text, "radius", Listing(Some(*radius)));
        write_line(&mut text, "density", density);
        write_line(&mut text, "world", Listing(world.map(|size| size.to_array())));
        write_line(&mut text, "boundary", boundary.name());
        write_line(&mut text, "speed", speed);
        write_line(&mut text, "restitution", restitution);
        write_line(&mut text, "gravity", gravity);
        write_line(&mut text, "hz", hz);
        write_line(&mut text, "substeps", Listing(substeps.map(|count| [count])));
        write_line(&mut text, "seed", seed);
        write_line(&mut text, "cell", Listing(cell.map(|side| [side])));
        write_line(&mut text, "tight", Listing(tight.map(|side| [side])));
        write_line(&mut text, "solver", solver.name());
        write_line(&mut text, "collisions", collisions.name());
        write_line(&mut text, "sleep", sleep);
        write_line(&mut text, "spare_statics", spare_statics);
        text
    }

    /// The set-up of a saved run, with the changes made during the run. Each value may be out of
    /// its range.
    ///
    /// # Errors
    /// If a field is missing or can't be read.
    pub(crate) fn load(from: &Snapshot) -> Result<Self> {
        Self::from_text(from.text(TAG)?)
    }

    /// The set-up of what [`Self::to_text`] returns. Each value may be out of its range.
    ///
    /// # Errors
    /// If a field is missing or can't be read.
    pub(crate) fn from_text(text: &str) -> Result<Self> {
        let mut lines = Lines::new(TAG, text)?;
        let name: String = lines.take("scene")?;
        let scene = Scene::ALL.into_iter().find(|scene| scene.name() == name);
        require(scene.is_some(), TAG, "names a scene that this version does not have")?;
        let name: String = lines.take("solver")?;
        let solver = Solver::ALL.into_iter().find(|solver| solver.name() == name);
        require(solver.is_some(), TAG, "names a solver that this version does not have")?;
        // Former versions had walls only.
        let name = lines.take_if_there("boundary")?;
        let name = name.unwrap_or_else(|| Boundary::Walls.name().to_owned());
        let boundary = Boundary::ALL.into_iter().find(|boundary| boundary.name() == name);
        require(boundary.is_some(), TAG, "names a boundary that this version does not have")?;
        // Former versions had the one way only.
        let name = lines.take_if_there("collisions")?;
        let name = name.unwrap_or_else(|| Collisions::Overlap.name().to_owned());
        let collisions = Collisions::ALL.into_iter().find(|way| way.name() == name);
        require(collisions.is_some(), TAG, "names collisions that this version does not have")?;
        let setup = Self {
            scene: scene.unwrap_or(Scene::Gas),
            agents: lines.take("agents")?,
            spare_agents: lines.take("spare_agents")?,
            radius: lines.values("radius")?,
            density: lines.take("density")?,
            world: lines.list("world")?.map(Vec2::from_array),
            boundary: boundary.unwrap_or_default(),
            speed: lines.take("speed")?,
            restitution: lines.take("restitution")?,
            gravity: lines.take("gravity")?,
            hz: lines.take("hz")?,
            substeps: lines.list("substeps")?.map(|[count]| count),
            seed: lines.take("seed")?,
            cell: lines.list("cell")?.map(|[side]| side),
            tight: lines.list("tight")?.map(|[side]| side),
            solver: solver.unwrap_or(Solver::Auto),
            collisions: collisions.unwrap_or_default(),
            sleep: lines.take("sleep")?,
            spare_statics: lines.take("spare_statics")?,
        };
        lines.end()?;
        Ok(setup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_a_setup_comes_back() {
        let odd = Setup {
            agents: 7,
            spare_agents: 3,
            radius: [1.0e-6, 0.1 + 0.2],
            world: Some(Vec2::new(1e10, 1.0 / 3.0)),
            boundary: Boundary::PeriodicX,
            gravity: -0.0,
            substeps: Some(4),
            seed: u64::MAX,
            cell: Some(f32::MIN_POSITIVE),
            tight: Some(9),
            solver: Solver::Impulse,
            collisions: Collisions::Swept,
            sleep: false,
            spare_statics: 5,
            ..Setup::new(Scene::Dam)
        };
        for setup in Scene::ALL.map(Setup::new).into_iter().chain([odd]) {
            let mut to = Writer::new(Vec::new(), 0).expect("memory");
            setup.save(&mut to).expect("memory");
            let read = Setup::load(&to.finish()).expect("a set-up");
            assert_eq!(read, setup);
            assert_eq!(read.gravity.to_bits(), setup.gravity.to_bits());
        }
    }
}
