//! Numbers from NumPy: arrays of any layout, and what can become one, are copied. So nothing that is
//! checked changes before it is used.

use numpy::{PyArrayDescrMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyFloat, PyInt},
};

/// Largest coordinate and length, world units: squares of differences stay far below the largest
/// f32.
pub(super) const COORDINATE_MAX: f64 = 1e17;

/// Floating-point numbers of the caller: a copy of ours, row by row, which no other thread writes to.
pub(super) enum Floats<'py> {
    F32(PyReadonlyArrayDyn<'py, f32>),
    F64(PyReadonlyArrayDyn<'py, f64>),
}

impl<'py> Floats<'py> {
    /// The numbers of a value. NumPy copies them: it knows arrays of any stride, alignment and byte
    /// order.
    ///
    /// # Errors
    /// If they are no real numbers, or there is not enough memory for the copy.
    pub(super) fn new(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        let numpy = value.py().import("numpy")?;
        if is_array(value) && value.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
            return Err(PyTypeError::new_err(format!(
                "{name} must not be a masked array; give its values without the masked ones, by \
                 numpy.ma.compress_rows or .compressed()"
            )));
        }
        let array = numpy.call_method1("asarray", (value,))?;
        let dtype = array.cast::<PyUntypedArray>()?.dtype();
        let copy = |dtype| array.call_method1("astype", (dtype, "C"));
        match (dtype.kind(), dtype.itemsize()) {
            (b'f', 4) => Ok(Self::F32(copy("float32")?.extract()?)),
            (kind, _) if is_real(kind) => Ok(Self::F64(copy("float64")?.extract()?)),
            _ => Err(PyTypeError::new_err(format!(
                "{name} must be real numbers, and are of dtype {dtype}; convert them to float32 \
                 or float64"
            ))),
        }
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
        Ok(Rows { numbers: self.numbers()?, columns })
    }

    /// All numbers, row by row.
    fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(match self {
            Self::F32(array) => Numbers::F32(array.as_slice()?),
            Self::F64(array) => Numbers::F64(array.as_slice()?),
        })
    }
}

/// Numbers that follow each other.
#[derive(Clone, Copy)]
pub(super) enum Numbers<'a> {
    F32(&'a [f32]),
    F64(&'a [f64]),
}

impl Numbers<'_> {
    fn len(&self) -> usize {
        match self {
            Self::F32(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
        }
    }

    #[inline(always)]
    fn get(&self, at: usize) -> f64 {
        match self {
            Self::F32(numbers) => f64::from(numbers[at]),
            Self::F64(numbers) => numbers[at],
        }
    }
}

/// The rows of an array of numbers.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    numbers: Numbers<'a>,
    columns: usize,
}

impl Rows<'_> {
    pub(super) fn len(&self) -> usize {
        self.numbers.len() / self.columns
    }

    /// The first numbers of a row.
    #[inline(always)]
    pub(super) fn get<const N: usize>(&self, row: usize) -> [f64; N] {
        std::array::from_fn(|at| self.numbers.get(row * self.columns + at))
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
                LengthView::Each(floats.numbers()?)
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
    Each(Numbers<'a>),
}

impl LengthView<'_> {
    #[inline(always)]
    pub(super) fn get(&self, item: usize) -> f64 {
        match self {
            Self::Same(length) => *length,
            Self::Each(lengths) => lengths.get(item),
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
        // An array goes by its shape: NumPy makes a number of one with a single entry.
        let is_single = match value.cast_exact::<PyUntypedArray>() {
            Ok(array) => array.shape() == [N] && is_real(array.dtype().kind()),
            Err(_) => !is_array(value) && value.len().is_ok_and(|len| len == N),
        };
        if is_single && let Ok(single) = value.extract::<[f64; N]>() {
            return Ok(Self::Single(single));
        }
        let floats = Floats::new(value, name)?;
        if *floats.shape() == [N] {
            let numbers = floats.numbers()?;
            return Ok(Self::Single(std::array::from_fn(|at| numbers.get(at))));
        }
        floats.rows(N, name)?;
        Ok(Self::Many(floats))
    }
}

/// True for the kinds of numbers that NumPy calls floating, signed and unsigned.
fn is_real(kind: u8) -> bool {
    matches!(kind, b'f' | b'i' | b'u')
}

fn is_array(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<PyUntypedArray>().is_ok()
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
