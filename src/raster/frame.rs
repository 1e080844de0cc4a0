//! The image that is drawn into.

/// An image of RGBA8 pixels, top row first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue, alpha; `width * height` of them.
    pub pixels: Vec<[u8; 4]>,
}

impl Frame {
    /// A black frame; either side may be 0.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, pixels: vec![[0, 0, 0, 255]; width as usize * height as usize] }
    }

    /// The pixels as bytes, for an encoder.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.pixels)
    }

    /// The pixels as bytes, to draw into.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.pixels)
    }
}
