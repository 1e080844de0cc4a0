//! The rasterizer, pixel by pixel.

mod camera;
mod cameras;
mod canvas;
mod coverage;
mod edges;
mod golden;
mod interpolation;
mod order;
mod overlay;
mod seam;
mod start_tones;
mod statics;
mod tones;
mod zoom;
