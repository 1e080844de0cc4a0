//! The presenter without a GPU: shared memory of the window system.

use std::{num::NonZeroU32, sync::Arc};

use softbuffer::{Context, SoftBufferError, Surface};
use winit::window::Window;

use crate::window::present::PresentError;

/// A surface in memory of the window system.
pub(in crate::window) struct Soft(Surface<Arc<Window>, Arc<Window>>);

impl Soft {
    /// Creates a presenter for frames of `size` pixels, at least 1 per side.
    pub(super) fn new(window: &Arc<Window>, size: [u32; 2]) -> Result<Self, PresentError> {
        let context = Context::new(Arc::clone(window)).map_err(failure)?;
        let mut soft = Self(Surface::new(&context, Arc::clone(window)).map_err(failure)?);
        soft.resize(size)?;
        Ok(soft)
    }

    /// Sets the size of frames in pixels.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), PresentError> {
        let [width, height] = size.map(|side| NonZeroU32::new(side).unwrap_or(NonZeroU32::MIN));
        self.0.resize(width, height).map_err(failure)
    }

    /// Hands the frame to the window, as words 0x00RRGGBB.
    pub(super) fn present(&mut self, bytes: &[u8]) -> Result<(), PresentError> {
        let mut buffer = self.0.buffer_mut().map_err(failure)?;
        let (pixels, _) = bytes.as_chunks::<4>();
        for (word, &[red, green, blue, _]) in buffer.iter_mut().zip(pixels) {
            *word = u32::from_be_bytes([0, red, green, blue]);
        }
        buffer.present().map_err(failure)
    }
}

fn failure(error: SoftBufferError) -> PresentError {
    match error {
        SoftBufferError::PlatformError(Some(what), _) => what,
        SoftBufferError::PlatformError(None, Some(why)) => why.to_string(),
        error => error.to_string(),
    }
}
