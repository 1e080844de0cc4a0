//! The rasterizer, pixel by pixel.

mod canvas;
mod coverage;
mod edges;
mod golden;
mod marks;
mod order;
