//! `theory`: what is expected of gases of hard discs, over NumPy arrays.
//!
//! All functions take numbers or arrays of any shapes that NumPy broadcasts, and return a number or an
//! array of float64. NaN yields NaN.

use std::f64::consts::PI;

use jostle::observe::theory;
use numpy::{IntoPyArray, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyFloat, PyInt, PyTuple},
};

/// The densest packing of equal discs.
const ETA_MAX: f64 = 0.906_899_682_117_089_3;

/// Adds this module's items, as a module of their own.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let theory = PyModule::new(py, "theory")?;
    theory.setattr("__doc__", DOC)?;
    theory.add_function(wrap_pyfunction!(barometric, &theory)?)?;
    theory.add_function(wrap_pyfunction!(collision_rate, &theory)?)?;
    theory.add_function(wrap_pyfunction!(compressibility, &theory)?)?;
    theory.add_function(wrap_pyfunction!(contact_value, &theory)?)?;
    theory.add_function(wrap_pyfunction!(haff, &theory)?)?;
    theory.add_function(wrap_pyfunction!(maxwell_speed, &theory)?)?;
    theory.add_function(wrap_pyfunction!(mean_free_path, &theory)?)?;
    // So that `import jostle.theory` works, too.
    py.import("sys")?.getattr("modules")?.set_item("jostle.theory", &theory)?;
    theory.setattr("__name__", "jostle.theory")?;
    module.add_submodule(&theory)
}

const DOC: &str = "What theory expects of a gas of equal hard discs in two dimensions.

eta is the share of the area that discs cover, d their diameter, m their mass, kT the temperature in
units of energy: the mean of m * (vx**2 + vy**2) / 2. In a run of jostle the mass of an agent is the
square of its radius. All functions broadcast like those of NumPy, and return float64.";

/// The compressibility factor Z = P / (rho kT) of hard discs at eta, 0 to 0.7.
///
/// It is a Padé approximant of the virial series to the tenth coefficient (Clisby and McCoy, 2006). Near
/// eta 0.7 discs freeze, and it holds no longer.
#[pyfunction]
#[pyo3(signature = (eta, /))]
fn compressibility<'py>(eta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    map([("eta", eta)], |[eta]| in_range("eta", eta, ETA_MAX).map(theory::compressibility))
}

/// The radial distribution g(r) where two discs touch, at eta: Z = 1 + 2 eta g.
#[pyfunction]
#[pyo3(signature = (eta, /))]
fn contact_value<'py>(eta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    map([("eta", eta)], |[eta]| in_range("eta", eta, ETA_MAX).map(contact))
}

/// Collisions of a disc per time, at eta: 8 eta g / sqrt(pi) times sqrt(kT / m) / d.
///
/// `diameter` is a length, `thermal_speed` is sqrt(kT / m), a length per time.
#[pyfunction]
#[pyo3(signature = (eta, diameter=None, thermal_speed=None))]
fn collision_rate<'py>(
    eta: &Bound<'py, PyAny>,
    diameter: Option<&Bound<'py, PyAny>>,
    thermal_speed: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let one = 1_i64.into_pyobject(eta.py())?.into_any();
    let (diameter, speed) = (diameter.unwrap_or(&one), thermal_speed.unwrap_or(&one));
    map(
        [("eta", eta), ("diameter", diameter), ("thermal_speed", speed)],
        |[eta, diameter, speed]| {
            let eta = in_range("eta", eta, ETA_MAX)?;
            let (diameter, speed) =
                (above_0("diameter", diameter)?, positive("thermal_speed", speed)?);
            Ok(8.0 * eta * contact(eta) / PI.sqrt() * speed / diameter)
        },
    )
}

/// The mean distance between two collisions of a disc, at eta: mean speed by collision rate, which is
/// pi d / (8 sqrt(2) eta g).
#[pyfunction]
#[pyo3(signature = (eta, diameter=None))]
fn mean_free_path<'py>(
    eta: &Bound<'py, PyAny>,
    diameter: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let one = 1_i64.into_pyobject(eta.py())?.into_any();
    map([("eta", eta), ("diameter", diameter.unwrap_or(&one))], |[eta, diameter]| {
        let (eta, diameter) = (in_range("eta", eta, ETA_MAX)?, positive("diameter", diameter)?);
        Ok(PI * diameter / (8.0 * 2.0_f64.sqrt() * eta * contact(eta)))
    })
}

/// Haff's law: the temperature of a uniform gas that loses energy in collisions, as a share of that at
/// the start.
///
/// `restitution` is 0 to 1, `rate` the collision rate of a disc at the start, `time` the time since,
/// in the same unit: (1 + (1 - restitution**2) rate time / 4)**-2.
#[pyfunction]
#[pyo3(signature = (restitution, rate, time))]
fn haff<'py>(
    restitution: &Bound<'py, PyAny>,
    rate: &Bound<'py, PyAny>,
    time: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    map([("restitution", restitution), ("rate", rate), ("time", time)], |[e, rate, time]| {
        let e = in_range("restitution", e, 1.0)?;
        Ok(theory::haff(e, positive("rate", rate)?, positive("time", time)?))
    })
}

/// Maxwell's distribution of speeds in two dimensions: the probability density at `speed`, per speed.
///
/// `thermal_speed` is sqrt(kT / m), in the same unit: v / s**2 * exp(-v**2 / (2 s**2)).
#[pyfunction]
#[pyo3(signature = (speed, thermal_speed))]
fn maxwell_speed<'py>(
    speed: &Bound<'py, PyAny>,
    thermal_speed: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    map([("speed", speed), ("thermal_speed", thermal_speed)], |[speed, thermal]| {
        let (speed, thermal) = (positive("speed", speed)?, above_0("thermal_speed", thermal)?);
        let share = speed / thermal;
        Ok(share * (-0.5 * share * share).exp() / thermal)
    })
}

/// The barometric formula: the density of a dilute gas at `height`, as a share of that at height 0.
///
/// `gravity` is an acceleration, `thermal_speed` is sqrt(kT / m): exp(-gravity height / s**2).
#[pyfunction]
#[pyo3(signature = (height, gravity, thermal_speed))]
fn barometric<'py>(
    height: &Bound<'py, PyAny>,
    gravity: &Bound<'py, PyAny>,
    thermal_speed: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = [("height", height), ("gravity", gravity), ("thermal_speed", thermal_speed)];
    map(arguments, |[height, gravity, thermal]| {
        let thermal = above_0("thermal_speed", thermal)?;
        Ok((-gravity * height / (thermal * thermal)).exp())
    })
}

/// g(d⁺), which is 1 in a gas of no density.
fn contact(eta: f64) -> f64 {
    // The quotient of two differences loses its digits.
    if eta < 1e-6 { 1.0 + 2.0 * 0.782_004_4 * eta } else { theory::contact(eta) }
}

/// A value outside of its range: its name, the value, and the range in words.
type OutOfRange = (&'static str, f64, String);

fn in_range(name: &'static str, value: f64, max: f64) -> Result<f64, OutOfRange> {
    let valid = value.is_nan() || (0.0..=max).contains(&value);
    if valid { Ok(value) } else { Err((name, value, format!("0 to {max:.4}"))) }
}

fn positive(name: &'static str, value: f64) -> Result<f64, OutOfRange> {
    let valid = value.is_nan() || value >= 0.0;
    if valid { Ok(value) } else { Err((name, value, "at least 0".to_owned())) }
}

fn above_0(name: &'static str, value: f64) -> Result<f64, OutOfRange> {
    let valid = value.is_nan() || value > 0.0;
    if valid { Ok(value) } else { Err((name, value, "more than 0".to_owned())) }
}

/// Calls a function with each tuple of numbers of some arguments, which are broadcast.
fn map<'py, const N: usize>(
    arguments: [(&str, &Bound<'py, PyAny>); N],
    function: impl Fn([f64; N]) -> Result<f64, OutOfRange>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = arguments[0].1.py();
    let refused = |(name, value, expected): OutOfRange| {
        PyValueError::new_err(format!("{name} {value} is out of range: expected {expected}"))
    };
    let is_number = |value: &Bound<'_, PyAny>| {
        value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>()
    };
    if arguments.iter().all(|(_, value)| is_number(value)) {
        let mut numbers = [0.0; N];
        for (number, (_, value)) in numbers.iter_mut().zip(arguments) {
            *number = value.extract()?;
        }
        return Ok(function(numbers).map_err(refused)?.into_pyobject(py)?.into_any());
    }
    let numpy = py.import("numpy")?;
    let mut arrays = Vec::with_capacity(N);
    for (name, value) in arguments {
        let array = numpy.call_method1("asarray", (value,))?;
        let kind: char = array.getattr("dtype")?.getattr("kind")?.extract()?;
        if !"fiu".contains(kind) {
            let sentence = format!("{name} must be a real number, or an array of real numbers");
            return Err(PyTypeError::new_err(sentence));
        }
        arrays.push(array.call_method1("astype", ("float64",))?);
    }
    let broadcast = numpy.call_method1("broadcast_arrays", PyTuple::new(py, arrays)?)?;
    let arrays: Vec<Bound<'py, PyArrayDyn<f64>>> = broadcast.extract()?;
    let shape = arrays[0].shape().to_vec();
    let views: Vec<_> = arrays.iter().map(PyArrayMethods::readonly).collect();
    let views: Vec<_> = views.iter().map(numpy::PyReadonlyArray::as_array).collect();
    let mut numbers: Vec<_> = views.iter().map(|view| view.iter()).collect();
    let mut results = Vec::with_capacity(views[0].len());
    for _ in 0..views[0].len() {
        let row = std::array::from_fn(|at| numbers[at].next().copied().unwrap_or(f64::NAN));
        results.push(function(row).map_err(refused)?);
    }
    let results = results.into_pyarray(py).reshape(shape)?.into_any();
    // An array without axes is a number, as NumPy returns it.
    results.get_item(PyTuple::empty(py))
}
