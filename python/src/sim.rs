//! A simulation: steps, columns, observables, frames and files. `edits` has its changes.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, TryLockError},
    time::{Duration, Instant},
};

use jostle::{
    Agents, Vec2,
    cli::host::{self, HostArgument, HostResult, HostRun, HostValue, SpareRoom},
};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::{
    exceptions::{PyAttributeError, PyRuntimeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyDict, PyString, PyType},
};

use crate::{
    arguments::{argument, arguments, count, number},
    errors::{exception, warn},
    pool::pool,
    view::{self, Leases},
};

/// Time between two looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// Agents from which on a run uses the threads of the pool: waking them takes as long as a step of
/// so many agents.
const AGENTS_FOR_POOL: usize = 2_000;

/// The longer side of the picture in a notebook, and the shortest, pixels.
const PICTURE_SIDE: f32 = 640.0;
const PICTURE_SIDE_MIN: f32 = 64.0;

/// A run of discs that bounce off each other.
///
/// `Sim("gas", agents=2000, seed=1)` begins a scene, `Sim(world="FILE.toml")` a world file, which may
/// also be given as text, and `Sim.load("FILE.jostle")` continues a snapshot. All flags of
/// `jostle run` that decide what a run does or how it looks are keyword arguments: `friction=0.5`,
/// `boundary="periodic"`, `set={"beta": 0.3}`, `color_by="flow"`. After the same steps, the state has
/// the hash that `jostle run` prints for the same flags.
///
/// Columns are read-only NumPy arrays of shape (agents,) that view the memory of the run, in the order
/// of its memory; lengths are in world units, times in seconds. What would change a viewed column
/// raises BufferError.
#[pyclass(frozen, subclass, weakref, module = "jostle", name = "Sim")]
pub(crate) struct PySim {
    run: Mutex<HostRun>,
    leases: Leases,
}

/// A column of the agents.
pub(crate) enum Column<'a> {
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
    pub(crate) fn leases(&self) -> &Leases {
        &self.leases
    }

    /// The run, for this thread alone.
    ///
    /// # Errors
    /// If another thread has it, or it has failed.
    pub(crate) fn run(&self) -> PyResult<MutexGuard<'_, HostRun>> {
        self.run.try_lock().map_err(|error| {
            PyRuntimeError::new_err(match error {
                TryLockError::WouldBlock => {
                    "another thread uses this run; wait for it, or give each thread a run of its own"
                }
                TryLockError::Poisoned(_) => {
                    "this run has failed and can't go on; begin a new one, or load one that was saved"
                }
            })
        })
    }

    /// Changes the run. A change that takes long is made on the threads of the pool.
    ///
    /// # Errors
    /// As the change, or if an array views a column.
    pub(crate) fn change<T: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut HostRun) -> HostResult<T> + Send,
    ) -> PyResult<T> {
        let mut run = self.run()?;
        self.leases.check()?;
        on_pool(py, &mut run, change)
    }

    /// The same for a change that takes no longer than to wake another thread.
    ///
    /// # Errors
    /// As the change, or if an array views a column.
    pub(crate) fn change_at_once<T>(
        &self,
        change: impl FnOnce(&mut HostRun) -> HostResult<T>,
    ) -> PyResult<T> {
        let mut run = self.run()?;
        self.leases.check()?;
        host::unless_memory_is_refused(|| change(&mut run)).map_err(exception)
    }

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

/// Does some work with a run, without the interpreter's lock: in the pool, unless the run is small.
fn on_pool<T: Send>(
    py: Python<'_>,
    run: &mut HostRun,
    work: impl FnOnce(&mut HostRun) -> HostResult<T> + Send,
) -> PyResult<T> {
    let is_small = run.sim().agents().len() < AGENTS_FOR_POOL;
    let pool = if is_small { None } else { Some(pool()?) };
    let done = py.detach(|| {
        host::unless_memory_is_refused(|| match &pool {
            Some(pool) => pool.install(|| work(run)),
            None => work(run),
        })
    });
    done.map_err(exception)
}

/// Begins a run with these arguments.
fn begin(
    py: Python<'_>,
    arguments: &[HostArgument],
    world: Option<&str>,
    room: SpareRoom,
) -> PyResult<PySim> {
    let pool = pool()?;
    let run = py.detach(|| {
        host::unless_memory_is_refused(|| pool.install(|| HostRun::begin(arguments, world, room)))
    });
    let run = run.map_err(exception)?;
    warn(py)?;
    Ok(PySim { run: Mutex::new(run), leases: Leases::default() })
}

/// What `world` says: the text of a world file, or an argument.
fn world_argument(world: &Bound<'_, PyAny>) -> PyResult<(Option<String>, Option<HostArgument>)> {
    if let Ok(text) = world.cast::<PyString>() {
        let text = text.to_str()?;
        let is_text = text.contains(['\n', '=', '[']);
        if is_text {
            return Ok((Some(text.to_owned()), None));
        }
        let name = if text.to_ascii_lowercase().ends_with(".toml") { "scene" } else { "world" };
        return Ok((None, Some((name.to_owned(), HostValue::Text(text.into())))));
    }
    let value = argument("world", world)?;
    let is_path = matches!(value, Some(HostValue::Text(_))) && world.hasattr("__fspath__")?;
    let name = if is_path { "scene" } else { "world" };
    Ok((None, value.map(|value| (name.to_owned(), value))))
}

#[pymethods]
impl PySim {
    #[new]
    #[pyo3(signature = (scene=None, *, world=None, spare_agents=None, spare_statics=None, **flags))]
    fn new(
        py: Python<'_>,
        scene: Option<&Bound<'_, PyAny>>,
        world: Option<&Bound<'_, PyAny>>,
        spare_agents: Option<&Bound<'_, PyAny>>,
        spare_statics: Option<&Bound<'_, PyAny>>,
        flags: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut arguments = arguments(flags)?;
        if let Some(scene) = scene {
            arguments.extend(argument("scene", scene)?.map(|scene| ("scene".to_owned(), scene)));
        }
        let (text, world) = world.map(world_argument).transpose()?.unwrap_or_default();
        if let Some((name, value)) = world {
            if arguments.iter().any(|(given, _)| *given == name) {
                return Err(PyValueError::new_err(
                    "scene and world both say what a run begins with; leave out one of them",
                ));
            }
            arguments.push((name, value));
        }
        let room = |name, value: Option<_>| value.map_or(Ok(0), |value| count(name, value));
        let room = SpareRoom {
            agents: room("spare_agents", spare_agents)?,
            statics: room("spare_statics", spare_statics)?,
        };
        begin(py, &arguments, text.as_deref(), room)
    }

    /// Continues the run of a snapshot, bit for bit.
    #[classmethod]
    #[pyo3(signature = (path, **flags))]
    fn load<'py>(
        class: &Bound<'py, PyType>,
        path: &Bound<'py, PyAny>,
        flags: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let flags = flags.map_or_else(|| Ok(PyDict::new(class.py())), |flags| flags.copy())?;
        flags.set_item("load", path)?;
        class.call((), Some(&flags))
    }

    /// Writes a snapshot, which `Sim.load` and `jostle run --load` continue, bit for bit. The file is
    /// whole, or it is not there.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mut run = self.run()?;
        on_pool(py, &mut run, |run| run.save(&path))
    }

    /// Advances the run by `n` steps of 1 / hz seconds, on the threads of the process and without the
    /// interpreter's lock. Ctrl-C ends it after a step.
    #[pyo3(signature = (n=None))]
    fn step(&self, py: Python<'_>, n: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut left = n.map_or(Ok(1), |n| count("n", n))?;
        let mut run = self.run()?;
        self.leases.check()?;
        while left > 0 {
            left -= on_pool(py, &mut run, |run| {
                let begun = Instant::now();
                let mut taken = 0;
                while taken < left && (taken == 0 || begun.elapsed() < PATIENCE) {
                    run.step()?;
                    taken += 1;
                }
                Ok(taken)
            })?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// The state as 16 hexadecimal digits: the `state_hash` of the command line.
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        let mut run = self.run()?;
        on_pool(py, &mut run, |run| Ok(format!("{:016x}", run.sim().state_hash())))
    }

    /// Number of steps since the start.
    #[getter]
    fn steps(&self) -> PyResult<u64> {
        Ok(self.run()?.sim().steps())
    }

    /// Simulated seconds since the start.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        let run = self.run()?;
        Ok(run.sim().steps() as f64 / f64::from(run.sim().setup().hz))
    }

    /// Steps per simulated second.
    #[getter]
    fn hz(&self) -> PyResult<f32> {
        Ok(self.run()?.sim().setup().hz)
    }

    /// The name of the scene, or of the world file.
    #[getter]
    fn scene(&self) -> PyResult<String> {
        let run = self.run()?;
        let scene = run.sim().setup().scene.to_string();
        Ok(run.world_file().map_or(scene, |world| world.name.to_owned()))
    }

    /// The params of the world file with their values; empty without one.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let params = PyDict::new(py);
        if let Some(world) = self.run()?.world_file() {
            for (name, value) in world.params {
                params.set_item(name, value)?;
            }
        }
        Ok(params)
    }

    /// Width and height of the world, world units. Its lower left corner is at (0, 0).
    #[getter]
    fn size(&self) -> PyResult<(f32, f32)> {
        Ok(self.run()?.sim().world().size().into())
    }

    /// True for each of x and y along which the world repeats.
    #[getter]
    fn repeats(&self) -> PyResult<(bool, bool)> {
        Ok(self.run()?.sim().space().repeats().into())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.run()?.sim().agents().len())
    }

    fn __repr__(&self) -> PyResult<String> {
        let Ok(run) = self.run() else { return Ok("<jostle.Sim, in use>".to_owned()) };
        let (sim, scene) = (run.sim(), run.world_file().map(|world| world.name.to_owned()));
        let scene = scene.unwrap_or_else(|| sim.setup().scene.to_string());
        Ok(format!("<jostle.Sim {scene}: {} agents, step {}>", sim.agents().len(), sim.steps()))
    }

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
            return Ok(observed.values.into_pyobject(py)?.get_item(0)?);
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

    /// A frame of the current state as RGBA, uint8, shape (height, width, 4), the top row first: by
    /// default 1280 × 720 pixels of the whole world. The flags of `jostle run` under Picture and Style
    /// are keyword arguments: `view=(x, y, width)`, `glow=True`, `color_by="flow"`,
    /// `palette="viridis"`, `overlay="contacts"`.
    #[pyo3(signature = (width=None, height=None, **look))]
    fn frame<'py>(
        &self,
        py: Python<'py>,
        width: Option<&Bound<'py, PyAny>>,
        height: Option<&Bound<'py, PyAny>>,
        look: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut arguments = arguments(look)?;
        match (width, height) {
            (None, None) => {}
            (Some(width), Some(height)) => {
                let sides = [count("width", width)?, count("height", height)?];
                arguments.retain(|(name, _)| name != "size");
                arguments
                    .push(("size".into(), HostValue::List(sides.map(|it| it.to_string()).into())));
            }
            _ => {
                return Err(PyValueError::new_err(
                    "a frame has a width and a height; give both, or none",
                ));
            }
        }
        let mut run = self.run()?;
        let frame = on_pool(py, &mut run, |run| run.frame(&arguments))?;
        let [rows, pixels] = [frame.height, frame.width].map(|side| side as usize);
        let bytes = PyArray1::from_vec(py, frame.pixels.into_flattened());
        Ok(bytes.reshape([rows, pixels, 4])?.into_any())
    }

    /// The picture of the current state in a notebook.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut run = self.run()?;
        let size = run.sim().world().size();
        let sides = (size / size.max_element() * PICTURE_SIDE).max(Vec2::splat(PICTURE_SIDE_MIN));
        let sides = sides.to_array().map(|side| (side.round() as u32).to_string());
        let size = [("size".to_owned(), HostValue::List(sides.into()))];
        let png = on_pool(py, &mut run, |run| run.png(&size))?;
        Ok(PyBytes::new(py, &png))
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
                values.iter_mut().for_each(|at| *at = space.wrapped(Vec2::splat(*at))[axis]);
            }
            PyArray1::from_vec(py, values).into_any()
        }
        Column::Counts(column) => PyArray1::from_vec(py, pick(column, slots)).into_any(),
        Column::Bytes(column) => PyArray1::from_vec(py, pick(column, slots)).into_any(),
    })
}

/// Adds this module's items.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySim>()
}
