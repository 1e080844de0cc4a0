//! What `run` draws with: a painter, its frame and the camera, for one run.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use jostle::{
    Camera, Setup, Sim,
    raster::{Frame, Painter, Picture},
};

use crate::cli::run::PictureArgs;

/// Draws states of one simulation into one frame.
#[derive(Debug)]
pub(super) struct Easel {
    painter: Painter,
    frame: Frame,
    camera: Camera,
}

impl Easel {
    /// Claims all that drawing takes.
    pub(super) fn new(args: &PictureArgs, setup: &Setup, sim: &Sim) -> Self {
        let [width, height] = args.size;
        let look = jostle::raster::Look { order: args.draw_order, ..args.look.look(setup) };
        let mut painter = Painter::new(width, height, look);
        painter.mark_start(&picture(sim));
        let camera = match args.view {
            Some(view) => Camera::view(view.center, view.width, width, height),
            None => Camera::fit(&sim.world(), width, height),
        };
        Self { painter, frame: Frame::new(width, height), camera }
    }

    /// Draws the present state; says how long it took.
    pub(super) fn draw(&mut self, sim: &Sim) -> Duration {
        let start = Instant::now();
        self.painter.draw(&mut self.frame, &self.camera, &picture(sim));
        start.elapsed()
    }

    /// Bytes that frame and painter hold.
    pub(super) fn bytes(&self) -> u64 {
        bytes([self.frame.width, self.frame.height])
    }

    /// The frame as a PNG.
    pub(super) fn png(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut png = png::Encoder::new(to, self.frame.width, self.frame.height);
        png.set_color(png::ColorType::Rgba);
        png.set_depth(png::BitDepth::Eight);
        let mut png = png.write_header().map_err(io_error)?;
        png.write_image_data(self.frame.bytes()).map_err(io_error)?;
        png.finish().map_err(io_error)
    }
}

/// What the system said, not wrapped into anything that hides its kind.
fn io_error(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(error) => error,
        error => io::Error::other(error),
    }
}

/// Bytes that drawing pictures of that size takes.
pub(super) fn bytes([width, height]: [u32; 2]) -> u64 {
    u64::from(width) * u64::from(height) * 4 + Painter::bytes_for(width, height)
}

fn picture(sim: &Sim) -> Picture<'_> {
    Picture { agents: sim.agents(), grid: sim.grid(), world: sim.world() }
}
