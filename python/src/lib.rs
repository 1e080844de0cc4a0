//! The package `jostle` for Python: `Sim`, `Grid` and the functions of `theory`.

mod grid;
mod sim;
mod theory;
mod threads;

use pyo3::prelude::*;

#[pymodule]
fn _jostle(module: &Bound<'_, PyModule>) -> PyResult<()> {
    grid::register(module)?;
    sim::register(module)?;
    theory::register(module)?;
    threads::register(module)
}
