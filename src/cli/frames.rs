//! Frames of a run, for `run`, `record` and the window's pictures: drawn by a [`FrameRenderer`],
//! written as PNG.

use std::io::{self, Write};

use glam::Vec2;

use crate::{
    Result, Sim,
    cli::args::PictureArgs,
    journal::JournalView,
    raster::{Camera, Frame, Glow, Renderer, Style, View},
};

/// Draws the states of one simulation.
#[derive(Debug)]
pub(super) struct FrameRenderer {
    renderer: Renderer,
    camera: Camera,
    /// `None` if nothing glows.
    glow: Option<Glow>,
}

impl FrameRenderer {
    /// Allocates everything but the frame. The agents' current positions are their starts for
    /// `ColorBy::Start`.
    ///
    /// # Errors
    /// As [`Renderer::new`].
    pub(super) fn new(picture: &PictureArgs, style: Style, sim: &Sim) -> Result<Self> {
        let [width, height] = picture.size();
        let mut renderer = Renderer::new(width, height, style)?;
        renderer.set_simd(sim.simd());
        renderer.record_starts(&View::from_sim(sim));
        let (camera, glow) = (camera(picture, sim), picture.glow.then(Glow::default));
        Ok(Self { renderer, camera, glow })
    }

    /// Draws from another point of view and in another style from now on. Colors by start stay.
    ///
    /// # Errors
    /// As [`Renderer::resize`].
    pub(super) fn show(&mut self, picture: &PictureArgs, style: Style, sim: &Sim) -> Result<()> {
        let [width, height] = picture.size();
        self.renderer.resize(width, height)?;
        self.renderer.set_style(style);
        (self.camera, self.glow) = (camera(picture, sim), picture.glow.then(Glow::default));
        Ok(())
    }

    /// Shows what a window showed of the run.
    pub(super) fn follow(&mut self, view: JournalView, sim: &Sim) {
        let Vec2 { x: width, y: height } = self.camera.size;
        let [width, height] = [width as u32, height as u32];
        self.camera = match view {
            JournalView::Whole => Camera::fit(&sim.world(), width, height),
            JournalView::Part(middle, across) => Camera::new(middle, across, width, height),
        };
    }

    /// Draws the current state, on all threads of the pool that the caller is in.
    pub(super) fn draw(&mut self, frame: &mut Frame, sim: &Sim) {
        self.renderer.draw(frame, &self.camera, &View::from_sim(sim));
        if let Some(glow) = &mut self.glow {
            let size = [frame.width, frame.height];
            glow.add(frame.bytes_mut().as_chunks_mut().0, size, sim.simd());
        }
    }
}

/// The camera of a picture.
fn camera(picture: &PictureArgs, sim: &Sim) -> Camera {
    let [width, height] = picture.size();
    match picture.view {
        Some(view) => Camera::new(view.center, view.width, width, height),
        None => Camera::fit(&sim.world(), width, height),
    }
}

/// Bytes that a frame of that size and its renderer hold.
pub(super) fn memory_for([width, height]: [u32; 2]) -> u64 {
    u64::from(width) * u64::from(height) * 4 + Renderer::memory_for(width, height)
}

/// Writes a frame as PNG.
///
/// # Errors
/// If it can't be written.
pub(super) fn write_png(frame: &Frame, to: &mut dyn Write) -> io::Result<()> {
    let mut png = png::Encoder::new(to, frame.width, frame.height);
    png.set_color(png::ColorType::Rgba);
    png.set_depth(png::BitDepth::Eight);
    let mut png = png.write_header().map_err(png_error)?;
    png.write_image_data(frame.bytes()).map_err(png_error)?;
    png.finish().map_err(png_error)
}

/// The error of the system itself, so that its kind stays visible.
pub(super) fn png_error(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(error) => error,
        error => io::Error::other(error),
    }
}
