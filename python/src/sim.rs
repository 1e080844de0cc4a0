//! A simulation: its beginning, steps and files. `columns`, `edits`, `observe` and `frames` have the
//! rest of its methods.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, TryLockError},
    time::{Duration, Instant},
};

use jostle::cli::host::{self, HostArgument, HostResult, HostRun, HostValue, SpareRoom};
use pyo3::{
    exceptions::{PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyDictMethods, PyString, PyType},
};

use crate::{
    arguments::{argument, arguments, count},
    errors::told,
    pool::pool,
    view::Leases,
};

/// Time between two looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// Agents times steps from which on a call uses the threads of the pool: to wake them takes up to a
/// tenth of the time of so much work.
const WORK_FOR_POOL: u64 = 20_000;

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
        let changed = host::call(|| change(&mut run));
        Python::attach(|py| told(py, changed))
    }
}

/// Does some work with a run, without the interpreter's lock, which takes about as long as one step.
///
/// # Errors
/// As the work.
pub(crate) fn on_pool<T: Send>(
    py: Python<'_>,
    run: &mut HostRun,
    work: impl FnOnce(&mut HostRun) -> HostResult<T> + Send,
) -> PyResult<T> {
    told(py, on_pool_for(py, run, 1, work)?)
}

/// The same for work of so many steps: in the pool, or on this thread if it is little. Returns the notes
/// of the work with its result.
fn on_pool_for<T: Send>(
    py: Python<'_>,
    run: &mut HostRun,
    steps: u32,
    work: impl FnOnce(&mut HostRun) -> HostResult<T> + Send,
) -> PyResult<(HostResult<T>, Vec<String>)> {
    let is_small = run.sim().agents().len() as u64 * u64::from(steps) < WORK_FOR_POOL;
    let pool = if is_small { None } else { Some(pool()?) };
    let call = || host::call(|| work(run));
    Ok(py.detach(|| match &pool {
        Some(pool) => pool.install(call),
        None => call(),
    }))
}

/// Begins a run with these arguments.
fn begin(
    py: Python<'_>,
    arguments: &[HostArgument],
    world: Option<&str>,
    room: SpareRoom,
) -> PyResult<PySim> {
    let pool = pool()?;
    let begin = || host::call(|| HostRun::begin(arguments, world, room));
    let run = told(py, py.detach(|| pool.install(begin)))?;
    Ok(PySim { run: Mutex::new(run), leases: Leases::default() })
}

/// What `world` says: the text of a world file, or an argument.
fn world_argument(world: &Bound<'_, PyAny>) -> PyResult<(Option<String>, Option<HostArgument>)> {
    if let Ok(text) = world.cast::<PyString>() {
        let text = text.to_str()?;
        let is_file = text.to_ascii_lowercase().ends_with(".toml") && !text.contains('\n');
        let is_size =
            text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
        let name = match text {
            _ if is_file => "scene",
            _ if text.contains(['\n', '=', '[']) => return Ok((Some(text.to_owned()), None)),
            _ if is_size => "world",
            _ => {
                return Err(PyValueError::new_err(format!(
                    "world {text:?} can't be used: expected a path that ends in .toml, the text of \
                     such a file, which has = or a line break in it, or a size such as (90, 60)"
                )));
            }
        };
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
        path: PathBuf,
        flags: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let flags = flags.map_or_else(|| Ok(PyDict::new(class.py())), PyDictMethods::copy)?;
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
    /// interpreter's lock. Ctrl-C ends it after a step. Warns, once per run, of what may be wrong with
    /// it: moves that were too long, deep overlaps, and formulas whose values were not written.
    #[pyo3(signature = (n=None))]
    fn step(&self, py: Python<'_>, n: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut left = n.map_or(Ok(1), |n| count("n", n))?;
        let mut run = self.run()?;
        if left == 0 {
            return Ok(());
        }
        self.leases.check()?;
        while left > 0 {
            let stepped = on_pool_for(py, &mut run, left, |run| {
                let begun = Instant::now();
                let mut taken = 0;
                while taken < left && (taken == 0 || begun.elapsed() < PATIENCE) {
                    run.step()?;
                    taken += 1;
                }
                Ok(taken)
            })?;
            left -= told(py, stepped)?;
            py.check_signals()?;
        }
        let noted = on_pool_for(py, &mut run, 1, HostRun::note)?;
        // What shows the warnings may look at the run.
        drop(run);
        told(py, noted)
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

    /// A run is no value of pickle or copy.
    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<()> {
        let name = slf.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "a {name} can't be copied or pickled; write it with save, and read it with {name}.load"
        )))
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
}

/// Adds this module's items.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySim>()
}
