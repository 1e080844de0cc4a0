//! The presenter without a GPU: composes the picture and puts it into shared memory of the window
//! system.
//!
//! ```text
//! bytes ─ glow ─► a row of words ─ panel ─► shared memory ─► window
//! ```
//!
//! Read in this order: `word`, the arithmetic of pixels; `glow`; `triangle` and `panel_layer`,
//! which paint the panel when it changes.

mod glow;
mod panel_layer;
mod triangle;
mod word;

use std::{num::NonZeroU32, sync::Arc};

use rayon::ThreadPool;
use softbuffer::{Context, SoftBufferError, Surface};
use winit::window::Window;

pub(super) use self::glow::SoftGlow;

use self::panel_layer::PanelLayer;
use crate::{
    parallel,
    window::present::{PresentError, painting::Painting},
};

/// Rows that one thread composes at a time.
pub(super) const STRIPE: usize = 32;

/// A surface in memory of the window system.
pub(super) struct Soft {
    surface: Surface<Arc<Window>, Arc<Window>>,
    /// Width and height of frames.
    size: [u32; 2],
    /// `None` without glow.
    glow: Option<SoftGlow>,
    panel: PanelLayer,
}

impl Soft {
    /// Creates a presenter for frames of `size` pixels, at least 1 per side.
    pub(super) fn new(window: &Arc<Window>, size: [u32; 2]) -> Result<Self, PresentError> {
        let context = Context::new(Arc::clone(window)).map_err(failure)?;
        let surface = Surface::new(&context, Arc::clone(window)).map_err(failure)?;
        let mut soft = Self { surface, size, glow: None, panel: PanelLayer::default() };
        soft.resize(size)?;
        Ok(soft)
    }

    /// Sets the size of frames in pixels.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), PresentError> {
        let [width, height] = size.map(|side| NonZeroU32::new(side).unwrap_or(NonZeroU32::MIN));
        self.surface.resize(width, height).map_err(failure)?;
        self.size = size;
        self.set_glow(self.glow.is_some());
        Ok(())
    }

    /// Turns the glow of bright places on or off.
    pub(super) fn set_glow(&mut self, glows: bool) {
        self.glow = glows.then(|| SoftGlow::new(self.size));
    }

    /// Shows this panel over the following frames.
    pub(super) fn show_panel(&mut self, painting: &Painting) {
        self.panel.paint(self.size, painting);
    }

    /// Shows no panel over the following frames.
    pub(super) fn hide_panel(&mut self) {
        self.panel.hide();
    }

    /// Hands the frame to the window.
    pub(super) fn present(&mut self, bytes: &[u8], pool: &ThreadPool) -> Result<(), PresentError> {
        let Self { surface, size, glow, panel } = self;
        let mut buffer = surface.buffer_mut().map_err(failure)?;
        let words: &mut [u32] = &mut buffer;
        let (pixels, _) = bytes.as_chunks::<4>();
        let width = size[0] as usize;
        pool.install(|| {
            if let Some(glow) = &mut *glow {
                glow.gather(pixels);
            }
            let glow = glow.as_ref();
            let stripe = |first: usize, (words, pixels): (&mut [u32], &[[u8; 4]])| {
                let rows = words.chunks_mut(width).zip(pixels.chunks(width));
                for (y, (words, pixels)) in (first / width..).zip(rows) {
                    match glow {
                        Some(glow) => glow.shine(y, pixels, words, word::opaque),
                        None => word::copy(pixels, words),
                    }
                    panel.cover(y, *size, words);
                }
            };
            parallel::pieces((words, pixels), STRIPE * width, &stripe, &|(), ()| ());
        });
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
