//! The presenter without a GPU: composes the picture in memory that the window system shares.

use std::{num::NonZeroU32, sync::Arc};

use rayon::ThreadPool;
use softbuffer::{Context, SoftBufferError, Surface};
use winit::window::Window;

use super::{PresentError, panel_layer::PanelLayer};

/// A surface in memory of the window system.
pub(super) struct Soft {
    surface: Surface<Arc<Window>, Arc<Window>>,
    /// Width and height of frames.
    size: [u32; 2],
}

impl Soft {
    /// Creates a presenter for frames of `size` pixels, at least 1 per side.
    pub(super) fn new(window: &Arc<Window>, size: [u32; 2]) -> Result<Self, PresentError> {
        let context = Context::new(Arc::clone(window)).map_err(failure)?;
        let surface = Surface::new(&context, Arc::clone(window)).map_err(failure)?;
        let mut soft = Self { surface, size };
        soft.resize(size)?;
        Ok(soft)
    }

    /// Sets the size of frames in pixels.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), PresentError> {
        let [width, height] = size.map(|side| NonZeroU32::new(side).unwrap_or(NonZeroU32::MIN));
        self.surface.resize(width, height).map_err(failure)?;
        self.size = size;
        Ok(())
    }

    /// Hands the frame with the panel over it to the window.
    pub(super) fn present(
        &mut self,
        bytes: &[u8],
        panel: &PanelLayer,
        pool: &ThreadPool,
    ) -> Result<(), PresentError> {
        let mut buffer = self.surface.buffer_mut().map_err(failure)?;
        // softbuffer ignores the alpha.
        panel.compose(bytes, self.size, &mut buffer, |word| word, pool);
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
