//! What `run` and `record` draw with: a renderer and a camera, for one run.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use crate::{
    Sim,
    raster::{Camera, Frame, Renderer, Style, View},
};

use crate::cli::args::{run::PictureArgs, values::ViewArg};

/// Draws states of one simulation from one point of view.
#[derive(Debug)]
pub(super) struct Brush {
    renderer: Renderer,
    camera: Camera,
}

impl Brush {
    /// Claims all that drawing takes, but for the frame. Agents are where they start.
    pub(super) fn new(
        [width, height]: [u32; 2],
        view: Option<ViewArg>,
        look: Style,
        sim: &Sim,
    ) -> Self {
        let mut renderer = Renderer::new(width, height, look);
        renderer.set_simd(sim.simd());
        renderer.record_starts(&View::from_sim(sim));
        let camera = match view {
            Some(view) => Camera::new(view.center, view.width, width, height),
            None => Camera::fit(&sim.world(), width, height),
        };
        Self { renderer, camera }
    }

    /// Draws the present state.
    pub(super) fn draw(&mut self, frame: &mut Frame, sim: &Sim) {
        self.renderer.draw(frame, &self.camera, &View::from_sim(sim));
    }
}

/// A brush and its frame.
#[derive(Debug)]
pub(super) struct Easel {
    brush: Brush,
    frame: Frame,
}

impl Easel {
    /// Claims all that drawing takes.
    pub(super) fn new(args: &PictureArgs, mut look: Style, sim: &Sim) -> Self {
        let [width, height] = args.size();
        look.order = args.order();
        let brush = Brush::new(args.size(), args.view, look, sim);
        Self { brush, frame: Frame::new(width, height) }
    }

    /// Draws the present state; says how long it took.
    pub(super) fn draw(&mut self, sim: &Sim) -> Duration {
        let start = Instant::now();
        self.brush.draw(&mut self.frame, sim);
        start.elapsed()
    }

    /// Bytes that frame and renderer hold.
    pub(super) fn bytes(&self) -> u64 {
        bytes([self.frame.width, self.frame.height])
    }

    /// The frame as a PNG.
    pub(super) fn png(&self, to: &mut dyn Write) -> io::Result<()> {
        png(&self.frame, to)
    }
}

/// A frame as a PNG.
pub(super) fn png(frame: &Frame, to: &mut dyn Write) -> io::Result<()> {
    let mut png = png::Encoder::new(to, frame.width, frame.height);
    png.set_color(png::ColorType::Rgba);
    png.set_depth(png::BitDepth::Eight);
    let mut png = png.write_header().map_err(io_error)?;
    png.write_image_data(frame.bytes()).map_err(io_error)?;
    png.finish().map_err(io_error)
}

/// What the system said, not wrapped into anything that hides its kind.
pub(super) fn io_error(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(error) => error,
        error => io::Error::other(error),
    }
}

/// Bytes that drawing pictures of that size takes.
pub(super) fn bytes([width, height]: [u32; 2]) -> u64 {
    u64::from(width) * u64::from(height) * 4 + Renderer::bytes_for(width, height)
}
