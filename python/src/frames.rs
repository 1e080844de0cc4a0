//! Frames of a run, as arrays and in notebooks.

use jostle::{Vec2, cli::host::HostValue};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};

use crate::{
    arguments::{arguments, count},
    sim::{PySim, on_pool},
};

/// The longer side of the picture in a notebook, and the shortest, pixels.
const PICTURE_SIDE: f32 = 640.0;
const PICTURE_SIDE_MIN: f32 = 64.0;

#[pymethods]
impl PySim {
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
