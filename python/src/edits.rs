//! Changes of a run between two steps, of all that a call names or of nothing.

use jostle::{Spawn, Static, Vec2, sim::Edit};
use numpy::PyArray1;
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyString},
};

use crate::{
    arguments::{Numbers, count_to, ids, number, vectors},
    sim::PySim,
};

#[pymethods]
impl PySim {
    /// Moves agents: the centers of their discs, world units. `ids` is an id or an array of ids, and x
    /// and y are numbers or arrays of as many. Takes about as long as a step, however many are moved.
    fn set_position(
        &self,
        py: Python<'_>,
        ids: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let places = vectors(ids, ["x", "y"], x, y)?;
        self.change(py, |run| run.change(|sim| sim.set_positions(&places)))
    }

    /// Sets the velocities of agents, world units per second, as `set_position`; takes no time.
    fn set_velocity(
        &self,
        ids: &Bound<'_, PyAny>,
        vx: &Bound<'_, PyAny>,
        vy: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let velocities = vectors(ids, ["vx", "vy"], vx, vy)?;
        self.change_at_once(|run| run.change(|sim| sim.set_velocities(&velocities)))
    }

    /// Applies forces to agents through the next step, mass · length / time², where the mass of an
    /// agent is its radius squared. Forces that are applied before the same step add up.
    fn apply_force(
        &self,
        ids: &Bound<'_, PyAny>,
        fx: &Bound<'_, PyAny>,
        fy: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let forces = vectors(ids, ["fx", "fy"], fx, fy)?;
        self.change_at_once(|run| run.change(|sim| sim.apply_forces(&forces)))
    }

    /// Adds agents and returns their ids, uint32. The run must have been begun with `spare_agents`, or
    /// agents must have left it. Each argument is a number or an array; factions are 0 or 1 and health
    /// is 1 to 60, in the scene melee; species are those of world files, by number or by name.
    #[pyo3(signature = (x, y, radius, *, vx=None, vy=None, faction=None, health=None, species=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn spawn<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        radius: &Bound<'py, PyAny>,
        vx: Option<&Bound<'py, PyAny>>,
        vy: Option<&Bound<'py, PyAny>>,
        faction: Option<&Bound<'py, PyAny>>,
        health: Option<&Bound<'py, PyAny>>,
        species: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let read = |name, value: Option<&Bound<'py, PyAny>>| {
            value.map_or(Ok(Numbers::One(0.0)), |value| Numbers::read(name, value))
        };
        let all = [
            ("x", Numbers::read("x", x)?),
            ("y", Numbers::read("y", y)?),
            ("radius", Numbers::read("radius", radius)?),
            ("vx", read("vx", vx)?),
            ("vy", read("vy", vy)?),
            ("faction", self.of_unit("faction", faction, 0)?),
            ("health", self.of_unit("health", health, jostle::Units::HEALTH)?),
            ("species", self.species_of(species)?),
        ];
        let agents = all.iter().find_map(|(_, numbers)| numbers.len()).unwrap_or(1);
        for (name, numbers) in &all {
            numbers.check(name, agents)?;
        }
        let [x, y, radius, vx, vy, faction, health, species] = all.map(|(_, numbers)| numbers);
        let spawn = |at| {
            let (position, velocity) =
                (Vec2::new(x.get(at), y.get(at)), Vec2::new(vx.get(at), vy.get(at)));
            let spawn = Spawn::new(position, velocity, radius.get(at));
            spawn
                .with_faction(faction.get(at) as u8)
                .with_health(health.get(at) as u8)
                .with_species(species.get(at) as u8)
        };
        let spawns: Vec<_> = (0..agents).map(spawn).collect();
        let ids = self.change(py, |run| run.change(|sim| sim.spawn(&spawns)))?;
        Ok(PyArray1::from_iter(py, ids))
    }

    /// Removes agents and returns their number. Ids that no agent has are ignored.
    fn remove(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<usize> {
        let ids = self::ids(ids)?;
        if ids.is_empty() {
            return Ok(0);
        }
        self.change(py, |run| run.change(|sim| sim.remove(&ids)))
    }

    /// Steers the agents in a disc away from its center at a speed, or towards it if that is below 0;
    /// returns their number.
    fn steer(
        &self,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        radius: &Bound<'_, PyAny>,
        speed: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let center = Vec2::new(number("x", x)?, number("y", y)?);
        let (radius, speed) = (number("radius", radius)?, number("speed", speed)?);
        self.change_at_once(|run| run.change(|sim| sim.steer(center, radius, speed)))
    }

    /// Adds a disc that never moves, and returns its id. The run must have been begun with
    /// `spare_statics`, as for the other shapes.
    fn add_disc(
        &self,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        radius: &Bound<'_, PyAny>,
    ) -> PyResult<u32> {
        let center = Vec2::new(number("x", x)?, number("y", y)?);
        self.add_static(Static::disc(center, number("radius", radius)?))
    }

    /// Adds a box that never moves, and returns its id.
    fn add_box(
        &self,
        left: &Bound<'_, PyAny>,
        bottom: &Bound<'_, PyAny>,
        right: &Bound<'_, PyAny>,
        top: &Bound<'_, PyAny>,
    ) -> PyResult<u32> {
        let min = Vec2::new(number("left", left)?, number("bottom", bottom)?);
        let max = Vec2::new(number("right", right)?, number("top", top)?);
        self.add_static(Static::Box(jostle::Rect { min, max }))
    }

    /// Adds a capsule that never moves, all points within `radius` of a segment, and returns its id.
    fn add_capsule(
        &self,
        x1: &Bound<'_, PyAny>,
        y1: &Bound<'_, PyAny>,
        x2: &Bound<'_, PyAny>,
        y2: &Bound<'_, PyAny>,
        radius: &Bound<'_, PyAny>,
    ) -> PyResult<u32> {
        let ends = [("x1", x1, "y1", y1), ("x2", x2, "y2", y2)];
        let [one, other] = ends.map(|(x_name, x, y_name, y)| {
            Ok::<_, PyErr>(Vec2::new(number(x_name, x)?, number(y_name, y)?))
        });
        self.add_static(Static::capsule([one?, other?], number("radius", radius)?))
    }

    /// Removes shapes that never move and returns their number. Ids that none has are ignored.
    fn remove_statics(&self, ids: &Bound<'_, PyAny>) -> PyResult<usize> {
        let ids = self::ids(ids)?;
        self.change_at_once(|run| run.change(|sim| Ok(sim.remove_statics(&ids))))
    }

    /// Gives params of the world file other values, from the next step on: `set_params(beta=0.3)`.
    /// A cell of a matrix is `set_params({"pull[red,blue]": 3})`.
    #[pyo3(signature = (params=None, /, **named))]
    fn set_params(
        &self,
        params: Option<&Bound<'_, PyDict>>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut values = Vec::new();
        for (name, value) in params.into_iter().chain(named).flatten() {
            let name: String = name.extract()?;
            let value = number(&name, &value)?;
            values.push((name, value));
        }
        if values.is_empty() {
            return Ok(());
        }
        self.change_at_once(|run| run.change(|sim| sim.apply(&Edit::Values(values)).map(drop)))
    }

    /// Multiplies the velocities of all agents by a factor of 0 or more.
    fn scale_speeds(&self, factor: &Bound<'_, PyAny>) -> PyResult<()> {
        let factor = number("factor", factor)?;
        self.change_at_once(|run| run.change(|sim| sim.scale_speeds(factor)))
    }

    /// The share of the approach speed that a collision returns, 0 to 1; can be set.
    #[getter]
    fn restitution(&self) -> PyResult<f32> {
        Ok(self.run()?.sim().setup().restitution)
    }

    #[setter]
    fn set_restitution(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("restitution", value)?;
        self.change_at_once(|run| run.change(|sim| sim.set_restitution(value)))
    }

    /// The coefficient of friction, 0 to 10; can be set.
    #[getter]
    fn friction(&self) -> PyResult<f32> {
        Ok(self.run()?.sim().setup().friction)
    }

    #[setter]
    fn set_friction(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("friction", value)?;
        self.change_at_once(|run| run.change(|sim| sim.set_friction(value)))
    }

    /// The coefficient of rolling resistance, 0 to 10, in runs with friction; can be set.
    #[getter]
    fn rolling(&self) -> PyResult<f32> {
        Ok(self.run()?.sim().setup().rolling)
    }

    #[setter]
    fn set_rolling(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("rolling", value)?;
        self.change_at_once(|run| run.change(|sim| sim.set_rolling(value)))
    }

    /// The acceleration towards y = 0, world units per second squared; can be set.
    #[getter]
    fn gravity(&self) -> PyResult<f32> {
        Ok(self.run()?.sim().setup().gravity)
    }

    #[setter]
    fn set_gravity(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("gravity", value)?;
        self.change_at_once(|run| run.change(|sim| sim.set_gravity(value)))
    }
}

impl PySim {
    /// Factions or health of new agents; `usual` where there are none.
    fn of_unit(
        &self,
        name: &str,
        value: Option<&Bound<'_, PyAny>>,
        usual: u8,
    ) -> PyResult<Numbers> {
        let Some(value) = value else { return Ok(Numbers::One(usual.into())) };
        if self.run()?.sim().agents().units.is_none() {
            return Err(PyValueError::new_err(format!(
                "{name} can't be used: only agents of the scene melee have it; leave it out"
            )));
        }
        Numbers::whole(value, |value| Ok(count_to(name, value, u8::MAX.into())? as u8))
    }

    /// The species of new agents, by their numbers or names.
    fn species_of(&self, value: Option<&Bound<'_, PyAny>>) -> PyResult<Numbers> {
        let Some(value) = value else { return Ok(Numbers::One(0.0)) };
        let run = self.run()?;
        let Some(names) = run.species() else {
            return Err(PyValueError::new_err(
                "species can't be used: only world files with [species] have them; leave it out",
            ));
        };
        Numbers::whole(value, |value| {
            if !value.is_instance_of::<PyString>() {
                return Ok(count_to("species", value, names.len() as u32 - 1)? as u8);
            }
            let name: String = value.extract()?;
            names.iter().position(|known| *known == name).map(|at| at as u8).ok_or_else(|| {
                let all = names.join(", ");
                PyValueError::new_err(format!("species {name:?} is unknown: expected one of {all}"))
            })
        })
    }

    fn add_static(&self, shape: Static) -> PyResult<u32> {
        self.change_at_once(|run| run.change(|sim| Ok(sim.add_statics(&[shape])?.start)))
    }
}
