//! The agents' columns: views of the run's memory, and copies in the order of the ids.

use jostle::{Agents, Vec2, cli::host::HostRun};
use numpy::PyArray1;
use pyo3::{exceptions::PyAttributeError, prelude::*, types::PyDict};

use crate::{sim::PySim, view};

/// A column of the agents.
enum Column<'a> {
    Numbers(&'a [f32]),
    Counts(&'a [u32]),
    Bytes(&'a [u8]),
}

/// The column of a name, if the agents have it.
fn column<'a>(agents: &'a Agents, name: &str) -> Option<Column<'a>> {
    let (units, own) = (agents.units.as_ref(), agents.own.as_deref());
    Some(match name {
        "x" => Column::Numbers(&agents.x),
        "y" => Column::Numbers(&agents.y),
        "vx" => Column::Numbers(&agents.vx),
        "vy" => Column::Numbers(&agents.vy),
        "radius" => Column::Numbers(&agents.radius),
        "id" => Column::Counts(&agents.id),
        "faction" => Column::Bytes(&units?.faction),
        "health" => Column::Bytes(&units?.health),
        "species" => Column::Bytes(own?.species.as_deref()?),
        _ => Column::Numbers(&own?.numbers.iter().find(|column| column.name == name)?.values),
    })
}

/// The names of all columns of the agents.
fn column_names(agents: &Agents) -> Vec<String> {
    let mut names = vec!["id", "x", "y", "vx", "vy", "radius"];
    if agents.units.is_some() {
        names.extend(["faction", "health"]);
    }
    if let Some(own) = &agents.own {
        names.extend(own.species.as_ref().map(|_| "species"));
        names.extend(own.numbers.iter().map(|column| &*column.name));
    }
    names.into_iter().map(str::to_owned).collect()
}

/// The exception for a column that the agents lack.
fn no_column(agents: &Agents, name: &str) -> PyErr {
    let all = column_names(agents).join(", ");
    let why = match name {
        "spin" | "angle" => "; only runs with friction have it",
        "species" => "; only world files have it",
        "faction" | "health" => "; only the scene melee has it",
        _ => "",
    };
    PyAttributeError::new_err(format!("the agents have no column {name}{why}; there are {all}"))
}

impl PySim {
    /// A column as an array that views it.
    fn view<'py>(this: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let run = this.get().run()?;
        let agents = run.sim().agents();
        match column(agents, name).ok_or_else(|| no_column(agents, name))? {
            Column::Numbers(column) => view::array(this, name, column),
            Column::Counts(column) => view::array(this, name, column),
            Column::Bytes(column) => view::array(this, name, column),
        }
    }
}

#[pymethods]
impl PySim {
    /// Centers, world units, float32. Where the world repeats, they may lie beyond its border by up to
    /// a quarter of its side; `by_id` and `table` wrap them.
    #[getter]
    fn x<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "x")
    }

    /// Centers, world units, float32; y points up.
    #[getter]
    fn y<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "y")
    }

    /// Velocities, world units per second, float32.
    #[getter]
    fn vx<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "vx")
    }

    /// Velocities, world units per second, float32.
    #[getter]
    fn vy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "vy")
    }

    /// Radii, world units, float32. The mass of an agent is its radius squared.
    #[getter]
    fn radius<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "radius")
    }

    /// Permanent numbers of the agents, uint32.
    #[getter]
    fn id<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "id")
    }

    /// Species, uint8, in runs of world files.
    #[getter]
    fn species<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "species")
    }

    /// Angular velocities, radians per second, counterclockwise, float32, in runs with friction.
    #[getter]
    fn spin<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "spin")
    }

    /// Angles, radians from -π to π, counterclockwise, float32, in runs with friction.
    #[getter]
    fn angle<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "angle")
    }

    /// The names of all columns: those that all agents have, and those of the run's own.
    #[getter]
    fn columns(&self) -> PyResult<Vec<String>> {
        Ok(column_names(self.run()?.sim().agents()))
    }

    /// A column by its name, as `x` and the like: a read-only view of shape (agents,).
    fn column<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, name)
    }

    /// A copy of a column in the order of the agents' ids, shape (agents,). Positions are wrapped into
    /// a world that repeats.
    fn by_id<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let run = self.run()?;
        ordered(py, &run, &run.sim().agents().slots_by_id(), name)
    }

    /// Copies of all columns in the order of the agents' ids, by name, as for `pandas.DataFrame`.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (run, table) = (self.run()?, PyDict::new(py));
        let slots = run.sim().agents().slots_by_id();
        for name in column_names(run.sim().agents()) {
            table.set_item(&name, ordered(py, &run, &slots, &name)?)?;
        }
        Ok(table)
    }
}

/// A copy of a column in the order of the ids.
fn ordered<'py>(
    py: Python<'py>,
    run: &HostRun,
    slots: &[u32],
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    fn pick<T: Copy>(column: &[T], slots: &[u32]) -> Vec<T> {
        slots.iter().map(|&slot| column[slot as usize]).collect()
    }
    let (agents, space) = (run.sim().agents(), run.sim().space());
    Ok(match column(agents, name).ok_or_else(|| no_column(agents, name))? {
        Column::Numbers(column) => {
            let mut values = pick(column, slots);
            if let Some(axis) = ["x", "y"].iter().position(|axis| *axis == name) {
                for at in &mut values {
                    *at = space.wrapped(Vec2::splat(*at))[axis];
                }
            }
            PyArray1::from_vec(py, values).into_any()
        }
        Column::Counts(column) => PyArray1::from_vec(py, pick(column, slots)).into_any(),
        Column::Bytes(column) => PyArray1::from_vec(py, pick(column, slots)).into_any(),
    })
}
