//! Numbers from NumPy: arrays of any layout become views, anything else becomes an array first.

use numpy::{
    PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
    ndarray::{ArrayView1, ArrayView2, Ix1, Ix2},
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyFloat, PyInt},
};

/// Largest coordinate and length, world units: squares of differences stay far below the largest
/// f32.
pub(super) const COORDINATE_MAX: f64 = 1e17;

/// An array of floating-point numbers, in the layout of the caller.
pub(super) enum Floats<'py> {
    F32(PyReadonlyArrayDyn<'py, f32>),
    F64(PyReadonlyArrayDyn<'py, f64>),
}

impl<'py> Floats<'py> {
    /// The array that a value is, or is converted to.
    ///
    /// # Errors
    /// If it is not made of real numbers.
    pub(super) fn new(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        if let Ok(array) = value.cast::<PyArrayDyn<f64>>() {
            return Ok(Self::F64(array.try_readonly()?));
        }
        if let Ok(array) = value.cast::<PyArrayDyn<f32>>() {
            return Ok(Self::F32(array.try_readonly()?));
        }
        let array = value.py().import("numpy")?.call_method1("asarray", (value,))?;
        let dtype = array.cast::<PyUntypedArray>()?.dtype();
        let (kind, size) = (
            dtype.getattr("kind")?.extract::<char>()?,
            dtype.getattr("itemsize")?.extract::<u8>()?,
        );
        let native = match (kind, size) {
            // The numbers of an empty list.
            ('f', 4) => array.call_method1("astype", ("float32",))?,
            ('f' | 'i' | 'u', _) => array.call_method1("astype", ("float64",))?,
            _ => {
                return Err(PyTypeError::new_err(format!(
                    "{name} must be real numbers, and are of dtype {dtype}; convert them to float32 \
                     or float64"
                )));
            }
        };
        Self::new(&native, name)
    }

    fn shape(&self) -> &[usize] {
        match self {
            Self::F32(array) => array.shape(),
            Self::F64(array) => array.shape(),
        }
    }

    /// The rows of an array of n × `columns`.
    ///
    /// # Errors
    /// If it has another shape.
    pub(super) fn rows(&self, columns: usize, name: &str) -> PyResult<Rows<'_>> {
        match *self.shape() {
            [_, found] if found == columns => {}
            // `[]` has no second axis.
            [0] => {}
            _ => {
                return Err(PyValueError::new_err(format!(
                    "{name} have the shape {}: expected (n, {columns})",
                    shape_of(self.shape())
                )));
            }
        }
        if self.shape() == [0] {
            return Ok(Rows::F64(ArrayView2::from_shape((0, columns), &[]).expect("no numbers")));
        }
        Ok(match self {
            Self::F32(array) => {
                Rows::F32(array.as_array().into_dimensionality::<Ix2>().expect("two axes"))
            }
            Self::F64(array) => {
                Rows::F64(array.as_array().into_dimensionality::<Ix2>().expect("two axes"))
            }
        })
    }

    /// True if the array is a single row of `columns` numbers.
    pub(super) fn is_single(&self, columns: usize) -> bool {
        self.shape() == [columns]
    }

    /// The numbers of a single row.
    pub(super) fn single<const N: usize>(&self) -> [f64; N] {
        match self {
            Self::F32(array) => {
                let row = array.as_array();
                std::array::from_fn(|at| f64::from(row[at]))
            }
            Self::F64(array) => {
                let row = array.as_array();
                std::array::from_fn(|at| row[at])
            }
        }
    }
}

/// The rows of an array of numbers.
#[derive(Clone, Copy)]
pub(super) enum Rows<'a> {
    F32(ArrayView2<'a, f32>),
    F64(ArrayView2<'a, f64>),
}

impl Rows<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::F32(rows) => rows.nrows(),
            Self::F64(rows) => rows.nrows(),
        }
    }

    /// The first numbers of a row.
    #[inline(always)]
    pub(super) fn get<const N: usize>(&self, row: usize) -> [f64; N] {
        match self {
            Self::F32(rows) => std::array::from_fn(|at| f64::from(rows[[row, at]])),
            Self::F64(rows) => std::array::from_fn(|at| rows[[row, at]]),
        }
    }
}

/// One length for all, or one for each.
pub(super) enum Lengths<'py> {
    Same(f64),
    Each(Floats<'py>),
}

impl<'py> Lengths<'py> {
    /// The lengths that a number or an array gives.
    ///
    /// # Errors
    /// If it is neither.
    pub(super) fn new(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
            return Ok(Self::Same(value.extract()?));
        }
        let floats = Floats::new(value, name)?;
        if floats.shape().is_empty() {
            return Ok(Self::Same(value.extract()?));
        }
        Ok(Self::Each(floats))
    }

    /// The lengths of `count` items.
    ///
    /// # Errors
    /// If their number differs, or one is negative, NaN or too large. An infinite one is allowed if
    /// `infinite`.
    pub(super) fn view(
        &self,
        count: usize,
        name: &str,
        infinite: bool,
    ) -> PyResult<LengthView<'_>> {
        let view = match self {
            Self::Same(length) => LengthView::Same(*length),
            Self::Each(floats) => {
                if floats.shape() != [count] {
                    return Err(PyValueError::new_err(format!(
                        "{name} has the shape {}: expected one number, or ({count},)",
                        shape_of(floats.shape())
                    )));
                }
                match floats {
                    Floats::F32(array) => LengthView::F32(
                        array.as_array().into_dimensionality::<Ix1>().expect("one axis"),
                    ),
                    Floats::F64(array) => LengthView::F64(
                        array.as_array().into_dimensionality::<Ix1>().expect("one axis"),
                    ),
                }
            }
        };
        let max = if infinite { f64::INFINITY } else { COORDINATE_MAX };
        let items = if matches!(view, LengthView::Same(_)) { 1 } else { count };
        let wrong = (0..items).find(|&item| !(0.0..=max).contains(&view.get(item)));
        wrong.map_or(Ok(view), |item| {
            let (length, max) = (view.get(item), if infinite { "inf" } else { "1e17" });
            let of = if matches!(self, Self::Same(_)) { String::new() } else { format!(" {item}") };
            Err(PyValueError::new_err(format!(
                "{name}{of} {length} is out of range: expected 0 to {max}"
            )))
        })
    }
}

/// Lengths as they are read.
#[derive(Clone, Copy)]
pub(super) enum LengthView<'a> {
    Same(f64),
    F32(ArrayView1<'a, f32>),
    F64(ArrayView1<'a, f64>),
}

impl LengthView<'_> {
    #[inline(always)]
    pub(super) fn get(&self, item: usize) -> f64 {
        match self {
            Self::Same(length) => *length,
            Self::F32(lengths) => f64::from(lengths[item]),
            Self::F64(lengths) => lengths[item],
        }
    }
}

/// Numbers of a single query, or of many.
pub(super) enum Queries<'py, const N: usize> {
    Single([f64; N]),
    Many(Floats<'py>),
}

impl<'py, const N: usize> Queries<'py, N> {
    /// The queries that a value gives: a tuple or an array of `N` numbers, or an array of n × `N`.
    ///
    /// # Errors
    /// If it is none of these.
    pub(super) fn new(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        if value.len().is_ok_and(|len| len == N)
            && let Ok(single) = value.extract::<[f64; N]>()
        {
            return Ok(Self::Single(single));
        }
        let floats = Floats::new(value, name)?;
        if floats.is_single(N) {
            return Ok(Self::Single(floats.single()));
        }
        floats.rows(N, name)?;
        Ok(Self::Many(floats))
    }
}

/// Checks that numbers are finite and within the limit.
///
/// # Errors
/// With the first that is not.
pub(super) fn check<const N: usize>(
    count: usize,
    get: impl Fn(usize) -> [f64; N],
    name: &str,
) -> PyResult<()> {
    let valid = |row: [f64; N]| row.iter().all(|number| number.abs() <= COORDINATE_MAX);
    match (0..count).find(|&row| !valid(get(row))) {
        None => Ok(()),
        Some(row) => Err(out_of_range(name, Some(row), &get(row))),
    }
}

/// The error of numbers that are not finite, or beyond the limit.
pub(super) fn out_of_range(name: &str, row: Option<usize>, numbers: &[f64]) -> PyErr {
    let row = row.map_or(String::new(), |row| format!(" {row}"));
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    PyValueError::new_err(format!(
        "{name}{row} ({}) is out of range: expected finite numbers from -1e17 to 1e17",
        numbers.join(", ")
    ))
}

fn shape_of(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}
