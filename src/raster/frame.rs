//! The image that a renderer draws into.

use crate::{
    alloc,
    error::{Adjust, Error, Field, Limit, Result, Value},
};

/// The remedy for a frame that takes too much memory.
pub(super) const SMALLER: &[Adjust] = &[Adjust::Lower(Field::FrameSize)];

/// An image of RGBA8 pixels, top row first.
///
/// To draw into a buffer of another library, see
/// [`Renderer::draw_into`](crate::raster::Renderer::draw_into).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue, alpha; `width * height` pixels, row by row.
    pub pixels: Vec<[u8; 4]>,
}

// Every frame size that the commands accept can be drawn.
const _: () = assert!(crate::limits::FRAME_SIDE_MAX <= Frame::SIDE_MAX);

impl Frame {
    /// Largest width and height, pixels. No window is larger, and a coordinate times the 16
    /// sub-pixel phases of small discs has to fit into a float without rounding.
    pub(crate) const SIDE_MAX: u32 = u16::MAX as u32;

    /// A black frame; either side may be 0.
    ///
    /// # Errors
    /// If a side is longer than 16,384 pixels, or there is not enough memory.
    pub fn new(width: u32, height: u32) -> Result<Self> {
        let pixels = alloc::filled(Self::area(width, height)?, [0, 0, 0, 255], "the frame");
        Ok(Self { width, height, pixels: alloc::with_remedy(pixels, SMALLER)? })
    }

    /// The number of pixels of a frame of `width` × `height`.
    pub(super) fn area(width: u32, height: u32) -> Result<usize> {
        let most = Self::SIDE_MAX;
        let side = width.max(height);
        if side > most {
            let limit = Limit::Counts(0..=most.into());
            return Err(Error::invalid(Field::FrameSize, Value::Count(side.into()), limit));
        }
        Ok(width as usize * height as usize)
    }

    /// The pixels as bytes, for an encoder: `width * height * 4` of them.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.pixels)
    }

    /// The pixels as bytes, to draw into with
    /// [`Renderer::draw_into`](crate::raster::Renderer::draw_into).
    #[doc(hidden)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.pixels)
    }
}
