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

// What commands may ask for can be drawn.
const _: () = assert!(crate::limits::FRAME_SIDE_MAX <= Frame::SIDE_MAX);

impl Frame {
    /// Pixels a side, at most: windows have no more, and a place in a frame has bits left for the 16 phases of small
    /// discs.
    pub const SIDE_MAX: u32 = u16::MAX as u32;

    /// A black frame; either side may be 0.
    ///
    /// # Panics
    /// If a side is longer than [`Self::SIDE_MAX`].
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, pixels: vec![[0, 0, 0, 255]; Self::area(width, height)] }
    }

    /// How many pixels a frame of that size has.
    pub(super) fn area(width: u32, height: u32) -> usize {
        let most = Self::SIDE_MAX;
        assert!(
            width.max(height) <= most,
            "a frame has at most {most} pixels a side, and this one is of {width} x {height}"
        );
        width as usize * height as usize
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
