//! Frames through the window system, without a GPU.

use std::{num::NonZeroU32, sync::Arc};

use softbuffer::{Context, SoftBufferError, Surface};
use winit::window::Window;

use crate::window::present::Refusal;

/// A surface in shared memory, where the window system has some.
pub(in crate::window) struct Soft {
    surface: Surface<Arc<Window>, Arc<Window>>,
    bytes: Vec<u8>,
}

impl Soft {
    /// Frames of that many pixels, at least 1 a side.
    pub(super) fn new(window: &Arc<Window>, size: [u32; 2]) -> Result<Self, Refusal> {
        let context = Context::new(Arc::clone(window)).map_err(refusal)?;
        let surface = Surface::new(&context, Arc::clone(window)).map_err(refusal)?;
        let mut soft = Self { surface, bytes: Vec::new() };
        soft.resize(size)?;
        Ok(soft)
    }

    /// Frames of another size.
    pub(super) fn resize(&mut self, [width, height]: [u32; 2]) -> Result<(), Refusal> {
        let side = |length| NonZeroU32::new(length).unwrap_or(NonZeroU32::MIN);
        self.surface.resize(side(width), side(height)).map_err(refusal)?;
        self.bytes.resize(width as usize * height as usize * 4, 0);
        Ok(())
    }

    /// The next frame.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Hands the frame over, as the words 0x00RRGGBB that softbuffer asks for.
    pub(super) fn present(&mut self) -> Result<(), Refusal> {
        let mut buffer = self.surface.buffer_mut().map_err(refusal)?;
        let (pixels, _) = self.bytes.as_chunks::<4>();
        for (word, &[red, green, blue, _]) in buffer.iter_mut().zip(pixels) {
            *word = u32::from_be_bytes([0, red, green, blue]);
        }
        buffer.present().map_err(refusal)
    }
}

impl std::fmt::Debug for Soft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Soft").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

fn refusal(error: SoftBufferError) -> Refusal {
    match error {
        SoftBufferError::PlatformError(Some(what), _) => what,
        SoftBufferError::PlatformError(None, Some(why)) => why.to_string(),
        error => error.to_string(),
    }
}
