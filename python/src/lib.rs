//! The package `jostle` for Python: `Sim`, `Grid` and the functions of `theory`.

mod arguments;
mod columns;
mod edits;
mod errors;
mod frames;
mod grid;
mod observe;
mod pool;
mod sim;
mod sweep;
mod theory;
mod view;

use pyo3::prelude::*;

#[pymodule]
fn _jostle(module: &Bound<'_, PyModule>) -> PyResult<()> {
    jostle::cli::host::prepare();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    grid::register(module)?;
    pool::register(module)?;
    sim::register(module)?;
    sweep::register(module)?;
    theory::register(module)
}
