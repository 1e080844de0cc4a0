//! Presenters, which hand frames to the window: through the GPU if there is one, else through the
//! CPU.
//!
//! ```text
//! Presenter ─┬─ gpu ─┬─ pass           shaders/present.wgsl, and what all passes share
//!            │       ├─ glow           shaders/glow.wgsl
//!            │       └─ panel_overlay  shaders/panel.wgsl
//!            └─ soft
//! ```
//!
//! A presenter owns the bytes of the frame, and the rasterizer draws into them. The window shows
//! the same bits with either presenter. Only the GPU draws the panel and the glow.

mod glow;
mod gpu;
mod panel_overlay;
mod pass;
mod soft;

pub(super) use panel_overlay::Painting;

use std::sync::Arc;

use winit::window::Window;

use gpu::Gpu;
use soft::Soft;

/// Why a presenter can't be created or can't present: a clause for the user.
pub(super) type PresentError = String;

/// Outcome of handing a frame to the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presented {
    /// The window shows it.
    Shown,
    /// The window took no frame or has changed meanwhile. The frame must be presented again.
    Skipped,
}

/// Hands frames to the window.
pub(super) struct Presenter {
    /// The next frame: RGBA8, top row first.
    pub(super) bytes: Vec<u8>,
    surface: Surface,
}

/// Takes the frames.
enum Surface {
    /// `wgpu`: Vulkan.
    Gpu(Box<Gpu>),
    /// `softbuffer`: shared memory of the window system.
    Soft(Soft),
}

impl Presenter {
    /// Creates a presenter for frames of `size` pixels, at least 1 per side. Without a GPU, the
    /// reason comes with the presenter.
    pub(super) fn new(
        window: &Arc<Window>,
        size: [u32; 2],
    ) -> Result<(Self, Option<PresentError>), PresentError> {
        let (surface, reason) = match Gpu::new(window, size) {
            Ok(gpu) => (Surface::Gpu(Box::new(gpu)), None),
            Err(reason) => (Surface::Soft(Soft::new(window, size)?), Some(reason)),
        };
        Ok((Self { bytes: frame_bytes(size), surface }, reason))
    }

    /// Replaces the presenter of a GPU that is lost.
    pub(super) fn fall_back(
        self,
        window: &Arc<Window>,
        size: [u32; 2],
    ) -> Result<Self, PresentError> {
        let Surface::Gpu(gpu) = self.surface else {
            return Err("there is no other presenter".to_owned());
        };
        // A window can have only one surface at a time.
        drop(gpu);
        let surface = Surface::Soft(Soft::new(window, size)?);
        Ok(Self { bytes: frame_bytes(size), surface })
    }

    /// Name of the library that presents.
    pub(super) fn name(&self) -> &'static str {
        match self.surface {
            Surface::Gpu(_) => "wgpu",
            Surface::Soft(_) => "softbuffer",
        }
    }

    /// The GPU, which can draw the panel and the glow.
    pub(super) fn gpu_mut(&mut self) -> Option<&mut Gpu> {
        if let Surface::Gpu(gpu) = &mut self.surface { Some(gpu) } else { None }
    }

    /// Sets the size of frames in pixels, at least 1 per side.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), PresentError> {
        match &mut self.surface {
            Surface::Gpu(gpu) => gpu.resize(size)?,
            Surface::Soft(soft) => soft.resize(size)?,
        }
        self.bytes = frame_bytes(size);
        Ok(())
    }

    /// Hands the frame to the window. Not inlined, so that profiles name it.
    #[inline(never)]
    pub(super) fn present(&mut self) -> Result<Presented, PresentError> {
        match &mut self.surface {
            Surface::Gpu(gpu) => gpu.present(&self.bytes),
            Surface::Soft(soft) => soft.present(&self.bytes).map(|()| Presented::Shown),
        }
    }
}

/// Black pixels for a frame of that size.
fn frame_bytes([width, height]: [u32; 2]) -> Vec<u8> {
    vec![0; width as usize * height as usize * 4]
}
