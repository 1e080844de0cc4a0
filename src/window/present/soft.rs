//! The presenter without a GPU: shared memory of the window system.

use std::{num::NonZeroU32, sync::Arc};

use softbuffer::{Context, SoftBufferError, Surface};
use winit::window::Window;

use crate::window::present::PresentError;

/// A surface in memory of the window system.
pub(in crate::window) struct Soft {
    surface: Surface<Arc<Window>, Arc<Window>>,
    bytes: Vec<u8>,
}

impl Soft {
    /// Creates a presenter for frames of `size` pixels, at least 1 per side.
    pub(super) fn new(window: &Arc<Window>, size: [u32; 2]) -> Result<Self, PresentError> {
        let context = Context::new(Arc::clone(window)).map_err(failure)?;
        let surface = Surface::new(&context, Arc::clone(window)).map_err(failure)?;
        let mut soft = Self { surface, bytes: Vec::new() };
        soft.resize(size)?;
        Ok(soft)
    }

    /// Sets the size of frames in pixels.
    pub(super) fn resize(&mut self, [width, height]: [u32; 2]) -> Result<(), PresentError> {
        let side = |length| NonZeroU32::new(length).unwrap_or(NonZeroU32::MIN);
        self.surface.resize(side(width), side(height)).map_err(failure)?;
        self.bytes.resize(width as usize * height as usize * 4, 0);
        Ok(())
    }

    /// Bytes of the next frame: RGBA8, top row first.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Hands the frame to the window, as words 0x00RRGGBB.
    pub(super) fn present(&mut self) -> Result<(), PresentError> {
        let mut buffer = self.surface.buffer_mut().map_err(failure)?;
        let (pixels, _) = self.bytes.as_chunks::<4>();
        for (word, &[red, green, blue, _]) in buffer.iter_mut().zip(pixels) {
            *word = u32::from_be_bytes([0, red, green, blue]);
        }
        buffer.present().map_err(failure)
    }
}

impl std::fmt::Debug for Soft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Soft").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

fn failure(error: SoftBufferError) -> PresentError {
    match error {
        SoftBufferError::PlatformError(Some(what), _) => what,
        SoftBufferError::PlatformError(None, Some(why)) => why.to_string(),
        error => error.to_string(),
    }
}
