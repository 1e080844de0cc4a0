//! What a run is measured by, at the moment: observables, contacts, and the agents at a place.

use jostle::{Vec2, cli::host::HostRun};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};

use crate::{
    arguments::number,
    sim::{PySim, on_pool},
};

#[pymethods]
impl PySim {
    /// The names of all observables.
    #[getter]
    fn observables(&self) -> PyResult<Vec<String>> {
        Ok(self.run()?.observables())
    }

    /// Observables of the current state, in world units and seconds: all numbers by name, or the one of
    /// that name, as `jostle run --series` writes them. NaN where one is not available.
    ///
    /// Pressures and rates are means since the last earlier step at which something was observed, or
    /// since the run began; displacements and correlations are those since the first observation. The
    /// curves g, density_x, density_y, velocity_x and velocity_y are arrays.
    #[pyo3(signature = (name=None))]
    fn observe<'py>(&self, py: Python<'py>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let mut run = self.run()?;
        let Some(name) = name else {
            let values = on_pool(py, &mut run, HostRun::observe_all)?;
            let all = PyDict::new(py);
            for (name, value) in run.observables().into_iter().zip(values) {
                all.set_item(name, value)?;
            }
            return Ok(all.into_any());
        };
        let observed = on_pool(py, &mut run, |run| run.observe(name))?;
        let Some(curves) = observed.curves else {
            return observed.values.into_pyobject(py)?.get_item(0);
        };
        let length = observed.values.len() / curves;
        let values = PyArray1::from_vec(py, observed.values);
        if curves == 1 {
            Ok(values.into_any())
        } else {
            Ok(values.reshape([curves, length])?.into_any())
        }
    }

    /// Pairs of ids of the agents that overlap now, uint32, shape (pairs, 2).
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut run = self.run()?;
        let ids = on_pool(py, &mut run, |run| {
            let ids = &run.sim().agents().id;
            let pairs = run.sim().contacts()?.flatten();
            Ok(pairs.map(|slot| ids[slot as usize]).collect::<Vec<u32>>())
        })?;
        let pairs = ids.len() / 2;
        Ok(PyArray1::from_vec(py, ids).reshape([pairs, 2])?.into_any())
    }

    /// The ids of the agents with a point in a disc, uint32, in ascending order. Looks across the seam
    /// of a world that repeats.
    fn in_disc<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        radius: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let center = Vec2::new(number("x", x)?, number("y", y)?);
        let radius = number("radius", radius)?;
        if !(center.is_finite() && radius.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "x {}, y {}, radius {radius} can't be a disc: expected finite numbers",
                center.x, center.y
            )));
        }
        let run = self.run()?;
        let sim = run.sim();
        let mut ids = Vec::new();
        sim.visit_disc(center, radius, |slot| ids.push(sim.agents().id[slot as usize]));
        ids.sort_unstable();
        Ok(PyArray1::from_vec(py, ids))
    }
}
