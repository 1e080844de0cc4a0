//! Python's values as arguments of a run, and as ids and numbers of agents.

use std::path::PathBuf;

use jostle::{
    Vec2,
    cli::host::{HostArgument, HostValue},
};
use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyMapping, PyString},
};

/// The named values of a call as arguments; `None` is no argument.
///
/// # Errors
/// If a value is of a type that no argument has.
pub(crate) fn arguments(named: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<HostArgument>> {
    let mut arguments = Vec::new();
    for (name, value) in named.into_iter().flatten() {
        let name: String = name.extract()?;
        if let Some(value) = argument(&name, &value)? {
            arguments.push((name, value));
        }
    }
    Ok(arguments)
}

/// The value of an argument; none for `None`.
///
/// # Errors
/// If it is of a type that no argument has.
pub(crate) fn argument(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<HostValue>> {
    if value.is_none() {
        return Ok(None);
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Some(HostValue::Switch(value.extract()?)));
    }
    if value.is_instance_of::<PyString>() || value.hasattr("__fspath__")? {
        return Ok(Some(HostValue::Text(value.extract::<PathBuf>()?.into())));
    }
    if let Ok(settings) = value.cast::<PyMapping>() {
        let pair = |pair: Bound<'_, PyAny>| {
            let (name, value): (String, Bound<'_, PyAny>) = pair.extract()?;
            Ok((name.clone(), typed(&name, &value)?))
        };
        let settings: PyResult<_> = settings.items()?.iter().map(pair).collect();
        return Ok(Some(HostValue::Settings(settings?)));
    }
    if value.hasattr("__len__")? && value.hasattr("__getitem__")? {
        let numbers: PyResult<_> = value.try_iter()?.map(|number| typed(name, &number?)).collect();
        return Ok(Some(HostValue::List(numbers?)));
    }
    Ok(Some(HostValue::Text(typed(name, value)?.into())))
}

/// A number as people type it.
fn typed(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(whole) = value.call_method0("__index__")
        && whole.is_instance_of::<PyInt>()
    {
        return whole.str()?.extract();
    }
    match value.extract::<f64>() {
        Ok(number) if !value.is_instance_of::<PyString>() => Ok(format!("{number:?}")),
        _ => Err(wrong_type(name, value, "a number")),
    }
}

/// The exception for a value of another type than expected.
fn wrong_type(name: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let found = value.get_type().name().map_or_else(|_| "object".to_owned(), |it| it.to_string());
    PyTypeError::new_err(format!("{name} is of type {found}: expected {expected}"))
}

/// A count from 0 to 4,294,967,295.
///
/// # Errors
/// If it is no such number.
pub(crate) fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    count_to(name, value, u32::MAX)
}

/// A count from 0 to `max`.
///
/// # Errors
/// If it is no such number.
pub(crate) fn count_to(name: &str, value: &Bound<'_, PyAny>, max: u32) -> PyResult<u32> {
    if let Some(count) = value.extract().ok().filter(|count| *count <= max) {
        return Ok(count);
    }
    match value.call_method0("__index__") {
        Ok(whole) => Err(PyValueError::new_err(format!(
            "{name} {} is out of range: expected 0 to {max}",
            shown(&whole),
        ))),
        Err(_) => Err(wrong_type(name, value, "a whole number")),
    }
}

/// A number for a message, shortened if it is very long.
fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.str().map_or_else(|_| "of many digits".to_owned(), |text| text.to_string());
    if text.chars().count() > 40 { text.chars().take(30).chain(['…']).collect() } else { text }
}

/// A number, as one of 32 bits.
///
/// # Errors
/// If it is none.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f32> {
    let is_number = !value.is_instance_of::<PyString>();
    let number = value.extract::<f64>().ok().filter(|_| is_number);
    number.map(|it| it as f32).ok_or_else(|| wrong_type(name, value, "a number"))
}

/// Numbers for several agents.
pub(crate) enum Numbers {
    /// The same for all.
    One(f32),
    Many(Vec<f32>),
}

impl Numbers {
    /// Reads a number, or a list or an array of one dimension.
    ///
    /// # Errors
    /// If it is neither.
    pub(crate) fn read(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
            return number(name, value).map(Self::One);
        }
        let array = as_array(name, value, "a number or an array of numbers", "iuf")?;
        if array.ndim() == 0 {
            return number(name, value).map(Self::One);
        }
        // Numbers beyond 32 bits become infinite, which the library refuses.
        let array = array.call_method1("astype", ("float32",))?;
        let array: PyReadonlyArray1<'_, f32> = array.extract()?;
        Ok(Self::Many(array.as_array().to_vec()))
    }

    /// Reads a small whole number, or a list or an array of one dimension, each with `read`.
    ///
    /// # Errors
    /// If one can't be read.
    pub(crate) fn whole(
        value: &Bound<'_, PyAny>,
        read: impl Fn(&Bound<'_, PyAny>) -> PyResult<u8>,
    ) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() || value.len().is_err() {
            return Ok(Self::One(read(value)?.into()));
        }
        let all: PyResult<_> = value.try_iter()?.map(|item| Ok(read(&item?)?.into())).collect();
        Ok(Self::Many(all?))
    }

    /// How many there are, unless it is one for all.
    pub(crate) fn len(&self) -> Option<usize> {
        if let Self::Many(all) = self { Some(all.len()) } else { None }
    }

    /// The number of an agent.
    pub(crate) fn get(&self, index: usize) -> f32 {
        match self {
            Self::One(number) => *number,
            Self::Many(all) => all[index],
        }
    }

    /// Refuses another number of values than `count`.
    ///
    /// # Errors
    /// If there are others.
    pub(crate) fn check(&self, name: &str, count: usize) -> PyResult<()> {
        match self.len() {
            Some(found) if found != count => Err(PyValueError::new_err(format!(
                "{name} has {found} values for {count} agents: expected one number, or {count}"
            ))),
            _ => Ok(()),
        }
    }
}

/// Reads an id, or a list or an array of ids.
///
/// # Errors
/// If it is neither.
pub(crate) fn ids(value: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    if value.is_instance_of::<PyInt>() {
        return Ok(vec![count("id", value)?]);
    }
    let array = as_array("id", value, "an id or an array of ids", "iu")?;
    if array.ndim() == 0 {
        return Ok(vec![count("id", value)?]);
    }
    let wide = array.call_method1("astype", ("int64",))?;
    let wide: PyReadonlyArray1<'_, i64> = wide.extract()?;
    let id = |&id: &i64| {
        u32::try_from(id).map_err(|_| {
            let most = u32::MAX;
            PyValueError::new_err(format!("id {id} is out of range: expected 0 to {most}"))
        })
    };
    wide.as_array().iter().map(id).collect()
}

/// A value as an array of at most one dimension, with numbers of the given kinds.
fn as_array<'py>(
    name: &str,
    value: &Bound<'py, PyAny>,
    expected: &str,
    kinds: &str,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let numpy = value.py().import("numpy")?;
    let array =
        numpy.call_method1("asarray", (value,)).map_err(|_| wrong_type(name, value, expected))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    let kind: String = array.dtype().getattr("kind")?.extract()?;
    if array.ndim() > 1 {
        let shape = array.shape();
        let why = format!("{name} has the shape {shape:?}: expected {expected} of one dimension");
        return Err(PyValueError::new_err(why));
    }
    // An empty list has no kind of its own.
    if !kinds.contains(&kind) && !array.is_empty() {
        let why = format!("{name} has values of type {}: expected {expected}", array.dtype());
        return Err(PyTypeError::new_err(why));
    }
    Ok(array)
}

/// Vectors for several agents, each with its id.
///
/// # Errors
/// If the numbers are not as many as the ids.
pub(crate) fn vectors(
    ids: &Bound<'_, PyAny>,
    [x_name, y_name]: [&str; 2],
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
) -> PyResult<Vec<(u32, Vec2)>> {
    let ids = self::ids(ids)?;
    let (x, y) = (Numbers::read(x_name, x)?, Numbers::read(y_name, y)?);
    x.check(x_name, ids.len())?;
    y.check(y_name, ids.len())?;
    Ok((0..).zip(ids).map(|(at, id)| (id, Vec2::new(x.get(at), y.get(at)))).collect())
}
