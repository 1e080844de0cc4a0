//! `Grid`: searches among points and discs in NumPy arrays.
//!
//! Read in this order: `input` (numbers from NumPy), `layout` (the size of the cells), `index` (the
//! points in cell order), `search` (one search), `batch` (many), `pairs` (all pairs),
//! `memory` (results that are too many).

mod batch;
mod index;
mod input;
mod layout;
mod memory;
mod pairs;
mod search;

use std::{
    sync::{
        RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
    types::PyTuple,
};

use self::{
    batch::{Lists, Stop},
    index::{Index, Source},
    input::{Floats, Lengths, Queries, check, out_of_range},
    memory::{Failure, Result, collected, zeroed},
    pairs::PairSearch,
    search::Found,
};
use crate::pool::pool;

/// Work on fewer points or searches than this is not worth waking the threads of the pool.
const ALONE: usize = 512;

/// Time between two looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// Adds this module's items.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Grid>()
}

/// A grid that finds points or discs near each other.
///
/// `positions` is an array of n × 2 numbers, `radius` a number for all or an array of n, at least 0.
/// With radius 0 they are points. `world` is the width and the height of the area from (0, 0) in which
/// most of them lie. Without it, the area follows from the positions at each rebuild. It matters for
/// speed only: points outside are found as any other. All lengths are in world units, at most 1e17.
///
/// The grid copies the positions. Searches are exact for the numbers as they are given, float32 or
/// float64: a distance counts as SciPy's cKDTree counts it, and one that equals the limit is within it.
///
/// Raises ValueError if a shape is wrong or a number is NaN or out of range, TypeError if something
/// is no number, and MemoryError if there is not enough memory.
#[pyclass(frozen, subclass, module = "jostle")]
struct Grid {
    state: RwLock<State>,
}

struct State {
    /// None after a rebuild that ran out of memory.
    index: Option<Index>,
    pairs: PairSearch,
    world: Option<[f64; 4]>,
    /// The radius of all, if there is one for all.
    radius: Option<f64>,
}

#[pymethods]
impl Grid {
    #[new]
    #[pyo3(signature = (positions, radius=None, world=None), text_signature = "(positions, radius=0.0, world=None)")]
    fn new(
        positions: &Bound<'_, PyAny>,
        radius: Option<&Bound<'_, PyAny>>,
        world: Option<(f64, f64)>,
    ) -> PyResult<Self> {
        let world = world.map(world_of).transpose()?;
        let mut state =
            State { index: None, pairs: PairSearch::default(), world, radius: Some(0.0) };
        state.rebuild(positions, radius)?;
        Ok(Self { state: RwLock::new(state) })
    }

    /// Puts the points at new positions, an array of n × 2. Their number may change.
    ///
    /// The radius stays if one number is the radius of all; otherwise it is to be given again.
    #[pyo3(signature = (positions, radius=None))]
    fn rebuild(
        &self,
        positions: &Bound<'_, PyAny>,
        radius: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.write()?.rebuild(positions, radius)
    }

    /// All pairs with a gap of at most `within`: an array of m × 2 indices, int64, the lower one first
    /// in each row.
    ///
    /// The gap of two discs is the distance of their centers less both radii. With 0, these are the
    /// discs that overlap or touch. Each pair is listed once; the order of the rows depends on the
    /// points and `within` alone.
    #[pyo3(signature = (within=0.0))]
    fn pairs<'py>(&self, py: Python<'py>, within: f64) -> PyResult<Bound<'py, PyAny>> {
        length("within", within)?;
        let mut state = self.write()?;
        let State { index, pairs, .. } = &mut *state;
        let index = index.as_mut().ok_or_else(no_points)?;
        let pairs = run(py, index.len(), |stop| {
            index.check_pairs(within, stop)?;
            let expected = index.expected_pairs(within);
            let parts = pairs.find(index, within, expected, stop)?;
            let total = parts.iter().map(Vec::len).sum::<usize>();
            let mut all = zeroed::<i64>(total.saturating_mul(2))?;
            pairs::flatten(&parts, &mut all)?;
            Ok(all)
        })?;
        let rows = pairs.len() / 2;
        Ok(pairs.into_pyarray(py).reshape([rows, 2])?.into_any())
    }

    /// The points at most `radius` away from a center, or the discs that share a point with the disc.
    ///
    /// For one center, (x, y), the result is an array of indices, int64, ascending. For an array of
    /// m × 2 centers, with one radius for all or an array of m, it is a tuple (indices, offsets): the
    /// results of center i are `indices[offsets[i]:offsets[i + 1]]`. Such a batch runs on all threads.
    /// The radius may be infinite.
    fn query_disc<'py>(
        &self,
        py: Python<'py>,
        centers: &Bound<'py, PyAny>,
        radius: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let state = self.read()?;
        let index = state.index()?;
        let radius = Lengths::new(radius, "radius")?;
        match Queries::<2>::new(centers, "centers")? {
            Queries::Single(center) => {
                check_one("center", &center)?;
                let radius = radius.view(1, "radius", true)?.get(0);
                let mut found = Vec::new();
                index.in_disc(center, radius, &mut found)?;
                indices(py, &found)
            }
            Queries::Many(centers) => {
                let centers = centers.rows(2, "centers")?;
                let radius = radius.view(centers.len(), "radius", true)?;
                check(centers.len(), |at| centers.get::<2>(at), "center")?;
                let lists = run(py, centers.len(), |stop| {
                    let order = index.order(centers.len(), |at| centers.get(at))?;
                    let get = |at| (centers.get(at), radius.get(at));
                    index.lists(&order, stop, get, |(center, radius), found| {
                        index.in_disc(center, radius, found)
                    })
                })?;
                tuple_of(py, lists)
            }
        }
    }

    /// The points in a rectangle, or the discs that share a point with it. Its border belongs to it.
    ///
    /// A rectangle is (x0, y0, x1, y1), the lower corner first. For an array of m × 4, the result is
    /// a tuple (indices, offsets), as for `query_disc`.
    fn query_rect<'py>(
        &self,
        py: Python<'py>,
        rects: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let state = self.read()?;
        let index = state.index()?;
        match Queries::<4>::new(rects, "rects")? {
            Queries::Single(rect) => {
                check_one("rect", &rect)?;
                let mut found = Vec::new();
                index.in_rect(rect, &mut found)?;
                indices(py, &found)
            }
            Queries::Many(rects) => {
                let rects = rects.rows(4, "rects")?;
                check(rects.len(), |at| rects.get::<4>(at), "rect")?;
                let lists = run(py, rects.len(), |stop| {
                    let order = index.order(rects.len(), |at| rects.get(at))?;
                    index.lists(
                        &order,
                        stop,
                        |at| rects.get(at),
                        |rect, found| index.in_rect(rect, found),
                    )
                })?;
                tuple_of(py, lists)
            }
        }
    }

    /// The `k` points or discs nearest to a point: a tuple (distances, indices), nearest first.
    ///
    /// For one point, (x, y), these are a number and an index if `k` is 1, else arrays of k. For an
    /// array of m × 2 points, they are arrays of m if `k` is 1, else of m × k. The distance to a disc
    /// is the distance to its border, and 0 inside. Of two at the same distance, the one with the
    /// lower index comes first. Where there are fewer than `k`, the distance is infinite, and the
    /// index is the number of points, as in SciPy.
    #[pyo3(signature = (points, k=1))]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        k: i64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let state = self.read()?;
        let index = state.index()?;
        if !(1..=i64::from(u32::MAX)).contains(&k) {
            let sentence = format!("k {k} is out of range: expected 1 to {}", u32::MAX);
            return Err(PyValueError::new_err(sentence));
        }
        let k = k as usize;
        match Queries::<2>::new(points, "points")? {
            Queries::Single(point) => {
                check_one("point", &point)?;
                let (distances, indices) = run(py, k, |stop| {
                    index.found(
                        &[0],
                        k,
                        stop,
                        |_| point,
                        |point, found| index.nearest(point, k, found),
                    )
                })?;
                pair_of(py, distances, indices, &[], k)
            }
            Queries::Many(points) => {
                let points = points.rows(2, "points")?;
                check(points.len(), |at| points.get::<2>(at), "point")?;
                let (distances, indices) = run(py, points.len().saturating_mul(k), |stop| {
                    let order = index.order(points.len(), |at| points.get(at))?;
                    let get = |at| points.get(at);
                    index.found(&order, k, stop, get, |point, found| index.nearest(point, k, found))
                })?;
                pair_of(py, distances, indices, &[points.len()], k)
            }
        }
    }

    /// The first point or disc along a ray: a tuple (distance, index).
    ///
    /// A ray begins at an origin, (x, y), and runs in a direction of any length above 0, (x, y), for a
    /// distance of at most `max`. For arrays of m × 2 origins and directions, the result has two
    /// arrays of m. A ray that starts in a disc hits it at distance 0. Of two at the same distance, the
    /// one with the lower index is hit. If a ray hits nothing, the distance is infinite, and the index
    /// is the number of points.
    // Python reads 1e999 as inf, and shows it so; a literal of it has no other name.
    #[pyo3(
        signature = (origins, directions, max=f64::INFINITY),
        text_signature = "($self, origins, directions, max=1e999)"
    )]
    fn raycast<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        max: f64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let state = self.read()?;
        let index = state.index()?;
        length("max", max)?;
        let first_hit = |ray: [f64; 4], found: &mut Vec<Found>| {
            found.clear();
            found.extend(index.raycast(ray, max));
            Ok(())
        };
        let (origins, directions) =
            (Queries::<2>::new(origins, "origins")?, Queries::<2>::new(directions, "directions")?);
        match (origins, directions) {
            (Queries::Single([x, y]), Queries::Single([along_x, along_y])) => {
                let ray = [x, y, along_x, along_y];
                check_ray(None, ray)?;
                let (distances, indices) =
                    index.found(&[0], 1, &Stop::default(), |_| ray, first_hit)?;
                pair_of(py, distances, indices, &[], 1)
            }
            (Queries::Many(origins), Queries::Many(directions)) => {
                let (origins, directions) =
                    (origins.rows(2, "origins")?, directions.rows(2, "directions")?);
                if origins.len() != directions.len() {
                    return Err(PyValueError::new_err(format!(
                        "there are {} origins and {} directions: expected as many",
                        origins.len(),
                        directions.len()
                    )));
                }
                let ray = |at: usize| {
                    let ([x, y], [along_x, along_y]) = (origins.get(at), directions.get(at));
                    [x, y, along_x, along_y]
                };
                (0..origins.len()).try_for_each(|at| check_ray(Some(at), ray(at)))?;
                let (distances, indices) = run(py, origins.len(), |stop| {
                    let order = index.order(origins.len(), |at| origins.get(at))?;
                    index.found(&order, 1, stop, ray, first_hit)
                })?;
                pair_of(py, distances, indices, &[origins.len()], 1)
            }
            _ => Err(PyValueError::new_err(
                "origins and directions differ in shape: expected (2,) twice, or (m, 2) twice",
            )),
        }
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.read()?.index()?.len())
    }

    fn __repr__(&self) -> PyResult<String> {
        let state = self.read()?;
        let index = state.index()?;
        Ok(format!("<jostle.Grid of {} points, cells of {:.3}>", index.len(), index.cell()))
    }
}

impl Grid {
    fn read(&self) -> PyResult<RwLockReadGuard<'_, State>> {
        self.state.try_read().map_err(|error| in_use(&error))
    }

    fn write(&self) -> PyResult<RwLockWriteGuard<'_, State>> {
        self.state.try_write().map_err(|error| in_use(&error))
    }
}

fn in_use<T>(error: &TryLockError<T>) -> PyErr {
    PyRuntimeError::new_err(match error {
        TryLockError::WouldBlock => {
            "the grid is in use by another thread: wait for it, or create one grid per thread"
        }
        TryLockError::Poisoned(_) => "the grid is broken by an earlier error: create another one",
    })
}

impl State {
    /// # Errors
    /// If the last rebuild ran out of memory.
    fn index(&self) -> PyResult<&Index> {
        self.index.as_ref().ok_or_else(no_points)
    }

    fn rebuild(
        &mut self,
        positions: &Bound<'_, PyAny>,
        radius: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = positions.py();
        let positions = Floats::new(positions, "positions")?;
        let positions = positions.rows(2, "positions")?;
        let count = positions.len();
        check(count, |at| positions.get::<2>(at), "position")?;
        let radius = match radius {
            Some(radius) => Lengths::new(radius, "radius")?,
            None => Lengths::Same(self.radius.ok_or_else(|| {
                PyValueError::new_err("each point has a radius of its own: give the new ones, too")
            })?),
        };
        let source = Source { positions, radius: radius.view(count, "radius", false)? };
        if count > u32::MAX as usize / 4 {
            let sentence = format!("{count} points are out of range: expected at most 1073741823");
            return Err(PyValueError::new_err(sentence));
        }
        let (world, former) = (self.world, &mut self.index);
        let (index, same_grid) = run(py, count, |_| Index::new(source, world, former))?;
        self.index = Some(index);
        self.pairs.clear(same_grid);
        self.radius = match radius {
            Lengths::Same(radius) => Some(radius),
            Lengths::Each(_) => None,
        };
        Ok(())
    }
}

fn no_points() -> PyErr {
    PyRuntimeError::new_err("the last rebuild failed, so that the grid is empty: rebuild it")
}

/// Calls `work` on all threads without the GIL, or at once if it is on few items. Meanwhile the calling
/// thread looks for signals, and stops the work if a handler raises an exception.
fn run<T: Send>(
    py: Python<'_>,
    items: usize,
    work: impl FnOnce(&Stop) -> Result<T> + Send,
) -> PyResult<T> {
    let stop = Stop::default();
    if items < ALONE {
        return Ok(work(&stop)?);
    }
    let pool = pool()?;
    let (stop, mut result) = (&stop, Err(Failure::Stopped));
    let signal = py.detach(|| {
        pool.in_place_scope(|scope| {
            let (running, ended) = mpsc::channel::<()>();
            let result = &mut result;
            scope.spawn(move |_| {
                *result = work(stop);
                drop(running);
            });
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let signal =
                    Python::try_attach(|py: Python<'_>| py.check_signals()).unwrap_or(Ok(()));
                if signal.is_err() {
                    stop.set();
                    return signal;
                }
            }
            Ok(())
        })
    });
    signal?;
    Ok(result?)
}

/// The corners of a world.
fn world_of((width, height): (f64, f64)) -> PyResult<[f64; 4]> {
    for side in [width, height] {
        if !(side > 0.0 && side <= input::COORDINATE_MAX) {
            return Err(PyValueError::new_err(format!(
                "world ({width}, {height}) is out of range: expected lengths above 0, at most 1e17"
            )));
        }
    }
    Ok([0.0, 0.0, width, height])
}

/// Checks a distance, which may be infinite.
fn length(name: &str, length: f64) -> PyResult<()> {
    if length >= 0.0 {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{name} {length} is out of range: expected 0 to inf")))
}

fn check_one<const N: usize>(name: &str, numbers: &[f64; N]) -> PyResult<()> {
    if numbers.iter().all(|number| number.abs() <= input::COORDINATE_MAX) {
        return Ok(());
    }
    Err(out_of_range(name, None, numbers))
}

fn check_ray(row: Option<usize>, [x, y, along_x, along_y]: [f64; 4]) -> PyResult<()> {
    let valid =
        |numbers: [f64; 2]| numbers.iter().all(|number| number.abs() <= input::COORDINATE_MAX);
    if !valid([x, y]) {
        return Err(out_of_range("origin", row, &[x, y]));
    }
    if !valid([along_x, along_y]) {
        return Err(out_of_range("direction", row, &[along_x, along_y]));
    }
    if along_x.abs().max(along_y.abs()) < 1e-100 {
        let row = row.map_or(String::new(), |row| format!(" {row}"));
        return Err(PyValueError::new_err(format!(
            "direction{row} ({along_x}, {along_y}) has no length: expected at least 1e-100"
        )));
    }
    Ok(())
}

/// An array of indices.
fn indices<'py>(py: Python<'py>, found: &[u32]) -> PyResult<Bound<'py, PyAny>> {
    let indices = collected(found.iter().map(|&id| i64::from(id)))?;
    Ok(indices.into_pyarray(py).into_any())
}

/// The results of a batch.
fn tuple_of(py: Python<'_>, lists: Lists) -> PyResult<Bound<'_, PyAny>> {
    let Lists { indices, offsets } = lists;
    let tuple = (indices.into_pyarray(py), offsets.into_pyarray(py)).into_pyobject(py)?;
    Ok(tuple.into_any())
}

/// Distances and indices in the given shape, with an axis of `k` if that is not 1.
fn pair_of<'py>(
    py: Python<'py>,
    distances: Vec<f64>,
    indices: Vec<i64>,
    shape: &[usize],
    k: usize,
) -> PyResult<Bound<'py, PyTuple>> {
    if shape.is_empty() && k == 1 {
        return (distances[0], indices[0]).into_pyobject(py);
    }
    let (distances, indices) = (distances.into_pyarray(py), indices.into_pyarray(py));
    match shape {
        [rows] if k != 1 => {
            (distances.reshape([*rows, k])?, indices.reshape([*rows, k])?).into_pyobject(py)
        }
        _ => (distances, indices).into_pyobject(py),
    }
}
