//! The rasterizer, pixel by pixel.

mod cameras;
mod canvas;
mod coverage;
mod edges;
mod fixed;
mod golden;
mod lag;
mod marks;
mod order;
mod overlay;
mod starts;
